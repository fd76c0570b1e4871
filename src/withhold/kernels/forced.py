"""Records whose sensitive items must all go, whatever else happens.

If only sensitive items are deleted, the non-sensitive items N(r) of record r stay, and so does their
support. A sensitive item left in r would follow from N(r) with confidence at least 1/sup(N(r)).
"""

from __future__ import annotations

import numpy as np

from withhold.kernels.closed import count_support
from withhold.kernels.jit import kernel


@kernel
def find_forced(
    offsets,
    items,
    post_offsets,
    post_rows,
    supports,
    bitmaps,
    sensitive,
    row_from,
    row_to,
    num,
    den,
    with_prior,
    supports_of_rest,
    stop,
):
    """For the rows r in [row_from, row_to) with a sensitive item and sup(N(r)) < den/num: sup(N(r)).

    An empty N(r) counts only ``with_prior``. Other places of ``supports_of_rest``
    stay as they are. Deleted occurrences are -1.
    """
    enough = np.int64((den + num - 1) // num)
    longest = np.int64(0)
    for row in range(row_from, row_to):
        longest = max(longest, offsets[row + 1] - offsets[row])
    rest = np.empty(longest + 1, np.int32)
    for row in range(row_from, row_to):
        if stop[0] != 0:
            return
        size = 0
        any_sensitive = False
        for p in range(offsets[row], offsets[row + 1]):
            x = items[p]
            if x >= 0:
                if sensitive[x]:
                    any_sensitive = True
                else:
                    rest[size] = x
                    size += 1
        if any_sensitive and (size > 0 or with_prior):
            support = count_support(
                rest, size, enough, offsets, items, post_offsets, post_rows, supports, bitmaps
            )
            if support < enough:
                supports_of_rest[row] = support
