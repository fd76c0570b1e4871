"""How a method is released part by part: each part on its own, or by one choice that follows from counts.

A choice or a proof by counts is a generator: it yields rounds, each of which is counted of every part, is
sent the sums, and returns what it found. Whoever runs it reads the parts, here or elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from withhold.verdict import Verdict

FoundT = TypeVar("FoundT")


class Sums(Protocol):
    """What was counted of some parts."""

    def plus(self, other: Any, /) -> Any:
        """Of these and of others together; the order never matters."""
        ...


class Round(Protocol):
    """What is to be counted of every part, as a value that can be sent to another machine."""

    def count(self, data: Any, /) -> Sums:
        """Of one part."""
        ...


class Choice(Protocol):
    """What was chosen for all parts."""

    def apply_to(self, data: Any, /) -> Any:
        """A part without what is withheld."""
        ...

    def as_dict(self) -> Mapping[str, Any]:
        """The choice as plain values."""
        ...


Rounds = Generator[Round, Sums, FoundT]
"""Yields what is to be counted, is sent the sums over all parts, and returns what it found."""


@dataclass(frozen=True)
class ByCounts:
    """One choice for all parts from counts of all records, and its proof from counts of what was written."""

    choose: Callable[[Any, Any], Rounds[Choice]]
    """(model, search options) → the choice."""
    prove: Callable[[Any], Rounds[Verdict]]
    """(model) → the verdict on all parts together; knows nothing of the choice."""


@dataclass(frozen=True)
class ByParts:
    """How parts are released."""

    refused: Callable[[Any, Any, Mapping[str, Any]], str] = lambda *_: (
        "it is a promise about all records at once"
    )
    """(model, search options, those that were given) → why it cannot be done; nothing where it can."""
    counts: ByCounts | None = None
    """None: a union of safe parts is safe, so each part is released and proved on its own."""


NOT_BY_PARTS = ByParts()
