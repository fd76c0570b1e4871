"""The nuggets as a list, if there are not too many: mined once, then only looked up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from withhold.data import Records
from withhold.data.array_types import Bools, Longs
from withhold.data.spans import spans, starts_of
from withhold.mining.miner import Itemsets, list_itemsets

MOST_NUGGETS = 500_000
"""More are counted without a list."""


@dataclass(frozen=True, eq=False)
class ListedNuggets:
    """Counts by item code, as ``mole_counts.NuggetCounter``; ``alive`` says which public items are left."""

    itemsets: Itemsets
    private: Bools
    """By code; private items are never withheld."""

    @cached_property
    def _of_item(self) -> tuple[Longs, Longs]:
        """For each code where its part of the second array starts: the numbers of its sets."""
        order = np.argsort(self.itemsets.items, kind="stable")
        set_of_place = np.repeat(np.arange(len(self.itemsets)), self.itemsets.sizes)
        counts = np.bincount(self.itemsets.items, minlength=len(self.private))
        return starts_of(counts), set_of_place[order]

    def count_all(self, alive: Bools) -> int:
        """How many nuggets there are."""
        return len(self._living(np.arange(len(self.itemsets)), alive)[0])

    def count_each(self, alive: Bools) -> dict[int, int]:
        """How many nuggets each item is in."""
        return self._by_code(np.arange(len(self.itemsets)), alive)

    def count_shared(self, code: int, alive: Bools) -> dict[int, int]:
        """For each item how many nuggets it shares with this one, which is still alive."""
        starts, numbers = self._of_item
        return self._by_code(numbers[starts[code] : starts[code + 1]], alive)

    def _by_code(self, numbers: Longs, alive: Bools) -> dict[int, int]:
        _, items = self._living(numbers, alive)
        codes, counts = np.unique(items, return_counts=True)
        return dict(zip(codes.tolist(), counts.tolist(), strict=True))

    def _living(self, numbers: Longs, alive: Bools) -> tuple[Longs, Longs]:
        """Those of the sets all of whose items are left, and their items."""
        sizes = self.itemsets.sizes[numbers]
        starts = starts_of(sizes)
        items = self.itemsets.items[spans(self.itemsets.offsets[numbers], sizes)]
        gone = np.concatenate([[0], np.cumsum(~(alive | self.private)[items])])
        living = gone[starts[1:]] == gone[starts[:-1]]
        return numbers[living], items[np.repeat(living, sizes)]


def list_nuggets(
    records: Records, private: Iterable[str], support: int, jobs: int | None
) -> ListedNuggets | None:
    """The nuggets, or None if they are too many to be listed."""
    found = list_itemsets(records, support, most=MOST_NUGGETS, jobs=jobs)
    if found is None:
        return None
    is_private = np.zeros(records.n_items, dtype=bool)
    is_private[records.codes(private)] = True
    return ListedNuggets(found, is_private)
