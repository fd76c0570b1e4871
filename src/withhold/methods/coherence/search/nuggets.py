"""How many nuggets (frequent itemsets of public and private items) each item is in.

Counted depth first with one bitmap over the root's rows for each item that is frequent there; ``tally`` says
what becomes of items that all rows of a set hold. Slot n is worth 2^n.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.arrays import room_for
from withhold.counting.bits import count_bits
from withhold.counting.jit import kernel, step
from withhold.methods.coherence.cohorts import DONE, STOPPED, gather_cohort
from withhold.methods.coherence.search.tally import add_below, close_set


class Levels(NamedTuple):
    """The frequent extensions of the sets along the path: item, number of rows, and these as bits."""

    path: Any
    next: Any
    """By size: the set that comes next."""
    end: Any
    """By size: where its sets end."""
    most_free: Any
    """The most items that were free in a set of this root, as an array of one."""
    item: Any
    count: Any
    words: Any


@kernel
def count_nuggets(rows, roots, after, alive, k, tally, stop):
    """Add to the tally all itemsets with one of ``roots`` that ``k`` rows hold."""
    n_items = len(rows.post_offsets) - 1
    longest = len(tally.total) - 1
    bucket = np.zeros(n_items, np.int64)
    levels = Levels(
        np.empty(longest + 1, np.int32),
        np.zeros(longest + 2, np.int64),
        np.zeros(longest + 2, np.int64),
        np.zeros(1, np.int64),
        np.empty(n_items + 1, np.int32),
        np.empty(n_items + 1, np.int64),
        np.empty(1024, np.uint64),
    )
    for root in roots:
        support = rows.post_offsets[root + 1] - rows.post_offsets[root]
        if support < k or not alive[root]:
            continue
        cohort = gather_cohort(rows, root, after, alive)
        n_words = (support + 63) >> 6
        n = number_frequent(cohort, k, bucket, levels.item)
        levels = with_levels(levels, n + 1, n_words)
        levels.item[0] = root
        levels.count[0] = support
        set_bits(cohort, bucket, levels, n, n_words)
        levels.next[1] = 0
        levels.end[1] = n + 1
        levels.most_free[0] = 0
        size = 1
        while size > 0:
            size = count_below(levels, tally, k, n_words, size, stop)
            if size > 0:
                levels = with_levels(levels, 2 * levels.end[size], n_words)
        if size != DONE:
            return size
    return DONE


@kernel
def with_levels(levels, sets, n_words):
    """The same levels with room for so many sets."""
    return Levels(
        levels.path,
        levels.next,
        levels.end,
        levels.most_free,
        room_for(levels.item, sets),
        room_for(levels.count, sets),
        room_for(levels.words, sets * n_words),
    )


@step
def number_frequent(cohort, k, bucket, kept):
    """Put the items that ``k`` rows hold into ``kept``, from place 1 on, and their places into ``bucket``."""
    n_touched = 0
    for q in range(cohort.offsets[len(cohort.row_of)]):
        x = cohort.items[q]
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
def set_bits(cohort, bucket, levels, n, n_words):
    """The rows of the root (all of them) and of each numbered item as bits; clears ``bucket``."""
    for w in range((n + 1) * n_words):
        levels.words[w] = 0
    for row in range(len(cohort.row_of)):
        bit = np.uint64(1) << np.uint64(row & 63)
        levels.words[row >> 6] |= bit
        for q in range(cohort.offsets[row], cohort.offsets[row + 1]):
            c = bucket[cohort.items[q]]
            if c > 0:
                levels.words[c * n_words + (row >> 6)] |= bit
    for c in range(1, n + 1):
        bucket[levels.item[c]] = 0


@kernel
def count_below(levels, tally, k, n_words, size, stop):
    """Count the sets below the root; returns the size to go on with if there is not enough room."""
    words = levels.words
    while size > 0:
        # Of the first level only the root is a set: the others are what can extend it.
        if levels.next[size] == levels.end[size] or (size == 1 and levels.next[1] == 1):
            size -= 1
            if size > 0:
                close_set(tally, levels.path, size, levels.most_free[0] + 1)
            continue
        if stop[0] != 0:
            return STOPPED
        c = levels.next[size]
        last = levels.end[size]
        needed = last + last - c - 1
        if needed > len(levels.item) or needed * n_words > len(words):
            return size
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
        size += 1
        levels.end[size] = last
    return DONE
