"""What the records of D_e have in common with one given record: as local rows, or as bits of a mask."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.jit import kernel
from withhold.counting.supports import count_support
from withhold.methods.rho.search.bounded import holds_item


@kernel
def gather_within(
    first, second, n_local, offsets, items, post_offsets, post_rows, local_of, row_items
):
    """The records that hold both items (``second`` may be -1), cut to the items numbered in ``local_of``.

    The last row is the record itself: all local items, its weight to be taken off again.
    """
    key = first
    if second >= 0 and (
        post_offsets[second + 1] - post_offsets[second]
        < post_offsets[first + 1] - post_offsets[first]
    ):
        key = second
    room = post_offsets[key + 1] - post_offsets[key] + 1
    row_offsets = np.zeros(room + 1, np.int64)
    if len(row_items) < room * n_local:
        row_items = np.empty(2 * room * n_local, np.int32)
    n_rows = 0
    at = np.int64(0)
    for posting in range(post_offsets[key], post_offsets[key + 1]):
        row = post_rows[posting]
        has_first = False
        has_second = second < 0
        begin = at
        for p in range(offsets[row], offsets[row + 1]):
            x = items[p]
            if x < 0:
                continue
            if x == first:
                has_first = True
            if x == second:
                has_second = True
            if local_of[x] >= 0:
                row_items[at] = local_of[x]
                at += 1
        if has_first and has_second:
            n_rows += 1
            row_offsets[n_rows] = at
        else:
            at = begin
    for local in range(n_local):
        row_items[at] = local
        at += 1
    n_rows += 1
    row_offsets[n_rows] = at
    return n_rows, row_offsets, row_items


@kernel
def index_holders(e, offsets, items, post_offsets, post_rows, begin_of, end_of, holders):
    """D_e with its own postings: for each item x the places in ``holders`` of records with e and x.

    ``begin_of`` and ``end_of`` (by rank) must be all 0; they are filled for the items that occur.
    Returns the number of holders and the postings.
    """
    n = 0
    total = np.int64(0)
    for posting in range(post_offsets[e], post_offsets[e + 1]):
        row = post_rows[posting]
        if holds_item(row, e, offsets, items):
            holders[n] = row
            n += 1
            for p in range(offsets[row], offsets[row + 1]):
                if items[p] >= 0:
                    end_of[items[p]] += 1
                    total += 1
    postings = np.empty(total, np.int32)
    at = np.int64(0)
    for h in range(n):
        for p in range(offsets[holders[h]], offsets[holders[h] + 1]):
            x = items[p]
            if x < 0:
                continue
            if end_of[x] > 0:
                # First met: reserve its places; from now on end_of counts upwards, below zero.
                begin_of[x] = at
                at += end_of[x]
                end_of[x] = -begin_of[x] - 1
            postings[-end_of[x] - 1] = h
            end_of[x] -= 1
    for h in range(n):
        for p in range(offsets[holders[h]], offsets[holders[h] + 1]):
            x = items[p]
            if x >= 0 and end_of[x] < 0:
                end_of[x] = -end_of[x] - 1
    return n, postings


@kernel
def forget_holders(n, holders, offsets, items, begin_of, end_of):
    """Make ``begin_of`` and ``end_of`` all 0 again."""
    for h in range(n):
        for p in range(offsets[holders[h]], offsets[holders[h] + 1]):
            if items[p] >= 0:
                begin_of[items[p]] = 0
                end_of[items[p]] = 0


@kernel
def mask_of(row, local_of, offsets, items):
    """Which of the locally numbered items the row holds, as bits."""
    mask = 0
    for p in range(offsets[row], offsets[row + 1]):
        if items[p] >= 0 and local_of[items[p]] >= 0:
            mask |= 1 << local_of[items[p]]
    return mask


@kernel
def find_subset_unsafe(
    joint_of,
    ranks,
    n_local,
    extra,
    with_prior,
    num,
    den,
    offsets,
    items,
    post_offsets,
    post_rows,
    supports,
    bitmaps,
    found,
):
    """An unsafe subset of a short record, given how many records leave each subset of it.

    ``joint_of[mask]`` counts the records with the consequent that hold exactly these of the record's
    items; it is summed over supersets here. Only closed subsets are looked at, and not the whole record,
    which is known to be safe. Fills ``found`` and returns its size, or -1.
    """
    n_masks = 1 << n_local
    # The record to come holds them all.
    joint_of[n_masks - 1] += 1
    for local in range(n_local):
        bit = 1 << local
        for mask in range(n_masks):
            if mask & bit == 0:
                joint_of[mask] += joint_of[mask | bit]
    for mask in range(n_masks - 2, -1, -1):
        joint = joint_of[mask]
        size = 0
        closed = True
        for local in range(n_local):
            if mask & (1 << local):
                found[size] = ranks[local]
                size += 1
            elif joint_of[mask | (1 << local)] == joint:
                closed = False
                break
        if not closed or (size == 0 and not with_prior):
            continue
        enough = (joint * den + num - 1) // num - extra
        if (
            count_support(
                found, size, enough, offsets, items, post_offsets, post_rows, supports, bitmaps
            )
            < enough
        ):
            return size
    return -1
