"""Names that somebody listed and the data do not have: a misspelt list must never be taken for a safe file.

In: the names of a list (sensitive items, people with consent) and those that the data have. Out: what is
missing, with the nearest spellings. If nothing on the list occurs, that is an error unless it is meant.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from withhold.data.names import nearest
from withhold.describing import MARK
from withhold.errors import InputError, option

SHOWN = 3
"""So many missing names are spelt out."""
NEVER_OCCURS = "never occurs"
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
        if len(self.names) == 1:
            return self.missing
        return self.missing.replace("occurs", "occur").replace("was not", "were not")

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
    there = {_bare(name): name for name in reversed(alike(unknown.names, present))}
    meant = {name: there[_bare(name)] for name in unknown.names if _bare(name) in there}
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
    raise InputError(
        f"{len(meant):,} of {unknown.total:,} {unknown.what} {unknown.missing}, but the data have another "
        f"spelling: {', '.join(shown)}{more}",
        remedy=f"{remedy}; or {how_to_allow()}" if can_allow else remedy,
    )


def alike(listed: Iterable[str], present: Iterable[str]) -> list[str]:
    """The names that are present and listed, or listed under another spelling.

    >>> alike(["pill", "self test"], ["Pill", "beer", "conditions: selftest"])
    ['Pill', 'conditions: selftest']
    """
    wanted = frozenset(map(_bare, listed))
    return sorted(name for name in present if _bare(name) in wanted)


def _bare(name: str) -> str:
    """The name without case, blanks, and the name of a file before it."""
    return "".join((name.partition(MARK)[2] or name).split()).casefold()


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
