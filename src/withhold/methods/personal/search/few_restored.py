"""Whether an item that was put back into a row harms anybody, if few people want anything protected.

Only rules Q→e within the row, with the item x in Q or as e, can have become likelier, and somebody who owns Q
must want e protected. So for each such person only those items of the row matter that they own: usually one
or two. The row itself may be long, but nobody owns most of its subsets.

- For persons who own few items of the row: sets K of the other items are walked depth first, each with the
  rows of x that hold K and the persons who own it. Tested are the rules Kx→e and K→x.
- For persons who own more of the row: the closed sets of what they own are tested.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.arrays import with_item
from withhold.counting.closed_walk import (
    N_TOUCHED,
    NO_ROOM,
    SIZE,
    n_holding,
    next_closed_set,
    start_closed,
    with_more_room,
)
from withhold.counting.jit import maker, step
from withhold.counting.published import has_more_rows, place_in, reaches
from withhold.methods.personal.known_sets import copy_without
from withhold.methods.personal.people import wants_protected
from withhold.methods.personal.search.few_people import (
    KNOWS_X,
    WANTS_X,
    gather_people,
    is_small,
    owns_place,
)

NOTHING = np.int64(0), np.int64(-1)
"""No rule: the number of known items, and no item that follows."""


@maker
def find_harm(x, row, probe, stop):
    """Find a rule that x, just put back into the row, has made unsafe for somebody.

    Returns how many items are known, written into ``few.known``, and what follows; or 0 and -1. For people
    who own too many combinations of the row, rules of more than ``most`` known items count as well.
    """
    rows = probe.problem.rows
    few = probe.few
    # A plain 0 is a type of its own to numba, for which what is called here would be compiled again.
    n_others = np.int64(0)
    for p in range(rows.offsets[row], rows.offsets[row + 1]):
        if rows.items[p] >= 0 and rows.items[p] != x:
            few.others[n_others] = rows.items[p]
            few.with_x[n_others] = 0
            few.alone_is_safe[n_others] = False
            n_others += 1
            few.place_of[rows.items[p]] = n_others
    for posting in range(rows.post_offsets[x], rows.post_offsets[x + 1]):
        if rows.items[rows.post_positions[posting]] >= 0:
            other = rows.post_rows[posting]
            for p in range(rows.offsets[other], rows.offsets[other + 1]):
                if rows.items[p] >= 0 and few.place_of[rows.items[p]] > 0:
                    few.with_x[few.place_of[rows.items[p]] - 1] += 1
    n_persons = gather_people(x, n_others, probe)
    size, e = walk_small(x, n_others, n_persons, probe)
    k = 0
    while e < 0 and k < n_persons and stop[0] == 0:
        if few.roles[k] != 0 and not is_small(few.starts[k + 1] - few.starts[k], probe.most):
            size, e = walk_closed(x, k, probe, stop)
        k += 1
    for c in range(n_others):
        few.place_of[few.others[c]] = 0
    return size, e


@maker
def walk_small(x, n_others, n_persons, probe):
    """Test the sets K of other items that one of the persons owns; returns as ``find_harm``."""
    problem = probe.problem
    rows = problem.rows
    few = probe.few
    depth = np.int64(0)
    for k in range(n_persons):
        if is_small(few.starts[k + 1] - few.starts[k], probe.most):
            depth = max(depth, min(few.starts[k + 1] - few.starts[k], probe.most))
    chosen = np.empty(depth + 2, np.int64)
    # The rows and persons of each size are a part of those of the size before.
    row_pool = np.empty((depth + 2) * rows.supports[x], np.int32)
    row_end = np.zeros(depth + 3, np.int64)
    pool = np.empty((depth + 2) * n_persons, np.int32)
    pool_end = np.zeros(depth + 3, np.int64)
    fewer = np.ones(depth + 2, np.bool_)
    extends = np.zeros((depth + 2, n_others + 1), np.bool_)
    for posting in range(rows.post_offsets[x], rows.post_offsets[x + 1]):
        if rows.items[rows.post_positions[posting]] >= 0:
            row_pool[row_end[1]] = rows.post_rows[posting]
            row_end[1] += 1
    for k in range(n_persons):
        if is_small(few.starts[k + 1] - few.starts[k], probe.most):
            pool[pool_end[1]] = k
            pool_end[1] += 1
    if pool_end[1] == 0:
        return NOTHING
    size = np.int64(0)
    fresh = True
    while size >= 0:
        a, b = row_end[size], row_end[size + 1]
        c, d = pool_end[size], pool_end[size + 1]
        if fresh:
            found, e = judge_small(
                x, size, row_pool[a:b], pool[c:d], chosen, fewer[size], n_others, probe
            )
            if e >= 0:
                return found, e
            mark_extensions(size, pool[c:d], chosen, extends[size], few)
            chosen[size] = chosen[size - 1] if size > 0 else -1
        chosen[size] += 1
        while size < depth and chosen[size] < n_others and not extends[size, chosen[size]]:
            chosen[size] += 1
        if size == depth or chosen[size] >= n_others:
            size -= 1
            fresh = False
            continue
        y = chosen[size]
        row_end[size + 2] = b
        for k in range(a, b):
            if place_in(row_pool[k], few.others[y], rows) >= 0:
                row_pool[row_end[size + 2]] = row_pool[k]
                row_end[size + 2] += 1
        # With the same rows, Kx has the counts of a smaller set, which more people own.
        fewer[size + 1] = fewer[size] and row_end[size + 2] - b < b - a
        pool_end[size + 2] = d
        for k in range(c, d):
            matters = fewer[size + 1] or few.roles[pool[k]] & WANTS_X != 0
            if matters and owns_place(pool[k], y, few):
                pool[pool_end[size + 2]] = pool[k]
                pool_end[size + 2] += 1
        fresh = pool_end[size + 2] > d
        if fresh:
            size += 1
    return NOTHING


@step
def mark_extensions(size, pool, chosen, extends, few):
    """Mark the places behind the last one chosen that one of the persons owns."""
    for c in range(len(extends)):
        extends[c] = False
    last = chosen[size - 1] if size > 0 else -1
    for k in pool:
        for p in range(few.starts[k], few.starts[k + 1]):
            if few.owned[p] > last:
                extends[few.owned[p]] = True


@step
def judge_small(x, size, holders, pool, chosen, fewer, n_others, probe):
    """Test Kx→e and K→x, K being the chosen items, for the persons who own K; returns as ``find_harm``."""
    problem = probe.problem
    rows = problem.rows
    few = probe.few
    n = np.int64(len(holders))
    roles = 0
    for k in pool:
        roles |= few.roles[k]
    for c in range(size):
        few.itemset[c] = few.others[chosen[c]]
    if roles & WANTS_X != 0 and 0 < size <= probe.most:
        enough = (n * problem.den + problem.num - 1) // problem.num
        if not reaches(few.itemset, size, enough, rows):
            for c in range(size):
                few.known[c] = few.itemset[c]
            return size, np.int64(x)
    if roles & KNOWS_X == 0 or size >= probe.most or not fewer:
        return NOTHING
    for c in range(n_others):
        few.counts[c] = 0
    for row in holders:
        for p in range(rows.offsets[row], rows.offsets[row + 1]):
            if rows.items[p] >= 0 and few.place_of[rows.items[p]] > 0:
                few.counts[few.place_of[rows.items[p]] - 1] += 1
    for c in range(size):
        few.counts[chosen[c]] = 0
    for c in range(n_others):
        e = few.others[c]
        if few.counts[c] * problem.den <= problem.num * n or not problem.wishes.anybody[e]:
            continue
        for k in pool:
            if few.roles[k] & KNOWS_X != 0 and wants_protected(few.persons[k], e, problem.wishes):
                with_item(few.itemset, size, x, few.known)
                return size + 1, np.int64(e)
    return NOTHING


@maker
def walk_closed(x, k, probe, stop):
    """Test the closed sets of x and what the k-th person owns of the row; returns as ``find_harm``."""
    few = probe.few
    walk = probe.walk
    # Between two walks no item is allowed.
    set_allowed(x, k, True, walk, few)
    start_closed(x, False, probe.problem.rows, walk)
    size, e = NOTHING
    while e < 0:
        reached = next_closed_set(probe.problem.rows, walk, stop)
        if reached == NO_ROOM:
            walk = with_more_room(walk)
        elif reached == 0:
            break
        else:
            size, e = judge_closed(x, k, walk, probe)
    set_allowed(x, k, False, walk, few)
    return size, e


@step
def set_allowed(x, k, allowed, walk, few):
    """Allow the walk to use x and what the person owns of the row, or forbid them again."""
    walk.allowed[x] = allowed
    for p in range(few.starts[k], few.starts[k + 1]):
        walk.allowed[few.others[few.owned[p]]] = allowed


@step
def judge_closed(x, k, walk, probe):
    """Test what follows for the k-th person from the closed set, and x from its rest; as ``find_harm``."""
    problem = probe.problem
    few = probe.few
    person = few.persons[k]
    size = walk.at[SIZE]
    n = n_holding(walk)
    if few.roles[k] & WANTS_X != 0 and size > 1:
        n_rest = copy_without(x, walk.closure, size, few.known)
        enough = (n * problem.den + problem.num - 1) // problem.num
        if not reaches(few.known, n_rest, enough, problem.rows):
            return np.int64(n_rest), np.int64(x)
    if few.roles[k] & KNOWS_X == 0:
        return NOTHING
    for t in range(walk.at[N_TOUCHED]):
        e = walk.touched[t]
        # Putting x back makes only items of its own row likelier.
        if (
            few.place_of[e] == 0
            or walk.count[e] * problem.den <= problem.num * n
            or not wants_protected(person, e, problem.wishes)
        ):
            continue
        n_known = copy_without(e, walk.closure, size, few.known)
        if n_known == size or not has_more_rows(few.known, n_known, n, problem.rows):
            return np.int64(n_known), np.int64(e)
    return NOTHING
