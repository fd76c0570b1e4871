"""Patterns: the groups of rows that some scheme forms, each with the lowest nodes that all its rows share.

In: tuples (all rows with the same cells are one) with their sizes, schemes, k. Out: every group of at least
k rows, once, by rising cost, with its tuples; and for every tuple its patterns. A pattern's *closure*, the
lowest nodes that its rows share, is matched by the same rows as the pattern, and costs no more; two groups
with the same closure are the same rows.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import kernel, step
from withhold.data.array_types import Ints, Longs
from withhold.methods.cells.nodes import NOBODY, Trees, common_node
from withhold.methods.cells.schemes import Grouping, Ladders, group_by_scheme, make_grouping, mix

AT_FIRST = 1 << 14
"""Patterns that there is room for at first."""


class Patterns(NamedTuple):
    """All patterns by rising cost, and which tuples match which."""

    costs: Any
    """What a row costs that is published so, int64."""
    starts: Any
    """By pattern: where its tuples begin in ``tuples``, int64."""
    tuples: Any
    """int32."""
    tuple_starts: Any
    """By tuple: where its patterns begin in ``of_tuple``, int64."""
    of_tuple: Any
    """Patterns, int32; they ascend, so a tuple's cheapest pattern comes first."""


class Known(NamedTuple):
    """The closures that were found so far."""

    slots: Any
    """A hash table: the pattern of a slot, or -1, int32."""
    closures: Any
    """By pattern and column, int32."""
    count: Any
    """How many there are, as an array of one number."""


class Listing:
    """The patterns of one scheme after the other, each once."""

    def __init__(self, trees: Trees, ladders: Ladders, cells: Ints, weights: Longs, k: int) -> None:
        self.trees, self.ladders, self.cells, self.weights, self.k = (
            trees,
            ladders,
            cells,
            weights,
            k,
        )
        self.grouping = make_grouping(cells)
        """The groups of the last scheme."""
        self.n_matches = 0
        """Pairs of a tuple and a pattern that it matches."""
        self.order: Longs = np.empty(0, dtype=np.int64)
        """By pattern: its number in the order in which patterns were found."""
        self._known = _room_for(AT_FIRST, cells.shape[1])
        self._numbers = np.empty(len(cells), dtype=np.int32)
        self._matches: list[tuple[Ints, Ints]] = []

    def add(self, levels: Longs) -> None:
        """Add the patterns of a scheme that at least k rows match."""
        grouping, k = self.grouping, self.k
        n_groups = group_by_scheme(self.ladders, self.cells, self.weights, levels, grouping)
        close_groups(self.trees, self.cells, grouping, k)
        n_large = int((grouping.sizes[:n_groups] >= k).sum())
        while self._known.count[0] + n_large > len(self._known.closures):
            self._known = _with_more_room(self._known)
        keep_new(grouping, n_groups, k, self._known, self._numbers)
        found = self._numbers[grouping.of_tuple]
        matching = np.flatnonzero(found != NOBODY)
        self._matches.append((matching.astype(np.int32), found[matching]))
        self.n_matches += len(matching)

    def patterns(self, prices: Longs) -> Patterns:
        """All patterns, at these prices of nodes."""
        closures = self._known.closures[: self._known.count[0]]
        tuples, patterns = (np.concatenate(each) for each in zip(*self._matches, strict=True))
        costs = prices[closures].sum(axis=1)
        sizes = np.bincount(patterns, minlength=len(costs))
        # By rising cost; among equals those with more tuples come first.
        self.order = np.lexsort((-sizes, costs))
        return _in_order(self.order, costs, sizes, tuples, patterns, len(self.cells))


def find_patterns(
    listing: Listing, schemes: Longs, prices: Longs, after_each: Callable[[int], None]
) -> Patterns:
    """The patterns of these schemes, and of those that were listed before."""
    for done, levels in enumerate(schemes):
        listing.add(levels)
        after_each(done)
    return listing.patterns(prices)


def _room_for(n_patterns: int, n_columns: int) -> Known:
    return Known(
        np.full(4 * n_patterns, NOBODY, dtype=np.int32),
        np.empty((n_patterns, n_columns), dtype=np.int32),
        np.zeros(1, dtype=np.int64),
    )


def _with_more_room(known: Known) -> Known:
    """The same closures under the same numbers, with room for twice as many."""
    n, n_columns = known.closures.shape
    larger = _room_for(2 * n, n_columns)
    count = int(known.count[0])
    no_keys, no_tuples = np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int32)
    sizes = np.ones(count, dtype=np.int64)
    as_groups = Grouping(known.slots, no_keys, sizes, known.closures, no_tuples)
    keep_new(as_groups, count, 1, larger, np.empty(count, dtype=np.int32))
    return larger


def _in_order(
    order: Longs, costs: Longs, sizes: Longs, tuples: Ints, patterns: Ints, n_tuples: int
) -> Patterns:
    """Number the patterns in this order."""
    n = len(costs)
    rank = np.empty(n, dtype=np.int32)
    rank[order] = np.arange(n, dtype=np.int32)
    starts = np.append(0, np.cumsum(sizes[order]))
    tuple_starts = np.append(0, np.cumsum(np.bincount(tuples, minlength=n_tuples)))
    by_pattern, by_tuple = np.empty_like(tuples), np.empty_like(patterns)
    # Twice by counting: in the order of patterns, then in the order of tuples.
    sort_by(rank[patterns], tuples, starts.copy(), by_pattern)
    owners = np.repeat(np.arange(n, dtype=np.int32), np.diff(starts))
    sort_by(by_pattern, owners, tuple_starts.copy(), by_tuple)
    return Patterns(costs[order], starts, by_pattern, tuple_starts, by_tuple)


@kernel
def close_groups(trees, cells, grouping, k):
    """Raise the closures of groups of at least k rows until all their tuples match."""
    for each in range(len(cells)):
        group = grouping.of_tuple[each]
        if grouping.sizes[group] >= k:
            for j in range(cells.shape[1]):
                if grouping.closures[group, j] != cells[each, j]:
                    grouping.closures[group, j] = common_node(
                        trees, grouping.closures[group, j], cells[each, j]
                    )


@kernel
def keep_new(grouping, n_groups, k, known, numbers):
    """Number the groups of at least k rows that were not known; into ``numbers``, -1 for the others."""
    mask = len(known.slots) - 1
    n_columns = known.closures.shape[1]
    for group in range(n_groups):
        numbers[group] = NOBODY
        if grouping.sizes[group] < k:
            continue
        key = np.uint64(n_columns)
        for j in range(n_columns):
            key = mix(key, grouping.closures[group, j])
        slot = np.int64(key & np.uint64(mask))
        while known.slots[slot] != NOBODY and not _same(
            known.closures, known.slots[slot], grouping.closures, group
        ):
            slot = (slot + 1) & mask
        if known.slots[slot] == NOBODY:
            number = known.count[0]
            known.slots[slot] = number
            for j in range(n_columns):
                known.closures[number, j] = grouping.closures[group, j]
            numbers[group] = number
            known.count[0] = number + 1


@step
def _same(closures, one, others, other):
    """Whether two closures are equal."""
    j = 0
    while j < closures.shape[1] and closures[one, j] == others[other, j]:
        j += 1
    return j == closures.shape[1]


@kernel
def sort_by(keys, values, starts, into):
    """Write the values into ``into`` by rising key, equal ones in their order; ``starts`` moves on."""
    for at in range(len(keys)):
        into[starts[keys[at]]] = values[at]
        starts[keys[at]] += 1
