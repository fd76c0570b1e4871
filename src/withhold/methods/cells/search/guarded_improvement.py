"""Better assignments under requirements beyond k: as in ``improvement``, but every move is tested.

A pattern is opened by moving tuples there, group by group. Unless all groups are valid in the end and
something is saved, the moves are taken back.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.jit import kernel, routine
from withhold.methods.cells.nodes import NOBODY
from withhold.methods.cells.search.guarded import (
    K,
    can_leave,
    cheapest_admitting,
    is_valid,
    lacks,
    lacks_with,
    move,
    place,
    take_back,
)
from withhold.methods.cells.search.improvement import (
    INFINITY,
    MOVED,
    STAMP,
    TOUCHED,
    serves_anybody,
    touch,
)


@kernel
def assign_valid_groups(state):
    """Open the patterns whose unassigned rows form a valid group, cheapest first, and assign these rows."""
    patterns, of_tuple = state.patterns, state.assigned.of_tuple
    for pattern in range(len(patterns.costs)):
        rows = np.int64(0)
        for at in range(patterns.starts[pattern], patterns.starts[pattern + 1]):
            if of_tuple[patterns.tuples[at]] == NOBODY:
                rows += state.assigned.weights[patterns.tuples[at]]
        if rows < state.numbers[K]:
            continue
        state.attempt.numbers[MOVED] = 0
        for at in range(patterns.starts[pattern], patterns.starts[pattern + 1]):
            if of_tuple[patterns.tuples[at]] == NOBODY:
                move(state, np.int64(patterns.tuples[at]), np.int64(pattern))
        _trim(state, np.int64(pattern))
        if not is_valid(state, np.int64(pattern)):
            take_back(state, np.int64(0))


@routine
def _trim(state, pattern):
    """Take out tuples without which a group is closer to valid, until it is valid."""
    lacking = lacks(state, pattern)
    each = np.int64(state.assigned.heads[pattern])
    while each != NOBODY and lacking > 0.0:
        after = np.int64(state.assigned.following[each])
        if state.assigned.sizes[pattern] - state.assigned.weights[each] >= state.numbers[K]:
            without = lacks_with(state, pattern, each, -1)
            if without < lacking:
                lacking = without
                move(state, each, np.int64(NOBODY))
        each = after


@kernel
def assign_the_rest(state):
    """Give every tuple that is left its cheapest open pattern that stays valid, else the last one.

    All rows match the last one. If it is invalid then, other groups give it the tuples that they can spare,
    the costliest group first. If that is not enough, whole groups join it, at worst all of them.
    """
    assigned = state.assigned
    last = np.int64(len(state.patterns.costs) - 1)
    for each in range(len(assigned.of_tuple)):
        if assigned.of_tuple[each] == NOBODY:
            pattern = cheapest_admitting(state, each, last)
            place(state, np.int64(each), last if pattern == NOBODY else pattern)
    for sparing in (True, False):
        group = last
        while group > 0 and assigned.sizes[last] > 0 and not is_valid(state, last):
            group -= 1
            each = np.int64(assigned.heads[group])
            while each != NOBODY:
                after = np.int64(assigned.following[each])
                if not sparing or (_helps(state, last, each) and can_leave(state, each)):
                    place(state, each, last)
                each = after


@routine
def _helps(state, pattern, each):
    """Whether one more tuple brings an invalid group closer to valid."""
    lacking = lacks(state, pattern)
    if lacking > 0.0:
        return lacks_with(state, pattern, each, 1) < lacking
    return state.assigned.sizes[pattern] < state.numbers[K]


@kernel
def open_guarded(state, first, end):
    """Try to open the patterns from ``first`` to before ``end``; what that saved."""
    saved = 0
    for pattern in range(first, end):
        if serves_anybody(state.patterns, state.assigned, pattern):
            saved += _try_to_open(state, np.int64(pattern))
    return saved


@kernel
def settle_guarded(state):
    """Move tuples to cheaper open patterns, and close groups, so that all stay valid; what that saved."""
    saved, costs, assigned = 0, state.patterns.costs, state.assigned
    for each in range(len(assigned.of_tuple)):
        own = np.int64(assigned.of_tuple[each])
        better = cheapest_admitting(state, each, own)
        if better != NOBODY and costs[better] < costs[own] and can_leave(state, each):
            saved += assigned.weights[each] * (costs[own] - costs[better])
            place(state, np.int64(each), better)
    state.attempt.numbers[STAMP] += 1
    for group in range(len(costs) - 1, -1, -1):
        if assigned.sizes[group] > 0:
            state.attempt.numbers[MOVED] = 0
            cost = _close(state, np.int64(group), np.int64(-1))
            if cost < 0:
                saved -= cost
            else:
                take_back(state, np.int64(0))
    return saved


@routine
def _try_to_open(state, pattern):
    """Open a pattern if that saves something; what it saved."""
    attempt, costs = state.attempt, state.patterns.costs
    touch(state.patterns, state.assigned, attempt, pattern)
    attempt.numbers[MOVED] = 0
    gain = np.int64(0)
    for at in range(attempt.numbers[TOUCHED]):
        group = np.int64(attempt.touched[at])
        if costs[group] > costs[pattern]:
            gain += _take(state, group, pattern)
    if gain > 0 and not is_valid(state, pattern):
        gain = _fill_up(state, pattern, gain)
    if gain > 0 and is_valid(state, pattern):
        return gain
    take_back(state, np.int64(0))
    return np.int64(0)


@routine
def _take(state, group, pattern):
    """Move all matching tuples of a group or those it can spare, whichever saves more; how much it saves."""
    mark = state.attempt.numbers[MOVED]
    if mark + 2 * len(state.assigned.of_tuple) > len(state.attempt.moved):
        return np.int64(0)
    each_saves = state.patterns.costs[group] - state.patterns.costs[pattern]
    spare = min(state.assigned.sizes[group] - state.numbers[K], state.attempt.counts[group])
    gained = _take_whole(state, group, pattern, np.int64(0))
    if gained >= spare * each_saves:
        return gained
    take_back(state, mark)
    spared = _take_tuples(state, group, pattern, True) * each_saves
    if gained <= spared:
        return spared
    take_back(state, mark)
    return _take_whole(state, group, pattern, np.int64(0))


@routine
def _take_whole(state, group, pattern, limit):
    """Move all matching tuples of a group, and close the group if the rest is invalid; what that saves.

    If closing costs more than the gain plus ``limit``, the result is so low that the caller undoes the moves.
    """
    each_saves = state.patterns.costs[group] - state.patterns.costs[pattern]
    gained = _take_tuples(state, group, pattern, False) * each_saves
    if state.assigned.sizes[group] == 0 or is_valid(state, group):
        return gained
    return gained - _close(state, group, max(gained + limit, np.int64(0)))


@routine
def _take_tuples(state, group, pattern, spared):
    """Move to a pattern those tuples of a group that match it, or only those it can spare; how many rows."""
    rows = np.int64(0)
    each = np.int64(state.assigned.heads[group])
    while each != NOBODY and not (spared and state.assigned.sizes[group] <= state.numbers[K]):
        after = np.int64(state.assigned.following[each])
        matches = state.attempt.inside[each] == state.attempt.numbers[STAMP]
        if matches and (not spared or can_leave(state, each)):
            rows += state.assigned.weights[each]
            move(state, each, pattern)
        each = after
    return rows


@routine
def _close(state, group, limit):
    """Send the tuples of a group to other open patterns; the cost, INFINITY if it exceeds a ``limit`` ≥ 0."""
    assigned, costs = state.assigned, state.patterns.costs
    cost = np.int64(0)
    each = np.int64(assigned.heads[group])
    while each != NOBODY:
        after = np.int64(assigned.following[each])
        other = cheapest_admitting(state, each, group)
        if other == NOBODY:
            return np.int64(INFINITY)
        cost += assigned.weights[each] * (costs[other] - costs[group])
        if limit >= 0 and cost > limit:
            return np.int64(INFINITY)
        move(state, each, other)
        each = after
    return cost


@routine
def _fill_up(state, pattern, gain):
    """Let cheaper groups give a pattern what it lacks: what each can spare, or else one of them everything.

    Returns what is left of the gain.
    """
    attempt, assigned, costs = state.attempt, state.assigned, state.patterns.costs
    mark, left = attempt.numbers[MOVED], gain
    for at in range(attempt.numbers[TOUCHED]):
        group = np.int64(attempt.touched[at])
        if costs[group] > costs[pattern] or assigned.sizes[group] <= state.numbers[K]:
            continue
        each = np.int64(assigned.heads[group])
        while each != NOBODY and left > 0 and not is_valid(state, pattern):
            after = np.int64(assigned.following[each])
            is_inside = attempt.inside[each] == attempt.numbers[STAMP]
            if is_inside and _helps(state, pattern, each) and can_leave(state, each):
                left -= assigned.weights[each] * (costs[pattern] - costs[group])
                move(state, each, pattern)
            each = after
    if left > 0 and is_valid(state, pattern):
        return left
    take_back(state, mark)
    for at in range(attempt.numbers[TOUCHED]):
        group = np.int64(attempt.touched[at])
        loss = attempt.counts[group] * (costs[pattern] - costs[group])
        if costs[group] > costs[pattern] or assigned.sizes[group] == 0 or loss >= gain:
            continue
        left = gain + _take_whole(state, group, pattern, gain)
        if left > 0 and is_valid(state, pattern):
            return left
        take_back(state, mark)
    return np.int64(0)
