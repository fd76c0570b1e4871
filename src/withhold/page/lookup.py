"""Data laid out so that the page can look things up at once: arrays on disk, mapped and never loaded whole.

In: records, a table or people (written by a job). Out: items with their counts, rows as they are shown, rows
that hold something. Needs numpy alone, so that requests never wait for a compiler.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.data import People, Records, Table
from withhold.data.unknown import find_unknown

WITHHELD = "∅"
"""How a withheld cell is shown."""


def store(data: Any, into: Path, about: dict[str, Any]) -> None:
    """Lay out data in a folder of its own."""
    into.mkdir(mode=0o700, parents=True, exist_ok=True)
    table = data.attributes if isinstance(data, People) else data
    items = data.items if isinstance(data, People) else data
    columns: list[str] = []
    if isinstance(table, Table):
        columns = list(table.names)
        for number, name in enumerate(columns):
            column = table.column(name)
            np.save(into / f"column-{number}.npy", column.codes)
            values = ["" if value is None else value for value in column.values]
            (into / f"column-{number}.json").write_text(json.dumps(values), encoding="utf-8")
    if isinstance(items, Records):
        np.save(into / "offsets.npy", items.offsets)
        np.save(into / "items.npy", items.items)
        np.save(into / "supports.npy", items.supports)
        np.save(into / "rows.npy", _rows_by_item(items))
        (into / "items.json").write_text(json.dumps(items.vocabulary), encoding="utf-8")
    about = about | {"rows": len(data), "columns": columns, "has_items": isinstance(items, Records)}
    (into / "about.json").write_text(json.dumps(about), encoding="utf-8")


def _rows_by_item(records: Records) -> NDArray[np.int32]:
    """The records of the first item, then those of the second, and so on."""
    by_item = np.argsort(records.items, kind="stable")
    numbers = np.arange(len(records), dtype=np.int32)
    return np.repeat(numbers, np.diff(records.offsets))[by_item]


def store_changes(before: Path, after: Path) -> None:
    """Store which rows are not published as they were; nothing if rows do not match."""
    old, new = Lookup(before), Lookup(after)
    if len(old) == len(new) and len(old.about["columns"]) == len(new.about["columns"]):
        np.save(after / "changed.npy", changed_rows(old, new))


@dataclass(frozen=True)
class Cell:
    """What is shown in one place: what was there, and what is published instead if that differs."""

    before: str
    after: str | None = None


@dataclass(frozen=True)
class Row:
    """One record or person."""

    number: int
    cells: tuple[Cell, ...]
    items: tuple[Cell, ...]
    """Those that stayed, then those that were withheld, then what was put in their place."""


@dataclass(frozen=True)
class Lookup:
    """Data that were laid out in a folder."""

    folder: Path

    @cached_property
    def about(self) -> dict[str, Any]:
        """What the job found out about the data."""
        found: dict[str, Any] = json.loads((self.folder / "about.json").read_text(encoding="utf-8"))
        return found

    @cached_property
    def names(self) -> list[str]:
        """The items."""
        return self._texts("items") if self.about["has_items"] else []

    @cached_property
    def code_of(self) -> dict[str, int]:
        return {name: code for code, name in enumerate(self.names)}

    supports = cached_property[NDArray[np.int64]](lambda self: self._array("supports"))
    offsets = cached_property[NDArray[np.int64]](lambda self: self._array("offsets"))
    codes = cached_property[NDArray[np.int32]](lambda self: self._array("items"))
    rows = cached_property[NDArray[np.int32]](lambda self: self._array("rows"))
    """The records of each item, one item after the other."""

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where those of each item begin."""
        return np.concatenate(([0], np.cumsum(self.supports)))

    @cached_property
    def changed(self) -> NDArray[np.bool_] | None:
        """Of a release: the rows that are not as they were; None if rows do not match."""
        return self._array("changed") if (self.folder / "changed.npy").is_file() else None

    @cached_property
    def columns(self) -> list[tuple[str, list[str], NDArray[np.int32]]]:
        """Name, values and codes of each column."""
        return [
            (name, self._texts(f"column-{number}"), self._array(f"column-{number}"))
            for number, name in enumerate(self.about["columns"])
        ]

    def __len__(self) -> int:
        return int(self.about["rows"])

    def find_items(self, text: str, most: int) -> list[tuple[str, int]]:
        """The items whose names hold the text, the most frequent first, with their counts."""
        wanted = text.casefold()
        found = [code for code, name in enumerate(self.names) if wanted in name.casefold()]
        found.sort(key=lambda code: -int(self.supports[code]))
        return [(self.names[code], int(self.supports[code])) for code in found[:most]]

    def rows_with(self, names: Iterable[str]) -> NDArray[np.bool_]:
        """Which records hold at least one of the items."""
        found = np.zeros(len(self), dtype=np.bool_)
        for code in (self.code_of[name] for name in names if name in self.code_of):
            found[self.rows[self.starts[code] : self.starts[code + 1]]] = True
        return found

    def count_with(self, names: Iterable[str]) -> int:
        """How many records hold at least one of the items; remembered, since pages ask again and again."""
        asked = frozenset(names)
        if asked not in self._counted:
            self._counted.clear()
            self._counted[asked] = int(self.rows_with(asked).sum())
        return self._counted[asked]

    def meant_by(self, unknown: Iterable[str]) -> dict[str, str | None]:
        """The nearest items of the first few names that do not occur; remembered, since it takes a while."""
        asked = frozenset(unknown)
        if asked not in self._meant:
            self._meant.clear()
            found = find_unknown(asked, self.code_of.keys(), what="")
            near = () if found is None else zip(found.names, found.nearest, strict=False)
            self._meant[asked] = dict(near)
        return self._meant[asked]

    @cached_property
    def _meant(self) -> dict[frozenset[str], dict[str, str | None]]:
        return {}

    @cached_property
    def _counted(self) -> dict[frozenset[str], int]:
        return {}

    def search(self, text: str) -> NDArray[np.bool_]:
        """The rows that hold the text, in an item or in a cell."""
        wanted = text.casefold()
        found = np.zeros(len(self), dtype=np.bool_)
        for _, values, codes in self.columns:
            fits = np.array([*(wanted in value.casefold() for value in values), False])
            found |= fits[codes]
        if self.about["has_items"]:
            found |= self.rows_with(name for name in self.names if wanted in name.casefold())
        return found

    def row(self, number: int) -> tuple[list[str], list[str]]:
        """The cells and the items of a row."""
        cells = [
            WITHHELD if codes[number] < 0 else values[codes[number]]
            for _, values, codes in self.columns
        ]
        if not self.about["has_items"]:
            return cells, []
        first, last = self.offsets[number], self.offsets[number + 1]
        return cells, [self.names[code] for code in self.codes[first:last]]

    def _texts(self, name: str) -> list[str]:
        found: list[str] = json.loads((self.folder / f"{name}.json").read_text(encoding="utf-8"))
        return found

    def _array(self, name: str) -> NDArray[Any]:
        found: NDArray[Any] = np.load(self.folder / f"{name}.npy", mmap_mode="r")
        return found


