"""The items of persons, and the same items renamed so that no two groups share one.

In: people and the model. Out: records in which a sensitive attribute is an item ``COLUMN=value``, and from
these, given groups, records in which groups share no item. Whoever knows an item there knows the group, so
one pass over all records treats every group by itself. Nothing here decides about privacy.

A dated item implies the item without its date, so ``X@2019 → X`` is trivial. If X is sensitive, each group is
repeated once for each such X, without the dates of X, and in this copy only X can be inferred.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from withhold.data import Records
from withhold.data.array_types import Ints, Longs
from withhold.data.dated_items import undated
from withhold.data.people import People
from withhold.data.records import offsets_of
from withhold.data.table import WITHHELD, Column
from withhold.methods.people.model import PeopleUncertainty

GROUP = -1
"""In place of an item's code: the item that all persons of a group have, and nobody else."""
NONE = -1
"""In place of the item without its date: the item has no date. In place of the one inferred item: any."""
IMPLIED = np.iinfo(np.int64).min
"""In place of an occurrence's place: the record has a dated item, but not the item without its date."""


@dataclass(frozen=True)
class PersonItems:
    """What each person has that can be known or inferred: items, and values of sensitive columns."""

    records: Records
    """A record for each person; the values of sensitive columns come after the items."""
    sensitive: NDArray[np.bool_]
    """By code: whether it must not be inferred."""
    places: Longs
    """For each occurrence its place in the people's own items; for a cell -1 - the number of its column."""
    undated: Longs
    """By code: the code of the item without its date, or NONE."""

    @cached_property
    def secret_dates(self) -> NDArray[np.bool_]:
        """For each occurrence whether it is a sensitive item with a date, implying one without."""
        base = self.undated
        is_secret: NDArray[np.bool_] = (base != NONE) & self.sensitive[base]
        found: NDArray[np.bool_] = is_secret[self.records.items]
        return found

    @cached_property
    def person_of(self) -> Longs:
        """The person of each occurrence."""
        return np.repeat(np.arange(len(self.records)), self.records.lengths)

    @property
    def public(self) -> PersonItems:
        """The items that are not sensitive; places are those in these items."""
        return self.without(self.sensitive[self.records.items])

    def only(self, persons: Longs) -> PersonItems:
        """The items of these persons, in this order; places are those in these items."""
        offsets, lengths = self.records.offsets, self.records.lengths[persons]
        starts = offsets_of(lengths)
        steps = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)
        chosen = np.repeat(offsets[persons], lengths) + steps
        records = Records(starts, self.records.items[chosen], self.records.vocabulary)
        return replace(self, records=records, places=chosen)

    def without(self, gone: NDArray[np.bool_]) -> PersonItems:
        """The items without these occurrences; places are those in these items."""
        left = np.flatnonzero(~gone)
        lengths = np.bincount(self.person_of[left], minlength=len(self.records))
        starts = offsets_of(lengths.astype(np.int64))
        records = Records(starts, self.records.items[left], self.records.vocabulary)
        return replace(self, records=records, places=left)


@dataclass(frozen=True)
class GroupedItems:
    """Records in which the items of different groups are different items."""

    records: Records
    """A record for each person, more where sensitive items have dates; begins with the group's own item, if
    it has one."""
    items: Ints
    """By code in ``records``: the code of the item among the persons' items, or GROUP."""
    groups: Ints
    """By code in ``records``: the group."""
    sensitive: frozenset[str]
    """The names of what must not be inferred."""
    places: Longs
    """By occurrence in ``records``: its place in the persons' items; GROUP for a group's own item."""
    persons: Longs
    """By record: the person."""

    def group_of(self, name: str) -> int:
        """The group that an item of ``records`` belongs to."""
        return int(self.groups[int(name)])

    def item_of(self, name: str) -> int:
        """The code of an item of ``records`` among the persons' items."""
        return int(self.items[int(name)])


@dataclass(frozen=True)
class Views:
    """The persons of each group, and again for each sensitive item that has dates in the group."""

    items: PersonItems
    persons: Longs
    """By row of these items."""
    numbers: Longs
    """By row: the view; the first are the groups themselves."""
    groups: Longs
    """By view."""
    inferred: Longs
    """By view: the one item that is inferred there; NONE: what is sensitive and has no view of its own."""


