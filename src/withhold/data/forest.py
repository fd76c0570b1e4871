"""What each column's cells can become: a value, a node of its hierarchy, or nothing (withheld).

In: a table and hierarchies for some of its columns. Out: one tree per column, in one numbering of nodes. A
column without a hierarchy has the flat tree: values, and the root above them, which means withheld.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from withhold.data import Hierarchy, Table
from withhold.data.spans import starts_of
from withhold.data.table import WITHHELD, Column
from withhold.errors import InputError, PolicyError

NOBODY = -1


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


Shape = tuple[NDArray[np.int32], NDArray[np.float64], tuple[str, ...]]


@dataclass(frozen=True)
class Forest:
    """The trees of all quasi-identifiers, and the rows' cells as their nodes."""

    columns: tuple[str, ...]
    trees: Trees
    bounds: NDArray[np.int64]
    """By column: its first node, and the end of the last. Values come first, by code; the root is last."""
    names: tuple[tuple[str, ...], ...]
    """By column: the names of its inner nodes, which come after its values."""
    losses: NDArray[np.float64]
    """By node: how much of its detail a cell with this node hides: 0 for a value, 1 for a root."""
    nodes: NDArray[np.int32]
    """By row and column: the cell's node."""

    @cached_property
    def paths(self) -> tuple[NDArray[np.int32], ...]:
        """By column: for each of its nodes, its ancestor at each depth; NOBODY below the node's own depth."""
        return tuple(self._paths(*ends) for ends in pairwise(self.bounds.tolist()))

    def _paths(self, start: int, end: int) -> NDArray[np.int32]:
        above = np.arange(start, end, dtype=np.int32)
        depths, parents = self.trees.depths, self.trees.parents
        paths = np.full((len(above), int(depths[start:end].max()) + 2), NOBODY, dtype=np.int32)
        while (there := np.flatnonzero(above != NOBODY)).size:
            paths[there, depths[above[there]]] = above[there]
            above[there] = parents[above[there]]
        return paths

    def counts(self) -> NDArray[np.int64]:
        """By node: how many rows show it."""
        return np.bincount(self.nodes.ravel(), minlength=len(self.losses)).astype(np.int64)

    def information(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """By node: minus the information of a cell that shows only this, -(-log p)."""
        under = counts.astype(np.float64)
        # Children before their parents: within a column by decreasing depth.
        for node in np.argsort(-self.trees.depths, kind="stable"):
            if self.trees.parents[node] != NOBODY:
                under[self.trees.parents[node]] += under[node]
        total = np.maximum(under[self.bounds[1:] - 1], 1.0)[self.trees.columns]
        share: NDArray[np.float64] = np.maximum(under, 1.0) / total
        return np.log(share)


def make_forest(table: Table, names: Sequence[str], hierarchies: Mapping[str, Hierarchy]) -> Forest:
    """The trees of these columns."""
    for name in hierarchies:
        if name not in names:
            raise PolicyError(f"column {name!r} has a hierarchy but is not a quasi-identifier")
    shapes = [_shape(table.column(name), hierarchies.get(name)) for name in names]
    above, losses, inner = zip(*shapes, strict=True)
    sizes = np.array([len(each) for each in above])
    bounds = starts_of(sizes)
    columns = np.repeat(np.arange(len(names), dtype=np.int32), sizes)
    local = np.concatenate(above)
    parents = np.where(local == NOBODY, NOBODY, local + bounds[columns]).astype(np.int32)
    n_values = np.array([len(table.column(name).values) for name in names])
    leaves = np.arange(len(parents)) - bounds[columns] < n_values[columns]
    cells = table.cells(names)
    nodes = np.where(cells == WITHHELD, sizes - 1, cells) + bounds[:-1]
    trees = Trees(parents, _depths(parents), columns, leaves)
    loss = np.concatenate(losses)
    return Forest(tuple(names), trees, bounds, inner, loss, nodes.astype(np.int32))


def _shape(column: Column, hierarchy: Hierarchy | None) -> Shape:
    """The parent and the loss of each node of a column, and the names of its inner nodes."""
    if hierarchy is not None:
        return _hierarchic(column, hierarchy)
    root = len(column.values)
    parents = np.full(root + 1, root, dtype=np.int32)
    parents[root] = NOBODY
    return parents, (parents == NOBODY).astype(np.float64), ()


def _hierarchic(column: Column, hierarchy: Hierarchy) -> Shape:
    named = tuple(value or "" for value in column.values)
    try:
        hierarchy.check_covers(filter(None, named), what="values of the column")
    except InputError as error:
        raise InputError(error.problem, column=column.name, remedy=error.remedy) from None
    # A blank has its place right under the root: it is shown or withheld.
    above = [hierarchy.parents[hierarchy.code(name)] if name else 0 for name in named]
    is_inner = np.ones(len(hierarchy), dtype=np.bool_)
    is_inner[hierarchy.leaf_codes] = False
    is_inner[0] = False
    inner = np.flatnonzero(is_inner)
    # Values, then inner nodes, then the root, which is 0 in the hierarchy.
    place = np.full(len(hierarchy), NOBODY, dtype=np.int32)
    place[inner] = len(named) + np.arange(len(inner))
    place[0] = len(named) + len(inner)
    parents = np.append(place[np.append(above, hierarchy.parents[inner]).astype(np.int64)], NOBODY)
    # Of the leaves, only values that the column has: a node above a single one of them hides nothing.
    leaves = hierarchy.codes(filter(None, named))
    before = np.append(0, np.cumsum(np.bincount(leaves, minlength=len(hierarchy))))
    under = before[hierarchy.ends[inner]] - before[inner]
    hidden = np.maximum(under - 1, 0) / max(len(named) - 1, 1)
    losses = np.concatenate((np.zeros(len(named)), hidden, [1.0]))
    return parents.astype(np.int32), losses, tuple(hierarchy.names[code] for code in inner)


def _depths(parents: NDArray[np.int32]) -> NDArray[np.int32]:
    depths = np.zeros(len(parents), dtype=np.int32)
    climbing = parents.copy()
    while (climbing != NOBODY).any():
        depths += climbing != NOBODY
        climbing = np.where(climbing == NOBODY, NOBODY, parents[climbing])
    return depths
