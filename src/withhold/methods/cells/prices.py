"""A better lower bound for tables, by prices: what every row would pay for its place in a group.

A release assigns every row to one pattern that it matches, and every pattern in use to at least k rows. Let
every row have a price u. A pattern that costs c gains u - c from each row that it takes, and takes the rows
that make its gain largest: those that pay more than c, and if these are fewer than k, the next ones up to k;
or none, if it would gain nothing. Then

    the sum of all prices - the sum of all gains

is at most what any release costs, whatever the prices: a release's rows pay the sum of all prices; its
groups gain that minus its cost, and no pattern can gain more than its gain here. Prices are raised where no
pattern takes a row and lowered where several do. Prices and costs are whole numbers, so the bound is exact;
it is valid however the prices are changed.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from withhold.counting.jit import kernel
from withhold.data.array_types import Longs
from withhold.method import SearchRun
from withhold.methods.cells.patterns import Patterns

AIM = 0.1
"""How far above the best bound the next target is, as a share; less with every consecutive failure."""
PATIENCE = 8
INERTIA = 0.7
"""How much of the last change of prices the next keeps."""


def raise_bound(patterns: Patterns, weights: Longs, k: int, rounds: int, run: SearchRun) -> int:
    """The best bound after this many rounds, in the unit of the costs.

    At first every row pays for its cheapest pattern, which is the bound by rows: nobody gains anything.
    """
    now = patterns.costs[patterns.of_tuple[patterns.tuple_starts[:-1]]].astype(np.float64)
    best_prices = now
    taken = np.empty(len(weights), dtype=np.int64)
    scratch = np.empty(len(weights), dtype=np.int64)
    change: NDArray[np.float64] = np.zeros(len(weights))
    best, aim, failures = -1, AIM, 0
    for number in range(rounds + 1):
        prices = np.maximum(np.rint(now), 0).astype(np.int64)
        bound = int((prices * weights).sum()) - take_rows(
            patterns, weights, k, prices, taken, scratch
        )
        if bound > best:
            best, best_prices, failures = bound, now, 0
        else:
            failures += 1
        if failures == PATIENCE:
            now, aim, failures = best_prices, aim / 2, 0
            change = np.zeros(len(weights))
        missing: NDArray[np.float64] = 1.0 - taken / weights
        norm = float((weights * missing**2).sum())
        if norm == 0:
            break
        step_length = (best * (1 + aim) - bound) / norm
        change = INERTIA * change + step_length * missing
        now = now + change
        run.progress("raising the bound", number, rounds)
    return best


@kernel
def take_rows(patterns, weights, k, prices, taken, scratch):
    """Let every pattern take the rows that gain it most; returns the sum of all gains.

    Into ``taken`` goes by tuple how many rows are taken of it, by all patterns. ``scratch`` is for tuples.
    """
    total = np.int64(0)
    for each in range(len(taken)):
        taken[each] = 0
    for pattern in range(len(patterns.costs)):
        first, end = patterns.starts[pattern], patterns.starts[pattern + 1]
        cost, gain, rows, others = patterns.costs[pattern], np.int64(0), np.int64(0), 0
        for at in range(first, end):
            each = patterns.tuples[at]
            if prices[each] > cost:
                gain += weights[each] * (prices[each] - cost)
                rows += weights[each]
            else:
                scratch[others] = each
                others += 1
        if gain == 0:
            continue
        joining = 0
        while rows < k and gain > 0:
            # Those that pay most lose least; they are moved to the front of ``scratch``.
            best = joining
            for at in range(joining + 1, others):
                if prices[scratch[at]] > prices[scratch[best]]:
                    best = at
            each = scratch[best]
            scratch[best], scratch[joining] = scratch[joining], each
            joined = min(weights[each], k - rows)
            gain -= joined * (cost - prices[each])
            rows += joined
            joining += 1
        if gain <= 0:
            continue
        total += gain
        lacking = k
        for at in range(first, end):
            each = patterns.tuples[at]
            if prices[each] > cost:
                taken[each] += weights[each]
                lacking -= weights[each]
        for at in range(joining):
            joined = min(weights[scratch[at]], lacking)
            taken[scratch[at]] += joined
            lacking -= joined
    return total
