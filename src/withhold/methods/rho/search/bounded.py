"""Would one more record break a rule with a small antecedent? For attackers who know a few items."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.arrays import room_for, sort_ascending
from withhold.counting.jit import kernel
from withhold.methods.rho.search.room import has_room


@kernel
def holds_item(row, item, offsets, items):
    """Whether the row holds the item."""
    for p in range(offsets[row], offsets[row + 1]):
        if items[p] == item:
            return True
        if items[p] > item:
            return False
    return False


@kernel
def count_sets(n_items, largest):
    """How many sets of 1 to ``largest`` items there are; beyond a million any large number."""
    total = np.int64(0)
    several = np.int64(1)
    for size in range(1, min(largest, n_items) + 1):
        several = several * (n_items - size + 1) // size
        total += several
        if total > 1_000_000:
            break
    return total


@kernel
def find_unsafe_one_by_one(
    consequent,
    given,
    root,
    ranks,
    n_local,
    extra,
    largest,
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
    """As ``find_small_unsafe``, for the q of two items or more with the item ``root`` (or ``given``).

    Of the others, those after the root; with a ``given`` item all. Returns |q|, or -1.
    """
    chosen = np.empty(largest, np.int64)
    itemset = np.empty(largest, np.int32)
    with_e = np.empty(largest + 1, np.int32)
    chosen[0] = -1 if given >= 0 else root
    item = given if given >= 0 else ranks[root]
    size = 1
    following = chosen[0] + 1
    while True:
        if following < n_local and size < largest:
            if ranks[following] == given:
                following += 1
                continue
            chosen[size] = following
            size += 1
            itemset[0] = item
            for k in range(1, size):
                itemset[k] = ranks[chosen[k]]
            if given >= 0:
                sort_ascending(itemset, size)
            if not has_room(
                itemset,
                size,
                consequent,
                extra,
                with_e,
                num,
                den,
                offsets,
                items,
                post_offsets,
                post_rows,
                supports,
                bitmaps,
            ):
                for k in range(size):
                    found[k] = itemset[k]
                return size
            following += 1
            continue
        if size == 1:
            return -1
        size -= 1
        following = chosen[size] + 1


@kernel
def find_small_unsafe(
    consequent,
    given,
    ranks,
    n_local,
    extra,
    largest,
    with_prior,
    num,
    den,
    offsets,
    items,
    post_offsets,
    post_rows,
    supports,
    bitmaps,
    rows_per_set,
    joints_with,
    local_of,
    found,
):
    """The first q among the items ``ranks``, |q| ≤ ``largest``, with no room for one more record.

    The record to come holds all of ``ranks`` and the consequent; ``given`` (-1: none) must be in q;
    ``extra`` is 1 if the record does not count for sup(q) yet. ``local_of`` numbers the items of
    ``ranks``. Fills ``found`` and returns |q|, or -1. Depth first; one pass over the rows of q counts
    all q∪x at once. An item in all rows of q is left out, as it changes no count. Where one item has many
    rows and few sets, the sets are looked at one by one: each is worth ``rows_per_set`` rows. ``joints_with``
    says how many rows hold each item together with ``given``, or without one with the consequent.
    """
    if given < 0 and with_prior and (supports[consequent] + 1) * den > num * (len(offsets) - 1):
        return 0
    if largest == 0:
        return -1
    counts = np.zeros(n_local, np.int64)
    joints = np.zeros(n_local, np.int64)
    child_item = np.empty((largest + 1) * n_local + 1, np.int32)
    child_start = np.empty((largest + 1) * n_local + 1, np.int64)
    child_end = np.empty((largest + 1) * n_local + 1, np.int64)
    next_child = np.zeros(largest + 2, np.int64)
    last_child = np.zeros(largest + 2, np.int64)
    pool_top = np.zeros(largest + 2, np.int64)
    pool = np.empty(1024, np.int32)
    # The first level: the given item alone, or every item in turn, with its rows.
    for root in range(1 if given >= 0 else n_local):
        item = given if given >= 0 else ranks[root]
        found[0] = item
        joint = joints_with[consequent if given >= 0 else item]
        if (joint + 1) * den > num * (supports[item] + extra):
            return 1
        if largest == 1:
            continue
        n_others = n_local - 1 - (0 if given >= 0 else root)
        if rows_per_set * count_sets(n_others, largest - 1) <= supports[item]:
            size = find_unsafe_one_by_one(
                consequent,
                given,
                root,
                ranks,
                n_local,
                extra,
                largest,
                num,
                den,
                offsets,
                items,
                post_offsets,
                post_rows,
                supports,
                bitmaps,
                found,
            )
            if size > 0:
                return size
            continue
        pool = room_for(pool, post_offsets[item + 1] - post_offsets[item])
        top = np.int64(0)
        for posting in range(post_offsets[item], post_offsets[item + 1]):
            row = post_rows[posting]
            if holds_item(row, item, offsets, items):
                pool[top] = row
                top += 1
        child_item[0] = -1 if given >= 0 else root
        child_start[0] = 0
        child_end[0] = top
        next_child[1] = 0
        last_child[1] = 1
        pool_top[1] = top
        size = 1
        while size > 0:
            if next_child[size] == last_child[size]:
                size -= 1
                continue
            child = next_child[size]
            next_child[size] += 1
            last = child_item[child]
            start = child_start[child]
            end = child_end[child]
            found[size - 1] = given if last < 0 else ranks[last]
            for local in range(last + 1, n_local):
                counts[local] = 0
                joints[local] = 0
            for k in range(start, end):
                row = pool[k]
                with_consequent = 1 if holds_item(row, consequent, offsets, items) else 0
                for p in range(offsets[row], offsets[row + 1]):
                    x = items[p]
                    if x >= 0 and local_of[x] > last:
                        counts[local_of[x]] += 1
                        joints[local_of[x]] += with_consequent
            for local in range(last + 1, n_local):
                if ranks[local] != given and (
                    (joints[local] + 1) * den > num * (counts[local] + extra)
                ):
                    found[size] = ranks[local]
                    return size + 1
            if size + 1 >= largest:
                continue
            first = last_child[size]
            n_children = first
            top = pool_top[size]
            for local in range(last + 1, n_local):
                if ranks[local] != given and counts[local] < end - start:
                    child_item[n_children] = local
                    child_start[n_children] = top
                    child_end[n_children] = top
                    top += counts[local]
                    counts[local] = n_children
                    n_children += 1
                else:
                    counts[local] = -1
            pool = room_for(pool, top)
            for k in range(start, end):
                row = pool[k]
                for p in range(offsets[row], offsets[row + 1]):
                    x = items[p]
                    if x >= 0 and local_of[x] > last and counts[local_of[x]] >= 0:
                        c = counts[local_of[x]]
                        pool[child_end[c]] = row
                        child_end[c] += 1
            size += 1
            next_child[size] = first
            last_child[size] = n_children
            pool_top[size] = top
    return -1
