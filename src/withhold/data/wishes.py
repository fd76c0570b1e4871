"""How people say what they want protected: the record, the item, and ``!`` to take it back.

In: a line of a constraints file, or a key and a value of a mapping. Out: a row and an item by name.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable
from typing import Any

from withhold.data.names import clean
from withhold.data.records import Records
from withhold.data.unknown import Unknown, did_you_mean, how_to_allow, near_spellings
from withhold.errors import InputError

EVERYBODY = "*"
"""As a record: the item is feared by all."""
ALL, UNKNOWN, NOT_PUBLISHED = -1, -2, -3
"""In place of a row: everybody; nobody; somebody who was left out."""
RECORDS = "records in the constraints"
TAKEN_BACK, ESCAPE = "!", "\\"
"""Before an item: this record does not fear it; before that mark: it is part of the name."""


def parse_wish(written: str) -> tuple[str, bool]:
    """The item that a constraint names, and whether it is taken back.

    ``!item`` takes an item back. An item that starts with ``!`` itself is written ``\\!item``.
    """
    name = clean(written)
    back = name.startswith(TAKEN_BACK)
    name = clean(name[back:])
    if not name:
        raise InputError("names no item", value=written, remedy="name the item to protect")
    if back and name.startswith(TAKEN_BACK):
        raise InputError(
            "starts with !! and could mean two things",
            value=written,
            remedy=f"write {TAKEN_BACK}{ESCAPE}{name} to take back the item {name}",
        )
    if name.lstrip(ESCAPE).startswith(TAKEN_BACK):
        name = name.removeprefix(ESCAPE)
    return name, back


def write_wish(name: str, *, back: bool = False) -> str:
    """How a constraint names an item: what ``parse_wish`` reads."""
    escaped = ESCAPE if name.lstrip(ESCAPE).startswith(TAKEN_BACK) else ""
    return f"{TAKEN_BACK if back else ''}{escaped}{name}"


def refuse_ambiguous_star(ids: Container[str], path: str | None = None) -> None:
    """Refuse ``*`` where a record has that id: everybody, or only this one?"""
    if EVERYBODY in ids:
        raise InputError(
            f"{EVERYBODY} stands for everybody, but a record of the table has it as its id",
            path=path,
            remedy="give that record another id",
        )


class RowsByName:
    """The rows that the keys of a mapping name."""

    def __init__(self, table: Records) -> None:
        self._n_records, self._ids = len(table), table.record_ids or ()
        self._row_of = {name: row for row, name in enumerate(self._ids)}
        self._left_out = frozenset(table.left_out) if self._ids else frozenset()
        self.named: dict[str, None] = {}
        self.strangers: dict[str, None] = {}
        """What was asked for and is not there."""

    def row(self, record: object) -> int:
        """The row of a record; ``ALL`` for everybody, ``UNKNOWN`` and ``NOT_PUBLISHED`` for no row."""
        name = clean(str(record))
        self.named[name] = None
        if name == EVERYBODY:
            refuse_ambiguous_star(self._row_of)
            return ALL
        if hasattr(record, "__index__"):
            row = int(record.__index__())
            if 0 <= row < self._n_records:
                return row
        elif name in self._row_of:
            return self._row_of[name]
        elif name in self._left_out:
            return NOT_PUBLISHED
        self.strangers[name] = None
        return UNKNOWN

    def refuse_strangers(self) -> None:
        """Raise if a record was named that the table does not have."""
        if not self.strangers:
            return
        name = next(iter(self.strangers))
        near = did_you_mean(name, near_spellings([name], self._ids)[0])
        raise InputError(
            f"the constraints name a record that the table does not have ({self._n_records:,} "
            f"records){near}",
            value=name,
            remedy=f"use row numbers from 0, record ids, or * for everybody, or {how_to_allow()}",
        )

    def unknown(self) -> tuple[Unknown, ...]:
        """The strangers as what was listed and not found."""
        return unknown_records(self.strangers, self.named, self._ids)


def unknown_records(
    strangers: Iterable[str], named: Collection[str], known: Collection[str]
) -> tuple[Unknown, ...]:
    """The records that constraints name and the table does not have, where that was allowed."""
    names = tuple(strangers)
    if not names:
        return ()
    return (Unknown(RECORDS, names, len(named), near_spellings(names, known), allowed=True),)


def named(item: str) -> str:
    """An item's name; there must be one."""
    name = clean(item)
    if not name:
        raise InputError("a constraint names no item", remedy="name the item to protect")
    return name


def several(feared: Any, record: object) -> Iterable[object]:
    """The items that a record fears, if they are a collection."""
    if isinstance(feared, str | bytes) or not isinstance(feared, Iterable):
        raise InputError(
            f"what record {record} fears is not a collection of items",
            value=str(feared),
            remedy="give a list or set of items",
        )
    return feared
