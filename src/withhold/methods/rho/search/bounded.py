"""Would one more record break a rule with a small antecedent? For attackers who know a few items."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.arrays import sort_ascending
from withhold.counting.jit import maker, step
from withhold.counting.supports import IndexedRows, holds_item
from withhold.counting.walk import Walk, follow, make_root, next_set, open_level, place_of
from withhold.methods.rho.search.room import has_room

ROWS_PER_SET = 8
"""Testing one small set takes about as long as walking over this many records."""


class Few(NamedTuple):
    """How many items an attacker knows, and room to test such sets within one record."""

    max_known: Any
    rows_per_set: Any
    joints_with: Any
    """In how many records each item is together with the item that is to come back."""
    joints: Any
    chosen: Any
    walk: Any
    """A walk over the record's items by their local numbers."""


def new_few(rows: IndexedRows, max_known: int, rows_per_set: int = ROWS_PER_SET) -> Few:
    """Room for sets of at most ``max_known`` items of these rows."""
    longest = int(np.diff(rows.offsets).max(initial=0)) + 1
    n_children = longest * (max_known + 1) + 1
    walk = Walk(
        path=np.zeros(max_known + 2, dtype=np.int32),
        child_item=np.empty(n_children, dtype=np.int32),
        child_start=np.empty(n_children, dtype=np.int64),
        child_end=np.empty(n_children, dtype=np.int64),
        next_child=np.zeros(max_known + 3, dtype=np.int64),
        last_child=np.zeros(max_known + 3, dtype=np.int64),
        # On each level a row is handed on once for each of its items, at most.
        pool_row=np.empty(len(rows.offsets) + max_known * len(rows.items), dtype=np.int32),
        pool_position=np.empty(0, dtype=np.int64),
        pool_top=np.zeros(max_known + 3, dtype=np.int64),
        bucket=np.zeros(longest, dtype=np.int64),
        touched=np.empty(0, dtype=np.int32),
    )
    joints_with = np.zeros(len(rows.supports), dtype=np.int64)
    joints = np.zeros(longest, dtype=np.int64)
    chosen = np.zeros(max_known + 1, dtype=np.int64)
    return Few(max_known, rows_per_set, joints_with, joints, chosen, walk)


@maker
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


@step
def find_small_unsafe(rows, limits, few, trial, consequent, given, n_local):
    """The first q among the record's items, of at most ``max_known``, with no room for one more record.

    The record to come holds all of ``trial.ranks`` and the consequent; ``given`` (-1: none) must be in q, and
    then the record is not counted in sup(q) yet. Fills ``trial.itemset`` and returns |q|, or -1. If an item
    has many rows but few sets, the sets are tested one by one: a test costs as much as ``rows_per_set`` rows.
    """
    extra = 1 if given >= 0 else 0
    too_many = (rows.supports[consequent] + 1) * limits.den > limits.num * (len(rows.offsets) - 1)
    if given < 0 and limits.with_prior and too_many:
        return 0
    if few.max_known == 0:
        return -1
    # The first level: the given item alone, or every item in turn, with its rows.
    for root in range(1 if given >= 0 else n_local):
        item = given if given >= 0 else np.int64(trial.ranks[root])
        trial.itemset[0] = item
        joint = few.joints_with[consequent if given >= 0 else item]
        if (joint + 1) * limits.den > limits.num * (rows.supports[item] + extra):
            return 1
        if few.max_known == 1:
            continue
        last = np.int64(-1 if given >= 0 else root)
        n_others = n_local - 1 - (0 if given >= 0 else root)
        if few.rows_per_set * count_sets(n_others, few.max_known - 1) <= rows.supports[item]:
            size = find_one_by_one(rows, limits, few, trial, consequent, given, n_local, last)
        else:
            start_small(rows, few.walk, item, last)
            size = find_by_walking(rows, limits, few, trial, consequent, given, n_local)
        if size > 0:
            return size
    return -1


@step
def find_one_by_one(rows, limits, few, trial, consequent, given, n_local, last):
    """Test the sets of two or more items: the first item that was chosen, and others behind it."""
    item = trial.itemset[0]
    few.chosen[0] = last
    size = np.int64(1)
    following = last + 1
    while True:
        if following < n_local and size < few.max_known:
            if trial.ranks[following] == given:
                following += 1
                continue
            few.chosen[size] = following
            size += 1
            trial.itemset[0] = item
            for k in range(1, size):
                trial.itemset[k] = trial.ranks[few.chosen[k]]
            if given >= 0:
                sort_ascending(trial.itemset, size)
            extra = np.int64(1 if given >= 0 else 0)
            if not has_room(rows, limits, trial.itemset, size, consequent, extra, trial.with_e):
                return size
            following += 1
        elif size == 1:
            return -1
        else:
            size -= 1
            following = few.chosen[size] + 1


@step
def start_small(rows, walk, item, last):
    """Make the item, with the local number ``last``, the only set of size 1."""
    top = np.int64(0)
    for posting in range(rows.post_offsets[item], rows.post_offsets[item + 1]):
        row = rows.post_rows[posting]
        if place_of(rows, row, item) >= 0:
            walk.pool_row[top] = row
            top += 1
    make_root(walk, last, top)


@step
def find_by_walking(rows, limits, few, trial, consequent, given, n_local):
    """Test the sets below the one the walk starts at: one pass over the rows of q counts all q∪x at once.

    An item in all rows of q is left out, as it changes no count.
    """
    walk = few.walk
    counts = walk.bucket
    extra = 1 if given >= 0 else 0
    size = np.int64(1)
    while size > 0:
        child = next_set(walk, size)
        if child < 0:
            size -= 1
            continue
        last = walk.path[size - 1]
        start = walk.child_start[child]
        end = walk.child_end[child]
        trial.itemset[size - 1] = given if last < 0 else trial.ranks[last]
        for local in range(last + 1, n_local):
            counts[local] = 0
            few.joints[local] = 0
        for k in range(start, end):
            row = walk.pool_row[k]
            with_consequent = 1 if holds_item(rows, row, consequent) else 0
            for p in range(rows.offsets[row], rows.offsets[row + 1]):
                x = rows.items[p]
                if x >= 0 and trial.local_of[x] > last:
                    counts[trial.local_of[x]] += 1
                    few.joints[trial.local_of[x]] += with_consequent
        for local in range(last + 1, n_local):
            allowed = limits.num * (counts[local] + extra)
            if trial.ranks[local] != given and (few.joints[local] + 1) * limits.den > allowed:
                trial.itemset[size] = trial.ranks[local]
                return size + 1
        if size + 1 >= few.max_known:
            continue
        open_level(walk, size)
        for local in range(last + 1, n_local):
            if trial.ranks[local] != given and counts[local] < end - start:
                follow(walk, size, local)
            else:
                counts[local] = 0
        for k in range(start, end):
            row = walk.pool_row[k]
            for p in range(rows.offsets[row], rows.offsets[row + 1]):
                x = rows.items[p]
                if x >= 0 and trial.local_of[x] > last and counts[trial.local_of[x]] < 0:
                    place = walk.child_end[-counts[trial.local_of[x]] - 1]
                    walk.child_end[-counts[trial.local_of[x]] - 1] += 1
                    walk.pool_row[place] = row
        size += 1
    return -1
