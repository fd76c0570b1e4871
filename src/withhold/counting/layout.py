"""Records laid out for the loops: items by rank (rarest first), records by length (longest first).

Rarest first makes depth-first searches small: a prefix of rare items has few records left. Longest
first makes likely witnesses of a support come early, so that counting can stop. Both orders are
undone before anything is shown to anybody.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from withhold.counting.bits import make_bitmaps
from withhold.counting.jit import kernel
from withhold.counting.supports import IndexedRows
from withhold.data import Records
from withhold.data.array_types import Ints as Ints
from withhold.data.array_types import Longs as Longs
from withhold.errors import InputError


@dataclass(frozen=True)
class Layout:
    """Rows, postings and sensitive items, in ranks.

    Row r holds the ranks ``items[offsets[r]:offsets[r + 1]]``. The *postings* of rank x are the rows that
    hold it, ``post_rows[post_offsets[x]:post_offsets[x + 1]]``. Kernels take rows in this form everywhere.
    """

    offsets: Longs
    items: Ints
    """Ranks, ascending in each row."""
    post_offsets: Longs
    post_rows: Ints
    """For each rank the rows that hold it, ascending: longest records first."""
    sensitive: NDArray[np.bool_]
    """By rank."""
    code_of_rank: Ints
    """By rank: the item's code in the records."""
    record_of_row: Ints
    """By row: its record."""
    records: Records

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

    # Made only on request: not every caller needs these, and for large data they take much memory.

    @cached_property
    def post_positions(self) -> Ints:
        """For each posting its place in ``items``."""
        positions: Ints = find_positions(self.items, self.post_offsets)
        return positions

    @cached_property
    def origin(self) -> Ints:
        """For each place in ``items``, the occurrence's place in the records' own ``items``."""
        places: Ints = find_places(
            self.offsets,
            self.items,
            self.code_of_rank,
            self.record_of_row,
            self.records.offsets,
            self.records.items,
        )
        return places

    @cached_property
    def _sensitive_rows(self) -> tuple[Longs, Ints]:
        inside = self.sensitive[self.items]
        before = np.zeros(len(self.items) + 1, dtype=np.int32)
        np.cumsum(inside, out=before[1:])
        return before[self.offsets].astype(np.int64), self.items[inside]

    def bitmaps(self) -> NDArray[np.uint64]:
        """Fresh bitmaps of the last ranks: items in more than 64 rows and 1/256 of all rows.

        Those are at most 256 times the mean length of a record: at most 32 bytes an occurrence.
        """
        first = int(np.searchsorted(self.supports, max(64, self.n_rows // 256), side="right"))
        bitmaps: NDArray[np.uint64] = make_bitmaps(
            self.post_offsets, self.post_rows, first, self.n_rows
        )
        return bitmaps

    def rows(self, *, with_bitmaps: bool = False) -> IndexedRows:
        """The rows as the kernels take them; with fresh bitmaps for callers who count many sets."""
        bitmaps = self.bitmaps() if with_bitmaps else np.zeros((0, 0), dtype=np.uint64)
        postings = self.post_offsets, self.post_rows
        return IndexedRows(self.offsets, self.items, *postings, self.supports, bitmaps)

    def sensitive_ranks(self) -> Ints:
        """The sensitive ranks that occur at all."""
        return np.flatnonzero(self.sensitive & (self.supports > 0)).astype(np.int32)


def lay_out(records: Records, sensitive: Ints, kept: NDArray[np.bool_] | None = None) -> Layout:
    """The layout of ``records``, or of its occurrences that are ``kept``, with these codes sensitive."""
    if records.n_occurrences >= 2**31 or len(records) >= 2**31:
        raise InputError(
            f"the data has {records.n_occurrences:,} occurrences; the kernels count up to 2^31",
            remedy="split the records into parts and treat each part on its own",
        )
    if kept is None:
        kept = np.ones(records.n_occurrences, dtype=np.bool_)
    supports = np.zeros(records.n_items, dtype=np.int64)
    lengths = np.zeros(len(records), dtype=np.int32)
    count_kept(records.offsets, records.items, kept, supports, lengths)
    code_of_rank = np.lexsort((np.arange(records.n_items), supports)).astype(np.int32)
    rank_of_code = np.empty(records.n_items, dtype=np.int32)
    rank_of_code[code_of_rank] = np.arange(records.n_items, dtype=np.int32)
    shorter = lengths.max(initial=0) - lengths
    # numpy sorts numbers of two bytes by their digits, ten times as fast as others.
    if shorter.max(initial=0) < 2**16:
        shorter = shorter.astype(np.uint16)
    record_of_row = np.argsort(shorter, kind="stable").astype(np.int32)
    is_sensitive = np.zeros(records.n_items, dtype=np.bool_)
    is_sensitive[rank_of_code[sensitive]] = True
    post_offsets = np.zeros(records.n_items + 1, dtype=np.int64)
    np.cumsum(supports[code_of_rank], out=post_offsets[1:])
    offsets, items, post_rows = transpose_twice(
        records.offsets, records.items, kept, rank_of_code, record_of_row, post_offsets
    )
    return Layout(
        offsets,
        items,
        post_offsets,
        post_rows,
        is_sensitive,
        code_of_rank,
        record_of_row,
        records,
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
    row_offsets = np.zeros(n_rows + 1, np.int64)
    post_rows = np.empty(post_offsets[n_items], np.int32)
    cursor = post_offsets[:n_items].copy()
    for row in range(n_rows):
        record = record_of_row[row]
        row_offsets[row + 1] = row_offsets[row]
        for position in range(offsets[record], offsets[record + 1]):
            if kept[position]:
                rank = rank_of_code[items[position]]
                post_rows[cursor[rank]] = row
                cursor[rank] += 1
                row_offsets[row + 1] += 1
    ranks = np.empty(post_offsets[n_items], np.int32)
    fill = row_offsets[:n_rows].copy()
    for rank in range(n_items):
        for posting in range(post_offsets[rank], post_offsets[rank + 1]):
            row = post_rows[posting]
            ranks[fill[row]] = rank
            fill[row] += 1
    return row_offsets, ranks, post_rows


@kernel
def find_positions(items, post_offsets):
    """For each posting its place in ``items``: rows come in the same order in both."""
    positions = np.empty(len(items), np.int32)
    cursor = post_offsets[:-1].copy()
    for position in range(len(items)):
        rank = items[position]
        positions[cursor[rank]] = position
        cursor[rank] += 1
    return positions


@kernel
def find_places(offsets, items, code_of_rank, record_of_row, table_offsets, table_items):
    """For each occurrence its place in the records."""
    places = np.empty(len(items), np.int32)
    place_of = np.empty(len(code_of_rank), np.int32)
    for row in range(len(offsets) - 1):
        record = record_of_row[row]
        for place in range(table_offsets[record], table_offsets[record + 1]):
            place_of[table_items[place]] = place
        for position in range(offsets[row], offsets[row + 1]):
            places[position] = place_of[code_of_rank[items[position]]]
    return places
