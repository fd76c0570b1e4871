"""Groups of similar records: what they have in common is what can be published.

In: records and a tree. Out: groups of at least k. Records with the same items are a class if there are k of
them; of the others, those with the same nodes one level up, and so on. Records that are left at the top level
are compared without their rarest node there, then without the two rarest. Within a class, the most similar
records make a group.
"""

# mypy: allow-untyped-defs, allow-untyped-calls
from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import kernel, step
from withhold.counting.threads import Stop, run_all
from withhold.data import Hierarchy, Records
from withhold.data.array_types import Longs
from withhold.data.spans import spans
from withhold.methods.buckets.search.concepts import distinct

WINDOW = 1000
"""This many neighbours are compared to find the next member of a group."""


class NodeSets(NamedTuple):
    """Rows as sets of nodes."""

    offsets: Any
    nodes: Any
    gain: Any
    """By node: the detail that an item gains if its group has the node in common and not only its parent."""


class Groups(NamedTuple):
    """The groups while they are formed."""

    of_row: Any
    """By row: its group, or -1."""
    next_free: Any
    """By row: the next one that is in no group."""
    sizes: Any
    starts: Any
    """By group: where its common nodes start in ``common``."""
    common: Any
    marked: Any
    """By node: scratch; nothing is marked between two steps."""


def similar_groups(records: Records, node: Longs, k: int, tree: Hierarchy) -> Longs:
    """The group of each record; all groups have at least k, and most have fewer than 2k."""
    signatures = [_signatures(records, node, depth, tree) for depth in range(1, tree.height + 1)]
    keys = list(zip(*signatures, strict=True))
    # The top level first, so that neighbours are alike as far down as possible.
    left = sorted(range(len(records)), key=keys.__getitem__)
    group_of = np.full(len(records), -1, dtype=np.int64)
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
            sets = _with_ancestors(records, node, rows, tree)
            groups = new_groups(sets, k)
            with Stop() as stop:
                gather = partial(gather_similar, sets, bounds, k, WINDOW, groups, stop.flag)
                (made,) = run_all([gather], stop, jobs=1)
            group_of[rows] = n_groups + groups.of_row
            n_groups += made
    # Fewer than k share nothing with any others, as the last signature is the same for all.
    group_of[left] = max(n_groups - 1, 0)
    return group_of


def new_groups(rows: NodeSets, k: int) -> Groups:
    """Room for groups of at least k rows."""
    n_rows, n_groups = len(rows.offsets) - 1, (len(rows.offsets) - 1) // k
    return Groups(
        of_row=np.full(n_rows, -1, dtype=np.int64),
        next_free=np.arange(1, n_rows + 1),
        sizes=np.zeros(n_groups, dtype=np.int64),
        starts=np.zeros(n_groups + 1, dtype=np.int64),
        common=np.empty(len(rows.nodes), dtype=np.int32),
        marked=np.zeros(len(rows.gain), dtype=np.bool_),
    )


def _with_ancestors(records: Records, node: Longs, rows: Longs, tree: Hierarchy) -> NodeSets:
    """The rows, in this order, as sets of their leaves and all nodes above but the root."""
    lengths = records.lengths[rows]
    row = np.repeat(np.arange(len(rows)), lengths)
    up = node[spans(records.offsets[rows], lengths)]
    keys = [np.zeros(0, dtype=np.int64)]
    while len(up):
        keys.append(row * len(tree) + up)
        up = tree.parents[up].astype(np.int64)
        row, up = row[up > 0], up[up > 0]
    pairs = distinct(np.concatenate(keys))
    offsets = np.searchsorted(pairs, np.arange(len(rows) + 1) * len(tree)).astype(np.int64)
    # What an item gains when its group has this node in common and not only the one above.
    stands_for = np.where(tree.leaf_counts == 1, 0, tree.leaf_counts).astype(np.int64)
    gain = stands_for[np.maximum(tree.parents, 0)] - stands_for
    return NodeSets(offsets, (pairs % len(tree)).astype(np.int32), gain)


def _signatures(records: Records, node: Longs, depth: int, tree: Hierarchy) -> list[bytes]:
    """Each record's nodes at this depth, the most frequent first, as bytes that sort like lists."""
    size = len(tree)
    record = np.repeat(np.arange(len(records)), records.lengths)
    pairs = distinct(record * size + tree.at_depth(depth)[node])
    record, nodes = pairs // size, pairs % size
    counts = np.bincount(nodes, minlength=size)
    rank = np.empty(size, dtype=np.int64)
    rank[np.lexsort((np.arange(size), -counts))] = np.arange(size)
    pairs = np.sort(record * size + rank[nodes])
    content = (pairs % size).astype(">u4").tobytes()
    ends = (np.searchsorted(pairs, np.arange(len(records) + 1) * size) * 4).tolist()
    return [content[start:end] for start, end in zip(ends, ends[1:], strict=False)]


