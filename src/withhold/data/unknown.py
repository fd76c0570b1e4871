"""Names on a list that the data does not have: a misspelt list must never make a file look safe.

In: the names of a list (sensitive items, people with consent) and those that the data have. Out: what is
missing, with the nearest spellings. If nothing or little on the list occurs, or a name is probably another,
that is an error unless it is meant.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from withhold.data.misspelt import is_code, meant_by, proposed_for
from withhold.data.names import clean, nearest
from withhold.data.tidy_ways import how_to_tidy
from withhold.describing import MARK
from withhold.errors import InputError, ListError, option

SHOWN = 3
"""How many missing names are listed."""
NEVER_OCCURS = "never occurs"
BETWEEN_NAMES = re.compile(r"[,;|\t]")
"""What separates names if several are on one line."""
SEVERAL = (("occurs", "occur"), ("was not", "were not"), ("begins", "begin"), ("is not", "are not"))
"""What is said of one name, and of several."""
OF_LISTS = (".txt", ".csv", ".dat")
"""How names of files with lists of items end."""
LARGEST_SEARCH = 200_000
"""Among more names than this, nearest spellings are not searched for: that would take seconds each."""


@dataclass(frozen=True)
class Unknown:
    """The names of one list that the data do not have."""

    what: str
    """What the list holds, e.g. ``sensitive items``."""
    names: tuple[str, ...]
    total: int
    """How many names the list holds."""
    nearest: tuple[str | None, ...] = ()
    """For the first missing names the name that may be meant, if there is one."""
    allowed: bool = False
    """Whether the user said beforehand that names may be missing."""
    missing: str = NEVER_OCCURS
    """What is wrong with one of them, in words."""
    words: int = 0
    """How many names of the list have no digit: codes may come from a catalogue, these were chosen."""
    public: bool = True
    """Whether strangers may know how many there are."""
    are_listed: bool = False
    """Whether ``nearest`` are names of the list, of which these may be other forms."""

    def __str__(self) -> str:
        """The missing names in one sentence."""
        n, total = len(self.names), self.total
        counted = f"{n:,} of {total:,} {self.what} {self.problem}"
        if n == total and self.missing == NEVER_OCCURS:
            counted = f"none of the {total:,} {self.what} occurs"
        if n == total == 1:
            counted = f"the only name among the {self.what} {self.missing}"
        shown = [
            repr(name) + (f" (listed: {near!r})" if self.are_listed else did_you_mean(name, near))
            for name, near in zip_longest(self.names[:SHOWN], self.nearest[:SHOWN])
        ]
        more = f" and {n - len(shown):,} more" if n > len(shown) else ""
        return f"{counted}: {', '.join(shown)}{more}"

    @property
    def problem(self) -> str:
        """What is wrong with the names, in words that fit their number."""
        return _in_number(self.missing, len(self.names))

    @property
    def is_everything(self) -> bool:
        """Whether the data have none of the names."""
        return len(self.names) == self.total

    def as_dict(self) -> dict[str, int | str]:
        """The count as plain values; the names stay with the custodian."""
        return {"what": self.what, "unknown": len(self.names), "of": self.total}


def find_unknown(
    listed: Iterable[str],
    present: Collection[str],
    *,
    what: str,
    allowed: bool = False,
    also_near: Iterable[str] = (),
) -> Unknown | None:
    """The listed names that are not present, if any is missing.

    ``also_near`` are names that may have been meant as well, though they are not present themselves.
    """
    wanted = frozenset(listed)
    there = present if isinstance(present, set | frozenset) else frozenset(present)
    missing = tuple(sorted(wanted - there))
    if not missing:
        return None
    # Whoever lists both does not mean the one by the other.
    candidates = [*(there - wanted), *also_near]
    proposed = proposed_for(missing, candidates)
    codes = [name for name in missing[:SHOWN] if is_code(name)]
    near_codes = dict(zip(codes, near_spellings(codes, candidates), strict=True))
    near = tuple(proposed.get(name) or near_codes.get(name) for name in missing)
    n_words = sum(not is_code(name) for name in wanted)
    return Unknown(what, missing, len(wanted), near, allowed, words=n_words)


def near_spellings(names: Sequence[str], known: Collection[str]) -> tuple[str | None, ...]:
    """For the first few names the nearest that is known, if one is near enough."""
    candidates = sorted(known) if len(known) <= LARGEST_SEARCH else []
    return tuple(nearest(name, candidates) for name in names[:SHOWN])


def did_you_mean(name: str, near: str | None) -> str:
    """The nearest spelling as it is put after a name; nothing if there is none."""
    if not near:
        return ""
    if near.endswith(name) and near.startswith("\\"):
        return f" (write {near} for the item {name})"
    return f" (did you mean {near!r}?)"


def refuse_wrong_list(
    unknown: Unknown | None, present: Collection[str], *, can_allow: bool = True
) -> None:
    """Raise if names cannot be meant as they are: misspelt, several in one, or none that the data have."""
    if unknown is None or unknown.allowed:
        return
    _refuse_misspelt(unknown, present, can_allow=can_allow)
    _refuse_several(unknown, present, can_allow=can_allow)
    refuse_if_nothing_known(unknown, can_allow=can_allow)
    if can_allow:
        _refuse_proposed(unknown)
        _refuse_mostly_missing(unknown)


def refuse_if_nothing_known(unknown: Unknown | None, *, can_allow: bool = True) -> None:
    """Raise if the data have none of the names and this was not, or cannot be, declared to be intended."""
    if unknown is not None and unknown.is_everything and not unknown.allowed:
        remedy = "correct the spelling" + (f", or {how_to_allow()}" if can_allow else "")
        of_file = next((name for name in unknown.names if name.casefold().endswith(OF_LISTS)), None)
        if of_file is not None:
            remedy += f"; or, if {of_file!r} is a file, {instead_of_file(of_file)}"
        raise InputError(f"{unknown}; nothing would be protected", remedy=remedy)


def _refuse_misspelt(unknown: Unknown, present: Iterable[str], *, can_allow: bool) -> None:
    """Raise if missing items occur under another spelling, or with the name of their file before them.

    Half a list that is spelt as in the data protects half of what was meant.
    """
    _refuse_files(unknown)
    # If nothing on the list occurs, that is reported instead of possible slips.
    meant = meant_by(unknown.names, present, typos=not unknown.is_everything)
    if not meant:
        return
    prefixed = any(MARK in other and MARK not in name for name, other in meant.items())
    shown = [f"{name!r} (there: {other!r})" for name, other in list(meant.items())[:SHOWN]]
    more = f" and {len(meant) - SHOWN:,} more" if len(meant) > SHOWN else ""
    remedy = (
        "write the name of its file before each item, as the data have it"
        if prefixed
        else "spell them as the data do" + how_to_tidy(meant.items())
    )
    raise ListError(
        f"{len(meant):,} of {unknown.total:,} {unknown.what} {_in_number(unknown.missing, len(meant))}, but "
        f"the data have another spelling: {', '.join(shown)}{more}",
        name=next(iter(meant)),
        remedy=f"{remedy}; or {how_to_allow()}" if can_allow else remedy,
    )


def _refuse_proposed(unknown: Unknown) -> None:
    """Raise if another name may be meant: a question is to be answered before anything is published."""
    asked = [
        (name, near)
        for name, near in zip_longest(unknown.names, unknown.nearest)
        if near and not is_code(name)
    ]
    if asked:
        shown = ", ".join(repr(name) + did_you_mean(name, near) for name, near in asked[:SHOWN])
        more = f" and {len(asked) - SHOWN:,} more" if len(asked) > SHOWN else ""
        raise ListError(
            f"{len(asked):,} of {unknown.total:,} {unknown.what} {_in_number(unknown.missing, len(asked))}: "
            f"{shown}{more}",
            name=asked[0][0],
            remedy=f"spell them as the data do, or take them off the list; or {how_to_allow()}",
        )


def _refuse_mostly_missing(unknown: Unknown) -> None:
    """Raise if most of the names that are not codes are missing: the list may belong to another file."""
    missing = sum(not is_code(name) for name in unknown.names)
    if 2 * missing > unknown.words:
        raise InputError(
            f"{unknown}; most of the list would protect nothing",
            remedy=f"correct the list; or {how_to_allow()}",
        )


def _refuse_several(unknown: Unknown, present: Collection[str], *, can_allow: bool) -> None:
    """Raise if a missing name is several names, at least one of which occurs."""
    for name in unknown.names:
        parts = [clean(part) for part in BETWEEN_NAMES.split(name)]
        if found := [part for part in parts if part in present]:
            remedy = "write one name per line"
            raise ListError(
                f"{name!r} holds several names, of which the data have {found[0]!r}",
                name=name,
                remedy=f"{remedy}; or {how_to_allow()}" if can_allow else remedy,
            )


def _refuse_files(unknown: Unknown) -> None:
    """Raise if a listed name that never occurs is a file: its content was meant."""
    for name in unknown.names:
        # Not Path.is_file: a long name is not a valid path, and that is not an error.
        if "." in name and os.path.isfile(name):
            raise InputError(
                f"{name!r} is a file, but was read as one of the {unknown.what}",
                remedy=instead_of_file(name),
            )


def instead_of_file(name: str) -> str:
    """How to say that the items are in a file."""
    if option("sensitive").startswith("--"):
        return "give one file, or items with commas between; not both"
    return f"give the items in it: Path({name!r}).read_text().splitlines()"


def _in_number(problem: str, n: int) -> str:
    """The problem in words that fit this number of names."""
    if n == 1:
        return problem
    for one, several in SEVERAL:
        problem = problem.replace(one, several)
    return problem


def unknown_as_dict(unknown: Iterable[Unknown]) -> dict[str, Any]:
    """All that was listed and not found as plain values for the custodian, and the warnings about it."""
    found = list(unknown)
    return {
        "unknown": [each.as_dict() | {"names": list(each.names)} for each in found],
        "warnings": [str(each) for each in found if not each.allowed],
    }


def how_to_allow() -> str:
    """How to proceed if names are missing on purpose."""
    return f"say {option('allow_unknown', True)} if the list is meant to be longer than the data"


def missing_column(name: str, names: Sequence[str], path: Path | None = None) -> InputError:
    """The error for a column that does not exist."""
    shown = ", ".join(repr(each) for each in names[:20]) + (" …" if names[20:] else "")
    near = nearest(name, names, cutoff=0.5)
    remedy = f"name {near!r}, if that is what you mean" if near else "name one of these"
    remedy = "separate names with commas" if {*name.split(";")} & {*names} else remedy
    return InputError(f"has no column {name!r}; its columns are {shown}", path=path, remedy=remedy)
