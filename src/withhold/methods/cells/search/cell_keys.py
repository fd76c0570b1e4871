"""What a scan over tuples looks at first: a tuple's size and most of its cells, in one number.

Columns are numbered together by ones and twos: few enough combinations of their nodes that the costs of each,
for partners of every small size, can be worked out once a step. A key holds three places in these lists;
so a candidate that is too expensive is passed over after three look-ups.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from withhold.counting.jit import kernel

PAIRS = 3
BITS = 21
MASK = (1 << BITS) - 1
"""Of a place in a list of costs."""
MOST_CODES = 1024
"""Combinations of nodes that are numbered together; one column alone may have more."""


def split_columns(bounds: NDArray[np.int64], n_sizes: int) -> NDArray[np.int64]:
    """Where each pair of columns begins, and where the last one ends."""
    n_nodes = np.diff(bounds).tolist()
    ends = [0]
    for _ in range(PAIRS):
        first = ends[-1]
        several = n_nodes[first : first + 2]
        if several and several[0] * n_sizes > MASK:
            several = []
        elif math.prod(several) > MOST_CODES:
            several = several[:1]
        ends.append(first + len(several))
    return np.array(ends, dtype=np.int64)


def make_digits(
    bounds: NDArray[np.int64], ends: NDArray[np.int64], n_sizes: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """What the key grows by with each column's node; and what is then taken off, and added for the size."""
    digits = np.zeros(len(bounds) - 1, dtype=np.uint64)
    origin = size_digit = 0
    for pair in range(PAIRS):
        step = n_sizes << (pair * BITS)
        size_digit += 1 << (pair * BITS)
        for column in range(ends[pair + 1] - 1, ends[pair] - 1, -1):
            digits[column] = step
            origin += int(bounds[column]) * step
            step *= int(bounds[column + 1] - bounds[column])
    return digits, np.array([origin % 2**64, size_digit], dtype=np.uint64)


@kernel
def make_key(cells, sizes, place, digits, origin, n_sizes):
    """The key of the tuple at a place; that of a large one is the key of size 0."""
    key = np.uint64(0)
    for j in range(len(digits)):
        key += np.uint64(cells[place, j]) * digits[j]
    if sizes[place] < n_sizes:
        key += np.uint64(sizes[place]) * origin[1]
    return key - origin[0]


@kernel
def make_keys(cells, sizes, digits, origin, n_sizes):
    """The keys of all places."""
    keys = np.empty(len(sizes), np.uint64)
    for place in range(len(sizes)):
        keys[place] = make_key(cells, sizes, place, digits, origin, n_sizes)
    return keys


@kernel
def fill_codes(costs, table, bounds, first, last, besides):
    """Add up what the nodes of some columns cost, for every combination and size, and ``besides`` by size.

    There are one or two columns, or none: then every key has the number 0.
    """
    n_sizes = costs.shape[1]
    if first == last:
        for size in range(n_sizes):
            costs[0, size] = besides[size]
        return
    start, end = bounds[first], bounds[first + 1]
    if last - first == 1:
        for node in range(start, end):
            for size in range(n_sizes):
                costs[node - start, size] = table[node, size] + besides[size]
        return
    code = np.uint64(0)
    for node in range(start, end):
        for other in range(end, bounds[last]):
            for size in range(n_sizes):
                costs[code, size] = table[node, size] + table[other, size] + besides[size]
            code += np.uint64(1)
