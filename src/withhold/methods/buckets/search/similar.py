"""Groups of similar records: what they have in common is what can be published.

In: records and a tree. Out: groups of at least k. Records that have the same items are a class, if there are
k of them; of the others, those that have the same nodes one level up, and so on. What is left at the top
level forgets its rarest node, then the next. Within a class, the most similar records make a group.
"""

from __future__ import annotations

import numpy as np

from withhold.counting.threads import Stop, run_all
from withhold.data import Hierarchy, Records
from withhold.methods.buckets.search.pairs import Ints, distinct, spans
from withhold.methods.buckets.search.similar_rows import gather_similar

WINDOW = 1000
"""So many neighbours are looked at for the next member of a group."""


def similar_groups(
    table: Records, node: Ints, k: int, tree: Hierarchy, *, window: int = WINDOW
) -> Ints:
    """The group of each record; all groups have at least k, and most have fewer than 2k."""
    signatures = [_signatures(table, node, depth, tree) for depth in range(1, tree.height + 1)]
    keys = list(zip(*signatures, strict=True))
    # The top level first, so that neighbours are alike as far down as possible.
    left = sorted(range(len(table)), key=keys.__getitem__)
    group_of = np.full(len(table), -1, dtype=np.int64)
    n_groups = 0
    for signature in (*reversed(signatures), *_shortened(signatures[0])):
        classes: dict[bytes, list[int]] = {}
        for row in left:
            classes.setdefault(signature[row], []).append(row)
        large = [rows for rows in classes.values() if len(rows) >= k]
        left = [row for rows in classes.values() if len(rows) < k for row in rows]
        if large:
            rows = np.concatenate([np.array(each) for each in large])
            bounds = np.cumsum([0, *map(len, large)])
            groups, made = _gathered(table, node, rows, bounds, k, tree, window)
            group_of[rows] = n_groups + groups
            n_groups += made
    # Fewer than k share nothing with any others, as the last signature is the same for all.
    group_of[left] = max(n_groups - 1, 0)
    return group_of


def _gathered(
    table: Records, node: Ints, rows: Ints, bounds: Ints, k: int, tree: Hierarchy, window: int
) -> tuple[Ints, int]:
    """The groups within classes of rows, and how many there are."""
    offsets, nodes = _with_ancestors(table, node, rows, tree)
    groups = np.empty(len(rows), dtype=np.int64)
    with Stop() as stop:

        def gather() -> int:
            return int(
                gather_similar(offsets, nodes, _gains(tree), bounds, k, window, groups, stop.flag)
            )

        (made,) = run_all([gather], stop, jobs=1)
    return groups, made


def _gains(tree: Hierarchy) -> Ints:
    """What an item gains when its group has this node in common and not only the one above."""
    stands_for = np.where(tree.leaf_counts == 1, 0, tree.leaf_counts).astype(np.int64)
    gains: Ints = stands_for[np.maximum(tree.parents, 0)] - stands_for
    return gains


def _with_ancestors(
    table: Records, node: Ints, rows: Ints, tree: Hierarchy
) -> tuple[Ints, np.ndarray]:
    """The rows, in this order, as sets of their leaves and all nodes above but the root."""
    lengths = table.lengths[rows]
    row = np.repeat(np.arange(len(rows)), lengths)
    up = node[spans(table.offsets[rows], lengths)]
    keys = [np.zeros(0, dtype=np.int64)]
    while len(up):
        keys.append(row * len(tree) + up)
        up = tree.parents[up].astype(np.int64)
        row, up = row[up > 0], up[up > 0]
    pairs = distinct(np.concatenate(keys))
    offsets = np.searchsorted(pairs, np.arange(len(rows) + 1) * len(tree))
    return offsets.astype(np.int64), (pairs % len(tree)).astype(np.int32)


def _signatures(table: Records, node: Ints, depth: int, tree: Hierarchy) -> list[bytes]:
    """Each record's nodes at this depth, the most frequent first, as bytes that sort like lists."""
    size = len(tree)
    record = np.repeat(np.arange(len(table)), table.lengths)
    pairs = distinct(record * size + tree.at_depth(depth)[node])
    record, nodes = pairs // size, pairs % size
    counts = np.bincount(nodes, minlength=size)
    rank = np.empty(size, dtype=np.int64)
    rank[np.lexsort((np.arange(size), -counts))] = np.arange(size)
    pairs = np.sort(record * size + rank[nodes])
    content = (pairs % size).astype(">u4").tobytes()
    ends = (np.searchsorted(pairs, np.arange(len(table) + 1) * size) * 4).tolist()
    return [content[start:end] for start, end in zip(ends, ends[1:], strict=False)]


def _shortened(signatures: list[bytes]) -> list[list[bytes]]:
    """The signatures without their rarest node, without the two rarest, and so on down to nothing."""
    longest = max((len(each) for each in signatures), default=0)
    return [[each[:length] for each in signatures] for length in range(longest - 4, -4, -4)]
