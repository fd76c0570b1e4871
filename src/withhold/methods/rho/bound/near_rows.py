"""The other rows that hold nearly all of some items of a row: those that could hide it.

They are found by postings if the rarest items are rare, otherwise by bitmaps, 64 rows at a time. Rows come
longest first, so that the rows too short to matter are never visited.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.bits import count_bits
from withhold.counting.jit import routine, step
from withhold.counting.layout import Layout

MOST_BITMAPS = 62
"""At most this many items of a row are looked up in bitmaps; a mask has a bit for each."""
MOST_MASKS = 4096
"""The masks of this many near rows are kept; others are counted by mask or, of long rows, by size only."""
LARGEST_COUNT = 31
"""The counters have five bits."""
WORDS_PER_POSTING = 20
"""Testing one posting takes about as long as testing this many words for one item."""


class Near(NamedTuple):
    """Some items of a row, and the other rows that lack only a few of them."""

    own: Any
    """The items, ascending."""
    is_sensitive: Any
    """By item: whether it is sensitive."""
    others: Any
    """Scratch: the items but one, or their numbers."""
    masks: Any
    """For the first near rows: which of the items each lacks, a bit for each."""
    sizes: Any
    """By number of items: how many near rows lack that many; all zero between two rows."""
    counts: Any
    """By mask: how many near rows; all zero between two rows."""
    bitmaps: Any
    """The bitmaps of those items for which ``rows`` has none."""
    n_as_long: Any
    """By length: how many rows are as long or longer."""


def new_near(layout: Layout, most_free: int) -> Near:
    """Scratch for the rows of a layout."""
    lengths = np.diff(layout.offsets)
    longest = int(lengths.max(initial=0))
    return Near(
        own=np.zeros(longest + 1, dtype=np.int32),
        is_sensitive=np.zeros(longest + 1, dtype=np.bool_),
        others=np.zeros(longest + 1, dtype=np.int32),
        masks=np.zeros(MOST_MASKS, dtype=np.int64),
        sizes=np.zeros(longest + 2, dtype=np.int64),
        counts=np.zeros(1 << most_free, dtype=np.int64),
        bitmaps=np.zeros((MOST_BITMAPS, (layout.n_rows + 63) // 64), dtype=np.uint64),
        n_as_long=np.searchsorted(-lengths, -np.arange(longest + 2), side="right"),
    )


@step
def find_near(rows, near, row, n, most):
    """Count the other rows that lack at most ``most`` of the ``n`` items of ``near.own``.

    Returns how many there are. Rows that hold none of the items are left out.
    """
    postings = np.int64(0)
    for k in range(min(most + 1, n)):
        postings += rows.supports[near.own[k]]
    words = (near.n_as_long[n - most] + 63) >> 6
    cheap = postings * WORDS_PER_POSTING <= words * (most + 2)
    if cheap or n > MOST_BITMAPS or most >= LARGEST_COUNT:
        return find_by_postings(rows, near, row, n, most)
    return find_by_bitmaps(rows, near, row, n, most)


@step
def note_row(near, found, mask, n, n_missing):
    """Count a near row that lacks these items; keep its mask while there is room."""
    near.sizes[n_missing] += 1
    if found < len(near.masks):
        near.masks[found] = mask
    elif n <= MOST_BITMAPS and np.int64(1) << n <= len(near.counts):
        near.counts[mask] += 1


@routine
def find_by_postings(rows, near, row, n, most):
    """Find near rows in the postings of the ``most + 1`` rarest items, of which each near row holds one."""
    found = np.int64(0)
    for first in range(min(most + 1, n)):
        item = near.own[first]
        for posting in range(rows.post_offsets[item], rows.post_offsets[item + 1]):
            other = rows.post_rows[posting]
            p = rows.offsets[other]
            end = rows.offsets[other + 1]
            if end - p < n - most:
                break
            if other == row:
                continue
            mask = np.int64(0)
            n_missing = np.int64(0)
            for k in range(n):
                while p < end and rows.items[p] < near.own[k]:
                    p += 1
                if p == end or rows.items[p] != near.own[k]:
                    n_missing += 1
                    mask |= np.int64(1) << k
                elif k < first:
                    n_missing += n  # found before, in the postings of that item
                if n_missing > most:
                    break
            if n_missing <= most:
                note_row(near, found, mask, n, n_missing)
                found += 1
    return found


@step
def bits_of(rows, near, k, word):
    """A bit for each of 64 rows: whether it holds the ``k``-th item."""
    first = len(rows.post_offsets) - 1 - rows.bitmaps.shape[0]
    if near.own[k] >= first:
        return rows.bitmaps[near.own[k] - first, word]
    return near.bitmaps[k, word]


@step
def fill_bitmaps(rows, near, n, value):
    """Make the bitmaps of those items that have none; with the value 0, clear them."""
    first = len(rows.post_offsets) - 1 - rows.bitmaps.shape[0]
    for k in range(n):
        if near.own[k] < first:
            start = rows.post_offsets[near.own[k]]
            for posting in range(start, rows.post_offsets[near.own[k] + 1]):
                other = rows.post_rows[posting]
                bit = np.uint64(1) << np.uint64(other & 63)
                near.bitmaps[k, other >> 6] = (near.bitmaps[k, other >> 6] | bit) * value


@routine
def find_by_bitmaps(rows, near, row, n, most):
    """Find near rows 64 at a time: five words hold the bits of 64 counters of missing items."""
    fill_bitmaps(rows, near, n, np.uint64(1))
    none, every, one = np.uint64(0), ~np.uint64(0), np.uint64(1)
    # The counters start so high that they overflow with one missing item too many.
    start = LARGEST_COUNT - most
    found = np.int64(0)
    for word in range((near.n_as_long[n - most] + 63) >> 6):
        c0 = every if start & 1 else none
        c1 = every if start & 2 else none
        c2 = every if start & 4 else none
        c3 = every if start & 8 else none
        c4 = every if start & 16 else none
        alive = every
        for k in range(n):
            held = bits_of(rows, near, k, word)
            carry = ~held
            c0, carry = c0 ^ carry, c0 & carry
            c1, carry = c1 ^ carry, c1 & carry
            c2, carry = c2 ^ carry, c2 & carry
            c3, carry = c3 ^ carry, c3 & carry
            c4, carry = c4 ^ carry, c4 & carry
            alive &= ~carry
            if alive == none:
                break
        while alive != none:
            low = alive & (~alive + one)
            alive ^= low
            other = (word << 6) + np.int64(count_bits(low - one))
            if other == row or other >= len(rows.offsets) - 1:
                continue
            mask = np.int64(0)
            n_missing = np.int64(0)
            for k in range(n):
                if bits_of(rows, near, k, word) & low == none:
                    mask |= np.int64(1) << k
                    n_missing += 1
            if n_missing < n:
                note_row(near, found, mask, n, n_missing)
                found += 1
    fill_bitmaps(rows, near, n, np.uint64(0))
    return found
