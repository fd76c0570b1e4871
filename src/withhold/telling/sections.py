"""What a report is made of: plain values that every rendering reads.

What strangers may see must be marked, part by part: ``for_strangers`` is false unless somebody decided
otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from withhold.telling.facts import Fact, Measured
from withhold.telling.plots import Plot

if TYPE_CHECKING:
    from withhold.method import AnyLadder
    from withhold.release import AnyRelease


@dataclass(frozen=True)
class Paragraph:
    """Some sentences."""

    text: str
    for_strangers: bool = False


@dataclass(frozen=True)
class Facts:
    """Numbers, each with its name and its meaning."""

    facts: tuple[Fact, ...]
    for_strangers: bool = False


@dataclass(frozen=True)
class Listing:
    """A table. Cells may hold anything that is in the data; every rendering escapes them."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int] = frozenset()
    """The columns that hold numbers."""
    folded: bool = False
    """Whether the page shows it only on request."""
    for_strangers: bool = False
    for_custodians: bool = True
    """False if they have a fuller one."""


@dataclass(frozen=True)
class Drawing:
    """A plot."""

    plot: Plot
    for_strangers: bool = False


Content = Paragraph | Facts | Listing | Drawing


@dataclass(frozen=True)
class Section:
    """A titled part of a report."""

    name: str
    """For anchors: one word, unique in a report."""
    title: str
    parts: tuple[Content, ...]

    def for_custodians(self) -> Section:
        """The section without what is meant for strangers only."""
        parts = (p for p in self.parts if not isinstance(p, Listing) or p.for_custodians)
        return Section(self.name, self.title, tuple(parts))

    def for_strangers(self) -> Section:
        """The section with only what strangers may see; perhaps nothing."""
        return Section(self.name, self.title, tuple(p for p in self.parts if p.for_strangers))


@dataclass(frozen=True)
class Page:
    """What every page has."""

    title: str
    kicker: str
    """What kind of page this is, in a line above the title."""
    sections: tuple[Section, ...]
    footer: str
    about: tuple[str, ...] = ()
    """What the page is about, in a few words each: how much, of what, when."""
    status: str = ""
    promise: str = ""
    proof: str = ""
    """How it was checked."""
    headline: tuple[Fact, ...] = ()
    """The numbers to see first."""
    warnings: tuple[str, ...] = ()
    """What to know before the file is used or passed on."""


@dataclass(frozen=True)
class Subject:
    """All that sections may be about. Computed once; sections only select and phrase it."""

    release: AnyRelease
    measured: Measured
    """``measured.details`` is the ``Utility``, or what the data's own measures return."""
    before: Any
    """The audit of the original."""
    after: Any
    """The audit of the release."""
    ladder: AnyLadder | None = None
    """What protecting from more knowledge, or less, would have cost."""
