"""The kernels of ρ-uncertainty in obvious Python; see ``plain_counting``.

If a kernel decides which of several records loses an item, its twin says which: the order is part of what is
promised, because the same input must give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from twins.plain_counting import Record, Rule, closed_sets, count_support, find_unsafe_closed_set

Deletion = tuple[int, int, Rule]
"""A record, the item that it lost, and the rule that was unsafe by then."""
SKIPPED, BLOCKED, ACCEPTED = 0, 1, 2


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


def are_first_breaches(
    draws: Iterable[tuple[int, int, Record]], records: Sequence[Record], rho: Fraction
) -> list[bool]:
    """For each draw of a record, an e and a q of it: is q→e a breach, and no earlier record one with qe?

    >>> table = [frozenset({1, 9}), frozenset({1, 9})]
    >>> are_first_breaches([(0, 9, frozenset({1})), (1, 9, frozenset({1}))], table, Fraction(1, 2))
    [True, False]
    """
    return [
        count_support(q | {e}, records) > rho * count_support(q, records)
        and count_support(q | {e}, records[:row]) == 0
        for row, e, q in draws
    ]


def order_rows(records: Sequence[Record], ranks: Iterable[int]) -> list[int]:
    """The rows sorted by whether they hold the first rank, then the second, and so on; holders come first.

    >>> order_rows([frozenset({1}), frozenset({0}), frozenset({0, 1}), frozenset({0})], range(2))
    [2, 1, 3, 0]
    """
    ranks = list(ranks)
    return sorted(range(len(records)), key=lambda row: [rank not in records[row] for rank in ranks])


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


def list_forced(
    rows: Iterable[int], records: Sequence[Mapping[int, int]], sensitive: Record
) -> list[tuple[list[int], list[int]]]:
    """For each of the rows the items that stay, and the places of the sensitive ones, which are deleted.

    A record has for each of its items the place of that occurrence.

    >>> list_forced([1], [{1: 0}, {1: 1, 9: 2}], frozenset({9}))
    [([1], [2])]
    """
    return [
        (
            [item for item in records[row] if item not in sensitive],
            [place for item, place in records[row].items() if item in sensitive],
        )
        for row in rows
    ]


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
    if max_known < 0:
        return not find_unsafe_closed_set(sets, sensitive, rho, with_prior=with_prior)
    if with_prior and any(count_support({e}, sets) > rho * len(sets) for e in sensitive):
        return False
    return not survey_antecedents(sets, sensitive, rho, sizes=(1, max_known))


def restore(
    records: Sequence[Record],
    candidates: Iterable[tuple[int, int]],
    sensitive: Record,
    rho: Fraction,
    *,
    max_known: int,
    with_prior: bool,
    ceilings: Mapping[int, int],
    put_back: bool,
) -> tuple[list[int], list[Record]]:
    """For each candidate, a record and an item that it lost, whether that comes back; and the records then.

    It does if the table, which is safe, stays safe; candidates take turns. An item that has reached its
    ceiling is skipped. Without ``put_back`` nothing comes back: each candidate is tested on its own.

    >>> choice = {"max_known": -1, "with_prior": False, "ceilings": {9: 5}, "put_back": True}
    >>> restore([frozenset({1})] * 2, [(0, 9), (1, 9)], frozenset({9}), Fraction(1, 2), **choice)
    ([2, 1], [frozenset({1, 9}), frozenset({1})])
    """
    table = list(records)
    outcomes = []
    for row, item in candidates:
        before = table[row]
        if count_support({item}, table) >= ceilings[item]:
            outcomes.append(SKIPPED)
            continue
        table[row] = before | {item}
        safe = is_safe(table, sensitive, rho, max_known=max_known, with_prior=with_prior)
        outcomes.append(ACCEPTED if safe else BLOCKED)
        if not (safe and put_back):
            table[row] = before
    return outcomes, table


def find_unsafe_pairs(
    pairs: Iterable[tuple[int, int]], records: Sequence[Record], rho: Fraction, *, with_prior: bool
) -> list[bool]:
    """For each pair (e, d) whether some rule q→e is unsafe with d in q; with any q if d is -1.

    >>> find_unsafe_pairs([(9, 1), (9, 2)], [frozenset({1, 9})], Fraction(1, 2), with_prior=True)
    [True, False]
    """
    unsafe = []
    for e, d in pairs:
        antecedents = {
            frozenset(q)
            for record in records
            if e in record
            for size in range(0 if with_prior else 1, len(record))
            for q in combinations(sorted(record - {e}), size)
            if d == -1 or d in q
        }
        unsafe.append(
            any(
                count_support(q | {e}, records) > rho * count_support(q, records)
                for q in antecedents
            )
        )
    return unsafe


def harmed_pairs(
    suspects: Iterable[tuple[int, int]],
    processed: Mapping[int, int],
    records: Sequence[Record],
    sensitive: Record,
) -> list[tuple[int, int]]:
    """The pairs (f, d), f sensitive and in a record with d, f processed before d was last deleted.

    >>> harmed_pairs([(1, 5)], {8: 6, 9: 4}, [frozenset({1, 8, 9})], frozenset({8, 9}))
    [(9, 1)]
    """
    pairs = []
    for d, deleted in suspects:
        beside = [f for record in records if d in record for f in sorted(record - {d})]
        pairs += [
            (f, d) for f in dict.fromkeys(beside) if f in sensitive and processed[f] < deleted
        ]
    return pairs


def lehmer(seed: int) -> Iterator[int]:
    """Lehmer's random numbers."""
    while True:
        seed = seed * 48271 % (2**31 - 1)
        yield seed


