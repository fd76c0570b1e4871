"""Counts of records that are read part by part: what to count is sent to each part, and the sums come back.

A round is a plain value with ``count(records)``; what it returns is added up with ``plus``. Whole numbers
alone are added, so neither the order of the parts nor who counts them changes anything. Items are names
across parts, each of which has codes of its own.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from math import comb
from typing import Any

import numpy as np

from withhold.counting.jit import kernel
from withhold.counting.named_rows import rows_of_names
from withhold.counting.pairs import MOST_CELLS, count_block
from withhold.counting.threads import Stop
from withhold.counting.triples import TripleRound, triple_rounds
from withhold.data import Records
from withhold.data.array_types import Ints, Longs
from withhold.errors import InputError

MOST_SETS = 1 << 22
"""Sets whose counts are held at once, 64 MB; if there may be more, they are counted in several rounds."""
MOST_LISTED = 1 << 21
"""Sets of a part that are listed before equal ones are merged."""
CELLS_FOR_SET = 16
"""Counting in this many cells takes no longer than listing one set."""
MOST_TRIPLES = 1 << 29
"""Sets of three that are counted in cells in all rounds together, a byte each: those of 1,477 items."""
TOO_MANY = 1 << 26
"""Sets with one and the same first item that are refused."""


@dataclass(frozen=True)
class ItemRound:
    """How many records hold each item."""

    def count(self, records: Records) -> ItemSums:
        """Of one part."""
        supports = zip(records.vocabulary, records.supports.tolist(), strict=True)
        return ItemSums(len(records), Counter({name: n for name, n in supports if n}))


@dataclass(frozen=True)
class ItemSums:
    """How many records there are, and how many of them hold each item."""

    records: int
    supports: Counter[str]

    def plus(self, other: ItemSums) -> ItemSums:
        """Of both together."""
        return ItemSums(self.records + other.records, self.supports + other.supports)


@dataclass(frozen=True)
class SetRound:
    """How many records hold each set of ``size`` public items, and of these each private item.

    A set has a key: its items as digits, in the order of ``public``. The last digit is 0 for the set alone,
    and n + 1 for the set with private item n.
    """

    public: tuple[str, ...]
    private: tuple[str, ...]
    size: int
    first: int
    last: int
    """Only sets whose first item is from ``first`` to before ``last``."""

    def count(self, records: Records) -> SetSums:
        """Of one part."""
        offsets, items = rows_of_names(records, self.public)
        if self.size == 2 and not self.private:
            return self._pairs(offsets, items)
        sums = SetSums.of(np.zeros(0, np.int64))
        private = rows_of_names(records, self.private)
        keys, cursor = np.empty(MOST_LISTED, np.int64), np.zeros(2, np.int64)
        bases = np.array([len(self.public), len(self.private) + 1, self.size], dtype=np.int64)
        while True:
            listed = list_sets(
                offsets, items, *private, (self.first, self.last), bases, keys, cursor
            )
            sums = sums.plus(SetSums.of(keys[:listed]))
            if cursor[0] >= len(records):
                return sums
            if listed == 0:
                keys = np.empty(2 * len(keys), np.int64)

    def _pairs(self, offsets: Longs, items: Ints) -> SetSums:
        """The pairs, without private items: counted in tables, which is faster."""
        n, bounds = (
            len(self.public),
            [*range(self.first, self.last, max(MOST_CELLS // len(self.public), 1))],
        )
        blocks = [
            count_block((offsets, items), n, first, last, Stop())
            for first, last in pairwise([*bounds, self.last])
        ]
        keys = np.concatenate([block.lower * n + block.higher for block in blocks])
        return SetSums(keys, np.concatenate([block.counts for block in blocks]))

    def sets_of(self, keys: Longs) -> Longs:
        """The items of each key, a row each."""
        rest, columns = keys // (len(self.private) + 1), []
        for _ in range(self.size):
            rest, digit = np.divmod(rest, len(self.public))
            columns.append(digit)
        return np.stack(columns[::-1], axis=1)


@dataclass(frozen=True, eq=False)
class SetSums:
    """Keys of sets, ascending, with the number of records that hold each."""

    keys: Longs
    counts: Longs

    @classmethod
    def of(cls, keys: Longs) -> SetSums:
        """Of keys that are listed once for each record."""
        found, counts = np.unique(keys, return_counts=True)
        return cls(found, counts.astype(np.int64))

    def plus(self, other: SetSums) -> SetSums:
        """Of both together."""
        keys = np.concatenate([self.keys, other.keys])
        if len(keys) == 0:
            return self
        # Two ascending runs, which the stable sort only has to merge.
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
        counts = np.concatenate([self.counts, other.counts])[order]
        return SetSums(keys[starts], np.add.reduceat(counts, starts))


@dataclass(frozen=True)
class LoadRound:
    """How many sets of the wanted size, with and without a private item, begin with each public item."""

    sets: SetRound

    def count(self, records: Records) -> Loads:
        """Of one part; a set counts as often as there are records with it."""
        offsets, items = rows_of_names(records, self.sets.public)
        lengths = np.diff(offsets)
        after = np.repeat(offsets[1:], lengths) - np.arange(len(items)) - 1
        ways = np.array(
            [comb(n, self.sets.size - 1) for n in range(int(lengths.max(initial=0)) + 1)]
        )
        private = np.diff(rows_of_names(records, self.sets.private)[0]) + 1
        weights = ways[after] * np.repeat(private, lengths)
        loads = np.zeros(len(self.sets.public), dtype=np.int64)
        np.add.at(loads, items, weights)
        return Loads(loads)


@dataclass(frozen=True, eq=False)
class Loads:
    """By item, whole numbers."""

    loads: Longs

    def plus(self, other: Loads) -> Loads:
        """Of both together."""
        return Loads(self.loads + other.loads)


def rounds_of(
    wanted: SetRound, *, cap: int | None = None
) -> Generator[Any, Any, list[SetRound | TripleRound]]:
    """The rounds in which these sets are counted; first asks how many there are if they might not fit.

    With a ``cap``, above which it does not matter how many records hold a set, sets of three without private
    items are counted in cells if that takes no more rounds.
    """
    most = cells_of(wanted)
    if sum(most) > MOST_SETS:
        found = yield LoadRound(wanted)
        few = sum(most) <= min(CELLS_FOR_SET * int(found.loads.sum()), MOST_TRIPLES)
        if cap is not None and wanted.size == 3 and not wanted.private and few:
            return list(triple_rounds(wanted.public, cap))
        most = np.minimum(most, found.loads).tolist()
    return list(rounds_for(wanted, most))


def cells_of(wanted: SetRound) -> list[int]:
    """How many sets can begin with each item, each alone and with each private one."""
    n = len(wanted.public)
    return [comb(n - a - 1, wanted.size - 1) * (len(wanted.private) + 1) for a in range(n)]


def rounds_for(wanted: SetRound, most: list[int]) -> Iterator[SetRound]:
    """The round, or several with some of the first items each, so that the counts of each fit into memory."""
    if len(wanted.public) ** wanted.size * (len(wanted.private) + 1) >= 2**63:
        raise InputError(
            f"{len(wanted.public):,} items are too many to count sets of {wanted.size} by parts",
            remedy="choose a smaller p or m, or a larger k",
        )
    first, room = 0, MOST_SETS
    for item, sets in enumerate(most):
        if sets > TOO_MANY:
            raise InputError(
                f"the records hold up to {sets:,} sets of {wanted.size} items with one and the same item, "
                "more than can be counted by parts",
                remedy="choose a smaller p or m, or a larger k",
            )
        if sets > room and item > first:
            yield replace(wanted, first=first, last=item)
            first, room = item, MOST_SETS
        room -= sets
    if first < len(most):
        yield replace(wanted, first=first, last=len(most))


@kernel
def list_sets(offsets, items, private_offsets, private_items, roots, bases, keys, cursor):
    """Fill ``keys`` with the keys of the sets in rows, from the cursor on; how many there are.

    Sets begin with items from ``roots[0]`` to before ``roots[1]``; ``bases``: how many items there are, how
    many private ones plus one, and how many items a set has. The cursor, a row and the place of an item in
    it, is where the next call must continue.
    """
    n, width, size = bases[0], bases[1], bases[2]
    places = np.zeros(size, np.int64)
    top = np.int64(0)
    row, begin = cursor[0], cursor[1]
    while row < len(offsets) - 1:
        length = offsets[row + 1] - offsets[row]
        n_keys = private_offsets[row + 1] - private_offsets[row] + 1
        while begin + size <= length and items[offsets[row] + begin] < roots[1]:
            if items[offsets[row] + begin] < roots[0]:
                begin += 1
                continue
            before = top
            for d in range(size):
                places[d] = begin + d
            full = False
            while True:
                if top + n_keys > len(keys):
                    full = True
                    break
                key = np.int64(0)
                for d in range(size):
                    key = key * n + items[offsets[row] + places[d]]
                keys[top] = key * width
                for q in range(private_offsets[row], private_offsets[row + 1]):
                    keys[top + 1 + q - private_offsets[row]] = key * width + private_items[q] + 1
                top += n_keys
                # The next choice of the places behind the first.
                d = size - 1
                while d > 0 and places[d] == length - size + d:
                    d -= 1
                if d == 0:
                    break
                places[d] += 1
                for e in range(d + 1, size):
                    places[e] = places[e - 1] + 1
            if full:
                cursor[0], cursor[1] = row, begin
                return before
            begin += 1
        row += 1
        begin = 0
    cursor[0], cursor[1] = row, 0
    return top
