"""The kernels in obvious Python: what each must return, told as plainly as possible.

Slow on purpose. Tests compare every kernel with its twin of the same name here; a reader who wants to
know what a kernel does reads the twin first. Records are sets, items are whatever they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations

Record = frozenset[int]
Rule = tuple[Record, int, int, int]
"""Antecedent, consequent, sup(qe), sup(q)."""


def count_support(itemset: Iterable[int], records: Sequence[Record]) -> int:
    """How many records hold the whole itemset.

    >>> count_support({1, 2}, [frozenset({1, 2, 3}), frozenset({2}), frozenset({1, 2})])
    2
    """
    wanted = frozenset(itemset)
    return sum(wanted <= record for record in records)


def survey_antecedents(
    records: Sequence[Record], sensitive: Record, rho: Fraction, *, sizes: tuple[int, int]
) -> list[Rule]:
    """All breaches q→e with an antecedent of the given sizes, the empty one left out.

    >>> survey_antecedents([frozenset({1, 2}), frozenset({1})], frozenset({1}), Fraction(1, 2), sizes=(1, 1))
    [(frozenset({2}), 1, 1, 1)]
    """
    antecedents = {
        frozenset(q)
        for record in records
        for size in range(max(sizes[0], 1), sizes[1] + 1)
        for q in combinations(sorted(record), size)
    }
    breaches = []
    for q in sorted(antecedents, key=sorted):
        support = count_support(q, records)
        for e in sorted(sensitive - q):
            joint = count_support(q | {e}, records)
            if joint > rho * support:
                breaches.append((q, e, joint, support))
    return breaches


def closed_sets(consequent: int, records: Sequence[Record]) -> Iterator[tuple[Record, int]]:
    """Every closed set of D_e without e, with sup(Ce): all intersections of records that hold e.

    >>> sorted((sorted(c), n) for c, n in closed_sets(9, [frozenset({1, 2, 9}), frozenset({2, 9})]))
    [([1, 2], 1), ([2], 2)]
    """
    holders = [record - {consequent} for record in records if consequent in record]
    found: set[Record] = set()
    for holder in holders:
        found |= {holder & other for other in found} | {holder}
    for itemset in found:
        yield itemset, count_support(itemset, holders)


def find_unsafe_closed_set(
    records: Sequence[Record], consequents: Iterable[int], rho: Fraction, *, with_prior: bool
) -> bool:
    """Whether some closed set C of some D_e has conf(C→e) > ρ."""
    return any(
        joint > rho * count_support(itemset, records)
        for e in consequents
        for itemset, joint in closed_sets(e, records)
        if itemset or with_prior
    )


def try_attacks(
    known: Iterable[Record], records: Sequence[Record], sensitive: Record, rho: Fraction
) -> list[tuple[int, bool]]:
    """For each set of known items its support, and whether a sensitive item outside it follows."""
    outcomes = []
    for q in known:
        support = count_support(q, records)
        inferred = any(count_support(q | {e}, records) > rho * support for e in sensitive - q)
        outcomes.append((support, inferred))
    return outcomes
