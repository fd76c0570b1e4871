"""What a scan over tuples looks at first: a tuple's size and most of its cells, in one number.

Columns are numbered together by ones and twos: few enough combinations of their nodes that the costs of each
can be worked out once a step. A key holds, from its lowest bits on, the size (0 if it is large) and the
numbers of three such *pairs*; so a candidate that is too expensive is passed over after three look-ups.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from withhold.kernels.jit import kernel

PAIRS = 3
SIZE_BITS, CODE_BITS = 10, 18
SIZE_MASK, CODE_MASK = (1 << SIZE_BITS) - 1, (1 << CODE_BITS) - 1
MOST_CODES = 1024
"""Combinations of nodes that are numbered together; one column alone may have more."""


def split_columns(bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each pair of columns begins, and where the last one ends."""
    n_nodes = np.diff(bounds).tolist()
    ends = [0]
    for _ in range(PAIRS):
        first = ends[-1]
        several = n_nodes[first : first + 2]
        if several and several[0] > CODE_MASK:
            several = []
        elif math.prod(several) > MOST_CODES:
            several = several[:1]
        ends.append(first + len(several))
    return np.array(ends, dtype=np.int64)


def make_digits(
    bounds: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """What the key grows by with each column's node, and what is then taken off."""
    digits = np.zeros(len(bounds) - 1, dtype=np.uint64)
    origin = 0
    for pair in range(PAIRS):
        step = 1 << (SIZE_BITS + pair * CODE_BITS)
        for column in range(ends[pair + 1] - 1, ends[pair] - 1, -1):
            digits[column] = step
            origin += int(bounds[column]) * step
            step *= int(bounds[column + 1] - bounds[column])
    return digits, np.array([origin % 2**64], dtype=np.uint64)


@kernel
def make_key(cells, sizes, place, digits, origin, n_sizes):
    """The key of the tuple at a place."""
    key = np.uint64(0)
    for j in range(len(digits)):
        key += np.uint64(cells[place, j]) * digits[j]
    size = sizes[place] if sizes[place] < n_sizes else 0
    return key - origin + np.uint64(size)


@kernel
def make_keys(cells, sizes, digits, origin, n_sizes):
    """The keys of all places."""
    keys = np.empty(len(sizes), np.uint64)
    for place in range(len(sizes)):
        keys[place] = make_key(cells, sizes, place, digits, origin, n_sizes)
    return keys


@kernel
def fill_codes(costs, table, bounds, first, last):
    """Add up, by size and combination of nodes of one or two columns, what they cost by size and node."""
    if first == last:
        return  # no such columns: all keys have the number 0, which costs nothing
    start, end = bounds[first], bounds[first + 1]
    n_others = bounds[last] - end
    for size in range(len(table)):
        if last - first == 1:
            for node in range(start, end):
                costs[size, node - start] = table[size, node]
            continue
        code = np.uint64(0)
        for node in range(start, end):
            alone = table[size, node]
            for other in range(n_others):
                costs[size, code + other] = alone + table[size, end + other]
            code += n_others
