"""How many moles and nuggets each public item is in, and how many are lost when an item is suppressed.

Each mole and each nugget is counted twice in all, at first and when it is lost, and none is listed here.
Counts are Python's integers of any size: a record of 150 items alone has 2^150 subsets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import compress
from math import comb

import numpy as np

from withhold.counting.layout import lay_out
from withhold.counting.threads import Stop, available_cores, run_all
from withhold.counting.walk import Rows
from withhold.data import Records
from withhold.data.array_types import Bools, Ints, Longs
from withhold.data.plan import without
from withhold.methods.coherence.breach_store import BreachStore
from withhold.methods.coherence.cohorts import (
    MORE_ROOM,
    Tours,
    limits_of,
    run_to_end,
    split_rows,
    spread_over_tasks,
    with_twice_the_room,
)
from withhold.methods.coherence.model import Coherent
from withhold.methods.coherence.mole_survey import count_minimal
from withhold.methods.coherence.search.all_moles import count_moles
from withhold.methods.coherence.search.nuggets import count_nuggets, new_levels
from withhold.methods.coherence.search.supersets import new_scratch
from withhold.methods.coherence.search.tally import Tally, new_tally

WORTH_SHARING = 50_000
"""Occurrences in the records of an item, above which its moles are counted on all cores."""


def only_items(records: Records, wanted: Bools) -> Records:
    """The records with these items alone, under new codes."""
    part = without(np.flatnonzero(~wanted[records.items]), records)
    code = (np.cumsum(wanted) - 1).astype(np.int32)
    names = tuple(compress(records.vocabulary, wanted.tolist()))
    return Records(part.offsets, code[part.items], names)


def ranks_of(codes: Longs, n_codes: int) -> Ints:
    """For each code its rank, -1 if it has none."""
    ranks = np.full(n_codes, -1, dtype=np.int32)
    ranks[codes] = np.arange(len(codes), dtype=np.int32)
    return ranks


class ChosenItems:
    """The records with some of the items only, laid out for the kernels, and the limits of the model."""

    def __init__(self, records: Records, model: Coherent, wanted: Bools) -> None:
        part = only_items(records, wanted)
        self.rows = split_rows(part, part.codes(model.private))
        self.codes = np.flatnonzero(wanted)[self.rows.code_of_rank]
        """By rank."""
        self.rank_of_code = ranks_of(self.codes, records.n_items)
        self.unbounded = model.p is None or model.p >= self.rows.longest
        self.limits = limits_of(self.rows, model)

    def alive(self, alive: Bools) -> Bools:
        """By rank what ``alive`` has by code; False for private items."""
        living: Bools = alive[self.codes] & ~self.rows.sensitive
        return living


def items_for_moles(records: Records, model: Coherent, alive: Bools) -> ChosenItems:
    """What is needed to count moles: living public items, and private ones that can be inferred too often."""
    private = np.zeros(records.n_items, dtype=bool)
    private[records.codes(model.private)] = True
    # An item in at most h·k records is at most the share h of any k records or more.
    harmless = records.supports * model.h.denominator <= model.h.numerator * model.k
    return ChosenItems(records, model, np.where(private, ~harmless, alive))


class SetCounter:
    """Counts sets by item code; ``alive`` says which public items are left."""

    def __init__(
        self, codes: Longs, rank_of_code: Ints, slot_values: list[int], stop: Stop, jobs: int | None
    ) -> None:
        self.codes, self.rank_of_code, self.slot_values = codes, rank_of_code, slot_values
        self.stop, self.jobs = stop, jobs or available_cores()
        self.code_list: list[int] = codes.tolist()

    def count_each(self, alive: Bools) -> dict[int, int]:
        """How many of the sets each item is in."""
        return self._by_code(self._count(alive, None))

    def count_shared(self, code: int, alive: Bools) -> dict[int, int]:
        """For each other item how many of the sets it shares with this one, which is still alive."""
        root = self.rank_of_code[[code]]
        return {} if root[0] < 0 else self._by_code(self._count(alive, root))

    def _count(self, alive: Bools, root: Ints | None) -> list[Longs]:
        """Counts by rank and slot, to be added up, of the sets with ``root`` or of all sets."""
        raise NotImplementedError

    def _by_code(self, parts: list[Longs]) -> dict[int, int]:
        numbers = in_whole_numbers(np.sum(parts, axis=0), self.slot_values) if parts else {}
        return {self.code_list[rank]: number for rank, number in numbers.items()}

    def _run(self, count: Callable[[Ints], Tally], roots: Ints) -> list[Tally]:
        tasks = [
            partial(count, some)
            for some in spread_over_tasks(roots, 4 * self.jobs if self.jobs > 1 else 1)
        ]
        return run_all(tasks, self.stop, jobs=self.jobs)


class AllMoleCounter(SetCounter):
    """Counts all moles of up to p items, single items left out."""

    def __init__(
        self,
        chosen: ChosenItems,
        store: BreachStore,
        stop: Stop,
        jobs: int | None,
        *,
        worth_sharing: int = WORTH_SHARING,
    ) -> None:
        self.slots, self.weights, slot_values = _scale(chosen)
        super().__init__(chosen.codes, chosen.rank_of_code, slot_values, stop, jobs)
        self.rows, self.limits, self.alive = chosen.rows, chosen.limits, chosen.alive
        self.store, self.worth_sharing = store, worth_sharing

    def _count(self, alive: Bools, root: Ints | None) -> list[Longs]:
        living = self.alive(alive)
        if root is None:
            roots = np.flatnonzero(living).astype(np.int32)
            counted = self._run(partial(self._tally, living, True, (0, 1)), roots)
        elif self.jobs == 1 or self._occurrences_with(root[0]) < self.worth_sharing:
            counted = [self._tally(living, False, (0, 1), root)]
        else:
            tasks = [
                partial(self._tally, living, False, (n, self.jobs), root) for n in range(self.jobs)
            ]
            counted = run_all(tasks, self.stop, jobs=self.jobs)
        return [tally.counts for tally in counted]

    def _occurrences_with(self, rank: int) -> int:
        """How many occurrences the records of an item hold."""
        rows = self.rows
        holders = rows.post_rows[rows.post_offsets[rank] : rows.post_offsets[rank + 1]]
        return int((rows.offsets[holders + 1] - rows.offsets[holders]).sum())

    def _tally(self, alive: Bools, after: bool, part: tuple[int, int], roots: Ints) -> Tally:
        n_items, largest = self.rows.n_items, self.limits.largest
        tally = new_tally(n_items, largest, self.slots, self.weights, len(self.slot_values))
        problem = self.rows.problem(self.limits, self.stop)
        tour = self.rows.tour(roots, alive, largest, after=after)
        run_to_end(
            count_moles, problem, tour, self.store, tally, new_scratch(n_items, largest), part
        )
        return tally


class MinimalMoleCounter(SetCounter):
    """Counts the minimal moles of up to p items, single items left out."""

    def __init__(self, chosen: ChosenItems, store: BreachStore, stop: Stop) -> None:
        super().__init__(chosen.codes, chosen.rank_of_code, [1], stop, 1)
        self.chosen, self.store = chosen, store

    def _count(self, alive: Bools, root: Ints | None) -> list[Longs]:
        rows, limits, living = self.chosen.rows, self.chosen.limits, self.chosen.alive(alive)
        return [count_minimal(rows, limits, self.store, living, self.stop, root=root)[:, None]]


class NuggetCounter(SetCounter):
    """Counts the itemsets, private items included, that at least ``support`` records hold."""

    def __init__(
        self,
        records: Records,
        private: Iterable[str],
        support: int,
        stop: Stop,
        jobs: int | None = None,
    ) -> None:
        # A rarer item is in no nugget.
        wanted = records.supports >= support
        part = only_items(records, wanted)
        layout = lay_out(part, part.codes(private))
        codes = np.flatnonzero(wanted)[layout.code_of_rank]
        longest = int(part.lengths.max(initial=0))
        slot_values = [2**n for n in range(longest + 1)]
        super().__init__(codes, ranks_of(codes, records.n_items), slot_values, stop, jobs)
        self.rows = Rows(layout.offsets, layout.items, layout.post_offsets, layout.post_rows)
        self.tours = Tours(layout)
        self.support, self.private, self.longest = support, layout.sensitive, longest
        # Nuggets may have any number of items, so n items always make 2^n sets.
        self.slots = np.tile(np.arange(longest + 1), (3, 1))
        self.weights = np.ones_like(self.slots)

    def count_all(self, alive: Bools) -> int:
        """How many nuggets there are."""
        overall = sum(tally.total[:1] for tally in self._tallies(alive, None))
        return sum(in_whole_numbers(np.atleast_2d(overall), self.slot_values).values())

    def _count(self, alive: Bools, root: Ints | None) -> list[Longs]:
        return [tally.counts for tally in self._tallies(alive, root)]

    def _tallies(self, alive: Bools, root: Ints | None) -> list[Tally]:
        living = alive[self.codes] | self.private
        if root is not None:
            return [self._tally(living, False, root)]
        ranks = np.arange(len(self.codes), dtype=np.int32)
        return self._run(partial(self._tally, living, True), ranks)

    def _tally(self, alive: Bools, after: bool, roots: Ints) -> Tally:
        n_items, n_slots = len(self.codes), self.longest + 1
        tally = new_tally(n_items, self.longest, self.slots, self.weights, n_slots)
        tour = self.tours.new(roots, alive, self.longest, after=after)
        levels = new_levels(n_items, self.longest)
        others = tally, self.support, self.stop.flag
        while count_nuggets(self.rows, tour, levels, *others) == MORE_ROOM:
            levels = with_twice_the_room(levels, ("item", "count", "words"))
        return tally


def in_whole_numbers(counts: Longs, slot_values: list[int]) -> dict[int, int]:
    """Rows of slots as whole numbers, by row; rows of zeros are left out."""
    found: dict[int, int] = {}
    for row, slot in zip(*(index.tolist() for index in np.nonzero(counts)), strict=True):
        found[row] = found.get(row, 0) + int(counts[row, slot]) * slot_values[slot]
    return found


def _scale(chosen: ChosenItems) -> tuple[Longs, Longs, list[int]]:
    """To which slot W(n, r), the sets of at most r of n items, adds what; and the value of each slot."""
    largest, longest = chosen.limits.largest, chosen.rows.longest
    slots = np.zeros((largest + 1, longest + 1), dtype=np.int64)
    if chosen.unbounded:
        # No set can be too large, so n items always make 2^n sets.
        slots[:] = np.arange(longest + 1)
        return slots, np.ones_like(slots), [2**n for n in range(longest + 1)]
    slot_values = [
        [sum(comb(n, i) for i in range(r + 1)) for n in range(longest + 1)]
        for r in range(largest + 1)
    ]
    lengths, how_many = np.unique(np.diff(chosen.rows.offsets), return_counts=True)
    most = sum(int(m) * slot_values[largest][n] for n, m in zip(lengths, how_many, strict=True))
    if most < 2**62:
        return slots, np.array(slot_values, dtype=np.int64), [1]
    slots[:] = np.arange(slots.size).reshape(slots.shape)
    return slots, np.ones_like(slots), [value for row in slot_values for value in row]
