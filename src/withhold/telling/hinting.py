"""Hints as lines of text, the same for records and tables."""

from __future__ import annotations

from collections.abc import Sequence

from withhold.data.hints import Hint

TITLE = "Before you publish"


def hint_lines(hints: Sequence[Hint]) -> list[str]:
    """A line for each hint and one for its remedy; nothing if there is none."""
    if not hints:
        return []
    lines = ["", TITLE]
    for hint in hints:
        lines += [f"  {hint.column}: {hint.text}", f"    {hint.remedy}"]
    return lines
