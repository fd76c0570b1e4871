"""Command lines as tests put them together, and what they do in this process."""

from __future__ import annotations

from importlib import import_module

from typer.testing import CliRunner

from withhold.cli.app import VERBS, app

for _verb in VERBS:  # importing a verb registers it
    import_module(f"withhold.cli.{_verb}")

SEVERAL = ("--bin", "--publish", "--vary")
"""Options that may be repeated."""


def run(*words, **options):
    """How a command ends and what it prints, in this process, where the kernels are compiled already."""
    done = CliRunner().invoke(app, [str(word) for word in words], **options)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert "Traceback" not in done.output
    return done


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
