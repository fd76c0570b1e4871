"""``withhold page`` as it is typed: what it refuses and prints, and that Ctrl-C leaves nothing behind."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

import typed
from withhold.page.serving import Page

WITHHOLD = (sys.executable, "-m", "withhold", "page")


def run(*words: str, cwd=None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*WITHHOLD, *words], capture_output=True, text=True, check=False, cwd=cwd, timeout=120
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("missing.dat",), "does not exist"),
        (("basket.dat",), "did you mean 'baskets.dat'?"),
        (("",), ""),
        (("other",), "--folder other"),
        (("baskets.dat", "baskets.dat"), ""),
        (("--folder", "missing"), "is not a folder"),
        (("--folder", "baskets.dat"), "is not a folder"),
        (("--folder", ""), ""),
        (("--port", "many"), "port"),
        (("--port", "-1"), "port"),
        (("--prt", "8000"), "--prt"),
        (("baskets.dat", "--folder", "other"), "is not in"),
        (("--port", "0"), "port"),
        (("--port", "99999"), "cannot be used"),
        (("--browser",), "--browser"),
    ],
)
def test_page__mistakes_are_said(folder, monkeypatch, words, message):
    def serves(page):
        raise AssertionError("it is served")

    monkeypatch.setattr(Page, "__enter__", serves)
    monkeypatch.chdir(folder)
    (folder / "other").mkdir()
    done = typed.run("page", *words, "--no-browser")
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.strip()


def test_page__a_port_that_is_taken_is_said(folder):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        done = run("--port", str(other.getsockname()[1]), "--no-browser", cwd=folder)
    assert done.returncode == 2
    assert "cannot be used" in done.stderr
    assert "try another --port" in done.stderr


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