def items_of(people: People, model: PeopleUncertainty) -> PersonItems:
    """The items of all persons, with the values of sensitive columns; a withheld cell is not an item.

    Whoever has a dated item has the item itself, whether or not the record says so.
    """
    items = people.items
    names = list(items.vocabulary)
    plain = {name: found for name in names if (found := undated(name)) is not None}
    names += sorted({*plain.values()} - {*names})
    code_of = {name: code for code, name in enumerate(names)} if plain else {}
    base = np.array([code_of[plain[n]] if n in plain else NONE for n in names], dtype=np.int64)
    sensitive = np.array([name in model.sensitive for name in names], dtype=np.bool_)
    sensitive |= (base != NONE) & sensitive[base]
    rows = [np.repeat(np.arange(len(items)), items.lengths)]
    codes, places = [items.items.astype(np.int64)], [np.arange(items.n_occurrences)]
    if plain:
        implied = np.setdiff1d(*_keys(rows[0], codes[0], base, len(names)))
        rows.append(implied // len(names))
        codes.append(implied % len(names))
        places.append(np.full(len(implied), IMPLIED))
    for number, name in enumerate(model.sensitive_column):
        column = people.attributes.column(name)
        shown = np.flatnonzero(~column.withheld)
        values, labels = _values(column)
        rows.append(shown)
        codes.append(values[column.codes[shown]] + len(names))
        places.append(np.full(len(shown), -1 - number))
        names += [_unused_name(f"{name}={label}", names) for label in labels]
    n_values = len(names) - len(sensitive)
    row_of, code = np.concatenate(rows), np.concatenate(codes)
    order = np.lexsort((code, row_of))
    lengths = np.bincount(row_of, minlength=len(items)).astype(np.int64)
    return PersonItems(
        Records(offsets_of(lengths), code[order].astype(np.int32), tuple(names)),
        np.append(sensitive, np.ones(n_values, dtype=np.bool_)),
        np.concatenate(places)[order],
        np.append(base, np.full(n_values, NONE, dtype=np.int64)),
    )


def group_items(items: PersonItems, groups: Longs, *, with_group: bool) -> GroupedItems:
    """Rename items by group; ``with_group`` adds one that all persons of the group have."""
    views = views_of(items, groups)
    records, n_items = views.items.records, items.records.n_items + 1
    keys = np.repeat(views.numbers, records.lengths) * n_items + records.items + 1
    offsets, places = records.offsets, views.items.places
    if with_group:
        keys = np.insert(keys, offsets[:-1], views.numbers * n_items)
        places = np.insert(places, offsets[:-1], GROUP)
        offsets = offsets + np.arange(len(offsets))
    found, codes = np.unique(keys, return_inverse=True)
    owners, inside = np.divmod(found, n_items)
    names = tuple(f"{number:09d}" for number in range(len(found)))
    is_inferred = np.append(False, items.sensitive)[inside]
    has_own = np.isin(found, views.groups * n_items + views.inferred + 1)
    only = views.inferred[owners]
    is_inferred &= np.where(only == NONE, ~has_own, only == inside - 1)
    return GroupedItems(
        Records(offsets, codes.astype(np.int32), names),
        (inside - 1).astype(np.int32),
        views.groups[owners].astype(np.int32),
        frozenset(names[code] for code in np.flatnonzero(is_inferred)),
        places,
        views.persons,
    )


def views_of(items: PersonItems, groups: Longs) -> Views:
    """The groups, and the copies of groups in which one sensitive item with dates is inferred."""
    n_groups, n_items = int(groups.max(initial=-1)) + 1, items.records.n_items
    everybody = np.arange(len(groups))
    dated = np.flatnonzero(items.secret_dates)
    base = items.undated[items.records.items[dated]]
    owners, inferred = np.divmod(
        np.unique(groups[items.person_of[dated]] * n_items + base), n_items
    )
    none = np.full(n_groups, NONE, dtype=np.int64)
    if not len(dated):
        own = replace(items, places=np.arange(len(items.places)))
        return Views(own, everybody, groups, np.arange(n_groups), none)
    sizes = np.bincount(groups, minlength=n_groups)
    ends = np.cumsum(sizes)
    steps = offsets_of(sizes[owners])
    inside = np.arange(steps[-1]) - np.repeat(steps[:-1], sizes[owners])
    again = np.argsort(groups, kind="stable")[
        np.repeat((ends - sizes)[owners], sizes[owners]) + inside
    ]
    persons = np.append(everybody, again)
    numbers = np.append(groups, n_groups + np.repeat(np.arange(len(owners)), sizes[owners]))
    inferred = np.append(none, inferred)
    wide = items.only(persons)
    only = inferred[numbers[wide.person_of]]
    base = items.undated[wide.records.items]
    kept = wide.without((base != NONE) & (base == only))
    kept = replace(kept, places=wide.places[kept.places])
    return Views(kept, persons, numbers, np.append(np.arange(n_groups), owners), inferred)


def _keys(rows: Longs, codes: Longs, base: Longs, n_items: int) -> tuple[Longs, Longs]:
    """Which items dated ones imply, and which the records have; each with its row, as one number."""
    dated = base[codes] != NONE
    return rows[dated] * n_items + base[codes[dated]], rows * n_items + codes


def _values(column: Column) -> tuple[Longs, list[str]]:
    """For each code of a column the number of its text, and the texts: null and empty are one blank."""
    texts = [value or "" for value in column.values]
    labels = list(dict.fromkeys(texts))
    number_of = {label: number for number, label in enumerate(labels)}
    return np.array([*(number_of[text] for text in texts), WITHHELD], dtype=np.int64), labels


def _unused_name(name: str, taken: list[str]) -> str:
    """The name, or one like it that no item has."""
    while name in taken:
        name += "'"
    return name
