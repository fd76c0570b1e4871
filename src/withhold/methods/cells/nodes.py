"""Nodes of trees: what the cells of each column can become."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.jit import step
from withhold.data.forest import NOBODY as NOBODY
from withhold.data.forest import Trees as Trees


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
