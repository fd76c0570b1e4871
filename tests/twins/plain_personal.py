"""The personal kernels in obvious Python: records are sets, persons are numbered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

from twins.plain import Record, count_support

PersonalRule = tuple[Record, int]
"""What is known, and what follows from it that somebody fears who owns all of it."""


def survey_known_sets(
    originals: Sequence[Record],
    published: Sequence[Record],
    fears: Sequence[Record],
    rho: Fraction,
    *,
    sizes: tuple[int, int],
) -> set[PersonalRule]:
    """Every unsafe rule of somebody who knows so many items of an original record.

    >>> one, two = frozenset({1}), frozenset({1, 2})
    >>> survey_known_sets([two, two], [two, one], [frozenset({2}), frozenset()], Fraction(1, 3), sizes=(1, 1))
    {(frozenset({1}), 2)}
    """
    return {
        (frozenset(known), e)
        for original, feared in zip(originals, fears, strict=True)
        for size in range(sizes[0], sizes[1] + 1)
        for known in combinations(sorted(original), size)
        for e in feared - set(known)
        if count_support({*known, e}, published) > rho * count_support(known, published)
    }


def find_unsafe_sets(
    originals: Sequence[Record],
    published: Sequence[Record],
    fears: Sequence[Record],
    rho: Fraction,
) -> set[tuple[Record, int]]:
    """The closed sets Y (not empty) of the published rows, with each item that is unsafe there."""
    found = set()
    for closed, rows in _closed_sets(published):
        for e in {item for feared in fears for item in feared}:
            for original, feared in zip(originals, fears, strict=True):
                known = (closed & original) - {e}
                joint = sum(e in published[row] for row in rows)
                if (
                    e in feared
                    and count_support(known, published) == len(rows)
                    and joint > rho * len(rows)
                ):
                    found.add((closed, e))
    return found


def _closed_sets(published: Sequence[Record]) -> Iterator[tuple[Record, list[int]]]:
    """Every intersection of published rows that is not empty, and the rows that hold it."""
    sets: set[Record] = set()
    for record in published:
        sets |= {record & other for other in sets} | {record}
    for closed in sets - {frozenset()}:
        yield closed, [row for row, record in enumerate(published) if closed <= record]


def try_adversaries(
    persons: Sequence[int],
    known: Sequence[Record],
    published: Sequence[Record],
    fears: Sequence[Record],
    rho: Fraction,
) -> list[bool]:
    """Which of the adversaries infer something that their person fears."""
    return [
        any(
            count_support(q | {e}, published) > rho * count_support(q, published)
            for e in fears[person] - q
        )
        for person, q in zip(persons, known, strict=True)
    ]
