"""How people say what they want protected: the record, the item, and ``!`` to remove a wish.

In: a line of a constraints file, or a key and a value of a mapping. Out: a row and an item by name; and
a warning about items taken back in vain: a name is misspelt, or starts with ``!`` itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from withhold.arguments import fits
from withhold.data.names import clean
from withhold.data.packing import Numbers
from withhold.data.records import Records
from withhold.data.unknown import SHOWN, Unknown, did_you_mean, how_to_allow, near_spellings
from withhold.errors import InputError

EVERYBODY = "*"
"""In place of a record: everybody wants the item protected."""
ALL, UNKNOWN, NOT_PUBLISHED = -1, -2, -3
"""In place of a row: everybody; nobody; somebody who was left out."""
RECORDS = "records in the constraints"
TAKEN_BACK, ESCAPE = "!", "\\"
"""Before an item: this record does not want it protected; before that mark: it is part of the name."""
IN_VAIN, NOT_WISHED = "items taken back in the constraints", "was not wished for that record"


@runtime_checkable
class Categories(Protocol):
    """What a hierarchy provides here: the items that a name represents."""

    def __contains__(self, name: object) -> bool: ...

    def leaves_under(self, name: str) -> Iterable[str]:
        """The items below a category."""
        ...


class ByRecord(Protocol):
    """A mapping from row numbers or record ids to items."""

    def items(self) -> Iterable[tuple[object, Iterable[str]]]:
        """The records and their items."""
        ...


class Matrix(Protocol):
    """A matrix of records × items, of numpy or scipy."""

    @property
    def shape(self) -> tuple[int, ...]:
        """How many records and items it has."""
        ...


WishFunction = Callable[[tuple[str, ...]], Iterable[str]]
"""The items that a person wants protected, by their record."""


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
        remedy = f"write {TAKEN_BACK}{ESCAPE}{name} to take back the item {name}"
        problem = "starts with !! and could mean two things"
        raise InputError(problem, value=written, remedy=remedy)
    if name.lstrip(ESCAPE).startswith(TAKEN_BACK):
        name = name.removeprefix(ESCAPE)
    return name, back


def write_wish(name: str, *, back: bool = False) -> str:
    """How a constraint names an item: what ``parse_wish`` reads."""
    escaped = ESCAPE if name.lstrip(ESCAPE).startswith(TAKEN_BACK) else ""
    return f"{TAKEN_BACK if back else ''}{escaped}{name}"


def refuse_ambiguous_star(ids: Container[str], path: str | None = None) -> None:
    """Refuse ``*`` if a record has that id: everybody, or only this one?"""
    if EVERYBODY in ids:
        problem = f"{EVERYBODY} stands for everybody, but a record of the data has it as its id"
        raise InputError(problem, path=path, remedy="give that record another id")


class RowsByName:
    """The rows that the keys of a mapping name."""

    def __init__(self, records: Records) -> None:
        self._n_records, self._ids = len(records), records.record_ids or ()
        self._row_of = {name: row for row, name in enumerate(self._ids)}
        self._left_out = frozenset(records.left_out) if self._ids else frozenset()
        self.named: dict[str, None] = {}
        self.strangers: dict[str, None] = {}
        """Records that were named and that the data does not have."""

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
        """Raise if a record was named that the data does not have."""
        if not self.strangers:
            return
        name = next(iter(self.strangers))
        near = did_you_mean(name, near_spellings([name], self._ids)[0])
        lack = f"the data does not have ({self._n_records:,} records){near}"
        remedy = f"use row numbers from 0, record ids, or * for everybody, or {how_to_allow()}"
        raise InputError(f"the constraints name a record that {lack}", value=name, remedy=remedy)

    def unknown(self) -> tuple[Unknown, ...]:
        """The named records that the data does not have, as a listed name that was not found."""
        return unknown_records(self.strangers, self.named, self._ids)


def unknown_records(
    strangers: Iterable[str], named: Collection[str], known: Collection[str]
) -> tuple[Unknown, ...]:
    """The records that constraints name and the data does not have, if that was allowed."""
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


def several(items: object, record: object) -> Iterable[object]:
    """The items that a record wants protected, if they are a collection."""
    if isinstance(items, str | bytes) or not isinstance(items, Iterable):
        problem = f"what record {record} wants protected is not a collection of items"
        raise InputError(problem, value=str(items), remedy="give a list or set of items")
    return items


def vain_take_backs(
    rows: Numbers,
    codes: Numbers,
    back: NDArray[np.bool_],
    for_all: NDArray[np.bool_],
    wish: Numbers,
) -> NDArray[np.int64]:
    """The wishes that take nothing back from some record, ascending.

    ``rows`` and ``codes`` are pairs of a record and an item, ``back`` says which are taken back, ``for_all``
    which items everybody wishes for. ``wish`` numbers what was written: a category is several pairs.
    """
    width = max(len(for_all), 1)
    keys = rows.astype(np.int64) * width + codes
    found = for_all[codes[back]] | np.isin(keys[back], keys[~back])
    n_wishes = int(wish.max(initial=0)) + 1
    pairs = rows[back].astype(np.int64) * n_wishes + wish[back]
    written, place = np.unique(pairs, return_inverse=True)
    is_met = np.zeros(len(written), dtype=bool)
    is_met[place[found]] = True
    return np.unique(written[~is_met] % n_wishes)


def unknown_take_backs(
    vain: Collection[str], taken: int, wished: Collection[str], vocabulary: Collection[str]
) -> Unknown | None:
    """The warning about items that are taken back in vain, of ``taken`` such items in all."""
    if not vain:
        return None
    items = frozenset(vocabulary)
    names = tuple(sorted(TAKEN_BACK + name for name in vain))
    could_be_meant = [TAKEN_BACK + name for name in wished]
    near = [
        # Somebody may have meant the item of this very name.
        write_wish(name) if name in items else near_spellings([name], could_be_meant)[0]
        for name in names[:SHOWN]
    ]
    return Unknown(IN_VAIN, names, taken, tuple(near), missing=NOT_WISHED)


def record_key(record: object) -> object:
    """The record that a key names; True and False are not row numbers."""
    if record is None or isinstance(record, bool | np.bool_):
        remedy = "use row numbers from 0, record ids, or * for everybody"
        raise InputError(
            "a key of the constraints is not a record", value=repr(record), remedy=remedy
        )
    return record


def item_text(item: object, record: object) -> str:
    """The item as a text; what is neither a text nor a whole number names no item."""
    if not fits(item, str | int):
        problem = f"what record {record} wants protected must be texts"
        raise InputError(problem, value=repr(item), remedy="name the items, such as ['medicine']")
    return str(item)


def pair_of(pair: object) -> tuple[int, str, bool]:
    """A row, an item and whether it is taken back."""
    if isinstance(pair, tuple | list) and len(pair) == 3:
        row, item, back = pair
        if fits(row, int) and isinstance(item, str) and fits(back, bool):
            return int(row), item, bool(back)
    problem = "a pair must be (row, item, whether it is taken back)"
    remedy = "give for example (0, 'medicine', False); row -1 is everybody"
    raise InputError(problem, value=repr(pair), remedy=remedy)


def expanded(name: str, hierarchy: Categories | None) -> list[str]:
    """The item itself, or the items of the category that has this name."""
    return [name] if hierarchy is None or name not in hierarchy else [*hierarchy.leaves_under(name)]


def category_names(hierarchy: Categories | None) -> tuple[str, ...]:
    """All names of a hierarchy, if it lists them."""
    return tuple(getattr(hierarchy, "names", ()))
