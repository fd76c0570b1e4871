"""Where occurrences were lost: in total, by item, by record and by the length of the record.

In: an original and its release, aligned. Out: ``Occurrences``. A release may have other rows than its
original, or items that its original lacks; then what can still be measured is measured.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from withhold.data.array_types import Bools, Longs
from withhold.data.profile import length_bins
from withhold.measure.alignment import Pair
from withhold.telling.shares import ShareOf

N_BY_LENGTH = 6
"""How many columns ``Tally.lengths`` has."""


@dataclass(frozen=True)
class Removal:
    """Occurrences of some items: how many there were and how many were removed."""

    total: int
    removed: int

    share = ShareOf(
        "removed", "total", "The share that was removed; 0 if there was nothing to remove."
    )


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
    """How many records lost this many occurrences."""

    lost: int
    records: int

    @classmethod
    def each(cls, records: Longs) -> tuple[LostChange, ...]:
        """One for each number of occurrences that some record lost; ``records[n]`` records lost ``n``."""
        return tuple(cls(int(lost), int(records[lost])) for lost in np.flatnonzero(records))


@dataclass(frozen=True)
class Occurrences:
    """What was removed, and where. What needs record-by-record comparison is None if rows differ."""

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
    """How many records lost 0, 1, 2, … occurrences; numbers that no record lost are left out."""
    by_record: Longs | None = field(default=None, repr=False, compare=False)
    """For each record, how many occurrences it lost."""


@dataclass(frozen=True)
class Tally:
    """What was removed from some records, in counts that can be summed over parts of the records."""

    before: Longs
    """By item: the records of the original that hold it."""
    after: Longs
    gone: Longs
    """By item: the records that lost it."""
    added: Longs
    lengths: Longs
    """By the length that records had, a column each: records, emptied ones, occurrences, removed ones,
    sensitive occurrences, removed ones."""
    lost: Longs
    """By number of occurrences: how many records lost that many."""

    @classmethod
    def least(cls, before: Longs, after: Longs) -> Tally:
        """The least that must have been removed, from the supports alone, if records cannot be matched."""
        gone, added = np.maximum(before - after, 0), np.maximum(after - before, 0)
        none = np.zeros((N_BY_LENGTH, 0), dtype=np.int64)
        return cls(before, after, gone, added, none, none[0])

    def __add__(self, other: Tally) -> Tally:
        """What was removed from both; the items must be the same."""
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Tally(*(_added(*pair) for pair in pairs))


def _added(one: Longs, other: Longs) -> Longs:
    """The sum of two lists of counts, of which the shorter one has zeros at its end."""
    longer, shorter = (one, other) if one.shape[-1] >= other.shape[-1] else (other, one)
    total = longer.copy()
    total[..., : shorter.shape[-1]] += shorter
    return total


def measure_occurrences(pair: Pair, sensitive: Bools) -> Occurrences:
    """What was removed from ``pair.original``; ``sensitive`` marks item codes."""
    if not pair.same_rows:
        tally = Tally.least(pair.original.supports, pair.published.supports)
        return occurrences_of(tally, pair.vocabulary, sensitive, same_rows=False)
    tally, lost = tally_rows(pair, sensitive)
    found = occurrences_of(tally, pair.vocabulary, sensitive, same_rows=True)
    return replace(found, by_record=lost)


def occurrences_of(
    tally: Tally, vocabulary: tuple[str, ...], sensitive: Bools, *, same_rows: bool
) -> Occurrences:
    """The measures that follow from a tally; ``same_rows``: its records could be compared one by one."""
    before, after = tally.before, tally.after
    changed = np.flatnonzero(before != after)
    order = changed[np.lexsort((changed, -np.abs(before - after)[changed]))].tolist()
    all_of_them, marked, others = (
        Removal(int(before[which].sum()), int(tally.gone[which].sum()))
        for which in (slice(None), sensitive, ~sensitive)
    )
    return Occurrences(
        all_of_them,
        marked,
        others,
        added=int(tally.added.sum()),
        items_gone=int(((before > 0) & (after == 0)).sum()),
        by_item=tuple(
            ItemChange(vocabulary[n], bool(sensitive[n]), int(before[n]), int(after[n]))
            for n in order
        ),
        **(_by_record(tally) if same_rows else {}),
    )


def tally_rows(pair: Pair, sensitive: Bools) -> tuple[Tally, Longs]:
    """The tally of records that are compared one by one, and how many occurrences each lost."""
    before, after = pair.original, pair.published
    lengths, n_items = before.lengths, before.n_items
    rows = np.repeat(np.arange(len(lengths)), lengths)
    lost = np.bincount(rows[pair.removed], minlength=len(lengths)).astype(np.int64)
    emptied = (lengths > 0) & (after.lengths == 0)
    marked, of_each = sensitive[before.items], lengths[rows]
    counted = (
        *(lengths, lengths[emptied]),
        *(of_each, of_each[pair.removed]),
        *(of_each[marked], of_each[pair.removed & marked]),
    )
    longest = int(lengths.max(initial=0))
    tally = Tally(
        before.supports,
        after.supports,
        np.bincount(before.items[pair.removed], minlength=n_items).astype(np.int64),
        np.bincount(after.items[pair.added], minlength=n_items).astype(np.int64),
        np.array([np.bincount(each, minlength=longest + 1) for each in counted], dtype=np.int64),
        np.bincount(lost).astype(np.int64),
    )
    return tally, lost


def _by_record(tally: Tally) -> dict[str, Any]:
    """The measures that need records to be compared one by one."""
    by_length = []
    for shortest, longest, records in length_bins(tally.lengths[0]):
        if records:
            _, emptied, *counts = tally.lengths[:, shortest : longest + 1].sum(axis=1).tolist()
            losses = Removal(*counts[:2]), Removal(*counts[2:])
            by_length.append(LengthChange(shortest, longest, records, emptied, *losses))
    return {
        "records_touched": int(tally.lost[1:].sum()),
        "records_emptied": int(tally.lengths[1].sum()),
        "by_length": tuple(by_length),
        "by_lost": LostChange.each(tally.lost),
    }
