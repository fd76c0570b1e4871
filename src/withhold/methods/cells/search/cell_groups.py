"""The rows of a table as tuples with multiplicities, and the groups that they form; changed in place.

A *tuple* stands for all rows with the same cells, class and sensitive value. A *group* is all tuples with the
same cells. Tuples have ids that stay; where a tuple's cells lie (its *place*) changes, so that the tuples of
a class stay together and a scan over them is one sweep through memory. A group's number is its slot in a
hash table. A group breaks the model with fewer than ``k`` rows or ``variety`` different sensitive values.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import kernel
from withhold.methods.cells.search.cell_keys import make_key

NOBODY = -1


class Tuples(NamedTuple):
    """All that changes while tuples are merged."""

    cells: Any
    """By place: the nodes of each column, uint32."""
    sizes: Any
    """By place: how many rows, int32."""
    keys: Any
    """By place: what a scan looks at first, uint64; see ``cell_keys``."""
    digits: Any
    """By column: what the key grows by with its node, uint64."""
    origin: Any
    """What is taken off every key, and what is added for each row of the size, uint64."""
    n_sizes: Any
    """Keys show sizes below that one, as an array of one number."""
    ids: Any
    """By place: whose place it is, int32."""
    places: Any
    """By id, int32; -1 once the tuple has become part of another."""
    classes: Any
    """By id, int32."""
    values: Any
    """By id: the sensitive value, int32; all 0 without one."""
    into: Any
    """By id: the tuple that it became part of, or -1, int32."""
    groups: Any
    """By id: the group, int32."""
    following: Any
    """By id: the next tuple of the same group, or -1, int32."""
    risky_places: Any
    """By id: where it stands in ``risky``, or -1, int32."""
    risky: Any
    """The tuples of groups that break the model, in no order, int32."""
    starts: Any
    """By class: where its tuples begin, int64."""
    ends: Any
    """By class: where they end, int64."""
    heads: Any
    """By group: its first tuple, or -1, int32."""
    used: Any
    """By slot: whether it ever held a group, bool."""
    totals: Any
    """By group: how many rows, int64."""
    varieties: Any
    """By group: how many different sensitive values, int64."""
    exact: Any
    """By class and node: how many rows still show this value, int64; 0 for inner nodes."""
    shown: Any
    """By class and column: how many rows show a value at all, int64."""
    numbers: Any
    """How many are risky, the state of the draw (as int64), steps done, merges across classes."""


RISKY, DRAW, STEPS, ACROSS = 0, 1, 2, 3


class Trees(NamedTuple):
    """What each column's values can become: one tree a column, all nodes in one numbering."""

    parents: Any
    """The node above, or -1 for a root, int32. A root means: withheld."""
    depths: Any
    """Edges below the root, int32."""
    columns: Any
    """The column of each node, int32."""
    leaves: Any
    """Whether the node is a value of the original, bool."""


@kernel
def common_node(trees, a, b):
    """The lowest node above both, or one of them."""
    parents, depths = trees.parents, trees.depths
    one, other = np.int64(a), np.int64(b)
    while one != other:
        if depths[one] >= depths[other]:
            one = np.int64(parents[one])
        else:
            other = np.int64(parents[other])
    return one


@kernel
def next_draw(tuples, below):
    """A number from 0 to ``below`` - 1, drawn by splitmix64 from the state."""
    state = np.uint64(tuples.numbers[DRAW]) + np.uint64(0x9E3779B97F4A7C15)
    tuples.numbers[DRAW] = np.int64(state)
    mixed = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed = mixed ^ (mixed >> np.uint64(31))
    return np.int64(mixed % np.uint64(below))


@kernel
def find_slot(tuples, cells):
    """The slot of the group with these cells, or the one where it belongs."""
    heads, used = tuples.heads, tuples.used
    mask = len(heads) - 1
    key = np.uint64(len(cells))
    for j in range(len(cells)):
        key = (key ^ np.uint64(cells[j])) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
    slot = np.int64(key & np.uint64(mask))
    free = NOBODY
    for _ in range(len(heads)):
        head = heads[slot]
        if head == NOBODY:
            if free == NOBODY:
                free = slot
            if not used[slot]:
                break
        else:
            place = tuples.places[head]
            same = True
            for j in range(len(cells)):
                if tuples.cells[place, j] != cells[j]:
                    same = False
                    break
            if same:
                return slot
        slot = (slot + 1) & mask
    return free


