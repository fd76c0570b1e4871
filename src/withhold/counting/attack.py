"""What an attacker who knows some items of a record learns from them: how many records fit, what follows."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import kernel, maker


@maker
def find_rank(rank, start, end, items):
    """The place of the rank in items[start:end]; -1 if it is not there. Withheld ones (``~rank``) count.

    The items ascend, those that are withheld by their rank.
    """
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


@maker
def row_holds(row, itemset, size, offsets, items):
    """Whether the row holds the itemset (ascending ranks). By binary search, as a row may be very long."""
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


class Attacks(NamedTuple):
    """Sets of known items, and what they reveal."""

    known: Any
    """One set in each row: ascending ranks."""
    supports: Any
    """By set: how many rows hold it."""
    inferred: Any
    """By set: whether some sensitive item outside the set follows with confidence above num/den."""


@kernel
def try_attacks(rows, sensitive_offsets, sensitive_items, num, den, attacks, stop):
    """Fill ``attacks``; returns how many were tried before ``stop``.

    The sensitive items of a row need not be among its ``items``.
    """
    n_items = len(rows.post_offsets) - 1
    known = attacks.known
    size = known.shape[1]
    joint = np.zeros(n_items, np.int64)
    touched = np.empty(n_items, np.int32)
    for trial in range(known.shape[0]):
        if stop[0] != 0:
            return trial
        n_touched = 0
        support = np.int64(0)
        rarest = known[trial, 0]
        for posting in range(rows.post_offsets[rarest], rows.post_offsets[rarest + 1]):
            row = rows.post_rows[posting]
            if rows.offsets[row + 1] - rows.offsets[row] < size:
                break
            if not row_holds(row, known[trial], size, rows.offsets, rows.items):
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
        attacks.supports[trial] = support
        for t in range(n_touched):
            e = touched[t]
            if joint[e] * den > num * support:
                attacks.inferred[trial] = True
            joint[e] = 0
    return known.shape[0]
