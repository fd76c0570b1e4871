"""What it costs to give two tuples, or two groups, the same cells.

Two terms, of which a cost has one or both. The linear term adds up, row by row, what each cell loses, which
depends only on its node. The divergence term is the change of the Kullback-Leibler divergence between the
original values and those still shown, class by class.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import step
from withhold.methods.cells.nodes import common_node


class Costs(NamedTuple):
    """What a merge costs."""

    linear: Any
    """By node: what a row that shows only this has lost; 0 if nothing."""
    divergent: Any
    """The weight of the divergence term, as an array of one number; 0: it is left out."""
    shares: Any
    """By class and node: the smoothed share of the value in the original; 0 for inner nodes."""
    weights: Any
    """By class: its share of the rows."""
    logs: Any
    """By number of rows, from 0 on: log(number + pseudo-count)."""
    totals: Any
    """By column and number of rows, from 0 on: log(number + the pseudo-counts of all values)."""


@step
def change_of_total(tuples, costs, own, column, loses):
    """How the logarithm of the rows that show any value changes when ``loses`` of them lose theirs."""
    shown = tuples.shown[own, column]
    if loses > shown:
        return 0.0  # impossible: such numbers only fill tables, and are never read
    return costs.totals[column, shown - loses] - costs.totals[column, shown]


@step
def change_of_value(tuples, costs, own, node, loses):
    """How the logarithm of the rows that show this value changes when ``loses`` of them lose it."""
    left = tuples.exact[own, node]
    return costs.logs[left - loses] - costs.logs[left]


@step
def cost_of_merge(tuples, trees, costs, each, partner):
    """The cost of giving two tuples the same cells, whatever their classes."""
    place, other_place = tuples.places[each], tuples.places[partner]
    own, other_own = np.int64(tuples.classes[each]), np.int64(tuples.classes[partner])
    size, other_size = np.int64(tuples.sizes[place]), np.int64(tuples.sizes[other_place])
    cost = 0.0
    for j in range(len(costs.totals)):
        node, other = np.int64(tuples.cells[place, j]), np.int64(tuples.cells[other_place, j])
        meet = common_node(trees, node, other)
        cost += size * (costs.linear[meet] - costs.linear[node])
        cost += other_size * (costs.linear[meet] - costs.linear[other])
        if costs.divergent[0] == 0.0:
            continue
        loses = size if meet != node and trees.leaves[node] else 0
        other_loses = other_size if meet != other and trees.leaves[other] else 0
        change = 0.0
        if loses > 0:
            changed = change_of_value(tuples, costs, own, node, loses)
            change -= costs.weights[own] * costs.shares[own, node] * changed
        if other_loses > 0:
            changed = change_of_value(tuples, costs, other_own, other, other_loses)
            change -= costs.weights[other_own] * costs.shares[other_own, other] * changed
        if own == other_own:
            total = change_of_total(tuples, costs, own, j, loses + other_loses)
            change += costs.weights[own] * total
        else:
            change += costs.weights[own] * change_of_total(tuples, costs, own, j, loses)
            total = change_of_total(tuples, costs, other_own, j, other_loses)
            change += costs.weights[other_own] * total
        cost += costs.divergent[0] * change
    return cost


@step
def cost_of_groups(groups, trees, costs, one, other, below):
    """The cost of giving two groups the same cells; if that is above ``below``, perhaps only a part of it."""
    size, other_size = groups.sizes[one], groups.sizes[other]
    cost = 0.0
    for j in range(len(costs.totals)):
        node, other_node = np.int64(groups.cells[one, j]), np.int64(groups.cells[other, j])
        if node == other_node:
            continue
        meet = common_node(trees, node, other_node)
        cost += size * (costs.linear[meet] - costs.linear[node])
        cost += other_size * (costs.linear[meet] - costs.linear[other_node])
        if costs.divergent[0] == 0.0:
            if cost > below:
                return cost
            continue
        loses = meet != node and trees.leaves[node]
        other_loses = meet != other_node and trees.leaves[other_node]
        for own in range(groups.classes.shape[1]):
            lost = groups.classes[one, own] if loses else 0
            other_lost = groups.classes[other, own] if other_loses else 0
            if lost + other_lost == 0:
                continue
            change = change_of_total(groups, costs, own, j, lost + other_lost)
            if lost > 0:
                changed = change_of_value(groups, costs, own, node, lost)
                change -= costs.shares[own, node] * changed
            if other_lost > 0:
                changed = change_of_value(groups, costs, own, other_node, other_lost)
                change -= costs.shares[own, other_node] * changed
            cost += costs.divergent[0] * costs.weights[own] * change
    return cost
