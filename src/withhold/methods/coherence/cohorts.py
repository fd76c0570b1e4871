"""Public items by rank with their cohorts, the records that hold them: what the room counts with.

A depth-first walk starts at a root item: it copies the root's cohort, with only the items that are
still alive, and extends by items of a higher rank, or by any item where all sets with the root are
wanted. What a mole is, each walk decides for itself: the proof's is not the search's.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from withhold.counting.bits import make_bitmaps
from withhold.counting.jit import kernel
from withhold.counting.layout import Ints, Layout, Longs, lay_out
from withhold.data import Records

NOT_FOUND, STOPPED = 0, -1


@dataclass(frozen=True)
class SplitRows(Layout):
    """A layout whose rows hold public items only, longest first; postings are of private items too.

    Private ranks are below all public ones that occur.
    """

    private_offsets: Longs
    """Where each row's part of ``private_items`` starts, and where the last one ends."""
    private_items: Ints
    """The private ranks of each row, ascending."""

    @property
    def sensitive_offsets(self) -> Longs:
        """Those of the private items, which are not among the row's own."""
        return self.private_offsets

    @property
    def sensitive_items(self) -> Ints:
        """The private items of each row."""
        return self.private_items

    @property
    def longest(self) -> int:
        """The most public items that a row holds."""
        return int(np.diff(self.offsets).max(initial=0))

    def public_ranks(self) -> Ints:
        """The public ranks that occur at all, ascending."""
        return np.flatnonzero(~self.sensitive & (self.supports > 0)).astype(np.int32)

    def bitmaps(self) -> NDArray[np.uint64]:
        """Fresh bitmaps of the last ranks: public items in more than 64 rows and 1/256 of all rows."""
        frequent = ~self.sensitive & (self.supports > max(64, self.n_rows // 256))
        first = self.n_items - int(frequent.sum())
        bitmaps: NDArray[np.uint64] = make_bitmaps(
            self.post_offsets, self.post_rows, first, self.n_rows
        )
        return bitmaps


def split_rows(table: Records, private: Ints) -> SplitRows:
    """The rows of ``table`` with these item codes private."""
    is_private = np.zeros(table.n_items, dtype=bool)
    is_private[private] = True
    there = is_private[table.items]
    before = np.zeros(table.n_occurrences + 1, dtype=np.int64)
    np.cumsum(~there, out=before[1:])
    public = replace(table, offsets=before[table.offsets], items=table.items[~there])
    layout = lay_out(public, np.zeros(0, dtype=np.int32))
    rank_of_code = np.empty(table.n_items, dtype=np.int32)
    rank_of_code[layout.code_of_rank] = np.arange(table.n_items, dtype=np.int32)
    supports = np.bincount(rank_of_code[table.items[there]], minlength=table.n_items)
    private_posts = np.concatenate([[0], np.cumsum(supports)])
    rows, row_offsets, row_items = transpose_private(
        table.offsets,
        table.items,
        is_private,
        rank_of_code,
        layout.record_of_row,
        private_posts,
    )
    return SplitRows(
        offsets=layout.offsets,
        items=layout.items,
        post_offsets=private_posts + layout.post_offsets,
        # What is private has no public occurrence, so its ranks, and its postings, come first.
        post_rows=np.concatenate([rows, layout.post_rows]),
        sensitive=is_private[layout.code_of_rank],
        private_offsets=row_offsets,
        private_items=row_items,
        code_of_rank=layout.code_of_rank,
        record_of_row=layout.record_of_row,
        table=public,
    )


@kernel
def transpose_private(offsets, items, is_private, rank_of_code, record_of_row, post_offsets):
    """Postings of the private items, then from these each row's private ranks, both ascending."""
    n_rows = len(record_of_row)
    n_items = len(post_offsets) - 1
    post_rows = np.empty(post_offsets[n_items], np.int32)
    row_offsets = np.zeros(n_rows + 1, np.int64)
    cursor = post_offsets[:n_items].copy()
    for row in range(n_rows):
        record = record_of_row[row]
        row_offsets[row + 1] = row_offsets[row]
        for p in range(offsets[record], offsets[record + 1]):
            if is_private[items[p]]:
                rank = rank_of_code[items[p]]
                post_rows[cursor[rank]] = row
                cursor[rank] += 1
                row_offsets[row + 1] += 1
    row_items = np.empty(len(post_rows), np.int32)
    fill = row_offsets[:n_rows].copy()
    for rank in range(n_items):
        for posting in range(post_offsets[rank], post_offsets[rank + 1]):
            row = post_rows[posting]
            row_items[fill[row]] = rank
            fill[row] += 1
    return post_rows, row_offsets, row_items


@kernel
def gather_cohort(root, after, alive, offsets, items, post_offsets, post_rows):
    """The root's rows with their living items, the root left out; ``after``: only higher ranks."""
    begin = post_offsets[root]
    n = post_offsets[root + 1] - begin
    total = np.int64(0)
    for j in range(n):
        row = post_rows[begin + j]
        total += offsets[row + 1] - offsets[row]
    row_offsets = np.empty(n + 1, np.int64)
    row_items = np.empty(total, np.int32)
    top = np.int64(0)
    row_offsets[0] = 0
    for j in range(n):
        row = post_rows[begin + j]
        for p in range(offsets[row], offsets[row + 1]):
            x = items[p]
            if x != root and alive[x] and (x > root or not after):
                row_items[top] = x
                top += 1
        row_offsets[j + 1] = top
    return row_offsets, row_items


@kernel
def likeliest_private(
    rows, start, end, first_posting, post_rows, private_offsets, private_items, joint, touched
):
    """The private item that most of these rows of a cohort hold, and how many; (-1, 0) if none."""
    n_touched = 0
    best = -1
    most = np.int64(0)
    for j in range(start, end):
        row = post_rows[first_posting + rows[j]]
        for q in range(private_offsets[row], private_offsets[row + 1]):
            s = private_items[q]
            if joint[s] == 0:
                touched[n_touched] = s
                n_touched += 1
            joint[s] += 1
    for t in range(n_touched):
        s = touched[t]
        if joint[s] > most or (joint[s] == most and s < best):
            best = s
            most = joint[s]
        joint[s] = 0
    return best, most


@kernel
def count_extensions(start, end, rows, places, row_offsets, row_items, counts, touched):
    """Count in how many of these rows of a cohort each item stands at its place or behind it.

    ``counts`` is all zero before; returns how many items were ``touched``.
    """
    n_touched = 0
    for j in range(start, end):
        for q in range(places[j], row_offsets[rows[j] + 1]):
            x = row_items[q]
            if counts[x] == 0:
                touched[n_touched] = x
                n_touched += 1
            counts[x] += 1
    return n_touched


@kernel
def deliver_rows(start, end, rows, places, row_offsets, row_items, counts, child_end):
    """Append each row to the children whose items it holds: those c where ``counts`` is -c - 1."""
    for j in range(start, end):
        for q in range(places[j], row_offsets[rows[j] + 1]):
            c = -counts[row_items[q]] - 1
            if c >= 0:
                rows[child_end[c]] = rows[j]
                places[child_end[c]] = q + 1
                child_end[c] += 1
