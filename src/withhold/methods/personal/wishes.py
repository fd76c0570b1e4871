"""What people asked for, and whose items were withheld for it: the numbers of a personalised release."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.data import Constraints, Records


@dataclass(frozen=True)
class ItemWish:
    """One protected item: how many want it protected, how many had it, from how many it was withheld."""

    item: str
    people: int
    owners: int
    withheld: int
    withheld_from_others: int
    """How many of these people do not want it protected themselves."""


@dataclass(frozen=True)
class WishCounts:
    """Who asked for protection, and what was withheld from whom."""

    people: int
    """How many want anything protected."""
    pairs: int
    """Pairs of a person and a protected item."""
    owned: int
    """Occurrences that their own owner wants protected."""
    owned_withheld: int
    others_withheld: int
    """Withheld from people who do not want the item protected themselves, for the sake of others."""
    items: tuple[ItemWish, ...]
    """The protected items, those first that most people want protected."""


def count_wishes(
    constraints: Constraints, records: Records, removed: NDArray[np.int32]
) -> WishCounts:
    """What the people of ``records`` asked for, and which of the ``removed`` occurrences are among that."""
    column_of = {item: column for column, item in enumerate(constraints.items)}
    of_code = np.array([column_of.get(item, -1) for item in records.vocabulary], dtype=np.int64)
    columns = of_code[records.items]
    n = len(constraints.items)
    people_by_item = np.zeros(n, dtype=np.int64)
    wished = np.zeros(records.n_occurrences, dtype=bool)
    people = 0
    for start, end in constraints.chunks():
        marks = constraints.marks(start, end)
        people_by_item += marks.sum(axis=0)
        people += int(marks.any(axis=1).sum())
        places = np.arange(records.offsets[start], records.offsets[end])
        rows = np.repeat(np.arange(end - start), records.lengths[start:end])
        there = columns[places] >= 0
        wished[places[there]] = marks[rows[there], columns[places[there]]]
    gone = np.zeros(records.n_occurrences, dtype=bool)
    gone[removed] = True

    def by_item(which: NDArray[np.bool_]) -> NDArray[np.int64]:
        counts: NDArray[np.int64] = np.bincount(columns[which & (columns >= 0)], minlength=n)
        return counts

    owners, withheld, others = by_item(columns >= 0), by_item(gone), by_item(gone & ~wished)
    counts = np.stack([people_by_item, owners, withheld, others], axis=1).tolist()
    order = np.lexsort((np.arange(n), -people_by_item)).tolist()
    items = tuple(ItemWish(constraints.items[column], *counts[column]) for column in order)
    owned, lost, lost_by_others = (int(x.sum()) for x in (wished, gone & wished, gone & ~wished))
    return WishCounts(people, constraints.n_pairs, owned, lost, lost_by_others, items)
