"""Which sets of three items are in few records, over parts: a byte for each set that there could be.

Whoever asks whether a set is in at least ``cap`` records need not know in how many more it is. So a cell
counts up to the cap, and so does the sum of cells: min(a + b, cap) is what both parts hold, up to the cap.
Listing and sorting the sets that records hold takes eight bytes for each of them, and far more time.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.counting.jit import kernel
from withhold.counting.named_rows import rows_of_names
from withhold.data import Records
from withhold.data.array_types import Bools, Longs

MOST_CELLS = 1 << 26
"""The most cells of a round."""


@dataclass(frozen=True)
class TripleRound:
    """How many records hold each set of three items, up to ``cap``.

    >>> asked = TripleRound(("a", "b", "c", "d"), 0, 4, cap=2)
    >>> sums = asked.count(Records.from_lists([["a", "b", "c"], ["a", "b", "c", "d"], ["b", "c"]]))
    >>> sums.n_sets, [each.tolist() for each in asked.rare(sums)]
    (4, [[[0, 1, 3], [0, 2, 3], [1, 2, 3]], [1, 1, 1]])
    """

    public: tuple[str, ...]
    first: int
    last: int
    """Of sets whose first item has one of these numbers."""
    cap: int
    private: tuple[str, ...] = ()

    def count(self, records: Records) -> TripleSums:
        """Of one part."""
        starts = self.starts()
        cells = np.zeros(int(starts[-1]), dtype=np.min_scalar_type(self.cap))
        offsets, items = rows_of_names(records, self.public)
        count_triples(offsets, items, (self.first, len(self.public)), starts, self.cap, cells)
        return TripleSums(cells, self.cap)

    def starts(self) -> Longs:
        """By first item, where its cells begin; and where the last ones end."""
        return starts_of_cells(len(self.public), self.first, self.last)

    def rare(self, sums: TripleSums, most: int | None = None) -> tuple[Longs, Longs]:
        """The first sets held by some record, but fewer than ``cap``: a row each; and by how many."""
        starts, n = self.starts(), len(self.public)
        places = np.flatnonzero(sums.is_rare)[:most]
        root = np.searchsorted(starts, places, side="right") - 1
        sets = np.empty((len(places), 3), dtype=np.int64)
        sets[:, 0] = root + self.first
        bounds = np.searchsorted(root, np.arange(self.last - self.first + 1))
        for a, begin, end in zip(
            range(self.first, self.last), bounds[:-1].tolist(), bounds[1:].tolist(), strict=True
        ):
            if begin == end:
                continue
            others = n - a - 1
            rows = np.concatenate([[0], np.cumsum(np.arange(others - 1, 0, -1))])
            within = places[begin:end] - starts[a - self.first]
            second = np.searchsorted(rows, within, side="right") - 1
            sets[begin:end, 1] = second + a + 1
            sets[begin:end, 2] = within - rows[second] + second + a + 2
        return sets, sums.cells[places].astype(np.int64)


@dataclass(frozen=True, eq=False)
class TripleSums:
    """A cell for each set: how many records hold it, up to the cap."""

    cells: NDArray[Any]
    cap: int

    def plus(self, other: TripleSums) -> TripleSums:
        """Of both together."""
        room = np.subtract(self.cap, self.cells, dtype=self.cells.dtype)
        np.minimum(room, other.cells, out=room)
        return TripleSums(np.add(room, self.cells, out=room), self.cap)

    @property
    def is_rare(self) -> Bools:
        """By cell: whether some record holds the set, and fewer than ``cap`` do."""
        found: Bools = (self.cells > 0) & (self.cells < self.cap)
        return found

    @property
    def n_sets(self) -> int:
        """How many sets some record holds."""
        return int(np.count_nonzero(self.cells))


def starts_of_cells(n: int, first: int, last: int) -> Longs:
    """By first item where its sets of three of ``n`` items begin, and where the last ones end."""
    sizes = [comb(n - a - 1, 2) for a in range(first, last)]
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)


def triple_rounds(public: tuple[str, ...], cap: int) -> Iterator[TripleRound]:
    """The rounds in which all sets of three are counted, each with at most ``MOST_CELLS`` cells if it can."""
    n, first, room = len(public), 0, MOST_CELLS
    for item in range(n):
        cells = comb(n - item - 1, 2)
        if cells > room and item > first:
            yield TripleRound(public, first, item, cap)
            first, room = item, MOST_CELLS
        room -= cells
    if first < n:
        yield TripleRound(public, first, n, cap)


@kernel
def count_triples(offsets, items, bounds, starts, cap, cells):
    """Add each set of three of a row, whose first item is ``bounds[0]`` + r, to its cell, up to the cap.

    Rows ascend. The cells of r begin at ``starts[r]``: those of its second item's first choice first.
    ``bounds[1]`` is how many items there are.
    """
    first, n = bounds[0], bounds[1]
    last = first + len(starts) - 1
    for row in range(len(offsets) - 1):
        end = offsets[row + 1]
        for i in range(offsets[row], end - 2):
            a = items[i]
            if a >= last:
                break
            if a < first:
                continue
            others = np.int64(n - a - 1)
            for j in range(i + 1, end - 1):
                b = np.int64(items[j] - a - 1)
                base = starts[a - first] + b * (2 * others - b - 1) // 2 - b - 1
                for k in range(j + 1, end):
                    cell = base + items[k] - a - 1
                    if cells[cell] < cap:
                        cells[cell] += 1
