"""Where occurrences were lost: in all, by item, by record and by the length of the record.

In: an original and its release, aligned. Out: ``Occurrences``. A release may have other rows than its
original, or items that its original lacks; then what can still be said is said.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from withhold.data import Records
from withhold.data.profile import length_bins
from withhold.measure.alignment import Pair, rows_of

Flags = NDArray[np.bool_]
Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Part:
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
    all: Part
    sensitive: Part


@dataclass(frozen=True)
class LostChange:
    """How many records lost so many occurrences."""

    lost: int
    records: int


@dataclass(frozen=True)
class Occurrences:
    """What went, and where. What needs record-by-record comparison is None if rows differ."""

    all: Part
    sensitive: Part
    others: Part
    added: int
    records_touched: int | None
    records_emptied: int | None
    items_gone: int
    by_item: tuple[ItemChange, ...]
    """Items whose support changed, the largest change first."""
    by_length: tuple[LengthChange, ...] | None
    """By the length that the record had."""
    by_lost: tuple[LostChange, ...] | None
    """How many records lost 0, 1, 2, … occurrences; where there is none, it is left out."""
    by_record: Longs | None = field(repr=False, compare=False)
    """For each record how many occurrences it lost."""


def measure_occurrences(pair: Pair, sensitive: Flags) -> Occurrences:
    """What went from ``pair.original``; ``sensitive`` marks item codes."""
    before, after = pair.original.supports, pair.published.supports
    changed = np.flatnonzero(before != after)
    order = changed[np.lexsort((changed, -np.abs(before - after)[changed]))]
    by_item = tuple(
        ItemChange(
            pair.vocabulary[code], bool(sensitive[code]), int(before[code]), int(after[code])
        )
        for code in order
    )
    items_gone = int(((before > 0) & (after == 0)).sum())
    if not pair.same_rows:
        # Without knowing which record is which, supports say the least that must have happened.
        fallen = np.maximum(before - after, 0)
        return Occurrences(
            all=Part(int(before.sum()), int(fallen.sum())),
            sensitive=Part(int(before[sensitive].sum()), int(fallen[sensitive].sum())),
            others=Part(int(before[~sensitive].sum()), int(fallen[~sensitive].sum())),
            added=int(np.maximum(after - before, 0).sum()),
            records_touched=None,
            records_emptied=None,
            items_gone=items_gone,
            by_item=by_item,
            by_length=None,
            by_lost=None,
            by_record=None,
        )
    marked = sensitive[pair.original.items]
    lost = _per_record(pair.original, pair.removed)
    emptied = (pair.original.lengths > 0) & (pair.published.lengths == 0)
    counts = np.bincount(lost)
    return Occurrences(
        all=_part(pair.removed),
        sensitive=_part(pair.removed[marked]),
        others=_part(pair.removed[~marked]),
        added=int(pair.added.sum()),
        records_touched=int((lost > 0).sum()),
        records_emptied=int(emptied.sum()),
        items_gone=items_gone,
        by_item=by_item,
        by_length=_by_length(pair, marked, emptied),
        by_lost=tuple(LostChange(int(n), int(counts[n])) for n in np.flatnonzero(counts)),
        by_record=lost,
    )


def _part(removed: Flags) -> Part:
    return Part(len(removed), int(removed.sum()))


def _per_record(table: Records, chosen: Flags) -> Longs:
    return np.bincount(rows_of(table)[chosen], minlength=len(table)).astype(np.int64)


def _by_length(pair: Pair, marked: Flags, emptied: Flags) -> tuple[LengthChange, ...]:
    lengths = pair.original.lengths
    length_of_each = np.repeat(lengths, lengths)
    changes = []
    for shortest, longest, records in length_bins(lengths):
        if not records:
            continue
        here = (length_of_each >= shortest) & (length_of_each <= longest)
        rows = (lengths >= shortest) & (lengths <= longest)
        changes.append(
            LengthChange(
                shortest,
                longest,
                records,
                emptied=int(emptied[rows].sum()),
                all=_part(pair.removed[here]),
                sensitive=_part(pair.removed[here & marked]),
            )
        )
    return tuple(changes)
