"""Text laid out for a terminal: aligned columns, bars, and nothing that could control the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

BLOCKS = " ▏▎▍▌▋▊▉█"


def bar(share: float, width: int) -> str:
    """A bar of block characters, filled to ``share``; whatever is above nothing shows.

    >>> bar(0.5, 4), bar(0.0001, 4), bar(0.0, 4)
    ('██', '▏', '')
    """
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    if share > 0:
        eighths = max(eighths, 1)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (BLOCKS[rest] if rest else "")).rstrip()


def page(lines: Iterable[str]) -> str:
    """The lines as they may be shown: no name of an item or a file can forge a line of its own."""
    return "\n".join(
        "".join(mark if mark.isprintable() else repr(mark)[1:-1] for mark in line) for line in lines
    )


def columns(rows: Iterable[Sequence[str]], right: Iterable[int] = ()) -> list[str]:
    """Rows as aligned columns, indented by two."""
    table = [tuple(row) for row in rows]
    if not table:
        return []
    to_the_right = set(right)
    widths = [max(len(cell) for cell in column) for column in zip(*table, strict=True)]
    return [
        "  "
        + "  ".join(
            cell.rjust(width) if index in to_the_right else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]
