"""Bottom-up cell suppression: merge a risky tuple with the one of its class that costs least, until none is risky.

The cost of a merge is linear in the rows that lose a cell (how much each loses is a number of the node), or the change
of the divergence between what was and what is still shown, class by class, or both. Within one step it depends only
on the partner's size and, column by column, on its node; so it is looked up in a table that is filled once a step
for each size that occurs, and a candidate costs a few additions.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from withhold.kernels.cell_groups import ACROSS, NOBODY, RISKY, STEPS, common_node, move, next_draw
from withhold.kernels.jit import kernel

SLACK = 1e-9
"""Sums of floats that differ by less may be equal; no candidate is passed over for less."""


class Costs(NamedTuple):
    """What a merge costs."""

    linear: Any
    """By node: what one row has lost that shows only this; 0 for nothing."""
    divergent: Any
    """How much the divergence counts, as an array of one number; 0: not at all."""
    shares: Any
    """By class and node: the smoothed share of the value in the original; 0 for inner nodes."""
    weights: Any
    """By class: its share of the rows."""
    logs: Any
    """The logarithm of each whole number from 0 on, plus the pseudo-count."""
    spread: Any
    """By column: the pseudo-count times the number of values."""


class Desk(NamedTuple):
    """Room to work in; holds nothing between two steps."""

    table: Any
    """By size and node: the cost of merging with a tuple that has this node."""
    least: Any
    """By size and column: a cost that all columns from here on together do not undercut."""
    filled: Any
    """By size: the step for which the table was filled, int64."""
    meets: Any
    """By node: the lowest common node with the tuple that is being merged."""
    bounds: Any
    """By column: its first node, and the end of the last."""
    merged: Any
    """The cells of the merged tuple."""


@kernel
def divergence_change(tuples, costs, own, column, node, loses, other, other_loses):
    """How the divergence of a column in a class changes when so many rows lose these nodes."""
    shown = tuples.shown[own, column]
    change = 0.0
    if loses > 0:
        left = tuples.exact[own, node]
        change -= costs.shares[own, node] * (costs.logs[left - loses] - costs.logs[left])
    if other_loses > 0:
        left = tuples.exact[own, other]
        change -= costs.shares[own, other] * (costs.logs[left - other_loses] - costs.logs[left])
    spread = costs.spread[column]
    change += math.log(shown - loses - other_loses + spread) - math.log(shown + spread)
    return costs.weights[own] * change


@kernel
def cost_of_node(tuples, trees, costs, own, column, node, size, other, other_own, other_size, meet):
    """What it costs that a tuple's node and its partner's become one, in one column."""
    if node == other:
        return 0.0
    cost = size * (costs.linear[meet] - costs.linear[node])
    cost += other_size * (costs.linear[meet] - costs.linear[other])
    if costs.divergent[0] > 0.0:
        loses = size if meet != node and trees.leaves[node] else 0
        other_loses = other_size if meet != other and trees.leaves[other] else 0
        if own == other_own:
            change = divergence_change(
                tuples, costs, own, column, node, loses, other, other_loses
            )
        else:
            change = divergence_change(tuples, costs, own, column, node, loses, other, 0)
            change += divergence_change(
                tuples, costs, other_own, column, node, 0, other, other_loses
            )
        cost += costs.divergent[0] * change
    return cost


@kernel
def fill_meets(trees, desk, cells):
    """Look up, for every node, where it meets the tuple's own node."""
    for j in range(len(cells)):
        for node in range(desk.bounds[j], desk.bounds[j + 1]):
            desk.meets[node] = common_node(trees, cells[j], node)


