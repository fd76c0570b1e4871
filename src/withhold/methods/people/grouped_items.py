"""The items of persons, and the same items with those of each group named apart.

In: people and the model. Out: records in which a sensitive attribute is an item ``COLUMN=value``, and from
these, given groups, records in which groups share no item. Whoever knows an item there knows the group, so
one pass over all of them sees every group alone; nothing here decides about privacy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.data import Records
from withhold.data.array_types import Ints, Longs
from withhold.data.people import People
from withhold.data.records import offsets_of
from withhold.data.table import WITHHELD, Column
from withhold.methods.people.model import PeopleUncertainty

GROUP = -1
"""As the item of a code: the item that all persons of a group have, and nobody else."""


@dataclass(frozen=True)
class PersonItems:
    """What each person has that can be known or inferred: items, and values of sensitive columns."""

    records: Records
    """A record for each person; the values of sensitive columns come after the items."""
    sensitive: NDArray[np.bool_]
    """By code."""
    places: Longs
    """For each occurrence its place in the people's own items; for a cell -1 - the number of its column."""

    def only(self, persons: Longs) -> PersonItems:
        """The items of these persons, in this order."""
        offsets, lengths = self.records.offsets, self.records.lengths[persons]
        starts = offsets_of(lengths)
        steps = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)
        chosen = np.repeat(offsets[persons], lengths) + steps
        records = Records(starts, self.records.items[chosen], self.records.vocabulary)
        return PersonItems(records, self.sensitive, chosen)


@dataclass(frozen=True)
class ApartItems:
    """The items of all groups under names of their own."""

    records: Records
    """A record for each person; begins with the group's own item, if it has one."""
    items: Ints
    """By code there: the code of the item among the persons' items, or GROUP."""
    groups: Ints
    """By code there: the group."""
    sensitive: frozenset[str]
    """The names of the sensitive ones there."""

    def group_of(self, name: str) -> int:
        """The group that an item there belongs to."""
        return int(self.groups[int(name)])

    def item_of(self, name: str) -> int:
        """The code of an item there among the persons' items."""
        return int(self.items[int(name)])


def items_of(people: People, model: PeopleUncertainty) -> PersonItems:
    """The items of all persons, with the values of sensitive columns; what is withheld is no item."""
    items = people.items
    rows = [np.repeat(np.arange(len(items)), items.lengths)]
    codes, places = [items.items.astype(np.int64)], [np.arange(items.n_occurrences)]
    names = list(items.vocabulary)
    sensitive = np.isin(np.arange(items.n_items), items.codes(model.sensitive))
    for number, name in enumerate(model.sensitive_column):
        column = people.attributes.column(name)
        shown = np.flatnonzero(~column.withheld)
        values, labels = _values(column)
        rows.append(shown)
        codes.append(values[column.codes[shown]] + len(names))
        places.append(np.full(len(shown), -1 - number))
        names += [_free(f"{name}={label}", names) for label in labels]
    sensitive = np.append(sensitive, np.ones(len(names) - items.n_items, dtype=np.bool_))
    row_of = np.concatenate(rows)
    # Stable, so that the items of a person stay before the values of columns: codes ascend.
    order = np.argsort(row_of, kind="stable")
    lengths = np.bincount(row_of, minlength=len(items)).astype(np.int64)
    made = np.concatenate(codes)[order].astype(np.int32)
    records = Records(offsets_of(lengths), made, tuple(names))
    return PersonItems(records, sensitive, np.concatenate(places)[order])


def apart(items: PersonItems, groups: Longs, *, with_group: bool) -> ApartItems:
    """The items of each group as items of their own; ``with_group`` adds one that the whole group has."""
    records, n_items = items.records, items.records.n_items + 1
    of_occurrence = np.repeat(groups, records.lengths)
    keys = of_occurrence * n_items + records.items + 1
    offsets = records.offsets
    if with_group:
        keys = np.insert(keys, offsets[:-1], groups * n_items)
        offsets = offsets + np.arange(len(offsets))
    found, codes = np.unique(keys, return_inverse=True)
    owners, inside = np.divmod(found, n_items)
    names = tuple(f"{number:09d}" for number in range(len(found)))
    is_sensitive = np.append(False, items.sensitive)[inside]
    return ApartItems(
        Records(offsets, codes.astype(np.int32), names),
        (inside - 1).astype(np.int32),
        owners.astype(np.int32),
        frozenset(names[code] for code in np.flatnonzero(is_sensitive)),
    )


def _values(column: Column) -> tuple[Longs, list[str]]:
    """For each code of a column the number of its text, and the texts: null and empty are one blank."""
    texts = [value or "" for value in column.values]
    labels = list(dict.fromkeys(texts))
    number_of = {label: number for number, label in enumerate(labels)}
    return np.array([*(number_of[text] for text in texts), WITHHELD], dtype=np.int64), labels


def _free(name: str, taken: list[str]) -> str:
    """The name, or one like it that no item has."""
    while name in taken:
        name += "'"
    return name
