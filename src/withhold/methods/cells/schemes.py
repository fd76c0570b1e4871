"""Schemes: one level per column, and the groups of rows that look alike under a scheme.

Level 0 of a column is its values, the last one its root, which means withheld. A level is a depth of the
tree; a branch that ends above it keeps its leaf. Under a scheme every row has one *pattern*: its nodes at
these levels. Rows with the same cells are one *tuple*, which has their number as its weight.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from withhold.counting.jit import kernel, step
from withhold.data.array_types import Ints, Longs
from withhold.methods.cells.nodes import NOBODY, Trees

SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""A factor that spreads keys over a hash table."""


class Ladders(NamedTuple):
    """What each node becomes at each level of its column."""

    nodes: Any
    """By level and node: the node above it at that level, int32; above the last level it is the root."""
    levels: Any
    """By column: how many levels it has, int64."""
    columns: Any
    """The column of each node, int32."""
    codes: Any
    """By level and node: a number, uint64; the sum of a row's numbers identifies its pattern."""


class Lattice(NamedTuple):
    """The schemes of a table, all of them numbered."""

    ladders: Ladders
    strides: Any
    """By column: how much one more level adds to the number of a scheme, int64."""


def make_ladders(trees: Trees, bounds: Longs) -> Ladders:
    """The levels of all columns."""
    heights = np.maximum.reduceat(trees.depths, bounds[:-1])
    nodes = np.empty((int(heights.max()) + 1, len(trees.parents)), dtype=np.int32)
    nodes[0] = np.arange(len(trees.parents))
    for level in range(1, len(nodes)):
        below = nodes[level - 1]
        climbs = trees.depths[below] > np.maximum(heights[trees.columns] - level, 0)
        nodes[level] = np.where(climbs, trees.parents[below], below)
    codes = codes_of(trees.columns, bounds)[nodes]
    return Ladders(nodes, heights.astype(np.int64) + 1, trees.columns, codes)


def codes_of(columns: Ints, bounds: Longs) -> NDArray[np.uint64]:
    """A number for each node, such that different patterns have different sums.

    They are digits of one number if that has room for all columns, else hashes.
    """
    nodes, sizes = np.arange(len(columns), dtype=np.uint64), np.diff(bounds)
    places = [prod(sizes[:j].tolist()) for j in range(len(sizes))]
    if prod(sizes.tolist()) < 2**64:
        return (nodes - bounds[columns].astype(np.uint64)) * np.array(places, np.uint64)[columns]
    mixed = (nodes + np.uint64(1)) * SPREAD
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    found: NDArray[np.uint64] = mixed ^ (mixed >> np.uint64(31))
    return found


def number_of_schemes(ladders: Ladders) -> int:
    """The number of schemes, exact however large it is."""
    total = 1
    for levels in ladders.levels.tolist():
        total *= levels
    return total


def make_lattice(ladders: Ladders) -> Lattice:
    """The numbering of all schemes; the last one withholds everything."""
    return Lattice(ladders, np.cumprod(np.append(1, ladders.levels[:-1])).astype(np.int64))


def levels_of(lattice: Lattice, schemes: NDArray[Any]) -> Longs:
    """By scheme and column: the level."""
    found: Longs = schemes[:, None] // lattice.strides % lattice.ladders.levels
    return found


class Grouping(NamedTuple):
    """The groups that one scheme forms."""

    slots: Any
    """A hash table: the group of a slot, or -1, int32."""
    keys: Any
    """By group: the hash of its pattern, uint64."""
    sizes: Any
    """By group: how many rows, int64."""
    closures: Any
    """By group and column: the lowest node that all its rows share, int32."""
    of_tuple: Any
    """By tuple: its group, int32."""
    by_column: Any
    """The cells by column and tuple, int32, since compiled code adds up columns fastest."""
    sums: Any
    """By tuple: the sum of its codes, uint64."""


def make_grouping(cells: Ints) -> Grouping:
    """Memory for the groups of any scheme."""
    n = len(cells)
    return Grouping(
        by_column=np.ascontiguousarray(cells.T),
        sums=np.empty(n, dtype=np.uint64),
        slots=np.empty(1 << int(2 * n).bit_length(), dtype=np.int32),
        keys=np.empty(n, dtype=np.uint64),
        sizes=np.empty(n, dtype=np.int64),
        closures=np.empty_like(cells),
        of_tuple=np.empty(n, dtype=np.int32),
    )


def grouping_of(sizes: Longs, closures: Ints, of_tuple: Ints) -> Grouping:
    """A grouping that no scheme formed, given the sizes and closures of its groups."""
    no_slots, no_keys = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.uint64)
    return Grouping(no_slots, no_keys, sizes, closures, of_tuple, no_slots[None], no_keys)


@step
def mix(key, node):
    """The hash of a sequence of nodes with one more node, given the hash without it."""
    mixed = (key ^ np.uint64(node)) * SPREAD
    return mixed ^ (mixed >> np.uint64(29))


@kernel
def group_by_scheme(ladders, cells, weights, levels, grouping):
    """Group the tuples by their patterns under a scheme; how many groups there are.

    Patterns are compared by the sums of their codes. Two that share one, which only hashes can, form one
    group; it may cost more than its pattern says, and what is published of it is as true as of any other.
    """
    mask = len(grouping.slots) - 1
    for slot in range(len(grouping.slots)):
        grouping.slots[slot] = NOBODY
    _add_codes(ladders, levels, grouping)
    n_groups = 0
    for each in range(len(cells)):
        group = group_with(grouping, grouping.sums[each], mask, n_groups)
        if group == n_groups:
            for j in range(len(levels)):
                grouping.closures[group, j] = cells[each, j]
            n_groups += 1
        grouping.sizes[group] += weights[each]
        grouping.of_tuple[each] = group
    return n_groups


@step
def group_with(grouping, key, mask, n_groups):
    """The group with this key; if there is none, the next one, empty, whose number is ``n_groups``."""
    slot = find_key(grouping, key, mask)
    if grouping.slots[slot] == NOBODY:
        grouping.slots[slot] = n_groups
        grouping.keys[n_groups] = key
        grouping.sizes[n_groups] = 0
    return grouping.slots[slot]


@step
def find_key(grouping, key, mask):
    """The slot of the group with this key, or the free one where it belongs."""
    slot = np.int64((key * SPREAD) >> np.uint64(32)) & mask
    while grouping.slots[slot] != NOBODY and grouping.keys[grouping.slots[slot]] != key:
        slot = (slot + 1) & mask
    return slot


@step
def _add_codes(ladders, levels, grouping):
    """Sum up the codes of each tuple under a scheme."""
    for each in range(len(grouping.sums)):
        grouping.sums[each] = 0
    for j in range(len(levels)):
        level = levels[j]
        for each in range(len(grouping.sums)):
            # An unsigned index needs no check for negative ones.
            grouping.sums[each] += ladders.codes[level, np.uint32(grouping.by_column[j, each])]


@step
def change_codes(ladders, j, before, after, grouping):
    """Make the sums of the codes those of a scheme with another level of one column."""
    for each in range(len(grouping.sums)):
        node = np.uint32(grouping.by_column[j, each])
        grouping.sums[each] += ladders.codes[after, node] - ladders.codes[before, node]
