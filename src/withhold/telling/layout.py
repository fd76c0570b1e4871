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
