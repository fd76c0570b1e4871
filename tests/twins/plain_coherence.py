"""The kernels about moles and nuggets in obvious Python: what each must return.

Slow on purpose. Records are sets of items, some of which are private.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

Record = frozenset[int]
Judged = tuple[Record, int, int, int]
"""A set, its support, the private item that follows (-1: it is too rare), and in how many it is there."""


def supported(records: Iterable[Record], largest: int) -> set[Record]:
    """All sets of 1 to ``largest`` items that some record holds."""
    return {
        frozenset(q)
        for record in records
        for size in range(1, largest + 1)
        for q in combinations(sorted(record), size)
    }


def breaks_limits(
    itemset: Record, records: Sequence[Record], private: Record, k: int, h: Fraction
) -> bool:
    """Whether the set itself is too rare, or a private item follows from it.

    >>> table = [frozenset({1, 2, 9}), frozenset({1, 9}), frozenset({1})]
    >>> [breaks_limits(frozenset(q), table, frozenset({9}), 2, Fraction(2, 3)) for q in ({1}, {1, 2})]
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
    faulty = {q for q in supported(public, largest) if breaks_limits(q, records, private, k, h)}
    return {q for q in supported(public, largest) if any(part <= q for part in faulty)}


def survey_moles(
    records: Sequence[Record], private: Record, k: int, h: Fraction, largest: int
) -> set[Record]:
    """The minimal moles: those that contain no other."""
    moles = count_moles(records, private, k, h, largest)
    return {q for q in moles if not any(other < q for other in moles)}


def judge_items(
    roots: Iterable[int], records: Sequence[Record], private: Record, k: int, h: Fraction
) -> list[tuple[int, int | None, int]]:
    """Of each item: support, the private item that makes it a mole (-1: rarity; None: it is none), joint.

    >>> judge_items([1, 2], [frozenset({1, 9}), frozenset({1, 2})], frozenset({9}), 2, Fraction(1, 2))
    [(2, None, 0), (1, -1, 0)]
    """
    return [
        judged(frozenset({root}), records, private, k)
        if breaks_limits(frozenset({root}), records, private, k, h)
        else (sum(root in record for record in records), None, 0)
        for root in roots
    ]


def judged(
    itemset: Record, records: Sequence[Record], private: Record, k: int
) -> tuple[int, int, int]:
    """The support of a faulty set, the private item that makes it so (-1: rarity), in how many it is there.

    >>> judged(frozenset({1}), [frozenset({1, 8, 9}), frozenset({1, 9})], frozenset({8, 9}), 2)
    (2, 9, 2)
    """
    holders = [record for record in records if itemset <= record]
    if len(holders) < k:
        return len(holders), -1, 0
    joint = {s: sum(s in record for record in holders) for s in sorted(private)}
    likeliest = max(joint, key=lambda s: joint[s])
    return len(holders), likeliest, joint[likeliest]


def are_first_minimal_moles(
    draws: Iterable[tuple[int, Record]],
    records: Sequence[Record],
    private: Record,
    k: int,
    h: Fraction,
) -> list[bool]:
    """Which draws of a row and a set are a minimal mole and the first row that holds it."""
    return [
        breaks_limits(itemset, records, private, k, h)
        and not any(
            breaks_limits(frozenset(part), records, private, k, h)
            for size in range(1, len(itemset))
            for part in combinations(sorted(itemset), size)
        )
        and row == next(n for n, record in enumerate(records) if itemset <= record)
        for row, itemset in draws
    ]


def count_nuggets(records: Sequence[Record], k: int) -> set[Record]:
    """All sets, public or private, that at least ``k`` records hold."""
    longest = max((len(record) for record in records), default=0)
    return {q for q in supported(records, longest) if sum(q <= record for record in records) >= k}


def find_rare_row(records: Sequence[Record], k: int) -> tuple[int, int]:
    """The first record, not empty, that fewer than ``k`` records hold, and how many; (-1, 0) if none."""
    for row, record in enumerate(records):
        support = sum(record <= other for other in records)
        if record and support < k:
            return row, support
    return -1, 0


def keep_maximal(rows: Iterable[Record]) -> set[Record]:
    """The rows that are inside no other."""
    distinct = set(rows)
    return {row for row in distinct if not any(row < other for other in distinct)}


def move_keys(stored: Mapping[int, int]) -> dict[int, int]:
    """What the larger table finds under each key: what the smaller one did, and nothing else."""
    return dict(stored)


def take_items(moles: set[tuple[int, ...]], supports: Sequence[int]) -> list[int]:
    """Items of the greedy cover, in order: in most of the moles that are left, for each occurrence."""
    left, taken = set(moles), []
    while left:
        worth = {
            v: Fraction(sum(v in mole for mole in left), supports[v]) for v in range(len(supports))
        }
        best = max(worth, key=lambda v: (worth[v], -v))
        taken.append(best)
        left = {mole for mole in left if best not in mole}
    return taken


def put_back_items(moles: set[tuple[int, ...]], taken: Sequence[int]) -> set[int]:
    """Items that stay away after the others came back, the last taken first."""
    gone = set(taken)
    for item in reversed(taken):
        if all((gone - {item}) & set(mole) for mole in moles):
            gone.remove(item)
    return gone
