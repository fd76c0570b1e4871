"""How many moles and nuggets each public item is in: at first, and how many go with an item that goes.

Each mole and each nugget is counted twice in all, when it is there and when it goes, and none is ever
listed. Counts are Python's whole numbers: a record of 150 items alone has 2^150 parts.
"""

from __future__ import annotations

from functools import partial
from itertools import compress
from math import comb
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from withhold.data import Transactions
from withhold.kernels.all_moles import count_moles
from withhold.kernels.breach_store import FULL, BreachStore
from withhold.kernels.cohorts import split_rows
from withhold.kernels.layout import Ints, Longs
from withhold.kernels.minimal_moles import survey_moles
from withhold.kernels.nuggets import count_nuggets
from withhold.kernels.threads import Stop, available_cores, run_all
from withhold.models import Coherence, KmAnonymity
from withhold.suppress.plan import only

Bools = NDArray[np.bool_]
NO_WORST = np.zeros((0, 0, 3), dtype=np.int64)
NO_SETS = np.zeros((0, 0, 0), dtype=np.int32)


class Counter(Protocol):
    """Counts by item code; ``alive`` says which public items are still there."""

    def at_first(self, alive: Bools) -> dict[int, int]:
        """How many each item is in."""
        ...

    def going_with(self, code: int, alive: Bools) -> dict[int, int]:
        """For each other item how many it shares with this one, which is still alive."""
        ...


class Chosen:
    """Some of a table's items, laid out for the kernels with what the model asks of them."""

    def __init__(self, table: Transactions, model: Coherence | KmAnonymity, wanted: Bools) -> None:
        part = only_items(table, wanted)
        self.rows = split_rows(part, part.codes(model.private))
        self.codes = np.flatnonzero(wanted)[self.rows.code_of_rank]
        """By rank."""
        self.rank_of_code = np.full(table.n_items, -1, dtype=np.int32)
        self.rank_of_code[self.codes] = np.arange(len(self.codes), dtype=np.int32)
        self.k = model.k
        self.num, self.den = model.h.numerator, model.h.denominator
        longest = self.rows.longest
        self.unbounded = model.p is None or model.p >= longest
        self.largest = longest if model.p is None else min(model.p, longest)
        """No record holds a larger public set."""

    def alive(self, alive: Bools) -> Bools:
        """By rank what is given by code; private items are no part of it."""
        living: Bools = alive[self.codes] & ~self.rows.is_private
        return living

    def by_code(self, counts: dict[int, int]) -> dict[int, int]:
        """By code what is given by rank."""
        codes = self.codes.tolist()
        return {codes[rank]: count for rank, count in counts.items()}


def for_moles(table: Transactions, model: Coherence | KmAnonymity, alive: Bools) -> Chosen:
    """The living public items, and the private ones that can follow from anything frequent enough."""
    private = np.zeros(table.n_items, dtype=bool)
    private[table.codes(model.private)] = True
    # Of k records or more, so few can be no larger share than h.
    harmless = table.supports * model.h.denominator <= model.h.numerator * model.k
    return Chosen(table, model, np.where(private, ~harmless, alive))


def only_items(table: Transactions, wanted: Bools) -> Transactions:
    """The table of these items alone, under new codes."""
    part = only(wanted[table.items], table)
    code = (np.cumsum(wanted) - 1).astype(np.int32)
    names = tuple(compress(table.vocabulary, wanted.tolist()))
    return Transactions(part.offsets, code[part.items], names)


class StoredBreaches:
    """The minimal moles of fewer than ``largest`` items that are known by a private item."""

    def __init__(self, chosen: Chosen, alive: Bools, stop: Stop) -> None:
        rows, limits = chosen.rows, chosen
        self.store = BreachStore(rows.n_items)
        if chosen.num >= chosen.den or chosen.largest < 3:
            return
        living = chosen.alive(alive)
        nothing = np.zeros(0, dtype=np.int64)
        # From the highest rank down, one root after the other, so that parts come before wholes.
        for root in np.flatnonzero(living)[::-1]:
            while (
                survey_moles(
                    np.array([root], dtype=np.int32),
                    True,
                    living,
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
                )
                == FULL
            ):
                self.store.grow()


