"""What people asked for, and whose items went for it: the numbers of a personalised release."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.data import Constraints, Records


@dataclass(frozen=True)
class ItemWish:
    """One feared item."""

    item: str
    people: int
    """How many fear it."""
    owners: int
    """How many had it."""
    withheld: int
    """From how many of them it was withheld."""
    withheld_from_others: int
    """From how many of these who do not fear it."""


@dataclass(frozen=True)
class Wishes:
    """Who asked for protection, and what was withheld from whom."""

    people: int
    """How many fear anything."""
    pairs: int
    """Pairs of a person and a feared item."""
    owned: int
    """Occurrences that their own owner fears."""
    owned_withheld: int
    others_withheld: int
    """Withheld from people who do not fear the item themselves, for the sake of others."""
    items: tuple[ItemWish, ...]
    """The feared items, those first that most people fear."""


def count_wishes(constraints: Constraints, table: Records, removed: NDArray[np.int32]) -> Wishes:
    """What the people of ``table`` asked for, and which of the occurrences at ``removed`` they feared."""
    column_of = np.full(table.n_items, -1, dtype=np.int64)
    code_of = dict(zip(table.vocabulary, range(table.n_items), strict=True))
    for column, item in enumerate(constraints.items):
        if item in code_of:
            column_of[code_of[item]] = column
    columns = column_of[table.items]
    n = len(constraints.items)
    fearing = np.zeros(n, dtype=np.int64)
    feared = np.zeros(table.n_occurrences, dtype=bool)
    people = 0
    for start, end in constraints.chunks():
        marks = constraints.marks(start, end)
        fearing += marks.sum(axis=0)
        people += int(marks.any(axis=1).sum())
        places = np.arange(table.offsets[start], table.offsets[end])
        rows = np.repeat(np.arange(end - start), table.lengths[start:end])
        there = columns[places] >= 0
        feared[places[there]] = marks[rows[there], columns[places[there]]]
    gone = np.zeros(table.n_occurrences, dtype=bool)
    gone[removed] = True

    def by_item(which: NDArray[np.bool_]) -> NDArray[np.int64]:
        counts: NDArray[np.int64] = np.bincount(columns[which & (columns >= 0)], minlength=n)
        return counts

    owners, withheld, others = by_item(columns >= 0), by_item(gone), by_item(gone & ~feared)
    items = tuple(
        ItemWish(
            constraints.items[column],
            int(fearing[column]),
            int(owners[column]),
            int(withheld[column]),
            int(others[column]),
        )
        for column in np.lexsort((np.arange(n), -fearing)).tolist()
    )
    return Wishes(
        people,
        constraints.n_pairs,
        int(feared.sum()),
        int((gone & feared).sum()),
        int((gone & ~feared).sum()),
        items,
    )
