"""How many moles and nuggets each public item is in: at first, and how many go with an item that goes.

Each mole and each nugget is counted twice in all, when it is there and when it goes, and none is ever
listed. Counts are Python's whole numbers: a record of 150 items alone has 2^150 parts.
"""

from __future__ import annotations

from functools import partial
from math import comb
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from withhold.kernels.all_moles import count_moles
from withhold.kernels.breach_store import FULL, BreachStore
from withhold.kernels.cohorts import SplitRows
from withhold.kernels.layout import Ints, Longs
from withhold.kernels.minimal_moles import survey_moles
from withhold.kernels.nuggets import count_nuggets
from withhold.kernels.threads import Stop, available_cores, run_all
from withhold.models import Coherence, KmAnonymity

Bools = NDArray[np.bool_]
NO_WORST = np.zeros((0, 0, 3), dtype=np.int64)
NO_SETS = np.zeros((0, 0, 0), dtype=np.int32)


class Counter(Protocol):
    """Counts by rank; ``alive`` says which public items are still there."""

    def at_first(self, alive: Bools) -> list[int]:
        """How many each item is in."""
        ...

    def going_with(self, rank: int, alive: Bools) -> dict[int, int]:
        """For each other item how many it shares with this one, which is still alive."""
        ...


class Thresholds:
    """The model in the numbers that kernels take."""

    def __init__(self, rows: SplitRows, model: Coherence | KmAnonymity) -> None:
        self.k = model.k
        self.num, self.den = model.h.numerator, model.h.denominator
        self.unbounded = model.p is None or model.p >= rows.longest
        self.largest = rows.longest if model.p is None else min(model.p, rows.longest)
        """No record holds a larger public set."""


class StoredBreaches:
    """The minimal moles of fewer than ``largest`` items that are known by a private item."""

    def __init__(self, rows: SplitRows, limits: Thresholds, alive: Bools, stop: Stop) -> None:
        self.store = BreachStore(rows.n_items)
        if limits.num >= limits.den or limits.largest < 3:
            return
        nothing = np.zeros(0, dtype=np.int64)
        # From the highest rank down, one root after the other, so that parts come before wholes.
        for root in np.flatnonzero(alive)[::-1]:
            while FULL == survey_moles(
                np.array([root], dtype=np.int32),
                True,
                alive,
                rows.offsets,
                rows.items,
                rows.private_offsets,
                rows.private_items,
                rows.post_offsets,
                rows.post_rows,
                limits.k,
                limits.num,
                limits.den,
                limits.largest - 1,
                True,
                self.store.keys,
                self.store.heads,
                self.store.arena,
                self.store.item_heads,
                self.store.tops,
                nothing,
                nothing,
                np.zeros(0, dtype=np.uint8),
                nothing,
                NO_SETS,
                NO_WORST,
                stop.flag,
            ):
                self.store.grow()


class AllMoles:
    """Counts all moles of up to p items, single items left out."""

    def __init__(
        self,
        rows: SplitRows,
        limits: Thresholds,
        breaches: StoredBreaches,
        stop: Stop,
        jobs: int | None,
    ) -> None:
        self.rows, self.limits, self.store, self.stop = rows, limits, breaches.store, stop
        self.jobs = jobs or available_cores()
        self.slots, self.weights, self.worth = _scale(rows, limits)

    def at_first(self, alive: Bools) -> list[int]:
        """How many moles each item is in."""
        roots = np.flatnonzero(alive).astype(np.int32)
        n_tasks = min(len(roots), 8 * self.jobs) if len(roots) > 1 else 1
        tasks = [partial(self._count, roots[n::n_tasks].copy(), alive, True) for n in range(n_tasks)]
        counts = [0] * self.rows.n_items
        for part in run_all(tasks, self.stop, jobs=self.jobs):
            for rank, count in in_whole_numbers(part, self.worth).items():
                counts[rank] += count
        return counts

    def going_with(self, rank: int, alive: Bools) -> dict[int, int]:
        """How many moles each other item shares with this one."""
        counts = self._count(np.array([rank], dtype=np.int32), alive, False)
        return in_whole_numbers(counts, self.worth)

    def _count(self, roots: Ints, alive: Bools, after: bool) -> Longs:
        counts = np.zeros((self.rows.n_items, len(self.worth)), dtype=np.int64)
        rows, limits = self.rows, self.limits
        count_moles(
            roots,
            after,
            alive,
            rows.offsets,
            rows.items,
            rows.private_offsets,
            rows.private_items,
            rows.post_offsets,
            rows.post_rows,
            limits.k,
            limits.num,
            limits.den,
            limits.largest,
            self.store.keys,
            self.store.heads,
            self.store.arena,
            self.store.item_heads,
            self.slots,
            self.weights,
            counts,
            self.stop.flag,
        )
        return counts


