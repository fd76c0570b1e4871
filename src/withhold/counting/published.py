"""Rows of which some occurrences are withheld, and in how many of them an itemset is published.

A withheld occurrence stays in its row as ``~rank``: one array holds the rows as they were and as they are.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.attack import find_rank
from withhold.counting.bits import clear_bit, set_bit
from withhold.counting.jit import step
from withhold.counting.supports import count_support


class PublishedRows(NamedTuple):
    """Rows and postings as they were (see ``layout.Layout``), supports and bitmaps of what is published."""

    offsets: Any
    items: Any
    """Ranks, ascending in each row; a withheld occurrence is ``~rank``."""
    post_offsets: Any
    post_rows: Any
    post_positions: Any
    """By posting: its place in ``items``."""
    supports: Any
    """By rank: how many rows publish it."""
    bitmaps: Any
    """Of the last ranks: a bit for each row that publishes it."""


@step
def count_rows(itemset, size, enough, rows):
    """How many rows publish the itemset (ascending ranks), counted up to ``enough``."""
    return count_support(rows, itemset, size, enough)


@step
def reaches(itemset, size, enough, rows):
    """Whether at least ``enough`` rows publish the itemset (ascending ranks)."""
    return count_rows(itemset, size, enough, rows) >= enough


@step
def has_more_rows(itemset, size, n, rows):
    """Whether more than n rows hold the itemset (ascending ranks), which at least n do."""
    for c in range(size):
        if rows.supports[itemset[c]] == n:
            return False
    return reaches(itemset, size, n + 1, rows)


@step
def place_in(row, rank, rows):
    """Where the row publishes the item, or -1."""
    place = find_rank(rank, rows.offsets[row], rows.offsets[row + 1], rows.items)
    return place if place >= 0 and rows.items[place] >= 0 else -1


@step
def publishes(row, itemset, size, rows):
    """Whether the row holds the itemset (ascending ranks) and nothing of it is withheld."""
    place = rows.offsets[row]
    end = rows.offsets[row + 1]
    for k in range(size):
        place = find_rank(itemset[k], place, end, rows.items)
        if place < 0 or rows.items[place] < 0:
            return False
        place += 1
    return True


@step
def counts_from_first(row, itemset, size, e, rows):
    """How many rows publish the itemset (ascending ranks), and how many of them publish e, too.

    The second is 0 if one of these comes before ``row``: then the rule is counted there instead.
    """
    support = np.int64(0)
    joint = np.int64(0)
    for posting in range(rows.post_offsets[itemset[0]], rows.post_offsets[itemset[0] + 1]):
        other = rows.post_rows[posting]
        if publishes(other, itemset, size, rows):
            support += 1
            if place_in(other, e, rows) >= 0:
                if other < row:
                    return support, np.int64(0)
                joint += 1
    return support, joint


@step
def withhold(position, row, rows):
    """Withhold an occurrence that is published."""
    x = rows.items[position]
    rows.items[position] = ~x
    rows.supports[x] -= 1
    clear_bit(rows.bitmaps, len(rows.supports) - rows.bitmaps.shape[0], x, row)


@step
def put_back(position, row, rows):
    """Publish a withheld occurrence again; returns its item."""
    x = ~rows.items[position]
    rows.items[position] = x
    rows.supports[x] += 1
    set_bit(rows.bitmaps, len(rows.supports) - rows.bitmaps.shape[0], x, row)
    return x
