"""Comparisons as text, plain values and a page: one row for each fact, one column for each release."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from withhold.report.html import page_html
from withhold.telling.facts import Fact, described, finite, first_facts
from withhold.telling.layout import columns, page
from withhold.telling.plots import Bars, Line
from withhold.telling.sections import Content, Drawing, Listing, Page, Paragraph, Section

if TYPE_CHECKING:
    from withhold.comparison import Comparison


def comparison_text(comparison: Comparison) -> str:
    """A table of text."""
    names = [release.name for release in comparison.releases]
    rows = [("", *names), *((fact.label, *cells) for fact, cells in comparison_rows(comparison))]
    table = columns(rows, right=range(1, len(names) + 1))
    notes = [f"({note})" for note in comparison.notes]
    return page([f"Against {comparison.original}", "", *table, *([""] if notes else []), *notes])


def comparison_as_dict(comparison: Comparison) -> dict[str, Any]:
    """All of it as plain values, each number under its path, with its meaning."""
    return {
        "original": comparison.original,
        "releases": [
            {
                "name": release.name,
                "warnings": list(release.measured.warnings),
                "facts": dict(release.measured.values()),
                "details": release.measured.details.as_dict(),
            }
            for release in comparison.releases
        ],
        **described(fact for fact, _ in comparison_rows(comparison)),
        **({"notes": list(comparison.notes)} if comparison.notes else {}),
    }


def comparison_html(comparison: Comparison) -> str:
    """A page: the plotted facts as bars, then the whole table."""
    names = tuple(release.name for release in comparison.releases)
    rows = comparison_rows(comparison)
    cells = tuple((fact.label, *cells) for fact, cells in rows)
    table = Listing("", ("", *names), cells, right=frozenset(range(1, len(names) + 1)))
    notes = tuple(Paragraph(f"{note[0].upper()}{note[1:]}.") for note in comparison.notes)
    sections = (
        Section("plots", "What each release lost", tuple(_plots(comparison, names))),
        Section("table", "All numbers", (table, *notes, meanings(fact for fact, _ in rows))),
    )
    return page_html(
        Page(
            title=comparison.original,
            kicker="Comparison of releases, for the custodian: it describes the original",
            sections=sections,
            footer="Made by withhold. Publish at most one of these releases: two can be joined.",
            warnings=comparison.warnings,
        )
    )


def meanings(facts: Iterable[Fact]) -> Listing:
    """What each number means."""
    rows = tuple((fact.label, fact.meaning) for fact in facts)
    return Listing("What each number means", ("", ""), rows, folded=True)


def _plots(comparison: Comparison, names: tuple[str, ...]) -> Iterable[Content]:
    for number, path in enumerate(comparison.releases[0].measured.plotted):
        facts = [_fact(release.measured.facts, path) for release in comparison.releases]
        shown = next(fact for fact in facts if fact is not None)
        values = tuple(finite(None if fact is None else fact.value) for fact in facts)
        lines = (Line(shown.label, "lost" if number == 0 else "kept", values),)
        title, percent = f"{shown.label}: {shown.meaning}", shown.unit == "share"
        yield Drawing(Bars(f"bars-{number}", title, shown.label, names, lines, percent=percent))


def comparison_rows(comparison: Comparison) -> list[tuple[Fact, tuple[str, ...]]]:
    """Every fact that any release has, with its text for each release."""
    rows = []
    known = first_facts(release.measured.facts for release in comparison.releases)
    for path, fact in known.items():
        found = (_fact(release.measured.facts, path) for release in comparison.releases)
        rows.append((fact, tuple("–" if each is None else each.shown for each in found)))
    return rows


def _fact(facts: tuple[Fact, ...], path: str) -> Fact | None:
    return next((fact for fact in facts if fact.path == path), None)
