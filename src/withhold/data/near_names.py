"""Which of many names differ from others by a few slips, found without comparing each with each by letter.

In: the names that there are, and others, all folded as they are to be compared. Out: for each of the others,
the names within a few slips, or those that may have nearly the same letters. Names whose lengths, letters
or pairs of neighbouring letters differ too much cannot be near, and are left out first; what is left is
compared letter by letter, thousands of pairs at a time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from withhold.data.array_types import Bools, Longs

Marks = NDArray[np.uint8]
Bits = NDArray[np.uint64]
BLOCK = 1 << 15
"""How many pairs of names are compared together: few enough for the processor's cache."""
NOBODY: Longs = np.empty(0, np.int64)


class NameIndex:
    """Different names, by their length and by their ends."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(names)
        by_length = defaultdict(list)
        for place, name in enumerate(self.names):
            by_length[len(name)].append(place)
        self._groups = {n: _Group(self.names, places) for n, places in by_length.items() if n}
        self._letters = np.zeros(len(self.names), np.uint64)
        for group in self._groups.values():
            self._letters[group.places] = group.letters
        self._lengths = np.fromiter(map(len, self.names), np.int64, len(self.names))
        self._ends: dict[str, Longs] | None = None

    def within(self, others: Iterable[str], allowed: Callable[[int], int]) -> dict[str, list[int]]:
        """For each of the others the places of the names within as many slips as its length allows.

        >>> NameIndex(["wine", "beer", "bear"]).within(["bere", "rum"], lambda letters: 1)
        {'bere': [1]}
        """
        by_length = defaultdict(list)
        for other in dict.fromkeys(others):
            by_length[len(other)].append(other)
        found: dict[str, list[int]] = {}
        for length, words in by_length.items():
            if length and (most := allowed(length)):
                asked = _Group(words, range(len(words)))
                for there in range(length - most, length + most + 1):
                    if group := self._groups.get(there):
                        for word, place in asked.near(group, most):
                            found.setdefault(words[word], []).append(place)
        return found

    def with_an_end_of(self, name: str, share: float, shortest: int) -> list[str]:
        """The names with the first or last two letters of this one, and at most this share of other letters.

        Only those that have ``shortest`` letters or more.
        """
        if self._ends is None:
            self._ends = self._by_ends(shortest)
        ends = (name[:2] + "…", "…" + name[-2:])
        places = np.concatenate([self._ends[end] for end in ends if end in self._ends] or [NOBODY])
        own = _Group([name], [0]).letters
        others = (share * (self._lengths[places] + len(name))).astype(np.int64)
        near = np.bitwise_count(self._letters[places] ^ own) <= others
        return [self.names[place] for place in dict.fromkeys(places[near].tolist())]

    def _by_ends(self, shortest: int) -> dict[str, Longs]:
        ends = defaultdict(list)
        for place, name in enumerate(self.names):
            if len(name) >= shortest:
                ends[name[:2] + "…"].append(place)
                ends["…" + name[-2:]].append(place)
        return {end: np.array(places, np.int64) for end, places in ends.items()}


class _Group:
    """Names of one length, with their letters and pairs of neighbouring letters as bits.

    Some letters share a bit, so that names with few different bits may be near, and others cannot be.
    """

    def __init__(self, names: Sequence[str], places: Sequence[int]) -> None:
        self.places = np.array(places, np.int64)
        length = len(names[places[0]])
        text = np.array([names[place] for place in places], f"U{length}")
        marks = np.ascontiguousarray(text.view(np.uint32).reshape(len(places), length).T)
        self.letters, self.neighbours = _signs(marks)
        # Letters with one last byte are taken for the same, so that a pair may seem nearer than it is.
        self.marks: Marks = marks.astype(np.uint8)

    def near(self, there: _Group, most: int) -> Iterator[tuple[int, int]]:
        """Pairs of places of a name of this group and one of that group within ``most`` slips."""
        step = max(1, BLOCK // len(there.places))
        starts = range(0, len(self.places), step)
        found = [self._similar(there, most, slice(start, start + step)) for start in starts]
        pairs = np.concatenate(found, axis=1)
        for start in range(0, pairs.shape[1], BLOCK):
            own, others = pairs[:, start : start + BLOCK]
            near = _within(self.marks[:, own], there.marks[:, others], most)
            own, others = self.places[own[near]], there.places[others[near]]
            yield from zip(own.tolist(), others.tolist(), strict=True)

    def _similar(self, there: _Group, most: int, own: slice) -> Longs:
        """Pairs of some of these names and those that have few different letters and neighbours.

        One slip changes at most two letters and four pairs of neighbours, one letter and three pairs, or no
        letter and six pairs.
        """
        letters = np.bitwise_count(self.letters[own, None] ^ there.letters)
        rows, others = np.nonzero(letters <= 2 * most)
        letters = letters[rows, others]
        rows += own.start
        neighbours = np.bitwise_count(self.neighbours[rows] ^ there.neighbours[others])
        return np.stack([rows, others])[:, letters + neighbours <= 6 * most]


def _signs(marks: NDArray[np.uint32]) -> tuple[Bits, Bits]:
    """Which letters each name has, and which twice; and which are side by side."""
    one = np.uint64(1)
    once, twice, neighbours = (np.zeros(marks.shape[1], np.uint64) for _ in range(3))
    for place, now in enumerate(marks):
        bit = one << (now & 31).astype(np.uint64)
        twice |= once & bit
        once |= bit
        if place:
            neighbours |= one << ((marks[place - 1] * 7 + now) & 63).astype(np.uint64)
    return once | twice << np.uint64(32), neighbours


def _within(left: Marks, right: Marks, most: int) -> Bools:
    """Which pairs of names are within ``most`` slips: ``misspelt.slips`` of all pairs at once.

    Entry ``j`` of row ``i`` is how many slips lie between the first ``i`` letters of the one name and the
    first ``j`` of the other. Only entries near the diagonal can be small enough; pairs without such an entry
    are dropped early.
    """
    n_left, n_right, n_pairs = len(left), len(right), left.shape[1]
    going = np.arange(n_pairs)
    before = row = [np.full(n_pairs, min(j, most + 1), np.uint8) for j in range(n_right + 1)]
    for i in range(1, n_left + 1):
        too_many = np.full(len(going), most + 1, np.uint8)
        above, before = before, row
        row = [too_many] * (n_right + 1)
        row[0] = np.full(len(going), min(i, most + 1), np.uint8)
        for j in range(max(1, i - most), min(n_right, i + most) + 1):
            least = before[j - 1] + (left[i - 1] != right[j - 1])
            np.minimum(least, np.minimum(before[j], row[j - 1]) + 1, out=least)
            if i > 1 and j > 1:
                swapped = (left[i - 1] == right[j - 2]) & (left[i - 2] == right[j - 1])
                np.minimum(least, np.where(swapped, above[j - 2] + 1, least), out=least)
            row[j] = least
        if i in (n_left // 2, 3 * n_left // 4):
            few = np.minimum.reduce(row + before) <= most
            going, left, right = going[few], left[:, few], right[:, few]
            before, row = [each[few] for each in before], [each[few] for each in row]
    near = np.zeros(n_pairs, np.bool_)
    near[going] = row[n_right] <= most
    return near
