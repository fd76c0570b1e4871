"""In how many rows an itemset occurs: by bitmaps where its items are frequent, else by postings."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.bits import count_bits
from withhold.counting.jit import routine


class IndexedRows(NamedTuple):
    """``Rows`` with the support of each rank, and bitmaps of the last ranks, as they are now."""

    offsets: Any
    items: Any
    """Ascending in each row; a withheld occurrence is negative."""
    post_offsets: Any
    post_rows: Any
    supports: Any
    bitmaps: Any


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
    if rarest >= first_bitmap:
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
    for posting in range(rows.post_offsets[rarest], rows.post_offsets[rarest + 1]):
        row = rows.post_rows[posting]
        p = rows.offsets[row]
        end = rows.offsets[row + 1]
        # Rows come longest first: from here on none can hold the set.
        if end - p < size:
            break
        k = 0
        while p < end:
            x = rows.items[p]
            wanted = itemset[k]
            if x == wanted:
                k += 1
                if k == size:
                    count += 1
                    break
            elif x > wanted:
                break
            p += 1
        if count >= enough:
            break
    return count
