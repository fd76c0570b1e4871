"""What a group must show of a sensitive column, decided exactly: ℓ-diversity, t-closeness, β-likeness.

A requirement compares how often values occur in a group, and in the whole table. Every requirement here
is *closed under union*: if it holds for two groups, it holds for both together. So it holds for unions of
groups, too, and where it fails for the whole table no release can satisfy it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, fsum, gcd, log, prod
from typing import Protocol

from withhold.errors import PolicyError
from withhold.exact import decimal_text, exact_number
from withhold.wording import counted

DOUBT = 2.0**-48
"""A sum of logarithms is exact to within this share of its terms, rounding being at most 2^-51 of each."""


@dataclass(frozen=True)
class Distribution:
    """How often each value of a sensitive column occurs in the whole table."""

    totals: Sequence[int]
    """The count of each value, at least 1; in the order of the values if they are ordered."""
    is_ordered: bool = False


class Requirement(Protocol):
    """What every group must show of a sensitive column."""

    def lacks(self, counts: Mapping[int, int], whole: Distribution) -> str:
        """What is wrong with a group that has this many rows of each value; empty if nothing is."""
        ...

    def promise(self) -> str:
        """What the column has in a group that satisfies the requirement."""
        ...


@dataclass(frozen=True)
class DistinctDiversity:
    """At least ``l`` different values (Machanavajjhala et al. 2007). Holds for every larger group, too."""

    l: int  # noqa: E741  # the letter that the field uses

    def lacks(self, counts: Mapping[int, int], whole: Distribution) -> str:
        found = len(counts)
        if found >= self.l:
            return ""
        return f"{counted(found, 'different value')} ({self.l:,} needed)"

    def promise(self) -> str:
        return f"at least {self.l:,} different values"


@dataclass(frozen=True)
class EntropyDiversity:
    """An entropy of at least log ``l`` (Machanavajjhala et al. 2007). It is concave, so unions keep it."""

    l: Fraction  # noqa: E741

    def lacks(self, counts: Mapping[int, int], whole: Distribution) -> str:
        if entropy_is_at_least(list(counts.values()), self.l):
            return ""
        n = sum(counts.values())
        entropy = -fsum(each / n * log(each / n) for each in counts.values())
        return f"values as even as {exp(entropy):.2f} equally frequent ones ({decimal_text(self.l)} needed)"

    def promise(self) -> str:
        return f"values at least as even as {decimal_text(self.l)} equally frequent ones (entropy)"


@dataclass(frozen=True)
class RecursiveDiversity:
    """Recursive (c, ℓ)-diversity: r_1 < c (r_ℓ + … + r_m), r being the counts, largest first.

    The largest count and the sum of the ℓ - 1 largest are at most the sums of those of two parts, so unions
    keep it.
    """

    c: Fraction
    l: int  # noqa: E741

    def lacks(self, counts: Mapping[int, int], whole: Distribution) -> str:
        largest = sorted(counts.values(), reverse=True)
        rest = sum(largest[self.l - 1 :])
        if largest[0] < self.c * rest:
            return ""
        rows = counted(largest[0], "row")
        return (
            f"{rows} of one value and {rest:,} beyond the {self.l - 1:,} most frequent (fewer than "
            f"{decimal_text(self.c)} times these needed)"
        )

    def promise(self) -> str:
        most = "most frequent one" if self.l == 2 else f"{self.l - 1:,} most frequent ones"
        return f"no value in {decimal_text(self.c)} times as many rows as all values but the {most} together"


@dataclass(frozen=True)
class Closeness:
    """t-closeness (Li et al. 2007): the earth mover's distance of group and table is at most ``t``.

    Equal distance: every two values are 1 apart. Ordered distance: |i - j| / (m - 1) for the i-th and the
    j-th of m values, which is never more. Both are convex, so unions keep it.
    """

    t: Fraction

    def lacks(self, counts: Mapping[int, int], whole: Distribution) -> str:
        found = distance(counts, whole)
        if found <= self.t:
            return ""
        allowed = f"({decimal_text(self.t)} allowed)"
        return f"frequencies {float(found):.3f} from those of the whole table {allowed}"

    def promise(self) -> str:
        return f"frequencies within {decimal_text(self.t)} of those of the whole table"


@dataclass(frozen=True)
class Likeness:
    """Basic β-likeness (Cao and Karras 2012): no share is more than 1 + ``beta`` times that of the table.

    Both sides are sums over the rows, so unions keep it.
    """

    beta: Fraction

    def lacks(self, counts: Mapping[int, int], whole: Distribution) -> str:
        n, n_rows = sum(counts.values()), sum(whole.totals)
        times = max(Fraction(m * n_rows, n * whole.totals[value]) for value, m in counts.items())
        if times <= 1 + self.beta:
            return ""
        most = decimal_text(1 + self.beta)
        return (
            f"a value {float(times):.2f} times as frequent as in the whole table ({most} allowed)"
        )

    def promise(self) -> str:
        times = decimal_text(1 + self.beta)
        return f"no value more than {times} times as frequent as in the whole table"


Diversity = DistinctDiversity | EntropyDiversity | RecursiveDiversity


def parse_diversity(given: int | str) -> Diversity:
    """The requirement that ``l`` states: ``3``, ``entropy:3`` or ``recursive:C:L``.

    >>> parse_diversity(3), parse_diversity("recursive:0.5:2")
    (DistinctDiversity(l=3), RecursiveDiversity(c=Fraction(1, 2), l=2))
    """
    match str(given).strip().split(":"):
        case [l] | ["distinct", l]:
            return DistinctDiversity(_whole(l, given))
        case ["entropy", l]:
            exact = exact_number(l, name="l")
            if exact <= 1:
                raise PolicyError(f"entropy:L asks for nothing unless L is above 1; it is {l}")
            return EntropyDiversity(exact)
        case ["recursive", c, l]:
            exact = exact_number(c, name="c")
            if exact <= 0:
                raise PolicyError(f"the c of recursive:C:L must be above 0, not {c}")
            return RecursiveDiversity(exact, _whole(l, given))
    raise PolicyError(_wrong(given))


def diversity_value(diversity: Diversity) -> int | str:
    """``l`` as manifests have it; ``parse_diversity`` reads it."""
    match diversity:
        case EntropyDiversity():
            return f"entropy:{decimal_text(diversity.l)}"
        case RecursiveDiversity():
            return f"recursive:{decimal_text(diversity.c)}:{diversity.l}"
    return diversity.l


def less_diverse(offered: int | str | None, asked: int | str | None) -> bool:
    """Whether ``offered`` does not imply ``asked``.

    An entropy of log ℓ, as well as (c, ℓ)-diversity, needs ℓ different values at least.

    >>> less_diverse("entropy:3", 3), less_diverse(5, "entropy:3")
    (False, True)
    """
    if asked is None:
        return False
    if offered is None:
        return True
    mine, theirs = parse_diversity(offered), parse_diversity(asked)
    if isinstance(mine, RecursiveDiversity) and isinstance(theirs, RecursiveDiversity):
        return mine.c > theirs.c or mine.l < theirs.l
    comparable = type(mine) is type(theirs) or isinstance(theirs, DistinctDiversity)
    return not comparable or mine.l < theirs.l


def entropy_is_at_least(counts: Sequence[int], l: Fraction) -> bool:  # noqa: E741
    """Whether the entropy of these counts, each 1 or more, is at least log ``l``: n^n ≥ l^n · Π n_i^n_i.

    Logarithms decide if they differ by more than rounding can explain, whole numbers otherwise.

    >>> entropy_is_at_least([4, 1, 1, 1, 1], Fraction(4)), entropy_is_at_least([5, 1, 1, 1], Fraction(4))
    (True, False)
    """
    # Both sides are powers of the greatest common divisor, of which the root can be taken.
    common = gcd(*counts)
    counts = [each // common for each in counts]
    n = sum(counts)
    terms = [
        n * log(n),
        -n * log(l.numerator),
        n * log(l.denominator),
        *(-m * log(m) for m in counts),
    ]
    left = fsum(terms)
    if abs(left) > DOUBT * fsum(map(abs, terms)):
        return left > 0
    return bool((n * l.denominator) ** n >= l.numerator**n * prod(m**m for m in counts))


def distance(counts: Mapping[int, int], whole: Distribution) -> Fraction:
    """The earth mover's distance between a group and the whole table, 0 to 1."""
    n, n_rows = sum(counts.values()), sum(whole.totals)
    if not whole.is_ordered:
        # Only what the group has more of than its share must move.
        excess = (there * n_rows - whole.totals[value] * n for value, there in counts.items())
        return Fraction(sum(each for each in excess if each > 0), n * n_rows)
    moved = ahead = 0
    for value, total in enumerate(whole.totals):
        ahead += counts.get(value, 0) * n_rows - total * n
        moved += abs(ahead)
    return Fraction(moved, max(len(whole.totals) - 1, 1) * n * n_rows)


def _whole(text: str, given: int | str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text) < 2:
        raise PolicyError(_wrong(given))
    return int(text)


def _wrong(given: object) -> str:
    return (
        f"l must be a whole number of at least 2, entropy:L or recursive:C:L, such as 3, entropy:3 or "
        f"recursive:2:3, not {given!r}"
    )