def fix_antecedents(
    records: Sequence[Record],
    sensitive: Record,
    rho: Fraction,
    *,
    size: int,
    draws: Iterator[int] | None = None,
) -> tuple[list[Record], list[Deletion]]:
    """Each set q of that size in turn: for each sensitive e, records with qe lose e until q→e is safe.

    Sets grow by items of higher rank, in the order in which the records show them; not by one that all
    records of the set hold, since a rule that breaks with it breaks without it. The first records lose e, or
    with ``draws`` random ones.

    >>> table = [frozenset({1, 9}), frozenset({1, 9}), frozenset({1})]
    >>> fix_antecedents(table, frozenset({9}), Fraction(1, 3), size=1)[0]
    [frozenset({1}), frozenset({1, 9}), frozenset({1})]
    """
    table = list(records)
    deletions: list[Deletion] = []

    def holders(q: Record) -> list[int]:
        return [row for row, record in enumerate(table) if q <= record]

    def fix(q: Record) -> None:
        support = len(holders(q))
        for e in dict.fromkeys(e for row in holders(q) for e in sorted(table[row] - q)):
            if e not in sensitive:
                continue
            left = holders(q | {e})
            joint, too_many = len(left), len(left) - rho * support // 1
            while too_many > 0:
                row = left.pop(0)
                if draws is None or next(draws) % (len(left) + 1) < too_many:
                    table[row] -= {e}
                    deletions.append((row, e, (q, e, joint, support)))
                    too_many -= 1

    def visit(q: Record) -> None:
        if len(q) == size:
            return fix(q)
        rows = [table[row] for row in holders(q)]
        following = dict.fromkeys(x for row in rows for x in sorted(row) if x > max(q))
        for x in [x for x in following if not all(x in row for row in rows)]:
            visit(q | {x})
        return None

    for x in sorted(frozenset().union(*records)):
        visit(frozenset({x}))
    return table, deletions


def note_unsafe_rules(
    records: Sequence[Record], sensitive: Record, rho: Fraction, *, size: int, most: int
) -> list[Rule]:
    """The first ``most`` unsafe rules whose antecedent has that size; visited as ``fix_antecedents`` does.

    >>> note_unsafe_rules([frozenset({1, 9})], frozenset({9}), Fraction(1, 2), size=1, most=5)
    [(frozenset({1}), 9, 1, 1)]
    """
    found: list[Rule] = []

    def visit(q: Record) -> None:
        rows = [record for record in records if q <= record]
        if len(q) == size:
            for e in dict.fromkeys(e for row in rows for e in sorted(row - q) if e in sensitive):
                joint = count_support(q | {e}, records)
                if joint > rho * len(rows):
                    found.append((q, e, joint, len(rows)))
            return
        following = dict.fromkeys(x for row in rows for x in sorted(row) if x > max(q))
        for x in [x for x in following if not all(x in row for row in rows)]:
            visit(q | {x})

    for x in sorted(frozenset().union(*records)):
        visit(frozenset({x}))
    return found[:most]


def find_unsafe_among(
    records: Sequence[Record], consequents: Sequence[int], rho: Fraction, *, with_prior: bool
) -> int | None:
    """The number of the first consequent that follows above ρ from some closed set; None if none does."""
    for number, e in enumerate(consequents):
        if find_unsafe_closed_set(records, [e], rho, with_prior=with_prior):
            return number
    return None


def note_unsafe_closed_sets(
    records: Sequence[Record], consequents: Iterable[int], rho: Fraction, *, with_prior: bool
) -> dict[int, list[Rule]]:
    """For each consequent e that has some: the rules C→e of its unsafe closed sets C.

    >>> note_unsafe_closed_sets([frozenset({1, 9})], [9], Fraction(1, 2), with_prior=True)
    {9: [(frozenset({1}), 9, 1, 1)]}
    """
    found: dict[int, list[Rule]] = {}
    for e in consequents:
        for itemset, joint in closed_sets(e, records):
            support = count_support(itemset, records)
            if (itemset or with_prior) and joint > rho * support:
                found.setdefault(e, []).append((itemset, e, joint, support))
    return found


