"""Which schemes are worth grouping rows by, learned from a sample of the rows.

For a sampled row, the rows that share its pattern are counted for all schemes at once: a histogram of the
lowest levels at which rows agree with it, summed up over the lattice of schemes. Schemes are then chosen
greedily: for every sampled row and several sizes of group, the cheapest chosen pattern of that size should be
as cheap as the cheapest of all.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import kernel, routine, step
from withhold.data.array_types import Longs
from withhold.methods.cells.schemes import Lattice, levels_of, number_of_schemes
from withhold.methods.cells.search.assignment import pop, push

SAMPLED_FLAT, SAMPLED = 200, 1000
"""Rows that are sampled, without and with hierarchies."""
TIMES_K_FLAT = (1, 3, 9, 27, 81)
TIMES_K = (1, 1.5, 2, 3, 4, 6, 8, 12, 16, 32, 64)
"""The sizes of group that schemes are chosen for, in times k. A row that is alone with its pattern at k may
find no partners left, and then needs one that many rows match."""

WORTH_FLAT, WORTH = 2**62, 200_000
"""A scheme that saves at most one part in this many of what the others have saved is not worth listing."""

COST_DIVISOR = 4
"""Costs are divided by this to fit into 32 bits: with at most 20,000 schemes there are at most 14 columns."""


class Demands(NamedTuple):
    """What each sampled row wants: for every size of group, a pattern as cheap as possible."""

    reached: Any
    """By scheme and row: how many of the ascending sizes the group of its pattern reaches, int8."""
    costs: Any
    """By scheme and row: what its pattern costs, int32."""
    best: Any
    """By row and size: the cost of the cheapest chosen pattern, int64."""
    served: Any
    """By scheme: the rows that it may still serve, int16; the first ``n_served``, int64, are valid."""
    n_served: Any


def choose_schemes(
    lattice: Lattice, cells: Any, weights: Longs, prices: Longs, k: int, seed: int
) -> Longs:
    """The levels of the chosen schemes, among them the one that withholds everything."""
    flat = bool((lattice.ladders.levels <= 2).all())
    sampled, times, worth = (
        (SAMPLED_FLAT, TIMES_K_FLAT, WORTH_FLAT) if flat else (SAMPLED, TIMES_K, WORTH)
    )
    draw = np.random.default_rng(seed)
    share = weights / weights.sum()
    rows = draw.choice(len(cells), size=min(sampled, len(cells)), replace=False, p=share)
    sizes = np.ceil(np.array(times) * k).astype(np.int64)
    n_schemes = number_of_schemes(lattice.ladders)
    counts, prices_of = np.empty(n_schemes, dtype=np.int64), np.empty(n_schemes, dtype=np.int64)
    steps, lowest = np.empty(len(prices), dtype=np.uint32), np.empty(len(cells), dtype=np.uint32)
    by_column = np.ascontiguousarray(cells.T)
    # By scheme, then by row: a scheme is tested for all rows at once, and often.
    demands = Demands(
        reached=np.empty((n_schemes, len(rows)), dtype=np.int8),
        costs=np.empty((n_schemes, len(rows)), dtype=np.int32),
        best=np.empty((len(rows), len(sizes)), dtype=np.int64),
        served=np.tile(np.arange(len(rows), dtype=np.int16), (n_schemes, 1)),
        n_served=np.full(n_schemes, len(rows), dtype=np.int64),
    )
    for at, row in enumerate(rows.tolist()):
        count_alike(lattice, by_column, weights, row, steps, lowest, counts)
        count_reached(counts, sizes, demands.reached, at)
        price_schemes(lattice, prices, cells, row, prices_of)
        demands.costs[:, at] = prices_of // COST_DIVISOR
    demands.best[:] = demands.costs[-1][:, None]
    gains, waiting = np.empty(n_schemes, dtype=np.int64), np.empty(n_schemes, dtype=np.int64)
    chosen = np.empty(n_schemes, dtype=np.int64)
    return levels_of(lattice, chosen[: cover_demands(demands, worth, gains, waiting, chosen)])


@kernel
def count_alike(lattice, by_column, weights, row, steps, lowest, counts):
    """Write into ``counts``, by scheme, how many rows share the pattern of ``row`` under it.

    ``lowest`` and ``steps`` are scratch: by tuple, the lowest scheme under which its rows do; by node, what
    it adds to the number of that scheme.
    """
    for node in range(len(steps)):
        j = lattice.ladders.columns[node]
        steps[node] = lattice.strides[j] * _agreement(lattice.ladders, by_column[j, row], node)
    for each in range(len(lowest)):
        lowest[each] = 0
    for j in range(len(by_column)):
        for each in range(len(lowest)):
            # An unsigned index needs no check for negative ones.
            lowest[each] += steps[np.uint32(by_column[j, each])]
    for scheme in range(len(counts)):
        counts[scheme] = 0
    for each in range(len(lowest)):
        counts[lowest[each]] += weights[each]
    # Rows that agree at a level agree at all levels above it.
    for j in range(len(by_column)):
        stride, n_levels = lattice.strides[j], lattice.ladders.levels[j]
        for first in range(0, len(counts), stride * n_levels):
            for scheme in range(first + stride, first + stride * n_levels):
                counts[scheme] += counts[scheme - stride]


@step
def _agreement(ladders, a, b):
    """The lowest level at which two nodes of a column become one."""
    level = np.int64(0)
    while ladders.nodes[level, a] != ladders.nodes[level, b]:
        level += 1
    return level


@kernel
def count_reached(counts, sizes, reached, row):
    """Write into ``reached`` how many of the ascending sizes a row's count reaches, by scheme."""
    for scheme in range(len(counts)):
        n = 0
        while n < len(sizes) and counts[scheme] >= sizes[n]:
            n += 1
        reached[scheme, row] = n