def _shortened(signatures: list[bytes]) -> list[list[bytes]]:
    """The signatures without their rarest node, without the two rarest, and so on down to nothing."""
    longest = max((len(each) for each in signatures), default=0)
    return [[each[:length] for each in signatures] for length in range(longest - 4, -4, -4)]


@kernel
def gather_similar(rows, bounds, k, window, groups, stop):
    """Put the rows into groups of at least k, none across two classes; returns the number of groups.

    Class c is the rows bounds[c] … bounds[c + 1] - 1, at least k of them. A group begins with the first
    free row of the class and takes, k - 1 times, the one of the next ``window`` free rows with which least
    is lost. Rows that are left over join the group that they fit best.
    """
    n_groups = 0
    for c in range(len(bounds) - 1):
        free, end = bounds[c], bounds[c + 1]
        first_group = n_groups
        for _ in range((end - free) // k):
            if stop[0] != 0:
                return n_groups
            _begin_group(rows, groups, n_groups, free)
            free = groups.next_free[free]
            for _ in range(k - 1):
                before = _before_best(rows, groups, n_groups, free, end, window)
                best = free if before < 0 else groups.next_free[before]
                if before < 0:
                    free = groups.next_free[free]
                else:
                    groups.next_free[before] = groups.next_free[best]
                _take_member(rows, groups, n_groups, best)
            n_groups += 1
        while free < end:
            _join_best(rows, groups, first_group, n_groups, free)
            free = groups.next_free[free]
    return n_groups


@step
def _mark(nodes, marked, begin, end, mark):
    """Mark or unmark the nodes of a span."""
    for p in range(begin, end):
        marked[nodes[p]] = mark


@step
def _worth(rows, nodes, begin, end):
    """The detail that the nodes of a span gain together."""
    worth = np.int64(0)
    for p in range(begin, end):
        worth += rows.gain[nodes[p]]
    return worth


@step
def _begin_group(rows, groups, group, row):
    """Begin a group with one row: all of its nodes are common."""
    start, begin = groups.starts[group], rows.offsets[row]
    for p in range(begin, rows.offsets[row + 1]):
        groups.common[start + p - begin] = rows.nodes[p]
    groups.starts[group + 1] = start + rows.offsets[row + 1] - begin
    groups.sizes[group] = 1
    groups.of_row[row] = group


@step
def _before_best(rows, groups, group, free, end, window):
    """The free row before the one with which least is lost; -1 if that is the first.

    The members lose what they have in common and the row lacks; the row loses what it has and they lack.
    """
    start, last = groups.starts[group], groups.starts[group + 1]
    _mark(groups.common, groups.marked, start, last, True)
    common_worth = _worth(rows, groups.common, start, last)
    before_best = np.int64(-1)
    best_cost = np.int64(-1)
    before, row = np.int64(-1), free
    for _ in range(window):
        if row >= end or best_cost == 0:
            break
        shared = np.int64(0)
        lost = np.int64(0)
        for p in range(rows.offsets[row], rows.offsets[row + 1]):
            if groups.marked[rows.nodes[p]]:
                shared += rows.gain[rows.nodes[p]]
            else:
                lost += rows.gain[rows.nodes[p]]
        cost = groups.sizes[group] * (common_worth - shared) + lost
        if best_cost < 0 or cost < best_cost:
            before_best, best_cost = before, cost
        before, row = row, groups.next_free[row]
    _mark(groups.common, groups.marked, start, last, False)
    return before_best


@step
def _take_member(rows, groups, group, row):
    """Put a row into a group, and keep of the common nodes those that it has."""
    begin, end = rows.offsets[row], rows.offsets[row + 1]
    _mark(rows.nodes, groups.marked, begin, end, True)
    kept = groups.starts[group]
    for p in range(groups.starts[group], groups.starts[group + 1]):
        if groups.marked[groups.common[p]]:
            groups.common[kept] = groups.common[p]
            kept += 1
    groups.starts[group + 1] = kept
    _mark(rows.nodes, groups.marked, begin, end, False)
    groups.sizes[group] += 1
    groups.of_row[row] = group


@step
def _join_best(rows, groups, first_group, last_group, row):
    """Put a row that is left over into the group where least is lost."""
    begin, end = rows.offsets[row], rows.offsets[row + 1]
    _mark(rows.nodes, groups.marked, begin, end, True)
    worth = _worth(rows, rows.nodes, begin, end)
    best, best_cost = first_group, np.int64(-1)
    for group in range(first_group, last_group):
        cost = worth
        for p in range(groups.starts[group], groups.starts[group + 1]):
            node = groups.common[p]
            if node >= 0:
                gain = rows.gain[node]
                cost += -gain if groups.marked[node] else groups.sizes[group] * gain
        if best_cost < 0 or cost < best_cost:
            best, best_cost = group, cost
    for p in range(groups.starts[best], groups.starts[best + 1]):
        if groups.common[p] >= 0 and not groups.marked[groups.common[p]]:
            groups.common[p] = -1
    _mark(rows.nodes, groups.marked, begin, end, False)
    groups.sizes[best] += 1
    groups.of_row[row] = best
