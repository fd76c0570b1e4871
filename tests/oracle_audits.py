"""Brute force for every number of every audit. Imports nothing of withhold.

A person is drawn uniformly among those with at least n items that can be known, then n of these items. The
attack curve of a table is what happens on average; here it is exact, as fractions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

Itemset = frozenset[str]
Rows = Sequence[Itemset]


@dataclass(frozen=True)
class Point:
    """One point of the exact attack curve; None: the model does not speak of it."""

    known: int
    eligible: int
    unique: Fraction
    inferred: Fraction | None
    below_k: Fraction | None


@dataclass(frozen=True)
class Found:
    """What an audit must say."""

    holds: bool
    rules: list[tuple[Itemset, str | None, int, int]]
    """Known items, what follows (None: they are too rare), joint, support; smallest first, then worst."""
    by_size: dict[int, int]
    exposed: int
    curve: list[Point]


def parts(items: Iterable[str], largest: int | None = None) -> list[Itemset]:
    """All subsets of at most ``largest`` items, the empty one included."""
    pool = sorted(items)
    most = len(pool) if largest is None else min(largest, len(pool))
    return [frozenset(c) for size in range(most + 1) for c in combinations(pool, size)]


def holders(known: Itemset, rows: Rows) -> list[Itemset]:
    """The rows that hold all that is known."""
    return [row for row in rows if known <= row]


def curve(
    knowable: Rows,
    published: Rows,
    infers: Callable[[Itemset, int], bool] | None,
    k: int | None,
) -> list[Point]:
    """The attack curve for 1 to 5 known items; ``infers`` says it of known items and a person."""
    points = []
    for n in range(1, 6):
        people = [person for person, row in enumerate(knowable) if len(row) >= n]
        if not people:
            break
        unique = inferred = rare = Fraction(0)
        for person in people:
            known_sets = [frozenset(c) for c in combinations(sorted(knowable[person]), n)]
            each = Fraction(1, len(people) * len(known_sets))
            for known in known_sets:
                found = len(holders(known, published))
                unique += each * (found == 1)
                inferred += each * (infers is not None and infers(known, person))
                rare += each * (k is not None and found < k)
        points.append(
            Point(
                n,
                len(people),
                unique,
                None if infers is None else inferred,
                None if k is None else rare,
            )
        )
    return points


def follows(known: Itemset, rows: Rows, secrets: Itemset, bound: Fraction) -> bool:
    """Whether some secret that is not known is in more than ``bound`` of the rows that fit."""
    fitting = holders(known, rows)
    return any(sum(s in row for row in fitting) > bound * len(fitting) for s in secrets - known)


def in_order(rules: Iterable[tuple[Itemset, str | None, int, int]]) -> list:
    """Smallest knowledge first, then the highest probability, then most people."""
    return sorted(
        rules,
        key=lambda rule: (
            len(rule[0]),
            -Fraction(1 if rule[1] is None else rule[2], rule[3]),
            -rule[3],
        ),
    )


def audit_rho(
    rows: Rows,
    sensitive: Itemset,
    rho: Fraction,
    max_known: int | None,
    ignore_prior: bool,
    max_size: int,
) -> Found:
    """ρ-uncertainty: q → e is a breach if e is in more than ρ of the records that hold q."""
    rules = []
    for q in {q for row in rows for q in parts(row, max_known)}:
        if ignore_prior and not q:
            continue
        fitting = holders(q, rows)
        for e in sensitive - q:
            joint = sum(e in row for row in fitting)
            if joint > rho * len(fitting):
                rules.append((q, e, joint, len(fitting)))
    largest = max_size if max_known is None else min(max_size, max_known)
    counted = [rule for rule in rules if len(rule[0]) <= largest]
    return Found(
        not rules,
        in_order(counted),
        _by_size(counted, range(int(ignore_prior), largest + 1)),
        sum(any(q | {e} <= row for q, e, _, _ in counted) for row in rows),
        curve(rows, rows, lambda known, _: follows(known, rows, sensitive, rho), None),
    )


def audit_personal(
    originals: Rows,
    published: Rows,
    wishes: Rows,
    rho: Fraction,
    max_known: int | None,
    max_size: int,
) -> Found:
    """Personalised: what q of somebody's original gives away of their wishes, in published counts."""
    rules = set()
    exposed = set()
    largest = max_size if max_known is None else min(max_size, max_known)
    for person, (row, wished) in enumerate(zip(originals, wishes, strict=True)):
        for q in parts(row, max_known):
            fitting = holders(q, published)
            for e in wished - q:
                joint = sum(e in other for other in fitting)
                if fitting and joint > rho * len(fitting):
                    rules.add((q, e, joint, len(fitting)))
                    if len(q) <= largest:
                        exposed.add(person)
    counted = [rule for rule in rules if len(rule[0]) <= largest]
    return Found(
        not rules,
        in_order(counted),
        _by_size(counted, range(largest + 1)),
        len(exposed),
        curve(
            originals,
            published,
            lambda known, person: follows(known, published, wishes[person], rho),
            None,
        ),
    )


