"""The records that hold an item, equal ones merged, without copying them."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.jit import kernel


@kernel
def merge_equal_rows(consequent, offsets, items, post_offsets, post_rows, rows, weights, slots):
    """The distinct rows of D_e without e, into ``rows`` and ``weights``; returns how many.

    ``slots`` is a hash table of row numbers + 1, cleared here as far as it is used.
    """
    begin = post_offsets[consequent]
    n = post_offsets[consequent + 1] - begin
    width = np.int64(2)
    while width < 2 * n:
        width *= 2
    for s in range(width):
        slots[s] = 0
    n_distinct = 0
    for posting in range(begin, begin + n):
        row = post_rows[posting]
        key = np.int64(1469598103)
        for p in range(offsets[row], offsets[row + 1]):
            key = (key ^ np.int64(items[p] + 1)) * np.int64(1099511)
            key ^= (key >> np.int64(15)) & np.int64(0x1FFFFFFFF)
            key &= np.int64(0x3FFFFFFFFFF)
        s = key & (width - 1)
        placed = False
        while slots[s] != 0 and not placed:
            other = rows[slots[s] - 1]
            length = offsets[row + 1] - offsets[row]
            if offsets[other + 1] - offsets[other] == length:
                same = True
                for k in range(length):
                    if items[offsets[row] + k] != items[offsets[other] + k]:
                        same = False
                        break
                if same:
                    weights[slots[s] - 1] += 1
                    placed = True
            s = (s + 1) & (width - 1)
        if not placed:
            rows[n_distinct] = row
            weights[n_distinct] = 1
            n_distinct += 1
            slots[s] = n_distinct
    return n_distinct
