"""The counting kernels in obvious Python: what each must return, as plainly as possible.

Slow on purpose. Tests compare every kernel with its twin of the same name; a reader who wants to know
what a kernel does reads the twin first. Records are sets of items.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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


def support_of(itemset: Iterable[int], records: Sequence[Record], enough: int) -> int:
    """How many records hold the whole itemset, or ``enough`` if no fewer do."""
    return min(count_support(itemset, records), enough)


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
    """Whether some closed set C of some D_e has conf(C→e) > ρ.

    >>> table = [frozenset({1, 9}), frozenset({1})]
    >>> [find_unsafe_closed_set(table, [9], Fraction(1, n), with_prior=False) for n in (2, 3)]
    [False, True]
    """
    return any(
        joint > rho * count_support(itemset, records)
        for e in consequents
        for itemset, joint in closed_sets(e, records)
        if itemset or with_prior
    )


def try_attacks(
    known: Iterable[Record], records: Sequence[Record], sensitive: Record, rho: Fraction
) -> list[tuple[int, bool]]:
    """For each set of known items its support, and whether a sensitive item outside it follows.

    >>> try_attacks([frozenset({1})], [frozenset({1, 9}), frozenset({1})], frozenset({9}), Fraction(1, 3))
    [(2, True)]
    """
    outcomes = []
    for q in known:
        support = count_support(q, records)
        inferred = any(count_support(q | {e}, records) > rho * support for e in sensitive - q)
        outcomes.append((support, inferred))
    return outcomes


def make_bitmaps(holders: Sequence[Iterable[int]], first: int) -> list[set[int]]:
    """The rows of each item from the number ``first`` on.

    >>> make_bitmaps([[0], [0, 2], [1, 2]], 1)
    [{0, 2}, {1, 2}]
    """
    return [set(rows) for rows in holders[first:]]


def set_bit(bitmaps: Sequence[set[int]], first: int, item: int, row: int) -> list[set[int]]:
    """The rows of each item when this row holds this item too; items below ``first`` have none.

    >>> set_bit([{0}, {1}], 7, 8, 3)
    [{0}, {1, 3}]
    """
    return [rows | {row} if first + n == item else rows for n, rows in enumerate(bitmaps)]


def clear_bits(
    bitmaps: Sequence[set[int]], first: int, pairs: Iterable[tuple[int, int]]
) -> list[set[int]]:
    """The rows of each item when for each pair the row no longer holds the item.

    >>> clear_bits([{0, 4}, {1}], 7, [(7, 4), (8, 2)])
    [{0}, {1}]
    """
    gone = set(pairs)
    return [{row for row in rows if (first + n, row) not in gone} for n, rows in enumerate(bitmaps)]


def find_equal(items: Sequence[tuple[int, Sequence[int]]], hashes: Mapping[int, int]) -> set[int]:
    """The items whose keys are those of the first item with the same hash, which itself is not one.

    >>> find_equal([(5, [1, 2]), (6, [1, 2]), (7, [2])], {5: 0, 6: 0, 7: 0})
    {6}
    """
    first_of: dict[int, tuple[int, Sequence[int]]] = {}
    for item, keys in items:
        first_of.setdefault(hashes[item], (item, keys))
    return {
        item
        for item, keys in items
        if item != first_of[hashes[item]][0] and keys == first_of[hashes[item]][1]
    }


def count_kept(
    records: Sequence[Sequence[int]], kept: Sequence[Sequence[bool]], n_items: int
) -> tuple[list[int], list[int]]:
    """How often each item is kept, and how many occurrences of each record.

    >>> count_kept([[0, 2], [2]], [[False, True], [True]], 3)
    ([0, 0, 2], [1, 1])
    """
    rest = what_is_kept(records, kept)
    return [sum(code in row for row in rest) for code in range(n_items)], [len(r) for r in rest]


def what_is_kept(
    records: Sequence[Sequence[int]], kept: Sequence[Sequence[bool]]
) -> list[list[int]]:
    """The records with those of their items that are kept."""
    return [
        [code for code, stays in zip(record, marks, strict=True) if stays]
        for record, marks in zip(records, kept, strict=True)
    ]


def transpose_twice(
    records: Sequence[Sequence[int]],
    kept: Sequence[Sequence[bool]],
    rank_of_code: Sequence[int],
    record_of_row: Sequence[int],
) -> tuple[list[list[int]], list[list[int]]]:
    """The rows in their order with ascending ranks, and for each rank the rows that hold it.

    >>> transpose_twice([[0], [0, 1]], [[True], [True, True]], [1, 0], [1, 0])
    ([[0, 1], [1]], [[0], [0, 1]])
    """
    rest = what_is_kept(records, kept)
    rows = [sorted(rank_of_code[code] for code in rest[record]) for record in record_of_row]
    holders = [
        [row for row, ranks in enumerate(rows) if rank in ranks] for rank in sorted(rank_of_code)
    ]
    return rows, holders


def find_positions(rows: Sequence[Sequence[int]], n_items: int) -> list[list[int]]:
    """For each rank its places when the rows are written one after the other.

    >>> find_positions([[0, 1], [1]], 2)
    [[0], [1, 2]]
    """
    in_one = [rank for row in rows for rank in row]
    return [[place for place, each in enumerate(in_one) if each == rank] for rank in range(n_items)]


def find_places(
    rows: Sequence[Sequence[int]],
    code_of_rank: Sequence[int],
    record_of_row: Sequence[int],
    records: Sequence[Sequence[int]],
) -> list[list[int]]:
    """For each item of each row, the place of its code in the records written one after the other.

    >>> find_places([[0, 1], [1]], [5, 4], [1, 0], [[4], [4, 5]])
    [[2, 1], [0]]
    """
    return [
        [
            sum(len(before) for before in records[:record]) + records[record].index(code_of_rank[x])
            for x in row
        ]
        for row, record in zip(rows, record_of_row, strict=True)
    ]


def merge_local_rows(rows: Sequence[Sequence[int]]) -> tuple[list[int], list[int], list[int]]:
    """For each row the number of its group of equal rows; for each group its first row and its size.

    >>> merge_local_rows([[1, 2], [], [1, 2], [2]])
    ([0, 1, 0, 2], [0, 1, 3], [2, 1, 1])
    """
    different = list(dict.fromkeys(tuple(row) for row in rows))
    return (
        [different.index(tuple(row)) for row in rows],
        [[tuple(row) for row in rows].index(one) for one in different],
        [sum(tuple(row) == one for row in rows) for one in different],
    )


def largest_pool(rows: Sequence[Sequence[int]], n_items: int, largest: int) -> int:
    """The most rows that the sets on one path of a walk can have: those of the root, then one for each
    item behind it, then one fewer on every level.

    >>> largest_pool([[0, 1, 2], [1, 2]], 3, 2)
    4
    """
    needed = [0] * n_items
    for row in rows:
        for place, item in enumerate(row):
            behind = len(row) - place - 1
            needed[item] += 1 + sum(behind - level for level in range(min(behind, largest - 1)))
    return max(needed, default=0)


def walk(records: Sequence[Record], largest: int) -> dict[Record, list[int]]:
    """Every set of at most ``largest`` items that some record holds, with the records that do.

    >>> walk([frozenset({1, 2}), frozenset({1})], 2)
    {frozenset({1}): [0, 1], frozenset({2}): [0], frozenset({1, 2}): [0]}
    """
    sets = {
        frozenset(items): None
        for size in range(1, largest + 1)
        for record in records
        for items in combinations(sorted(record), size)
    }
    return {q: [row for row, record in enumerate(records) if q <= record] for q in sets}


def keep_worst(met: Sequence[tuple[int, int, int]], keep: int) -> list[tuple[int, int, int]]:
    """The worst of (hits, support, number): highest confidence, then most rows, then as met.

    >>> keep_worst([(1, 2, 0), (2, 4, 1), (1, 1, 2), (1, 2, 3)], 3)
    [(1, 1, 2), (2, 4, 1), (1, 2, 0)]
    """
    return sorted(met, key=lambda each: (-Fraction(each[0], each[1]), -each[1]))[:keep]


def gather(records: Sequence[Record], consequent: int, given: int) -> list[Record]:
    """The records that hold ``consequent``, without it; those that hold ``given`` too, unless that is -1.

    >>> gather([frozenset({1, 9}), frozenset({2, 9}), frozenset({1})], 9, 1)
    [frozenset({1})]
    """
    wanted = {consequent} if given == -1 else {consequent, given}
    return [record - {consequent} for record in records if wanted <= record]


def count_pairs(rows: Sequence[Sequence[int]], first: int, last: int) -> dict[tuple[int, int], int]:
    """How many rows hold each pair whose lower item is in the range."""
    pairs = [pair for row in rows for pair in combinations(sorted(row), 2)]
    return {pair: pairs.count(pair) for pair in pairs if first <= pair[0] < last}


def count_beside(
    rows: Sequence[Record], private: Iterable[int], root: int
) -> dict[int, tuple[int, int]]:
    """For each public item above the root: the rows with both, and the most that hold one private item."""
    special = set(private)
    found = {}
    for item in {item for row in rows for item in row if item > root and item not in special}:
        both = [row for row in rows if {root, item} <= row]
        if both:
            found[item] = (
                len(both),
                max((sum(s in row for row in both) for s in special), default=0),
            )
    return found


def list_sets(
    rows: Sequence[Sequence[int]],
    private: Sequence[Sequence[int]],
    roots: tuple[int, int],
    bases: tuple[int, int, int],
) -> list[int]:
    """The keys of all sets of the rows that begin with one of the roots, alone and with each private item."""
    n, width, size = bases
    keys = []
    for row, own in zip(rows, private, strict=True):
        for chosen in combinations(sorted(row), size):
            if roots[0] <= chosen[0] < roots[1]:
                key = sum(item * n ** (size - 1 - place) for place, item in enumerate(chosen))
                keys += [key * width, *(key * width + s + 1 for s in own)]
    return keys


def count_triples(
    rows: Sequence[Sequence[int]], bounds: tuple[int, int], last: int, cap: int
) -> list[int]:
    """How many rows hold each set of three that begins with one of some items, up to the cap; in order."""
    first, n = bounds
    return [
        min(sum(set(items) <= set(row) for row in rows), cap)
        for items in combinations(range(n), 3)
        if first <= items[0] < last
    ]


def mark_holding(rows: Sequence[Sequence[int]], sets: set[tuple[int, ...]]) -> list[bool]:
    """Which rows hold one of the sets."""
    return [any(set(items) <= set(row) for items in sets) for row in rows]
