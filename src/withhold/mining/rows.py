"""Records laid out for mining, and the arrays that a search works with, which can grow."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.layout import find_positions, transpose_twice
from withhold.counting.local_rows import merge_local_rows
from withhold.data import Records
from withhold.data.array_types import Ints, Longs
from withhold.data.spans import spans, starts_of


class MiningRows(NamedTuple):
    """Distinct rows of frequent ranks, rarest first, with their weights; and where each rank occurs."""

    offsets: Any
    items: Any
    weights: Any
    post_offsets: Any
    post_rows: Any
    post_positions: Any
    supports: Any
    """By rank, weights counted."""
    code_of_rank: Any

    def fair_bounds(self, parts: int) -> list[int]:
        """Ranks in consecutive ranges that hold about equally many occurrences."""
        marks = [int(self.post_offsets[-1]) * part // parts for part in range(1, parts)]
        inner = np.searchsorted(self.post_offsets, marks, side="left").tolist()
        return sorted({0, *inner, len(self.code_of_rank)})


def mining_rows(records: Records, least: int) -> MiningRows:
    """The records cut to the items of support ``least`` or more.

    >>> rows = mining_rows(Records.from_lists([["a", "b"], ["b", "a"], ["a", "b", "z"]]), 2)
    >>> rows.items.tolist(), rows.weights.tolist(), rows.supports.tolist()
    ([0, 1], [3], [3, 3])
    """
    supports = records.supports
    codes = np.flatnonzero(supports >= least)
    code_of_rank = codes[np.lexsort((codes, supports[codes]))].astype(np.int32)
    n_ranks = len(code_of_rank)
    rank_of_code = np.full(records.n_items, -1, dtype=np.int32)
    rank_of_code[code_of_rank] = np.arange(n_ranks, dtype=np.int32)
    kept = rank_of_code[records.items] >= 0
    lengths = np.diff(starts_of(kept)[records.offsets])
    # Sorting each row by rank is two transpositions; merging then leaves rows to transpose again.
    offsets, items, *_ = _by_rank(lengths[lengths > 0], rank_of_code[records.items[kept]], n_ranks)
    n_rows = len(offsets) - 1
    group_of = np.empty(n_rows, dtype=np.int32)
    n_groups, first_of, weights = merge_local_rows(n_rows, offsets, items, group_of)
    firsts = first_of[:n_groups]
    lengths = np.diff(offsets)[firsts]
    chosen = items[spans(offsets[firsts], lengths)]
    offsets, items, post_offsets, post_rows = _by_rank(lengths, chosen, n_ranks)
    postings = post_offsets, post_rows, find_positions(items, post_offsets)
    weights = weights[:n_groups].copy()
    return MiningRows(offsets, items, weights, *postings, supports[code_of_rank], code_of_rank)


def _by_rank(lengths: Longs, ranks: Ints, n_ranks: int) -> tuple[Longs, Ints, Longs, Ints]:
    """Rows sorted by rank: offsets, items; and postings: offsets, rows."""
    post_offsets = starts_of(np.bincount(ranks, minlength=n_ranks))
    same_rank = np.arange(n_ranks, dtype=np.int32)
    same_row = np.arange(len(lengths), dtype=np.int32)
    everything = np.ones(len(ranks), dtype=bool)
    row_offsets, items, post_rows = transpose_twice(
        starts_of(lengths), ranks, everything, same_rank, same_row, post_offsets
    )
    return row_offsets, items, post_offsets, post_rows


class Wanted(NamedTuple):
    """Which itemsets to list."""

    closed: Any
    least: Any
    """The least support."""
    most_items: Any
    """The size of the largest; 0: no bound. Not for closed sets."""
    most_sets: Any
    """The search ends when there are more."""


class Levels(NamedTuple):
    """By depth: the next child, where the children, rows and items of the table end, and the set's size."""

    next_child: Any
    children: Any
    rows: Any
    items: Any
    set_size: Any


class Search(NamedTuple):
    """All that a search works with. Tables and children are those of the current branch."""

    items: Any
    post_rows: Any
    """For each child the rows that hold its item, and where."""
    post_places: Any
    head_start: Any
    """By row of a table, like the next three."""
    tail_start: Any
    tail_end: Any
    weight: Any
    child_item: Any
    """An item by which a set of the branch can be extended; then its support and its postings."""
    child_support: Any
    child_start: Any
    child_end: Any
    set_offsets: Any
    """The itemsets found."""
    set_supports: Any
    set_items: Any
    levels: Any
    current: Any
    """The items of the current set."""
    common: Any
    count: Any
    """By item; like ``place`` all 0 between two tables."""
    place: Any
    touched: Any
    slot_table: Any
    """Of the hash table that finds equal tails: a slot is in use if it has the number of the table."""
    slot_row: Any
    numbers: Any
    needed: Any
    """The room that each of ``PARTS`` needs for the next table."""


PARTS = (
    ("items", "post_rows", "post_places"),
    ("head_start", "tail_start", "tail_end", "weight"),
    ("child_item", "child_support", "child_start", "child_end"),
    ("set_offsets", "set_supports"),
    ("set_items",),
)
"""What grows, and what grows together."""


def new_search(rows: MiningRows, first: int, last: int) -> Search:
    """The search for the itemsets whose lowest rank is in [first, last); rows hold frequent ranks only."""
    n_rows, n_items, n_places = len(rows.weights), len(rows.supports), len(rows.items)
    part = slice(*rows.post_offsets[[first, last]].tolist())
    bounds = rows.post_offsets[first : last + 1] - part.start
    longest = int(np.diff(rows.offsets).max(initial=0))
    levels = Levels(*np.zeros((len(Levels._fields), longest + 1), np.int64))
    levels.children[0], levels.rows[0], levels.items[0] = last - first, n_rows, n_places
    n_slots = 1 << max(2, (2 * n_rows - 1).bit_length())
    search = Search(
        items=rows.items,
        post_rows=rows.post_rows[part],
        post_places=rows.post_positions[part].astype(np.int64),
        head_start=rows.offsets[:-1],
        tail_start=rows.offsets[:-1],
        tail_end=rows.offsets[1:],
        weight=rows.weights,
        child_item=np.arange(first, last, dtype=np.int32),
        child_support=rows.supports[first:last],
        child_start=bounds[:-1],
        child_end=bounds[1:],
        set_offsets=np.zeros(1, np.int64),
        set_supports=np.empty(0, np.int64),
        set_items=np.empty(0, np.int32),
        levels=levels,
        current=np.empty(longest, np.int32),
        common=np.empty(longest, np.int32),
        count=np.zeros(n_items, np.int64),
        place=np.zeros(n_items, np.int64),
        touched=np.empty(n_items, np.int32),
        slot_table=np.zeros(n_slots, np.int64),
        slot_row=np.empty(n_slots, np.int64),
        numbers=np.zeros(3, np.int64),
        needed=np.array([n_places + 8, n_rows + 8, n_items + 8, 1024, 4096]),
    )
    return with_room(search)


def with_room(search: Search) -> Search:
    """The same search with the room that it needs to continue."""
    needed = zip(PARTS, search.needed.tolist(), strict=True)
    room_for = {name: room for names, room in needed for name in names}
    larger = {name: _larger(getattr(search, name), room) for name, room in room_for.items()}
    return search._replace(**larger)


def _larger(array: np.ndarray, room: int) -> np.ndarray:
    """The array itself if it has that room, else a copy with twice as much."""
    if room <= len(array):
        return array
    copy = np.empty(2 * room, array.dtype)
    copy[: len(array)] = array
    return copy