def rows_of(before: Lookup, after: Lookup | None, numbers: Sequence[int]) -> list[Row]:
    """Rows as they were and as they are published."""
    found = []
    for number in numbers:
        cells, items = before.row(number)
        if after is None:
            plain = tuple(Cell(text) for text in cells), tuple(Cell(text) for text in items)
            found.append(Row(number + 1, *plain))
            continue
        new_cells, new_items = after.row(number)
        both = zip(cells, new_cells, strict=True)
        pairs = tuple(Cell(old, None if old == new else new) for old, new in both)
        kept, there = set(new_items), set(items)
        sets = [Cell(name, None if name in kept else "") for name in items]
        sets.sort(key=lambda cell: cell.after is not None)
        sets += [Cell("", name) for name in new_items if name not in there]
        found.append(Row(number + 1, pairs, tuple(sets)))
    return found


def changed_rows(before: Lookup, after: Lookup) -> NDArray[np.bool_]:
    """Which rows are not published as they were."""
    changed = np.zeros(len(before), dtype=np.bool_)
    for (_, old_values, old), (_, new_values, new) in zip(
        before.columns, after.columns, strict=True
    ):
        place = {value: code for code, value in enumerate(new_values)}
        same = np.array([*(place.get(value, -2) for value in old_values), -1])
        changed |= same[old] != new
    if before.about["has_items"]:
        renamed = np.array([*(after.code_of.get(name, -1) for name in before.names), -1])
        changed |= np.diff(before.offsets) != np.diff(after.offsets)
        alike = ~changed
        old = renamed[before.codes[np.repeat(alike, np.diff(before.offsets))]]
        new = after.codes[np.repeat(alike, np.diff(after.offsets))]
        # Both ascend within a record, so equal sets are equal place by place.
        lengths = np.diff(before.offsets)[alike]
        differ = np.concatenate(([0], np.cumsum(old != new)))
        ends = np.cumsum(lengths)
        changed[alike] = differ[ends] > differ[ends - lengths]
    return changed
