"""Groups that must meet requirements beyond their size, while tuples move between them.

With requirements beyond k a group is *right* if it has at least k rows and lacks nothing of the sensitive
columns. Both joining and leaving can make it wrong: different values stay when a tuple joins, but an entropy
or a distance may suffer, since the tuple alone is not right. So the values of every open group are counted,
every move is tested on these counts, and a log of moves is kept, so that they can be taken back.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import routine, step
from withhold.data.array_types import Ints, Longs
from withhold.methods.cells.nodes import NOBODY
from withhold.methods.cells.patterns import Patterns
from withhold.methods.cells.search.assignment import assign, take_out, unassigned
from withhold.methods.cells.search.improvement import MOVED, make_attempt
from withhold.methods.cells.search.limits import DISTINCT, Limits, shortfall

K, FREE, GROWS = 0, 1, 2
MOVES = 4
"""Room for this many moves of each tuple within one attempt."""


class Guarded(NamedTuple):
    """An assignment, and what its groups show; changed in place."""

    patterns: Any
    assigned: Any
    attempt: Any
    limits: Any
    values: Any
    """By tuple and sensitive column: its value in the numbering of the limits, int32."""
    slots: Any
    """By pattern: where its group is counted, or -1, int32."""
    counts: Any
    """By slot and value: how many rows, int32; the last slot is always empty."""
    free: Any
    """The slots that no group uses come first, int32."""
    numbers: Any
    """k; how many slots are free; 1 if a group that is right stays right whatever joins it, int64."""


def guard(patterns: Patterns, weights: Longs, limits: Limits, values: Ints, k: int) -> Guarded:
    """Nobody assigned yet."""
    # Every open group is right but the one that is being opened, and perhaps the last of all.
    n_slots = int(weights.sum()) // k + 3
    grows = not limits.numbers[DISTINCT + 1 :].any()
    return Guarded(
        patterns,
        unassigned(patterns, weights),
        make_attempt(patterns, len(weights), MOVES),
        limits,
        values,
        slots=np.full(len(patterns.costs), NOBODY, dtype=np.int32),
        counts=np.zeros((n_slots + 1, len(limits.totals)), dtype=np.int32),
        free=np.arange(n_slots, dtype=np.int32),
        numbers=np.array([k, n_slots, grows], dtype=np.int64),
    )


@routine
def place(state, each, pattern):
    """Move a tuple to a pattern, or out of all if that is -1, and count its values there."""
    own = np.int64(state.assigned.of_tuple[each])
    if own != NOBODY:
        _count(state, own, each, -1)
        take_out(state.assigned, each)
        if state.assigned.heads[own] == NOBODY:
            state.free[state.numbers[FREE]] = state.slots[own]
            state.numbers[FREE] += 1
            state.slots[own] = NOBODY
    if pattern != NOBODY:
        if state.slots[pattern] == NOBODY:
            state.numbers[FREE] -= 1
            state.slots[pattern] = state.free[state.numbers[FREE]]
        assign(state.assigned, each, pattern)
        _count(state, pattern, each, 1)


@routine
def move(state, each, pattern):
    """Move a tuple, and remember where it came from."""
    at = state.attempt.numbers[MOVED]
    state.attempt.moved[at] = each
    state.attempt.origins[at] = state.assigned.of_tuple[each]
    state.attempt.numbers[MOVED] = at + 1
    place(state, each, pattern)


@routine
def take_back(state, mark):
    """Undo all moves made since there were this many."""
    while state.attempt.numbers[MOVED] > mark:
        state.attempt.numbers[MOVED] -= 1
        last = state.attempt.numbers[MOVED]
        place(state, np.int64(state.attempt.moved[last]), np.int64(state.attempt.origins[last]))


@step
def lacks(state, pattern):
    """How far an open group is from what it must show, apart from its size; 0 if it lacks nothing."""
    n = state.assigned.sizes[pattern]
    return shortfall(state.limits, state.counts, state.slots[pattern], len(state.counts) - 1, n)


@routine
def is_right(state, pattern):
    """Whether an open group has k rows and lacks nothing."""
    return state.assigned.sizes[pattern] >= state.numbers[K] and lacks(state, pattern) == 0.0


@routine
def lacks_with(state, pattern, each, sign):
    """How far a group would be from what it must show with a tuple more (1) or fewer (-1)."""
    _count(state, pattern, each, sign)
    n = state.assigned.sizes[pattern] + sign * state.assigned.weights[each]
    found = shortfall(state.limits, state.counts, state.slots[pattern], len(state.counts) - 1, n)
    _count(state, pattern, each, -sign)
    return found


@step
def admits(state, pattern, each):
    """Whether a group that is right stays right with one more tuple."""
    return state.numbers[GROWS] == 1 or lacks_with(state, pattern, each, 1) == 0.0


@routine
def can_leave(state, each):
    """Whether the group of a tuple stays right without it."""
    own = np.int64(state.assigned.of_tuple[each])
    left = state.assigned.sizes[own] - state.assigned.weights[each]
    return left >= state.numbers[K] and lacks_with(state, own, each, -1) == 0.0


@routine
def cheapest_admitting(state, each, other_than):
    """The cheapest open pattern that a tuple matches and that stays right with it, other than one; or -1."""
    patterns = state.patterns
    for at in range(patterns.tuple_starts[each], patterns.tuple_starts[each + 1]):
        pattern = np.int64(patterns.of_tuple[at])
        is_open = pattern != other_than and state.assigned.sizes[pattern] > 0
        if is_open and admits(state, pattern, each):
            return pattern
    return np.int64(NOBODY)


@step
def _count(state, pattern, each, sign):
    slot, rows = state.slots[pattern], state.assigned.weights[each]
    for column in range(state.values.shape[1]):
        state.counts[slot, state.values[each, column]] += sign * rows
