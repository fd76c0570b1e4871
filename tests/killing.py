"""A run that is killed at each of its steps in turn: what stands in the folder afterwards must be whole."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from withhold.atomic import steps


class Killed(BaseException):
    """What stops everything, clean-up included."""


class Killer:
    """Stops before the chosen step, and lets no later one happen."""

    def __init__(self, last: int | None = None) -> None:
        self.last, self.seen = last, []

    def __call__(self, what: str, path: Path) -> None:
        self.seen.append(what)
        if self.last is not None and len(self.seen) > self.last:
            raise Killed(what)


def stop_at(monkeypatch: pytest.MonkeyPatch, last: int | None) -> Killer:
    """Kill after so many steps, from now on; ``None`` kills nobody."""
    killer = Killer(last)
    monkeypatch.setattr(steps, "before", killer)
    return killer


def kill(
    monkeypatch: pytest.MonkeyPatch, last: int, run: Callable[[], object]
) -> tuple[list[str], bool]:
    """The steps that a run began before it was killed, and whether it was: it may have fewer."""
    killer, killed = stop_at(monkeypatch, last), False
    try:
        run()
    except Killed:
        killed = True
    stop_at(monkeypatch, None)
    return killer.seen, killed


def attempts(parent: Path) -> Iterator[tuple[int, Path]]:
    """Numbers from 0 on, each with an empty folder."""
    for last in itertools.count():
        (folder := parent / str(last)).mkdir()
        yield last, folder
