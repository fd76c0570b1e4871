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
from withhold.methods.cells.schemes import (
    Ladders,
    group_by_scheme,
    grouping_of,
    make_grouping,
    mix,
)

AT_FIRST = 1 << 14
"""The initial capacity, in patterns."""


class Patterns(NamedTuple):
    """All patterns by rising cost, and which tuples match which."""

    costs: Any
    """The cost of a row that is published as this pattern, int64."""
    starts: Any
    """By pattern: where its tuples begin in ``tuples``, int64."""
    tuples: Any
    """The tuples of all patterns, one pattern after the other, int32."""
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


class Matches(NamedTuple):
    """Pairs of a tuple and a pattern that it matches, each int32."""

    tuples: Any
    patterns: Any


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
        self._matches = Matches(*(np.empty(AT_FIRST, dtype=np.int32) for _ in range(2)))

    def add(self, levels: Longs) -> None:
        """Add the patterns of a scheme that at least k rows match."""
        grouping, k = self.grouping, self.k
        n_groups = group_by_scheme(self.ladders, self.cells, self.weights, levels, grouping)
        close_groups(self.trees, self.ladders, levels, self.cells, grouping, k)
        n_large = int((grouping.sizes[:n_groups] >= k).sum())
        while self._known.count[0] + n_large > len(self._known.closures):
            self._known = _with_more_room(self._known)
        keep_new(grouping, n_groups, k, self._known, self._numbers)
        while self.n_matches + len(self.cells) > len(self._matches.tuples):
            self._matches = _with_room_for(self._matches, self.n_matches)
        self.n_matches = match_new(grouping.of_tuple, self._numbers, self._matches, self.n_matches)

    def patterns(self, prices: Longs) -> Patterns:
        """All patterns, at these prices of nodes."""
        closures = self._known.closures[: self._known.count[0]]
        tuples, patterns = (each[: self.n_matches] for each in self._matches)
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
    sizes, numbers = np.ones(count, dtype=np.int64), np.arange(count, dtype=np.int32)
    as_groups = grouping_of(sizes, known.closures, numbers)
    keep_new(as_groups, count, 1, larger, np.empty(count, dtype=np.int32))
    return larger


def _with_room_for(matches: Matches, n_matches: int) -> Matches:
    """The same pairs, with room for four times as many; memory that is not written to costs nothing."""
    larger = Matches(*(np.empty(4 * len(each), dtype=np.int32) for each in matches))
    for new, old in zip(larger, matches, strict=True):
        new[:n_matches] = old[:n_matches]
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
    list_tuples(rank, Matches(tuples, patterns), starts.copy(), by_pattern)
    list_patterns_of(starts, by_pattern, tuple_starts.copy(), by_tuple)
    return Patterns(costs[order], starts, by_pattern, tuple_starts, by_tuple)


@kernel
def close_groups(trees, ladders, levels, cells, grouping, k):
    """Raise the closures of groups of at least k rows until all their tuples match.

    The tuples of a group share their nodes at these levels.
    """
    for each in range(len(cells)):
        group = grouping.of_tuple[each]
        if grouping.sizes[group] >= k:
            for j in range(len(levels)):
                if levels[j] == 0:
                    continue
                closure, cell = grouping.closures[group, j], cells[each, j]
                # Most tuples match already, and climbing takes longest.
                if closure != cell and closure != ladders.nodes[levels[j], cell]:
                    grouping.closures[group, j] = common_node(trees, closure, cell)


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


@kernel
def match_new(of_tuple, numbers, matches, n_matches):
    """Append the tuples of the groups that have a number, with that number; how many pairs there are then."""
    for each in range(len(of_tuple)):
        number = numbers[of_tuple[each]]
        # Written without a branch; overwritten by the next if it does not count. There is room for one more.
        matches.tuples[n_matches] = each
        matches.patterns[n_matches] = number
        n_matches += number != NOBODY
    return n_matches


@step
def _same(closures, one, others, other):
    """Whether two closures are equal."""
    j = 0
    while j < closures.shape[1] and closures[one, j] == others[other, j]:
        j += 1
    return j == closures.shape[1]


@kernel
def list_tuples(rank, matches, starts, into):
    """Write the tuples of each pattern, in their order, into ``into``; ``starts``, by rank, moves on."""
    for at in range(len(matches.tuples)):
        pattern = rank[matches.patterns[at]]
        into[starts[pattern]] = matches.tuples[at]
        starts[pattern] += 1


@kernel
def list_patterns_of(starts, tuples, tuple_starts, into):
    """Write the patterns of each tuple, in their order, into ``into``; ``tuple_starts`` moves on."""
    for pattern in range(len(starts) - 1):
        for at in range(starts[pattern], starts[pattern + 1]):
            into[tuple_starts[tuples[at]]] = pattern
            tuple_starts[tuples[at]] += 1
