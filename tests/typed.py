"""Command lines as tests put them together, and what they do in this process."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from typer.testing import CliRunner

import withhold
from withhold.cli.app import VERBS, app

for _verb in VERBS:  # importing a verb registers it
    import_module(f"withhold.cli.{_verb}")

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(withhold.__file__).parents[1])}
"""For other processes, which then run this very package."""
MAIN = """
import signal, sys, time
# A shell that runs us in the background has its children ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv[0] = "withhold"
from withhold.cli import main
{before}
main()
"""
SEVERAL = ("--bin", "--publish", "--vary")
"""Options that may be repeated."""


def run(*words, **options):
    """How a command ends and what it prints, in this process, where the kernels are compiled already."""
    done = CliRunner().invoke(app, [str(word) for word in words], **options)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert "Traceback" not in done.output
    return done


def start(*words, before="", env=None, **options):
    """A command in a process of its own; ``before`` is code that runs ahead of it."""
    run_it = ["-c", MAIN.format(before=before)] if before else ["-m", "withhold"]
    return python(*run_it, *words, env=env, **options)


def python(*words, env=None, **options):
    """Python in a process of its own, its outputs piped unless the options say otherwise."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
    command = [sys.executable, *map(str, words)]
    return subprocess.Popen(command, env={**ENVIRONMENT, **(env or {})}, **{**streams, **options})


def last_wins(words):
    """The words with only the last value of every option, since a verb takes each once.

    >>> last_wins(["audit", "--k", "5", "x.csv", "--k", "2"])
    ['audit', 'x.csv', '--k', '2']
    """
    words = [str(word) for word in words]
    found, place = [], 0
    while place < len(words):
        word = words[place]
        valued = word.startswith("--") and place + 1 < len(words) and words[place + 1][:2] != "--"
        later = word in words[place + 1 :] and word.startswith("--") and word not in SEVERAL
        length = 2 if valued else 1
        if not later:
            found += words[place : place + length]
        place += length
    return found
