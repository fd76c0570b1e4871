"""The minimal moles: public sets that are moles while nothing smaller inside them is.

The search goes from the highest rank to the lowest, among roots and among the extensions of each set, so
that every part of a set is met before the set. A minimal mole that is not rare is known by its private
item, and none of the stored ones is inside it; a rare one is minimal if nothing is stored inside it and
all its largest parts are frequent.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.arrays import room_for, sort_ascending
from withhold.counting.jit import kernel
from withhold.methods.coherence.breach_store import FULL, held_breach, store_breach
from withhold.methods.coherence.cohorts import STOPPED, gather_cohort, likeliest_private

DONE = 0
NO_MOLE = -2
"""In place of a private item: the item is no mole by itself."""


@kernel
def judge_items(
    roots, private_offsets, private_items, post_offsets, post_rows, k, num, den, numbers
):
    """For each root: support, the private item that makes it a mole (-1: rarity; NO_MOLE), joint."""
    joint = np.zeros(len(post_offsets) - 1, np.int64)
    touched = np.empty(len(post_offsets) - 1, np.int32)
    most_rows = np.int64(0)
    for root in roots:
        most_rows = max(most_rows, post_offsets[root + 1] - post_offsets[root])
    rows = np.arange(most_rows)
    for n in range(len(roots)):
        begin = post_offsets[roots[n]]
        support = post_offsets[roots[n] + 1] - begin
        numbers[n, 0] = support
        numbers[n, 1] = NO_MOLE
        if support < k:
            numbers[n, 1] = -1
            continue
        private, most = likeliest_private(
            rows, 0, support, begin, post_rows, private_offsets, private_items, joint, touched
        )
        if most * den > num * support:
            numbers[n, 1] = private
            numbers[n, 2] = most


@kernel
def is_frequent(path, size, left_out, x, k, offsets, items, post_offsets, post_rows, itemset):
    """Whether at least ``k`` rows hold the path's items but one, and ``x``."""
    n = 0
    for d in range(size):
        if d != left_out:
            itemset[n] = path[d]
            n += 1
    itemset[n] = x
    n += 1
    sort_ascending(itemset, n)
    rarest = itemset[0]
    count = np.int64(0)
    for posting in range(post_offsets[rarest], post_offsets[rarest + 1]):
        row = post_rows[posting]
        found = 0
        for p in range(offsets[row], offsets[row + 1]):
            if items[p] == itemset[found]:
                found += 1
                if found == n:
                    count += 1
                    break
            elif items[p] > itemset[found]:
                break
        if count == k:
            return True
    return False


@kernel
def keep_worst(size, path, x, support, private, joint, n_kept, sets, numbers):
    """Enter a mole among the worst of its size: likeliest first, then most records, then as met."""
    most = sets.shape[1]
    if most == 0:
        return
    hits = joint if private >= 0 else np.int64(1)
    place = n_kept[size]
    while place > 0:
        other = numbers[size, place - 1, 2] if numbers[size, place - 1, 1] >= 0 else np.int64(1)
        left = hits * numbers[size, place - 1, 0]
        right = other * support
        if left < right or (left == right and support <= numbers[size, place - 1, 0]):
            break
        place -= 1
    if place == most:
        return
    last = min(n_kept[size], most - 1)
    for move in range(last, place, -1):
        for d in range(size):
            sets[size, move, d] = sets[size, move - 1, d]
        for d in range(3):
            numbers[size, move, d] = numbers[size, move - 1, d]
    for d in range(size - 1):
        sets[size, place, d] = path[d]
    sets[size, place, size - 1] = x
    numbers[size, place, 0] = support
    numbers[size, place, 1] = private
    numbers[size, place, 2] = joint
    n_kept[size] = last + 1


