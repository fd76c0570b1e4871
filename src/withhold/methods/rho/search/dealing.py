"""An order in which records with the same public items are together, the most common items first."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import cast

import numpy as np

from withhold.counting.jit import kernel, step
from withhold.counting.layout import Ints, Longs
from withhold.data import Records


def order_by_public_items(records: Records, sensitive: Ints) -> Longs:
    """The numbers of the records: first those with the most common public item, of these first those with
    the second most common one, and so on; equal ones by number.

    >>> shop = Records.from_lists([["tea"], ["cake", "tea"], ["pill", "tea"], ["milk"]])
    >>> order_by_public_items(shop, shop.codes(["pill"])).tolist()
    [1, 0, 2, 3]
    """
    supports = records.supports
    codes = np.delete(np.arange(records.n_items), sensitive)
    codes = codes[np.argsort(-supports[codes], kind="stable")]
    rank_of_code = np.full(records.n_items, -1, dtype=np.int32)
    rank_of_code[codes] = np.arange(len(codes), dtype=np.int32)
    post_offsets = np.zeros(len(codes) + 1, dtype=np.int64)
    np.cumsum(supports[codes], out=post_offsets[1:])
    order = order_rows(records.offsets, records.items, rank_of_code, post_offsets)
    return cast(Longs, order)


@kernel
def order_rows(offsets, items, rank_of_code, post_offsets):
    """The rows, first those that hold rank 0, of these first those that hold rank 1, and so on.

    The rows that are alike in the ranks so far are a group, and the groups are a chain. The next rank divides
    each: rows that hold it move into a new group in front. So each occurrence is visited once.
    """
    n_rows = len(offsets) - 1
    post_rows = np.empty(post_offsets[-1], np.int32)
    cursor = post_offsets[:-1].copy()
    for row in range(n_rows):
        for position in range(offsets[row], offsets[row + 1]):
            rank = rank_of_code[items[position]]
            if rank >= 0:
                post_rows[cursor[rank]] = row
                cursor[rank] += 1
    group_of = np.ones(n_rows, np.int32)
    # Group 0 is a sentinel: the chain starts and ends there.
    size_of = np.zeros(n_rows + 3, np.int32)
    behind = np.zeros(n_rows + 3, np.int32)
    before = np.zeros(n_rows + 3, np.int32)
    divided_by = np.full(n_rows + 3, -1, np.int32)
    divided_into = np.zeros(n_rows + 3, np.int32)
    empty = np.arange(n_rows + 3).astype(np.int32)
    # empty[n_used:] are the numbers that no group has.
    n_used = 2
    size_of[1] = n_rows
    behind[0] = before[0] = 1
    for rank in range(len(cursor)):
        for posting in range(post_offsets[rank], post_offsets[rank + 1]):
            group = group_of[post_rows[posting]]
            if divided_by[group] != rank:
                new = empty[n_used]
                n_used += 1
                divided_by[group] = rank
                divided_into[group] = new
                link(behind, before, before[group], new)
                link(behind, before, new, group)
            new = divided_into[group]
            group_of[post_rows[posting]] = new
            size_of[new] += 1
            size_of[group] -= 1
            if size_of[group] == 0:
                link(behind, before, before[group], behind[group])
                n_used -= 1
                empty[n_used] = group
    start_of = np.empty(n_rows + 3, np.int64)
    start = np.int64(0)
    group = behind[0]
    while group != 0:
        start_of[group] = start
        start += size_of[group]
        group = behind[group]
    order = np.empty(n_rows, np.int64)
    for row in range(n_rows):
        order[start_of[group_of[row]]] = row
        start_of[group_of[row]] += 1
    return order


@step
def link(behind, before, one, other):
    """Put one group directly before the other in the chain."""
    behind[one] = other
    before[other] = one