@kernel
def price_schemes(lattice, prices, cells, row, costs):
    """Write into ``costs``, by scheme, what the pattern of ``row`` costs under it."""
    costs[0] = 0
    for j in range(cells.shape[1]):
        stride = lattice.strides[j]
        # The first ``stride`` entries are the costs of the columns before; level 0, which overwrites them,
        # comes last.
        for level in range(lattice.ladders.levels[j] - 1, -1, -1):
            price = prices[lattice.ladders.nodes[level, cells[row, j]]]
            for scheme in range(stride):
                costs[level * stride + scheme] = costs[scheme] + price


@kernel
def cover_demands(demands, worth, gains, waiting, chosen):
    """Choose the schemes that save most, one after the other, until none saves enough; how many.

    The last scheme, which withholds everything, is always chosen. ``gains`` and ``waiting`` are scratch.
    """
    n_schemes = len(gains)
    n_waiting, n_chosen, saved = 0, 1, np.int64(0)
    chosen[0] = n_schemes - 1
    for scheme in range(n_schemes):
        gains[scheme] = _scheme_gain(demands, scheme, False)
        n_waiting = push(waiting, n_waiting, gains, scheme)
    while n_waiting > 0:
        scheme = waiting[0]
        n_waiting = pop(waiting, n_waiting, gains)
        # What a scheme saves only falls as others are chosen, so an old gain is an upper bound (lazy greedy).
        gains[scheme] = _scheme_gain(demands, scheme, False)
        if n_waiting > 0 and gains[scheme] < gains[waiting[0]]:
            n_waiting = push(waiting, n_waiting, gains, scheme)
        elif gains[scheme] <= saved // worth:
            break
        else:
            saved += _scheme_gain(demands, scheme, True)
            chosen[n_chosen] = scheme
            n_chosen += 1
    return n_chosen


@routine
def _scheme_gain(demands, scheme, choose):
    """What a scheme saves the demands; ``choose`` lowers their best costs to its own.

    A pattern that reaches a larger size reaches all smaller ones, so the best costs never fall with the size.
    A row that a scheme no longer serves is dropped from its list, because the best costs only fall with time.
    """
    gain, kept = np.int64(0), 0
    for number in range(demands.n_served[scheme]):
        row = demands.served[scheme, number]
        at, cost = demands.reached[scheme, row] - 1, demands.costs[scheme, row]
        if at >= 0 and demands.best[row, at] > cost:
            demands.served[scheme, kept] = row
            kept += 1
        while at >= 0 and demands.best[row, at] > cost:
            gain += demands.best[row, at] - cost
            if choose:
                demands.best[row, at] = cost
            at -= 1
    demands.n_served[scheme] = kept
    return gain
