"""The rows that hold each node of a tree, which are the same whichever nodes are published.

Nodes and other items are numbered together: a row is the codes of its leaves and of its other items,
ascending, and it holds node u iff one of them is in [u, ends[u]).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.bits import make_bitmaps
from withhold.data import Hierarchy, Records
from withhold.data.array_types import Ints, Longs

NOWHERE = -1
FEW = 8
"""A code has no bitmap if it has at most one row for this many words of one."""


class NodeRows(NamedTuple):
    """Rows as codes, and which rows hold a code: all of them listed, and as bits if there are many."""

    offsets: Any
    codes: Any
    ends: Any
    """Where the codes under each code end."""
    post_offsets: Any
    post_rows: Any
    bitmap_of: Any
    """By code: its bitmap; -1 if its rows are few."""
    bitmaps: Any
    """A bit for each row."""
    longest_list: Any
    """The most rows of a code without a bitmap."""


def rows_of_nodes(records: Records, tree: Hierarchy, sensitive: Ints) -> NodeRows:
    """The records over the leaves of ``tree`` and the ``sensitive`` codes, which come after all nodes."""
    n_nodes = len(tree)
    code_of = np.full(records.n_items, NOWHERE, dtype=np.int64)
    code_of[sensitive] = n_nodes + np.arange(len(sensitive))
    for item, name in enumerate(records.vocabulary):
        if code_of[item] == NOWHERE and name in tree:
            code_of[item] = tree.code(name)
    row_of = np.repeat(np.arange(len(records)), records.lengths)
    codes = code_of[records.items]
    known = codes >= 0
    row_of, codes = row_of[known], codes[known]
    order = np.lexsort((codes, row_of))
    row_of, codes = row_of[order], codes[order]
    n_codes = n_nodes + len(sensitive)
    ends = np.append(tree.ends, np.arange(n_nodes + 1, n_codes + 1)).astype(np.int64)
    post_offsets, post_rows = _postings(row_of, codes, tree, n_codes, len(records))
    lengths = np.diff(post_offsets)
    words = (len(records) + 63) // 64
    many = lengths > words // FEW
    bitmap_of = np.where(many, np.cumsum(many) - 1, NOWHERE)
    starts = np.append(0, np.cumsum(lengths[many]))
    bitmaps = make_bitmaps(starts, post_rows[np.repeat(many, lengths)], 0, len(records))
    offsets = np.append(0, np.cumsum(np.bincount(row_of, minlength=len(records))))
    return NodeRows(
        offsets,
        codes.astype(np.int32),
        ends,
        post_offsets,
        post_rows,
        bitmap_of,
        bitmaps,
        words // FEW,
    )


def _postings(
    row_of: Longs, codes: Longs, tree: Hierarchy, n_codes: int, n_rows: int
) -> tuple[Longs, Ints]:
    """For every code the rows that hold it, ascending: a node is held with any of its leaves."""
    found = []
    rows, above = row_of, codes
    while len(rows):
        found.append(above * n_rows + rows)
        up = above < len(tree)
        rows, above = rows[up], tree.parents[above[up]].astype(np.int64)
        rows, above = rows[above >= 0], above[above >= 0]
    keys = np.unique(np.concatenate(found)) if found else np.zeros(0, dtype=np.int64)
    held, rows = np.divmod(keys, max(n_rows, 1))
    offsets = np.append(0, np.cumsum(np.bincount(held, minlength=n_codes)))
    return offsets, rows.astype(np.int32)
