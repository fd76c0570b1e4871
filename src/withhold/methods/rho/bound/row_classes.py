"""Classes of equal rows, what each can keep of its sensitive items, and scratch space to compute that."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.layout import Layout
from withhold.counting.local_rows import merge_local_rows

NOTHING, ANYTHING = -1, -2
"""What a class can keep, if no table of sets is needed."""


class ClassNeeds(NamedTuple):
    """What a class needs."""

    num: Any
    """ρ is num/den."""
    den: Any
    with_prior: Any
    """Whether the empty antecedent counts."""
    most_together: Any
    """How many items of a record are tested together: one more than the attacker knows."""
    most_tried: Any
    """Up to this many sensitive items, every set that can be left is tried; more are dealt into blocks."""


class Classes(NamedTuple):
    """Classes of equal rows, and what each can keep."""

    order: Any
    """The order in which they are bounded: most public items first, then fewest sensitive ones."""
    of_row: Any
    """By row: its class."""
    sizes: Any
    """By class, like the next ones: how many rows."""
    starts: Any
    """Where the rows of each start in ``rows``."""
    rows: Any
    """The rows, class by class."""
    possible: Any
    """NOTHING, ANYTHING, or where the sets of its first sensitive items begin that it can keep, in a
    table."""
    n_tried: Any
    """How many of its sensitive items these sets are made of."""
    most_kept: Any
    """How many sensitive items a row can keep, at most."""
    losses: Any
    """What the rows of a class lose together, at least."""


class ClassScratch(NamedTuple):
    """Scratch to bound one class. Subsets are of the current block of its sensitive items."""

    public: Any
    """Its public items, ascending."""
    sensitive: Any
    """The sensitive items of its current part."""
    itemset: Any
    local_of: Any
    """By rank: the item's number in the block; all -1 between two classes."""
    theirs: Any
    """By number in the block: which of its sensitive items it is to the other row."""
    held: Any
    """By subset: rows that hold it and can keep anything."""
    held_by_few: Any
    """By subset: of the rows that cannot keep everything, those that hold it and can keep all but one
    item."""
    lacking: Any
    """By subset and item of it: of these rows, those that hold and can keep the rest, and lack the item."""
    can_keep: Any
    """By subset: whether the other row can keep it."""
    n_keeping: Any
    """By number of items: how many rows of the class can keep that many."""
    bitmaps: Any
    """The bitmaps of those items for which ``rows`` has none; all 0 between two classes."""
    hopeless: Any
    """A bit for each row that can keep nothing."""
    n_as_long: Any
    """By length: how many rows are as long or longer."""


def new_classes(layout: Layout) -> Classes:
    """The classes of the rows, of which nothing is known yet."""
    of_row = np.empty(layout.n_rows, dtype=np.int32)
    n, first_row, sizes = merge_local_rows(layout.n_rows, layout.offsets, layout.items, of_row)
    longest = int(np.diff(layout.offsets).max(initial=0))
    n_sensitive = np.diff(layout.sensitive_offsets)[first_row[:n]]
    n_public = np.diff(layout.offsets)[first_row[:n]] - n_sensitive
    return Classes(
        order=np.lexsort((n_sensitive, -n_public)),
        of_row=of_row,
        sizes=sizes[:n],
        starts=np.concatenate([[0], np.cumsum(sizes[:n])]),
        rows=np.argsort(of_row, kind="stable"),
        possible=np.full(n, ANYTHING, dtype=np.int64),
        n_tried=np.zeros(n, dtype=np.int64),
        most_kept=np.full(n, longest, dtype=np.int64),
        losses=np.zeros(n, dtype=np.int64),
    )


def new_class_scratch(layout: Layout, most_tried: int) -> ClassScratch:
    """Scratch for the classes of a layout."""
    lengths = np.diff(layout.offsets)
    longest = int(lengths.max(initial=0))
    n_sets = 1 << most_tried
    n_words = (layout.n_rows + 63) // 64
    return ClassScratch(
        public=np.zeros(longest + 1, dtype=np.int32),
        sensitive=np.zeros(longest + 1, dtype=np.int32),
        itemset=np.zeros(longest + 1, dtype=np.int32),
        local_of=np.full(layout.n_items, -1, dtype=np.int64),
        theirs=np.zeros(most_tried + 1, dtype=np.int64),
        held=np.zeros(n_sets, dtype=np.int64),
        held_by_few=np.zeros(n_sets, dtype=np.int64),
        lacking=np.zeros((n_sets, most_tried + 1), dtype=np.int64),
        can_keep=np.zeros(n_sets, dtype=np.bool_),
        n_keeping=np.zeros(longest + 2, dtype=np.int64),
        bitmaps=np.zeros((most_tried, n_words), dtype=np.uint64),
        hopeless=np.zeros(n_words, dtype=np.uint64),
        n_as_long=np.searchsorted(-lengths, -np.arange(longest + 2), side="right"),
    )
