"""How a method is released part by part: each part on its own, or by one choice computed from counts.

A choice or a proof by counts is a generator: it yields rounds, each of which is counted in every part, is
sent the sums, and returns the result. The code that runs it reads the parts, here or elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from withhold.verdict import Verdict

FoundT = TypeVar("FoundT")


class Sums(Protocol):
    """Counts over some of the parts."""

    def plus(self, other: Any, /) -> Any:
        """The sum of these counts and others; the order never matters."""
        ...


class Round(Protocol):
    """What is to be counted in every part, as a value that can be sent to another machine."""

    def count(self, data: Any, /) -> Sums:
        """The counts of one part."""
        ...


class Choice(Protocol):
    """The choice made for all parts."""

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
    survey: Callable[[Any, int, int], Rounds[Any]]
    """(model, most known items, how many to list) → the breaches of all parts together."""
    surveyed: int = 3
    """The default largest number of known items in an audit."""


@dataclass(frozen=True)
class Settled:
    """What was settled for all parts; then each of them is searched and proved on its own."""

    model: Any
    """The model that every part satisfies, and so all of them: the requested one, perhaps under groups."""
    options: Mapping[str, Any]
    """Search options of the parts that differ from those that were given."""
    choice: Choice
    """How every part is transformed before it is searched."""
    final: bool = False
    """Whether that leaves nothing to withhold in any part."""


@dataclass(frozen=True)
class ByBlocks:
    """How a table that is read part by part is released in blocks of rows from all parts."""

    survey: Callable[[Any, Any, Any, int], tuple[Any, Any]]
    """(part, model, search options, seed) → a survey of the part, and its rows as codes."""
    join: Callable[[Any, Any, Any], Any]
    """(surveys, model, search options) → what is known of the whole table."""
    deal: Callable[[Any, Any, Any, Any], Any]
    """(codes, survey, whole, model) → which row of the part is in which block."""
    spans: Callable[[Any, Any, Any, Any], list[tuple[int, int]]]
    """(sizes, sensitive counts, whole, model) → the blocks that can be searched on their own."""
    search: Callable[[Any, Any, Any, Any, Any], Any]
    """(codes of a block, whole, model, search options, run) → which cells are shown."""
    plan: Callable[[Any, Any, Any], Any]
    """(part, model, cells shown) → the plan for the part."""
    count: Callable[[Any, Any], Any]
    """(part read back, model) → the rows of its groups."""
    values: Callable[[Any, Any], tuple[dict[Any, int], ...]]
    """(counts of a part, model) → by sensitive column, how often each value occurs."""
    judge: Callable[[Any, Any, Any], Any]
    """(counts of all parts or of some shelves, model, how often values occur) → the judgement of these."""
    verdict: Callable[[Any, Any, float], Any]
    """(all that was judged, model, seconds) → the verdict on all parts together."""
    audit: Callable[[Any, Any], Any]
    """(model, audit options) → sums that become the audit of all parts together."""
    measure: Callable[[Any], Any]
    """(model) → sums that become what all parts together lost."""


@dataclass(frozen=True)
class ByParts:
    """How parts are released."""

    refused: Callable[[Any, Any, Mapping[str, Any]], str] = lambda *_: (
        "it is a promise about all records at once"
    )
    """(model, search options, those that were given) → why it cannot be done; nothing if it can."""
    counts: ByCounts | None = None
    """None, without blocks either: a union of safe parts is safe, so each part is released on its own."""
    settle: Callable[[Any, Any], Rounds[Settled] | None] = lambda *_: None
    """(model, search options) → one choice for all parts, each of which is then searched and proved alone."""
    audited: bool = False
    """Whether audits of parts, joined, say something about all of them."""
    generalised: Callable[[Any, Any, Any], Any] | None = None
    """(pieces of both, hierarchy, request) → the loss of a release whose records use names other than the
    original's; None if the names are the same, so that both can be counted together."""
    blocks: ByBlocks | None = None
    """Of tables: how rows of all parts are searched together."""


NOT_BY_PARTS = ByParts()
