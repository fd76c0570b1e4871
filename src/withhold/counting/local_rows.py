"""The records of D_e copied out and numbered locally, equal ones merged: small tables for closed sets."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.arrays import sort_ascending
from withhold.counting.jit import kernel


@kernel
def gather(consequent, given, offsets, items, post_offsets, post_rows, local_of, ranks, rows):
    """The records that hold ``consequent`` (and ``given``, unless -1), with items numbered locally.

    Fills ``ranks`` (local number → rank, ascending) and ``rows``; ``local_of`` is all -1 before and
    after. Returns the number of rows, of local items, and the local rows as offsets and items.
    """
    key = consequent
    if given >= 0 and (
        post_offsets[given + 1] - post_offsets[given]
        < post_offsets[consequent + 1] - post_offsets[consequent]
    ):
        key = given
    n_rows = 0
    n_local = 0
    total = np.int64(0)
    for posting in range(post_offsets[key], post_offsets[key + 1]):
        row = post_rows[posting]
        has_consequent = False
        has_given = given < 0
        for p in range(offsets[row], offsets[row + 1]):
            if items[p] == consequent:
                has_consequent = True
            elif items[p] == given:
                has_given = True
        if not (has_consequent and has_given):
            continue
        rows[n_rows] = row
        n_rows += 1
        for p in range(offsets[row], offsets[row + 1]):
            x = items[p]
            if x >= 0 and x != consequent:
                total += 1
                if local_of[x] < 0:
                    local_of[x] = 0
                    ranks[n_local] = x
                    n_local += 1
    sort_ascending(ranks, n_local)
    for local in range(n_local):
        local_of[ranks[local]] = local
    row_offsets = np.zeros(n_rows + 1, np.int64)
    row_items = np.empty(total, np.int32)
    at = np.int64(0)
    for r in range(n_rows):
        row = rows[r]
        for p in range(offsets[row], offsets[row + 1]):
            x = items[p]
            if x >= 0 and x != consequent:
                row_items[at] = local_of[x]
                at += 1
        row_offsets[r + 1] = at
    for local in range(n_local):
        local_of[ranks[local]] = -1
    return n_rows, n_local, row_offsets, row_items


@kernel
def merge_local_rows(n_rows, row_offsets, row_items, group_of):
    """Number equal rows alike: fills ``group_of`` and returns the first row and size of each group."""
    width = np.int64(4)
    while width < 2 * n_rows:
        width *= 2
    slots = np.zeros(width, np.int32)
    first_of = np.empty(n_rows, np.int32)
    weights = np.zeros(n_rows, np.int64)
    n_groups = 0
    for r in range(n_rows):
        begin = row_offsets[r]
        length = row_offsets[r + 1] - begin
        key = np.int64(length + 1)
        for k in range(length):
            key = (key * 1000003 + row_items[begin + k] + 1) % 2305843009213
        s = (key ^ (key >> 17)) & (width - 1)
        group = -1
        while slots[s] != 0:
            other = first_of[slots[s] - 1]
            if row_offsets[other + 1] - row_offsets[other] == length:
                same = True
                for k in range(length):
                    if row_items[begin + k] != row_items[row_offsets[other] + k]:
                        same = False
                        break
                if same:
                    group = slots[s] - 1
                    break
            s = (s + 1) & (width - 1)
        if group < 0:
            group = n_groups
            first_of[group] = r
            n_groups += 1
            slots[s] = n_groups
        group_of[r] = group
        weights[group] += 1
    return n_groups, first_of, weights
