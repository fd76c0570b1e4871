"""Find or fix every unsafe rule whose antecedent has a given size, small antecedents first.

A walk over itemsets on rows that change under it. Only consequents are deleted, and a consequent is never in
the antecedent, so the items of the current path stay; an item that was deleted after its rows were delivered
is noticed when its turn comes.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from withhold.counting.arrays import room_for
from withhold.counting.jit import kernel, step
from withhold.counting.layout import Ints, Longs
from withhold.counting.supports import IndexedRows
from withhold.counting.walk import go_deeper, new_walk, next_set, start_at
from withhold.methods.rho.model import Limits
from withhold.methods.rho.search.events import Events, add_event, delete, new_events

Bools = NDArray[np.bool_]


class Targets(NamedTuple):
    """The sensitive items, and room to count them."""

    marked: Any
    """By rank."""
    in_row: Any
    """How many of them each row still holds."""
    useful: Any
    joint: Any
    touched: Any
    unsafe: Any
    """By rank, where unsafe consequents are marked; empty if they are to be fixed."""


def fix_antecedents(
    rows: IndexedRows, sensitive: Bools, size: int, limits: Limits, state: Longs, stop: Longs
) -> tuple[Events, Ints]:
    """Make every q→e with |q| = ``size`` ≥ 1 safe by deleting e from records that hold q and e.

    Records lose e longest first; drawn at random if ``state``, that of the generator, is not 0.
    """
    targets = new_targets(rows, sensitive, np.zeros(0, dtype=np.bool_))
    events = new_events(int(targets.in_row.sum()))
    everything = (0, len(sensitive))
    walk = new_walk(rows, size)
    antecedents = fix_roots(rows, walk, targets, everything, limits, events, state, stop)
    return events, antecedents


def find_unsafe_consequents(
    rows: IndexedRows,
    sensitive: Bools,
    size: int,
    roots: tuple[int, int],
    limits: Limits,
    unsafe: Bools,
    stop: Longs,
) -> None:
    """Set ``unsafe[e]`` if some q→e is, with |q| = ``size`` ≥ 1 and q's rarest item in [roots)."""
    targets = new_targets(rows, sensitive, unsafe)
    walk = new_walk(rows, size)
    state = np.zeros(1, dtype=np.int64)
    fix_roots(rows, walk, targets, roots, limits, new_events(0), state, stop)


def new_targets(rows: IndexedRows, sensitive: Bools, unsafe: Bools) -> Targets:
    """Count the sensitive items of each row."""
    before = np.zeros(len(rows.items) + 1, dtype=np.int32)
    np.cumsum((rows.items >= 0) & sensitive[rows.items], out=before[1:])
    n_items = len(sensitive)
    return Targets(
        sensitive,
        np.diff(before[rows.offsets]),
        np.zeros(n_items, dtype=np.int64),
        np.zeros(n_items, dtype=np.int64),
        np.empty(n_items, dtype=np.int32),
        unsafe,
    )


@kernel
def fix_roots(rows, walk, targets, roots, limits, events, state, stop):
    """A pass over the antecedents whose rarest item is in [roots), of the walk's largest size.

    Returns the antecedents of the ``events``.
    """
    antecedents = np.empty(1024, np.int32)
    numbers = np.empty(3, np.int64)
    largest = len(walk.path) - 1
    for root in range(roots[0], roots[1]):
        if stop[0] != 0:
            break
        n_root = start_at(rows, walk, root)
        size = 1 if any_beside(walk, targets, n_root, root) else 0
        while size > 0:
            child = next_set(walk, size)
            if child < 0:
                size -= 1
                continue
            start = walk.child_start[child]
            end = keep_held(rows, walk, start, walk.child_end[child])
            support = end - start
            if size == largest:
                n_touched = count_beside(rows, walk, targets, start, end, size)
                for t in range(n_touched):
                    e = targets.touched[t]
                    joint = targets.joint[e]
                    targets.joint[e] = 0
                    surplus = joint - limits.num * support // limits.den
                    if surplus > 0 and len(targets.unsafe) > 0:
                        targets.unsafe[e] = True
                    elif surplus > 0:
                        needed = events.starts[events.counts[1]] + size
                        antecedents = room_for(antecedents, needed)
                        numbers[0] = e
                        numbers[1] = joint
                        numbers[2] = support
                        add_event(events, antecedents, walk.path, size, numbers)
                        delete_beside(rows, walk, targets, events, start, numbers, surplus, state)
                continue
            if go_on(rows, walk, targets, limits, size, start, end):
                size += 1
    return antecedents


@step
def next_random(state):
    """The next number of a Lehmer generator, in [1, 2^31 - 2]; ``state[0]`` must start in there."""
    state[0] = state[0] * 48271 % 2147483647
    return state[0]


@step
def go_on(rows, walk, targets, limits, size, start, end):
    """Make those extensions of the current set its children that may show something unsafe; whether any does.

    A set in a single record, or an item that all records of the current set hold, leads nowhere new: whatever
    breaks there breaks without that item.
    """
    support = end - start
    if support < 2:
        return False
    in_path = np.int64(0)
    for k in range(size):
        in_path += 1 if targets.marked[walk.path[k]] else 0
    # Of the largest sets those matter whose rows hold sensitive items often enough.
    is_largest = size + 2 == len(walk.path)
    share = (limits.num if is_largest else np.int64(0), limits.den)
    return go_deeper(rows, walk, targets, size, (start, end), in_path, support, share)


@step
def any_beside(walk, targets, n_root, root):
    """Whether some row of the root holds a sensitive item beside it."""
    own = 1 if targets.marked[root] else 0
    most = 0
    for k in range(n_root):
        most = max(most, targets.in_row[walk.pool_row[k]])
    return most > own


@step
def keep_held(rows, walk, start, end):
    """Take out the rows whose item was deleted since they were delivered; returns where they end."""
    kept = start
    for k in range(start, end):
        if rows.items[walk.pool_position[k]] >= 0:
            walk.pool_row[kept] = walk.pool_row[k]
            walk.pool_position[kept] = walk.pool_position[k]
            kept += 1
    return kept


@step
def count_beside(rows, walk, targets, start, end, size):
    """Count the sensitive items beside the set in its rows; returns how many are in ``touched``."""
    n_touched = 0
    for k in range(start, end):
        row = walk.pool_row[k]
        if targets.in_row[row] == 0:
            continue
        for p in range(rows.offsets[row], rows.offsets[row + 1]):
            e = rows.items[p]
            if e >= 0 and targets.marked[e]:
                if targets.joint[e] == 0:
                    targets.touched[n_touched] = e
                    n_touched += 1
                targets.joint[e] += 1
    for k in range(size):
        targets.joint[walk.path[k]] = 0
    return n_touched


@step
def delete_beside(rows, walk, targets, events, start, numbers, surplus, state):
    """Delete e from ``surplus`` of the rows that hold the last event's rule, of which ``numbers`` tell."""
    e = numbers[0]
    candidates = numbers[1]
    k = start
    while surplus > 0:
        row = walk.pool_row[k]
        k += 1
        if targets.in_row[row] == 0:
            continue
        for p in range(rows.offsets[row], rows.offsets[row + 1]):
            if rows.items[p] == e:
                if state[0] == 0 or next_random(state) % candidates < surplus:
                    delete(rows, events, row, p, events.counts[1] - 1)
                    targets.in_row[row] -= 1
                    surplus -= 1
                candidates -= 1
                break
            if rows.items[p] > e:
                break
