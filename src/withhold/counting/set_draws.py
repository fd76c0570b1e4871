"""Known items drawn at random: sets of a size out of rows, each row with a weight of its own."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from withhold.data.array_types import Ints, Longs


def draw_places(lengths: Longs, size: int, generator: np.random.Generator) -> Longs:
    """For each of the lengths, ``size`` different places below it, ascending.

    Floyd's method of drawing without replacement, for all draws at once: it never lists a long row.
    """
    chosen = np.full((len(lengths), size), -1, dtype=np.int64)
    for k in range(size):
        last = lengths - size + k
        drawn = generator.integers(0, last + 1)
        taken = (chosen == drawn[:, None]).any(axis=1)
        chosen[:, k] = np.where(taken, last, drawn)
    return np.sort(chosen, axis=1)


@dataclass(frozen=True)
class Frame:
    """A sampling frame: rows of ascending ranks, of which sets, or rules with a marked item, are drawn."""

    offsets: Longs
    items: Ints
    marked: Longs
    """The places in ``items`` of what may follow from the others; in the order of the places."""
    marked_offsets: Longs

    @classmethod
    def of(
        cls, offsets: Longs, items: Ints, there: NDArray[np.bool_], marked: NDArray[np.bool_]
    ) -> Frame:
        """The frame of those occurrences that are ``there``; both have one value for each occurrence."""
        kept = np.flatnonzero(there)
        before = np.concatenate([[0], np.cumsum(there, dtype=np.int64)])
        inside = marked[kept]
        marks = np.concatenate([[0], np.cumsum(inside, dtype=np.int64)])
        ends = before[offsets]
        return cls(ends, items[kept], np.flatnonzero(inside), marks[ends])

    @property
    def lengths(self) -> Longs:
        return np.diff(self.offsets)

    def n_sets(self, size: int) -> int:
        """In how many ways a row and ``size`` of its items can be chosen."""
        return sum(_ways(self.lengths, np.ones(len(self.lengths), dtype=np.int64), size)[0])

    def n_rules(self, size: int) -> int:
        """In how many ways a row, a marked item of it and ``size`` other items of it can be chosen."""
        return sum(_ways(self.lengths - 1, np.diff(self.marked_offsets), size)[0])

    def draw_sets(
        self, size: int, samples: int, generator: np.random.Generator
    ) -> tuple[Ints, Ints]:
        """Rows and sets of ``size`` of their ranks, all choices equally likely."""
        weights = _ways(self.lengths, np.ones(len(self.lengths), dtype=np.int64), size)[1]
        rows = _draw_rows(weights, samples, generator)
        places = self.offsets[rows][:, None] + draw_places(self.lengths[rows], size, generator)
        return rows.astype(np.int32), self.items[places]

    def draw_rules(
        self, size: int, samples: int, generator: np.random.Generator
    ) -> tuple[Ints, Ints, Ints]:
        """Rows, a marked rank of each and sets of ``size`` of its other ranks, all choices equally likely."""
        many = np.diff(self.marked_offsets)
        rows = _draw_rows(_ways(self.lengths - 1, many, size)[1], samples, generator)
        chosen = self.marked[self.marked_offsets[rows] + generator.integers(0, many[rows])]
        places = self.offsets[rows][:, None] + draw_places(self.lengths[rows] - 1, size, generator)
        # The other items: from the marked one on, everything is one place further.
        places += places >= chosen[:, None]
        return rows.astype(np.int32), self.items[chosen], self.items[places]


def _ways(lengths: Longs, times: Longs, size: int) -> tuple[list[int], NDArray[np.float64]]:
    """``times`` × (length choose size): exactly, by pair of these, and row by row as weights."""
    width = int(times.max(initial=0)) + 1
    pairs, place, rows = np.unique(
        np.maximum(lengths, 0) * width + times, return_inverse=True, return_counts=True
    )
    ways = [comb(pair // width, size) * (pair % width) for pair in pairs.tolist()]
    exact = [way * many for way, many in zip(ways, rows.tolist(), strict=True)]
    return exact, np.array(ways, dtype=np.float64)[place.reshape(-1)]


def _draw_rows(
    weights: NDArray[np.float64], samples: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    up_to = np.cumsum(weights / weights.sum())
    drawn = np.searchsorted(up_to, generator.random(samples) * up_to[-1], side="right")
    # Rounding may point past the last row that can be drawn at all.
    rows: NDArray[np.int64] = np.minimum(drawn, np.flatnonzero(weights)[-1])
    return rows
