"""Which frequent itemsets of the original are frequent in the release too.

In: the frequent itemsets of both. Out: ``ItemsetChanges``, in all and by size.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from withhold.mining.miner import Itemsets


@dataclass(frozen=True)
class SizeChange:
    """Frequent itemsets of one size: before, after, and in both."""

    size: int
    before: int
    after: int
    kept: int

    @property
    def lost(self) -> int:
        return self.before - self.kept

    @property
    def new(self) -> int:
        return self.after - self.kept

    @property
    def share_kept(self) -> float:
        """The share of those before that are still there; 1 if there were none."""
        return self.kept / self.before if self.before else 1.0


@dataclass(frozen=True)
class ItemsetChanges:
    """Frequent itemsets before and after."""

    min_support: str
    """As it was asked for."""
    min_count: int
    """The records that an itemset needs in the original."""
    published_min_count: int
    """The records that it needs in the release."""
    max_size: int | None
    """Only itemsets of up to so many items were listed, since there are too many; None: all were."""
    by_size: tuple[SizeChange, ...]

    @property
    def before(self) -> int:
        return sum(change.before for change in self.by_size)

    @property
    def after(self) -> int:
        return sum(change.after for change in self.by_size)

    @property
    def kept(self) -> int:
        return sum(change.kept for change in self.by_size)

    @property
    def lost(self) -> int:
        return self.before - self.kept

    @property
    def new(self) -> int:
        return self.after - self.kept

    @property
    def share_kept(self) -> float:
        """The share of those before that are still there; 1 if there were none."""
        return self.kept / self.before if self.before else 1.0


def compare_by_size(before: Itemsets, after: Itemsets) -> tuple[SizeChange, ...]:
    """How many itemsets of each size there are before, after, and in both."""
    kept = before.sizes[before.places_in(after) >= 0]
    counts = [np.bincount(sizes) for sizes in (before.sizes, after.sizes, kept)]
    largest = max(len(count) for count in counts)
    old, new, both = (np.pad(count, (0, largest - len(count))) for count in counts)
    return tuple(
        SizeChange(size, int(old[size]), int(new[size]), int(both[size]))
        for size in range(1, largest)
    )
