"""Numbers of sets as rows of slots, as they may need hundreds of bits; the caller knows each slot's value.

There are W(n, r) = Σ C(n, i), i ≤ r, sets of at most r out of n items: to count them adds ``weights[r, n]``
to slot ``slots[r, n]``. An item that all rows of a set hold is *free*: it needs no search of its own, since
each larger set occurs with it and without it.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import step
from withhold.data.array_types import Longs


class Tally(NamedTuple):
    """The counts of items, and those of the sets along the path of a walk."""

    counts: Any
    """By item: the sets that hold it."""
    total: Any
    """By size of the path: the sets below it. Row 0 is the sum of all."""
    of_free: Any
    """By size of the path: the sets below it that hold any given one of its free items."""
    free_items: Any
    """The free items of the path."""
    free_top: Any
    """By size of the path: how many of these are free in it."""
    slots: Any
    """By r and n: the slot of W(n, r)."""
    weights: Any
    """By r and n: what W(n, r) adds to its slot."""


def new_tally(n_items: int, largest: int, slots: Longs, weights: Longs, n_slots: int) -> Tally:
    """A tally of nothing, for sets of up to ``largest`` items."""
    return Tally(
        np.zeros((n_items, n_slots), dtype=np.int64),
        np.zeros((largest + 1, n_slots), dtype=np.int64),
        np.zeros((largest + 1, n_slots), dtype=np.int64),
        np.empty(n_items + 1, dtype=np.int32),
        np.zeros(largest + 2, dtype=np.int64),
        slots,
        weights,
    )


@step
def add_sets(tally, counts, row, r, n, sign):
    """Add the sets of at most ``r`` out of ``n`` items to the count in this row."""
    # A whole array and a row, because making a view of the row takes longer than the addition.
    if r >= 0 and n >= 0:
        # If no item may be added, it does not matter how many there are.
        m = n if r > 0 else 0
        counts[row, tally.slots[r, m]] += sign * tally.weights[r, m]


@step
def add_below(tally, size, r, n, sign):
    """Add the sets of at most ``r`` out of ``n`` items, the free ones among them, to those below the path."""
    add_sets(tally, tally.total, size, r, n, sign)
    add_sets(tally, tally.of_free, size, r - 1, n - 1, sign)


@step
def close_set(tally, path, size, n_slots):
    """Add what was counted below the path to its last item, to its free items and to the path above."""
    for f in range(tally.free_top[size - 1], tally.free_top[size]):
        for s in range(n_slots):
            tally.counts[tally.free_items[f], s] += tally.of_free[size, s]
    for s in range(n_slots):
        tally.counts[path[size - 1], s] += tally.total[size, s]
        tally.total[size - 1, s] += tally.total[size, s]
        tally.of_free[size - 1, s] += tally.of_free[size, s]
        tally.total[size, s] = 0
        tally.of_free[size, s] = 0
