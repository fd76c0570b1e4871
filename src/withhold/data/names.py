"""What a name is: the same rule for items, record ids and categories, wherever they come from.

Whitespace around a name is never part of it (``str.strip``: all Unicode whitespace, the no-break space
too). Everything else is: case, blanks inside, the bytes of accents. Two names of one table that differ only
by what nobody sees are refused, because merging them would be a guess and keeping both would protect one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from unicodedata import normalize

from withhold.errors import InputError, PolicyError

Show = Callable[[object], str]
WHITESPACE = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""What ``str.strip`` strips, for libraries that need them listed."""
MISSING = frozenset(
    ("", "na", "n/a", "#n/a", "#na", "<na>", "nan", "-nan", "nat", "null", "none", r"\n")
)
"""What means "no id" in exported files, in lower case: what pandas reads as missing or writes for it, and
the ``\\N`` of databases."""

UNKNOWN = "?"
"""What tables have for a missing value, besides blanks and the usual words."""


def clean(name: str) -> str:
    """The name itself, without the whitespace around it."""
    return name.strip()


def has_whitespace(text: str) -> bool:
    """Whether there is whitespace anywhere; if many names joined have none, none of them needs cleaning.

    >>> has_whitespace("whole milk"), has_whitespace("milk"), has_whitespace("")
    (True, False, False)
    """
    return "".join(text.split()) != text


def clean_set(names: Iterable[object], kind: str) -> frozenset[str]:
    """The names that the user gave to a model, each by the rule; one that is empty is refused."""
    if isinstance(names, str):
        raise PolicyError(f"{kind} must be a collection of items, not a single string")
    cleaned = frozenset(map(clean, map(str, names)))
    if "" in cleaned:
        raise PolicyError(f"one of the {kind} items has no name")
    return cleaned


def clean_all(names: Sequence[str], kind: str, *, path: str | None = None) -> tuple[str, ...]:
    """Different names by the rule, still different; ``InputError`` if two look the same."""
    # One look at all names at once: most files have nothing to clean.
    letters = "".join(names)
    cleaned = tuple(map(clean, names) if has_whitespace(letters) else names)
    _refuse_twins(names, cleaned, "the whitespace around them", repr, kind, path)
    if not letters.isascii():
        composed = [normalize("NFC", name) for name in cleaned]
        reason = "how their accents are encoded (Unicode normalisation)"
        _refuse_twins(cleaned, composed, reason, ascii, kind, path)
    return cleaned


def is_missing(name: str | None) -> bool:
    """Whether a record id means "no id"."""
    return name is None or clean(name).casefold() in MISSING


def is_unknown(value: str | None) -> bool:
    """Whether a cell means that the value is missing: a blank, ``?``, ``NA`` and the like."""
    return not value or value == UNKNOWN or is_missing(value)


def nearest(name: str, names: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """The name that was probably meant, if one is near enough; upper and lower case hardly matter."""
    by_key: dict[str, str] = {}
    listed = list(names)
    for each in listed:
        by_key.setdefault(each.casefold(), each)
    if name.casefold() in by_key:
        return by_key[name.casefold()]
    if near := get_close_matches(name, listed, n=1, cutoff=cutoff):
        return near[0]
    near = get_close_matches(name.casefold(), by_key, n=1, cutoff=cutoff)
    return by_key[near[0]] if near else None


def _refuse_twins(
    names: Sequence[str],
    keys: Sequence[str],
    difference: str,
    show: Show,
    kind: str,
    path: str | None,
) -> None:
    """Refuse two names with the same key."""
    if len(set(keys)) == len(keys):
        return
    first: dict[str, str] = {}
    for name, key in zip(names, keys, strict=True):
        other = first.setdefault(key, name)
        if other != name:
            problem = f"two {kind} differ only by {difference}: {show(other)} and {show(name)}"
            remedy = "give them one spelling if they are the same, or other names"
            raise InputError(problem, path=path, remedy=remedy)
