"""How people say what they want protected: the record, the item, and ``!`` to take it back.

In: a line of a constraints file, or a key and a value of a mapping. Out: a row and an item by name.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

from withhold.data.names import clean
from withhold.data.transactions import Transactions
from withhold.errors import InputError

EVERYBODY = "*"
"""As a record: the item is feared by all."""
TAKEN_BACK, ESCAPE = "!", "\\"
"""Before an item: this record does not fear it; before that mark: it is part of the name."""


def parse_wish(written: str) -> tuple[str, bool]:
    """The item that a constraint names, and whether it is taken back.

    ``!item`` takes an item back. An item that starts with ``!`` itself is written ``\\!item``.

    >>> parse_wish("beer"), parse_wish("! beer"), parse_wish("\\\\!beer"), parse_wish("!\\\\!beer")
    (('beer', False), ('beer', True), ('!beer', False), ('!beer', True))
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
    """How a constraint names an item: what ``parse_wish`` reads.

    >>> write_wish("beer", back=True), write_wish("!beer")
    ('!beer', '\\\\!beer')
    """
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


def row_of(record: object, table: Transactions) -> int:
    """The row that a key of a mapping names; -1 for everybody."""
    ids = table.record_ids or ()
    name = clean(str(record))
    if name == EVERYBODY:
        refuse_ambiguous_star(ids)
        return -1
    if hasattr(record, "__index__"):
        row = int(record.__index__())
        if 0 <= row < len(table):
            return row
    elif name in ids:
        return ids.index(name)
    raise InputError(
        f"the constraints name a record that the table does not have ({len(table):,} records)",
        value=str(record),
        remedy="use row numbers from 0, record ids, or * for everybody",
    )


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
