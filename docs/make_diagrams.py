"""Draws the worked example of each page in docs/methods, before and after, as an SVG in docs/pictures.

The examples are run from the pages themselves, so that a picture shows what its page says. Every picture
has a light ground of its own, so that it can be read on a dark page, too.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

DOCS = Path(__file__).parent
FOLDER = DOCS / "pictures"
LETTER, CHIP, ROW, GAP, EDGE = 7.4, 20, 26, 28, 14
"""Width of a letter, height of a chip and of a row, between panels, around all of it."""
LOOKS = {
    "plain": "fill:#fff;stroke:#9aa5b1",
    "sensitive": "fill:#fbe3d3;stroke:#b4530a",
    "withheld": "fill:none;stroke:#b4530a;stroke-dasharray:3 2",
    "group": "fill:#d9efec;stroke:#0b7a6f",
}


class Chip(NamedTuple):
    """An item or a cell, and how it looks."""

    text: str
    look: str = "plain"

    @property
    def width(self) -> float:
        """Of its box."""
        return LETTER * len(self.text) + 14


class Panel(NamedTuple):
    """A heading and rows of chips, each after its label."""

    heading: str
    rows: Sequence[tuple[str, Sequence[Chip]]]
    columns: Sequence[float] = ()
    """Widths of columns, where chips stand below each other."""


def example(page: str) -> dict[str, Any]:
    """The names that the examples of a page define."""
    names: dict[str, Any] = {}
    text = (DOCS / "methods" / page).read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        for step in doctest.DocTestParser().get_examples(block):
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(step.source, page, "exec"), names)
    return names


def chips(
    items: Iterable[str], marked: Iterable[str] = (), kept: Iterable[str] | None = None
) -> list[Chip]:
    """A record: sensitive items marked, and what the release does not keep struck through."""
    special, left = set(marked), None if kept is None else set(kept)
    looks = {True: "sensitive", False: "plain"}
    return [
        Chip(item, "withheld" if left is not None and item not in left else looks[item in special])
        for item in items
    ]


def before_and_after(
    before: Any, after: Any, marked: Sequence[Iterable[str]], labels: Sequence[str]
) -> list[Panel]:
    """Two panels, record by record."""
    rows = list(zip(labels, before.to_lists(), after.to_lists(), marked, strict=True))
    return [
        Panel("original", [(label, chips(old, own)) for label, old, _, own in rows]),
        Panel("release", [("", chips(old, own, new)) for _, old, new, own in rows]),
    ]


def rho() -> list[Panel]:
    """Seven baskets."""
    names = example("rho.md")
    shop = names["shop"]
    numbers = [str(row) for row in range(1, len(shop) + 1)]
    return before_and_after(shop, names["release"].data, [{"condom"}] * len(shop), numbers)


def personal() -> list[Panel]:
    """Six records, and what their owners mind."""
    names = example("personal.md")
    originals, wishes = names["originals"], names["wishes"]
    marked = [wishes.get(row, ()) for row in range(len(originals))]
    people = ["1 Alice", "2", "3 Carol", "4", "5", "6 Frank"]
    return before_and_after(originals, names["release"].data, marked, people)


def coherence() -> list[Panel]:
    """Seven records, of which four items go everywhere."""
    names = example("coherence.md")
    records = names["records"]
    private = [{"s1", "s2", "s3"}] * len(records)
    numbers = [str(row) for row in range(1, len(records) + 1)]
    return before_and_after(records, names["release"].data, private, numbers)


def cells() -> list[Panel]:
    """A table, and its groups of equal rows, one below the other."""
    names = example("cell-suppression.md")
    columns = names["names"]
    old, new = (
        list(zip(*(table.column(name).cells("*") for name in columns), strict=True))
        for table in (names["table"], names["release"].data)
    )
    widths = [max(Chip(str(row[place])).width for row in old) + 4 for place in range(len(columns))]
    order = sorted(range(len(old)), key=lambda row: (tuple(map(str, new[row][:-1])), row))
    before = [(str(row + 1), [Chip(str(cell)) for cell in old[row]]) for row in range(len(old))]
    after = [
        (
            str(row + 1),
            [
                Chip(str(was), "withheld" if now != was else "plain")
                for was, now in zip(old[row], new[row], strict=True)
            ],
        )
        for row in order
    ]
    return [
        Panel("original", before, widths),
        Panel("release, equal rows together", after, widths),
    ]


def buckets() -> list[Panel]:
    """Four records, and the groups of items that stand for them."""
    names = example("concept-learning.md")
    old, new = names["records"].to_lists(), names["release"].data.to_lists()
    known = {item for record in old for item in record}
    return [
        Panel("original", [(str(row), chips(record)) for row, record in enumerate(old, start=1)]),
        Panel(
            "release",
            [
                ("", [Chip(item, "plain" if item in known else "group") for item in record])
                for record in new
            ],
        ),
    ]


WITHHELD = Chip("withheld", "withheld")
DRAWN = {
    "rho": (rho, [Chip("sensitive", "sensitive"), WITHHELD]),
    "personal": (personal, [Chip("minded by its owner", "sensitive"), WITHHELD]),
    "coherence": (coherence, [Chip("private", "sensitive"), WITHHELD]),
    "cell-suppression": (cells, [WITHHELD]),
    "concept-learning": (buckets, [Chip("published instead of its items", "group")]),
}
"""By the name of the page: what is drawn, and its legend."""


def svg(panels: Sequence[Panel], legend: Sequence[Chip]) -> str:
    """The panels side by side, the legend below."""
    parts: list[str] = []
    left, bottom = float(EDGE), 0.0
    for panel in panels:
        label = max((LETTER * len(text) + 8 for text, _ in panel.rows if text), default=0.0)
        right = left + LETTER * len(panel.heading)
        parts.append(f'<text class="h" x="{left:g}" y="{EDGE + 12}">{escape(panel.heading)}</text>')
        for number, (text, row) in enumerate(panel.rows):
            top = EDGE + 24 + number * ROW
            if text:
                parts.append(f'<text class="l" x="{left:g}" y="{top + 14}">{escape(text)}</text>')
            right = max(right, _draw(parts, row, left + label, top, panel.columns))
            bottom = max(bottom, top + CHIP)
        left = right + GAP
    width, height = left - GAP + EDGE, bottom + EDGE
    if legend:
        width = max(width, _draw(parts, legend, EDGE, bottom + 12, ()) + EDGE)
        height += CHIP + 12
    style = "".join(f".{name}{{{look}}}" for name, look in LOOKS.items())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img">\n'
        f"<style>text{{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1f2933}}.h{{font-weight:bold}}"
        f".l{{fill:#52606d}}.s{{fill:#7b341e;text-decoration:line-through}}{style}</style>\n"
        f'<rect width="100%" height="100%" rx="8" fill="#f5f7fa"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _draw(
    parts: list[str], row: Iterable[Chip], left: float, top: float, columns: Sequence[float]
) -> float:
    """Draw a row of chips; where it ends."""
    right = left
    for place, chip in enumerate(row):
        width = columns[place] - 4 if columns else chip.width
        middle, style = right + width / 2, ' class="s"' if chip.look == "withheld" else ""
        parts.append(
            f'<rect class="{chip.look}" x="{right:g}" y="{top:g}" width="{width:g}" height="{CHIP}" rx="4"/>'
            f'<text{style} x="{middle:g}" y="{top + 14:g}" text-anchor="middle">{escape(chip.text)}</text>'
        )
        right += width + 4
    return right - 4


def pictures() -> dict[Path, str]:
    """Every picture by its path."""
    return {FOLDER / f"{name}.svg": svg(draw(), legend) for name, (draw, legend) in DRAWN.items()}


if __name__ == "__main__":
    for path, text in pictures().items():
        path.write_text(text, encoding="utf-8")
