"""Rows stored one after the other in one array: where each starts, and the places of some of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.data.array_types import Longs


def starts_of(lengths: NDArray[Any]) -> Longs:
    """Where each span starts, and where the last one ends.

    >>> starts_of(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def spans(starts: Longs, lengths: Longs) -> Longs:
    """The places starts[0], starts[0] + 1, … of all spans, one after the other.

    >>> spans(np.array([7, 2]), np.array([2, 3])).tolist()
    [7, 8, 2, 3, 4]
    """
    before = np.cumsum(lengths) - lengths
    places: Longs = np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()))
    return places


def sorted_spans(lengths: Longs, codes: NDArray[np.int32], n_codes: int) -> NDArray[np.int32]:
    """The codes, all below ``n_codes``, ascending within each span.

    >>> sorted_spans(np.array([2, 3]), np.array([4, 1, 2, 0, 3], dtype=np.int32), 5).tolist()
    [1, 4, 0, 2, 3]
    """
    # As one number with its span's. Nearly sorted already, which the stable sort makes use of.
    span = np.repeat(np.arange(len(lengths), dtype=np.int64) * n_codes, lengths)
    ordered: NDArray[np.int32] = (np.sort(span + codes, kind="stable") - span).astype(np.int32)
    return ordered
