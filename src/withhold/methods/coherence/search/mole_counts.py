"""How many moles and nuggets each public item is in: at first, and how many go with an item that goes.

Each mole and each nugget is counted twice in all, when it is there and when it goes, and none is ever
listed. Counts are Python's whole numbers: a record of 150 items alone has 2^150 parts.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import compress
from math import comb
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from withhold.counting.layout import Ints, Longs, lay_out
from withhold.counting.threads import Stop, available_cores, run_all
from withhold.data import Records
from withhold.data.plan import without
from withhold.methods.coherence.breach_store import BreachStore
from withhold.methods.coherence.cohorts import split_rows
from withhold.methods.coherence.limits import limits_of
from withhold.methods.coherence.model import Coherent
from withhold.methods.coherence.mole_survey import Bools, count_minimal
from withhold.methods.coherence.search.all_moles import count_moles
from withhold.methods.coherence.search.nuggets import count_nuggets

WORTH_SHARING = 50_000
"""Occurrences in the records of an item, above which its moles are counted on all cores."""


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

    def __init__(self, table: Records, model: Coherent, wanted: Bools) -> None:
        part = only_items(table, wanted)
        self.rows = split_rows(part, part.codes(model.private))
        self.codes = np.flatnonzero(wanted)[self.rows.code_of_rank]
        """By rank."""
        self.rank_of_code = ranks_of(self.codes, table.n_items)
        self.unbounded = model.p is None or model.p >= self.rows.longest
        self.limits = limits_of(self.rows, model)

    def alive(self, alive: Bools) -> Bools:
        """By rank what is given by code; private items are no part of it."""
        living: Bools = alive[self.codes] & ~self.rows.sensitive
        return living

    def by_code(self, counts: dict[int, int]) -> dict[int, int]:
        """By code what is given by rank."""
        codes = self.codes.tolist()
        return {codes[rank]: count for rank, count in counts.items()}


def for_moles(table: Records, model: Coherent, alive: Bools) -> Chosen:
    """The living public items, and the private ones that can follow from anything frequent enough."""
    private = np.zeros(table.n_items, dtype=bool)
    private[table.codes(model.private)] = True
    # Of k records or more, so few can be no larger share than h.
    harmless = table.supports * model.h.denominator <= model.h.numerator * model.k
    return Chosen(table, model, np.where(private, ~harmless, alive))


def only_items(table: Records, wanted: Bools) -> Records:
    """The table of these items alone, under new codes."""
    part = without(np.flatnonzero(~wanted[table.items]), table)
    code = (np.cumsum(wanted) - 1).astype(np.int32)
    names = tuple(compress(table.vocabulary, wanted.tolist()))
    return Records(part.offsets, code[part.items], names)


def ranks_of(codes: NDArray[np.integer[Any]], n_codes: int) -> Ints:
    """For each code its rank, -1 where there is none."""
    ranks = np.full(n_codes, -1, dtype=np.int32)
    ranks[codes] = np.arange(len(codes), dtype=np.int32)
    return ranks


class AllMoles:
    """Counts all moles of up to p items, single items left out."""

    def __init__(
        self,
        chosen: Chosen,
        store: BreachStore,
        stop: Stop,
        jobs: int | None,
        *,
        worth_sharing: int = WORTH_SHARING,
    ) -> None:
        self.chosen, self.store, self.stop = chosen, store, stop
        self.jobs, self.worth_sharing = jobs or available_cores(), worth_sharing
        self.slots, self.weights, self.worth = _scale(chosen)

    def at_first(self, alive: Bools) -> dict[int, int]:
        """How many moles each item is in."""
        living = self.chosen.alive(alive)
        roots = np.flatnonzero(living).astype(np.int32)
        n_tasks = max(min(len(roots), 4 * self.jobs if self.jobs > 1 else 1), 1)
        tasks = [
            partial(self._count, roots[n::n_tasks].copy(), living, after=True)
            for n in range(n_tasks)
        ]
        return self._summed(run_all(tasks, self.stop, jobs=self.jobs))

    def going_with(self, code: int, alive: Bools) -> dict[int, int]:
        """How many moles each other item shares with this one."""
        root = self.chosen.rank_of_code[[code]]
        living = self.chosen.alive(alive)
        if self.jobs == 1 or self._occurrences_with(root[0]) < self.worth_sharing:
            return self._summed([self._count(root, living, after=False)])
        n_parts = self.jobs
        tasks = [
            partial(self._count, root, living, after=False, part=n, n_parts=n_parts)
            for n in range(n_parts)
        ]
        return self._summed(run_all(tasks, self.stop, jobs=self.jobs))

    def _occurrences_with(self, rank: int) -> int:
        """How many occurrences the records of an item hold."""
        rows = self.chosen.rows
        holders = rows.post_rows[rows.post_offsets[rank] : rows.post_offsets[rank + 1]]
        return int((rows.offsets[holders + 1] - rows.offsets[holders]).sum())

    def _summed(self, parts: list[Longs]) -> dict[int, int]:
        counts: dict[int, int] = {}
        for part in parts:
            for rank, count in in_whole_numbers(part, self.worth).items():
                counts[rank] = counts.get(rank, 0) + count
        return self.chosen.by_code(counts)

    def _count(
        self, roots: Ints, alive: Bools, *, after: bool, part: int = 0, n_parts: int = 1
    ) -> Longs:
        rows, limits = self.chosen.rows, self.chosen.limits
        counts = np.zeros((rows.n_items, len(self.worth)), dtype=np.int64)
        count_moles(
            roots,
            after,
            part,
            n_parts,
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

    def __init__(self, chosen: Chosen, store: BreachStore, stop: Stop) -> None:
        self.chosen, self.store, self.stop = chosen, store, stop

    def at_first(self, alive: Bools) -> dict[int, int]:
        """How many minimal moles each item is in."""
        return self._count(alive, None)

    def going_with(self, code: int, alive: Bools) -> dict[int, int]:
        """How many minimal moles each other item shares with this one."""
        return self._count(alive, int(self.chosen.rank_of_code[code]))

    def _count(self, alive: Bools, root: int | None) -> dict[int, int]:
        chosen = self.chosen
        living = chosen.alive(alive)
        counts = count_minimal(chosen.rows, chosen.limits, self.store, living, self.stop, root=root)
        return chosen.by_code(in_whole_numbers(counts[:, None], [1]))


class Nuggets:
    """Counts the itemsets, private items included, that at least ``support`` records hold."""

    def __init__(
        self,
        table: Records,
        private: Iterable[str],
        support: int,
        stop: Stop,
        jobs: int | None = None,
    ) -> None:
        # A rarer item is in no nugget.
        wanted = table.supports >= support
        part = only_items(table, wanted)
        self.layout = lay_out(part, part.codes(private))
        self.codes = np.flatnonzero(wanted)[self.layout.code_of_rank]
        self.rank_of_code = ranks_of(self.codes, table.n_items)
        self.support, self.stop, self.jobs = support, stop, jobs or available_cores()
        self.longest = int(part.lengths.max(initial=0))
        self.worth = [2**n for n in range(self.longest + 1)]

    def at_first(self, alive: Bools) -> dict[int, int]:
        """How many nuggets each item is in."""
        counts, _ = self._count_all(alive)
        return self._by_code(counts)

    def going_with(self, code: int, alive: Bools) -> dict[int, int]:
        """How many nuggets each other item shares with this one."""
        root = self.rank_of_code[[code]]
        if root[0] < 0:
            return {}
        counts, _ = self._count(root, alive, False)
        return self._by_code(counts)

    def in_all(self, alive: Bools) -> int:
        """How many nuggets there are."""
        _, overall = self._count_all(alive)
        return sum(int(many) * worth for many, worth in zip(overall, self.worth, strict=True))

    def _count_all(self, alive: Bools) -> tuple[Longs, Longs]:
        ranks = np.arange(self.layout.n_items, dtype=np.int32)
        n_tasks = max(min(len(ranks), 4 * self.jobs if self.jobs > 1 else 1), 1)
        tasks = [
            partial(self._count, ranks[n::n_tasks].copy(), alive, True) for n in range(n_tasks)
        ]
        results = run_all(tasks, self.stop, jobs=self.jobs)
        return sum(counts for counts, _ in results), sum(overall for _, overall in results)

    def _by_code(self, counts: Longs) -> dict[int, int]:
        codes = self.codes.tolist()
        numbers = in_whole_numbers(counts, self.worth)
        return {codes[rank]: number for rank, number in numbers.items()}

    def _count(self, roots: Ints, alive: Bools, after: bool) -> tuple[Longs, Longs]:
        layout = self.layout
        counts = np.zeros((layout.n_items, self.longest + 1), dtype=np.int64)
        overall = np.zeros(self.longest + 1, dtype=np.int64)
        count_nuggets(
            roots,
            after,
            alive[self.codes] | layout.sensitive,
            layout.offsets,
            layout.items,
            layout.post_offsets,
            layout.post_rows,
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
    largest, longest = chosen.limits.largest, chosen.rows.longest
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
