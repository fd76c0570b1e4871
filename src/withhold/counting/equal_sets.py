"""How many records of all parts have exactly the same items: by digests for choosing, exactly for proofs.

A digest of 128 bits is the same for a set in every part and takes little memory, so many sets can be counted
at once. Two sets could have the same digest, however unlikely, so no proof may rest on digests: exact counts
compare the items themselves. Many sets are counted by *shelves*: some of the sets in each round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from withhold.counting.named_rows import rows_of_names
from withhold.counting.rounds import ItemRound, ItemSums
from withhold.data import Records
from withhold.data.array_types import Bools, Longs
from withhold.data.equal_rows import equal_slices
from withhold.data.spans import spans, starts_of

Digests = NDArray[np.uint64]
"""A row of two numbers for each set."""
MOST_DIGESTS = 1 << 21
"""Digests that are counted in one round: about 50 MB, and three times that while sums are added."""
MOST_EXACT = 1 << 19
"""Sets of items that are counted in one round: about 100 MB."""
ODD = np.uint64(0x9E3779B97F4A7C15)


def digests_of(records: Records) -> Digests:
    """For each record the digest of its set: the sum of those of its items.

    >>> one, other = digests_of(Records.from_lists([["tea", "beer"], ["beer", "tea"]])).tolist()
    >>> one == other
    True
    """
    made = (
        blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        for name in records.vocabulary
    )
    by_item = np.frombuffer(b"".join(made), dtype="<u8").reshape(-1, 2).astype(np.uint64)
    until = np.zeros((records.n_occurrences + 1, 2), dtype=np.uint64)
    # Sums of unsigned numbers wrap around, here and in the difference.
    np.cumsum(by_item[records.items], axis=0, out=until[1:])
    found: Digests = until[records.offsets[1:]] - until[records.offsets[:-1]]
    return found


@dataclass(frozen=True)
class Shelf:
    """Some of the sets: one shelf ``of`` so many."""

    number: int
    of: int

    def has(self, keys: NDArray[np.uint64]) -> Bools:
        """Which sets are on it, by a key of each set."""
        here: Bools = keys % np.uint64(self.of) == self.number
        return here


def shelves_for(n_sets: int, most: int) -> list[Shelf]:
    """The shelves of so many sets, each to be counted in a round of its own.

    >>> [len(shelves_for(n_sets, most=10)) for n_sets in (0, 10, 11)]
    [1, 1, 2]
    """
    n_shelves = max(-(-n_sets // most), 1)
    return [Shelf(number, n_shelves) for number in range(n_shelves)]


@dataclass(frozen=True)
class OverviewRound:
    """In how many records each item is, and how many different sets each part has."""

    def count(self, records: Records) -> Overview:
        """Of one part."""
        return Overview(ItemRound().count(records), len(_counted(digests_of(records))[0]))


@dataclass(frozen=True)
class Overview:
    """What is known before sets are counted."""

    items: ItemSums
    sets: int
    """At least as many as there are different ones: a set counts once for each part that has it."""

    def plus(self, other: Overview) -> Overview:
        """Of both together."""
        return Overview(self.items.plus(other.items), self.sets + other.sets)

    @property
    def names(self) -> tuple[str, ...]:
        """All items, in order."""
        return tuple(sorted(self.items.supports))


@dataclass(frozen=True)
class DigestRound:
    """In how many records each set of a shelf is, by digests, and whether some part has fewer than k."""

    k: int
    shelf: Shelf

    def count(self, records: Records) -> DigestSums:
        """Of one part."""
        digests = digests_of(records)
        found, counts = _counted(digests[self.shelf.has(digests[:, 0])])
        return DigestSums(found, counts, counts < self.k)


@dataclass(frozen=True, eq=False)
class DigestSums:
    """Digests, ascending, with the number of records that have each."""

    digests: Digests
    counts: Longs
    rare: Bools
    """Whether some part has too few records of the set."""

    def plus(self, other: DigestSums) -> DigestSums:
        """Of both together."""
        digests = np.concatenate([self.digests, other.digests])
        counts = np.concatenate([self.counts, other.counts])
        rare = np.concatenate([self.rare, other.rare])
        order, starts = runs(digests)
        return DigestSums(
            digests[order][starts],
            np.add.reduceat(counts[order], starts),
            np.logical_or.reduceat(rare[order], starts),
        )


def _counted(digests: Digests) -> tuple[Digests, Longs]:
    """The different digests, ascending, and how often each is there."""
    order, starts = runs(digests)
    return digests[order][starts], np.diff(np.append(starts, len(digests)))


def runs(digests: Digests) -> tuple[Longs, Longs]:
    """An order in which equal digests are neighbours, and where each run of equals starts.

    >>> [each.tolist() for each in runs(np.array([[7, 1], [2, 5], [7, 1]], dtype=np.uint64))]
    [[1, 0, 2], [0, 1]]
    >>> [each.tolist() for each in runs(np.zeros((0, 2), dtype=np.uint64))]
    [[], []]
    """
    order = np.lexsort((digests[:, 1], digests[:, 0]))
    is_start = np.ones(len(digests), dtype=np.bool_)
    is_start[1:] = (np.diff(digests[order], axis=0) != 0).any(axis=1)
    return order, np.flatnonzero(is_start)


def are_among(digests: Digests, listed: Digests) -> Longs:
    """For each digest its place among some that are listed, ascending; -1 if it is none of them.

    >>> listed = np.array([[1, 5], [1, 7], [4, 0]], dtype=np.uint64)
    >>> are_among(np.array([[1, 7], [1, 6]], dtype=np.uint64), listed).tolist()
    [1, -1]
    """
    if not len(listed):
        return np.full(len(digests), -1, dtype=np.int64)
    both = np.concatenate([listed, digests])
    order, starts = runs(both)
    # What is listed comes first in its run, as the sort is stable.
    run_of = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(both))))
    place_of_run = np.where(order[starts] < len(listed), order[starts], -1)
    found = np.empty(len(both), dtype=np.int64)
    found[order] = place_of_run[run_of]
    return found[len(listed) :]


@dataclass(frozen=True)
class EqualSetsRound:
    """In how many records each set of a shelf is, exactly."""

    names: tuple[str, ...]
    """All items of all parts, in order."""
    shelf: Shelf

    def count(self, records: Records) -> EqualSets:
        """Of one part."""
        offsets, items = rows_of_names(records, self.names)
        if self.shelf.of > 1:
            mixed = (items.astype(np.uint64) + np.uint64(1)) * ODD
            until = np.zeros(len(items) + 1, dtype=np.uint64)
            np.cumsum(mixed ^ (mixed >> np.uint64(29)), out=until[1:])
            keys = (until[offsets[1:]] - until[offsets[:-1]]) * ODD >> np.uint64(32)
            rows = np.flatnonzero(self.shelf.has(keys))
            lengths = np.diff(offsets)[rows]
            offsets, items = starts_of(lengths), items[spans(offsets[rows], lengths)]
        numbers, first = equal_slices(offsets, items)
        counts = np.bincount(numbers, minlength=len(first)).tolist()
        data, bounds = items.astype("<i4").tobytes(), (offsets * 4).tolist()
        sets = (data[bounds[row] : bounds[row + 1]] for row in first.tolist())
        return EqualSets(Counter(dict(zip(sets, counts, strict=True))))

    def items_of(self, key: bytes) -> tuple[str, ...]:
        """The items of a set."""
        return tuple(self.names[code] for code in np.frombuffer(key, dtype="<i4"))


@dataclass(frozen=True)
class EqualSets:
    """Sets of items as the numbers of their names, each with the number of its records."""

    counts: Counter[bytes]

    def plus(self, other: EqualSets) -> EqualSets:
        """Of both together."""
        larger, smaller = sorted((self.counts, other.counts), key=len, reverse=True)
        both = larger.copy()
        both.update(smaller)
        return EqualSets(both)

    def rare(self, k: int) -> Iterator[tuple[bytes, int]]:
        """The sets in fewer than k records."""
        return ((key, n) for key, n in self.counts.items() if n < k)


def exact_rounds(found: Overview) -> list[EqualSetsRound]:
    """The rounds in which all sets are counted."""
    return [EqualSetsRound(found.names, shelf) for shelf in shelves_for(found.sets, MOST_EXACT)]
