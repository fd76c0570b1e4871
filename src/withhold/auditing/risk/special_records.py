"""Special uniques of sets of items: records that a few items suffice to single out, and the items that do it.

A *minimal unique itemset* of a record is a set of its items that no other record holds, while every smaller
part of the set is held by another one, too. Being unique passes on to larger sets, so an item of one record
alone is in no other minimal set, and a set is minimal where none of its parts with one item less is unique.
Scores are those of SUDA with the items of the record in place of the columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from withhold.auditing.risk.special_uniques import SpecialRow, SpecialUniques, score_of
from withhold.data import Records
from withhold.data.array_types import Longs

ITEMSETS_TO_COUNT = 8_000_000
"""At most this many itemsets of records are counted for one size: some seconds."""
MOST_SHARES = 20
"""At most this many items are listed with their share of all scores."""
LARGEST_KEY = 2**62


@dataclass(frozen=True)
class Itemsets:
    """Itemsets of one size, each of a record."""

    owners: Longs
    sets: Longs
    """By itemset: its items, ascending."""


def find_special_records(records: Records, *, asked: int, show: int) -> SpecialUniques:
    """The special uniques of records; the ``show`` of the highest score with their items."""
    items, supports = records.items.astype(np.int64), records.supports
    owners = np.repeat(np.arange(len(records), dtype=np.int64), records.lengths)
    alone = supports[items] == 1
    minimal = [Itemsets(owners[alone], items[alone][:, None])]
    # The items that are left can be part of larger minimal sets.
    order = np.lexsort((items[~alone], owners[~alone]))
    items, owners = items[~alone][order], owners[~alone][order]
    lengths = np.bincount(owners, minlength=len(records))
    unique: Longs = np.array([], dtype=np.int64)
    base, largest = len(supports), 1
    while largest < asked and _is_affordable(lengths, largest + 1, base):
        largest += 1
        found = _itemsets(items, lengths, largest)
        keys = _keys(found.sets, base)
        _, first, counts = np.unique(keys, return_index=True, return_counts=True)
        once = first[counts == 1]
        found = Itemsets(found.owners[once], found.sets[once])
        small = np.ones(len(once), dtype=np.bool_)
        for places in combinations(range(largest), largest - 1):
            small &= ~np.isin(_keys(found.sets[:, list(places)], base), unique)
        minimal.append(Itemsets(found.owners[small], found.sets[small]))
        unique = keys[once]
    return _told(records, minimal, asked, show)


def _is_affordable(lengths: Longs, size: int, base: int) -> bool:
    kinds, counts = np.unique(lengths, return_counts=True)
    n_sets = sum(
        comb(kind, size) * n for kind, n in zip(kinds.tolist(), counts.tolist(), strict=True)
    )
    return bool(n_sets <= ITEMSETS_TO_COUNT and base**size < LARGEST_KEY)


def _itemsets(items: Longs, lengths: Longs, size: int) -> Itemsets:
    """All itemsets of this many items that records hold; for records of one length at a time."""
    starts = np.cumsum(lengths) - lengths
    owners, sets = [np.zeros(0, dtype=np.int64)], [np.zeros((0, size), dtype=np.int64)]
    for length in np.unique(lengths[lengths >= size]).tolist():
        here = np.flatnonzero(lengths == length)
        chosen = np.array(list(combinations(range(length), size)))
        places = starts[here][:, None, None] + chosen
        owners.append(np.repeat(here, len(chosen)))
        sets.append(items[places].reshape(-1, size))
    return Itemsets(np.concatenate(owners), np.concatenate(sets))


def _keys(sets: Longs, base: int) -> Longs:
    """One number for each itemset, its items being in order."""
    keys = np.zeros(len(sets), dtype=np.int64)
    for place in range(sets.shape[1]):
        keys = keys * base + sets[:, place]
    return keys


def _told(records: Records, minimal: Sequence[Itemsets], asked: int, show: int) -> SpecialUniques:
    largest, n_records = len(minimal), len(records)
    scores = np.zeros(n_records, dtype=np.int64)
    smallest = np.zeros(n_records, dtype=np.int64)
    weights = np.zeros(len(records.vocabulary), dtype=np.int64)
    lengths = records.lengths
    for size, found in enumerate(minimal, start=1):
        kinds, which = np.unique(lengths[found.owners], return_inverse=True)
        each = np.array([score_of(size, kind, largest) for kind in kinds.tolist()], dtype=np.int64)
        np.add.at(scores, found.owners, each[which])
        for place in range(size):
            np.add.at(weights, found.sets[:, place], each[which])
        smallest[found.owners[smallest[found.owners] == 0]] = size
    total = max(int(scores.sum()), 1)
    names = records.vocabulary
    order = sorted(np.flatnonzero(weights).tolist(), key=lambda item: (-weights[item], item))
    worst = [row for row in np.lexsort((np.arange(n_records), -scores))[:show] if scores[row]]
    return SpecialUniques(
        largest,
        asked,
        int((scores > 0).sum()),
        tuple(int((smallest == size).sum()) for size in range(1, largest + 1)),
        tuple((names[item], int(weights[item]) / total) for item in order[:MOST_SHARES]),
        tuple(
            SpecialRow(
                int(row) + 1,
                int(scores[row]),
                tuple(
                    tuple(names[item] for item in items)
                    for found in minimal
                    for items in sorted(found.sets[found.owners == row].tolist())
                ),
            )
            for row in worst
        ),
        unit="item",
    )
