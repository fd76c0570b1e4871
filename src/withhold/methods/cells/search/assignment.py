"""Which tuple is published under which pattern; cheapest patterns first.

A pattern is *open* while tuples are assigned to it, and needs at least k rows then. The tuples of an open
pattern are a list, so that a group can be walked through without asking all the tuples that match its
pattern.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import kernel, step
from withhold.data.array_types import Longs
from withhold.methods.cells.nodes import NOBODY
from withhold.methods.cells.patterns import Patterns


class Assignment(NamedTuple):
    """Which tuple is assigned to which pattern, as linked lists; changed in place."""

    weights: Any
    """By tuple: how many rows it stands for, int64."""
    of_tuple: Any
    """By tuple: its pattern, or -1, int32."""
    following: Any
    """By tuple: the next and the previous one of the same pattern, or -1, int32."""
    previous: Any
    sizes: Any
    """By pattern: how many rows are assigned to it, int64."""
    heads: Any
    """By pattern: the first tuple assigned to it, or -1, int32."""


def unassigned(patterns: Patterns, weights: Longs) -> Assignment:
    """Nobody assigned yet."""
    n, n_patterns = len(weights), len(patterns.costs)
    nobody = np.full(n, NOBODY, dtype=np.int32)
    return Assignment(
        weights,
        of_tuple=nobody,
        following=nobody.copy(),
        previous=nobody.copy(),
        sizes=np.zeros(n_patterns, dtype=np.int64),
        heads=np.full(n_patterns, NOBODY, dtype=np.int32),
    )


def total_cost(patterns: Patterns, assigned: Assignment) -> int:
    """What all rows cost together."""
    return int((patterns.costs * assigned.sizes).sum())


@step
def assign(assigned, each, pattern):
    """Move a tuple to a pattern."""
    take_out(assigned, each)
    head = assigned.heads[pattern]
    assigned.of_tuple[each] = pattern
    assigned.previous[each] = NOBODY
    assigned.following[each] = head
    if head != NOBODY:
        assigned.previous[head] = each
    assigned.heads[pattern] = each
    assigned.sizes[pattern] += assigned.weights[each]


@step
def take_out(assigned, each):
    """Take a tuple out of its pattern, if it has one."""
    own = assigned.of_tuple[each]
    if own != NOBODY:
        before, after = assigned.previous[each], assigned.following[each]
        if before == NOBODY:
            assigned.heads[own] = after
        else:
            assigned.following[before] = after
        if after != NOBODY:
            assigned.previous[after] = before
        assigned.sizes[own] -= assigned.weights[each]
        assigned.of_tuple[each] = NOBODY


@step
def cheapest_open(patterns, assigned, each, other_than):
    """The cheapest open pattern that a tuple matches, other than one; -1 if there is none."""
    for at in range(patterns.tuple_starts[each], patterns.tuple_starts[each + 1]):
        pattern = np.int64(patterns.of_tuple[at])
        if assigned.sizes[pattern] > 0 and pattern != other_than:
            return pattern
    return np.int64(NOBODY)


@kernel
def assign_cheapest_first(patterns, assigned, k, waiting, counts):
    """Open the cheapest pattern that at least k unassigned rows match, for all of them, until there is none.

    Of equally cheap ones that with the most such rows comes first. The rows only become fewer, so a pattern
    is counted again when its turn comes, and waits again if it has lost some. ``waiting`` and ``counts`` are
    scratch.
    """
    start, n_patterns = 0, len(patterns.costs)
    while start < n_patterns:
        end = start
        n_waiting = 0
        while end < n_patterns and patterns.costs[end] == patterns.costs[start]:
            counts[end] = _unassigned_rows(patterns, assigned, end)
            if counts[end] >= k:
                n_waiting = push(waiting, n_waiting, counts, end)
            end += 1
        while n_waiting > 0:
            pattern = waiting[0]
            n_waiting = pop(waiting, n_waiting, counts)
            found = _unassigned_rows(patterns, assigned, pattern)
            if found == counts[pattern]:
                for at in range(patterns.starts[pattern], patterns.starts[pattern + 1]):
                    if assigned.of_tuple[patterns.tuples[at]] == NOBODY:
                        assign(assigned, np.int64(patterns.tuples[at]), pattern)
            elif found >= k:
                counts[pattern] = found
                n_waiting = push(waiting, n_waiting, counts, pattern)
        start = end


@kernel
def assign_leftovers(patterns, assigned, k):
    """Give every tuple that is left its cheapest open pattern, else the last one, which all rows match.

    If the last one then has too few rows, other groups give it the tuples that they can spare, the costliest
    group first. If that is not enough, whole groups join it.
    """
    last = np.int64(len(patterns.costs) - 1)
    for each in range(len(assigned.of_tuple)):
        if assigned.of_tuple[each] == NOBODY:
            pattern = cheapest_open(patterns, assigned, each, last)
            assign(assigned, each, last if pattern == NOBODY else pattern)
    for sparing in (True, False):
        group = last
        while group > 0 and 0 < assigned.sizes[last] < k:
            group -= 1
            each = np.int64(assigned.heads[group])
            while each != NOBODY and not (sparing and assigned.sizes[last] >= k):
                after = np.int64(assigned.following[each])
                if not sparing or assigned.sizes[group] - assigned.weights[each] >= k:
                    assign(assigned, each, last)
                each = after


@step
def _unassigned_rows(patterns, assigned, pattern):
    """How many rows that match a pattern are not assigned yet."""
    rows = np.int64(0)
    for at in range(patterns.starts[pattern], patterns.starts[pattern + 1]):
        if assigned.of_tuple[patterns.tuples[at]] == NOBODY:
            rows += assigned.weights[patterns.tuples[at]]
    return rows


@step
def _comes_before(counts, one, other):
    """The order of a heap: more rows first, then the lower number."""
    return counts[one] > counts[other] or (counts[one] == counts[other] and one < other)


@step
def push(heap, n, counts, pattern):
    """Put a pattern, or a scheme, onto a heap; how many are on it then."""
    at = n
    while at > 0 and _comes_before(counts, pattern, heap[(at - 1) // 2]):
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = pattern
    return n + 1


@step
def pop(heap, n, counts):
    """Take the first one off a heap; how many are left."""
    moved, at, child = heap[n - 1], 0, 1
    while child < n - 1:
        if child + 1 < n - 1 and _comes_before(counts, heap[child + 1], heap[child]):
            child += 1
        if not _comes_before(counts, heap[child], moved):
            break
        heap[at] = heap[child]
        at, child = child, 2 * child + 1
    heap[at] = moved
    return n - 1
