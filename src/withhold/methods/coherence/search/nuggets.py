"""How many nuggets (frequent itemsets of public and private items) each item is in.

Counted depth first with one bitmap over the root's rows for each item that is frequent there. Items that
all rows of a set hold need no search of their own ("free"): each doubles the number of sets. A count is a
row of slots: slot n is worth 2^n.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.arrays import room_for
from withhold.counting.bits import count_bits
from withhold.counting.jit import kernel
from withhold.methods.coherence.cohorts import STOPPED, gather_cohort

DONE = 0


@kernel
def frequent_bitmaps(row_offsets, row_items, k, n_words, seen, touched, kept, words):
    """The items that ``k`` rows hold, into ``kept``, their rows as bits into ``words``.

    Returns how many there are, and ``words``, which may have grown. Leaves ``seen`` as it was.
    """
    n_touched = 0
    for q in range(row_offsets[len(row_offsets) - 1]):
        x = row_items[q]
        if seen[x] == 0:
            touched[n_touched] = x
            n_touched += 1
        seen[x] += 1
    n = 0
    for t in range(n_touched):
        x = touched[t]
        if seen[x] >= k:
            kept[n] = x
            seen[x] = -n - 1
            n += 1
        else:
            seen[x] = 0
    words = room_for(words, n * n_words)
    for w in range(n * n_words):
        words[w] = 0
    if n > 0:
        for row in range(len(row_offsets) - 1):
            bit = np.uint64(1) << np.uint64(row & 63)
            for q in range(row_offsets[row], row_offsets[row + 1]):
                c = -seen[row_items[q]] - 1
                if c >= 0:
                    words[c * n_words + (row >> 6)] |= bit
        for c in range(n):
            seen[kept[c]] = 0
    return n, words


@kernel
def count_nuggets(
    roots, after, alive, offsets, items, post_offsets, post_rows, k, longest, counts, overall, stop
):
    """Add to ``counts`` and ``overall`` all itemsets with one of ``roots`` that ``k`` rows hold."""
    n_items = len(post_offsets) - 1
    seen = np.zeros(n_items, np.int64)
    touched = np.empty(n_items, np.int32)
    total = np.zeros((longest + 1, longest + 1), np.int64)
    of_free = np.zeros((longest + 1, longest + 1), np.int64)
    path = np.empty(longest + 1, np.int32)
    free_items = np.empty(longest + 1, np.int32)
    free_top = np.zeros(longest + 2, np.int64)
    # A level holds the extensions of its set: item, number of rows, bitmap.
    level_end = np.zeros(longest + 2, np.int64)
    at = np.zeros(longest + 2, np.int64)
    level_item = np.empty(n_items + 1, np.int32)
    level_count = np.empty(n_items + 1, np.int64)
    words = np.empty(1024, np.uint64)
    for root in roots:
        support = post_offsets[root + 1] - post_offsets[root]
        if support < k or not alive[root]:
            continue
        if stop[0] != 0:
            return STOPPED
        row_offsets, row_items = gather_cohort(
            root, after, alive, offsets, items, post_offsets, post_rows
        )
        n_words = (support + 63) >> 6
        n, words = frequent_bitmaps(
            row_offsets, row_items, k, n_words, seen, touched, level_item, words
        )
        level_count = room_for(level_count, n)
        # What all rows hold is free; the others move up.
        n_free = 0
        n_left = 0
        for c in range(n):
            many = np.int64(0)
            for w in range(n_words):
                many += np.int64(count_bits(words[c * n_words + w]))
            if many == support:
                free_items[n_free] = level_item[c]
                n_free += 1
            else:
                level_item[n_left] = level_item[c]
                level_count[n_left] = many
                for w in range(n_words):
                    words[n_left * n_words + w] = words[c * n_words + w]
                n_left += 1
        most_free = n_free
        path[0] = root
        free_top[0] = 0
        free_top[1] = n_free
        total[0, n_free] += 1
        if n_free > 0:
            of_free[0, n_free - 1] += 1
        level_end[1] = n_left
        at[1] = 0
        depth = 1
        while depth > 0:
            if at[depth] == level_end[depth]:
                # All extensions of the set one level up are done: it counts for its items.
                depth -= 1
                for s in range(most_free + 1):
                    many = total[depth, s]
                    doubled = of_free[depth, s]
                    total[depth, s] = 0
                    of_free[depth, s] = 0
                    counts[path[depth], s] += many
                    for f in range(free_top[depth], free_top[depth + 1]):
                        counts[free_items[f], s] += doubled
                    if depth > 0:
                        total[depth - 1, s] += many
                        of_free[depth - 1, s] += doubled
                    else:
                        overall[s] += many
                continue
            if stop[0] != 0:
                return STOPPED
            c = at[depth]
            at[depth] += 1
            path[depth] = level_item[c]
            n_free = free_top[depth]
            first = level_end[depth]
            last = first
            ahead = level_end[depth] - c - 1
            level_item = room_for(level_item, first + ahead)
            level_count = room_for(level_count, first + ahead)
            words = room_for(words, (first + ahead) * n_words)
            for d in range(c + 1, level_end[depth]):
                many = np.int64(0)
                for w in range(n_words):
                    both = words[c * n_words + w] & words[d * n_words + w]
                    words[last * n_words + w] = both
                    many += np.int64(count_bits(both))
                if many == level_count[c]:
                    free_items[n_free] = level_item[d]
                    n_free += 1
                elif many >= k:
                    level_item[last] = level_item[d]
                    level_count[last] = many
                    last += 1
            most_free = max(most_free, n_free)
            free_top[depth + 1] = n_free
            total[depth, n_free] += 1
            if n_free > 0:
                of_free[depth, n_free - 1] += 1
            depth += 1
            level_end[depth] = last
            at[depth] = first
    return DONE
