"""Sets of pairs as sorted whole numbers, and the places of many spans at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def distinct(numbers: Ints) -> Ints:
    """The different numbers, ascending; for millions of them faster than numpy's own way by hashing.

    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    ordered = np.sort(numbers)
    return ordered[firsts(ordered)]


def firsts(ordered: Ints) -> NDArray[np.bool_]:
    """Which of some ascending numbers are the first of their kind."""
    first = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return first


def spans(starts: Ints, lengths: Ints) -> Ints:
    """The places starts[0], starts[0] + 1, … of all spans, one after the other.

    >>> spans(np.array([7, 2]), np.array([2, 3])).tolist()
    [7, 8, 2, 3, 4]
    """
    before = np.cumsum(lengths) - lengths
    places: Ints = np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()))
    return places
