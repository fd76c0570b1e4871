"""Groups that must meet requirements beyond their size, while tuples move between them.

A group is *valid* if it has at least k rows and meets the requirements on the sensitive columns. It can
become invalid when a tuple leaves, and also when one joins: the number of different values never falls then,
but an entropy may fall or a distance grow, since the tuple alone is not a valid group. So the values of every
open group are counted, every move is tested on these counts, and moves are logged, so that they can be
undone.
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
"""Places in ``Guarded.numbers``."""
MOVES = 4
"""The log of one attempt has room for this many moves per tuple."""


class Guarded(NamedTuple):
    """An assignment, and what its groups show; changed in place."""

    patterns: Any
    assigned: Any
    attempt: Any
    """The log of moves, and what opening a pattern needs."""
    limits: Any
    values: Any
    """By tuple and sensitive column: its value, numbered as in the limits, int32."""
    slots: Any
    """By pattern: where its group is counted, or -1, int32."""
    counts: Any
    """By slot and value: how many rows, int32; the last slot is always empty."""
    free: Any
    """The slots that no group uses come first, int32."""
    numbers: Any
    """k; how many slots are free; 1 if a valid group stays valid whatever joins it, int64."""


def make_guarded(
    patterns: Patterns, weights: Longs, limits: Limits, values: Ints, k: int
) -> Guarded:
    """A guarded assignment in which no tuple is assigned yet."""
    # All open groups are valid except the one being opened, and perhaps the last of all.
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
    """Undo all moves but the first ``mark``."""
    while state.attempt.numbers[MOVED] > mark:
        state.attempt.numbers[MOVED] -= 1
        last = state.attempt.numbers[MOVED]
        place(state, np.int64(state.attempt.moved[last]), np.int64(state.attempt.origins[last]))


@step
def lacks(state, pattern):
    """How far an open group is from meeting the requirements, apart from its size; 0 if it meets them."""
    n = state.assigned.sizes[pattern]
    return shortfall(state.limits, state.counts, state.slots[pattern], len(state.counts) - 1, n)


@routine
def is_valid(state, pattern):
    """Whether an open group has k rows and meets the requirements."""
    return state.assigned.sizes[pattern] >= state.numbers[K] and lacks(state, pattern) == 0.0


@routine
def lacks_with(state, pattern, each, sign):
    """How far a group would be from meeting the requirements with a tuple more (1) or less (-1)."""
    _count(state, pattern, each, sign)
    n = state.assigned.sizes[pattern] + sign * state.assigned.weights[each]
    found = shortfall(state.limits, state.counts, state.slots[pattern], len(state.counts) - 1, n)
    _count(state, pattern, each, -sign)
    return found


@step
def admits(state, pattern, each):
    """Whether a valid group stays valid with one more tuple."""
    return state.numbers[GROWS] == 1 or lacks_with(state, pattern, each, 1) == 0.0


@routine
def can_leave(state, each):
    """Whether the group of a tuple stays valid without it."""
    own = np.int64(state.assigned.of_tuple[each])
    left = state.assigned.sizes[own] - state.assigned.weights[each]
    return left >= state.numbers[K] and lacks_with(state, own, each, -1) == 0.0


@routine
def cheapest_admitting(state, each, other_than):
    """The cheapest open pattern that a tuple matches and that stays valid with it, other than one; or -1."""
    patterns = state.patterns
    for at in range(patterns.tuple_starts[each], patterns.tuple_starts[each + 1]):
        pattern = np.int64(patterns.of_tuple[at])
        is_open = pattern != other_than and state.assigned.sizes[pattern] > 0
        if is_open and admits(state, pattern, each):
            return pattern
    return np.int64(NOBODY)


@step
def _count(state, pattern, each, sign):
    """Add the sensitive values of a tuple to the counts of a group, or subtract them."""
    slot, rows = state.slots[pattern], state.assigned.weights[each]
    for column in range(state.values.shape[1]):
        state.counts[slot, state.values[each, column]] += sign * rows
