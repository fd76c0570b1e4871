"""What a group of records is published as: concept learning, and the cut that adds nothing.

Both work on (group, node) pairs of all groups at once, one level of the tree after the other. A pair is
one number, group * nodes + node, so that sets of pairs are sorted arrays.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from withhold.data import Hierarchy
from withhold.data.array_types import Bools, Longs
from withhold.data.spans import starts_of

Sets = tuple[Longs, NDArray[np.int32]]
"""The groups' sets of nodes: offsets by group, and the nodes, ascending within each."""
UNIT = 2**20
"""The weight of a record, shared by its items, in whole numbers so that sums are exact."""


def learnt_concepts(
    group: Longs, node: Longs, n_groups: int, tree: Hierarchy, *, to_root: bool
) -> Sets:
    """For each group the union of its occurrences' nodes, siblings generalised until no two are left.

    ``group`` and ``node`` say, for each occurrence, its record's group and its item's leaf. Only with
    ``to_root`` are the children of the root siblings, too.
    """
    size = len(tree)
    present = distinct(group * size + node)
    for depth in range(tree.height, 0, -1):
        level = present[tree.depths[present % size] == depth]
        parents = np.sort(level - level % size + tree.parents[level % size])
        # A parent that comes again has two children here.
        risen = distinct(parents[~_firsts(parents)])
        risen = risen if to_root else risen[risen % size != 0]
        present = distinct(np.concatenate([present, risen]))
    return _as_sets(_uppermost(present, tree), n_groups, size)


def truthful_cut(
    group: Longs, record: Longs, node: Longs, group_sizes: Longs, tree: Hierarchy
) -> Sets:
    """For each group the nodes that cover something in every one of its records, at the least loss.

    A node may be published if each record of the group has an item under it. Of those, the cut is chosen
    from the leaves up: a node replaces what is chosen below it if that costs less, counting for each
    item the leaves under its node, and for an item that no node covers, all leaves. Items count by the
    share that they are of their record. The root covers everything and says nothing: it is left out.
    """
    size, n_groups = len(tree), len(group_sizes)
    lengths = np.bincount(record)
    weight = UNIT // np.maximum(lengths[record], 1)
    # Every occurrence counts for its leaf and for all nodes above but the root.
    pairs, weights, owners = [], [], []
    up = node.copy()
    while (below := up > 0).any():
        pairs.append(group[below] * size + up[below])
        weights.append(weight[below])
        owners.append(record[below])
        group, record, weight, up = group[below], record[below], weight[below], up[below]
        up = tree.parents[up].astype(np.int64)
    if not pairs:
        return _as_sets(np.zeros(0, dtype=np.int64), n_groups, size)
    all_pairs = np.concatenate(pairs)
    keys = distinct(all_pairs)
    place = np.searchsorted(keys, all_pairs)
    mass = np.zeros(len(keys), dtype=np.int64)
    np.add.at(mass, place, np.concatenate(weights))
    # Two items of a record under one node are one record that has the node.
    once = distinct(place * len(lengths) + np.concatenate(owners)) // len(lengths)
    in_all = np.bincount(once, minlength=len(keys)) == group_sizes[keys // size]
    chosen = _cheapest(keys, mass, in_all, tree)
    return _as_sets(keys[chosen], n_groups, size)


def _cheapest(keys: Longs, mass: Longs, in_all: Bools, tree: Hierarchy) -> Bools:
    """Which pairs make the cut of least cost: decided from the deepest level up, then read from the top."""
    size = len(tree)
    nodes = keys % size
    is_leaf = tree.leaf_counts[nodes] == 1
    leaves = np.where(is_leaf & (tree.ends[nodes] == nodes + 1), 0, tree.leaf_counts[nodes])
    own = np.where(in_all, mass * leaves, mass * tree.n_leaves)
    cost = own.copy()
    below = np.zeros(len(keys), dtype=np.int64)
    has_below = np.zeros(len(keys), dtype=bool)
    taken = in_all.copy()
    parent_place = np.searchsorted(keys, keys - nodes + tree.parents[nodes])
    for depth in range(tree.height, 0, -1):
        level = np.flatnonzero(tree.depths[nodes] == depth)
        finer = level[has_below[level] & (below[level] <= own[level])]
        cost[finer] = below[finer]
        taken[finer] = False
        rising = level[tree.parents[nodes[level]] > 0]
        np.add.at(below, parent_place[rising], cost[rising])
        has_below[parent_place[rising]] = True
    covered = np.zeros(len(keys), dtype=bool)
    for depth in range(2, tree.height + 1):
        level = np.flatnonzero(tree.depths[nodes] == depth)
        above = parent_place[level]
        covered[level] = covered[above] | taken[above]
    return taken & ~covered


def _uppermost(present: Longs, tree: Hierarchy) -> Longs:
    """The pairs of which no ancestor is there."""
    size = len(tree)
    base, up = present - present % size, tree.parents[present % size].astype(np.int64)
    covered = np.zeros(len(present), dtype=bool)
    while (rising := up >= 0).any():
        there = np.searchsorted(present, base[rising] + up[rising])
        there = np.minimum(there, len(present) - 1)
        covered[rising] |= present[there] == base[rising] + up[rising]
        up[rising] = tree.parents[up[rising]]
    return present[~covered]


def _as_sets(pairs: Longs, n_groups: int, size: int) -> Sets:
    counts = np.bincount(pairs // size, minlength=n_groups)
    return starts_of(counts), (pairs % size).astype(np.int32)


def distinct(numbers: Longs) -> Longs:
    """The different numbers, ascending; for millions of them faster than ``np.unique``, which hashes.

    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    ordered = np.sort(numbers)
    return ordered[_firsts(ordered)]


def _firsts(ordered: Longs) -> Bools:
    """Which of some ascending numbers are the first of their kind."""
    first = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return first
