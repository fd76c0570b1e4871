"""Re-identification risk by equivalence classes: the prosecutor, the journalist and the marketer.

An equivalence class is what an attacker cannot tell apart: rows with the same quasi-identifiers, or records
with the same items. The *prosecutor* knows that a person is in the file and finds them with probability 1/f,
f being the size of their class. The *journalist* does not know who is in the file and looks for anybody: the
rows of a class may be any of the F people of the population who are like them, so the risk is 1/F. The
*marketer* wants as many as possible: the share of rows expected to be linked correctly. Counts, and what
follows from them, are exact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import log

import numpy as np

from withhold.data.array_types import Floats, Longs

THRESHOLDS = (Fraction(1, 20), Fraction(9, 100), Fraction(1, 5), Fraction(1, 3))
"""Of a person's risk. 0.09 is the European Medicines Agency's and Health Canada's, 1/5 the usual k = 5."""
FAR, TERMS = 1000, 6
"""``FAR`` beyond the largest class, ``TERMS`` terms of the series give all digits."""
LARGEST_CLASS = 100_000
"""Above it, the expected 1/F of a class differs from p/f by less than one part in this many."""


@dataclass(frozen=True)
class Above:
    """How many rows have a risk above a threshold."""

    threshold: Fraction
    rows: int

    @classmethod
    def each(cls, rows_above: Callable[[Fraction], int]) -> tuple[Above, ...]:
        """Of each threshold, by how many rows are above it."""
        return tuple(cls(threshold, rows_above(threshold)) for threshold in THRESHOLDS)


@dataclass(frozen=True)
class Risk:
    """What one kind of attacker can do to the rows; fractions if counted, floats if estimated."""

    highest: Fraction | float
    """The risk of the row that is easiest to find."""
    mean: Fraction | float
    above: tuple[Above, ...]


def prosecutor_risk(sizes: Longs) -> Risk:
    """The risk of rows in classes of these sizes, known to be in the file.

    >>> risk = prosecutor_risk(np.array([2, 2, 3]))
    >>> risk.highest, risk.mean
    (Fraction(1, 2), Fraction(3, 7))
    """
    return counted_risk(sizes, sizes)


def counted_risk(sizes: Longs, people: Longs) -> Risk:
    """The risk of rows in classes of these sizes, given the number of people each class can be confused
    with."""
    if not len(sizes):
        return Risk(Fraction(0), Fraction(0), Above.each(lambda limit: 0))
    kinds, which = np.unique(people, return_inverse=True)
    rows = np.bincount(which, weights=sizes).astype(np.int64)
    by_people = dict(zip(kinds.tolist(), rows.tolist(), strict=True))
    total = sum(by_people.values())
    mean = sum((Fraction(n, f) for f, n in by_people.items()), Fraction(0)) / total
    return Risk(
        Fraction(1, min(by_people)),
        mean,
        Above.each(lambda limit: sum(n for f, n in by_people.items() if Fraction(1, f) > limit)),
    )


def sampled_risk(sizes: Longs, fraction: Fraction) -> Risk:
    """The journalist's risk if the file is a random sample: the expected 1/F of each class.

    F given f is taken to be negative binomial with the sampling fraction as its probability (Benedetti and
    Franconi; sdcMicro's individual risk).
    """
    if not len(sizes):
        return counted_risk(sizes, sizes)
    expected = expected_inverse(int(sizes.max()), float(fraction))
    each = expected[np.minimum(sizes, len(expected)) - 1]
    beyond = sizes > len(expected)
    each[beyond] = float(fraction) / sizes[beyond]
    above = Above.each(lambda limit: int(sizes[each > float(limit)].sum()))
    return Risk(float(each.max()), float((each * sizes).sum() / sizes.sum()), above)


def expected_inverse(largest: int, p: float) -> Floats:
    """E[1/F] for classes of 1, 2, …, ``largest`` rows in a sample of the share ``p``.

    It is p·∫ u^(f-1) / (p + qu) du over [0, 1] with q = 1 - p. The integrals A(f) satisfy
    p·A(f) + q·A(f+1) = 1/f, which is walked in the direction in which errors shrink.

    >>> expected_inverse(1, 1 / 215).round(4).tolist()
    [0.0251]
    """
    largest = min(largest, LARGEST_CLASS)
    q = 1 - p
    if p <= q:
        found = [log(1 / p) / q]
        for size in range(1, largest):
            found.append((1 / size - p * found[-1]) / q)
        return p * np.array(found)
    # Far out, u^(f-1) leaves only what is near u = 1, and the integral is Σ k! q^k / (f (f+1) … (f+k)).
    beyond = largest + FAR
    value = term = 1 / beyond
    for k in range(1, TERMS):
        term *= k * q / (beyond + k)
        value += term
    found = []
    for size in range(beyond - 1, 0, -1):
        value = (1 / size - q * value) / p
        if size <= largest:
            found.append(value)
    return p * np.array(found[::-1])
