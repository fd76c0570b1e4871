"""How searches find anything unsafe, and how the proof finds the worst mole, in obvious Python.

Slow on purpose. Records are sets of items. A search decides this without the proof, so these functions say
what both must agree on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations

Record = frozenset[int]
Mole = tuple[tuple[int, ...], int, int, int]
"""Items, support, private item (-1: too rare), joint."""


def find_unsafe_consequents(
    records: Sequence[Record], sensitive: Record, rho: Fraction, size: int, roots: Iterable[int]
) -> set[int]:
    """The e that follow above ρ from some q of this size whose lowest item is one of ``roots``.

    >>> find_unsafe_consequents([frozenset({1, 9}), frozenset({1})], frozenset({9}), Fraction(1, 3), 1, [1])
    {9}
    """
    unsafe = set()
    lowest = set(roots)
    for record in records:
        for q in map(frozenset, combinations(sorted(record), size)):
            if min(q) in lowest:
                holders = [other for other in records if q <= other]
                for e in sensitive - q:
                    if sum(e in holder for holder in holders) > rho * len(holders):
                        unsafe.add(e)
    return unsafe


def judged(
    itemset: Record, records: Sequence[Record], private: Record, k: int, h: Fraction
) -> Mole | None:
    """The set as a mole with its numbers, if it is one; of equally likely private items the lowest."""
    holders = [record for record in records if itemset <= record]
    items = tuple(sorted(itemset))
    if len(holders) < k:
        return items, len(holders), -1, 0
    joints = {s: sum(s in record for record in holders) for s in private}
    likeliest = min(joints, key=lambda s: (-joints[s], s), default=-1)
    if likeliest >= 0 and joints[likeliest] > h * len(holders):
        return items, len(holders), likeliest, joints[likeliest]
    return None


def find_mole(
    records: Sequence[Record], private: Record, k: int, h: Fraction, size: int
) -> list[Mole]:
    """The moles of exactly this size, worst first: likelier, in more records, then by their items.

    >>> table = [frozenset({1, 9}), frozenset({1}), frozenset({2}), frozenset({2})]
    >>> find_mole(table, frozenset({9}), 2, Fraction(1, 3), 1)
    [((1,), 2, 9, 1)]
    """
    sets = {
        frozenset(q) for record in records for q in combinations(sorted(record - private), size)
    }
    moles = [judged(each, records, private, k, h) for each in sets]
    return sorted((mole for mole in moles if mole is not None), key=badness)


def badness(mole: Mole) -> tuple[Fraction, int, list[int]]:
    """The order of moles of a size; finally by rank, high ones first, except the last item of a rare mole."""
    items, support, private, joint = mole
    order = [-item for item in items]
    if private < 0 or len(items) == 1:
        order[-1] *= -1
    return Fraction(-(joint if private >= 0 else 1), support), -support, order


def any_mole(
    records: Sequence[Record],
    private: Record,
    k: int,
    h: Fraction,
    largest: int,
    *,
    roots: Iterable[int],
    alive: Record,
) -> bool:
    """Whether one of ``roots`` and up to ``largest`` - 1 living items are a mole.

    >>> table = [frozenset({1, 2}), frozenset({1})]
    >>> any_mole(table, frozenset(), 2, Fraction(1), 2, roots=[1], alive=frozenset())
    False
    """
    for root in roots:
        for record in records:
            if root in record:
                others = sorted((record & alive) - private - {root})
                for size in range(largest):
                    for q in combinations(others, size):
                        if judged(frozenset({root, *q}), records, private, k, h) is not None:
                            return True
    return False