class MinimalMoles:
    """Counts the minimal moles of up to p items, single items left out."""

    def __init__(
        self, rows: SplitRows, limits: Thresholds, breaches: StoredBreaches, stop: Stop
    ) -> None:
        self.rows, self.limits, self.store, self.stop = rows, limits, breaches.store, stop

    def at_first(self, alive: Bools) -> list[int]:
        """How many minimal moles each item is in."""
        counts: list[int] = self._count(np.flatnonzero(alive)[::-1], alive, True).tolist()
        return counts

    def going_with(self, rank: int, alive: Bools) -> dict[int, int]:
        """How many minimal moles each other item shares with this one."""
        counts = self._count(np.array([rank]), alive, False)
        return {int(other): int(counts[other]) for other in np.flatnonzero(counts)}

    def _count(self, roots: Longs, alive: Bools, after: bool) -> Longs:
        rows, limits = self.rows, self.limits
        counts = np.zeros(rows.n_items, dtype=np.int64)
        if limits.largest < 2:
            return counts
        survey_moles(
            roots.astype(np.int32),
            after,
            alive,
            rows.offsets,
            rows.items,
            rows.private_offsets,
            rows.private_items,
            rows.post_offsets,
            rows.post_rows,
            limits.k,
            limits.num,
            limits.den,
            limits.largest,
            False,
            self.store.keys,
            self.store.heads,
            self.store.arena,
            self.store.item_heads,
            self.store.tops,
            counts,
            np.zeros(limits.largest + 2, dtype=np.int64),
            np.zeros(rows.n_rows, dtype=np.uint8),
            np.zeros(limits.largest + 2, dtype=np.int64),
            np.zeros((limits.largest + 2, 0, limits.largest + 2), dtype=np.int32),
            np.zeros((limits.largest + 2, 0, 3), dtype=np.int64),
            self.stop.flag,
        )
        return counts


class Nuggets:
    """Counts the itemsets, private items included, that at least ``support`` records hold."""

    def __init__(self, rows: SplitRows, support: int, stop: Stop) -> None:
        self.rows, self.support, self.stop = rows, support, stop
        self.longest = int(np.diff(rows.all_offsets).max(initial=0))
        self.worth = [2**n for n in range(self.longest + 1)]

    def at_first(self, alive: Bools) -> list[int]:
        """How many nuggets each item is in."""
        counts, _ = self._count(np.arange(self.rows.n_items), alive, True)
        found = in_whole_numbers(counts, self.worth)
        return [found.get(rank, 0) for rank in range(self.rows.n_items)]

    def going_with(self, rank: int, alive: Bools) -> dict[int, int]:
        """How many nuggets each other item shares with this one."""
        counts, _ = self._count(np.array([rank]), alive, False)
        return in_whole_numbers(counts, self.worth)

    def in_all(self, alive: Bools) -> int:
        """How many nuggets there are."""
        _, overall = self._count(np.arange(self.rows.n_items), alive, True)
        return sum(int(many) * worth for many, worth in zip(overall, self.worth, strict=True))

    def _count(self, roots: Longs, alive: Bools, after: bool) -> tuple[Longs, Longs]:
        rows = self.rows
        counts = np.zeros((rows.n_items, self.longest + 1), dtype=np.int64)
        overall = np.zeros(self.longest + 1, dtype=np.int64)
        count_nuggets(
            roots.astype(np.int32),
            after,
            alive | rows.is_private,
            rows.all_offsets,
            rows.all_items,
            rows.post_offsets,
            rows.post_rows,
            self.support,
            self.longest,
            counts,
            overall,
            self.stop.flag,
        )
        return counts, overall


def in_whole_numbers(counts: Longs, worth: list[int]) -> dict[int, int]:
    """Rows of slots as numbers, by row; rows of nothing are left out."""
    found: dict[int, int] = {}
    for row, slot in zip(*(index.tolist() for index in np.nonzero(counts)), strict=True):
        found[row] = found.get(row, 0) + int(counts[row, slot]) * worth[slot]
    return found


def _scale(rows: SplitRows, limits: Thresholds) -> tuple[Longs, Longs, list[int]]:
    """What W(n, r), the sets of at most r out of n items, adds to which slot; what a slot is worth."""
    largest, longest = limits.largest, rows.longest
    slots = np.zeros((largest + 1, longest + 1), dtype=np.int64)
    if limits.unbounded:
        # No set can be too large, so there are always 2^n.
        slots[:] = np.arange(longest + 1)
        return slots, np.ones_like(slots), [2**n for n in range(longest + 1)]
    worth = [
        [sum(comb(n, i) for i in range(r + 1)) for n in range(longest + 1)]
        for r in range(largest + 1)
    ]
    lengths, how_many = np.unique(np.diff(rows.offsets), return_counts=True)
    most = sum(int(m) * worth[largest][n] for n, m in zip(lengths, how_many, strict=True))
    if most < 2**62:
        return slots, np.array(worth, dtype=np.int64), [1]
    slots[:] = np.arange(slots.size).reshape(slots.shape)
    return slots, np.ones_like(slots), [value for row in worth for value in row]
