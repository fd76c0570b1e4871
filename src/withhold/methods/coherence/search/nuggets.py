"""How many nuggets (frequent itemsets of public and private items) each item is in.

Sets are walked depth first, with one bitmap over the root's rows for each item that is frequent there;
``tally`` says how items are counted that all rows of a set hold. Slot n counts multiples of 2^n.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.bits import count_bits
from withhold.counting.jit import kernel, step
from withhold.methods.coherence.cohorts import DONE, MORE_ROOM, STOPPED, start_cohort
from withhold.methods.coherence.search.tally import add_below, close_set


class Levels(NamedTuple):
    """The frequent extensions of the sets along the path."""

    path: Any
    """The items of the current set."""
    next: Any
    """By size: the set that comes next."""
    end: Any
    """By size: where its sets end."""
    most_free: Any
    """The most items that were free in a set of this root, as an array of one."""
    item: Any
    """By set: the item that was added last."""
    count: Any
    """By set: how many rows hold it."""
    words: Any
    """By set: these rows as bits."""


def new_levels(n_items: int, longest: int) -> Levels:
    """Levels with little room."""
    return Levels(
        np.zeros(longest + 1, dtype=np.int32),
        np.zeros(longest + 2, dtype=np.int64),
        np.zeros(longest + 2, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        np.empty(n_items + 1024, dtype=np.int32),
        np.empty(n_items + 1024, dtype=np.int64),
        np.empty(1 << 16, dtype=np.uint64),
    )


@kernel
def count_nuggets(rows, tour, levels, tally, k, stop):
    """Add to the tally all itemsets with one of the roots that ``k`` rows hold.

    DONE, STOPPED, or MORE_ROOM if ``levels`` are too small; a call with larger ones goes on from there.
    """
    while True:
        if tour.place[1] == 0:
            if tour.place[0] == len(tour.roots):
                return DONE
            root = tour.roots[tour.place[0]]
            support = rows.post_offsets[root + 1] - rows.post_offsets[root]
            tour.place[0] += 1
            if support < k or not tour.alive[root]:
                continue
            start_cohort(rows, tour, root)
            n = number_frequent(tour, support, k, tour.walk.bucket, levels.item)
            n_words = (support + 63) >> 6
            has_room = (n + 1) * n_words <= len(levels.words)
            set_bits(tour, support, levels, n, n_words if has_room else 0)
            if not has_room:
                tour.place[0] -= 1
                tour.place[1] = 0
                return MORE_ROOM
            levels.item[0] = root
            levels.count[0] = support
            levels.next[1] = 0
            levels.end[1] = n + 1
            levels.most_free[0] = 0
        status = count_below(levels, tally, tour.place, k, (levels.count[0] + 63) >> 6, stop)
        if status != DONE:
            return status


@step
def number_frequent(tour, n_rows, k, bucket, kept):
    """Write the items that ``k`` rows hold into ``kept``, from place 1 on; their places into ``bucket``."""
    n_touched = 0
    for q in range(tour.offsets[n_rows]):
        x = tour.items[q]
        if bucket[x] == 0:
            n_touched += 1
            kept[n_touched] = x
        bucket[x] += 1
    n = 0
    for t in range(1, n_touched + 1):
        x = kept[t]
        if bucket[x] >= k:
            n += 1
            kept[n] = x
            bucket[x] = n
        else:
            bucket[x] = 0
    return n


@step
def set_bits(tour, n_rows, levels, n, n_words):
    """The rows of the root (all of them) and of each numbered item as bits, if any; clears ``bucket``."""
    for w in range((n + 1) * n_words):
        levels.words[w] = 0
    for row in range(n_rows if n_words > 0 else 0):
        bit = np.uint64(1) << np.uint64(row & 63)
        levels.words[row >> 6] |= bit
        for q in range(tour.offsets[row], tour.offsets[row + 1]):
            c = tour.walk.bucket[tour.items[q]]
            if c > 0:
                levels.words[c * n_words + (row >> 6)] |= bit
    for c in range(1, n + 1):
        tour.walk.bucket[levels.item[c]] = 0


@step
def count_below(levels, tally, place, k, n_words, stop):
    """Count the sets with the root; goes on where the walk stopped, at size ``place[1]``."""
    words = levels.words
    while place[1] > 0:
        size = place[1]
        # Of the first level only the root is a set: the others are what can extend it.
        if levels.next[size] == levels.end[size] or (size == 1 and levels.next[1] == 1):
            place[1] -= 1
            if size > 1:
                close_set(tally, levels.path, size - 1, levels.most_free[0] + 1)
            continue
        if stop[0] != 0:
            return STOPPED
        c = levels.next[size]
        last = levels.end[size]
        needed = last + last - c - 1
        if needed > len(levels.item) or needed * n_words > len(words):
            return MORE_ROOM
        levels.next[size] += 1
        levels.path[size - 1] = levels.item[c]
        levels.next[size + 1] = last
        n_free = tally.free_top[size - 1]
        for d in range(c + 1, levels.end[size]):
            many = np.int64(0)
            for w in range(n_words):
                both = words[c * n_words + w] & words[d * n_words + w]
                words[last * n_words + w] = both
                many += np.int64(count_bits(both))
            if many == levels.count[c]:
                tally.free_items[n_free] = levels.item[d]
                n_free += 1
            elif many >= k:
                levels.item[last] = levels.item[d]
                levels.count[last] = many
                last += 1
        levels.most_free[0] = max(levels.most_free[0], n_free)
        tally.free_top[size] = n_free
        add_below(tally, size, 2, n_free, 1)
        levels.end[size + 1] = last
        place[1] += 1
    return DONE
