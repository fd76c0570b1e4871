"""Find or fix every unsafe closed set of D_e, one consequent after another.

While e is being deleted no sup(C) changes, for C never holds e: one pass over the closed sets of D_e
finishes e. The rows of D_e are copied and merged; deleting lowers the weight of a merged row.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from withhold.counting.arrays import room_for, rows_for
from withhold.counting.jit import kernel, maker, step
from withhold.counting.layout import Ints, Longs
from withhold.counting.local_closed_walk import (
    close_rows,
    expand,
    is_first_met,
    new_closed_walk,
    start_closed,
    take_child,
)
from withhold.counting.local_rows import gather, new_numbering
from withhold.counting.supports import IndexedRows, count_support
from withhold.counting.walk import place_of
from withhold.methods.rho.model import Limits as Limits
from withhold.methods.rho.search.antecedent_fix import next_random
from withhold.methods.rho.search.events import Events, add_event, delete, new_events

FORWARD = np.zeros(1, dtype=np.int64)
"""The state of a generator that draws nothing: the longest records lose an item."""


class Lowered(NamedTuple):
    """What a visit of the closed sets of some rows has found, or has lowered to make them safe."""

    fix: Any
    """Whether to lower the weights of groups; else the first unsafe set ends the visit."""
    groups: Any
    """The group for each deletion."""
    answers: Any
    """The event that it answers."""
    starts: Any
    items: Any
    """The antecedents of the events, in ranks."""
    numbers: Any
    """For each event the joint support and the support."""
    counts: Any
    """How many deletions, and how many events."""


@maker
def new_lowered(local, fix):
    """Room for a visit: a row is lowered once, for an event whose antecedent is part of it."""
    n_rows = len(local.offsets) - 1
    return Lowered(
        fix,
        np.empty(n_rows, np.int32),
        np.empty(n_rows, np.int32),
        np.zeros(n_rows + 2, np.int64),
        np.empty(len(local.items) + 1, np.int32),
        np.empty((n_rows + 1, 2), np.int64),
        np.zeros(2, np.int64),
    )


@maker
def visit_closed_sets(rows, local, limits, extra_joint, extra_support, lowered, state, stop):
    """Visit every closed set C of the local rows: small ones first if they are to be fixed.

    C is unsafe iff (joint + extra_joint)·den > num·(sup(C) + extra_support). With ``lowered.fix`` weights are
    lowered until it is not; without, the rows themselves come first, where most visits end, and the first
    unsafe C is the only event. Returns whether an unsafe C was met.
    """
    walk = new_closed_walk(local)
    n_groups = local.n_groups
    pool = np.empty(2 * n_groups + 16, np.int32)
    children = np.empty((64, 3), np.int64)
    start_closed(walk, children, pool, n_groups)
    # The place in the pool behind the root's rows is for single rows.
    walk.pool_top[0] += 1
    depth = np.int64(0)
    single = np.int64(0)
    met = False
    while (depth >= 0 or single < n_groups) and stop[0] == 0:
        walking = depth >= 0 and (lowered.fix or single == n_groups)
        child = np.int64(0)
        core = np.int64(-1)
        start = np.int64(n_groups)
        end = np.int64(n_groups + 1)
        if walking:
            child = take_child(walk, depth)
            if child < 0:
                depth -= 1
                continue
            core = children[child, 0]
            start = children[child, 1]
            end = children[child, 2]
            if end - start < 2:
                continue
        else:
            pool[n_groups] = single
            single += 1
        size = close_rows(local, walk, pool, start, end)
        if walking and not is_first_met(walk, size, core):
            continue
        joint = np.int64(extra_joint)
        for k in range(start, end):
            joint += local.weights[pool[k]]
        # Weights only fall: with none left, nothing below can be unsafe.
        if joint == 0:
            continue
        if size > 0 or limits.with_prior:
            used = lowered.starts[lowered.counts[1]]
            for c in range(size):
                walk.as_ranks[c] = local.ranks[walk.closure[c]]
            enough = (joint * limits.den + limits.num - 1) // limits.num - extra_support
            support = count_support(rows, walk.as_ranks, size, enough)
            if support < enough:
                met = True
                for c in range(size):
                    lowered.items[used + c] = walk.as_ranks[c]
                note_lowered(lowered, size, joint, support)
                if not lowered.fix:
                    break
                surplus = joint - limits.num * (support + extra_support) // limits.den
                lower(local, lowered, pool, start, end, joint, surplus, state)
        if not walking:
            continue
        children, pool = expand(local, walk, children, pool, depth, size, child)
        depth += 1
    return met


@step
def note_lowered(lowered, size, joint, support):
    """End the event whose antecedent, of that size, stands behind the others."""
    n = lowered.counts[1]
    lowered.counts[1] += 1
    lowered.starts[n + 1] = lowered.starts[n] + size
    lowered.numbers[n, 0] = joint
    lowered.numbers[n, 1] = support


@step
def lower(local, lowered, pool, start, end, joint, surplus, state):
    """Lower the weights of the groups in pool[start:end] by ``surplus``: the first ones, or drawn ones."""
    k = start
    while surplus > 0:
        if state[0] > 0:
            ticket = next_random(state) % joint
            k = start
            while ticket >= local.weights[pool[k]]:
                ticket -= local.weights[pool[k]]
                k += 1
        else:
            while local.weights[pool[k]] == 0:
                k += 1
        local.weights[pool[k]] -= 1
        joint -= 1
        surplus -= 1
        n = lowered.counts[0]
        lowered.counts[0] += 1
        lowered.groups[n] = pool[k]
        lowered.answers[n] = lowered.counts[1] - 1


@kernel
def treat_pairs(rows, pairs, limits, numbering, events, unsafe, state, stop):
    """For each pair (e, d) look at all rules q→e, with d ∈ q unless d is -1.

    Without ``unsafe`` they are made safe by deleting e; with it, it is set for each pair that
    ``stop`` leaves the time to look at. Returns the antecedents of the ``events``.
    """
    fix = len(unsafe) == 0
    antecedents = np.empty(1024, np.int32)
    for pair in range(len(pairs)):
        if stop[0] != 0:
            break
        e = np.int64(pairs[pair, 0])
        local = gather(rows, e, np.int64(pairs[pair, 1]), numbering)
        lowered = new_lowered(local, fix)
        met = visit_closed_sets(rows, local, limits, np.int64(0), np.int64(0), lowered, state, stop)
        if not fix:
            if met or stop[0] == 0:
                unsafe[pair] = met
        elif met:
            needed = events.starts[events.counts[1]] + lowered.starts[lowered.counts[1]]
            antecedents = room_for(antecedents, needed)
            delete_lowered(rows, local, lowered, numbering, e, events, antecedents)
    return antecedents


@maker
def delete_lowered(rows, local, lowered, numbering, e, events, antecedents):
    """Delete e from the rows of the groups that were lowered: of each group the first rows, in turn."""
    first_event = events.counts[1]
    numbers = np.empty(3, np.int64)
    numbers[0] = e
    for event in range(lowered.counts[1]):
        begin = lowered.starts[event]
        size = lowered.starts[event + 1] - begin
        numbers[1] = lowered.numbers[event, 0]
        numbers[2] = lowered.numbers[event, 1]
        add_event(events, antecedents, lowered.items[begin:], size, numbers)
    n_rows = len(local.offsets) - 1
    next_row = np.empty(local.n_groups, np.int64)
    following = np.empty(n_rows, np.int64)
    for r in range(n_rows - 1, -1, -1):
        following[r] = next_row[numbering.group_of[r]]
        next_row[numbering.group_of[r]] = r
    for k in range(lowered.counts[0]):
        r = next_row[lowered.groups[k]]
        next_row[lowered.groups[k]] = following[r]
        row = numbering.rows[r]
        position = np.int64(place_of(rows, row, e))
        delete(rows, events, row, position, first_event + lowered.answers[k])


def fix_consequents(
    rows: IndexedRows, pairs: Ints, limits: Limits, state: Longs, stop: Longs
) -> tuple[Events, Ints]:
    """For each pair (e, d) make all rules q→e safe, with d ∈ q unless d is -1, by deleting e."""
    numbering = new_numbering(len(rows.supports), len(rows.offsets) - 1)
    events = new_events(int(rows.supports[np.unique(pairs[:, 0])].sum()))
    nothing = np.zeros(0, dtype=np.bool_)
    antecedents = treat_pairs(rows, pairs, limits, numbering, events, nothing, state, stop)
    return events, antecedents


def find_unsafe_pairs(
    rows: IndexedRows, pairs: Ints, limits: Limits, unsafe: NDArray[np.bool_], stop: Longs
) -> None:
    """Set ``unsafe`` for every pair (e, d), as some q→e with d ∈ q is unsafe; with any q if d is -1.

    Pairs that ``stop`` left unfinished keep what they had.
    """
    numbering = new_numbering(len(rows.supports), len(rows.offsets) - 1)
    treat_pairs(rows, pairs, limits, numbering, new_events(0), unsafe, FORWARD, stop)


@kernel
def harmed_pairs(rows, suspects, processed, sensitive):
    """The pairs (f, d): f sensitive, in a record with d, looked at before d was deleted somewhere.

    conf(q→f) rises only if sup(q) fell, that is if d ∈ q went from a record. ``processed[f]`` is when
    f was last looked at, ``suspects[k] = (d, when)`` when d last lost an occurrence.
    """
    seen = np.zeros(len(sensitive), np.int64)
    n = 0
    pairs = np.empty((64, 2), np.int64)
    for k in range(len(suspects)):
        d = suspects[k, 0]
        for posting in range(rows.post_offsets[d], rows.post_offsets[d + 1]):
            row = rows.post_rows[posting]
            if place_of(rows, row, d) < 0:
                continue
            for p in range(rows.offsets[row], rows.offsets[row + 1]):
                f = rows.items[p]
                if f >= 0 and f != d and sensitive[f] and seen[f] != k + 1:
                    seen[f] = k + 1
                    if processed[f] < suspects[k, 1]:
                        pairs = rows_for(pairs, n + 1)
                        pairs[n, 0] = f
                        pairs[n, 1] = d
                        n += 1
    return pairs[:n]
