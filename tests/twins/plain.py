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


def find_forced(records: Sequence[Record], sensitive: Record, rho: Fraction) -> dict[int, int]:
    """The rows that can keep no sensitive item beside their others, with the support of those.

    >>> table = [frozenset({1, 9}), frozenset({2, 9}), frozenset({2})]
    >>> find_forced(table, frozenset({9}), Fraction(1, 2))
    {0: 1}
    """
    forced = {}
    for row, record in enumerate(records):
        rest = record - sensitive
        support = count_support(rest, records)
        if record & sensitive and rest and rho * support < 1:
            forced[row] = support
    return forced


def is_safe(
    records: Sequence[Iterable[int]],
    sensitive: Record,
    rho: Fraction,
    *,
    max_known: int,
    with_prior: bool,
) -> bool:
    """Whether no rule breaks; ``max_known`` -1 means that an attacker may know any number of items."""
    sets = [frozenset(record) for record in records]
    largest = max_known if max_known >= 0 else max((len(record) for record in sets), default=0)
    if with_prior and any(count_support({e}, sets) > rho * len(sets) for e in sensitive):
        return False
    return not survey_antecedents(sets, sensitive, rho, sizes=(1, largest))


def thin_records(
    records: Sequence[Record], sensitive: Record, rho: Fraction, *, bias: float
) -> list[set[int]]:
    """Each record in turn loses its most over-represented item until no rule r\\e→e breaks."""
    table = [set(record) for record in records]
    original = {x: count_support({x}, records) for record in records for x in record}
    for record in table:
        while any(
            count_support(record, [frozenset(r) for r in table])
            > rho * count_support(record - {e}, [frozenset(r) for r in table])
            for e in record & sensitive
        ):
            left = {
                x: sum(x in r for r in table) / original[x] + (bias if x in sensitive else 0.0)
                for x in record
            }
            record.remove(max(sorted(record), key=lambda x: left[x]))
    return table


def find_bucket_count(records_with_sum, k, first, last):
    """The first number of buckets from ``first`` towards ``last`` that leaves none with 1 … k-1 records."""
    step = 1 if last >= first else -1
    for n_buckets in range(first, last + step, step):
        buckets = [sum(records_with_sum[bucket::n_buckets]) for bucket in range(n_buckets)]
        if all(size == 0 or size >= k for size in buckets):
            return n_buckets
    return 0


def gather_similar(
    rows: Sequence[Record],
    gain: Sequence[int],
    classes: Sequence[Sequence[int]],
    k: int,
    window: int,
) -> list[list[int]]:
    """Groups of at least k rows of one class: the first free row, and k - 1 times the cheapest to add."""
    made: list[list[int]] = []
    for members in classes:
        free, groups = list(members), []
        while len(free) >= k:
            group = [free.pop(0)]
            while len(group) < k:
                best = min(free[:window], key=lambda row: joining_cost(row, group, rows, gain))
                free.remove(best)
                group.append(best)
            groups.append(group)
        for row in free:
            min(groups, key=lambda group: joining_cost(row, group, rows, gain)).append(row)
        made += groups
    return made


def joining_cost(
    row: int, group: Sequence[int], rows: Sequence[Record], gain: Sequence[int]
) -> int:
    """What the members lose for common nodes that the row lacks, and the row for nodes that they lack."""
    common = frozenset.intersection(*(rows[member] for member in group))
    lost_by_each = sum(gain[node] for node in common - rows[row])
    return len(group) * lost_by_each + sum(gain[node] for node in rows[row] - common)