@kernel
def fill_table(tuples, trees, costs, desk, each, other_size):
    """Fill the table of costs for partners of this size and of the tuple's class.

    The same as ``cost_of_node`` for every node, with all that the nodes of a column share worked out once.
    """
    own = tuples.classes[each]
    place = tuples.places[each]
    size = tuples.sizes[place]
    divergent = costs.divergent[0] * costs.weights[own]
    desk.least[other_size, len(desk.merged)] = 0.0
    for j in range(len(desk.merged) - 1, -1, -1):
        node = tuples.cells[place, j]
        mine, log_mine, log_theirs, log_both = 0.0, 0.0, 0.0, 0.0
        if divergent > 0.0:
            left = tuples.exact[own, node]
            shown = tuples.shown[own, j] + costs.spread[j]
            base = math.log(shown)
            if trees.leaves[node]:
                mine = costs.shares[own, node] * (costs.logs[left] - costs.logs[left - size])
                log_mine = math.log(shown - size) - base
            if shown > other_size:
                log_theirs = math.log(shown - other_size) - base
            if shown > size + other_size:
                log_both = math.log(shown - size - other_size) - base
        lowest = 0.0
        for other in range(desk.bounds[j], desk.bounds[j + 1]):
            if other == node:
                desk.table[other_size, other] = 0.0
                continue
            left = tuples.exact[own, other]
            is_leaf = trees.leaves[other]
            # A value that too few rows of the class show is no such partner's.
            if is_leaf and left < other_size:
                continue
            meet = desk.meets[other]
            cost = size * (costs.linear[meet] - costs.linear[node])
            cost += other_size * (costs.linear[meet] - costs.linear[other])
            if divergent > 0.0:
                loses = meet != node and trees.leaves[node]
                if meet != other and is_leaf:
                    change = costs.shares[own, other] * (
                        costs.logs[left] - costs.logs[left - other_size]
                    )
                    change += mine + log_both if loses else log_theirs
                else:
                    change = mine + log_mine if loses else 0.0
                cost += divergent * change
            desk.table[other_size, other] = cost
            lowest = min(lowest, cost)
        desk.least[other_size, j] = lowest + desk.least[other_size, j + 1]


@kernel
def cost_of_merge(tuples, trees, costs, each, partner):
    """The cost of one merge by itself, of any class."""
    place, other_place = tuples.places[each], tuples.places[partner]
    cost = 0.0
    for j in range(tuples.cells.shape[1]):
        node, other = tuples.cells[place, j], tuples.cells[other_place, j]
        cost += cost_of_node(
            tuples, trees, costs, tuples.classes[each], j, node, tuples.sizes[place],
            other, tuples.classes[partner], tuples.sizes[other_place], common_node(trees, node, other),
        )  # fmt: skip
    return cost


@kernel
def cheapest_partner(tuples, trees, costs, desk, each):
    """The tuple of the same class that costs least to merge with; the lower id if two cost the same."""
    own = tuples.classes[each]
    place = tuples.places[each]
    stamp = tuples.numbers[STEPS]
    n_columns = tuples.cells.shape[1]
    most = len(desk.filled)
    fill_meets(trees, desk, tuples.cells[place])
    best, best_cost = NOBODY, np.inf
    for other in range(tuples.starts[own], tuples.ends[own]):
        if other == place:
            continue
        size = tuples.sizes[other]
        if size < most:
            if desk.filled[size] != stamp:
                fill_table(tuples, trees, costs, desk, each, size)
                desk.filled[size] = stamp
            cost = 0.0
            j = 0
            while j < n_columns:
                cost += desk.table[size, tuples.cells[other, j]]
                j += 1
                if cost + desk.least[size, j] > best_cost + SLACK:
                    break
            if j < n_columns:
                continue
        else:
            cost = cost_of_merge(tuples, trees, costs, each, tuples.ids[other])
        if cost < best_cost or (cost == best_cost and tuples.ids[other] < best):
            best, best_cost = tuples.ids[other], cost
    return best, best_cost


@kernel
def cheapest_stranger(tuples, trees, costs, each):
    """The tuple of another class and another group that costs least to be made equal to."""
    own = tuples.classes[each]
    best, best_cost = NOBODY, np.inf
    for other_own in range(len(tuples.starts)):
        if other_own == own:
            continue
        for other in range(tuples.starts[other_own], tuples.ends[other_own]):
            partner = tuples.ids[other]
            if tuples.groups[partner] == tuples.groups[each]:
                continue
            cost = cost_of_merge(tuples, trees, costs, each, partner)
            if cost < best_cost or (cost == best_cost and partner < best):
                best, best_cost = partner, cost
    return best


@kernel
def merge_tuples(tuples, trees, costs, desk, k, most_steps):
    """Merge until no tuple is risky or so many steps are done; the number of risky tuples left."""
    for _ in range(most_steps):
        if tuples.numbers[RISKY] == 0:
            break
        tuples.numbers[STEPS] += 1
        each = tuples.risky[next_draw(tuples, tuples.numbers[RISKY])]
        partner, _ = cheapest_partner(tuples, trees, costs, desk, each)
        if partner == NOBODY:
            partner = cheapest_stranger(tuples, trees, costs, each)
            tuples.numbers[ACROSS] += 1
        place, other_place = tuples.places[each], tuples.places[partner]
        for j in range(len(desk.merged)):
            desk.merged[j] = common_node(trees, tuples.cells[place, j], tuples.cells[other_place, j])
        move(tuples, trees, each, desk.merged, k, 1)
        move(tuples, trees, partner, desk.merged, k, 1)
    return tuples.numbers[RISKY]
