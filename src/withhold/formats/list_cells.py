"""Cells of a CSV file that hold several items: ``asthma;flu``.

In: cells. Out: records, and what separates the items; and back. Only ``;`` and ``|`` separate items, since
commas and blanks are parts of many names. What could be read in two ways is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from withhold.data import Records, Source
from withhold.errors import InputError
from withhold.formats.forms import unwritable

BETWEEN = (";", "|")
OTHER_MARKS = (",", "/", "+", "&")
"""Other characters that people put between items."""
JSON = "write the persons as JSON lines or parquet, with a list of items for each"


def split_cells(cells: Sequence[str], form: Source) -> tuple[Records, str]:
    """The items of each cell, and what separates them."""
    found = [mark for mark in BETWEEN if any(mark in cell for cell in cells)]
    place: dict[str, Any] = {"path": form.path if form.sha256 else None, "column": form.list_column}
    if len(found) > 1:
        raise InputError("both ; and | could separate the items", **place, remedy=JSON)
    if not found and any("," in cell for cell in cells):
        problem = "commas could separate the items, or belong to their names"
        raise InputError(problem, **place, remedy=f"put ; between the items, or {JSON}")
    between = found[0] if found else BETWEEN[0]
    rows = [[name for name in cell.split(between) if name.strip()] for cell in cells]
    items = Records.from_lists(rows)
    if (joined := _joined_name(items)) is not None:
        problem = "looks like several items, each of which stands alone elsewhere"
        remedy = f"put {between} between all items, or {JSON}"
        raise InputError(problem, **place, value=joined, remedy=remedy)
    return items, between


def _joined_name(items: Records) -> str | None:
    """An item that another separator splits into items of the same column: probably the real separator."""
    names = frozenset(items.occurring)
    for name in items.occurring:
        for mark in OTHER_MARKS:
            pieces = [piece.strip() for piece in name.split(mark)]
            if len(pieces) > 1 and names.issuperset(pieces):
                return name
    return None


def joined_cells(items: Records, form: Source) -> list[str]:
    """The items of each record in one cell; refuses names that would not be read back unchanged."""
    between = form.variant or BETWEEN[0]
    cells = [between.join(row) for row in items.to_lists()]
    for name in items.occurring:
        if any(mark in name for mark in (*BETWEEN, "\r", "\n", "\0")):
            raise unwritable(f"the item {name!r}", "a cell of a CSV file")
    if (joined := _joined_name(items)) is not None:
        raise unwritable(f"the item {joined!r}, which looks like several items,", "a CSV file")
    if not any(between in cell for cell in cells) and any("," in cell for cell in cells):
        raise unwritable("a single item with a comma in each cell", "a CSV file")
    return cells
