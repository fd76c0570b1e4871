"""The content of advice: choices with their costs, and what they rest on, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from withhold.shown import Listed
from withhold.wording import counted

MOST_LINES = 2
"""How many lines of advice are shown at a time: more are not read."""


READ_MORE = " (withhold help deciding)"
"""Where to read about the measurements behind the advice."""


def lines_that_apply(*lines: tuple[str, bool]) -> tuple[str, ...]:
    """The lines that apply, the most important first, each with its page; no more than people read.

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
    """The share of the sample that was lost; None: not measured."""
    of: str
    """What it is a share of: ``occurrences`` or ``cells``."""
    of_sensitive: float | None
    """The share of the sensitive occurrences that was lost, if there are any."""
    problem: str
    """Why it was not measured; empty if it was."""
    command: str
    """What to run next."""
    misplaced: float | None = None
    """For sensitive items published apart: the share of the pairs of a public and a sensitive item that the
    lists of groups misplace."""


@dataclass(frozen=True)
class Advice(Listed):
    """All choices, and what they rest on."""

    sampled: int
    of: int
    what: str
    """``record``, ``row`` or ``person``."""
    assumed: tuple[str, ...]
    """What was assumed because nobody specified it; to be read before the numbers."""
    choices: tuple[Choice, ...]
    first: str
    """A command to run before the others; usually empty."""
    seed: int
    not_measured: tuple[str, ...] = ()
    """Models that fit such data and were left out, each with the reason."""

    def __repr__(self) -> str:
        """How many choices, and what they rest on; ``to_frame()`` has them."""
        of = counted(self.of, self.what)
        return f"<Advice choices={len(self.choices):,}, measured on {self.sampled:,} of {of}>"

    def as_dict(self) -> dict[str, Any]:
        """The advice as plain values."""
        choices = [vars(choice) for choice in self.choices]
        return {**vars(self), "assumed": list(self.assumed), "choices": choices} | {
            "not_measured": list(self.not_measured)
        }
