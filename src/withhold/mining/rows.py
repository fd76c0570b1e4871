"""A table laid out for mining: only frequent items, as ranks, rarest first; equal rows merged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.counting.layout import find_positions, transpose_twice
from withhold.counting.local_rows import merge_local_rows
from withhold.data import Records

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@dataclass(frozen=True)
class MiningRows:
    """Distinct rows of frequent ranks with their weights, and where each rank occurs."""

    offsets: Longs
    items: Ints
    weights: Longs
    post_offsets: Longs
    post_rows: Ints
    post_positions: Ints
    supports: Longs
    """By rank, weights counted."""
    code_of_rank: Ints

    def fair_bounds(self, parts: int) -> list[int]:
        """Ranks in consecutive ranges that hold about equally many occurrences."""
        marks = [int(self.post_offsets[-1]) * part // parts for part in range(1, parts)]
        inner = np.searchsorted(self.post_offsets, marks, side="left").tolist()
        return sorted({0, *inner, len(self.code_of_rank)})


def mining_rows(table: Records, least: int) -> MiningRows:
    """The rows of ``table`` cut to the items of support ``least`` or more.

    >>> rows = mining_rows(Records.from_lists([["a", "b"], ["b", "a"], ["a", "b", "z"]]), 2)
    >>> rows.items.tolist(), rows.weights.tolist(), rows.supports.tolist()
    ([0, 1], [3], [3, 3])
    """
    supports = table.supports
    codes = np.flatnonzero(supports >= least)
    code_of_rank = codes[np.lexsort((codes, supports[codes]))].astype(np.int32)
    n_ranks = len(code_of_rank)
    rank_of_code = np.full(table.n_items, -1, dtype=np.int32)
    rank_of_code[code_of_rank] = np.arange(n_ranks, dtype=np.int32)
    kept = rank_of_code[table.items] >= 0
    before = np.zeros(len(kept) + 1, dtype=np.int64)
    np.cumsum(kept, out=before[1:])
    lengths = np.diff(before[table.offsets])
    # Sorting each row by rank is two transpositions; merging then leaves rows to transpose again.
    offsets, items, *_ = _by_rank(lengths[lengths > 0], rank_of_code[table.items[kept]], n_ranks)
    n_rows = len(offsets) - 1
    group_of = np.empty(n_rows, dtype=np.int32)
    n_groups, first_of, weights = merge_local_rows(n_rows, offsets, items, group_of)
    firsts = first_of[:n_groups]
    lengths = np.diff(offsets)[firsts]
    starts = offsets[firsts]
    shift = np.repeat(starts - np.cumsum(lengths) + lengths, lengths)
    chosen = items[shift + np.arange(len(shift))]
    offsets, items, post_offsets, post_rows = _by_rank(lengths, chosen, n_ranks)
    return MiningRows(
        offsets,
        items,
        weights[:n_groups].copy(),
        post_offsets,
        post_rows,
        find_positions(items, post_offsets),
        supports[code_of_rank],
        code_of_rank,
    )


def _by_rank(lengths: Longs, ranks: Ints, n_ranks: int) -> tuple[Longs, Ints, Longs, Ints]:
    """Rows sorted by rank: offsets, items; and postings: offsets, rows."""
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    post_offsets = np.zeros(n_ranks + 1, dtype=np.int64)
    np.cumsum(np.bincount(ranks, minlength=n_ranks), out=post_offsets[1:])
    same_rank = np.arange(n_ranks, dtype=np.int32)
    same_row = np.arange(len(lengths), dtype=np.int32)
    row_offsets, items, post_rows = transpose_twice(
        offsets, ranks, np.ones(len(ranks), dtype=bool), same_rank, same_row, post_offsets
    )
    return row_offsets, items, post_offsets, post_rows
