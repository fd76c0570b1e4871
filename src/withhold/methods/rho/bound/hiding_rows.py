"""The rows that could hide a class: those with its public items, by what they keep of its sensitive ones."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.bits import count_bits
from withhold.counting.jit import routine, step
from withhold.methods.rho.bound.row_classes import ANYTHING, NOTHING


@routine
def count_lacking(rows, sensitive, classes, scratch, table, size, gone, enough):
    """How many rows hold ``scratch.itemset``, can keep it, and lack the item ``gone``; up to ``enough``."""
    rarest = scratch.itemset[0]
    found = np.int64(0)
    n_long = scratch.n_as_long[size]
    first = len(rows.post_offsets) - 1 - rows.bitmaps.shape[0]
    # The shortest rows first: they are the most likely to keep the itemset.
    if rarest >= first:
        for word in range(((n_long + 63) >> 6) - 1, -1, -1):
            held = rows.bitmaps[rarest - first, word]
            k = 1
            while held != 0 and k < size:
                held &= rows.bitmaps[scratch.itemset[k] - first, word]
                k += 1
            if gone >= first:
                held &= ~rows.bitmaps[gone - first, word] | scratch.hopeless[word]
            while held != 0:
                low = held & (~held + np.uint64(1))
                held ^= low
                row = (word << 6) + np.int64(count_bits(low - np.uint64(1)))
                found += lacks_only(rows, sensitive, classes, scratch, table, size, gone, row)
                if found == enough:
                    return found
        return found
    low = rows.post_offsets[rarest]
    high = rows.post_offsets[rarest + 1]
    while low < high:
        middle = (low + high) >> 1
        if rows.post_rows[middle] < n_long:
            low = middle + 1
        else:
            high = middle
    for posting in range(low - 1, rows.post_offsets[rarest] - 1, -1):
        row = np.int64(rows.post_rows[posting])
        found += lacks_only(rows, sensitive, classes, scratch, table, size, gone, row)
        if found == enough:
            break
    return found


@step
def lacks_only(rows, sensitive, classes, scratch, table, size, gone, row):
    """Whether the row holds ``scratch.itemset`` and can keep it, and lacks the item ``gone``."""
    possible = classes.possible[classes.of_row[row]]
    n_tried = classes.n_tried[classes.of_row[row]]
    k = 0
    ordinal = 0
    wanted = np.int64(0)
    for p in range(rows.offsets[row], rows.offsets[row + 1]):
        x = rows.items[p]
        if x == gone and possible != NOTHING:
            return False
        if k < size:
            if x == scratch.itemset[k]:
                k += 1
                if sensitive[x]:
                    if possible == NOTHING:
                        return False
                    if ordinal < n_tried:
                        wanted |= np.int64(1) << ordinal
            elif x > scratch.itemset[k]:
                return False
        ordinal += sensitive[x]
    return k == size and (possible < 0 or table[possible + wanted])


@routine
def count_others(rows, sensitive, classes, scratch, table, number, block):
    """Count the other rows that hold all public items, by what they hold of the block; returns how many."""
    n_public, _, n = block
    for mask in range(1 << n):
        scratch.held[mask] = 0
        scratch.held_by_few[mask] = 0
        for k in range(n):
            scratch.lacking[mask, k] = 0
    first = len(rows.post_offsets) - 1 - rows.bitmaps.shape[0]
    if n_public == 0 or scratch.public[0] >= first:
        n_others = count_by_bitmaps(rows, sensitive, classes, scratch, table, number, block)
    else:
        own = classes.rows[classes.starts[number]]
        item = scratch.public[0]
        n_others = np.int64(0)
        for posting in range(rows.post_offsets[item], rows.post_offsets[item + 1]):
            row = np.int64(rows.post_rows[posting])
            if rows.offsets[row + 1] - rows.offsets[row] < n_public:
                break
            mask = held_of_block(rows, sensitive, scratch, n_public, row)
            if mask >= 0 and row != own:
                n_others += 1
                note_other(classes, scratch, table, classes.of_row[row], n, mask)
    for k in range(n):
        bit = np.int64(1) << k
        for mask in range(1 << n):
            if mask & bit == 0:
                scratch.held[mask] += scratch.held[mask | bit]
    return n_others


@step
def held_of_block(rows, sensitive, scratch, n_public, row):
    """Which items of the block the row holds, as bits; -1 if it lacks a public item. Fills ``theirs``."""
    k = 0
    ordinal = 0
    mask = np.int64(0)
    for p in range(rows.offsets[row], rows.offsets[row + 1]):
        x = rows.items[p]
        if sensitive[x]:
            local = scratch.local_of[x]
            if local >= 0:
                mask |= np.int64(1) << local
                scratch.theirs[local] = ordinal
            ordinal += 1
        elif k < n_public:
            if x == scratch.public[k]:
                k += 1
            elif x > scratch.public[k]:
                break
    return mask if k == n_public else np.int64(-1)


@step
def bits_of(rows, scratch, item, k, word):
    """A bit for each of 64 rows: whether it holds the item, which is the ``k``-th of the block."""
    first = len(rows.post_offsets) - 1 - rows.bitmaps.shape[0]
    return rows.bitmaps[item - first, word] if item >= first else scratch.bitmaps[k, word]


@step
def fill_bitmaps(rows, scratch, first_sensitive, n, value):
    """Make the bitmaps of those items of the block that have none; with the value 0, clear them."""
    first = len(rows.post_offsets) - 1 - rows.bitmaps.shape[0]
    for k in range(n):
        item = scratch.sensitive[first_sensitive + k]
        if item < first:
            for posting in range(rows.post_offsets[item], rows.post_offsets[item + 1]):
                row = rows.post_rows[posting]
                bit = np.uint64(1) << np.uint64(row & 63)
                scratch.bitmaps[k, row >> 6] = (scratch.bitmaps[k, row >> 6] | bit) * value


@step
def count_by_bitmaps(rows, sensitive, classes, scratch, table, number, block):
    """As ``count_others``, if all public items have bitmaps: 64 rows at a time."""
    n_public, first_sensitive, n = block
    own = classes.rows[classes.starts[number]]
    first = len(rows.post_offsets) - 1 - rows.bitmaps.shape[0]
    fill_bitmaps(rows, scratch, first_sensitive, n, np.uint64(1))
    n_others = np.int64(-1)
    for word in range((scratch.n_as_long[n_public] + 63) >> 6):
        held = ~np.uint64(0)
        for k in range(n_public):
            held &= rows.bitmaps[scratch.public[k] - first, word]
            if held == 0:
                break
        if held == 0:
            continue
        n_others += np.int64(count_bits(held))
        held &= ~scratch.hopeless[word]
        once = np.uint64(0)
        twice = np.uint64(0)
        for k in range(n):
            bits = held & bits_of(rows, scratch, scratch.sensitive[first_sensitive + k], k, word)
            twice |= once & bits
            once |= bits
        if once == 0:
            continue
        # A row that is not hopeless can keep any single item, so a row with one of the block is just counted.
        for k in range(n):
            bits = held & bits_of(rows, scratch, scratch.sensitive[first_sensitive + k], k, word)
            scratch.held[np.int64(1) << k] += np.int64(count_bits(bits & ~twice))
        while twice != 0:
            low = twice & (~twice + np.uint64(1))
            twice ^= low
            row = (word << 6) + np.int64(count_bits(low - np.uint64(1)))
            if row != own:
                mask = held_of_block(rows, sensitive, scratch, n_public, row)
                note_other(classes, scratch, table, classes.of_row[row], n, mask)
    if n == 1:
        scratch.held[1] -= 1
    fill_bitmaps(rows, scratch, first_sensitive, n, np.uint64(0))
    return n_others if n_public > 0 else np.int64(len(rows.offsets) - 2)


@step
def note_other(classes, scratch, table, other, n, mask):
    """Count one more row that holds all public items, and ``mask`` of the block."""
    possible = classes.possible[other]
    if possible == ANYTHING:
        scratch.held[mask] += 1
    elif possible >= 0:
        kept = mask
        while True:
            wanted = np.int64(0)
            for k in range(n):
                if (kept >> k) & 1 and scratch.theirs[k] < classes.n_tried[other]:
                    wanted |= np.int64(1) << scratch.theirs[k]
            scratch.can_keep[kept] = table[possible + wanted]
            if scratch.can_keep[kept]:
                for k in range(n):
                    if (mask >> k) & 1 == 0:
                        scratch.lacking[kept | (np.int64(1) << k), k] += 1
            if kept == 0:
                break
            kept = (kept - 1) & mask
        held = mask
        while held != 0:
            for k in range(n):
                if (held >> k) & 1 and scratch.can_keep[held ^ (np.int64(1) << k)]:
                    scratch.held_by_few[held] += 1
                    break
            held = (held - 1) & mask


@routine
def most_by_sizes(rows, sensitive, classes, scratch, number, sizes, n_helpers):
    """At most how many sensitive items a row of the class can keep, given how many the other rows can keep.

    If it keeps k of them, it needs at least k times ``n_helpers`` others that keep k - 1 or more.
    """
    n_public, n_sensitive = sizes
    own = classes.rows[classes.starts[number]]
    by_size = scratch.n_keeping
    for k in range(n_sensitive + 1):
        by_size[k] = 0
    for k in range(n_sensitive):
        scratch.local_of[scratch.sensitive[k]] = 0
    first = np.int64(0)
    last = scratch.n_as_long[max(n_public, 1)]
    if n_public > 0:
        first = rows.post_offsets[scratch.public[0]]
        last = rows.post_offsets[scratch.public[0] + 1]
    for at in range(first, last):
        row = np.int64(rows.post_rows[at]) if n_public > 0 else at
        k = 0
        n_held = np.int64(0)
        for p in range(rows.offsets[row], rows.offsets[row + 1]):
            x = rows.items[p]
            if sensitive[x]:
                n_held += scratch.local_of[x] >= 0
            elif k < n_public:
                if x == scratch.public[k]:
                    k += 1
                elif x > scratch.public[k]:
                    break
        if k == n_public and row != own:
            by_size[min(n_held, classes.most_kept[classes.of_row[row]])] += 1
    for k in range(n_sensitive):
        scratch.local_of[scratch.sensitive[k]] = -1
    n_rows = np.int64(0)
    for most in range(n_sensitive, 1, -1):
        n_rows += by_size[most] if most == n_sensitive else 0
        n_rows += by_size[most - 1]
        if n_rows >= most * n_helpers:
            return np.int64(most)
    return np.int64(1)
