"""What a record would lose if its public items were published as given nodes: an estimate, to rank cuts by.

A record that is published as the nodes S is one of n records that hold S, and a of these hold the sensitive
item e. Of these a - floor(ρ n) must lose e, so this record does with probability (a - floor(ρ n)) / a. The
sum over its sensitive items underestimates what the search withholds, and is never shown to anybody.

Rows are those of ``counting.node_rows``: the codes of leaves, then those of sensitive items.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.bits import count_bits
from withhold.counting.jit import kernel, routine, step
from withhold.counting.node_rows import NOWHERE

AT_ONCE = 128
"""Words that are intersected before their rows are counted, so that counting can end early."""


class CutState(NamedTuple):
    """For every leaf its node in the cut, and the node that it would be published as if that were split."""

    node_of: Any
    next_of: Any


@kernel
def estimate_losses(rows, cut, targets, n_nodes, limits, now, after):
    """What the target records would lose under the cut, and with each one of their nodes split.

    ``now`` is by row. ``after`` is by position: a record's first leaf under a node has the record's loss
    with that node split, and all other positions are left alone.
    """
    room = 1
    for t in range(len(targets)):
        room = max(room, rows.offsets[targets[t] + 1] - rows.offsets[targets[t]])
    nodes = np.empty(room, np.int64)
    n_words = rows.bitmaps.shape[1]
    scratch = Scratch(np.empty(n_words, np.uint64), np.empty(rows.longest_list, np.int32))
    for t in range(len(targets)):
        row = targets[t]
        start, stop = rows.offsets[row], rows.offsets[row + 1]
        first = start
        while first < stop and rows.codes[first] < n_nodes:
            first += 1
        size = list_nodes(rows, cut, nodes, start, first, NOWHERE)
        now[row] = loss_as(rows, nodes, size, first, stop, limits, scratch)
        for k in range(start, first):
            node = cut.node_of[rows.codes[k]]
            if k > start and cut.node_of[rows.codes[k - 1]] == node:
                continue
            after[k] = now[row]
            # A record that already loses all of its sensitive items cannot lose more.
            if cut.next_of[rows.codes[k]] != node and now[row] < stop - first:
                size = list_nodes(rows, cut, nodes, start, first, node)
                after[k] = loss_as(rows, nodes, size, first, stop, limits, scratch)


class Scratch(NamedTuple):
    """Which rows hold all of some nodes, as bits or one by one."""

    bits: Any
    held: Any


@step
def list_nodes(rows, cut, nodes, start, first, split):
    """List the nodes that the leaves at [start, first) are published as, with one node split; how many."""
    size = 0
    for k in range(start, first):
        node = cut.node_of[rows.codes[k]]
        if node == split:
            node = cut.next_of[rows.codes[k]]
        if size == 0 or nodes[size - 1] != node:
            nodes[size] = node
            size += 1
    return size


@routine
def loss_as(rows, nodes, size, first, stop, limits, scratch):
    """What a record loses that is published as these nodes; its sensitive items are at [first, stop)."""
    most = 0
    for k in range(first, stop):
        e = rows.codes[k]
        most = max(most, rows.post_offsets[e + 1] - rows.post_offsets[e])
    # If this many records hold the nodes, no sensitive item of this one is frequent enough to be withheld.
    enough = (most * limits.den + limits.num - 1) // limits.num
    rarest = nodes[0]
    for k in range(1, size):
        here, there = rarest, nodes[k]
        if (
            rows.post_offsets[there + 1] - rows.post_offsets[there]
            < rows.post_offsets[here + 1] - rows.post_offsets[here]
        ):
            rarest = there
    as_bits = rows.bitmap_of[rarest] != NOWHERE
    if as_bits:
        n = mark_holding(rows, nodes, size, enough, scratch.bits)
    else:
        n = list_holding(rows, nodes, size, rarest, enough, scratch.held)
    allowed = limits.num * n // limits.den
    loss = 0.0
    for k in range(first, stop):
        e = rows.codes[k]
        if rows.post_offsets[e + 1] - rows.post_offsets[e] > allowed:
            joint = count_held(rows, e, n, scratch, as_bits)
            if joint > allowed:
                loss += (joint - allowed) / joint
    return loss


@step
def mark_holding(rows, nodes, size, enough, bits):
    """Mark the rows that hold all of the nodes, each of which has a bitmap; how many, or ``enough``."""
    found = np.int64(0)
    n_words = len(bits)
    start = 0
    while start < n_words:
        stop = min(start + AT_ONCE, n_words)
        bitmap = rows.bitmap_of[nodes[0]]
        for word in range(start, stop):
            bits[word] = rows.bitmaps[bitmap, word]
        for k in range(1, size):
            bitmap = rows.bitmap_of[nodes[k]]
            for word in range(start, stop):
                bits[word] &= rows.bitmaps[bitmap, word]
        for word in range(start, stop):
            found += np.int64(count_bits(bits[word]))
        if found >= enough:
            break
        start = stop
    return found


@step
def list_holding(rows, nodes, size, rarest, enough, held):
    """List the rows that hold all of the nodes, by the rows of the rarest; how many, or ``enough``."""
    found = np.int64(0)
    for posting in range(rows.post_offsets[rarest], rows.post_offsets[rarest + 1]):
        if holds_all(rows, rows.post_rows[posting], nodes, size):
            held[found] = rows.post_rows[posting]
            found += 1
            if found >= enough:
                break
    return found


@step
def holds_all(rows, row, nodes, size):
    """Whether the row holds all of these nodes, which ascend and have no leaf in common."""
    at, stop = rows.offsets[row], rows.offsets[row + 1]
    for k in range(size):
        node = nodes[k]
        while at < stop and rows.codes[at] < node:
            at += 1
        if at == stop or rows.codes[at] >= rows.ends[node]:
            return False
    return True


@step
def count_held(rows, code, n, scratch, as_bits):
    """How many of the n rows that hold all nodes hold the code."""
    if as_bits:
        return count_marked(rows, code, scratch.bits)
    return count_listed(rows, code, n, scratch.held)


@step
def count_marked(rows, code, bits):
    """How many of the marked rows hold the code."""
    found = np.int64(0)
    bitmap = rows.bitmap_of[code]
    if bitmap != NOWHERE:
        for word in range(len(bits)):
            found += np.int64(count_bits(bits[word] & rows.bitmaps[bitmap, word]))
        return found
    for posting in range(rows.post_offsets[code], rows.post_offsets[code + 1]):
        row = rows.post_rows[posting]
        found += np.int64((bits[row >> 6] >> np.uint64(row & 63)) & np.uint64(1))
    return found


@step
def count_listed(rows, code, n, held):
    """How many of the first n listed rows hold the code."""
    found = np.int64(0)
    for k in range(n):
        at = rows.offsets[held[k] + 1] - 1
        # Sensitive items are at the end of a row.
        while at >= rows.offsets[held[k]] and rows.codes[at] > code:
            at -= 1
        if at >= rows.offsets[held[k]] and rows.codes[at] == code:
            found += 1
    return found
