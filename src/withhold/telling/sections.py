"""What a report is made of, and where its sections come from: plain values that every rendering reads.

A kind of data and a model may each add sections: a function named in ``SECTIONS`` gets a ``Subject`` and
returns ``Section`` values. What strangers may see must be said so, part by part: ``for_strangers`` is
false unless somebody thought about it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from withhold.auditing.result import Audit
from withhold.lazy import load
from withhold.measure import MEASURES, Measured
from withhold.methods.cells.audit import TableAudit
from withhold.telling.facts import Fact
from withhold.telling.plots import Plot

if TYPE_CHECKING:
    from withhold.release import Release

SECTIONS: dict[str, str] = {
    "Transactions": "withhold.report.sets:sections_of_sets",
    "Table": "withhold.methods.cells.telling:sections_of_tables",
    "buckets": "withhold.methods.buckets.telling:sections_of_buckets",
    "coherence": "withhold.methods.coherence.telling:sections_of_items",
    "km": "withhold.methods.coherence.telling:sections_of_items",
    "personal-rho": "withhold.methods.personal.telling:sections_of_personal",
}
"""Where sections come from: by the kind of data (``Transactions``), and by the model's name (``rho``)."""


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
    """Whether the page shows it only when asked to."""
    for_strangers: bool = False


@dataclass(frozen=True)
class Drawing:
    """A plot."""

    plot: Plot
    for_strangers: bool = False


Part = Paragraph | Facts | Listing | Drawing


@dataclass(frozen=True)
class Section:
    """A titled part of a report."""

    name: str
    """For anchors: one word, unique in a report."""
    title: str
    parts: tuple[Part, ...]

    def for_strangers(self) -> Section:
        """The section with only what strangers may see; perhaps nothing."""
        return Section(self.name, self.title, tuple(p for p in self.parts if p.for_strangers))


@dataclass(frozen=True)
class Subject:
    """All that sections may be about. Computed once; sections only choose and word."""

    release: Release
    measured: Measured
    """``measured.details`` is the ``Utility``, or what the data's own measures return."""
    before: Audit | TableAudit
    """Of the original."""
    after: Audit | TableAudit
    """Of the release."""


def sections_of(subject: Subject) -> tuple[Section, ...]:
    """The sections of the kind of data, then those of the model.

    A model with measures of its own has nothing for the sections of the kind of data to show.
    """
    sections: list[Section] = []
    kind, model = type(subject.release.data).__name__, subject.release.model.name
    for name in (model,) if model in MEASURES else (kind, model):
        if name in SECTIONS:
            sections += load(SECTIONS[name])(subject)
    return tuple(sections)
