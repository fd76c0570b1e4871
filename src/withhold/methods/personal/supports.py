"""In how many rows a set of items is published, of the rows of a ``PersonalLayout``."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from withhold.counting.attack import find_rank
from withhold.counting.jit import kernel
from withhold.counting.supports import count_support


@kernel
def count_rows(itemset, size, enough, rows):
    """How many rows publish the itemset (ascending ranks), counted up to ``enough``."""
    return count_support(rows, itemset, size, enough)


@kernel
def reaches(itemset, size, enough, rows):
    """Whether at least so many rows hold the itemset (ascending ranks)."""
    return count_rows(itemset, size, enough, rows) >= enough


@kernel
def has_more_rows(itemset, size, n, rows):
    """Whether more than n rows hold the itemset (ascending ranks), which at least n do."""
    for c in range(size):
        if rows.supports[itemset[c]] == n:
            return False
    return reaches(itemset, size, n + 1, rows)


@kernel
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
