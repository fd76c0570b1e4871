"""``withhold page`` as it is typed: what it refuses and prints, and that Ctrl-C leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

WITHHOLD = (sys.executable, "-m", "withhold", "page")


def run(*words: str, cwd=None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*WITHHOLD, *words], capture_output=True, text=True, check=False, cwd=cwd, timeout=120
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("missing.dat",), "does not exist"),
        (("--folder", "missing"), "is not a folder"),
        (("baskets.dat", "--folder", "other"), "is not in"),
        (("--port", "0"), "port"),
        (("--port", "99999"), "cannot be used"),
        (("--browser",), "--browser"),
    ],
)
def test_page__mistakes_are_said(folder, words, message):
    (folder / "other").mkdir()
    done = run(*words, "--no-browser", cwd=folder)
    assert done.returncode == 2 or "Error" in done.stderr or "withhold:" in done.stderr
    assert done.returncode not in (0, 1, 70)
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_page__ends_with_ctrl_c_and_leaves_nothing(folder, tmp_path, monkeypatch):
    private = tmp_path / "tmp"
    private.mkdir()
    monkeypatch.setenv("TMPDIR", str(private))
    words = [*WITHHOLD, "baskets.dat", "--no-browser"]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder
    ) as page:
        assert page.stdout is not None
        address = page.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        assert len(list(private.glob("withhold-page-*"))) == 1
        with urllib.request.urlopen(address, timeout=60) as answer:
            assert answer.status == 200
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(address, timeout=60)
        page.send_signal(signal.SIGINT)
        _, said = page.communicate(timeout=60)
    assert page.returncode in (0, 130)
    assert "Traceback" not in said
    assert list(private.glob("withhold-page-*")) == []
    assert sorted(path.name for path in folder.iterdir()) == ["baskets.dat"]
