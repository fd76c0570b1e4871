"""Bitmaps of the frequent items: one bit for each row, so that supports are counted 64 rows at a time."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np
from numba.core import types
from numba.extending import intrinsic

from withhold.counting.jit import kernel, maker, step


@intrinsic
def _population(typing_context, word):
    """The processor's own instruction."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


def _count_bits(word):
    return _population(word)


def count_bits(word):
    """How many bits of the word are set."""
    return int(word).bit_count()


# Kernels use the compiled one.
vars(count_bits).update(vars(step(_count_bits)))


@kernel
def make_bitmaps(post_offsets, post_rows, first, n_rows):
    """The rows of every rank from ``first`` on, as bits."""
    n_items = len(post_offsets) - 1
    bitmaps = np.zeros((n_items - first, (n_rows + 63) // 64), np.uint64)
    for rank in range(first, n_items):
        for posting in range(post_offsets[rank], post_offsets[rank + 1]):
            row = post_rows[posting]
            bitmaps[rank - first, row >> 6] |= np.uint64(1) << np.uint64(row & 63)
    return bitmaps


@maker
def clear_bit(bitmaps, first, rank, row):
    """Note that the row no longer holds the item."""
    if rank >= first:
        bitmaps[rank - first, row >> 6] &= ~(np.uint64(1) << np.uint64(row & 63))


@kernel
def set_bit(bitmaps, first, rank, row):
    """Note that the row holds the item."""
    if rank >= first:
        bitmaps[rank - first, row >> 6] |= np.uint64(1) << np.uint64(row & 63)


@kernel
def clear_bits(bitmaps, first, ranks, rows):
    """Note for each pair that the row no longer holds the item."""
    for k in range(len(ranks)):
        clear_bit(bitmaps, first, ranks[k], rows[k])
