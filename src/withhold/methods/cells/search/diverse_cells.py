"""Merging whole groups, for models that ask for different sensitive values in each.

A tuple has one sensitive value, so a group that lacks some must be joined by a group that brings a new one;
its tuples keep their classes and values, and all get the same cells. The costs are those of ``cells``,
summed over the rows of both groups.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import kernel
from withhold.methods.cells.search.cell_groups import (
    NOBODY,
    RISKY,
    STEPS,
    common_node,
    move,
    next_draw,
)
from withhold.methods.cells.search.cells import change_of_total, change_of_value


class Bench(NamedTuple):
    """Room to work in; holds nothing between two steps."""

    has: Any
    """By sensitive value: the last step in which the group that is merged had it, int64."""
    mine: Any
    """By class: how many rows of the group are of it, int64."""
    theirs: Any
    """By class: how many rows of the candidate are of it, int64."""
    merged: Any
    """The cells of the merged group."""


@kernel
def count_classes(tuples, group, counts):
    """Count the rows of a group by class."""
    counts[:] = 0
    each = tuples.heads[group]
    while each != NOBODY:
        counts[tuples.classes[each]] += tuples.sizes[tuples.places[each]]
        each = tuples.following[each]


@kernel
def cost_of_groups(tuples, trees, costs, bench, group, other_group):
    """The cost of giving two groups the same cells; ``bench`` holds their rows by class."""
    place = tuples.places[tuples.heads[group]]
    other_place = tuples.places[tuples.heads[other_group]]
    total, other_total = tuples.totals[group], tuples.totals[other_group]
    cost = 0.0
    for j in range(len(costs.totals)):
        node, other = np.int64(tuples.cells[place, j]), np.int64(tuples.cells[other_place, j])
        if node == other:
            continue
        meet = common_node(trees, node, other)
        cost += total * (costs.linear[meet] - costs.linear[node])
        cost += other_total * (costs.linear[meet] - costs.linear[other])
        if costs.divergent[0] == 0.0:
            continue
        loses = meet != node and trees.leaves[node]
        other_loses = meet != other and trees.leaves[other]
        for own in range(len(bench.mine)):
            lost = bench.mine[own] if loses else 0
            other_lost = bench.theirs[own] if other_loses else 0
            if lost + other_lost == 0:
                continue
            change = change_of_total(tuples, costs, own, j, lost + other_lost)
            if lost > 0:
                changed = change_of_value(tuples, costs, own, node, lost)
                change -= costs.shares[own, node] * changed
            if other_lost > 0:
                changed = change_of_value(tuples, costs, own, other, other_lost)
                change -= costs.shares[own, other] * changed
            cost += costs.divergent[0] * costs.weights[own] * change
    return cost


@kernel
def cheapest_group(tuples, trees, costs, bench, group, variety):
    """The group that costs least to merge with, one that brings a new value if one is lacking."""
    stamp = tuples.numbers[STEPS]
    lacking = tuples.varieties[group] < variety
    each = tuples.heads[group]
    while each != NOBODY:
        bench.has[tuples.values[each]] = stamp
        each = tuples.following[each]
    count_classes(tuples, group, bench.mine)
    best, best_head, best_cost = NOBODY, NOBODY, np.inf
    for own in range(len(tuples.starts)):
        for place in range(tuples.starts[own], tuples.ends[own]):
            head = tuples.ids[place]
            other = tuples.groups[head]
            # Every group is met once: at its head.
            if tuples.heads[other] != head or other == group:
                continue
            if lacking:
                each = head
                while each != NOBODY and bench.has[tuples.values[each]] == stamp:
                    each = tuples.following[each]
                if each == NOBODY:
                    continue
            count_classes(tuples, other, bench.theirs)
            cost = cost_of_groups(tuples, trees, costs, bench, group, other)
            if cost < best_cost or (cost == best_cost and head < best_head):
                best, best_head, best_cost = other, head, cost
    return best


@kernel
def move_group(tuples, trees, group, cells, k, variety):
    """Give every tuple of a group these cells."""
    place = tuples.places[tuples.heads[group]]
    same = True
    for j in range(len(cells)):
        if tuples.cells[place, j] != cells[j]:
            same = False
    each = NOBODY if same else tuples.heads[group]
    while each != NOBODY:
        # Not the head again: a slot that was left empty may be the one where the merged group goes.
        following = tuples.following[each]
        move(tuples, trees, each, cells, k, variety)
        each = following


@kernel
def merge_groups(tuples, trees, costs, bench, k, variety, most_steps):
    """Merge groups until none breaks the model or so many steps are done; the risky tuples left."""
    for _ in range(most_steps):
        if tuples.numbers[RISKY] == 0:
            break
        tuples.numbers[STEPS] += 1
        group = tuples.groups[tuples.risky[next_draw(tuples, tuples.numbers[RISKY])]]
        other = cheapest_group(tuples, trees, costs, bench, group, variety)
        place = tuples.places[tuples.heads[group]]
        other_place = tuples.places[tuples.heads[other]]
        for j in range(len(costs.totals)):
            node, other_node = tuples.cells[place, j], tuples.cells[other_place, j]
            bench.merged[j] = common_node(trees, node, other_node)
        # The slot of the second group stays its own while the first one moves, unless both become one.
        move_group(tuples, trees, group, bench.merged, k, variety)
        move_group(tuples, trees, other, bench.merged, k, variety)
    return tuples.numbers[RISKY]