class AllMoles:
    """Counts all moles of up to p items, single items left out."""

    def __init__(
        self, chosen: Chosen, breaches: StoredBreaches, stop: Stop, jobs: int | None
    ) -> None:
        self.chosen, self.store, self.stop = chosen, breaches.store, stop
        self.jobs = jobs or available_cores()
        self.slots, self.weights, self.worth = _scale(chosen)

    def at_first(self, alive: Bools) -> dict[int, int]:
        """How many moles each item is in."""
        living = self.chosen.alive(alive)
        roots = np.flatnonzero(living).astype(np.int32)
        n_tasks = max(min(len(roots), 4 * self.jobs if self.jobs > 1 else 1), 1)
        tasks = [
            partial(self._count, roots[n::n_tasks].copy(), living, True) for n in range(n_tasks)
        ]
        counts: dict[int, int] = {}
        for part in run_all(tasks, self.stop, jobs=self.jobs):
            for rank, count in in_whole_numbers(part, self.worth).items():
                counts[rank] = counts.get(rank, 0) + count
        return self.chosen.by_code(counts)

    def going_with(self, code: int, alive: Bools) -> dict[int, int]:
        """How many moles each other item shares with this one."""
        root = self.chosen.rank_of_code[[code]]
        counts = self._count(root, self.chosen.alive(alive), False)
        return self.chosen.by_code(in_whole_numbers(counts, self.worth))

    def _count(self, roots: Ints, alive: Bools, after: bool) -> Longs:
        rows, limits = self.chosen.rows, self.chosen
        counts = np.zeros((rows.n_items, len(self.worth)), dtype=np.int64)
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

    def __init__(self, chosen: Chosen, breaches: StoredBreaches, stop: Stop) -> None:
        self.chosen, self.store, self.stop = chosen, breaches.store, stop

    def at_first(self, alive: Bools) -> dict[int, int]:
        """How many minimal moles each item is in."""
        living = self.chosen.alive(alive)
        return self._count(np.flatnonzero(living)[::-1], living, True)

    def going_with(self, code: int, alive: Bools) -> dict[int, int]:
        """How many minimal moles each other item shares with this one."""
        return self._count(self.chosen.rank_of_code[[code]], self.chosen.alive(alive), False)

    def _count(self, roots: NDArray[np.integer[Any]], alive: Bools, after: bool) -> dict[int, int]:
        rows, limits = self.chosen.rows, self.chosen
        counts = np.zeros(rows.n_items, dtype=np.int64)
        if limits.largest < 2:
            return {}
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
        return self.chosen.by_code(in_whole_numbers(counts[:, None], [1]))


class Nuggets:
    """Counts the itemsets, private items included, that at least ``support`` records hold."""

    def __init__(
        self, table: Transactions, model: Coherence | KmAnonymity, support: int, stop: Stop
    ) -> None:
        self.chosen = Chosen(table, model, table.supports >= support)
        self.support, self.stop = support, stop
        self.longest = int(np.diff(self.chosen.rows.all_offsets).max(initial=0))
        self.worth = [2**n for n in range(self.longest + 1)]

    def at_first(self, alive: Bools) -> dict[int, int]:
        """How many nuggets each item is in."""
        counts, _ = self._count(np.arange(self.chosen.rows.n_items), alive, True)
        return self.chosen.by_code(in_whole_numbers(counts, self.worth))

    def going_with(self, code: int, alive: Bools) -> dict[int, int]:
        """How many nuggets each other item shares with this one."""
        root = self.chosen.rank_of_code[[code]]
        if root[0] < 0:
            return {}
        counts, _ = self._count(root, alive, False)
        return self.chosen.by_code(in_whole_numbers(counts, self.worth))

    def in_all(self, alive: Bools) -> int:
        """How many nuggets there are."""
        _, overall = self._count(np.arange(self.chosen.rows.n_items), alive, True)
        return sum(int(many) * worth for many, worth in zip(overall, self.worth, strict=True))

    def _count(
        self, roots: NDArray[np.integer[Any]], alive: Bools, after: bool
    ) -> tuple[Longs, Longs]:
        rows = self.chosen.rows
        counts = np.zeros((rows.n_items, self.longest + 1), dtype=np.int64)
        overall = np.zeros(self.longest + 1, dtype=np.int64)
        count_nuggets(
            roots.astype(np.int32),
            after,
            self.chosen.alive(alive) | rows.is_private,
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


def _scale(chosen: Chosen) -> tuple[Longs, Longs, list[int]]:
    """What W(n, r), the sets of at most r out of n items, adds to which slot; what a slot is worth."""
    largest, longest = chosen.largest, chosen.rows.longest
    slots = np.zeros((largest + 1, longest + 1), dtype=np.int64)
    if chosen.unbounded:
        # No set can be too large, so there are always 2^n.
        slots[:] = np.arange(longest + 1)
        return slots, np.ones_like(slots), [2**n for n in range(longest + 1)]
    worth = [
        [sum(comb(n, i) for i in range(r + 1)) for n in range(longest + 1)]
        for r in range(largest + 1)
    ]
    lengths, how_many = np.unique(np.diff(chosen.rows.offsets), return_counts=True)
    most = sum(int(m) * worth[largest][n] for n, m in zip(lengths, how_many, strict=True))
    if most < 2**62:
        return slots, np.array(worth, dtype=np.int64), [1]
    slots[:] = np.arange(slots.size).reshape(slots.shape)
    return slots, np.ones_like(slots), [value for row in worth for value in row]
