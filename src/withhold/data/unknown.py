"""Names that somebody listed and the data do not have: a misspelt list must never be taken for a safe file.

In: the names of a list (sensitive items, people with consent) and those that the data have. Out: what is
missing, with the nearest spellings. If nothing on the list occurs, that is an error unless it is meant.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from withhold.data.names import nearest
from withhold.errors import InputError, option

SHOWN = 3
"""So many missing names are spelt out."""
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

    def __str__(self) -> str:
        """The missing names in one sentence.

        >>> print(find_unknown(["condon", "beer"], ["beer", "condom"], what="sensitive items"))
        1 of 2 sensitive items never occurs: 'condon' (did you mean 'condom'?)
        """
        n, total = len(self.names), self.total
        counted = f"none of the {total:,} {self.what} occurs"
        if n < total:
            counted = f"{n:,} of {total:,} {self.what} never {'occurs' if n == 1 else 'occur'}"
        elif total == 1:
            counted = f"the only name among the {self.what} never occurs"
        shown = [
            f"{name!r} (did you mean {near!r}?)" if near else repr(name)
            for name, near in zip(self.names, self.nearest, strict=False)
        ]
        more = f" and {n - len(shown):,} more" if n > len(shown) else ""
        return f"{counted}: {', '.join(shown)}{more}"

    @property
    def is_everything(self) -> bool:
        """Whether the data have none of the names."""
        return len(self.names) == self.total

    def as_dict(self) -> dict[str, int | str]:
        """The count as plain values; the names stay with the custodian."""
        return {"what": self.what, "unknown": len(self.names), "of": self.total}


def find_unknown(
    listed: Iterable[str], present: Collection[str], *, what: str, allowed: bool = False
) -> Unknown | None:
    """The listed names that are not present, if any is missing."""
    wanted = frozenset(listed)
    there = present if isinstance(present, set | frozenset) else frozenset(present)
    missing = tuple(sorted(wanted - there))
    if not missing:
        return None
    candidates = sorted(there) if len(there) <= LARGEST_SEARCH else []
    near = tuple(nearest(name, candidates) for name in missing[:SHOWN])
    return Unknown(what, missing, len(wanted), near, allowed)


def refuse_if_nothing_known(unknown: Unknown | None, *, path: str | None = None) -> None:
    """Raise if the data have none of the names and nobody said that this is meant."""
    if unknown is not None and unknown.is_everything and not unknown.allowed:
        raise InputError(
            f"{unknown}; nothing would be protected",
            path=path,
            remedy=f"correct the spelling, or {how_to_allow()}",
        )


def how_to_allow() -> str:
    """What to say if names are missing on purpose."""
    return f"say {option('allow_unknown', True)} if the list is meant to be longer than the data"
