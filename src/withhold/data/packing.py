"""Pairs of a record and an item in little memory: bits, or the pairs themselves if these take less.

In: pairs, or a function that marks the items of some records. Out: what ``Constraints`` holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from withhold.data.array_types import Bools, Longs

CHUNK = 16 * 2**20
"""How many pairs are unpacked at a time."""

Numbers = NDArray[np.int64] | NDArray[np.int32]
Packed = tuple[tuple[str, ...], NDArray[np.uint64], Longs, NDArray[np.int32]]
"""The items that have a pair; bits by record; offsets and columns. One of the two forms is empty."""


def packed(n_records: int, items: tuple[str, ...], row_bits: Callable[[int, int], Bools]) -> Packed:
    """The smaller of the two forms; items without a pair get no column.

    ``row_bits(start, end)`` are some records as rows of a boolean matrix over ``items``.
    """
    chunks = list(chunks_of(n_records, len(items)))
    lengths = np.zeros(n_records + 1, dtype=np.int64)
    present = np.zeros(len(items), dtype=bool)
    for start, end in chunks:
        marks = row_bits(start, end)
        lengths[start + 1 : end + 1] = marks.sum(axis=1)
        present |= marks.any(axis=0)
    offsets = np.cumsum(lengths)
    bits = np.zeros((0, 0), dtype=np.uint64)
    columns = np.zeros(0, dtype=np.int32)
    if _bits_are_smaller(n_records, int(present.sum()), int(offsets[-1])):
        bits = np.zeros((n_records, (int(present.sum()) + 63) // 64), dtype=np.uint64)
        for start, end in chunks:
            some = np.packbits(row_bits(start, end)[:, present], axis=1, bitorder="little")
            bits.view(np.uint8)[start:end, : some.shape[1]] = some
        offsets = np.zeros(1, dtype=np.int64)
    else:
        columns = np.empty(offsets[-1], dtype=np.int32)
        for start, end in chunks:
            span = slice(offsets[start], offsets[end])
            columns[span] = np.nonzero(row_bits(start, end)[:, present])[1]
    return _frozen(tuple(compress(items, present)), bits, offsets, columns)


def packed_pairs(n_records: int, items: tuple[str, ...], rows: Numbers, columns: Numbers) -> Packed:
    """The same from pairs in any order, also repeated ones; tens of millions are not unpacked."""
    width = max(len(items), 1)
    keys = rows.astype(np.int64)
    keys *= width
    keys += columns
    keys.sort()
    again = keys[1:] == keys[:-1]
    if again.any():
        keys = keys[np.append(True, ~again)]
    del again
    starts = np.arange(n_records + 1, dtype=np.int64) * width
    offsets = np.searchsorted(keys, starts).astype(np.int64)
    keys %= width
    found = keys.astype(np.int32)
    del keys
    present = np.bincount(found, minlength=len(items)) > 0
    if not present.all():
        found = (np.cumsum(present, dtype=np.int32) - 1)[found].astype(np.int32)
        items = tuple(compress(items, present))
    if _bits_are_smaller(n_records, len(items), len(found)):
        return packed(n_records, items, partial(marks_of_pairs, offsets, found, len(items)))
    return _frozen(items, np.zeros((0, 0), dtype=np.uint64), offsets, found)


def marks_of_pairs(
    offsets: Longs, columns: NDArray[np.int32], n_items: int, start: int, end: int
) -> Bools:
    """Some records as rows of a boolean matrix."""
    marks = np.zeros((end - start, n_items), dtype=bool)
    lengths = np.diff(offsets[start : end + 1])
    span = slice(offsets[start], offsets[end])
    marks[np.repeat(np.arange(end - start), lengths), columns[span]] = True
    return marks


def chunks_of(n_records: int, n_items: int) -> Iterator[tuple[int, int]]:
    """Ranges of records that are small enough to be unpacked."""
    step = max(CHUNK // max(n_items, 1), 1)
    for start in range(0, n_records, step):
        yield start, min(start + step, n_records)


def _bits_are_smaller(n_records: int, n_items: int, n_pairs: int) -> bool:
    return n_records * ((n_items + 63) // 64) * 8 <= 4 * n_pairs + 8 * (n_records + 1)


def _frozen(
    items: tuple[str, ...], bits: NDArray[np.uint64], offsets: Longs, columns: NDArray[np.int32]
) -> Packed:
    for array in (bits, offsets, columns):
        array.flags.writeable = False
    return items, bits, offsets, columns
