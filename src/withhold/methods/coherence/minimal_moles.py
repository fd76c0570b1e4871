"""The minimal moles: public sets that are moles while nothing smaller inside them is.

The search goes from the highest rank to the lowest, among roots and among the extensions of each set, so that
every subset of a set is visited before the set. A set that is not rare is a minimal mole if a private item
follows from it and it contains no stored mole. A rare set is a minimal mole if it contains no stored mole and
all its subsets with one item less are frequent.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.arrays import sort_ascending
from withhold.counting.attack import row_holds
from withhold.counting.jit import kernel, step
from withhold.counting.walk import count_extensions, deliver, follow, open_level
from withhold.counting.worst import keep_worst
from withhold.methods.coherence.breach_store import held_breach, store_breach
from withhold.methods.coherence.cohorts import (
    LEFT,
    MORE_ROOM,
    go_on,
    inferred_private,
    lacks_room,
)

FULL = -10
"""The store has no room for another mole."""
NO_MOLE = -2
"""In place of a private item: the item is no mole by itself."""


class Survey(NamedTuple):
    """What a survey counts."""

    per_item: Any
    """How many of the moles each item is in."""
    by_size: Any
    """How many moles there are of each size."""
    exposed: Any
    """The rows that hold a mole; several threads may set them, and only ever to 1."""
    worst: Any


class SurveyScratch(NamedTuple):
    """What a survey knows about its current path."""

    on_path: Any
    """By item: whether it is on the path."""
    is_open: Any
    """By size and item: whether the path with this item in place of its last is known not to be a mole."""
    first_new: Any
    """By size: the first child that is neither a stored mole nor rare."""
    itemset: Any


@kernel
def judge_items(problem, walk, roots, numbers):
    """Find the roots that are moles by themselves.

    ``numbers`` gets for each root its support, the private item that makes it a mole (-1: it is rare; or
    NO_MOLE), and the joint count.
    """
    rows = problem.rows
    for n in range(len(roots)):
        begin = rows.post_offsets[roots[n]]
        support = rows.post_offsets[roots[n] + 1] - begin
        for j in range(support):
            walk.pool_row[j] = begin + j
        private, joint = inferred_private(problem, rows.post_rows, walk, 0, support)
        numbers[n, 0] = support
        if support < problem.limits.k:
            numbers[n, 1] = -1
        elif private >= 0:
            numbers[n, 1] = private
            numbers[n, 2] = joint
        else:
            numbers[n, 1] = NO_MOLE


@kernel
def survey_moles(problem, tour, store, storing, survey, scratch):
    """Find all minimal moles of 2 to ``largest`` items that hold one of the roots, none a mole by itself.

    With ``storing``, those from which a private item follows are put into the store; FULL asks for a larger
    one. Otherwise the moles are counted in ``survey``.
    """
    walk = tour.walk
    largest = problem.limits.largest
    while True:
        child = go_on(problem, tour)
        size = tour.place[1]
        if child == LEFT:
            for c in range(walk.last_child[size], walk.last_child[size + 1]):
                scratch.is_open[size + 1, walk.child_item[c]] = False
            scratch.on_path[walk.path[max(size - 1, 0)]] = False
            continue
        if child < 0:
            return child
        start, end = walk.child_start[child], walk.child_end[child]
        if size > 1:
            is_rare = end - start < problem.limits.k
            private, joint = -1, np.int64(0)
            if not is_rare and (storing or size == largest or child < scratch.first_new[size]):
                private, joint = inferred_private(problem, tour.row_of, walk, start, end)
            if is_rare or private >= 0:
                if not storing:
                    enter_mole(survey, tour, size, child, private, joint)
                elif not store_breach(store, walk.path, size):
                    return FULL
                continue
        item = walk.path[size - 1]
        scratch.is_open[size, item] = True
        if size == largest:
            continue
        n_touched = count_extensions(tour, walk, start, end)
        if lacks_room(walk, size, n_touched, end - start):
            return MORE_ROOM
        scratch.on_path[item] = True
        n_open = keep_open(walk, scratch, size, n_touched, end - start)
        sort_ascending(walk.touched, n_open)
        open_level(walk, size)
        choose_extensions(problem, walk, store, storing, scratch, size, n_open)
        if walk.last_child[size + 1] > walk.next_child[size + 1]:
            deliver(tour, walk, size, start, end)
            tour.place[1] += 1
        else:
            scratch.on_path[item] = False


@step
def enter_mole(survey, tour, size, child, private, joint):
    """Count the current set, mark its rows, and keep it if it is among the worst of its size."""
    walk = tour.walk
    start = walk.child_start[child]
    end = walk.child_end[child]
    survey.by_size[size] += 1
    for d in range(size):
        survey.per_item[walk.path[d]] += 1
    for j in range(start, end):
        survey.exposed[tour.row_of[walk.pool_row[j]]] = 1
    hits = joint if private >= 0 else np.int64(1)
    last = walk.path[size - 1]
    keep_worst(survey.worst, size - 1, last, walk.path, hits, end - start, private)


@step
def keep_open(walk, scratch, size, n_touched, support):
    """Keep the extensions that not all rows hold and with which the path without its last item is no mole."""
    n_open = 0
    for t in range(n_touched):
        x = walk.touched[t]
        if walk.bucket[x] < support and (size == 1 or scratch.is_open[size, x]):
            walk.touched[n_open] = x
            n_open += 1
        else:
            walk.bucket[x] = 0
    return n_open


@step
def choose_extensions(problem, walk, store, storing, scratch, size, n_open):
    """Follow the rare minimal moles, ascending; then, descending, the stored moles; last all other items."""
    limits = problem.limits
    n_left = 0
    for t in range(n_open):
        x = walk.touched[t]
        if walk.bucket[x] >= limits.k:
            walk.touched[n_left] = x
            n_left += 1
        elif not storing and is_minimal(problem, walk.path, store, scratch, size, x):
            follow(walk, size, x)
        else:
            walk.bucket[x] = 0
    first = n_left
    for t in range(n_left - 1, -1, -1):
        x = walk.touched[t]
        known = held_breach(store, walk.path, size, x, scratch.on_path)
        if known == size + 1 and not storing:
            follow(walk, size, x)
        elif known == 0 and (limits.num < limits.den or size + 1 < limits.largest):
            first -= 1
            walk.touched[first] = x
        else:
            walk.bucket[x] = 0
    scratch.first_new[size + 1] = walk.last_child[size + 1]
    for t in range(n_left - 1, first - 1, -1):
        follow(walk, size, walk.touched[t])


@step
def is_minimal(problem, path, store, scratch, size, x):
    """Whether a rare extension contains no stored mole and all its subsets with one item less are frequent.

    The one without the path's last item is, or else the extension would not be open.
    """
    if held_breach(store, path, size, x, scratch.on_path) > 0:
        return False
    for left_out in range(size - 1):
        n = 0
        for d in range(size):
            if d != left_out:
                scratch.itemset[n] = path[d]
                n += 1
        scratch.itemset[n] = x
        sort_ascending(scratch.itemset, n + 1)
        if not is_frequent(problem, scratch.itemset, n + 1):
            return False
    return True


@step
def is_frequent(problem, itemset, size):
    """Whether at least k rows hold the itemset (ascending ranks)."""
    rows = problem.rows
    count = 0
    for posting in range(rows.post_offsets[itemset[0]], rows.post_offsets[itemset[0] + 1]):
        if row_holds(rows.post_rows[posting], itemset, size, rows.offsets, rows.items):
            count += 1
            if count == problem.limits.k:
                return True
    return False


@kernel
def are_first_minimal_moles(problem, walk, row_of, known, hits):
    """Mark in ``hits`` the draws that are minimal moles and were drawn from the first row that holds them.

    So each is counted once among all choices of a row and a set. The empty set is not tested: it must not be
    a mole.
    """
    size = known.shape[1]
    part = np.empty(size, np.int32)
    for trial in range(len(row_of)):
        minimal = True
        # First the whole set, which decides about the row; then each subset once, as a pattern of bits.
        for bits in range((1 << size) - 1, 0, -1):
            if problem.stop[0] != 0:
                return
            n = 0
            for place in range(size):
                if (bits >> place) & 1:
                    part[n] = known[trial, place]
                    n += 1
            is_mole = breaks_limits(problem, walk, part, n)
            first = problem.rows.post_rows[walk.pool_row[0]]
            if (n == size) != is_mole or (n == size and first != row_of[trial]):
                minimal = False
                break
        hits[trial] = minimal


@step
def breaks_limits(problem, walk, itemset, size):
    """Whether fewer than k rows hold the public set, or a private item is in too many of these.

    The postings of these rows are left in the pool.
    """
    rows = problem.rows
    support = 0
    for posting in range(rows.post_offsets[itemset[0]], rows.post_offsets[itemset[0] + 1]):
        if row_holds(rows.post_rows[posting], itemset, size, rows.offsets, rows.items):
            walk.pool_row[support] = posting
            support += 1
    if support < problem.limits.k:
        return True
    private, _ = inferred_private(problem, rows.post_rows, walk, 0, support)
    return private >= 0
