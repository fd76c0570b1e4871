"""How far a group is from meeting the requirements on sensitive columns: a number that a search can lower.

Floating point only ranks groups here; whether the model holds is for the check to say. Still, the shortfall
is 0 only if the group meets them: distances and shares are compared as whole numbers, and if an entropy is
too close to its bound for logarithms, prime factors decide.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import routine, step
from withhold.errors import PolicyError, option
from withhold.methods.cells.requirements import (
    Closeness,
    DistinctDiversity,
    EntropyDiversity,
    Likeness,
    RecursiveDiversity,
    Requirement,
)
from withhold.methods.cells.sensitive import Sensitive
from withhold.wording import counted

ROWS, DISTINCT, EVEN_TOP, EVEN_BOTTOM, C_TOP, C_BOTTOM, RANK, T_TOP, T_BOTTOM, BETA_BOTTOM = range(
    10
)
"""Places in ``Limits.numbers``. A fraction has a numerator (TOP) and a denominator (BOTTOM); EVEN is the ℓ of
entropy ℓ-diversity, C and RANK are the c and ℓ of (c, ℓ)-diversity, T is t-closeness and BETA β-likeness."""
TOO_CLOSE = 1e-9
"""Per row: if the entropies differ by no more than this, logarithms do not decide."""
MOST_COUNTS = 2**28
"""At most this many counts are held, by group and sensitive value."""


class Limits(NamedTuple):
    """What every group must satisfy; the values of all sensitive columns are numbered together."""

    starts: Any
    """By sensitive column: its first value; and the end of all, int64."""
    ordered: Any
    """By sensitive column: whether its values have an order, bool."""
    totals: Any
    """By value: how many rows of the table have it, int64."""
    most: Any
    """By value: 1 + β times the rows of the table that have it, whole part, int64; -1: no limit. Of n rows of
    a group at most n / (rows of the table) times as many may have it."""
    rests: Any
    """By value: the fraction of that, in units of 1 / ``numbers[BETA_BOTTOM]``, int64."""
    numbers: Any
    """The rows of the table, and the numbers of each requirement; 0 if it is not required, int64."""
    largest: Any
    """Scratch for the largest counts of a group, int64."""


def make_limits(sensitive: Sequence[Sensitive], requirements: Sequence[Requirement]) -> Limits:
    """The requirements as kernels want them."""
    totals = [total for column in sensitive for total in column.whole.totals]
    n_rows = sum(sensitive[0].whole.totals) if sensitive else 0
    numbers = [n_rows] + [0] * (BETA_BOTTOM - ROWS)
    most, rests = [-1] * len(totals), [0] * len(totals)
    for each in requirements:
        match each:
            case DistinctDiversity():
                numbers[DISTINCT] = each.l
            case EntropyDiversity():
                numbers[EVEN_TOP], numbers[EVEN_BOTTOM] = each.l.numerator, each.l.denominator
            case RecursiveDiversity():
                # A c above the number of rows makes no difference.
                c = min(each.c, Fraction(n_rows + 1))
                numbers[C_TOP], numbers[C_BOTTOM] = c.numerator, c.denominator
                numbers[RANK] = min(each.l, len(totals) + 1)
            case Closeness():
                numbers[T_TOP], numbers[T_BOTTOM] = each.t.numerator, each.t.denominator
            case Likeness():
                numbers[BETA_BOTTOM] = bottom = each.beta.denominator
                for value, total in enumerate(totals):
                    top = (each.beta.numerator + bottom) * total
                    if top < bottom * n_rows:
                        most[value], rests[value] = divmod(top, bottom)
    sizes = [len(column.whole.totals) for column in sensitive]
    return Limits(
        starts=np.cumsum([0, *sizes], dtype=np.int64),
        ordered=np.array([column.whole.is_ordered for column in sensitive], dtype=np.bool_),
        totals=np.array(totals, dtype=np.int64),
        most=np.array(most, dtype=np.int64),
        rests=np.array(rests, dtype=np.int64),
        numbers=np.array(numbers, dtype=np.int64),
        largest=np.zeros(max(numbers[RANK], 1), dtype=np.int64),
    )


def refuse_too_many(sensitive: Sequence[Sensitive], n_groups: int) -> None:
    """Refuse sensitive columns with so many values that they cannot be counted in so many groups."""
    if n_groups * sum(len(column.whole.totals) for column in sensitive) > MOST_COUNTS:
        worst = max(sensitive, key=lambda column: len(column.whole.totals))
        values = counted(len(worst.whole.totals), "different value")
        raise PolicyError(
            f"column {worst.name!r} has {values}, which is too many to be counted in every one of "
            f"{counted(n_groups, 'group')}; make ranges of it ({option('bin', f'{worst.name}=1000')})"
        )


@routine
def shortfall(limits, counts, one, other, n):
    """How far a group of ``n`` rows is from meeting all requirements; 0 if it meets them.

    ``counts`` has by group how many rows have each value; the group is ``one`` and ``other`` together.
    """
    numbers, total = limits.numbers, 0.0
    for column in range(len(limits.ordered)):
        first, end = limits.starts[column], limits.starts[column + 1]
        if numbers[DISTINCT] > 0:
            found = 0
            for value in range(first, end):
                found += counts[one, value] + counts[other, value] > 0
            if found < numbers[DISTINCT]:
                total += 1.0 - found / numbers[DISTINCT]
        if numbers[EVEN_TOP] > 0:
            total += _missing_entropy(limits, counts, one, other, n, first, end)
        if numbers[RANK] > 0:
            total += _dominance(limits, counts, one, other, n, first, end)
        if numbers[T_TOP] > 0:
            total += _excess_distance(
                limits, counts, one, other, n, first, end, limits.ordered[column]
            )
        if numbers[BETA_BOTTOM] > 0:
            for value in range(first, end):
                if limits.most[value] >= 0:
                    most = limits.most[value] * n
                    most += limits.rests[value] * n // numbers[BETA_BOTTOM]
                    there = (counts[one, value] + counts[other, value]) * numbers[ROWS]
                    if there > most:
                        total += (there - most) / (float(n) * numbers[ROWS])
    return total


@step
def _missing_entropy(limits, counts, one, other, n, first, end):
    """By how much the entropy of a group is below log ℓ."""
    top, bottom = limits.numbers[EVEN_TOP], limits.numbers[EVEN_BOTTOM]
    left = n * (np.log(n) - np.log(top) + np.log(bottom))
    for value in range(first, end):
        there = counts[one, value] + counts[other, value]
        if there > 0:
            left -= there * np.log(there)
    if left > TOO_CLOSE * n:
        return 0.0
    if left > -TOO_CLOSE * n and _entropy_is_exact(counts, one, other, n, first, end, top, bottom):
        return 0.0
    return max(-left / n, TOO_CLOSE)


@step
def _entropy_is_exact(counts, one, other, n, first, end, top, bottom):
    """Whether the entropy is exactly log ℓ: n^n · bottom^n = top^n · Π n_i^n_i, compared prime by prime.

    False if that would take long, so that the group counts as short of it.
    """
    common = n
    for value in range(first, end):
        rest = counts[one, value] + counts[other, value]
        while rest > 0:
            common, rest = rest, common % rest
    whole = n // common
    if max(whole, top, bottom) > 100_000:
        return False
    for prime in range(2, max(whole, top, bottom) + 1):
        is_prime = True
        for divisor in range(2, prime):
            if divisor * divisor > prime:
                break
            if prime % divisor == 0:
                is_prime = False
                break
        if is_prime:
            power = whole * (_power(whole, prime) + _power(bottom, prime) - _power(top, prime))
            for value in range(first, end):
                there = (counts[one, value] + counts[other, value]) // common
                if there > 0:
                    power -= there * _power(there, prime)
            if power != 0:
                return False
    return True


@step
def _power(number, prime):
    """How often a prime divides a number."""
    found, rest = 0, number
    while rest % prime == 0:
        rest //= prime
        found += 1
    return found


@step
def _dominance(limits, counts, one, other, n, first, end):
    """By how much the most frequent value exceeds c times all but the ℓ - 1 most frequent, relative to n."""
    kept = limits.numbers[RANK] - 1
    for place in range(kept):
        limits.largest[place] = 0
    for value in range(first, end):
        there = np.int64(counts[one, value] + counts[other, value])
        for place in range(kept):
            if there > limits.largest[place]:
                there, limits.largest[place] = limits.largest[place], there
    beyond = n
    for place in range(kept):
        beyond -= limits.largest[place]
    over = limits.largest[0] * limits.numbers[C_BOTTOM] - limits.numbers[C_TOP] * beyond
    return 0.0 if over < 0 else (over + 1.0) / (float(n) * limits.numbers[C_BOTTOM])


@step
def _excess_distance(limits, counts, one, other, n, first, end, is_ordered):
    """By how much the distance between a group's frequencies and those of the table exceeds t."""
    n_rows = limits.numbers[ROWS]
    moved, ahead = np.int64(0), np.int64(0)
    steps = max(end - first - 1, 1) if is_ordered else 1
    for value in range(first, end):
        difference = (counts[one, value] + counts[other, value]) * n_rows - limits.totals[value] * n
        if is_ordered:
            ahead += difference
            moved += abs(ahead)
        elif difference > 0:
            moved += difference
    top, bottom = limits.numbers[T_TOP], limits.numbers[T_BOTTOM]
    # In two parts, so that no product overflows 64 bits.
    pairs = steps * n * n_rows
    most = top * (pairs // bottom) + top * (pairs % bottom) // bottom
    return 0.0 if moved <= most else (moved - most) / float(pairs)
