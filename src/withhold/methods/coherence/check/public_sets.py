"""The proof's own walk over public sets, depth first: is one of them a mole, and which is the worst?

Every set that some record holds is met once, from its lowest rank up, but for those that an item extends
which all their records hold: it changes no count. Nothing is stored and nothing is pruned by what was seen
before, so that there is little to get wrong.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.arrays import room_for
from withhold.counting.jit import kernel
from withhold.methods.coherence.cohorts import (
    NOT_FOUND,
    STOPPED,
    count_extensions,
    deliver_rows,
    gather_cohort,
    likeliest_private,
)

TOO_RARE = -1
"""In place of a private item."""


@kernel
def outranks(path, size, support, private, joint, found, numbers):
    """Whether a mole is worse than the one of its size in ``found``: likelier, then in more records.

    Of equals the one with the higher ranks, but for the last item of rare ones and for single items.
    """
    right = joint if private >= 0 else np.int64(1)
    other = numbers[2] if numbers[1] >= 0 else np.int64(1)
    if right * numbers[0] != other * support:
        return right * numbers[0] > other * support
    if support != numbers[0]:
        return support > numbers[0]
    for d in range(size):
        if path[d] != found[d]:
            if d == size - 1 and (private == TOO_RARE or size == 1):
                return path[d] < found[d]
            return path[d] > found[d]
    return False


@kernel
def note_mole(path, size, support, private, joint, found, numbers):
    """Put down a mole."""
    for d in range(size):
        found[d] = path[d]
    numbers[0] = support
    numbers[1] = private
    numbers[2] = joint


@kernel
def find_mole(
    roots,
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
    worst,
    stop,
    found,
    numbers,
):
    """The size of the first mole of at most ``largest`` items whose lowest is in ``roots``, or NOT_FOUND.

    With ``worst``, no smaller set must be a mole, and the worst one of ``largest`` items is looked for.
    Fills ``found`` with its items and ``numbers`` with support, private item (TOO_RARE: none) and joint;
    ``numbers[3]`` counts the sets looked at.
    """
    n_items = len(post_offsets) - 1
    everything = np.ones(n_items, np.bool_)
    counts = np.zeros(n_items, np.int64)
    joint = np.zeros(n_items, np.int64)
    touched = np.empty(n_items, np.int32)
    path = np.empty(largest + 1, np.int32)
    next_child = np.zeros(largest + 2, np.int64)
    last_child = np.zeros(largest + 2, np.int64)
    pool_top = np.zeros(largest + 2, np.int64)
    child_item = np.empty(1024, np.int32)
    child_start = np.empty(1024, np.int64)
    child_end = np.empty(1024, np.int64)
    pool_row = np.empty(1024, np.int32)
    pool_place = np.empty(1024, np.int64)
    size_found = NOT_FOUND
    for root in roots:
        first_posting = post_offsets[root]
        support = post_offsets[root + 1] - first_posting
        numbers[3] += 1
        path[0] = root
        if support < k:
            if size_found == NOT_FOUND or outranks(path, 1, support, TOO_RARE, 0, found, numbers):
                note_mole(path, 1, support, TOO_RARE, 0, found, numbers)
                size_found = 1
            if not worst:
                return size_found
            continue
        row_offsets, row_items = gather_cohort(
            root, True, everything, offsets, items, post_offsets, post_rows
        )
        pool_row = room_for(pool_row, support)
        pool_place = room_for(pool_place, support)
        for j in range(support):
            pool_row[j] = j
            pool_place[j] = row_offsets[j]
        child_item[0] = root
        child_start[0] = 0
        child_end[0] = support
        next_child[0] = 0
        last_child[0] = 1
        pool_top[0] = support
        depth = 0
        while depth >= 0:
            if next_child[depth] == last_child[depth]:
                depth -= 1
                continue
            if stop[0] != 0:
                return STOPPED
            child = next_child[depth]
            next_child[depth] += 1
            start = child_start[child]
            end = child_end[child]
            path[depth] = child_item[child]
            size = depth + 1
            if num < den and (size == largest or not worst):
                private, most = likeliest_private(
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
                    if size_found == NOT_FOUND or outranks(
                        path, size, end - start, private, most, found, numbers
                    ):
                        note_mole(path, size, end - start, private, most, found, numbers)
                        size_found = size
                    if not worst:
                        return size_found
            if size == largest:
                continue
            n_touched = count_extensions(
                start, end, pool_row, pool_place, row_offsets, row_items, counts, touched
            )
            numbers[3] += n_touched
            first = last_child[depth]
            n_children = first
            top = pool_top[depth]
            child_item = room_for(child_item, first + n_touched)
            child_start = room_for(child_start, first + n_touched)
            child_end = room_for(child_end, first + n_touched)
            for t in range(n_touched):
                x = touched[t]
                count = counts[x]
                counts[x] = 0
                if count < k:
                    path[size] = x
                    if size_found == NOT_FOUND or outranks(
                        path, size + 1, count, TOO_RARE, 0, found, numbers
                    ):
                        note_mole(path, size + 1, count, TOO_RARE, 0, found, numbers)
                        size_found = size + 1
                    if not worst:
                        return size_found
                elif count < end - start and (num < den or size + 1 < largest):
                    # What is frequent enough need only be followed if anything else is asked of it.
                    child_item[n_children] = x
                    child_start[n_children] = top
                    child_end[n_children] = top
                    top += count
                    counts[x] = -n_children - 1
                    n_children += 1
            if n_children == first:
                continue
            pool_row = room_for(pool_row, top)
            pool_place = room_for(pool_place, top)
            deliver_rows(
                start, end, pool_row, pool_place, row_offsets, row_items, counts, child_end
            )
            for c in range(first, n_children):
                counts[child_item[c]] = 0
            depth += 1
            next_child[depth] = first
            last_child[depth] = n_children
            pool_top[depth] = top
    return size_found
