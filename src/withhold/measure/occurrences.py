"""Where occurrences were lost: in all, by item, by record and by the length of the record.

In: an original and its release, aligned. Out: ``Occurrences``. A release may have other rows than its
original, or items that its original lacks; then what can still be said is said.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from withhold.data.array_types import Bools, Longs
from withhold.data.profile import length_bins
from withhold.measure.alignment import Pair


@dataclass(frozen=True)
class Removal:
    """Occurrences of some items: how many there were and how many went."""

    total: int
    removed: int

    @property
    def share(self) -> float:
        """The share that was removed; 0 if there was nothing to remove."""
        return self.removed / self.total if self.total else 0.0


@dataclass(frozen=True)
class ItemChange:
    """An item, with the number of records that held it before and after."""

    item: str
    sensitive: bool
    before: int
    after: int


@dataclass(frozen=True)
class LengthChange:
    """The records of some lengths in the original, and what they lost."""

    shortest: int
    longest: int
    records: int
    emptied: int
    all: Removal
    sensitive: Removal


@dataclass(frozen=True)
class LostChange:
    """How many records lost so many occurrences."""

    lost: int
    records: int


@dataclass(frozen=True)
class Occurrences:
    """What went, and where. What needs record-by-record comparison is None if rows differ."""

    all: Removal
    sensitive: Removal
    others: Removal
    added: int
    records_touched: int | None = field(default=None, kw_only=True)
    records_emptied: int | None = field(default=None, kw_only=True)
    items_gone: int
    by_item: tuple[ItemChange, ...]
    """Items whose support changed, the largest change first."""
    by_length: tuple[LengthChange, ...] | None = None
    """By the length that the record had."""
    by_lost: tuple[LostChange, ...] | None = None
    """How many records lost 0, 1, 2, … occurrences; where there is none, it is left out."""
    by_record: Longs | None = field(default=None, repr=False, compare=False)
    """For each record how many occurrences it lost."""


def measure_occurrences(pair: Pair, sensitive: Bools) -> Occurrences:
    """What went from ``pair.original``; ``sensitive`` marks item codes."""
    before, after = pair.original.supports, pair.published.supports
    # Without knowing which record is which, supports say the least that must have happened.
    gone, added = np.maximum(before - after, 0), np.maximum(after - before, 0)
    if pair.same_rows:
        gone = np.bincount(pair.original.items[pair.removed], minlength=len(before))
        added = pair.added
    changed = np.flatnonzero(before != after)
    order = changed[np.lexsort((changed, -np.abs(before - after)[changed]))].tolist()
    all_of_them, marked, others = (
        Removal(int(before[which].sum()), int(gone[which].sum()))
        for which in (slice(None), sensitive, ~sensitive)
    )
    return Occurrences(
        all_of_them,
        marked,
        others,
        added=int(added.sum()),
        items_gone=int(((before > 0) & (after == 0)).sum()),
        by_item=tuple(
            ItemChange(pair.vocabulary[n], bool(sensitive[n]), int(before[n]), int(after[n]))
            for n in order
        ),
        **(_by_record(pair, sensitive) if pair.same_rows else {}),
    )


def _by_record(pair: Pair, sensitive: Bools) -> dict[str, Any]:
    """What can be told where records can be compared one by one."""
    lengths = pair.original.lengths
    rows = np.repeat(np.arange(len(lengths)), lengths)
    lost = np.bincount(rows[pair.removed], minlength=len(lengths)).astype(np.int64)
    emptied = (lengths > 0) & (pair.published.lengths == 0)
    counts = np.bincount(lost)
    marked, length_of_each = sensitive[pair.original.items], lengths[rows]
    by_length = []
    for shortest, longest, records in length_bins(lengths):
        if records:
            here = (length_of_each >= shortest) & (length_of_each <= longest)
            inside = (lengths >= shortest) & (lengths <= longest)
            parts = (pair.removed[here], pair.removed[here & marked])
            losses = (Removal(len(removed), int(removed.sum())) for removed in parts)
            emptied_here = int(emptied[inside].sum())
            by_length.append(LengthChange(shortest, longest, records, emptied_here, *losses))
    return {
        "records_touched": int((lost > 0).sum()),
        "records_emptied": int(emptied.sum()),
        "by_length": tuple(by_length),
        "by_lost": tuple(LostChange(int(n), int(counts[n])) for n in np.flatnonzero(counts)),
        "by_record": lost,
    }
