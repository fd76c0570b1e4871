"""What a group discloses about a sensitive column, by the definitions; imports nothing of withhold.

A group and a table are lists of values, one for each row. ``order`` is the list of all values of the table in
their order where they have one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

Values = Sequence[str]


def is_distinct(group: Values, l: int) -> bool:  # noqa: E741
    """At least ``l`` different values."""
    return len(set(group)) >= l


def is_even(group: Values, l: Fraction) -> bool:  # noqa: E741
    """-Σ p log p ≥ log l, both sides raised to the power of e and of the number of rows."""
    n = len(group)
    left = Fraction(1)
    for times in Counter(group).values():
        left *= Fraction(times, n) ** times
    return l**n * left <= 1


def is_recursive(group: Values, c: Fraction, l: int) -> bool:  # noqa: E741
    """r_1 < c (r_l + r_(l+1) + … + r_m)."""
    r = [0, *(times for _, times in Counter(group).most_common())]
    return r[1] < c * sum(r[l:])


def distance(group: Values, table: Values, order: Values | None = None) -> Fraction:
    """The least work that turns one distribution into the other, by moving what is there bit by bit.

    On a line it is best to fill the first place that lacks from the first that has too much; where all
    are as far from each other, any way is best.
    """
    every = sorted(set(table)) if order is None else list(order)
    left = [
        Fraction(list(group).count(value), len(group))
        - Fraction(list(table).count(value), len(table))
        for value in every
    ]
    work = Fraction(0)
    while any(left):
        source = next(n for n, each in enumerate(left) if each > 0)
        target = next(n for n, each in enumerate(left) if each < 0)
        moved = min(left[source], -left[target])
        left[source] -= moved
        left[target] += moved
        work += moved * (1 if order is None else Fraction(abs(source - target), len(every) - 1))
    return work


def is_like(group: Values, table: Values, beta: Fraction) -> bool:
    """(q - p) / p ≤ β for every value."""
    for value in set(group):
        q = Fraction(list(group).count(value), len(group))
        p = Fraction(list(table).count(value), len(table))
        if (q - p) / p > beta:
            return False
    return True


def presence_of(rows, people):
    """For each kind of person: the expected number of rows that are theirs; None in a row fits anything."""

    def fits(row, person):
        return all(cell in (None, value) for cell, value in zip(row, person, strict=True))

    return {
        person: sum(
            Fraction(1, sum(fits(row, other) for other in people))
            for row in rows
            if fits(row, person)
        )
        for person in set(people)
    }
