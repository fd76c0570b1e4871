"""Sensitive items apart by brute force, from the sentence of the promise. Imports nothing of withhold.

Somebody finds records by public items, takes every way in which the records of a group can hold what its list
says to be equally likely, and asks in which share of them a record holds a sensitive item.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import chain, combinations

Row = frozenset[str]


def told(row: Row, sensitive: Iterable[str]) -> tuple[str | None, dict[str, tuple[int, int]]]:
    """The name of the record's group, and its list: how many of how many records hold each item."""
    names = [item for item in row if item.startswith("group=")]
    lines = {}
    for item in sensitive:
        for line in row:
            if line.startswith(f"{item}=") and "/" in line:
                held, size = line.removeprefix(f"{item}=").split("/")
                lines[item] = (int(held), int(size))
    return (names[0] if names else None), lines


def chances(rows: Sequence[Row], sensitive: frozenset[str]) -> list[dict[str, Fraction]]:
    """For each record, how likely it holds each sensitive item."""
    found: list[dict[str, Fraction]] = []
    groups = [told(row, sensitive)[0] for row in rows]
    for number, row in enumerate(rows):
        lines = told(row, sensitive)[1]
        members = [n for n, name in enumerate(groups) if name == groups[number]]
        chance = {item: Fraction(1) for item in row & sensitive}
        for item, (held, _) in lines.items():
            ways = list(combinations(members, held))
            chance[item] = Fraction(sum(number in way for way in ways), len(ways))
        found.append(chance)
    return found


def public_items(row: Row, sensitive: frozenset[str]) -> Row:
    """What somebody may know of a record."""
    lines = {f"{item}={held}/{size}" for item, (held, size) in told(row, sensitive)[1].items()}
    return frozenset(i for i in row - sensitive - lines if not i.startswith("group="))


def highest_confidence(rows: Sequence[Row], sensitive: frozenset[str]) -> Fraction:
    """The most that anybody can be sure of, who knows public items or which record is whose."""
    found = chances(rows, sensitive)
    public = [public_items(row, sensitive) for row in rows]
    known = {frozenset(some) for row in public for some in _subsets(row)}
    crowds = {tuple(n for n, row in enumerate(public) if some <= row) for some in known}
    crowds |= {(number,) for number in range(len(rows))}
    shares = (
        sum((found[n].get(item, Fraction(0)) for n in crowd), Fraction(0)) / len(crowd)
        for crowd in crowds
        for item in sensitive
    )
    return max(shares, default=Fraction(0))


def _subsets(row: Row) -> Iterable[tuple[str, ...]]:
    return chain.from_iterable(combinations(sorted(row), n) for n in range(len(row) + 1))
