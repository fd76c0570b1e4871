"""Which name was meant by one that does not occur: another spelling, or a few slips of the keyboard.

In: names that are missing, and those that the data have. Out: for each the present one that it probably
stands for. A name is compared without case, blanks and hyphens, and without the name of a file before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from withhold.data.names import nearest
from withhold.describing import MARK

SHORT, A_TYPO = 5, 0.85
"""Letters from which on a name can be a misspelt one by its likeness, and how alike both must be then."""
SLIPS = ((4, 1), (6, 2), (10, 3))
"""From so many letters on, so many slips: a letter too many, missing or wrong, or two in the wrong order."""
BETWEEN_WORDS = re.compile(r"[\s_-]+")


def meant_by(names: Iterable[str], present: Iterable[str], *, typos: bool = True) -> dict[str, str]:
    """For each of these names the present one that was probably meant, if there is one.

    >>> meant_by(["insuline", "PILL", "E10", "liqour"], ["insulin", "pill", "E11", "liquor"])
    {'insuline': 'insulin', 'PILL': 'pill', 'liqour': 'liquor'}
    """
    there: dict[str, str] = {}
    for name in present:
        there.setdefault(whole(name), name)
        there.setdefault(bare(name), name)
    spellings = _Spellings(there) if typos else None
    meant = {}
    for name in names:
        other = there.get(whole(name)) or there.get(bare(name))
        if other or (spellings and (other := spellings.nearly(name))):
            meant[name] = other
    return meant


def bare(name: str) -> str:
    """The name without case, blanks and hyphens, and the name of a file before it."""
    return whole(name.partition(MARK)[2] or name)


def whole(name: str) -> str:
    """The name without case, blanks and, where it is a word, hyphens."""
    if name.isdigit():
        return name
    folded = "".join(name.split()).casefold()
    if folded.isalpha():
        return folded
    is_word = any(map(str.isalpha, folded)) and not _is_code(folded)
    return folded.replace("-", "").replace("_", "") if is_word else folded


def slips(name: str, other: str, most: int) -> int:
    """How many slips make one of the other, if not more than ``most``; else ``most + 1``.

    >>> slips("liqour", "liquor", 2), slips("tablet", "tabelts", 2), slips("beer", "wine", 1)
    (1, 2, 2)
    """
    if abs(len(name) - len(other)) > most:
        return most + 1
    while name and other and name[-1] == other[-1]:
        name, other = name[:-1], other[:-1]
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(name):
        above, before, row = before, row, [i + 1]
        for j, wanted in enumerate(other):
            least = min(before[j] + (letter != wanted), before[j + 1] + 1, row[j] + 1)
            if i and j and letter == other[j - 1] and name[i - 1] == wanted:
                least = min(least, above[j - 1] + 1)
            row.append(least)
        if min(row) > most and min(before) > most:
            return most + 1
    return min(row[-1], most + 1)


def _allowed(letters: int) -> int:
    """How many slips a name of so many letters may have."""
    return max((most for least, most in SLIPS if letters >= least), default=0)


def _words(name: str) -> list[str]:
    """The words of a name."""
    text = (name.partition(MARK)[2] or name).casefold()
    return [word for word in BETWEEN_WORDS.split(text) if word]


def _slipped(name: str, other: str) -> int | None:
    """How many slips make one of the other; None if too many. As many words are compared word by word."""
    ours, theirs, left = _words(name), _words(other), _allowed(len(bare(name)))
    pairs = [(bare(name), bare(other))]
    if len(ours) == len(theirs):
        pairs = list(zip(ours, theirs, strict=True))
    total = 0
    for mine, their in pairs:
        if mine != their:
            most = min(left - total, _allowed(len(mine)))
            found = slips(mine, their, most)
            if found > most:
                return None
            total += found
    return total


def _is_code(folded: str) -> bool:
    """Whether a name is a code: codes that differ in a digit are different codes."""
    return any(map(str.isdigit, folded))


class _Spellings:
    """The names that the data have, by length and letters, so that few are compared letter by letter."""

    def __init__(self, there: dict[str, str]) -> None:
        self._there = there
        by_length: dict[int, list[str]] = {}
        self._place: dict[str, int] = {}
        for name in map(bare, dict.fromkeys(there.values())):
            if name not in self._place and not _is_code(name):
                self._place[name] = len(self._place)
                by_length.setdefault(len(name), []).append(name)
        self._by_length = {length: _Signs(names) for length, names in by_length.items()}

    def nearly(self, name: str) -> str | None:
        """The present name that hardly differs from this one, if there is one."""
        folded = bare(name)
        most = _allowed(len(folded))
        if not most or _is_code(folded):
            return None
        alike: list[str] = []
        slipped: list[tuple[int, int, str]] = []
        own = _Signs([folded])
        for length, signs in self._by_length.items():
            if len(folded) >= SHORT <= length:
                alike += signs.alike(own, int((1 - A_TYPO) * (length + len(folded))))
            if abs(length - len(folded)) <= most:
                for word in signs.slipped(own, most):
                    if (found := _slipped(name, self._there[word])) is not None:
                        slipped.append((found, self._place[word], word))
        near = nearest(folded, alike, cutoff=A_TYPO) if alike else None
        if near is None and slipped:
            *_, near = min(slipped)
        return None if near is None else self._there[near]


class _Signs:
    """Names of one length and what can be seen of them at once: letters, neighbours and both ends, as bits.

    Some letters share a bit, so that names with few different bits may be near, and others cannot be.
    """

    def __init__(self, names: list[str]) -> None:
        self.names = names
        signs = np.array([_signs(name) for name in names], np.uint64)
        self.letters, self.neighbours, self.first, self.last = signs.T

    def alike(self, own: _Signs, others: int) -> list[str]:
        """The names with at most so many other letters, and one of the ends."""
        near = np.bitwise_count(self.letters ^ own.letters) <= others
        ends = (self.first == own.first) | (self.last == own.last)
        return [self.names[place] for place in np.flatnonzero(near & ends)]

    def slipped(self, own: _Signs, most: int) -> list[str]:
        """The names that so many slips may have made.

        One slip changes at most two letters and four pairs of neighbours, one letter and three pairs, or no
        letter and six pairs.
        """
        letters = np.bitwise_count(self.letters ^ own.letters)
        pairs = np.bitwise_count(self.neighbours ^ own.neighbours)
        near = (letters <= 2 * most) & (letters + pairs <= 6 * most)
        return [self.names[place] for place in np.flatnonzero(near)]


def _signs(name: str) -> tuple[int, int, int, int]:
    """Which letters a name has, and which twice; which stand side by side; its first two, and its last."""
    once = twice = neighbours = last = 0
    first = None
    before = 0
    for place, mark in enumerate(map(ord, name)):
        bit = 1 << (mark & 31)
        twice |= once & bit
        once |= bit
        if place:
            last = before << 32 | mark
            first = last if first is None else first
            neighbours |= 1 << ((before * 7 + mark) & 63)
        before = mark
    return once | twice << 32, neighbours, first or 0, last
