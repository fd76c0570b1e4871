"""The kernels about moles and nuggets in obvious Python: what each must return.

Slow on purpose; see ``plain``. Records are sets of items, some of which are private.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations

Record = frozenset[int]


def supported(records: Iterable[Record], largest: int) -> set[Record]:
    """All sets of 1 to ``largest`` items that some record holds."""
    return {
        frozenset(q)
        for record in records
        for size in range(1, largest + 1)
        for q in combinations(sorted(record), size)
    }


def is_faulty(
    itemset: Record, records: Sequence[Record], private: Record, k: int, h: Fraction
) -> bool:
    """Whether the set itself is too rare, or a private item follows from it.

    >>> table = [frozenset({1, 2, 9}), frozenset({1, 9}), frozenset({1})]
    >>> [is_faulty(frozenset(q), table, frozenset({9}), 2, Fraction(2, 3)) for q in ({1}, {1, 2})]
    [False, True]
    """
    holders = [record for record in records if itemset <= record]
    return len(holders) < k or any(
        sum(s in record for record in holders) > h * len(holders) for s in private
    )


def count_moles(
    records: Sequence[Record], private: Record, k: int, h: Fraction, largest: int
) -> set[Record]:
    """All moles: the supported public sets of which a part, or all, is faulty."""
    public = [record - private for record in records]
    faulty = {q for q in supported(public, largest) if is_faulty(q, records, private, k, h)}
    return {q for q in supported(public, largest) if any(part <= q for part in faulty)}


def survey_moles(
    records: Sequence[Record], private: Record, k: int, h: Fraction, largest: int
) -> set[Record]:
    """The minimal moles: those that contain no other."""
    moles = count_moles(records, private, k, h, largest)
    return {q for q in moles if not any(other < q for other in moles)}


def find_mole(
    records: Sequence[Record], private: Record, k: int, h: Fraction, largest: int
) -> bool:
    """Whether there is a mole at all."""
    return bool(count_moles(records, private, k, h, largest))


def count_nuggets(records: Sequence[Record], k: int) -> set[Record]:
    """All sets, public or private, that at least ``k`` records hold."""
    longest = max((len(record) for record in records), default=0)
    return {q for q in supported(records, longest) if sum(q <= record for record in records) >= k}


def find_rare_row(records: Sequence[Record], k: int) -> bool:
    """Whether fewer than ``k`` records hold all items of some record that is not empty."""
    return any(record and sum(record <= other for other in records) < k for record in records)


def keep_maximal(rows: Iterable[Record]) -> set[Record]:
    """The rows that are inside no other."""
    distinct = set(rows)
    return {row for row in distinct if not any(row < other for other in distinct)}
