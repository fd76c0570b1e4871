"""The search's own look for a mole: does one come with an item, and is there any at all?

The search asks it of an item that might come back, and before it removes anything. The proof has a walk of
its own, so that a mistake here cannot hide itself.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.arrays import room_for
from withhold.counting.jit import kernel
from withhold.methods.coherence.cohorts import (
    STOPPED,
    count_extensions,
    deliver_rows,
    gather_cohort,
    likeliest_private,
)

NONE, SOME = 0, 1


@kernel
def any_mole(
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
    stop,
):
    """SOME if a root and other living items, or only higher ones (``after``), are a mole; else NONE."""
    n_items = len(post_offsets) - 1
    counts = np.zeros(n_items, np.int64)
    joint = np.zeros(n_items, np.int64)
    touched = np.empty(n_items, np.int32)
    # A stack of sets, each by its size and its rows in the pool; the last one goes on.
    set_size = np.empty(1024, np.int64)
    set_start = np.empty(1024, np.int64)
    set_end = np.empty(1024, np.int64)
    pool_row = np.empty(1024, np.int32)
    pool_place = np.empty(1024, np.int64)
    for root in roots:
        first_posting = post_offsets[root]
        support = post_offsets[root + 1] - first_posting
        if support < k:
            return SOME
        row_offsets, row_items = gather_cohort(
            root, after, alive, offsets, items, post_offsets, post_rows
        )
        pool_row = room_for(pool_row, support)
        pool_place = room_for(pool_place, support)
        for j in range(support):
            pool_row[j] = j
            pool_place[j] = row_offsets[j]
        set_size[0] = 1
        set_start[0] = 0
        set_end[0] = support
        waiting = 1
        while waiting > 0:
            if stop[0] != 0:
                return STOPPED
            waiting -= 1
            size = set_size[waiting]
            start = set_start[waiting]
            end = set_end[waiting]
            if num < den:
                _, most = likeliest_private(
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
                    return SOME
            if size == largest:
                continue
            n_touched = count_extensions(
                start, end, pool_row, pool_place, row_offsets, row_items, counts, touched
            )
            first = waiting
            # The rows of the sets above are gone from the pool; its own lie below those of its extensions.
            top = end
            set_size = room_for(set_size, first + n_touched)
            set_start = room_for(set_start, first + n_touched)
            set_end = room_for(set_end, first + n_touched)
            for t in range(n_touched):
                x = touched[t]
                count = counts[x]
                counts[x] = 0
                if count < k:
                    return SOME
                # An item that all rows hold changes no count; a last one only matters to private items.
                if count < end - start and (num < den or size + 1 < largest):
                    set_size[waiting] = size + 1
                    set_start[waiting] = top
                    set_end[waiting] = top
                    top += count
                    counts[x] = -waiting - 1
                    touched[waiting - first] = x
                    waiting += 1
            pool_row = room_for(pool_row, top)
            pool_place = room_for(pool_place, top)
            if waiting > first:
                deliver_rows(
                    start, end, pool_row, pool_place, row_offsets, row_items, counts, set_end
                )
            for t in range(waiting - first):
                counts[touched[t]] = 0
    return NONE
