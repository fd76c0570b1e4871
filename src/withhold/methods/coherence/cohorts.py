"""Public items by rank with their cohorts (the records that hold them), and the search for one mole.

A depth-first search starts at a root item: it copies the root's cohort, with only the items that are
still alive, and extends by items of a higher rank, or by any item where all sets with the root are
wanted.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from withhold.counting.arrays import room_for
from withhold.counting.bits import make_bitmaps
from withhold.counting.jit import kernel
from withhold.counting.layout import Ints, Layout, Longs, lay_out
from withhold.data import Transactions

NOT_FOUND, STOPPED = 0, -1
NO_MOLE = -2
"""In place of a private item: the item is no mole by itself."""


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


def split_rows(table: Transactions, private: Ints) -> SplitRows:
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
def judge_items(
    roots, private_offsets, private_items, post_offsets, post_rows, k, num, den, numbers
):
    """For each root: support, the private item that makes it a mole (-1: rarity; NO_MOLE), joint."""
    joint = np.zeros(len(post_offsets) - 1, np.int64)
    touched = np.empty(len(post_offsets) - 1, np.int32)
    most_rows = np.int64(0)
    for root in roots:
        most_rows = max(most_rows, post_offsets[root + 1] - post_offsets[root])
    rows = np.arange(most_rows)
    for n in range(len(roots)):
        begin = post_offsets[roots[n]]
        support = post_offsets[roots[n] + 1] - begin
        numbers[n, 0] = support
        numbers[n, 1] = NO_MOLE
        if support < k:
            numbers[n, 1] = -1
            continue
        private, most = likeliest_private(
            rows, 0, support, begin, post_rows, private_offsets, private_items, joint, touched
        )
        if most * den > num * support:
            numbers[n, 1] = private
            numbers[n, 2] = most


@kernel
def find_mole(
    roots,
    after,
    alive,
    offsets,
    items,
    private_offsets,
    private_items,
    post_offsets,
    post_rows,
    k,
    num,
    den,
    largest,
    stop,
    found,
    numbers,
):
    """The first mole of at most ``largest`` items that holds one of ``roots``: its size, or NOT_FOUND.

    Fills ``found`` with its items and ``numbers`` with support, private item (-1: too rare) and joint;
    ``numbers[3]`` counts the sets looked at. Items that all rows of a set hold are left out of its
    extensions, as they change no count.
    """
    n_items = len(post_offsets) - 1
    counts = np.zeros(n_items, np.int64)
    joint = np.zeros(n_items, np.int64)
    touched = np.empty(n_items, np.int32)
    next_child = np.zeros(largest + 2, np.int64)
    last_child = np.zeros(largest + 2, np.int64)
    pool_top = np.zeros(largest + 2, np.int64)
    child_item = np.empty(1024, np.int32)
    child_start = np.empty(1024, np.int64)
    child_end = np.empty(1024, np.int64)
    pool_row = np.empty(1024, np.int32)
    pool_place = np.empty(1024, np.int64)
    for root in roots:
        first_posting = post_offsets[root]
        support = post_offsets[root + 1] - first_posting
        numbers[3] += 1
        if support < k:
            found[0] = root
            numbers[0] = support
            numbers[1] = -1
            numbers[2] = 0
            return 1
        row_offsets, row_items = gather_cohort(
            root, after, alive, offsets, items, post_offsets, post_rows
        )
        pool_row = room_for(pool_row, support)
        pool_place = room_for(pool_place, support)
        for j in range(support):
            pool_row[j] = j
            pool_place[j] = row_offsets[j]
        child_item[0] = root
        child_start[0] = 0
        child_end[0] = support
        next_child[0] = 0
        last_child[0] = 1
        pool_top[0] = support
        depth = 0
        while depth >= 0:
            if next_child[depth] == last_child[depth]:
                depth -= 1
                continue
            if stop[0] != 0:
                return STOPPED
            child = next_child[depth]
            next_child[depth] += 1
            start = child_start[child]
            end = child_end[child]
            found[depth] = child_item[child]
            if num < den:
                private, most = likeliest_private(
                    pool_row,
                    start,
                    end,
                    first_posting,
                    post_rows,
                    private_offsets,
                    private_items,
                    joint,
                    touched,
                )
                if most * den > num * (end - start):
                    numbers[0] = end - start
                    numbers[1] = private
                    numbers[2] = most
                    return depth + 1
            if depth + 1 == largest:
                continue
            n_touched = 0
            for j in range(start, end):
                for q in range(pool_place[j], row_offsets[pool_row[j] + 1]):
                    x = row_items[q]
                    if counts[x] == 0:
                        touched[n_touched] = x
                        n_touched += 1
                    counts[x] += 1
            numbers[3] += n_touched
            first = last_child[depth]
            n_children = first
            top = pool_top[depth]
            child_item = room_for(child_item, first + n_touched)
            child_start = room_for(child_start, first + n_touched)
            child_end = room_for(child_end, first + n_touched)
            for t in range(n_touched):
                x = touched[t]
                if counts[x] < k:
                    found[depth + 1] = x
                    numbers[0] = counts[x]
                    numbers[1] = -1
                    numbers[2] = 0
                    return depth + 2
                if counts[x] < end - start:
                    child_item[n_children] = x
                    child_start[n_children] = top
                    child_end[n_children] = top
                    top += counts[x]
                    counts[x] = -n_children - 1
                    n_children += 1
                else:
                    counts[x] = 0
            if depth + 2 == largest and num >= den:
                # The extensions are frequent enough, and nothing else is asked of them.
                for c in range(first, n_children):
                    counts[child_item[c]] = 0
                continue
            pool_row = room_for(pool_row, top)
            pool_place = room_for(pool_place, top)
            for j in range(start, end):
                for q in range(pool_place[j], row_offsets[pool_row[j] + 1]):
                    c = -counts[row_items[q]] - 1
                    if c >= 0:
                        pool_row[child_end[c]] = pool_row[j]
                        pool_place[child_end[c]] = q + 1
                        child_end[c] += 1
            for c in range(first, n_children):
                counts[child_item[c]] = 0
            if n_children > first:
                depth += 1
                next_child[depth] = first
                last_child[depth] = n_children
                pool_top[depth] = top
    return NOT_FOUND
