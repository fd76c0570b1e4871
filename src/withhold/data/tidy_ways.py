"""How a text is tidied: by case, spaces or punctuation; and which of these make one spelling of several.

What a text becomes depends on the text alone, so that lists and other files can be tidied in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import combinations

from withhold.data.names import is_unknown
from withhold.errors import option

MARKS = str.maketrans(dict.fromkeys(".,;:!?'\"`´‘’“”-‐‑‒–—_/\\()[]{}", " "))
"""Punctuation. Signs with a meaning of their own (+ # & % < > = $ *) are not among it."""


def _spaces(value: str) -> str:
    return " ".join(value.split())


def _punctuation(value: str) -> str:
    # In -5, 3.14, 2020-01-31 and E11.9 it has a meaning, and N/A must still mean "missing".
    if is_unknown(value) or any(mark.isdigit() for mark in value):
        return value
    return _spaces(value.translate(MARKS)) or value


WAYS: Mapping[str, Callable[[str], str]] = {
    "punctuation": _punctuation,
    "spaces": _spaces,
    "case": str.casefold,
}
"""What can be tidied, in the order in which it is done."""


def tidy_text(value: str, ways: Iterable[str]) -> str:
    """The value in its tidy spelling; if anything is tidied, without blanks around it.

    >>> tidy_text(" Self-Employed ", ["case", "punctuation"]), tidy_text(" E11.9", ["punctuation"])
    ('self employed', 'E11.9')
    """
    chosen = frozenset(ways)
    # What looks the same in print must not be two values of a tidy column.
    value = value.strip() if chosen else value
    for way, change in WAYS.items():
        if way in chosen:
            value = change(value)
    return value


def merging_ways(spellings: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The fewest ways that make one spelling of each of these pairs; none if nothing does.

    >>> merging_ways([("HIV  test", "hiv test")]), merging_ways([("selftest", "self test")])
    (('case', 'spaces'), ())
    """
    pairs = list(spellings)
    for number in range(1, len(WAYS) + 1):
        for ways in combinations(reversed(list(WAYS)), number):
            if all(tidy_text(one, ways) == tidy_text(other, ways) for one, other in pairs):
                return tuple(sorted(ways))
    return ()


def how_to_tidy(spellings: Iterable[tuple[str, str]]) -> str:
    """The option that gives items one spelling, as the end of a remedy; nothing if none does."""
    ways = merging_ways(spellings)
    return (
        f", or give items one spelling with {option('tidy', 'items=' + ','.join(ways))}"
        if ways
        else ""
    )
