"""A record that too few hold: if there is none, all parts of all records are frequent."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.jit import kernel
from withhold.counting.supports import IndexedRows, count_support


@kernel
def find_rare_row(k, offsets, items, post_offsets, post_rows, bitmaps, stop):
    """The first row, not empty, whose items fewer than ``k`` rows hold, and how many; (-1, 0) if none."""
    supports = post_offsets[1:] - post_offsets[:-1]
    rows = IndexedRows(offsets, items, post_offsets, post_rows, supports, bitmaps)
    for row in range(len(offsets) - 1):
        if stop[0] != 0:
            break
        size = offsets[row + 1] - offsets[row]
        if size > 0:
            itemset = items[offsets[row] : offsets[row + 1]]
            support = count_support(rows, itemset, size, np.int64(k))
            if support < k:
                return row, support
    return -1, np.int64(0)
