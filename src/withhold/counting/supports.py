"""How many rows hold an itemset: by bitmaps if its items are frequent, otherwise by postings."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.bits import count_bits
from withhold.counting.jit import kernel, routine, step


class IndexedRows(NamedTuple):
    """``Rows`` with the support of each rank, and bitmaps of the last ranks, without withheld occurrences."""

    offsets: Any
    items: Any
    """Ascending in each row; a withheld occurrence is negative."""
    post_offsets: Any
    post_rows: Any
    supports: Any
    """By rank: how many rows hold it."""
    bitmaps: Any
    """Of the last ranks: a bit for each row that holds it."""


@kernel
def support_of(rows, itemset, enough):
    """How many ``IndexedRows`` hold the itemset (ascending ranks), or ``enough`` if no fewer do."""
    return min(count_support(rows, itemset, np.int64(len(itemset)), enough), enough)


@step
def holds_item(rows, row, item):
    """Whether the row holds the item: by its bitmap if it has one, which avoids reading the row."""
    first_bitmap = len(rows.post_offsets) - 1 - rows.bitmaps.shape[0]
    if item >= first_bitmap:
        bit = np.uint64(1) << np.uint64(row & 63)
        return rows.bitmaps[item - first_bitmap, row >> 6] & bit != 0
    for p in range(rows.offsets[row], rows.offsets[row + 1]):
        if rows.items[p] >= item:
            return rows.items[p] == item
    return False


@routine
def count_support(rows, itemset, size, enough):
    """In how many ``IndexedRows`` the itemset (ascending ranks) occurs, counted up to ``enough``."""
    if size == 0:
        return min(np.int64(len(rows.offsets) - 1), enough)
    rarest = itemset[0]
    if size == 1:
        return min(rows.supports[rarest], enough)
    count = np.int64(0)
    first_bitmap = len(rows.post_offsets) - 1 - rows.bitmaps.shape[0]
    first = rows.post_offsets[rarest]
    last = rows.post_offsets[rarest + 1]
    if rarest >= first_bitmap and last - first > rows.bitmaps.shape[1]:
        # Ranks ascend with support, so the other items have bitmaps too.
        for word in range(rows.bitmaps.shape[1]):
            both = rows.bitmaps[rarest - first_bitmap, word]
            k = 1
            while both != 0 and k < size:
                both &= rows.bitmaps[itemset[k] - first_bitmap, word]
                k += 1
            if both != 0:
                count += np.int64(count_bits(both))
                if count >= enough:
                    break
        return count
    # Testing bits of the frequent items avoids reading most rows, which are scattered in memory.
    n_rare = np.int64(0)
    while n_rare < size and itemset[n_rare] < first_bitmap:
        n_rare += 1
    for posting in range(first, last):
        row = rows.post_rows[posting]
        word = row >> 6
        bit = np.uint64(1) << np.uint64(row & 63)
        k = n_rare
        while k < size and rows.bitmaps[itemset[k] - first_bitmap, word] & bit != 0:
            k += 1
        if k < size:
            continue
        if n_rare > 0:
            p = rows.offsets[row]
            end = rows.offsets[row + 1]
            # Rows come longest first: from here on none can hold the set.
            if end - p < size:
                break
            k = np.int64(0)
            while k < n_rare and p < end and rows.items[p] <= itemset[k]:
                if rows.items[p] == itemset[k]:
                    k += 1
                p += 1
            if k < n_rare:
                continue
        count += 1
        if count >= enough:
            break
    return count
