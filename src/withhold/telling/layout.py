"""Text laid out for a terminal: aligned columns, bars, and nothing that could control the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

WIDTH = 80
"""The assumed width of a terminal."""
LONG_HEADING = 11
"""A longer heading of several words is put on two lines."""
BLOCKS = " ▏▎▍▌▋▊▉█"


def bar(share: float, width: int) -> str:
    """A bar of block characters, filled to ``share``; anything above 0 is visible.

    >>> bar(0.5, 4), bar(0.0001, 4), bar(0.0, 4)
    ('██', '▏', '')
    """
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    if share > 0:
        eighths = max(eighths, 1)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (BLOCKS[rest] if rest else "")).rstrip()


def page(lines: Iterable[str]) -> str:
    """The lines as they may be shown: no name of an item or a file can forge a line."""
    return "\n".join(
        "".join(mark if mark.isprintable() else repr(mark)[1:-1] for mark in line) for line in lines
    )


def columns(rows: Iterable[Sequence[str]], right: Iterable[int] = ()) -> list[str]:
    """Rows as aligned columns, indented by two."""
    cells = [tuple(row) for row in rows]
    marks = dict.fromkeys(right, ">")
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    spans = [f"{marks.get(number, '<')}{width}" for number, width in enumerate(widths)]
    return ["  " + "  ".join(map(format, row, spans)).rstrip() for row in cells]


def findings(rows: Iterable[Sequence[str]], numbers: Iterable[int]) -> list[str]:
    """Rows as aligned columns; if names are too long for a terminal, the numbers come first.

    >>> findings([("{beer}", "→ condom", "100%", "2 of 2")], numbers=(2, 3))
    ['  {beer}  → condom  100%  2 of 2']
    >>> findings([("{" + 70 * "x" + "}", "→ condom", "100%", "2 of 2")], numbers=(2, 3))[0][:30]
    '  100%  2 of 2  {xxxxxxxxxxxxx'
    """
    cells = [tuple(row) for row in rows]
    first = [number for number in numbers if number < len(cells[0])]
    lines = columns(cells, right=first)
    if max(map(len, lines)) <= WIDTH or not first:
        return lines
    turned = []
    for row in cells:
        names = [cell for number, cell in enumerate(row) if number not in first]
        turned.append((*(row[number] for number in first), " ".join(filter(None, names))))
    return columns(turned, right=range(len(first)))


def in_two_lines(head: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Headings of several words on two lines, so that the table is narrow; on one line if none is long."""
    if max(map(len, head)) > LONG_HEADING:
        parts = [
            label.rsplit(" ", 1) if len(label) > LONG_HEADING else ["", label] for label in head
        ]
        yield tuple(each[0] if len(each) > 1 else "" for each in parts)
        yield tuple(each[-1] for each in parts)
    else:
        yield tuple(head)
