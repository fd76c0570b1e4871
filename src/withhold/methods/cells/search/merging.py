"""Bottom-up cell suppression: merge risky tuples with their cheapest partners until none is risky.

A risky tuple is merged with one of its own class; only if that has none left, with one of another class.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.jit import kernel, step
from withhold.methods.cells.nodes import NOBODY
from withhold.methods.cells.search.costs import cost_of_merge
from withhold.methods.cells.search.partners import cheapest_partner
from withhold.methods.cells.search.tuples import ACROSS, RISKY, STEPS, merge_cells, move, next_draw


@kernel
def merge_tuples(tuples, trees, costs, scratch, k, most_steps):
    """Merge until no tuple is risky or ``most_steps`` are done; the number of risky tuples left."""
    for _ in range(most_steps):
        if tuples.numbers[RISKY] == 0:
            break
        tuples.numbers[STEPS] += 1
        each = np.int64(tuples.risky[next_draw(tuples, tuples.numbers[RISKY])])
        partner, _ = cheapest_partner(tuples, trees, costs, scratch, each)
        if partner == NOBODY:
            partner = _cheapest_stranger(tuples, trees, costs, each)
            tuples.numbers[ACROSS] += 1
        merge_cells(tuples, trees, each, partner, scratch.merged)
        for moved in (each, partner):
            move(tuples, trees, moved, scratch.merged, k)
    return tuples.numbers[RISKY]


@step
def _cheapest_stranger(tuples, trees, costs, each):
    """The tuple of another class and another group that is cheapest to merge with."""
    best, best_cost = np.int64(NOBODY), np.inf
    for own in range(len(tuples.starts)):
        for other in range(tuples.starts[own], tuples.ends[own]):
            partner = np.int64(tuples.ids[other])
            if own != tuples.classes[each] and tuples.groups[partner] != tuples.groups[each]:
                cost = cost_of_merge(tuples, trees, costs, each, partner)
                if cost < best_cost or (cost == best_cost and partner < best):
                    best, best_cost = partner, cost
    return best
