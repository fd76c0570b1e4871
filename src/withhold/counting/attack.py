"""What an attacker learns from given sets of known items, and whether a given rule is a breach."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.jit import kernel


@kernel
def find_rank(rank, start, end, items):
    """Where the rank stands in items[start:end], which ascend (withheld ones as ``~rank``); -1: nowhere."""
    low = start
    high = end
    while low < high:
        middle = (low + high) >> 1
        x = items[middle]
        x = x if x >= 0 else ~x
        if x < rank:
            low = middle + 1
        else:
            high = middle
    if low < end and (items[low] == rank or items[low] == ~rank):
        return low
    return -1


@kernel
def row_holds(row, itemset, size, offsets, items):
    """Whether the row holds the itemset (ascending ranks). Halving, as a row may be very long."""
    start = offsets[row]
    end = offsets[row + 1]
    if end - start < size:
        return False
    for k in range(size):
        start = find_rank(itemset[k], start, end, items)
        if start < 0:
            return False
        start += 1
    return True


@kernel
def try_attacks(
    known,
    offsets,
    items,
    post_offsets,
    post_rows,
    sensitive_offsets,
    sensitive_items,
    num,
    den,
    supports,
    inferred,
    stop,
):
    """For each row of ``known`` (ascending ranks): its support, and whether some sensitive item outside
    it follows with confidence above num/den. Returns how many rows were tried before ``stop``.

    The sensitive items of a row need not be among its ``items``.
    """
    n_items = len(post_offsets) - 1
    size = known.shape[1]
    joint = np.zeros(n_items, np.int64)
    touched = np.empty(n_items, np.int32)
    for trial in range(known.shape[0]):
        if stop[0] != 0:
            return trial
        n_touched = 0
        support = np.int64(0)
        rarest = known[trial, 0]
        for posting in range(post_offsets[rarest], post_offsets[rarest + 1]):
            row = post_rows[posting]
            if offsets[row + 1] - offsets[row] < size:
                break
            if not row_holds(row, known[trial], size, offsets, items):
                continue
            support += 1
            for s in range(sensitive_offsets[row], sensitive_offsets[row + 1]):
                e = sensitive_items[s]
                if joint[e] == 0:
                    touched[n_touched] = e
                    n_touched += 1
                joint[e] += 1
        for k in range(size):
            joint[known[trial, k]] = 0
        supports[trial] = support
        for t in range(n_touched):
            e = touched[t]
            if joint[e] * den > num * support:
                inferred[trial] = True
            joint[e] = 0
    return known.shape[0]
