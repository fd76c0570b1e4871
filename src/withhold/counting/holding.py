"""Which records hold one of some listed sets of up to three items, over parts."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from withhold.counting.jit import kernel, step
from withhold.counting.named_rows import rows_of_names
from withhold.data import Records
from withhold.data.array_types import Longs


@dataclass(frozen=True, eq=False)
class ListedSets:
    """Sets of ``size`` items as keys, ascending, whose digits are items in the order of the names."""

    names: tuple[str, ...]
    size: int
    keys: Longs

    @classmethod
    def of(cls, names: tuple[str, ...], sets: Longs) -> ListedSets:
        """The sets, a row of ascending numbers each."""
        keys = np.zeros(len(sets), dtype=np.int64)
        for column in range(sets.shape[1]):
            keys = keys * len(names) + sets[:, column]
        return cls(names, sets.shape[1], np.sort(keys))


@dataclass(frozen=True, eq=False)
class HoldingRound:
    """How many records hold any of the sets."""

    listed: tuple[ListedSets, ...]

    def count(self, records: Records) -> HoldingSums:
        """Of one part."""
        marked = np.zeros(len(records), dtype=np.bool_)
        for each in self.listed:
            rows = rows_of_names(records, each.names)
            mark_holding(*rows, len(each.names), each.size, each.keys, marked)
        return HoldingSums(int(marked.sum()))


@dataclass(frozen=True)
class HoldingSums:
    """How many records."""

    records: int

    def plus(self, other: HoldingSums) -> HoldingSums:
        """Of both together."""
        return HoldingSums(self.records + other.records)


@step
def is_listed(keys, key):
    """Whether the key is one of the ascending keys."""
    low, high = 0, len(keys)
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low < len(keys) and keys[low] == key


@kernel
def mark_holding(offsets, items, n, size, keys, marked):
    """Mark the rows that hold a set of ``size`` items, one to three, whose key is listed."""
    for row in range(len(offsets) - 1):
        end = offsets[row + 1]
        found = marked[row]
        i = offsets[row]
        while i < end and not found:
            first = np.int64(items[i])
            if size == 1:
                found = is_listed(keys, first)
            j = i + 1
            while size > 1 and j < end and not found:
                both = first * n + items[j]
                if size == 2:
                    found = is_listed(keys, both)
                k = j + 1
                while size > 2 and k < end and not found:
                    found = is_listed(keys, both * n + items[k])
                    k += 1
                j += 1
            i += 1
        marked[row] = found
