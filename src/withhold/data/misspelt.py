"""Which name was meant by one that does not occur: another spelling, or a few slips of the keyboard.

In: names that are missing, and those that the data have. Out: for each the present one that was probably
meant; and of the names that the data have, those that hardly differ from a listed one. A name is
compared without case, blanks and hyphens, and without the name of a file before it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping

from withhold.data.names import nearest
from withhold.data.near_names import NameIndex
from withhold.describing import MARK

SHORT, A_TYPO = 5, 0.85
"""The fewest letters of a name that is recognised as misspelt by likeness, and how alike both must be."""
SLIPS = ((4, 1), (6, 2), (10, 3))
"""The fewest letters for each number of slips: a letter too many, missing or wrong, or two swapped."""
FIRST, ALIKE = 3, 0.7
"""How many first letters a name and the one proposed for it share, and how alike both must be."""
LOOKED_AT = 200
"""For at most this many missing names others are proposed: a list with more is a catalogue."""
BETWEEN_WORDS = re.compile(r"[\s_-]+")
POINTS = str.maketrans("", "", ".,'’´`·")
"""What abbreviations and names are written with or without."""


def meant_by(names: Iterable[str], present: Iterable[str], *, typos: bool = True) -> dict[str, str]:
    """For each of these names the present one that was probably meant, if there is one.

    >>> meant_by(["insuline", "PILL", "E10", "liqour"], ["insulin", "pill", "E11", "liquor"])
    {'insuline': 'insulin', 'PILL': 'pill', 'liqour': 'liquor'}
    """
    there: dict[str, str] = {}
    for name in present:
        there.setdefault(whole(name), name)
        if MARK in name:
            there.setdefault(bare(name), name)
    listed = list(names)
    folded = {name: there.get(whole(name)) or there.get(bare(name)) for name in listed}
    if left := [name for name in listed if typos and not folded[name]]:
        folded |= written_alike(left, there.values())
    nearly = _Spellings(there).nearly(name for name in listed if not folded[name]) if typos else {}
    found = ((name, folded[name] or nearly.get(name)) for name in listed)
    return {name: other for name, other in found if other}


def proposed_for(names: Iterable[str], known: Iterable[str]) -> dict[str, str]:
    """For each of these names a known one that is less like it, but may be meant; codes have none.

    >>> proposed_for(["HIV test", "E11.8", "rubber"], ["HIV self-test", "E11.9", "beer"])
    {'HIV test': 'HIV self-test'}
    """
    wanted = [name for name in names if len(bare(name)) > FIRST and not is_code(name)][:LOOKED_AT]
    by_start: dict[str, dict[str, str]] = {bare(name)[:FIRST]: {} for name in wanted}
    for other in sorted(known) if wanted else ():
        own = bare(other)
        if own[:FIRST] in by_start and not _is_code(own):
            by_start[own[:FIRST]].setdefault(own, other)
    found = {}
    for name in wanted:
        others = by_start[bare(name)[:FIRST]]
        if near := nearest(bare(name), others, cutoff=ALIKE):
            found[name] = others[near]
    return found


def variants_of(listed: Iterable[str], others: Iterable[str]) -> dict[str, str]:
    """For each of the others that is one slip away from a listed name: which.

    >>> variants_of(["insulin", "vitamin-c"], ["insuline", "insulation", "vitamin-d"])
    {'insuline': 'insulin'}
    """
    known, there = tuple(listed), tuple(others)
    found = written_alike(there, known)
    for other, name in one_slip_apart(there, known):
        found.setdefault(other, name)
    return found


def written_alike(names: Iterable[str], others: Iterable[str]) -> dict[str, str]:
    """For each of these names another that differs by points, accents or the width of its letters: which.

    >>> written_alike(["H.I.V.", "HIV+", "C4.1"], ["HIV", "C41"])
    {'H.I.V.': 'HIV'}
    """
    there: dict[str, str] = {}
    for other in others:
        if not is_code(other) and (letters := plainest(other)):
            there.setdefault(letters, other)
    folded = ((name, there.get(plainest(name))) for name in names if not is_code(name))
    return {name: other for name, other in folded if other is not None and other != name}


def plainest(name: str) -> str:
    """The bare name without points, accents and marks that nobody sees, and with letters of usual width.

    Other signs may matter: ``HIV+`` and ``HIV-`` are two things.
    """
    if (folded := bare(name)).isascii():
        return folded.translate(POINTS)
    letters = unicodedata.normalize("NFKD", folded).translate(POINTS)
    return "".join(c for c in letters if unicodedata.category(c) not in ("Mn", "Cf"))


def one_slip_apart(names: Iterable[str], others: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Pairs of one of these names and one of the others that are one slip apart; codes are in none."""
    there: dict[str, str] = {}
    for other in others:
        if not is_code(other):
            there.setdefault(bare(other), other)
    folded = {name: bare(name) for name in names if not is_code(name)}
    index = NameIndex(there)
    near = index.within(folded.values(), lambda letters: min(_allowed(letters), 1))
    for name, own in folded.items():
        for place in near.get(own, ()):
            other = there[index.names[place]]
            if other != name and _slipped(name, other) is not None:
                yield name, other


def is_code(name: str) -> bool:
    """Whether a name has a digit: codes that differ in one are different codes."""
    return _is_code(bare(name))


def bare(name: str) -> str:
    """The name without case, blanks and hyphens, and the name of a file before it."""
    return whole(name.partition(MARK)[2] or name)


def whole(name: str) -> str:
    """The name without case, blanks and, if it is a word, hyphens."""
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
    """How many slips a name of this many letters may have."""
    return max((most for least, most in SLIPS if letters >= least), default=0)


def _words(name: str) -> list[str]:
    """The words of a name."""
    text = (name.partition(MARK)[2] or name).casefold()
    return [word for word in BETWEEN_WORDS.split(text) if word]


def _slipped(name: str, other: str) -> int | None:
    """How many slips make one of the other; None if too many. Equally many words are compared one by one."""
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
    """The names that the data have, for comparing letter by letter the few that may be meant."""

    def __init__(self, there: Mapping[str, str]) -> None:
        self._there = there
        known = dict.fromkeys(map(bare, dict.fromkeys(there.values())))
        self._index = NameIndex(name for name in known if not _is_code(name))

    def nearly(self, names: Iterable[str]) -> dict[str, str]:
        """For each of these names the present one that hardly differs from it, if there is one."""
        folded = {name: own for name in names if not _is_code(own := bare(name))}
        slipped = self._index.within(folded.values(), _allowed)
        meant = {
            name: self._nearest(name, own, slipped.get(own, ())) for name, own in folded.items()
        }
        return {name: other for name, other in meant.items() if other is not None}

    def _nearest(self, name: str, own: str, slipped: Iterable[int]) -> str | None:
        """The name most like this one; else the one with the fewest slips, and the first of several."""
        alike = self._index.with_an_end_of(own, 1 - A_TYPO, SHORT) if len(own) >= SHORT else []
        near = nearest(own, alike, cutoff=A_TYPO) if alike else None
        if near is None:
            words = ((place, self._index.names[place]) for place in slipped)
            found = [
                (n, place, word)
                for place, word in words
                if (n := _slipped(name, self._there[word])) is not None
            ]
            near = min(found)[2] if found else None
        return None if near is None else self._there[near]