def audit_coherence(
    rows: Rows, private: Itemset, h: Fraction, k: int, p: int | None, max_size: int
) -> Found:
    """Coherence: the minimal public sets that are too rare or from which something private follows."""
    public = [row - private for row in rows]
    faulty = {}
    for q in {q for row in public for q in parts(row, p)}:
        fitting = holders(q, rows)
        often = Counter(s for row in fitting for s in row & private)
        worst = max(often.values(), default=0)
        if len(fitting) < k:
            faulty[q] = (None, 0, len(fitting))
        elif worst > h * len(fitting):
            # Which of several equally likely ones is named is left open.
            faulty[q] = ("private", worst, len(fitting))
    minimal = [
        (q, *fault)
        for q, fault in faulty.items()
        if not any(part in faulty for part in parts(q) if part != q)
    ]
    longest = max((len(row) for row in public), default=0)
    largest = min(max_size, longest if p is None else p)
    counted = [mole for mole in minimal if len(mole[0]) <= largest]
    return Found(
        not minimal,
        in_order(counted),
        _by_size(counted, range(largest + 1)),
        sum(any(mole[0] <= row for mole in counted) for row in rows),
        curve(
            public,
            rows,
            (lambda known, _: follows(known, rows, private, h)) if private and h < 1 else None,
            k if k > 1 else None,
        ),
    )


def audit_buckets(rows: Rows, k: int, max_size: int) -> Found:
    """Whole records alike: the sets of items that are all of fewer than k records."""
    rare = {row: many for row, many in Counter(rows).items() if many < k}
    counted = [row for row in rare if len(row) <= max_size]
    return Found(
        not rare,
        # Fewest records first, then fewest items.
        sorted(
            ((row, None, 0, many) for row, many in rare.items()),
            key=lambda each: (each[3], len(each[0])),
        ),
        {size: sum(len(row) == size for row in counted) for size in range(max_size + 1)},
        sum(rare[row] for row in counted),
        curve(rows, rows, None, k),
    )


def _by_size(rules: Sequence[tuple], sizes: range) -> dict[int, int]:
    return {size: sum(len(rule[0]) == size for rule in rules) for size in sizes}


Row = tuple[str | None, ...]


@dataclass(frozen=True)
class TableFound:
    """What the audit of a table must say."""

    holds: bool
    groups: int
    k: int
    k_wildcard: int
    l: int | None  # noqa: E741
    at_risk: int
    withheld: int
    one_label: int
    sizes: Counter[int]
    """How many groups have so many rows."""
    broken: list[tuple[int, Row]]
    """Size and cells of the groups that break the model."""
    known: list[tuple[Fraction, Fraction, Fraction]]
    """For each number of known columns the shares of rows unique and below k, and the largest unique."""


def audit_table(
    cells: Sequence[Row],
    labels: Sequence[str],
    values: Sequence[str],
    k: int,
    l: int | None,  # noqa: E741
) -> TableFound:
    """k-anonymity and distinct l-diversity; ``None`` is a withheld cell, a value of its own."""
    groups: dict[Row, list[int]] = {}
    for number, row in enumerate(cells):
        groups.setdefault(row, []).append(number)
    different = {row: len({values[n] for n in there}) for row, there in groups.items()}
    broken = {
        row
        for row, there in groups.items()
        if len(there) < k or (l is not None and different[row] < l)
    }

    def fits(one: Row, other: Row) -> bool:
        return all(a is None or b is None or a == b for a, b in zip(one, other, strict=True))

    known = []
    for n in range(1, len(cells[0]) + 1):
        shares = []
        for chosen in combinations(range(len(cells[0])), n):
            alike = Counter(tuple(row[c] for c in chosen) for row in cells)
            shares.append(
                (
                    Fraction(sum(many for many in alike.values() if many == 1), len(cells)),
                    Fraction(sum(many for many in alike.values() if many < k), len(cells)),
                )
            )
        unique, below = (sum(column) / len(shares) for column in zip(*shares, strict=True))
        known.append((unique, below, max(share for share, _ in shares)))
    return TableFound(
        not broken,
        len(groups),
        min(len(there) for there in groups.values()),
        min(sum(fits(row, other) for other in cells) for row in cells),
        None if l is None else min(different.values()),
        sum(len(groups[row]) for row in broken),
        sum(cell is None for row in cells for cell in row),
        sum(len(there) for there in groups.values() if len({labels[n] for n in there}) == 1),
        Counter(len(there) for there in groups.values()),
        sorted(((len(groups[row]), row) for row in broken), key=lambda each: each[0]),
        known,
    )
