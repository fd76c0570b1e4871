"""In how many rows an itemset occurs: by bitmaps where its items are frequent, else by postings."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.bits import count_bits
from withhold.counting.jit import kernel


@kernel
def count_support(
    itemset, size, enough, offsets, items, post_offsets, post_rows, supports, bitmaps
):
    """In how many rows the itemset (ascending ranks) occurs, counted up to ``enough``.

    ``supports`` are the single items'; ``bitmaps`` are those of the last ranks.
    Deleted occurrences are -1 and match nothing.
    """
    if size == 0:
        return min(np.int64(len(offsets) - 1), enough)
    rarest = itemset[0]
    if size == 1:
        return min(supports[rarest], enough)
    count = np.int64(0)
    first_bitmap = len(post_offsets) - 1 - bitmaps.shape[0]
    if rarest >= first_bitmap:
        # Ranks ascend with support, so the other items have bitmaps too.
        for word in range(bitmaps.shape[1]):
            both = bitmaps[rarest - first_bitmap, word]
            k = 1
            while both != 0 and k < size:
                both &= bitmaps[itemset[k] - first_bitmap, word]
                k += 1
            if both != 0:
                count += np.int64(count_bits(both))
                if count >= enough:
                    break
        return count
    for posting in range(post_offsets[rarest], post_offsets[rarest + 1]):
        row = post_rows[posting]
        p = offsets[row]
        end = offsets[row + 1]
        # Rows come longest first: from here on none can hold the set.
        if end - p < size:
            break
        k = 0
        while p < end:
            x = items[p]
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
