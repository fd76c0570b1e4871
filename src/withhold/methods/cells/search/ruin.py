"""Moves that polish an assignment by ruin and recreate: dissolve groups around a costly tuple, rebuild them.

The tuples of these groups, 4 to 12 k rows, are assigned again, to the cheapest patterns first, with some
noise on what patterns cost. A move that costs more than it saves, or leaves a tuple without a group, is
undone. So all groups are valid after every move, and no move makes the release worse.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import kernel, routine, step
from withhold.methods.cells.nodes import NOBODY
from withhold.methods.cells.search.guarded import (
    Guarded,
    K,
    admits,
    can_leave,
    cheapest_admitting,
    is_valid,
    move,
    place,
    take_back,
)
from withhold.methods.cells.search.improvement import MOVED

N_COMPARED = 3
"""This many tuples are drawn, of which the costliest is taken."""
LEAST_K, MORE_K = 4, 9
"""A move dissolves at least 4 k rows, and up to 8 k more."""
NOISE = 15
"""How far costs are changed at random, in percent, up or down."""
MOST_PAIRS = 1 << 18
DRAW, N_LOOSE, N_FOUND, N_PAIRS = 0, 1, 2, 3
"""Places in ``Ruin.numbers``."""


class Ruin(NamedTuple):
    """Scratch for moves."""

    loose: Any
    """The tuples that have no group for now, int32."""
    found: Any
    """The patterns that may take them; a heap by their noisy costs, int32."""
    noisy: Any
    """By pattern: what it costs with noise, int64."""
    heads: Any
    """By pattern: its first pair, or -1, int32. A pair is a loose tuple that matches it, in a linked list."""
    pair_tuples: Any
    """By pair: the loose tuple, int32."""
    pair_nexts: Any
    """By pair: the next pair of the same pattern, or -1, int32."""
    numbers: Any
    """The state of the draw; how many loose tuples, found patterns and pairs there are, int64."""


def make_ruin(state: Guarded, seed: int) -> Ruin:
    """Scratch, and a generator of random numbers that depends on the seed alone."""
    n, n_patterns = len(state.assigned.of_tuple), len(state.patterns.costs)
    first = int(np.random.default_rng([seed, 1]).integers(1, 2**31 - 2))
    return Ruin(
        loose=np.empty(n, dtype=np.int32),
        found=np.empty(n_patterns, dtype=np.int32),
        noisy=np.empty(n_patterns, dtype=np.int64),
        heads=np.full(n_patterns, NOBODY, dtype=np.int32),
        pair_tuples=np.empty(MOST_PAIRS, dtype=np.int32),
        pair_nexts=np.empty(MOST_PAIRS, dtype=np.int32),
        numbers=np.array([first, 0, 0, 0], dtype=np.int64),
    )


@kernel
def place_all(state, patterns):
    """Assign every tuple to its pattern."""
    for each in range(len(patterns)):
        place(state, np.int64(each), np.int64(patterns[each]))


@kernel
def polish_groups(state, ruin, n_moves):
    """Make ``n_moves`` moves; what they saved."""
    saved = np.int64(0)
    for _ in range(n_moves):
        state.attempt.numbers[MOVED] = 0
        before = _dissolve(state, ruin)
        _find_patterns(state, ruin)
        after = _rebuild(state, ruin)
        if after == NOBODY or after > before:
            take_back(state, np.int64(0))
        else:
            saved += before - after
    return saved


@step
def _draw(ruin, n):
    """A random number below n, by the Lehmer generator (Park and Miller's MINSTD)."""
    ruin.numbers[DRAW] = ruin.numbers[DRAW] * 48271 % 2147483647
    return ruin.numbers[DRAW] % n


@routine
def _dissolve(state, ruin):
    """Take tuples out of their groups, around a costly one; what they cost there."""
    patterns, assigned = state.patterns, state.assigned
    ruin.numbers[N_LOOSE] = 0
    costly = _draw(ruin, len(assigned.of_tuple))
    for _ in range(N_COMPARED - 1):
        other = _draw(ruin, len(assigned.of_tuple))
        if patterns.costs[assigned.of_tuple[other]] > patterns.costs[assigned.of_tuple[costly]]:
            costly = other
    most = state.numbers[K] * (LEAST_K + _draw(ruin, MORE_K))
    # Its partners are tuples that match one of its patterns; if possible, one that is cheaper than its own.
    own = assigned.of_tuple[costly]
    first, n_cheaper = patterns.tuple_starts[costly], 0
    while first + n_cheaper < patterns.tuple_starts[costly + 1] - 1:
        if patterns.of_tuple[first + n_cheaper] >= own:
            break
        n_cheaper += 1
    pattern = patterns.of_tuple[first + _draw(ruin, max(n_cheaper, 1))]
    rows, cost = _loosen(state, ruin, np.int64(costly), most)
    start, n = patterns.starts[pattern], patterns.starts[pattern + 1] - patterns.starts[pattern]
    offset = _draw(ruin, n)
    for number in range(n):
        each = np.int64(patterns.tuples[start + (offset + number) % n])
        if rows < most and assigned.of_tuple[each] != NOBODY:
            more, price = _loosen(state, ruin, each, most)
            rows += more
            cost += price
    return cost


@routine
def _loosen(state, ruin, each, most):
    """Take out the whole group of a tuple; of one with over ``most`` rows the tuple alone, if it can leave.

    Returns how many rows were taken out, and what they cost there.
    """
    assigned = state.assigned
    own = np.int64(assigned.of_tuple[each])
    rows = np.int64(0)
    if assigned.sizes[own] > most:
        if can_leave(state, each):
            rows = _take_out(state, ruin, each)
    else:
        member = np.int64(assigned.heads[own])
        while member != NOBODY:
            after = np.int64(assigned.following[member])
            rows += _take_out(state, ruin, member)
            member = after
    return rows, rows * state.patterns.costs[own]


@step
def _take_out(state, ruin, each):
    """Take a tuple out of its group; how many rows."""
    move(state, each, np.int64(NOBODY))
    ruin.loose[ruin.numbers[N_LOOSE]] = each
    ruin.numbers[N_LOOSE] += 1
    return state.assigned.weights[each]


@routine
def _find_patterns(state, ruin):
    """Note which patterns loose tuples match, up to the cheapest open one of each, with noisy costs."""
    patterns = state.patterns
    ruin.numbers[N_FOUND] = ruin.numbers[N_PAIRS] = 0
    for number in range(ruin.numbers[N_LOOSE]):
        each = ruin.loose[number]
        for at in range(patterns.tuple_starts[each], patterns.tuple_starts[each + 1]):
            if ruin.numbers[N_PAIRS] == MOST_PAIRS:
                break
            pattern = patterns.of_tuple[at]
            pair = ruin.numbers[N_PAIRS]
            if ruin.heads[pattern] == NOBODY:
                noise = 100 - NOISE + _draw(ruin, 2 * NOISE + 1)
                ruin.noisy[pattern] = patterns.costs[pattern] * noise // 100
                _push(ruin, pattern)
            ruin.pair_tuples[pair] = each
            ruin.pair_nexts[pair] = ruin.heads[pattern]
            ruin.heads[pattern] = pair
            ruin.numbers[N_PAIRS] = pair + 1
            if state.assigned.sizes[pattern] > 0:
                break


@routine
def _rebuild(state, ruin):
    """Give the loose tuples to the patterns that were found; what they cost then, or -1 if one is left."""
    assigned, costs = state.assigned, state.patterns.costs
    while ruin.numbers[N_FOUND] > 0:
        pattern = np.int64(_pop(ruin))
        is_open, mark = assigned.sizes[pattern] > 0, state.attempt.numbers[MOVED]
        pair = ruin.heads[pattern]
        ruin.heads[pattern] = NOBODY
        while pair != NOBODY:
            each = np.int64(ruin.pair_tuples[pair])
            if assigned.of_tuple[each] == NOBODY and (not is_open or admits(state, pattern, each)):
                move(state, each, pattern)
            pair = ruin.pair_nexts[pair]
        if not is_open and assigned.sizes[pattern] > 0 and not is_valid(state, pattern):
            take_back(state, mark)
    cost = np.int64(0)
    for number in range(ruin.numbers[N_LOOSE]):
        each = np.int64(ruin.loose[number])
        if assigned.of_tuple[each] == NOBODY:
            pattern = cheapest_admitting(state, each, np.int64(NOBODY))
            if pattern == NOBODY:
                return np.int64(NOBODY)
            move(state, each, pattern)
        cost += assigned.weights[each] * costs[assigned.of_tuple[each]]
    return cost


@step
def _is_before(ruin, one, other):
    """The order of the heap: the cheapest first, then the lower number."""
    return ruin.noisy[one] < ruin.noisy[other] or (
        ruin.noisy[one] == ruin.noisy[other] and one < other
    )


@step
def _push(ruin, pattern):
    """Put a pattern onto the heap."""
    at = ruin.numbers[N_FOUND]
    while at > 0 and _is_before(ruin, pattern, ruin.found[(at - 1) // 2]):
        ruin.found[at] = ruin.found[(at - 1) // 2]
        at = (at - 1) // 2
    ruin.found[at] = pattern
    ruin.numbers[N_FOUND] += 1


@step
def _pop(ruin):
    """Take the first pattern off the heap."""
    ruin.numbers[N_FOUND] -= 1
    n = ruin.numbers[N_FOUND]
    first, moved, at, child = ruin.found[0], ruin.found[n], 0, 1
    while child < n:
        if child + 1 < n and _is_before(ruin, ruin.found[child + 1], ruin.found[child]):
            child += 1
        if not _is_before(ruin, ruin.found[child], moved):
            break
        ruin.found[at] = ruin.found[child]
        at, child = child, 2 * child + 1
    ruin.found[at] = moved
    return first
