"""Bottom-up cell suppression: merge what is risky with what costs least, until nothing is.

A risky tuple is merged with one of its class, and only if there is none, of another. Where groups must have
different sensitive values, whole groups are merged: a tuple has one value, so a group that lacks some must be
joined by a group that brings a new one. Its tuples keep their classes and values, and all get the same cells.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import kernel, step
from withhold.methods.cells.search.costs import cost_of_groups, cost_of_merge
from withhold.methods.cells.search.partners import cheapest_partner
from withhold.methods.cells.search.tuples import (
    ACROSS,
    NOBODY,
    RISKY,
    STEPS,
    merge_cells,
    move,
    next_draw,
)


class GroupScratch(NamedTuple):
    """Room for merging groups; holds nothing between two steps."""

    has: Any
    """By sensitive value: the last step in which the group that is merged had it, int64."""
    mine: Any
    """By class: how many rows of the group are of it, int64."""
    theirs: Any
    """By class: how many rows of the candidate are of it, int64."""
    merged: Any
    """The cells of the merged group."""


@kernel
def merge_tuples(tuples, trees, costs, scratch, k, most_steps):
    """Merge until no tuple is risky or so many steps are done; the number of risky tuples left."""
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
            move(tuples, trees, moved, scratch.merged, k, np.int64(1))
    return tuples.numbers[RISKY]


@step
def _cheapest_stranger(tuples, trees, costs, each):
    """The tuple of another class and another group that costs least to be made equal to."""
    best, best_cost = np.int64(NOBODY), np.inf
    for own in range(len(tuples.starts)):
        for other in range(tuples.starts[own], tuples.ends[own]):
            partner = np.int64(tuples.ids[other])
            if own != tuples.classes[each] and tuples.groups[partner] != tuples.groups[each]:
                cost = cost_of_merge(tuples, trees, costs, each, partner)
                if cost < best_cost or (cost == best_cost and partner < best):
                    best, best_cost = partner, cost
    return best


@kernel
def merge_groups(tuples, trees, costs, scratch, k, variety, most_steps):
    """Merge groups until none breaks the model or so many steps are done; the risky tuples left."""
    for _ in range(most_steps):
        if tuples.numbers[RISKY] == 0:
            break
        tuples.numbers[STEPS] += 1
        drawn = tuples.risky[next_draw(tuples, tuples.numbers[RISKY])]
        group = np.int64(tuples.groups[drawn])
        other = _cheapest_group(tuples, trees, costs, scratch, group, variety)
        heads = np.int64(tuples.heads[group]), np.int64(tuples.heads[other])
        merge_cells(tuples, trees, *heads, scratch.merged)
        # The slot of the second group stays its own while the first one moves, unless both become one.
        for moved in (group, other):
            _move_group(tuples, trees, moved, scratch.merged, k, variety)
    return tuples.numbers[RISKY]


@step
def _count_classes(tuples, group, counts):
    """Count the rows of a group by class."""
    for own in range(len(counts)):
        counts[own] = 0
    each = tuples.heads[group]
    while each != NOBODY:
        counts[tuples.classes[each]] += tuples.sizes[tuples.places[each]]
        each = tuples.following[each]


@step
def _brings_value(tuples, scratch, group, stamp):
    """Whether a group has a sensitive value that is not stamped."""
    each = tuples.heads[group]
    while each != NOBODY and scratch.has[tuples.values[each]] == stamp:
        each = tuples.following[each]
    return each != NOBODY


@step
def _cheapest_group(tuples, trees, costs, scratch, group, variety):
    """The group that costs least to merge with, one that brings a new value if one is lacking."""
    stamp = tuples.numbers[STEPS]
    lacking = tuples.varieties[group] < variety
    each = tuples.heads[group]
    while each != NOBODY:
        scratch.has[tuples.values[each]] = stamp
        each = tuples.following[each]
    _count_classes(tuples, group, scratch.mine)
    best, best_head, best_cost = np.int64(NOBODY), np.int64(NOBODY), np.inf
    for own in range(len(tuples.starts)):
        for place in range(tuples.starts[own], tuples.ends[own]):
            head = np.int64(tuples.ids[place])
            other = np.int64(tuples.groups[head])
            # Every group is met once: at its head.
            if tuples.heads[other] != head or other == group:
                continue
            if lacking and not _brings_value(tuples, scratch, other, stamp):
                continue
            _count_classes(tuples, other, scratch.theirs)
            cost = cost_of_groups(tuples, trees, costs, scratch, group, other)
            if cost < best_cost or (cost == best_cost and head < best_head):
                best, best_head, best_cost = other, head, cost
    return best


@kernel
def _move_group(tuples, trees, group, cells, k, variety):
    """Give every tuple of a group these cells."""
    place = tuples.places[tuples.heads[group]]
    same = True
    for j in range(len(cells)):
        if tuples.cells[place, j] != cells[j]:
            same = False
    each = np.int64(NOBODY if same else tuples.heads[group])
    while each != NOBODY:
        # Not the head again: a slot that was left empty may be the one where the merged group goes.
        following = np.int64(tuples.following[each])
        move(tuples, trees, each, cells, k, variety)
        each = following
