"""How many supported sets contain a given one, in closed form.

With n items to choose from and at most r to take there are W(n, r) = Σ C(n, i), i ≤ r, sets; sets that
several rows hold are taken off again by inclusion and exclusion. A count is a row of ``slots``: W(n, r)
adds ``weights[r, n]`` to slot ``slots[r, n]``, and the caller knows what a slot is worth.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.jit import kernel

FEW_ROWS = 7
"""Up to here a mole's supersets are counted in closed form; the work doubles with each row."""
MOST_TO_REDUCE = 512
"""Rows; above, comparing all with all takes longer than counting with them."""


@kernel
def add_sets(counts, row, r, n, sign, slots, weights):
    """Add the sets of at most ``r`` out of ``n`` items to the count in this row."""
    # Whole arrays and a row, for a view of each row would take longer than the addition.
    if r >= 0 and n >= 0:
        # Where nothing may be added, what there is to add does not matter.
        m = n if r > 0 else 0
        counts[row, slots[r, m]] += sign * weights[r, m]


@kernel
def keep_maximal(start, end, pool_row, pool_place, row_offsets, row_items, lengths, marks):
    """Drop the rows whose rest another row's rest contains; returns the new end.

    Below a mole it only matters whether some row holds a set, so these rows add nothing.
    """
    n = end - start
    for j in range(n):
        mark = np.int64(0)
        row = pool_row[start + j]
        for q in range(pool_place[start + j], row_offsets[row + 1]):
            mark |= np.int64(1) << np.int64(row_items[q] % 63)
        lengths[j] = row_offsets[row + 1] - pool_place[start + j]
        marks[j] = mark
    # Longest first, by insertion: there are few, and their order hardly matters otherwise.
    for j in range(1, n):
        length, mark = lengths[j], marks[j]
        row, place = pool_row[start + j], pool_place[start + j]
        i = j
        while i > 0 and lengths[i - 1] < length:
            lengths[i] = lengths[i - 1]
            marks[i] = marks[i - 1]
            pool_row[start + i] = pool_row[start + i - 1]
            pool_place[start + i] = pool_place[start + i - 1]
            i -= 1
        lengths[i] = length
        marks[i] = mark
        pool_row[start + i] = row
        pool_place[start + i] = place
    kept = 0
    for j in range(n):
        place = pool_place[start + j]
        last = row_offsets[pool_row[start + j] + 1]
        inside = False
        for i in range(kept):
            if marks[j] & ~marks[i] != 0:
                continue
            p = pool_place[start + i]
            p_last = row_offsets[pool_row[start + i] + 1]
            q = place
            while q < last and p < p_last:
                if row_items[q] == row_items[p]:
                    q += 1
                elif row_items[q] < row_items[p]:
                    break
                p += 1
            if q == last:
                inside = True
                break
        if not inside:
            marks[kept] = marks[j]
            pool_row[start + kept] = pool_row[start + j]
            pool_place[start + kept] = place
            kept += 1
    return start + kept


@kernel
def count_supersets(
    item,
    start,
    end,
    r,
    n_free,
    pool_row,
    pool_place,
    row_offsets,
    row_items,
    masks,
    holding,
    touched,
    slots,
    weights,
    counts,
    total,
    of_free,
    level,
):
    """Count a mole with at most FEW_ROWS rows (any number if r ≤ 1) and all that rows add to it.

    The number goes to ``counts``, and to the rows ``level`` of ``total`` and ``of_free``.
    """
    if r == 0:
        add_sets(counts, item, 0, 0, 1, slots, weights)
        add_sets(total, level, 0, 0, 1, slots, weights)
        return
    if end - start == 1:
        place = pool_place[start]
        last = row_offsets[pool_row[start] + 1]
        n = n_free
        for q in range(place, last):
            if masks[row_items[q]] == 0:
                n += 1
        for q in range(place, last):
            if masks[row_items[q]] == 0:
                add_sets(counts, row_items[q], r - 1, n - 1, 1, slots, weights)
        add_sets(counts, item, r, n, 1, slots, weights)
        add_sets(total, level, r, n, 1, slots, weights)
        add_sets(of_free, level, r - 1, n - 1, 1, slots, weights)
        return
    n_touched = 0
    for j in range(start, end):
        bit = np.int64(1) << (j - start) if r > 1 else np.int64(1)
        for q in range(pool_place[j], row_offsets[pool_row[j] + 1]):
            x = row_items[q]
            if masks[x] == 0:
                touched[n_touched] = x
                n_touched += 1
            if masks[x] >= 0:
                masks[x] |= bit
    if r == 1:
        for t in range(n_touched):
            add_sets(counts, touched[t], 0, 0, 1, slots, weights)
            masks[touched[t]] = 0
        # The mole itself and one more for each item; no W(n, 1), as no one row holds all n items.
        n = n_free + n_touched
        add_sets(counts, item, 0, 0, 1 + n, slots, weights)
        add_sets(total, level, 0, 0, 1 + n, slots, weights)
        add_sets(of_free, level, 0, 0, 1, slots, weights)
        return
    n_groups = np.int64(1) << (end - start)
    for group in range(n_groups):
        holding[group] = n_free
    for t in range(n_touched):
        mask = masks[touched[t]]
        part = mask
        while part != 0:
            holding[part] += 1
            part = (part - 1) & mask
    for group in range(1, n_groups):
        sign = -1
        rest = group
        while rest != 0:
            sign = -sign
            rest &= rest - 1
        n = holding[group]
        add_sets(counts, item, r, n, sign, slots, weights)
        add_sets(total, level, r, n, sign, slots, weights)
        add_sets(of_free, level, r - 1, n - 1, sign, slots, weights)
    for t in range(n_touched):
        x = touched[t]
        mask = masks[x]
        masks[x] = 0
        part = mask
        while part != 0:
            sign = -1
            rest = part
            while rest != 0:
                sign = -sign
                rest &= rest - 1
            add_sets(counts, x, r - 1, holding[part] - 1, sign, slots, weights)
            part = (part - 1) & mask
