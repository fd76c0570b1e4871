"""What compiled loops do to arrays, which numpy would make slow to compile: grow, sort and insert."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.jit import maker, routine, step


@maker
def room_for(array, needed):
    """The array itself if it has ``needed`` places, else a copy with twice as many as needed."""
    if needed <= len(array):
        return array
    larger = np.empty(2 * needed, array.dtype)
    for k in range(len(array)):
        larger[k] = array[k]
    return larger


@maker
def rows_for(array, needed):
    """As ``room_for``, for the rows of an array of two dimensions."""
    if needed <= len(array):
        return array
    larger = np.empty((2 * needed, array.shape[1]), array.dtype)
    for row in range(len(array)):
        for k in range(array.shape[1]):
            larger[row, k] = array[row, k]
    return larger


@routine
def sort_ascending(array, n):
    """Sort the first ``n`` integers in place (Shell's method: short, no allocation)."""
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            value = array[i]
            j = i
            while j >= gap and array[j - gap] > value:
                array[j] = array[j - gap]
                j -= gap
            array[j] = value
        gap //= 3


@step
def with_item(itemset, size, item, larger):
    """Write the first ``size`` items of an ascending itemset and another item into ``larger``, ascending."""
    n = 0
    for k in range(size):
        if n == k and item < itemset[k]:
            larger[n] = item
            n += 1
        larger[n] = itemset[k]
        n += 1
    if n == size:
        larger[n] = item
