"""Exit code 1 is the verdict BROKEN; whatever else happens ends with another one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from typed import run

CALLED = "import sys; sys.argv = ['withhold', 'inspect', 'a.dat']\nfrom withhold.cli import main\n"


def ended(folder: Path, before: str) -> tuple[int, str]:
    """The exit code of a command after some sabotage, and what it said."""
    (folder / "a.dat").write_text("1 2\n")
    done = subprocess.run(
        [sys.executable, "-c", CALLED + before + "\nmain()"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("where", ["formats.read", "data.profile.profile"])
def test_a_panic_inside_a_verb_is_a_bug_not_a_verdict(tmp_path, where):
    module, _, name = where.rpartition(".")
    sabotage = (
        f"import withhold.{module} as module\nclass Panic(BaseException): pass\n"
        f"def panic(*_, **__): raise Panic('gone\\nat line 3')\nmodule.{name} = panic"
    )
    code, said = ended(tmp_path, sabotage)
    assert code == 70
    assert said.startswith("withhold: Panic: gone. This is a bug in withhold")
    assert "Traceback" not in said


def test_a_panic_outside_a_verb_is_a_bug_not_a_verdict(tmp_path):
    sabotage = (
        "import withhold.cli.app as module\nclass Panic(BaseException): pass\n"
        "def panic(*_, **__): raise Panic('gone\\nat line 3')\ntype(module.app).__call__ = panic"
    )
    code, said = ended(tmp_path, sabotage)
    assert code == 70
    assert said.startswith("withhold: Panic: gone. This is a bug in withhold")
    assert "Traceback" not in said


@pytest.mark.parametrize(("left_with", "expected"), [("1", 0), ("'a message'", 70), ("2", 2)])
def test_a_1_that_is_nobodys_verdict_is_not_passed_on(tmp_path, left_with, expected):
    sabotage = (
        f"import withhold.cli.app as module\ndef leave(*_, **__): sys.exit({left_with})\n"
        "type(module.app).__call__ = leave"
    )
    code, said = ended(tmp_path, sabotage)
    assert code == expected
    assert "Traceback" not in said


def test_an_installation_that_lacks_something_is_not_broken_data(tmp_path):
    code, said = ended(tmp_path, "sys.modules['typer'] = None")
    assert code == 70
    assert "Traceback" not in said


def test_a_verdict_is_still_1(tmp_path):
    (tmp_path / "a.dat").write_text("beer condom\nbeer condom\nale\n")
    options = "['withhold', 'audit', 'a.dat', '--rho', '0.5', '--sensitive', 'condom']"
    code = f"import sys; sys.argv = {options}\nfrom withhold.cli import main\nmain()"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True)
    assert done.returncode == 1


@pytest.mark.parametrize("folder", [".", "/", "there"])
def test_a_folder_is_no_release(tmp_path, monkeypatch, folder):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    (tmp_path / "a.csv").write_text("beer,tea\ntea\n")
    for arguments in (["verify", folder], ["compare", "a.csv", folder]):
        result = run(*arguments)
        assert result.exit_code == 3, result.output
        assert "is a directory" in result.output
