"""A tree made from the records themselves: items that often occur together are under one node.

Level by level, from the items up, every node gets a partner: pairs that occur together most often relative
to their frequency come first, and the rest is paired in order. Nothing is random, so the same records
give the same tree.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from withhold.data.array_types import Longs
from withhold.data.records import Records
from withhold.data.tree_building import ROOT, Edge, Node

LONGEST = 100
"""The most nodes of a record; longer ones pair almost everything with everything, and are left out."""


def co_occurrence_edges(records: Records, set_aside: Collection[str] = ()) -> list[Edge]:
    """The edges of the tree over all items but those ``set_aside``."""
    public = np.array(
        [code for code, name in enumerate(records.vocabulary) if name not in set_aside],
        dtype=np.int64,
    )
    number = np.full(records.n_items, -1, dtype=np.int64)
    number[public] = np.arange(len(public))
    rows = np.repeat(np.arange(len(records)), records.lengths)
    held = number[records.items]
    rows, held = rows[held >= 0], held[held >= 0]
    supports = records.supports[public]
    # The most frequent item of each node, which names it, and how many items it has.
    leaders, sizes = np.arange(len(public)), np.ones(len(public), dtype=np.int64)
    nodes: list[Node] = [(records.vocabulary[code], -1) for code in public]
    edges: list[Edge] = []
    level = 0
    while len(nodes) > 2:
        level += 1
        above = _paired(rows, held, len(nodes))
        n_above = int(above.max()) + 1
        order = np.lexsort((leaders, -supports[leaders], above))
        first = np.searchsorted(above[order], np.arange(n_above))
        leaders = leaders[order[first]]
        sizes = np.bincount(above, weights=sizes).astype(np.int64)
        made: list[Node] = [
            (f"{records.vocabulary[public[leader]]}+{size - 1}", level)
            for leader, size in zip(leaders.tolist(), sizes.tolist(), strict=True)
        ]
        edges += [Edge(node, made[up]) for node, up in zip(nodes, above.tolist(), strict=True)]
        nodes = made
        keys = np.unique(rows * n_above + above[held])
        rows, held = np.divmod(keys, n_above)
    return edges + [Edge(node, (ROOT, level + 1)) for node in nodes]


def _paired(rows: Longs, held: Longs, n_nodes: int) -> Longs:
    """For every node the number of its pair."""
    left, right, together = _together(rows, held, n_nodes)
    supports = np.bincount(held, minlength=n_nodes)
    closeness = together.astype(np.float64) ** 2 / (supports[left] * supports[right])
    order = np.lexsort((right, left, -closeness))
    pair_of = np.full(n_nodes, -1, dtype=np.int64)
    pairs = 0
    for one, other in zip(left[order].tolist(), right[order].tolist(), strict=True):
        if pair_of[one] < 0 and pair_of[other] < 0:
            pair_of[one] = pair_of[other] = pairs
            pairs += 1
    alone = np.flatnonzero(pair_of < 0)
    pair_of[alone] = pairs + np.arange(len(alone)) // 2
    return pair_of


def _together(rows: Longs, held: Longs, n_nodes: int) -> tuple[Longs, Longs, Longs]:
    """The pairs of nodes that some record holds, and how many records do."""
    lengths = np.bincount(rows) if len(rows) else np.zeros(0, dtype=np.int64)
    short = lengths[rows] <= LONGEST
    rows, held = rows[short], held[short]
    found = []
    # The k-th node after each, as long as it is in the same record.
    for distance in range(1, LONGEST):
        same = rows[distance:] == rows[:-distance]
        if not same.any():
            break
        found.append(held[:-distance][same] * n_nodes + held[distance:][same])
    if not found:
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing, nothing
    keys, together = np.unique(np.concatenate(found), return_counts=True)
    left, right = np.divmod(keys, n_nodes)
    return left, right, together.astype(np.int64)
