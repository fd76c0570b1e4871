"""Shell completion, asked by a shell: verbs, options, the values of options that take few, and files."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from functools import cache

import pytest

from withhold.cli.completing import VALUES, completed
from withhold.cli.options import HELP

START = "import sys; sys.argv[0] = 'withhold'; from withhold.cli import main; main()"
needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")


@pytest.fixture
def shell(tmp_path, monkeypatch):
    """A folder with two files and a ``withhold`` to be found."""
    shim = tmp_path / "bin" / "withhold"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{START}" "$@"\n')
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", f"{shim.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "baskets.dat").write_text("a b\n")
    (tmp_path / "sensitive.txt").write_text("a\n")


def run(command: str, **environment: str) -> str:
    done = subprocess.run(
        ["bash", "--norc", "-c", command],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )
    return done.stdout


@cache
def script() -> str:
    """What is to be installed in bash."""
    # The shell is found among the parents, so bash must not make way for its last command.
    return run("withhold --show-completion; exit $?")


def in_bash(*typed: str) -> list[str]:
    """What bash proposes for the last word, with the script that is to be installed."""
    words = shlex.join(("withhold", *typed))
    asked = (
        'eval "$SCRIPT"; '
        f"COMP_WORDS=({words}); COMP_CWORD={len(typed)}; "
        "_withhold_completion withhold; printf '%s\\n' \"${COMPREPLY[@]}\"; complete -p withhold"
    )
    *proposed, how = run(asked, SCRIPT=script()).splitlines()
    # Where the program proposes nothing, bash goes on with the names of files.
    assert how.startswith("complete -o default")
    return [each for each in proposed if each]


@needs_bash
@pytest.mark.usefixtures("shell")
@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (("a",), ["advise", "anonymize", "audit"]),
        (("anonymize", "baskets.dat", "--model", "k"), ["km", "k-anonymity"]),
        (("anonymize", "baskets.dat", "--engine", ""), ["memory", "stream", "dask"]),
        (("anonymize", "baskets.dat", "--keep", "r"), ["rules"]),
        (("audit", "baskets.dat", "--format", "sp"), ["spmf"]),
        (("anonymize", "baskets.dat", "--sens"), ["--sensitive", "--sensitive-column"]),
        (("anonymize", "bas"), []),
        (("anonymize", "baskets.dat", "-o", "pub"), []),
    ],
)
def test_bash__completes(typed, expected):
    assert in_bash(*typed) == expected


@needs_bash
@pytest.mark.usefixtures("shell")
@pytest.mark.parametrize("shell_name", ["zsh", "fish"])
def test_other_shells__get_the_same(shell_name):
    asked = {
        "_WITHHOLD_COMPLETE": f"complete_{shell_name}",
        "_TYPER_COMPLETE_ARGS": "withhold anonymize baskets.dat --engine ",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    shown = run("withhold", **asked)
    assert all(engine in shown for engine in ("memory", "stream", "dask"))


@needs_bash
@pytest.mark.usefixtures("shell")
@pytest.mark.parametrize(("typed", "code"), [("bas", "1"), ("--model k", "0")])
def test_fish__completes_files_where_nothing_is_proposed(typed, code):
    asked = {
        "_WITHHOLD_COMPLETE": "complete_fish",
        "_TYPER_COMPLETE_ARGS": f"withhold audit {typed}",
        "_TYPER_COMPLETE_FISH_ACTION": "is-args",
    }
    assert run("withhold; echo $?", **asked).split() == [code]


@needs_bash
@pytest.mark.usefixtures("shell")
def test_zsh__completes_files_where_nothing_is_proposed():
    asked = {"_WITHHOLD_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": "withhold audit bas"}
    assert run("withhold", **asked).split() == ["_files"]


@needs_bash
@pytest.mark.usefixtures("shell")
def test_install__writes_a_script_that_bash_reads(tmp_path):
    # The shell is found among the parents, so bash must not make way for its last command.
    run("withhold --install-completion; exit $?", HOME=str(tmp_path))
    assert "_withhold_completion" in (tmp_path / ".bash_completions/withhold.sh").read_text()
    assert ".bash_completions/withhold.sh" in (tmp_path / ".bashrc").read_text()


@pytest.mark.parametrize("name", VALUES)
def test_values__are_those_that_are_listed_and_in_the_help(name):
    values = completed(VALUES[name])("")
    assert values
    if name in ("format", "engine"):
        assert all(value in HELP[name] for value in values)


def test_completed__nothing_where_there_are_no_values():
    assert completed([]) is None
