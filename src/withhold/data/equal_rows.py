"""Which records are the same set of items."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from withhold.data.records import Records


def equal_rows(records: Records) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each record the number of its set, and for each set the first record that has it.

    Sets are numbered in the order in which they first appear.
    """
    return equal_slices(records.offsets, records.items)


def equal_slices(
    offsets: NDArray[np.int64], values: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The same for rows of any ascending numbers."""
    data = np.ascontiguousarray(values).tobytes()
    width = values.dtype.itemsize
    bounds = (offsets * width).tolist()
    number_of: dict[bytes, int] = {}
    numbers = np.empty(len(offsets) - 1, dtype=np.int64)
    first: list[int] = []
    for row in range(len(numbers)):
        key = data[bounds[row] : bounds[row + 1]]
        number = number_of.setdefault(key, len(number_of))
        if number == len(first):
            first.append(row)
        numbers[row] = number
    return numbers, np.array(first, dtype=np.int64)
