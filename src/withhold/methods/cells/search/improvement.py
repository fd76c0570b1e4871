"""Better assignments: open patterns if that saves something, then move rows and close groups.

Every state in between is k-anonymous: an open pattern has at least k rows after each step. A pattern that
is opened takes rows from each group where they cost more: all that match if at least k rows or none stay
behind; otherwise those that the group can spare, or all that match while the group is closed and its other
rows go to their cheapest open patterns, whichever saves more. If it has fewer than k rows then, cheaper
groups give what they can spare, or one of them joins.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import kernel, step
from withhold.methods.cells.nodes import NOBODY
from withhold.methods.cells.patterns import Patterns
from withhold.methods.cells.search.assignment import assign, cheapest_open

NOTHING, ALL, SPARE, CLOSE = 0, 1, 2, 3
"""What a group gives: nothing, all matching tuples, what it can spare, or all while it is closed."""
STAMP, TOUCHED, MOVED = 0, 1, 2
"""Places in ``Attempt.numbers``."""
INFINITY = 2**62
"""Above all costs."""


class Attempt(NamedTuple):
    """What opening one pattern would do; scratch that is allocated once."""

    gives: Any
    """By pattern: what its group gives, int8."""
    counts: Any
    """By pattern: how many rows of its group match, int64."""
    stamps: Any
    """By pattern: the last attempt that touched its group, int64."""
    touched: Any
    """The groups that have matching tuples, int32."""
    inside: Any
    """By tuple: the last attempt whose pattern it matched, int64."""
    moved: Any
    """The tuples that were moved, and the patterns that they came from, int32."""
    origins: Any
    tried: Any
    """By pattern: the last attempt to open it, int64."""
    changed: Any
    """By pattern: the last attempt that changed its group, int64."""
    numbers: Any
    """The number of the attempt, how many groups were touched, how many tuples were moved."""


def make_attempt(patterns: Patterns, n_tuples: int, moves: int = 2) -> Attempt:
    """Scratch for attempts, with room for so many moves of each tuple."""
    n = len(patterns.costs)
    # Two are enough here: a tuple moves into the pattern, or out of a group that closes.
    return Attempt(
        gives=np.zeros(n, dtype=np.int8),
        counts=np.zeros(n, dtype=np.int64),
        stamps=np.zeros(n, dtype=np.int64),
        touched=np.empty(n, dtype=np.int32),
        inside=np.zeros(n_tuples, dtype=np.int64),
        moved=np.empty(moves * n_tuples, dtype=np.int32),
        origins=np.empty(moves * n_tuples, dtype=np.int32),
        tried=np.full(n, NOBODY, dtype=np.int64),
        changed=np.zeros(n, dtype=np.int64),
        numbers=np.zeros(3, dtype=np.int64),
    )


@kernel
def open_better(patterns, assigned, attempt, k, first, end):
    """Try to open the patterns from ``first`` to before ``end``; what that saved."""
    saved = 0
    for pattern in range(first, end):
        if _is_worth_trying(patterns, assigned, attempt, pattern, k):
            saved += _try_to_open(patterns, assigned, attempt, pattern, k)
            attempt.tried[pattern] = attempt.numbers[STAMP]
    return saved


@kernel
def settle(patterns, assigned, attempt, k):
    """Move tuples that their group can spare to cheaper open patterns, and close groups; what that saved."""
    saved = 0
    attempt.numbers[STAMP] += 1
    for each in range(len(assigned.of_tuple)):
        own = np.int64(assigned.of_tuple[each])
        if assigned.sizes[own] - assigned.weights[each] >= k:
            better = cheapest_open(patterns, assigned, each, np.int64(NOBODY))
            if patterns.costs[better] < patterns.costs[own]:
                saved += assigned.weights[each] * (patterns.costs[own] - patterns.costs[better])
                assign(assigned, each, better)
                attempt.changed[own] = attempt.changed[better] = attempt.numbers[STAMP]
    for group in range(len(patterns.costs) - 1, -1, -1):
        if assigned.sizes[group] > 0:
            loss = _cost_of_closing(patterns, assigned, attempt, group, np.int64(0))
            if loss < 0:
                attempt.numbers[MOVED] = 0
                saved -= _close(patterns, assigned, attempt, group)
                _note_moves(assigned, attempt)
    return saved


@step
def serves_anybody(patterns, assigned, pattern):
    """Whether some tuple would cost less under a pattern than it does now."""
    at, end = patterns.starts[pattern], patterns.starts[pattern + 1]
    cost = patterns.costs[pattern]
    while at < end and patterns.costs[assigned.of_tuple[patterns.tuples[at]]] <= cost:
        at += 1
    return at < end


@step
def _is_worth_trying(patterns, assigned, attempt, pattern, k):
    """Whether a matching tuple has moved since the last try, and opening may save more than it must cost.

    The gain comes from rows that cost more where they are. If these are fewer than k, others must make up the
    number, and each of those loses at least as much as the costliest of them.
    """
    cost, rows, gain = patterns.costs[pattern], assigned.sizes[pattern], np.int64(0)
    costliest, changed = np.int64(NOBODY), False
    for at in range(patterns.starts[pattern], patterns.starts[pattern + 1]):
        each = patterns.tuples[at]
        own = np.int64(assigned.of_tuple[each])
        changed |= attempt.changed[own] > attempt.tried[pattern]
        # Patterns are numbered by cost.
        if own > pattern and patterns.costs[own] > cost:
            gain += assigned.weights[each] * (patterns.costs[own] - cost)
            rows += assigned.weights[each]
        elif own != pattern:
            costliest = max(costliest, own)
    if not changed or gain == 0:
        return False
    return rows >= k or (
        costliest != NOBODY and gain > (k - rows) * (cost - patterns.costs[costliest])
    )


@step
def _try_to_open(patterns, assigned, attempt, pattern, k):
    """Open a pattern if that saves something; what it saved."""
    touch(patterns, assigned, attempt, pattern)
    gain, rows = np.int64(0), assigned.sizes[pattern]
    for at in range(attempt.numbers[TOUCHED]):
        group = np.int64(attempt.touched[at])
        each = patterns.costs[group] - patterns.costs[pattern]
        if each <= 0:
            continue
        left = assigned.sizes[group] - attempt.counts[group]
        spare = assigned.sizes[group] - k
        taken, gained = attempt.counts[group], attempt.counts[group] * each
        attempt.gives[group] = ALL
        if 0 < left < k:
            attempt.gives[group] = CLOSE
            limit = gained - spare * each
            gained -= _cost_of_closing(patterns, assigned, attempt, group, limit)
            if gained <= spare * each:
                attempt.gives[group] = SPARE
                taken, gained = spare, spare * each
        gain += gained
        rows += taken
    if gain > 0 and rows < k:
        gain -= _fill_up(patterns, assigned, attempt, pattern, k, k - rows, gain)
    if gain <= 0:
        return np.int64(0)
    return _open(patterns, assigned, attempt, pattern, k)


@step
def touch(patterns, assigned, attempt, pattern):
    """Note which groups have tuples that match a pattern, and how many rows."""
    attempt.numbers[STAMP] += 1
    stamp, touched = attempt.numbers[STAMP], 0
    for at in range(patterns.starts[pattern], patterns.starts[pattern + 1]):
        each = patterns.tuples[at]
        group = assigned.of_tuple[each]
        attempt.inside[each] = stamp
        if group == pattern:
            continue
        if attempt.stamps[group] != stamp:
            attempt.stamps[group] = stamp
            attempt.counts[group] = 0
            attempt.gives[group] = NOTHING
            attempt.touched[touched] = group
            touched += 1
        attempt.counts[group] += assigned.weights[each]
    attempt.numbers[TOUCHED] = touched


@step
def _cost_of_closing(patterns, assigned, attempt, group, limit):
    """The cost of sending the other tuples of a group elsewhere; above ``limit``, perhaps only a part."""
    cost = np.int64(0)
    each = np.int64(assigned.heads[group])
    while each != NOBODY and cost <= limit:
        if attempt.inside[each] != attempt.numbers[STAMP]:
            other = cheapest_open(patterns, assigned, each, group)
            if other == NOBODY:
                cost = np.int64(INFINITY)
            else:
                cost += assigned.weights[each] * (patterns.costs[other] - patterns.costs[group])
        each = np.int64(assigned.following[each])
    return cost


@step
def _fill_up(patterns, assigned, attempt, pattern, k, lacking, limit):
    """Decide which cheaper groups give what a pattern lacks: one everything, or several what they can spare.

    Returns what that costs; more than ``limit`` if it cannot be done.
    """
    cost = patterns.costs[pattern]
    joining, cost_of_joining = np.int64(NOBODY), limit + 1
    for at in range(attempt.numbers[TOUCHED]):
        group = np.int64(attempt.touched[at])
        loss = attempt.counts[group] * (cost - patterns.costs[group])
        if attempt.gives[group] != NOTHING or attempt.counts[group] < lacking:
            continue
        if 0 < assigned.sizes[group] - attempt.counts[group] < k and loss < cost_of_joining:
            rest = cost_of_joining - loss
            loss += _cost_of_closing(patterns, assigned, attempt, group, rest)
        if loss < cost_of_joining:
            joining, cost_of_joining = group, loss
    cost_of_sparing = np.int64(0)
    while lacking > 0 and cost_of_sparing < cost_of_joining:
        # The costliest first: they lose least. Patterns are numbered by cost.
        costliest = np.int64(NOBODY)
        for at in range(attempt.numbers[TOUCHED]):
            group = np.int64(attempt.touched[at])
            if attempt.gives[group] == NOTHING and assigned.sizes[group] > k and group > costliest:
                costliest = group
        if costliest == NOBODY:
            break
        attempt.gives[costliest] = SPARE
        given = min(lacking, assigned.sizes[costliest] - k, attempt.counts[costliest])
        cost_of_sparing += given * (cost - patterns.costs[costliest])
        lacking -= given
    if lacking <= 0 and cost_of_sparing <= cost_of_joining:
        return cost_of_sparing
    if joining != NOBODY:
        for at in range(attempt.numbers[TOUCHED]):
            if patterns.costs[attempt.touched[at]] <= cost:
                attempt.gives[attempt.touched[at]] = NOTHING
        left = assigned.sizes[joining] - attempt.counts[joining]
        attempt.gives[joining] = CLOSE if left < k else ALL
    return cost_of_joining


@step
def _open(patterns, assigned, attempt, pattern, k):
    """Do what was decided, or undo it if the groups interfere with each other; what it saved."""
    attempt.numbers[MOVED] = 0
    saved, cost = np.int64(0), patterns.costs[pattern]
    for at in range(patterns.starts[pattern], patterns.starts[pattern + 1]):
        each = np.int64(patterns.tuples[at])
        group = np.int64(assigned.of_tuple[each])
        if group == pattern or attempt.gives[group] == NOTHING:
            continue
        if attempt.gives[group] == SPARE:
            filled = patterns.costs[group] <= cost and assigned.sizes[pattern] >= k
            if filled or assigned.sizes[group] - assigned.weights[each] < k:
                continue
        saved += assigned.weights[each] * (patterns.costs[group] - cost)
        _move(assigned, attempt, each, pattern)
    for at in range(attempt.numbers[TOUCHED]):
        group = np.int64(attempt.touched[at])
        if attempt.gives[group] == CLOSE:
            saved -= _close(patterns, assigned, attempt, group)
    if saved > 0 and assigned.sizes[pattern] >= k:
        _note_moves(assigned, attempt)
        return saved
    while attempt.numbers[MOVED] > 0:
        attempt.numbers[MOVED] -= 1
        last = attempt.numbers[MOVED]
        assign(assigned, np.int64(attempt.moved[last]), np.int64(attempt.origins[last]))
    return np.int64(0)


@step
def _close(patterns, assigned, attempt, group):
    """Send the tuples of a group to their cheapest other open patterns; what that costs."""
    cost = np.int64(0)
    each = np.int64(assigned.heads[group])
    while each != NOBODY:
        after = np.int64(assigned.following[each])
        other = cheapest_open(patterns, assigned, each, group)
        if other == NOBODY:
            return np.int64(INFINITY)
        cost += assigned.weights[each] * (patterns.costs[other] - patterns.costs[group])
        _move(assigned, attempt, each, other)
        each = after
    return cost


@step
def _move(assigned, attempt, each, pattern):
    """Move a tuple, and remember where it came from."""
    at = attempt.numbers[MOVED]
    attempt.moved[at] = each
    attempt.origins[at] = assigned.of_tuple[each]
    attempt.numbers[MOVED] = at + 1
    assign(assigned, each, pattern)


@step
def _note_moves(assigned, attempt):
    """Note which groups the last attempt changed."""
    for at in range(attempt.numbers[MOVED]):
        attempt.changed[attempt.origins[at]] = attempt.numbers[STAMP]
        attempt.changed[assigned.of_tuple[attempt.moved[at]]] = attempt.numbers[STAMP]
