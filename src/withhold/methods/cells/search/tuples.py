"""The rows of a table as tuples with multiplicities, and the groups that they form; changed in place.

A *tuple* stands for all rows with the same cells and class. A *group* is all tuples with the same cells; it
breaks the model if it has fewer than ``k`` rows, and its tuples are then *risky*. A tuple's id never changes.
Its *place*, where its cells are stored, does, so that the tuples of a class stay contiguous and a scan over
them is one sweep through memory. A group's number is its slot in a hash table.

Numbers are passed as int64, so that every function is compiled once.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import kernel, maker, step
from withhold.methods.cells.nodes import NOBODY, common_node

RISKY, DRAW, STEPS, ACROSS = 0, 1, 2, 3
"""Places in ``Tuples.numbers``."""


class Tuples(NamedTuple):
    """All that changes while tuples are merged."""

    cells: Any
    """By place: the nodes of each column, uint32."""
    sizes: Any
    """By place: how many rows, int32."""
    keys: Any
    """By place: what a scan tests first, uint64; see ``partners``."""
    digits: Any
    """By column: the factor of its node in the key, uint64."""
    origin: Any
    """What is subtracted from every key, and what is added for each row of the size, uint64."""
    n_sizes: Any
    """Keys hold sizes below this number, an array of one."""
    ids: Any
    """By place: the tuple there, int32."""
    places: Any
    """By id, int32, like the next five; -1 once the tuple was merged into another."""
    classes: Any
    into: Any
    """The tuple that it was merged into, or -1."""
    groups: Any
    following: Any
    """The next tuple of the same group, or -1."""
    risky_places: Any
    """Its place in ``risky``, or -1."""
    risky: Any
    """The tuples of groups that break the model, in no order, int32."""
    starts: Any
    """By class: where its tuples begin, and where they end, int64."""
    ends: Any
    heads: Any
    """By group: its first tuple, or -1, int32."""
    used: Any
    """By slot: whether it ever held a group, bool."""
    totals: Any
    """By group: how many rows, int64."""
    exact: Any
    """By class and node: how many rows still show this value, int64; 0 for inner nodes."""
    shown: Any
    """By class and column: how many rows show a value at all, int64."""
    numbers: Any
    """How many are risky, the state of the draw (as int64), steps done, merges across classes."""


@step
def merge_cells(tuples, trees, each, partner, merged):
    """Write into ``merged`` the lowest cells that two tuples can both have."""
    place, other_place = tuples.places[each], tuples.places[partner]
    for j in range(len(merged)):
        merged[j] = common_node(trees, tuples.cells[place, j], tuples.cells[other_place, j])


@step
def next_draw(tuples, below):
    """A number from 0 to ``below`` - 1, drawn by splitmix64 from the state."""
    state = np.uint64(tuples.numbers[DRAW]) + np.uint64(0x9E3779B97F4A7C15)
    tuples.numbers[DRAW] = np.int64(state)
    mixed = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed = mixed ^ (mixed >> np.uint64(31))
    return np.int64(mixed % np.uint64(below))


@step
def has_cells(tuples, place, other):
    """Whether the tuples at two places have the same cells."""
    j = 0
    while j < tuples.cells.shape[1] and tuples.cells[place, j] == tuples.cells[other, j]:
        j += 1
    return j == tuples.cells.shape[1]


@step
def find_slot(tuples, place):
    """The slot of the group with the cells of this place, or the one where it belongs."""
    n_columns = tuples.cells.shape[1]
    mask = len(tuples.heads) - 1
    key = np.uint64(n_columns)
    for j in range(n_columns):
        key = (key ^ np.uint64(tuples.cells[place, j])) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
    slot = np.int64(key & np.uint64(mask))
    free = np.int64(NOBODY)
    for _ in range(len(tuples.heads)):
        head = tuples.heads[slot]
        if head == NOBODY:
            if free == NOBODY:
                free = slot
            if not tuples.used[slot]:
                break
        elif has_cells(tuples, np.int64(tuples.places[head]), place):
            return slot
        slot = (slot + 1) & mask
    return free


@step
def mark_group(tuples, group, k):
    """Note for every tuple of a group whether the group breaks the model."""
    breaks = tuples.totals[group] < k
    each = np.int64(tuples.heads[group])
    while each != NOBODY:
        if breaks:
            mark_risky(tuples, each)
        else:
            unmark_risky(tuples, each)
        each = np.int64(tuples.following[each])


@step
def mark_risky(tuples, each):
    """Put a tuple on the list of the risky ones, if it is not there."""
    if tuples.risky_places[each] == NOBODY:
        last = tuples.numbers[RISKY]
        tuples.risky[last] = each
        tuples.risky_places[each] = last
        tuples.numbers[RISKY] = last + 1


@step
def unmark_risky(tuples, each):
    """Take a tuple off the list of the risky ones, if it is there."""
    place = tuples.risky_places[each]
    if place != NOBODY:
        last = tuples.numbers[RISKY] - 1
        moved = tuples.risky[last]
        tuples.risky[place] = moved
        tuples.risky_places[moved] = place
        tuples.risky_places[each] = NOBODY
        tuples.numbers[RISKY] = last


@step
def leave_group(tuples, each, k):
    """Take a tuple out of its group, and note whether the rest breaks the model."""
    group = np.int64(tuples.groups[each])
    if tuples.heads[group] == each:
        tuples.heads[group] = tuples.following[each]
    else:
        before = tuples.heads[group]
        while tuples.following[before] != each:
            before = tuples.following[before]
        tuples.following[before] = tuples.following[each]
    tuples.following[each] = NOBODY
    tuples.totals[group] -= tuples.sizes[tuples.places[each]]
    mark_group(tuples, group, k)


@maker
def join_group(tuples, each, k):
    """Put a tuple into the group with its cells, or merge it into a tuple of its class there."""
    place = np.int64(tuples.places[each])
    # The tuple is in no group now, so the group that is found has another head.
    group = find_slot(tuples, place)
    if tuples.heads[group] == NOBODY:
        tuples.totals[group] = 0
        tuples.used[group] = True
    twin = tuples.heads[group]
    while twin != NOBODY and tuples.classes[twin] != tuples.classes[each]:
        twin = tuples.following[twin]
    tuples.totals[group] += tuples.sizes[place]
    if twin == NOBODY:
        tuples.groups[each] = group
        tuples.following[each] = tuples.heads[group]
        tuples.heads[group] = each
    else:
        other = np.int64(tuples.places[twin])
        tuples.sizes[other] += tuples.sizes[place]
        renew_key(tuples, other)
        tuples.into[each] = twin
        unmark_risky(tuples, each)
        give_up_place(tuples, each)
    mark_group(tuples, group, k)


@step
def give_up_place(tuples, each):
    """Move the last tuple of the class to the place of a tuple that was merged into another."""
    place = tuples.places[each]
    last = tuples.ends[tuples.classes[each]] - 1
    moved = tuples.ids[last]
    for j in range(tuples.cells.shape[1]):
        tuples.cells[place, j] = tuples.cells[last, j]
    tuples.sizes[place] = tuples.sizes[last]
    tuples.keys[place] = tuples.keys[last]
    tuples.ids[place] = moved
    tuples.places[moved] = place
    tuples.places[each] = NOBODY
    tuples.ends[tuples.classes[each]] = last


@step
def renew_key(tuples, place):
    """Recompute the key of a place after its cells or its size have changed; see ``make_keys``."""
    key = np.uint64(0)
    for j in range(len(tuples.digits)):
        key += np.uint64(tuples.cells[place, j]) * tuples.digits[j]
    if tuples.sizes[place] < tuples.n_sizes[0]:
        key += np.uint64(tuples.sizes[place]) * tuples.origin[1]
    tuples.keys[place] = key - tuples.origin[0]


@maker
def move(tuples, trees, each, cells, k):
    """Give a tuple these cells, each its own or a node above, and update all that depends on them."""
    leave_group(tuples, each, k)
    place, own = np.int64(tuples.places[each]), tuples.classes[each]
    for j in range(len(cells)):
        before = tuples.cells[place, j]
        if before != cells[j]:
            if trees.leaves[before]:
                tuples.exact[own, before] -= tuples.sizes[place]
                tuples.shown[own, j] -= tuples.sizes[place]
            tuples.cells[place, j] = cells[j]
    renew_key(tuples, place)
    join_group(tuples, each, k)


@kernel
def form_groups(tuples, k):
    """Put all tuples into groups for the first time."""
    for each in range(len(tuples.places)):
        join_group(tuples, each, k)
