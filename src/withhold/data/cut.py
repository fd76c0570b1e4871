"""Cuts of a tree: nodes that cover every public item exactly once, so that each is published as one of them.

Sensitive items are taken out of the tree first, so no node represents both public and sensitive ones. In:
a tree, and a level or the names of nodes. Out: the codes of the cut's nodes, ascending, and the groups that
they are. A node with a single child represents the same items, and is replaced by it unless it was named.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from withhold.data.array_types import Ints, Longs
from withhold.data.groups import Groups
from withhold.data.hierarchy import Hierarchy
from withhold.data.names import clean
from withhold.data.tree_building import some
from withhold.errors import InputError, PolicyError


def public_tree(tree: Hierarchy, items: Iterable[str], sensitive: Collection[str]) -> Hierarchy:
    """The tree without the sensitive items, and without nodes that represented nothing else.

    >>> tree = Hierarchy.from_edges([("tea", "drinks"), ("beer", "drinks"), ("drinks", "*"), ("pill", "*")])
    >>> public_tree(tree, ["tea", "beer", "pill"], {"beer"}).names
    ('*', 'drinks', 'tea', 'pill')
    """
    public = [item for item in items if item not in sensitive]
    if not public:
        raise PolicyError(
            "all items of the data are sensitive, so a hierarchy has nothing to generalise; leave it out"
        )
    tree.check_covers(public)
    if inner := sorted(name for name in sensitive if name in tree and not tree.is_leaf(name)):
        raise InputError(
            f"{len(inner):,} of the sensitive items are inner nodes of the hierarchy: {some(inner)}",
            remedy="give each its own leaf below that node",
        )
    stays = np.zeros(len(tree), dtype=bool)
    for code in tree.leaf_codes[::-1]:
        stays[code] = tree.names[code] not in sensitive
    for code in range(len(tree) - 1, 0, -1):
        stays[tree.parents[code]] |= stays[code]
    places = np.cumsum(stays) - 1
    kept = np.flatnonzero(stays)
    parents = np.append(np.int32(-1), places[tree.parents[kept[1:]]])
    return Hierarchy(tuple(tree.names[code] for code in kept), parents.astype(np.int32))


def children_of(tree: Hierarchy, node: int) -> list[int]:
    """The nodes right below."""
    below, found = node + 1, []
    while below < tree.ends[node]:
        found.append(below)
        below = int(tree.ends[below])
    return found


def most_specific(tree: Hierarchy) -> Ints:
    """For every node the lowest one that represents the same items."""
    same = np.arange(len(tree), dtype=np.int32)
    for code in range(len(tree) - 2, -1, -1):
        first = code + 1
        if tree.parents[first] == code and tree.ends[first] == tree.ends[code]:
            same[code] = same[first]
    return same


def cut_at(tree: Hierarchy, level: int) -> Ints:
    """The nodes this many steps below the root, and the leaves that are above them."""
    if not 0 <= level <= tree.height:
        raise PolicyError(
            f"the cut must be a level from 0 (all items are one group) to {tree.height} (every item for "
            f"itself), or name nodes, not {level}"
        )
    return np.unique(most_specific(tree)[tree.at_depth(level)[tree.leaf_codes]])


def named_cut(tree: Hierarchy, names: Iterable[str], whole: Hierarchy) -> Ints:
    """The nodes of these names, which must cover every item exactly once.

    ``whole`` is the tree with the sensitive items: nodes that represent nothing else are ignored.
    """
    names = list(names)
    for name in names:
        if not isinstance(name, str):
            raise PolicyError(
                f"a cut names nodes by their texts, not {name!r}; a level is one number"
            )
    listed = sorted({clean(name) for name in names} - {""})
    whole.codes(listed)
    nodes = np.unique(tree.codes(name for name in listed if name in tree))
    times = times_covered(tree, nodes)
    problems = []
    for wrong, what in ((times == 0, "misses"), (times > 1, "covers more than once")):
        if n := int(wrong.sum()):
            leaves = [tree.names[code] for code in tree.leaf_codes[wrong]]
            problems.append(f"{what} {n:,} of the {tree.n_leaves:,} public items: {some(leaves)}")
    if problems:
        raise PolicyError(
            f"the cut {', and '.join(problems)}; name nodes that cover each exactly once"
        )
    return nodes


def times_covered(tree: Hierarchy, nodes: Ints) -> Longs:
    """For every leaf how many of these nodes represent it."""
    times = np.zeros(len(tree) + 1, dtype=np.int64)
    np.add.at(times, nodes, 1)
    np.add.at(times, tree.ends[nodes], -1)
    return np.cumsum(times)[tree.leaf_codes]


def with_leaves(tree: Hierarchy, nodes: Ints) -> Ints:
    """The cut of these nodes and of all leaves that are under none of them."""
    free = tree.leaf_codes[times_covered(tree, nodes) == 0]
    return np.union1d(nodes, free).astype(np.int32)


def groups_of(tree: Hierarchy, nodes: Ints) -> Groups:
    """The nodes of a cut as groups of their leaves."""
    return Groups.of({tree.names[node]: tree.leaves_under(tree.names[node]) for node in nodes})


def occurrences_under(tree: Hierarchy, supports: dict[str, int]) -> Longs:
    """For every node how many occurrences its leaves have."""
    under = np.zeros(len(tree), dtype=np.int64)
    for code in tree.leaf_codes:
        under[code] = supports.get(tree.names[code], 0)
    for code in range(len(tree) - 1, 0, -1):
        under[tree.parents[code]] += under[code]
    return under
