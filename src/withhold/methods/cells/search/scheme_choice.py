"""Which schemes are worth grouping rows by, learned from a sample of the rows.

For a sampled row, the rows that share its pattern are counted for all schemes at once: a histogram of the
lowest levels at which rows agree with it, summed up over the lattice of schemes. Schemes are then chosen
one by one, so that for every sampled row and several sizes of group the cheapest chosen pattern of that
size becomes as cheap as the cheapest of all.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import heapq
from typing import Any

import numpy as np

from withhold.counting.jit import kernel, step
from withhold.data.array_types import Longs
from withhold.methods.cells.schemes import Lattice, levels_of, number_of_schemes

SAMPLED_FLAT, SAMPLED = 200, 800
"""Rows that are sampled, without and with hierarchies."""
TIMES_K_FLAT = (1, 3, 9, 27, 81)
TIMES_K = (1, 1.5, 2, 3, 4, 6, 8, 12, 16, 32, 64)
"""The sizes of group that schemes are chosen for, in times k. A row that is alone with its pattern at k may
find no partners left, and then needs one that many rows match."""


def choose_schemes(
    lattice: Lattice, cells: Any, weights: Longs, prices: Longs, k: int, seed: int
) -> Longs:
    """The levels of schemes that serve a sample of the rows, and of the one that withholds everything."""
    flat = bool((lattice.ladders.levels <= 2).all())
    sampled, times = (SAMPLED_FLAT, TIMES_K_FLAT) if flat else (SAMPLED, TIMES_K)
    draw = np.random.default_rng(seed)
    share = weights / weights.sum()
    rows = draw.choice(len(cells), size=min(sampled, len(cells)), replace=False, p=share)
    n_schemes = number_of_schemes(lattice.ladders)
    counts = np.empty((len(rows), n_schemes), dtype=np.int64)
    costs = np.empty((len(rows), n_schemes), dtype=np.int64)
    for at, row in enumerate(rows.tolist()):
        count_alike(lattice, cells, weights, row, counts[at])
        price_schemes(lattice, prices, cells, row, costs[at])
    sizes = np.ceil(np.array(times) * k).astype(np.int64)
    best = np.repeat(costs[:, -1:], len(sizes), axis=1)
    return levels_of(lattice, np.array(cover_demands(counts, costs, sizes, best)))


def cover_demands(counts: Longs, costs: Longs, sizes: Longs, best: Longs) -> list[int]:
    """The schemes that lower the costs of the demands most, one after the other, until none lowers any."""
    n_schemes = counts.shape[1]
    # What a scheme saves only falls as others are chosen, so an old number is an upper bound.
    waiting = [(-scheme_gain(counts, costs, sizes, best, s, False), s) for s in range(n_schemes)]
    heapq.heapify(waiting)
    chosen = [n_schemes - 1]
    while waiting:
        _, scheme = heapq.heappop(waiting)
        gain = scheme_gain(counts, costs, sizes, best, scheme, False)
        if gain == 0:
            continue
        if waiting and gain < -waiting[0][0]:
            heapq.heappush(waiting, (-gain, scheme))
        else:
            scheme_gain(counts, costs, sizes, best, scheme, True)
            chosen.append(scheme)
    return chosen


@kernel
def count_alike(lattice, cells, weights, row, counts):
    """Write into ``counts``, by scheme, how many rows share the pattern of ``row`` under it."""
    for scheme in range(len(counts)):
        counts[scheme] = 0
    for other in range(len(cells)):
        scheme = np.int64(0)
        for j in range(cells.shape[1]):
            scheme += lattice.strides[j] * agreement(
                lattice.ladders, cells[row, j], cells[other, j]
            )
        counts[scheme] += weights[other]
    # Whoever agrees at a level agrees at all above it.
    for j in range(cells.shape[1]):
        stride, n_levels = lattice.strides[j], lattice.ladders.levels[j]
        for scheme in range(len(counts)):
            if scheme // stride % n_levels > 0:
                counts[scheme] += counts[scheme - stride]


@step
def agreement(ladders, a, b):
    """The lowest level at which two nodes of a column become one."""
    level = np.int64(0)
    while ladders.nodes[level, a] != ladders.nodes[level, b]:
        level += 1
    return level


@kernel
def price_schemes(lattice, prices, cells, row, costs):
    """Write into ``costs``, by scheme, what the pattern of ``row`` costs under it."""
    for scheme in range(len(costs)):
        costs[scheme] = 0
        for j in range(cells.shape[1]):
            level = scheme // lattice.strides[j] % lattice.ladders.levels[j]
            costs[scheme] += prices[lattice.ladders.nodes[level, cells[row, j]]]


@kernel
def scheme_gain(counts, costs, sizes, best, scheme, choose):
    """What a scheme saves the demands, rows by sizes, each with its best so far; ``choose`` lowers these."""
    gain = 0
    for row in range(len(counts)):
        cost = costs[row, scheme]
        for at in range(len(sizes)):
            if counts[row, scheme] >= sizes[at] and cost < best[row, at]:
                gain += best[row, at] - cost
                if choose:
                    best[row, at] = cost
    return gain