def fix_consequents(
    records: Sequence[Record],
    pairs: Iterable[tuple[int, int]],
    rho: Fraction,
    *,
    with_prior: bool,
    draws: Iterator[int] | None = None,
) -> tuple[list[Record], list[Deletion]]:
    """For each pair (e, d) in turn, records lose e until all rules q→e are safe with d in q (-1: any q).

    It is enough to fix the closed sets of the records with e and d: first those that several different
    records hold, as they grow, then the records themselves. Records that were equal lose e one after the
    other, the first of them first; with ``draws`` each group of equal records is drawn in proportion to its
    size.

    >>> table = [frozenset({1, 9}), frozenset({1, 9}), frozenset({1})]
    >>> fix_consequents(table, [(9, -1)], Fraction(1, 3), with_prior=False)[0]
    [frozenset({1}), frozenset({1, 9}), frozenset({1})]
    """
    table = list(records)
    deletions: list[Deletion] = []
    for e, d in pairs:
        groups: dict[Record, list[int]] = {}
        for row, record in enumerate(table):
            if e in record and (d == -1 or d in record):
                groups.setdefault(record - {e}, []).append(row)
        for closed in _as_they_grow(list(groups)):
            held_by = [rows for record, rows in groups.items() if closed <= record and rows]
            support = count_support(closed, table)
            joint = sum(len(rows) for rows in held_by)
            if not closed and not with_prior:
                continue
            for left in range(joint, rho * support // 1, -1):
                rows = _drawn(held_by, next(draws) % left) if draws else next(filter(None, held_by))
                row = rows.pop(0)
                table[row] -= {e}
                deletions.append((row, e, (closed, e, joint, support)))
    return table, deletions


def _as_they_grow(rows: list[Record]) -> Iterator[Record]:
    """The intersections of two or more of the rows, each extended before the next; then the rows."""

    def visit(holders: list[Record], core: int, before: Record) -> Iterator[Record]:
        closed = frozenset.intersection(*holders)
        # A set that gained an item of lower rank is met in its turn when that item is added.
        if any(x < core for x in closed - before):
            return
        yield closed
        more = dict.fromkeys(x for row in holders for x in sorted(row - closed, reverse=True))
        for x in [x for x in more if x > core]:
            having = [row for row in holders if x in row]
            if len(having) > 1:
                yield from visit(having, x, closed)

    if len(rows) > 1:
        yield from visit(rows, -1, frozenset())
    yield from rows


def _drawn(groups: list[list[int]], ticket: int) -> list[int]:
    """The group of the member with this number, counted through all groups."""
    return [group for group in groups for _ in group][ticket]


def find_loose_events(
    rules: Iterable[tuple[Record, int, int]], records: Sequence[Record], rho: Fraction
) -> list[bool]:
    """For each rule q→e whether it is safe with one more record that holds qe.

    The third number is what that record adds to sup(q): 0 if it holds q already.

    >>> table = [frozenset({1}), frozenset({1})]
    >>> find_loose_events([(frozenset({1}), 9, 0)], table, Fraction(1, 2))
    [True]
    """
    return [
        count_support(q | {e}, records) + 1 <= rho * (count_support(q, records) + more)
        for q, e, more in rules
    ]


def find_obsolete(deletions: Iterable[tuple[Record, int]], records: Sequence[Record]) -> list[bool]:
    """For each deletion, a rule's antecedent and a row: does the row no longer hold the antecedent?

    >>> find_obsolete([(frozenset({1}), 0), (frozenset({2}), 0)], [frozenset({1})])
    [False, True]
    """
    return [not antecedent <= records[row] for antecedent, row in deletions]


def find_touched_events(
    antecedents: Iterable[Record], returned: Sequence[tuple[int, int]], records: Sequence[Record]
) -> list[bool]:
    """For each antecedent whether a row that holds it got one of its items back; given rows and items.

    >>> find_touched_events([frozenset({1}), frozenset({2})], [(0, 1)], [frozenset({1, 2})])
    [True, False]
    """
    return [any(item in q and q <= records[row] for row, item in returned) for q in antecedents]


def thin_records(
    records: Sequence[Record], sensitive: Record, rho: Fraction, *, bias: float
) -> tuple[list[Record], list[Deletion]]:
    """Each record in turn loses its most over-represented item until no rule r\\e→e breaks.

    >>> thin_records([frozenset({1, 9}), frozenset({1})], frozenset({9}), Fraction(1, 3), bias=1.0)[0]
    [frozenset({1}), frozenset({1})]
    """
    table = list(records)
    deletions: list[Deletion] = []
    original = {x: count_support({x}, records) for record in records for x in record}
    for row in range(len(table)):
        while broken := _broken_by(table[row], table, sensitive, rho):
            left = {
                x: count_support({x}, table) / original[x] + (bias if x in sensitive else 0.0)
                for x in sorted(table[row])
            }
            most = max(left, key=lambda x: left[x])
            table[row] -= {most}
            deletions.append((row, most, broken[0]))
    return table, deletions


def _broken_by(
    record: Record, records: Sequence[Record], sensitive: Record, rho: Fraction
) -> list[Rule]:
    """The unsafe rules r\\e→e of a record r."""
    joint = count_support(record, records)
    rests = [(record - {e}, e) for e in sorted(record & sensitive)]
    rules = [(rest, e, joint, count_support(rest, records)) for rest, e in rests]
    return [rule for rule in rules if joint > rho * rule[3]]
