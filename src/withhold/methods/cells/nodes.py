"""Nodes of trees: what the cells of each column can become."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import step

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


@step
def common_node(trees, a, b):
    """The lowest node above both, or one of them."""
    one, other = np.int64(a), np.int64(b)
    while one != other:
        if trees.depths[one] >= trees.depths[other]:
            one = np.int64(trees.parents[one])
        else:
            other = np.int64(trees.parents[other])
    return one
