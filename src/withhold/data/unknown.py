"""Names on a list that the data does not have: a misspelt list must never make a file look safe.

In: the names of a list (sensitive items, people with consent) and those that the data have. Out: what is
missing, with the nearest spellings. If nothing on the list occurs, that is an error unless it is meant.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from withhold.data.misspelt import bare, meant_by, whole
from withhold.data.names import clean, nearest
from withhold.describing import MARK
from withhold.errors import InputError, ListError, option

SHOWN = 3
"""So many missing names are spelt out."""
NEVER_OCCURS = "never occurs"
BETWEEN_NAMES = re.compile(r"[,;|\t]")
"""What stands between names where several are on one line."""
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
    """For the first few missing names the nearest name that the data have."""
    allowed: bool = False
    """Whether the user said beforehand that names may be missing."""
    missing: str = NEVER_OCCURS
    """What is wrong with one of them, in words."""

    def __str__(self) -> str:
        """The missing names in one sentence."""
        n, total = len(self.names), self.total
        counted = f"{n:,} of {total:,} {self.what} {self.problem}"
        if n == total and self.missing == NEVER_OCCURS:
            counted = f"none of the {total:,} {self.what} occurs"
        if n == total == 1:
            counted = f"the only name among the {self.what} {self.missing}"
        shown = [
            repr(name) + did_you_mean(name, near)
            for name, near in zip(self.names, self.nearest, strict=False)
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
    near = near_spellings(missing, [*there, *also_near])
    return Unknown(what, missing, len(wanted), near, allowed)


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


def refuse_if_nothing_known(
    unknown: Unknown | None, *, path: str | None = None, can_allow: bool = True
) -> None:
    """Raise if the data have none of the names and nobody said, or can say, that this is meant."""
    if unknown is not None and unknown.is_everything and not unknown.allowed:
        remedy = "correct the spelling" + (f", or {how_to_allow()}" if can_allow else "")
        raise InputError(f"{unknown}; nothing would be protected", path=path, remedy=remedy)


def refuse_misspelt(
    unknown: Unknown | None, present: Iterable[str], *, can_allow: bool = True
) -> None:
    """Raise if missing items occur under another spelling, or with the name of their file before them.

    Half a list that is spelt as in the data protects half of what was meant.
    """
    if unknown is None or unknown.allowed:
        return
    _refuse_files(unknown)
    # Where nothing on the list occurs, that is said instead of what may be a slip.
    meant = meant_by(unknown.names, present, typos=not unknown.is_everything)
    if not meant:
        return
    prefixed = any(MARK in other and MARK not in name for name, other in meant.items())
    shown = [f"{name!r} (there: {other!r})" for name, other in list(meant.items())[:SHOWN]]
    more = f" and {len(meant) - SHOWN:,} more" if len(meant) > SHOWN else ""
    remedy = (
        "write the name of its file before each item, as the data have it"
        if prefixed
        else f"spell them as the data do, or give items one spelling with {option('tidy', 'items=case')}"
    )
    raise ListError(
        f"{len(meant):,} of {unknown.total:,} {unknown.what} {_in_number(unknown.missing, len(meant))}, but "
        f"the data have another spelling: {', '.join(shown)}{more}",
        name=next(iter(meant)),
        remedy=f"{remedy}; or {how_to_allow()}" if can_allow else remedy,
    )


def refuse_several(
    unknown: Unknown | None, present: Collection[str], *, can_allow: bool = True
) -> None:
    """Raise if a missing name is several, at least one of which occurs."""
    if unknown is None or unknown.allowed:
        return
    for name in unknown.names:
        parts = [clean(part) for part in BETWEEN_NAMES.split(name)]
        if found := [part for part in parts if part in present]:
            remedy = "write one name per line"
            raise ListError(
                f"{name!r} holds several names, of which the data have {found[0]!r}",
                name=name,
                remedy=f"{remedy}; or {how_to_allow()}" if can_allow else remedy,
            )


def refuse_other_spellings(
    listed: Collection[str], present: Mapping[str, int], *, what: str, can_allow: bool = True
) -> None:
    """Raise if the data have a listed item under further spellings, which would be published as they are."""
    if (letters := "".join(present)).isascii() and letters.isdigit():
        return  # Each number has one spelling.
    spelt = {whole(name) for name in listed if name in present}
    others = [name for name in present if name not in listed and whole(name) in spelt]
    if not others:
        return
    others.sort(key=lambda name: (-present[name], name))
    shown = [
        f"{name!r} ({present[name]:,})" if present[name] else repr(name) for name in others[:SHOWN]
    ]
    more = f" and {len(others) - SHOWN:,} more" if len(others) > SHOWN else ""
    remedy = f"list them, too, or give items one spelling with {option('tidy', 'items=case')}"
    allow = f"; or say {option('allow_unknown', True)} if they are items of their own"
    raise InputError(
        f"the data have {what} in other spellings, too, which would not be protected: "
        f"{', '.join(shown)}{more}",
        remedy=remedy + allow if can_allow else remedy,
    )


def _refuse_files(unknown: Unknown) -> None:
    """Raise if a listed name that never occurs is a file: its content was meant."""
    for name in unknown.names:
        # Not Path.is_file: a long name is no proper path, and that is no error.
        if "." in name and os.path.isfile(name):
            raise InputError(
                f"{name!r} is a file, but was read as one of the {unknown.what}",
                remedy="give one file, or items with commas between; not both",
            )


def alike(listed: Iterable[str], present: Iterable[str]) -> list[str]:
    """The names that are present and listed, or listed under another spelling.

    >>> alike(["pill", "self test"], ["Pill", "beer", "conditions: selftest"])
    ['Pill', 'conditions: selftest']
    """
    wanted = frozenset(map(bare, listed))
    return sorted(name for name in present if bare(name) in wanted)


def related(listed: Iterable[str], present: Collection[str]) -> list[str]:
    """The names that are present and listed, or were probably meant by one that is listed."""
    wanted = frozenset(listed)
    missing = sorted(wanted.difference(present))
    return sorted({*alike(wanted, present), *meant_by(missing, present).values()})


def _in_number(problem: str, n: int) -> str:
    """The problem in words that fit this number of names."""
    return problem if n == 1 else problem.replace("occurs", "occur").replace("was not", "were not")


def unknown_as_dict(unknown: Iterable[Unknown]) -> dict[str, Any]:
    """All that was listed and not found as plain values for the custodian, and the warnings about it."""
    found = list(unknown)
    return {
        "unknown": [each.as_dict() | {"names": list(each.names)} for each in found],
        "warnings": [str(each) for each in found if not each.allowed],
    }


def how_to_allow() -> str:
    """What to say if names are missing on purpose."""
    return f"say {option('allow_unknown', True)} if the list is meant to be longer than the data"
