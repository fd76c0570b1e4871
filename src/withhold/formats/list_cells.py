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
    return Records.from_lists(rows), between


def joined_cells(items: Records, form: Source) -> list[str]:
    """The items of each record in one cell; refuses names that would not come back."""
    between = form.variant or BETWEEN[0]
    cells = [between.join(row) for row in items.to_lists()]
    for name in items.occurring:
        if any(mark in name for mark in (*BETWEEN, "\r", "\n", "\0")):
            raise unwritable(f"the item {name!r}", "a cell of a CSV file")
    if not any(between in cell for cell in cells) and any("," in cell for cell in cells):
        raise unwritable("a single item with a comma in each cell", "a CSV file")
    return cells
