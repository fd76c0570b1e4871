"""Schemes of tables with so many columns that not all schemes can be tried.

A *descent* is a greedy search for one row. It begins with everything withheld and takes one column down a
level at a time: the one that saves most in proportion to the rows that no longer match, as long as enough
rows share the row's pattern. Each descent ends at a scheme.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import kernel, step
from withhold.data.array_types import Longs
from withhold.methods.cells.schemes import Ladders

TIMES_K = (1, 2, 4, 9, 27)
"""The sizes of group that descents end at, in times k."""
CELLS_PER_ROUND = 5 * 10**8
"""About how many cells the descents of a round may read."""
PASSES = 3
"""A descent reads all cells about this many times."""
MOST_DESCENTS = 1000
NOISE = 0.5
"""How far, in logarithms, a draw may raise or lower what a column is worth."""


class Match(NamedTuple):
    """Scratch for a descent."""

    tuples: Any
    """The tuples that match the pattern so far come first, int32."""
    levels: Any
    """By column: its level, int64."""


def draw_schemes(
    ladders: Ladders,
    cells: Any,
    weights: Longs,
    prices: Longs,
    k: int,
    draw: np.random.Generator,
    chances: Longs,
) -> Longs:
    """The levels of the schemes at which descents end, each once; rows are drawn with these chances."""
    n_descents = int(min(MOST_DESCENTS, max(50, CELLS_PER_ROUND // (PASSES * cells.size))))
    match = Match(np.empty(len(cells), dtype=np.int32), np.empty(cells.shape[1], dtype=np.int64))
    rows = draw.choice(len(cells), size=n_descents, p=chances / chances.sum())
    found = [ladders.levels - 1]
    for number, row in enumerate(rows.tolist()):
        favours = np.exp(draw.uniform(-NOISE, NOISE, size=cells.shape[1]))
        least = k * TIMES_K[number % len(TIMES_K)]
        descend(ladders, prices * 1.0, cells, weights, row, least, favours, match)
        found.append(match.levels.copy())
    return np.unique(np.array(found), axis=0)


@kernel
def descend(ladders, prices, cells, weights, row, least, favours, match):
    """Write the scheme at which a descent for ``row`` ends into ``match.levels``; how many rows match."""
    n, rows = len(cells), 0
    for each in range(n):
        match.tuples[each] = each
        rows += weights[each]
    for j in range(cells.shape[1]):
        match.levels[j] = ladders.levels[j] - 1
    while True:
        best, best_worth = -1, 0.0
        for j in range(cells.shape[1]):
            if match.levels[j] > 0:
                now = ladders.nodes[match.levels[j], cells[row, j]]
                then = ladders.nodes[match.levels[j] - 1, cells[row, j]]
                left = _rows_under(ladders, cells, weights, match, n, j, then)
                if left >= least:
                    # A level that loses no row is always worth it.
                    lost = np.log(rows / left) + 1e-9
                    worth = favours[j] * (prices[now] - prices[then] + 1) / lost
                    if worth > best_worth:
                        best, best_worth = j, worth
        if best < 0:
            return rows
        match.levels[best] -= 1
        n, rows = _keep_matching(ladders, cells, weights, match, n, row, best)


@step
def _rows_under(ladders, cells, weights, match, n, j, node):
    """How many rows of the first ``n`` tuples still match with column ``j`` a level down, at ``node``."""
    level, rows = match.levels[j] - 1, 0
    for at in range(n):
        if ladders.nodes[level, cells[match.tuples[at], j]] == node:
            rows += weights[match.tuples[at]]
    return rows


@step
def _keep_matching(ladders, cells, weights, match, n, row, j):
    """Keep those of the first ``n`` tuples that share the row's node; how many tuples, and how many rows."""
    level, kept, rows = match.levels[j], 0, 0
    node = ladders.nodes[level, cells[row, j]]
    for at in range(n):
        each = match.tuples[at]
        if ladders.nodes[level, cells[each, j]] == node:
            match.tuples[kept] = each
            kept += 1
            rows += weights[each]
    return kept, rows
