"""A table laid out for the loops: items by rank (rarest first), records by length (longest first).

Rarest first makes depth-first searches small: a prefix of rare items has few records left. Longest
first makes likely witnesses of a support come early, so that counting can stop. Both orders are
undone before anything is shown to anybody.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from withhold.data import Transactions
from withhold.errors import InputError
from withhold.kernels.bits import make_bitmaps
from withhold.kernels.jit import kernel

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Layout:
    """Rows, postings and sensitive items, in ranks."""

    offsets: Longs
    items: Ints
    """Ranks, ascending in each row."""
    post_offsets: Longs
    post_rows: Ints
    """For each rank the rows that hold it, ascending: longest records first."""
    post_positions: Ints
    """For each posting, where in ``items`` it stands."""
    sensitive: NDArray[np.bool_]
    """By rank."""
    code_of_rank: Ints
    record_of_row: Ints
    origin: Ints
    """For each place in ``items``, where the occurrence stands in the table's own ``items``."""

    @property
    def n_rows(self) -> int:
        return len(self.offsets) - 1

    @property
    def n_items(self) -> int:
        return len(self.code_of_rank)

    @property
    def supports(self) -> Longs:
        """By rank."""
        return np.diff(self.post_offsets)

    @property
    def sensitive_offsets(self) -> Longs:
        """Where each row's part of ``sensitive_items`` starts, and where the last one ends."""
        return self._sensitive_rows[0]

    @property
    def sensitive_items(self) -> Ints:
        """For each row its sensitive ranks."""
        return self._sensitive_rows[1]

    @cached_property
    def _sensitive_rows(self) -> tuple[Longs, Ints]:
        # Only when asked for: most of those who lay out a table do without.
        inside = self.sensitive[self.items]
        before = np.zeros(len(self.items) + 1, dtype=np.int32)
        np.cumsum(inside, out=before[1:])
        return before[self.offsets].astype(np.int64), self.items[inside]

    def bitmaps(self) -> NDArray[np.uint64]:
        """Fresh bitmaps of the last ranks: items in more than 64 rows and 1/256 of all rows."""
        first = int(np.searchsorted(self.supports, max(64, self.n_rows // 256), side="right"))
        bitmaps: NDArray[np.uint64] = make_bitmaps(
            self.post_offsets, self.post_rows, first, self.n_rows
        )
        return bitmaps

    def sensitive_ranks(self) -> Ints:
        """The sensitive ranks that occur at all."""
        return np.flatnonzero(self.sensitive & (self.supports > 0)).astype(np.int32)


def lay_out(table: Transactions, sensitive: Ints, kept: NDArray[np.bool_] | None = None) -> Layout:
    """The layout of ``table``, or of its occurrences that are ``kept``, with these codes sensitive."""
    if table.n_occurrences >= 2**31 or len(table) >= 2**31:
        raise InputError(
            f"the table holds {table.n_occurrences:,} occurrences; the kernels count up to 2^31",
            remedy="split the records into parts and treat each part on its own",
        )
    if kept is None:
        kept = np.ones(table.n_occurrences, dtype=np.bool_)
    supports = np.zeros(table.n_items, dtype=np.int64)
    lengths = np.zeros(len(table), dtype=np.int32)
    count_kept(table.offsets, table.items, kept, supports, lengths)
    code_of_rank = np.lexsort((np.arange(table.n_items), supports)).astype(np.int32)
    rank_of_code = np.empty(table.n_items, dtype=np.int32)
    rank_of_code[code_of_rank] = np.arange(table.n_items, dtype=np.int32)
    record_of_row = np.argsort(-lengths, kind="stable").astype(np.int32)
    is_sensitive = np.zeros(table.n_items, dtype=np.bool_)
    is_sensitive[rank_of_code[sensitive]] = True
    post_offsets = np.zeros(table.n_items + 1, dtype=np.int64)
    np.cumsum(supports[code_of_rank], out=post_offsets[1:])
    offsets, items, post_rows, post_positions, origin = transpose_twice(
        table.offsets, table.items, kept, rank_of_code, record_of_row, post_offsets
    )
    return Layout(
        offsets,
        items,
        post_offsets,
        post_rows,
        post_positions,
        is_sensitive,
        code_of_rank,
        record_of_row,
        origin,
    )


def fair_bounds(layout: Layout, parts: int) -> list[int]:
    """Root items in consecutive ranges that hold about equally many occurrences."""
    marks = [int(layout.post_offsets[-1]) * part // parts for part in range(1, parts)]
    inner = np.searchsorted(layout.post_offsets, marks, side="left").tolist()
    return sorted({0, *inner, layout.n_items})


@kernel
def count_kept(offsets, items, kept, supports, lengths):
    """Add the kept occurrences to the ``supports`` of their items and the ``lengths`` of their rows."""
    for row in range(len(offsets) - 1):
        for position in range(offsets[row], offsets[row + 1]):
            if kept[position]:
                supports[items[position]] += 1
                lengths[row] += 1


@kernel
def transpose_twice(offsets, items, kept, rank_of_code, record_of_row, post_offsets):
    """Postings by rank, then rows from the postings: both come out sorted without sorting."""
    n_rows = len(offsets) - 1
    n_items = len(post_offsets) - 1
    n_kept = post_offsets[n_items]
    row_offsets = np.zeros(n_rows + 1, np.int64)
    post_rows = np.empty(n_kept, np.int32)
    # First where a posting stands in the table, then where it stands in its row.
    post_positions = np.empty(n_kept, np.int32)
    cursor = post_offsets[:n_items].copy()
    for row in range(n_rows):
        record = record_of_row[row]
        row_offsets[row + 1] = row_offsets[row]
        for position in range(offsets[record], offsets[record + 1]):
            if kept[position]:
                rank = rank_of_code[items[position]]
                post_rows[cursor[rank]] = row
                post_positions[cursor[rank]] = position
                cursor[rank] += 1
                row_offsets[row + 1] += 1
    ranks = np.empty(n_kept, np.int32)
    origin = np.empty(n_kept, np.int32)
    fill = row_offsets[:n_rows].copy()
    for rank in range(n_items):
        for posting in range(post_offsets[rank], post_offsets[rank + 1]):
            row = post_rows[posting]
            ranks[fill[row]] = rank
            origin[fill[row]] = post_positions[posting]
            post_positions[posting] = fill[row]
            fill[row] += 1
    return row_offsets, ranks, post_rows, post_positions, origin