@kernel
def mark(tuples, group, k, variety):
    """Note for every tuple of a group whether the group breaks the model."""
    breaks = tuples.totals[group] < k or tuples.varieties[group] < variety
    each = tuples.heads[group]
    while each != NOBODY:
        place = tuples.risky_places[each]
        if breaks and place == NOBODY:
            last = tuples.numbers[RISKY]
            tuples.risky[last] = each
            tuples.risky_places[each] = last
            tuples.numbers[RISKY] = last + 1
        elif not breaks and place != NOBODY:
            calm(tuples, each)
        each = tuples.following[each]


@kernel
def calm(tuples, each):
    """Take a tuple off the list of the risky ones."""
    place = tuples.risky_places[each]
    if place == NOBODY:
        return
    last = tuples.numbers[RISKY] - 1
    moved = tuples.risky[last]
    tuples.risky[place] = moved
    tuples.risky_places[moved] = place
    tuples.risky_places[each] = NOBODY
    tuples.numbers[RISKY] = last


@kernel
def count_varieties(tuples, group):
    """How many different sensitive values the tuples of a group have."""
    found = 0
    each = tuples.heads[group]
    while each != NOBODY:
        earlier = tuples.heads[group]
        while earlier != each and tuples.values[earlier] != tuples.values[each]:
            earlier = tuples.following[earlier]
        if earlier == each:
            found += 1
        each = tuples.following[each]
    return found


@kernel
def leave_group(tuples, each, k, variety):
    """Take a tuple out of its group, which may break the model from then on."""
    group = tuples.groups[each]
    if tuples.heads[group] == each:
        tuples.heads[group] = tuples.following[each]
    else:
        before = tuples.heads[group]
        while tuples.following[before] != each:
            before = tuples.following[before]
        tuples.following[before] = tuples.following[each]
    tuples.following[each] = NOBODY
    tuples.totals[group] -= tuples.sizes[tuples.places[each]]
    tuples.varieties[group] = count_varieties(tuples, group)
    mark(tuples, group, k, variety)


@kernel
def join_group(tuples, each, k, variety):
    """Put a tuple into the group of its cells; one that is there already takes its rows over."""
    place = tuples.places[each]
    size = tuples.sizes[place]
    # Its own cells are no longer in any group, so the group found has another head.
    group = find_slot(tuples, tuples.cells[place])
    if tuples.heads[group] == NOBODY:
        tuples.totals[group] = 0
        tuples.used[group] = True
    twin = tuples.heads[group]
    while twin != NOBODY and not (
        tuples.classes[twin] == tuples.classes[each] and tuples.values[twin] == tuples.values[each]
    ):
        twin = tuples.following[twin]
    tuples.totals[group] += size
    if twin == NOBODY:
        tuples.groups[each] = group
        tuples.following[each] = tuples.heads[group]
        tuples.heads[group] = each
        tuples.varieties[group] = count_varieties(tuples, group)
    else:
        tuples.sizes[tuples.places[twin]] += size
        renew_key(tuples, tuples.places[twin])
        tuples.into[each] = twin
        calm(tuples, each)
        _give_up_place(tuples, each)
    mark(tuples, group, k, variety)


@kernel
def _give_up_place(tuples, each):
    """Let the last tuple of the class move to the place of one that is no more."""
    place = tuples.places[each]
    own = tuples.classes[each]
    last = tuples.ends[own] - 1
    moved = tuples.ids[last]
    for j in range(tuples.cells.shape[1]):
        tuples.cells[place, j] = tuples.cells[last, j]
    tuples.sizes[place] = tuples.sizes[last]
    tuples.keys[place] = tuples.keys[last]
    tuples.ids[place] = moved
    tuples.places[moved] = place
    tuples.places[each] = NOBODY
    tuples.ends[own] = last


@kernel
def renew_key(tuples, place):
    """Make the key of a place anew, after its cells or its size have changed."""
    tuples.keys[place] = make_key(
        tuples.cells, tuples.sizes, place, tuples.digits, tuples.origin, tuples.n_sizes[0]
    )


@kernel
def move(tuples, trees, each, cells, k, variety):
    """Give a tuple these cells, each its own or a node above, and see to all that depends on them."""
    leave_group(tuples, each, k, variety)
    place = tuples.places[each]
    own = tuples.classes[each]
    for j in range(len(cells)):
        before = tuples.cells[place, j]
        if before != cells[j]:
            if trees.leaves[before]:
                tuples.exact[own, before] -= tuples.sizes[place]
                tuples.shown[own, j] -= tuples.sizes[place]
            tuples.cells[place, j] = cells[j]
    renew_key(tuples, place)
    join_group(tuples, each, k, variety)


@kernel
def form_groups(tuples, k, variety):
    """Put all tuples into groups for the first time."""
    for each in range(len(tuples.places)):
        join_group(tuples, each, k, variety)
