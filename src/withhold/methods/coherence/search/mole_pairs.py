"""All moles of two items, listed once from exact counts: for attackers who know at most two items.

How many moles an item is in, how many it shares with others, and whether one comes back with it are then
looked up in the list.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from withhold.counting.pairs import count_all_pairs, count_beside
from withhold.counting.threads import Stop
from withhold.counting.walk import Rows
from withhold.data import Records
from withhold.data.array_types import Bools, Longs
from withhold.data.spans import starts_of
from withhold.interruption import stop_if_asked
from withhold.methods.coherence.model import Coherent
from withhold.methods.coherence.search.mole_counts import ChosenItems, items_for_moles, only_items

MOST_CELLS = 1 << 25
"""Counts of public beside private items that are kept at once; above, moles are not listed."""
MOST_PAIRS = 50_000_000
"""The most moles that are listed; more are counted without a list."""


@dataclass(frozen=True, eq=False)
class MolePairs:
    """Moles of two items: ``others[starts[c]:starts[c + 1]]`` are those that form one with item ``c``."""

    starts: Longs
    others: Longs

    @classmethod
    def of(cls, lower: Longs, higher: Longs, n_items: int) -> MolePairs:
        """From both codes of each pair."""
        ends, others = np.concatenate([lower, higher]), np.concatenate([higher, lower])
        order = np.lexsort((others, ends))
        return cls(starts_of(np.bincount(ends, minlength=n_items)), others[order])

    def beside(self, code: int, alive: Bools) -> Longs:
        """The living items with which this one is a mole."""
        others = self.others[self.starts[code] : self.starts[code + 1]]
        return others[alive[others]]

    def count_each(self, alive: Bools) -> dict[int, int]:
        """How many moles each living item is in."""
        codes = np.flatnonzero(alive & (np.diff(self.starts) > 0)).tolist()
        counted = ((code, len(self.beside(code, alive))) for code in codes)
        return {code: number for code, number in counted if number}

    def count_shared(self, code: int, alive: Bools) -> dict[int, int]:
        """For each other living item how many moles it shares with this one."""
        return dict.fromkeys(self.beside(code, alive).tolist(), 1)

    def restore(self, codes: list[int], alive: Bools) -> list[int]:
        """Put back into ``alive``, last first, the items that bring back no mole; which these are."""
        back = []
        for code in reversed(codes):
            if len(self.beside(code, alive)) == 0:
                alive[code] = True
                back.append(code)
        return back


def list_mole_pairs(
    records: Records, model: Coherent, alive: Bools, stop: Stop, jobs: int | None
) -> MolePairs | None:
    """The moles of two living items, neither a mole by itself; None if there are too many to list."""
    if model.h >= 1:
        found = _rare_pairs(records, model.k, alive, stop, jobs)
    else:
        found = _moles_beside_private(items_for_moles(records, model, alive), model)
    return None if found is None else MolePairs.of(*found, records.n_items)


def _rare_pairs(
    records: Records, k: int, alive: Bools, stop: Stop, jobs: int | None
) -> tuple[Longs, Longs] | None:
    codes = np.flatnonzero(alive)
    lower, higher, room = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], MOST_PAIRS
    for block in count_all_pairs(only_items(records, alive), stop, jobs=jobs):
        rare = block.counts < k
        lower.append(codes[block.lower[rare]])
        higher.append(codes[block.higher[rare]])
        room -= len(lower[-1])
        if room < 0:
            return None
    return np.concatenate(lower), np.concatenate(higher)


def _moles_beside_private(chosen: ChosenItems, model: Coherent) -> tuple[Longs, Longs] | None:
    rows = chosen.rows
    n_private = int(rows.private_items.max(initial=-1)) + 1
    if rows.n_items * n_private > MOST_CELLS:
        return None
    rows_only = Rows(rows.offsets, rows.items, rows.post_offsets, rows.post_rows)
    arrays = rows_only, rows.private_offsets, rows.private_items
    joint = np.zeros((rows.n_items, n_private), dtype=np.int32)
    lower, higher = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for root in rows.public_ranks().tolist():
        stop_if_asked()
        counts, most = np.zeros((2, rows.n_items), dtype=np.int64)
        count_beside(*arrays, root, joint, counts, most)
        follows = most * model.h.denominator > model.h.numerator * counts
        ranks = np.flatnonzero((counts > 0) & ((counts < model.k) | follows))
        lower.append(np.full(len(ranks), chosen.codes[root]))
        higher.append(chosen.codes[ranks])
    return np.concatenate(lower), np.concatenate(higher)
