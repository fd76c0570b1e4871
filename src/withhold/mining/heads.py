"""The heads of rows while closed sets are mined: the items below x, by which a set is known as new or old.

A row's head is what it carries from the tables above (``heads``) and then its own tail up to x.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.jit import kernel


@kernel
def keep_common(array, begin, end, heads, head, head_end, tails, tail, tail_end):
    """Leave in ``array[begin:end]`` what the head and the tail hold too; returns the new end.

    All three ascend, and the tail lies above the head.
    """
    kept = begin
    k = begin
    while k < end and head < head_end:
        if heads[head] < array[k]:
            head += 1
        elif heads[head] > array[k]:
            k += 1
        else:
            array[kept] = array[k]
            kept += 1
            k += 1
            head += 1
    while k < end and tail < tail_end:
        if tails[tail] < array[k]:
            tail += 1
        elif tails[tail] > array[k]:
            k += 1
        else:
            array[kept] = array[k]
            kept += 1
            k += 1
            tail += 1
    return kept


@kernel
def is_new_closure(
    start, end, occ_row, occ_at, heads, head_start, head_end, tails, tail_start, common
):
    """Whether no item below x is in all of the rows [start, end) of x; ``common`` is scratch."""
    shortest = start
    least = np.int64(1) << 60
    for k in range(start, end):
        row = occ_row[k]
        length = head_end[row] - head_start[row] + occ_at[k] - tail_start[row]
        if length == 0:
            return True
        if length < least:
            least = length
            shortest = k
    size = 0
    row = occ_row[shortest]
    for p in range(head_start[row], head_end[row]):
        common[size] = heads[p]
        size += 1
    for p in range(tail_start[row], occ_at[shortest]):
        common[size] = tails[p]
        size += 1
    for k in range(start, end):
        if k == shortest:
            continue
        row = occ_row[k]
        size = keep_common(
            common,
            0,
            size,
            heads,
            head_start[row],
            head_end[row],
            tails,
            tail_start[row],
            occ_at[k],
        )
        if size == 0:
            return True
    return False


@kernel
def mark_new_closures(
    first_child,
    n_children,
    child_item,
    child_start,
    child_end,
    occ_row,
    occ_at,
    base,
    rows,
    heads,
    head_start,
    head_end,
    tails,
    tail_start,
    tail_end,
    mask,
):
    """The same for all children of a table of at most 64 rows; one that is not new gets no rows.

    A set of rows is one word. ``mask`` is all 0 before and after.
    """
    for row in range(base, rows):
        bit = np.uint64(1) << np.uint64(row - base)
        for p in range(head_start[row], head_end[row]):
            mask[heads[p]] |= bit
        for p in range(tail_start[row], tail_end[row]):
            mask[tails[p]] |= bit
    for child in range(first_child, n_children):
        wanted = mask[child_item[child]]
        k = child_start[child]
        row = occ_row[k]
        new = True
        for p in range(head_start[row], head_end[row]):
            if wanted & ~mask[heads[p]] == np.uint64(0):
                new = False
                break
        if new:
            for p in range(tail_start[row], occ_at[k]):
                if wanted & ~mask[tails[p]] == np.uint64(0):
                    new = False
                    break
        if not new:
            child_end[child] = child_start[child]
    for row in range(base, rows):
        for p in range(head_start[row], head_end[row]):
            mask[heads[p]] = 0
        for p in range(tail_start[row], tail_end[row]):
            mask[tails[p]] = 0


@kernel
def drop_rare_heads(base, rows, at, weight, heads, head_start, head_end, least, count):
    """Leave in the heads of the rows [base, rows) what can be in all rows of a frequent descendant.

    Writes the heads one behind the other from ``at`` on and returns where they end; ``count`` is all 0
    before and after.
    """
    for row in range(base, rows):
        for p in range(head_start[row], head_end[row]):
            count[heads[p]] += weight[row]
    begin = at
    for row in range(base, rows):
        first = at
        for p in range(head_start[row], head_end[row]):
            y = heads[p]
            if count[y] >= least:
                heads[at] = y
                at += 1
            else:
                count[y] = 0
        head_start[row] = first
        head_end[row] = at
    for p in range(begin, at):
        count[heads[p]] = 0
    return at
