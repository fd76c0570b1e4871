"""What advice says: choices with their costs, and what they rest on, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from withhold.shown import Listed

MOST_LINES = 2
"""More advice at a time is not read."""


READ_MORE = " (withhold help deciding)"
"""Where the measurements behind the advice are."""


def lines_that_apply(*lines: tuple[str, bool]) -> tuple[str, ...]:
    """The lines that apply, those that matter most first, each with its page; no more than are read.

    >>> lines_that_apply(("a", False), ("b", True), ("c", True), ("d", True))
    ('b (withhold help deciding)', 'c (withhold help deciding)')
    """
    found = (line.removesuffix(READ_MORE) for line, applies in lines if applies)
    return tuple(f"{line}{READ_MORE}" for line in found)[:MOST_LINES]


@dataclass(frozen=True)
class Choice:
    """One promise, and what it cost in the sample."""

    knows: str
    """What attackers know."""
    promise: str
    """What holds then, in a few words."""
    model: str
    cost: float | None
    """The share that the sample lost; None: not measured."""
    of: str
    """Of what it is the share: ``occurrences`` or ``cells``."""
    of_sensitive: float | None
    """The share of the sensitive occurrences that was lost, where there are any."""
    problem: str
    """Why it was not measured; empty if it was."""
    command: str
    """What to run next."""
    misplaced: float | None = None
    """Of sensitive items apart: the share of the pairs of a public and a sensitive item that the lists of
    groups put elsewhere."""


@dataclass(frozen=True)
class Advice(Listed):
    """All choices, and what they rest on."""

    sampled: int
    of: int
    what: str
    """``record``, ``row`` or ``person``."""
    assumed: tuple[str, ...]
    """What nobody said and was taken for granted; to be read before the numbers."""
    choices: tuple[Choice, ...]
    first: str
    """A command to run before the others; mostly none."""
    seed: int

    def as_dict(self) -> dict[str, Any]:
        """The advice as plain values."""
        choices = [vars(choice) for choice in self.choices]
        return {**vars(self), "assumed": list(self.assumed), "choices": choices}