@kernel
def survey_moles(
    roots,
    after,
    alive,
    offsets,
    items,
    private_offsets,
    private_items,
    post_offsets,
    post_rows,
    k,
    num,
    den,
    largest,
    storing,
    keys,
    heads,
    arena,
    item_heads,
    tops,
    per_item,
    by_size,
    exposed,
    n_kept,
    worst_sets,
    worst_numbers,
    stop,
):
    """All minimal moles of 2 to ``largest`` items that hold one of ``roots`` (none of them a mole).

    ``storing`` keeps those from which a private item follows, and puts into ``by_size[0]`` how many roots are
    done; FULL asks for more room and a call with the others. Otherwise adds to ``per_item`` and ``by_size``,
    marks the rows ``exposed``, and keeps the worst.
    """
    n_items = len(post_offsets) - 1
    counts = np.zeros(n_items, np.int64)
    joint = np.zeros(n_items, np.int64)
    touched = np.empty(n_items, np.int32)
    on_path = np.zeros(n_items, np.bool_)
    is_open = np.zeros((largest + 1, n_items), np.bool_)
    path = np.empty(largest + 1, np.int32)
    itemset = np.empty(largest + 1, np.int32)
    first_child = np.zeros(largest + 2, np.int64)
    next_child = np.zeros(largest + 2, np.int64)
    last_child = np.zeros(largest + 2, np.int64)
    pool_top = np.zeros(largest + 2, np.int64)
    child_item = np.empty(1024, np.int32)
    child_start = np.empty(1024, np.int64)
    child_end = np.empty(1024, np.int64)
    child_known = np.empty(1024, np.int64)
    pool_row = np.empty(1024, np.int32)
    pool_place = np.empty(1024, np.int64)
    for n_done in range(len(roots)):
        root = roots[n_done]
        if storing:
            by_size[0] = n_done
        first_posting = post_offsets[root]
        support = post_offsets[root + 1] - first_posting
        row_offsets, row_items = gather_cohort(
            root, after, alive, offsets, items, post_offsets, post_rows
        )
        pool_row = room_for(pool_row, support)
        pool_place = room_for(pool_place, support)
        for j in range(support):
            pool_row[j] = j
            pool_place[j] = row_offsets[j]
        child_item[0] = root
        child_start[0] = 0
        child_end[0] = support
        child_known[0] = 0
        first_child[0] = 0
        next_child[0] = 1
        last_child[0] = 1
        pool_top[0] = support
        depth = 0
        while depth >= 0:
            if next_child[depth] == first_child[depth]:
                for c in range(first_child[depth], last_child[depth]):
                    is_open[depth, child_item[c]] = False
                depth -= 1
                if depth >= 0:
                    on_path[path[depth]] = False
                continue
            if stop[0] != 0:
                return STOPPED
            next_child[depth] -= 1
            child = next_child[depth]
            item = child_item[child]
            start = child_start[child]
            end = child_end[child]
            path[depth] = item
            size = depth + 1
            if size > 1 and num < den and (storing or size == largest or child_known[child] > 0):
                private, most = likeliest_private(
                    pool_row,
                    start,
                    end,
                    first_posting,
                    post_rows,
                    private_offsets,
                    private_items,
                    joint,
                    touched,
                )
                if most * den > num * (end - start):
                    if storing:
                        if not store_breach(
                            path, depth, item, keys, heads, arena, item_heads, tops, n_items
                        ):
                            return FULL
                        continue
                    by_size[size] += 1
                    for d in range(size):
                        per_item[path[d]] += 1
                    for j in range(start, end):
                        exposed[post_rows[first_posting + pool_row[j]]] = 1
                    keep_worst(
                        size,
                        path,
                        item,
                        end - start,
                        private,
                        most,
                        n_kept,
                        worst_sets,
                        worst_numbers,
                    )
                    continue
            is_open[depth, item] = True
            if size == largest:
                continue
            on_path[item] = True
            n_touched = 0
            for j in range(start, end):
                for q in range(pool_place[j], row_offsets[pool_row[j] + 1]):
                    x = row_items[q]
                    if depth == 0 or is_open[depth, x]:
                        if counts[x] == 0:
                            touched[n_touched] = x
                            n_touched += 1
                        counts[x] += 1
            sort_ascending(touched, n_touched)
            first = last_child[depth]
            n_children = first
            top = pool_top[depth]
            child_item = room_for(child_item, first + n_touched)
            child_start = room_for(child_start, first + n_touched)
            child_end = room_for(child_end, first + n_touched)
            child_known = room_for(child_known, first + n_touched)
            any_rare = False
            for t in range(n_touched):
                x = touched[t]
                count = counts[x]
                counts[x] = 0
                if count == end - start or (storing and count < k):
                    continue
                known = np.int64(0)
                if num < den:
                    known = held_breach(path, size, x, on_path, keys, heads, arena, n_items)
                if count < k:
                    minimal = known == 0
                    for left_out in range(depth):
                        if not minimal:
                            break
                        minimal = is_frequent(
                            path,
                            size,
                            left_out,
                            x,
                            k,
                            offsets,
                            items,
                            post_offsets,
                            post_rows,
                            itemset,
                        )
                    if minimal:
                        by_size[size + 1] += 1
                        for d in range(size):
                            per_item[path[d]] += 1
                        per_item[x] += 1
                        keep_worst(
                            size + 1,
                            path,
                            x,
                            count,
                            np.int64(-1),
                            np.int64(0),
                            n_kept,
                            worst_sets,
                            worst_numbers,
                        )
                        counts[x] = count
                        any_rare = True
                elif (known == 0 or (known == size + 1 and not storing)) and (
                    num < den or size + 1 < largest
                ):
                    child_item[n_children] = x
                    child_start[n_children] = top
                    child_end[n_children] = top
                    child_known[n_children] = known
                    top += count
                    counts[x] = -n_children - 1
                    n_children += 1
            pool_row = room_for(pool_row, top)
            pool_place = room_for(pool_place, top)
            if any_rare or n_children > first:
                for j in range(start, end):
                    row = pool_row[j]
                    for q in range(pool_place[j], row_offsets[row + 1]):
                        c = -counts[row_items[q]] - 1
                        if c >= 0:
                            pool_row[child_end[c]] = row
                            pool_place[child_end[c]] = q + 1
                            child_end[c] += 1
                        elif c < -1:
                            exposed[post_rows[first_posting + row]] = 1
            for t in range(n_touched):
                counts[touched[t]] = 0
            if n_children > first:
                depth += 1
                first_child[depth] = first
                next_child[depth] = n_children
                last_child[depth] = n_children
                pool_top[depth] = top
            else:
                on_path[item] = False
    if storing:
        by_size[0] = len(roots)
    return DONE
