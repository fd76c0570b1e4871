"""Which rule of few known items an item that was put back into a longer row has made unsafe, if any.

As ``subsets``, for rows with too many subsets to count them all: the combinations of up to ``most``
other items of the row are looked at one by one, small ones first. A row of x is, here, the mask of
those other items that it publishes too.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.arrays import room_for
from withhold.counting.bits import count_bits
from withhold.counting.jit import kernel
from withhold.methods.personal.search.subsets import MOST_OTHERS, somebody_fears, with_item
from withhold.methods.personal.supports import reaches
from withhold.methods.rho.search.bounded import count_sets

MOST_COMBINATIONS = 50_000
"""Of more it would take too long to look at each."""


@kernel
def can_combine(n_others, most):
    """Whether there are few enough combinations of at most ``most`` of so many items."""
    return n_others <= MOST_OTHERS and count_sets(n_others, most) <= MOST_COMBINATIONS


@kernel
def masks_of(x, others, rows, place_of):
    """The masks of the rows that publish x, with room for more, and how many they are."""
    masks = np.empty(2 * rows.supports[x], np.uint64)
    for c in range(len(others)):
        place_of[others[c]] = c + 1
    n = 0
    for posting in range(rows.post_offsets[x], rows.post_offsets[x + 1]):
        if rows.items[rows.post_positions[posting]] < 0:
            continue
        row = rows.post_rows[posting]
        mask = np.uint64(0)
        for p in range(rows.offsets[row], rows.offsets[row + 1]):
            if rows.items[p] >= 0 and place_of[rows.items[p]] > 0:
                mask |= np.uint64(1) << np.uint64(place_of[rows.items[p]] - 1)
        masks[n] = mask
        n += 1
    for c in range(len(others)):
        place_of[others[c]] = 0
    return masks, n


@kernel
def unsafe_with(
    x, others, chosen, size, masks, start, end, most, rows, people, fears, num, den, known
):
    """An unsafe rule of which the chosen items are known, alone or with x: as ``find_unsafe_combination``.

    masks[start:end] are the rows that publish x and all of the chosen.
    """
    n = np.int64(end - start)
    for c in range(size):
        known[c] = others[chosen[c]]
    if size > 0 and fears.anybody[x]:
        enough = (n * den + num - 1) // num
        if not reaches(known, size, enough, rows) and somebody_fears(known, size, x, people, fears):
            return size, np.int64(x)
    if size < most:
        counts = np.zeros(len(others), np.int64)
        for k in range(start, end):
            mask = masks[k]
            while mask != 0:
                lowest = mask & (~mask + np.uint64(1))
                counts[np.int64(count_bits(lowest - np.uint64(1)))] += 1
                mask ^= lowest
        for c in range(size):
            counts[chosen[c]] = 0
        both = np.empty(size + 1, np.int32)
        with_item(known, size, x, both)
        for c in range(len(others)):
            e = others[c]
            if counts[c] * den <= num * n or not fears.anybody[e]:
                continue
            if somebody_fears(both, size + 1, e, people, fears):
                known[: size + 1] = both
                return size + 1, np.int64(e)
    return 0, np.int64(-1)


@kernel
def find_unsafe_combination(x, others, most, rows, people, fears, num, den, room):
    """An unsafe rule of one to ``most`` known items that x with the ``others`` of its row has brought about.

    Returns how many items are known, put into ``room.known``, and e; or 0 and -1.
    """
    masks, n = masks_of(x, others, rows, room.bit_of)
    n_others = len(others)
    chosen = np.zeros(most + 1, np.int64)
    starts = np.zeros(most + 2, np.int64)
    ends = np.zeros(most + 2, np.int64)
    ends[0] = n
    for wanted in range(min(most, n_others) + 1):
        size = 0
        chosen[0] = -1
        while True:
            if size == wanted:
                found, e = unsafe_with(
                    x,
                    others,
                    chosen,
                    size,
                    masks,
                    starts[size],
                    ends[size],
                    most,
                    rows,
                    people,
                    fears,
                    num,
                    den,
                    room.known,
                )
                if e >= 0:
                    return found, e
                size -= 1
                if size < 0:
                    break
            # The next item at this place; if there is none, the one before it moves on.
            chosen[size] += 1
            if n_others - chosen[size] < wanted - size:
                size -= 1
                if size < 0:
                    break
                continue
            bit = np.uint64(1) << np.uint64(chosen[size])
            top = ends[size]
            masks = room_for(masks, top + ends[size] - starts[size])
            for k in range(starts[size], ends[size]):
                if masks[k] & bit != 0:
                    masks[top] = masks[k]
                    top += 1
            starts[size + 1] = ends[size]
            ends[size + 1] = top
            chosen[size + 1] = chosen[size]
            size += 1
    return 0, np.int64(-1)
