"""The records of D_e copied out and numbered locally, equal ones merged: small tables for closed sets."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.arrays import sort_ascending
from withhold.counting.jit import kernel, maker, step
from withhold.counting.supports import holds_item


class LocalRows(NamedTuple):
    """Rows of locally numbered items (ascending), in groups of equal ones."""

    offsets: Any
    items: Any
    first_of: Any
    """The first row of each group."""
    weights: Any
    """How many rows each group has."""
    ranks: Any
    """By local number: the item's rank."""
    n_local: Any
    """How many items there are."""
    n_groups: Any


class Numbering(NamedTuple):
    """Scratch to number the rows and items of D_e."""

    local_of: Any
    """By rank: the item's local number; all -1 between two uses."""
    ranks: Any
    """By local number: the item's rank."""
    rows: Any
    """By local row: which row it is."""
    group_of: Any
    """By local row: its group."""


def new_numbering(n_items: int, n_rows: int) -> Numbering:
    """Scratch for all items and rows, and for one row more that a caller may add."""
    return Numbering(
        np.full(n_items, -1, dtype=np.int32),
        np.empty(n_items + 1, dtype=np.int32),
        np.empty(n_rows + 1, dtype=np.int32),
        np.empty(n_rows + 1, dtype=np.int32),
    )


POSTED = -2
"""In the place of a second item: every row in the postings of the first counts, whatever it holds."""


@step
def rarer_of(rows, one, other):
    """The item with fewer postings; ``other`` may be negative: none."""
    n_one = rows.post_offsets[one + 1] - rows.post_offsets[one]
    if other >= 0 and rows.post_offsets[other + 1] - rows.post_offsets[other] < n_one:
        return other
    return one


@step
def holds_both(rows, row, one, other):
    """Whether the row holds both items; ``other`` may be negative: none, or ``POSTED``."""
    if other == POSTED:
        return True
    return holds_item(rows, row, one) and (other < 0 or holds_item(rows, row, other))


@maker
def gather(rows, consequent, given, numbering):
    """Copy the rows that hold ``consequent``, and ``given`` unless that is negative, as ``LocalRows``.

    ``consequent`` is left out of them. ``numbering`` has their rows and groups afterwards.
    """
    offsets, items, local_of = rows.offsets, rows.items, numbering.local_of
    key = rarer_of(rows, consequent, given)
    n_rows = np.int64(0)
    n_local = np.int64(0)
    total = np.int64(0)
    for posting in range(rows.post_offsets[key], rows.post_offsets[key + 1]):
        row = rows.post_rows[posting]
        if not holds_both(rows, row, consequent, given):
            continue
        numbering.rows[n_rows] = row
        n_rows += 1
        for p in range(offsets[row], offsets[row + 1]):
            x = items[p]
            if x >= 0 and x != consequent:
                total += 1
                if local_of[x] < 0:
                    local_of[x] = 0
                    numbering.ranks[n_local] = x
                    n_local += 1
    sort_ascending(numbering.ranks, n_local)
    for local in range(n_local):
        local_of[numbering.ranks[local]] = local
    row_offsets = np.zeros(n_rows + 1, np.int64)
    row_items = np.empty(total, np.int32)
    at = np.int64(0)
    for r in range(n_rows):
        row = numbering.rows[r]
        for p in range(offsets[row], offsets[row + 1]):
            x = items[p]
            if x >= 0 and x != consequent:
                row_items[at] = local_of[x]
                at += 1
        row_offsets[r + 1] = at
    for local in range(n_local):
        local_of[numbering.ranks[local]] = -1
    n_groups, first_of, weights = merge_local_rows(
        n_rows, row_offsets, row_items, numbering.group_of
    )
    return LocalRows(row_offsets, row_items, first_of, weights, numbering.ranks, n_local, n_groups)


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
        while slots[s] != 0 and group < 0:
            first = row_offsets[first_of[slots[s] - 1]]
            k = 0
            if row_offsets[first_of[slots[s] - 1] + 1] - first == length:
                while k < length and row_items[begin + k] == row_items[first + k]:
                    k += 1
                if k == length:
                    group = slots[s] - 1
            s = (s + 1) & (width - 1)
        if group < 0:
            group = n_groups
            first_of[group] = r
            n_groups += 1
            slots[s] = n_groups
        group_of[r] = group
        weights[group] += 1
    return n_groups, first_of, weights
