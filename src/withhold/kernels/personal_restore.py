"""Could what was withheld from a person's row come back, without anything becoming unsafe by it?"""

from __future__ import annotations

import numpy as np

from withhold.kernels.arrays import room_for
from withhold.kernels.bits import clear_bit, set_bit
from withhold.kernels.closed import count_support
from withhold.kernels.jit import kernel
from withhold.kernels.personal_closed import find_unsafe_sets

BLOCKED, SAFE = 0, 1
MOST_TRIED = 64
"""Rules of an item that are tried before anything is searched: the newest."""


@kernel
def sup(itemset, size, rows):
    """In how many rows the itemset (ascending ranks) is published."""
    return count_support(
        itemset,
        size,
        np.int64(len(rows.offsets)),
        rows.offsets,
        rows.items,
        rows.post_offsets,
        rows.post_rows,
        rows.supports,
        rows.bitmaps,
    )


@kernel
def breaks(known, size, e, num, den, rows):
    """Whether the rule known→e is unsafe as things are."""
    both = np.empty(size + 1, np.int32)
    n = 0
    placed = False
    for c in range(size):
        if not placed and e < known[c]:
            both[n] = e
            n += 1
            placed = True
        both[n] = known[c]
        n += 1
    if not placed:
        both[n] = e
    support = sup(known, size, rows)
    return sup(both, size + 1, rows) * den > num * support


@kernel
def is_there(known, consequent, here):
    """Whether a row whose items are marked in ``here`` holds what is known and what follows."""
    for item in known:
        if not here[item]:
            return False
    return bool(here[consequent])


@kernel
def look_at(
    positions,
    row_of,
    blocked_by,
    item_starts,
    item_rules,
    starts,
    items,
    consequents,
    rows,
    people,
    fears,
    num,
    den,
    stop,
    scratch,
    found,
    outcomes,
):
    """Put each position back for a moment; ``outcomes`` says whether that is SAFE.

    ``blocked_by`` is the rule (of ``starts``, ``items``, ``consequents``) for which each was withheld, and
    ``item_rules`` lists, item by item, those that kept any of its occurrences out: they are tried first.
    What stays out because of another rule gets that one; these are returned as offsets, items and
    consequents, and numbered from len(consequents) on.
    """
    here = np.zeros(len(rows.supports), np.bool_)
    n_rows = len(rows.offsets) - 1
    first_bitmap = len(rows.supports) - rows.bitmaps.shape[0]
    root = np.empty(1, np.int32)
    within = np.empty(1, np.int32)
    n_new = 0
    new_starts = np.zeros(64, np.int64)
    new_items = np.empty(64, np.int32)
    new_consequents = np.empty(64, np.int32)
    for k in range(len(positions)):
        if stop[0] != 0:
            break
        p = positions[k]
        row = row_of[k]
        x = ~rows.items[p]
        if fears.anybody[x] and (rows.supports[x] + 1) * den > num * n_rows:
            continue
        rows.items[p] = x
        rows.supports[x] += 1
        set_bit(rows.bitmaps, first_bitmap, x, row)
        rule = blocked_by[k]
        unsafe = breaks(
            items[starts[rule] : starts[rule + 1]],
            starts[rule + 1] - starts[rule],
            consequents[rule],
            num,
            den,
            rows,
        )
        if not unsafe:
            for q in range(rows.offsets[row], rows.offsets[row + 1]):
                if rows.items[q] >= 0:
                    here[rows.items[q]] = True
            last = item_starts[x + 1]
            for place in range(last - 1, max(item_starts[x], last - MOST_TRIED) - 1, -1):
                rule = item_rules[place]
                known = items[starts[rule] : starts[rule + 1]]
                if is_there(known, consequents[rule], here) and breaks(
                    known, len(known), consequents[rule], num, den, rows
                ):
                    unsafe = True
                    blocked_by[k] = rule
                    break
            for q in range(rows.offsets[row], rows.offsets[row + 1]):
                if rows.items[q] >= 0:
                    here[rows.items[q]] = False
        if not unsafe:
            root[0] = x
            within[0] = row
            found.count[0] = 0
            find_unsafe_sets(
                root,
                within,
                False,
                1,
                x,
                rows,
                people,
                fears,
                num,
                den,
                stop,
                scratch,
                found,
            )
            unsafe = found.count[0] > 0 or stop[0] != 0
            if found.count[0] > 0:
                size = found.starts[1]
                used = new_starts[n_new]
                new_starts = room_for(new_starts, n_new + 2)
                new_items = room_for(new_items, used + size)
                new_consequents = room_for(new_consequents, n_new + 1)
                for c in range(size):
                    new_items[used + c] = found.items[c]
                new_starts[n_new + 1] = used + size
                new_consequents[n_new] = found.numbers[0, 0]
                blocked_by[k] = len(consequents) + n_new
                n_new += 1
        if not unsafe:
            outcomes[k] = SAFE
        rows.items[p] = ~x
        rows.supports[x] -= 1
        clear_bit(rows.bitmaps, first_bitmap, x, row)
    return new_starts[: n_new + 1], new_items[: new_starts[n_new]], new_consequents[:n_new]
