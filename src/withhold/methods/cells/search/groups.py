"""Merging whole groups until each shows enough of the sensitive columns.

A group that has too few rows, or that breaks a requirement, is merged with another. The requirements are
closed under union, so merging two valid groups never makes an invalid one, and no group is ever split. Two
groups that come to have the same cells are one in the release; that, too, is a union.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import kernel, step
from withhold.methods.cells.nodes import NOBODY, common_node
from withhold.methods.cells.search.costs import cost_of_groups
from withhold.methods.cells.search.limits import shortfall
from withhold.methods.cells.search.tuples import RISKY, mark_risky, next_draw, unmark_risky

ALIVE = 2


class MergedGroups(NamedTuple):
    """The groups of a table, and all that changes while they are merged."""

    cells: Any
    """By group: the nodes of each column, int32."""
    sizes: Any
    """By group: how many rows, int64."""
    classes: Any
    """By group and class: how many rows, int64."""
    counts: Any
    """By group and sensitive value: how many rows, int32; the last row is empty."""
    into: Any
    """The group that it became part of, or -1, int32."""
    alive: Any
    """The groups that are no part of another, in no order, int32."""
    alive_places: Any
    risky: Any
    """The groups that break the model, in no order, int32."""
    risky_places: Any
    """By group: its place in ``risky``, or -1."""
    exact: Any
    """By class and node: how many rows still show this value, int64; 0 for inner nodes."""
    shown: Any
    """By class and column: how many rows show a value at all, int64."""
    numbers: Any
    """How many are risky, the state of the draw (as int64), how many are alive."""


@kernel
def merge_groups(groups, trees, costs, limits, k, most_steps):
    """Merge groups until none breaks the model or ``most_steps`` are done; the risky ones left."""
    for _ in range(most_steps):
        if groups.numbers[RISKY] == 0:
            break
        group = np.int64(groups.risky[next_draw(groups, groups.numbers[RISKY])])
        other = _cheapest_group(groups, trees, costs, limits, group)
        if other == NOBODY:
            # All rows are one group; whether it is valid is for the check to say.
            unmark_risky(groups, group)
            break
        _merge(groups, trees, group, other)
        mark_group(groups, limits, group, k)
    return groups.numbers[RISKY]


@step
def mark_group(groups, limits, group, k):
    """Note whether a group breaks the model."""
    size = groups.sizes[group]
    empty = len(groups.counts) - 1
    if size >= k and shortfall(limits, groups.counts, group, empty, size) == 0.0:
        unmark_risky(groups, group)
    else:
        mark_risky(groups, group)


@kernel
def mark_groups(groups, limits, k):
    """Note for all groups whether they break the model."""
    for group in range(len(groups.sizes)):
        mark_group(groups, limits, np.int64(group), k)


@step
def _cheapest_group(groups, trees, costs, limits, group):
    """The group that costs least to merge with; if a requirement is broken, in proportion to what it helps.

    How much a group helps is the square root of how far it lowers the shortfall. By cost alone, a distance
    shrinks in too many small steps; by cost / gain, a missing value is found in too large ones.
    """
    size, empty = groups.sizes[group], len(groups.counts) - 1
    lacking = shortfall(limits, groups.counts, group, empty, size)
    # No group helps more than to make up the whole shortfall; a little more, since products are rounded.
    most = np.sqrt(lacking) * (1.0 + 1e-9)
    best, best_cost = np.int64(NOBODY), np.inf
    helpful, helpful_rate = np.int64(NOBODY), np.inf
    for place in range(groups.numbers[ALIVE]):
        other = np.int64(groups.alive[place])
        if other == group:
            continue
        # The divergence may shrink, so that a merge has a negative cost.
        below = max(helpful_rate, 0.0) * most if lacking > 0.0 else best_cost
        cost = cost_of_groups(groups, trees, costs, group, other, below)
        if cost < best_cost or (cost == best_cost and other < best):
            best, best_cost = other, cost
        if lacking > 0.0 and cost <= below:
            total = size + groups.sizes[other]
            gain = lacking - shortfall(limits, groups.counts, group, other, total)
            if gain > 0.0:
                rate = cost / np.sqrt(gain)
                if rate < helpful_rate or (rate == helpful_rate and other < helpful):
                    helpful, helpful_rate = other, rate
    return best if helpful == NOBODY else helpful


@step
def _merge(groups, trees, group, other):
    """Make one group of two."""
    for j in range(groups.cells.shape[1]):
        meet = common_node(trees, groups.cells[group, j], groups.cells[other, j])
        for each in (group, other):
            node = groups.cells[each, j]
            if node != meet and trees.leaves[node]:
                for own in range(groups.classes.shape[1]):
                    groups.exact[own, node] -= groups.classes[each, own]
                    groups.shown[own, j] -= groups.classes[each, own]
        groups.cells[group, j] = meet
    groups.sizes[group] += groups.sizes[other]
    for own in range(groups.classes.shape[1]):
        groups.classes[group, own] += groups.classes[other, own]
    for value in range(groups.counts.shape[1]):
        groups.counts[group, value] += groups.counts[other, value]
    groups.into[other] = group
    unmark_risky(groups, other)
    last = groups.numbers[ALIVE] - 1
    moved, place = groups.alive[last], groups.alive_places[other]
    groups.alive[place] = moved
    groups.alive_places[moved] = place
    groups.numbers[ALIVE] = last
