"""Brute-force oracle: the two privacy models written down as plainly as possible.

A table is a list of records, a record is a set of items, and some items are sensitive.
``sup(q)`` is the number of records that contain the itemset ``q``, and
``conf(q -> e) = sup(q | {e}) / sup(q)``.

rho-uncertainty: the table is safe iff ``conf(q -> e) <= rho`` for every itemset ``q`` with
``sup(q) > 0`` (it may hold sensitive items) and every sensitive ``e`` not in ``q``. The empty
``q`` counts unless ``ignore_prior``; with ``max_known=m`` only ``len(q) <= m`` counts.

Everything is decided in exact integers, and nothing is shared with the code under test.

>>> table = [set("ab"), set("a"), set("b")]
>>> [(sorted(b.antecedent), b.consequent) for b in breaches(table, "b", Fraction(1, 2))]
[([], 'b')]
>>> is_safe(table, "b", Fraction(1, 2), ignore_prior=True)
True
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

Itemset = frozenset[str]
Records = Sequence[Iterable[str]]


@dataclass(frozen=True)
class Breach:
    """A rule ``antecedent -> consequent`` whose confidence ``joint / support`` exceeds rho."""

    antecedent: Itemset
    consequent: str
    joint: int
    support: int

    @property
    def confidence(self) -> Fraction:
        """The exact confidence.

        >>> Breach(frozenset("a"), "e", 2, 4).confidence
        Fraction(1, 2)
        """
        return Fraction(self.joint, self.support)


def subsets(items: Iterable[str], max_size: int | None = None) -> Iterator[Itemset]:
    """Every subset of ``items`` with at most ``max_size`` members, the empty one included.

    >>> [sorted(s) for s in subsets("ab")]
    [[], ['a'], ['b'], ['a', 'b']]
    >>> [sorted(s) for s in subsets("ab", 1)]
    [[], ['a'], ['b']]
    """
    pool = sorted(set(items))
    largest = len(pool) if max_size is None else min(max_size, len(pool))
    for size in range(largest + 1):
        for chosen in combinations(pool, size):
            yield frozenset(chosen)


def supports(records: Records, max_size: int | None = None) -> Counter[Itemset]:
    """``sup(q)`` of every itemset that some record contains (any other itemset gives 0).

    >>> sup = supports(["ab", "a"])
    >>> sup[frozenset()], sup[frozenset("a")], sup[frozenset("ab")], sup[frozenset("z")]
    (2, 2, 1, 0)
    """
    return Counter(q for record in records for q in subsets(record, max_size))


def rules(
    records: Records,
    sensitive: Iterable[str],
    *,
    ignore_prior: bool = False,
    max_known: int | None = None,
) -> Iterator[Breach]:
    """Every rule the model looks at, a breach or not, in no particular order.

    >>> [(sorted(r.antecedent), r.joint, r.support) for r in rules(["ab", "a"], "b")]
    [([], 1, 2), (['a'], 1, 2)]
    """
    secrets = frozenset(sensitive)
    sup = supports(records, None if max_known is None else max_known + 1)
    for q, support in sup.items():
        if ignore_prior and not q:
            continue
        if max_known is not None and len(q) > max_known:
            continue
        for e in secrets - q:
            yield Breach(q, e, sup[q | {e}], support)


def exceeds(joint: int, support: int, rho: Fraction) -> bool:
    """Whether ``joint / support > rho``, in integers.

    >>> exceeds(1, 2, Fraction(1, 2)), exceeds(2, 3, Fraction(1, 2))
    (False, True)
    """
    return joint * rho.denominator > rho.numerator * support


def breaches(
    records: Records,
    sensitive: Iterable[str],
    rho: Fraction,
    *,
    ignore_prior: bool = False,
    max_known: int | None = None,
) -> list[Breach]:
    """All breaches.

    Sorted by antecedent size, confidence (high first), joint (high first), antecedent, consequent.

    >>> for b in breaches(SHOP, ["condom"], Fraction(1, 2)):
    ...     print(sorted(b.antecedent), b.consequent, f"{b.joint}/{b.support}")
    [] condom 4/7
    ['beer'] condom 2/2
    ['flour'] condom 1/1
    ['beer', 'bread'] condom 1/1
    """
    found = [
        rule
        for rule in rules(records, sensitive, ignore_prior=ignore_prior, max_known=max_known)
        if exceeds(rule.joint, rule.support, rho)
    ]
    return sorted(
        found,
        key=lambda b: (
            len(b.antecedent),
            -b.confidence,
            -b.joint,
            tuple(sorted(b.antecedent)),
            b.consequent,
        ),
    )


def is_safe(
    records: Records,
    sensitive: Iterable[str],
    rho: Fraction,
    *,
    ignore_prior: bool = False,
    max_known: int | None = None,
) -> bool:
    """Whether there is no breach.

    >>> is_safe(SHOP, ["condom"], Fraction(1, 2))
    False
    >>> is_safe(SHOP, ["condom"], Fraction(4, 7), max_known=0)
    True
    """
    return not any(
        exceeds(rule.joint, rule.support, rho)
        for rule in rules(records, sensitive, ignore_prior=ignore_prior, max_known=max_known)
    )


def exposed(
    records: Records,
    sensitive: Iterable[str],
    rho: Fraction,
    *,
    ignore_prior: bool = False,
    max_known: int | None = None,
) -> set[int]:
    """Row numbers (from 0) of the records that contain ``q | {e}`` of some breach ``q -> e``.

    >>> sorted(exposed(SHOP, ["condom"], Fraction(1, 2)))
    [0, 2, 4, 6]
    >>> sorted(exposed(SHOP, ["condom"], Fraction(1, 2), ignore_prior=True))
    [0, 2, 4]
    """
    table = [frozenset(record) for record in records]
    found = breaches(table, sensitive, rho, ignore_prior=ignore_prior, max_known=max_known)
    return {
        row
        for row, record in enumerate(table)
        if any(b.antecedent | {b.consequent} <= record for b in found)
    }


def smallest_breach_size(
    records: Records,
    sensitive: Iterable[str],
    rho: Fraction,
    *,
    ignore_prior: bool = False,
    max_known: int | None = None,
) -> int | None:
    """The size of the smallest antecedent of a breach; None if the table is safe.

    >>> smallest_breach_size(SHOP, ["condom"], Fraction(1, 2))
    0
    >>> smallest_breach_size(SHOP, ["condom"], Fraction(1, 2), ignore_prior=True)
    1
    >>> smallest_breach_size(SHOP, [], Fraction(1, 2)) is None
    True
    """
    found = breaches(records, sensitive, rho, ignore_prior=ignore_prior, max_known=max_known)
    return min((len(b.antecedent) for b in found), default=None)


def interesting_rhos(records: Records, sensitive: Iterable[str]) -> list[Fraction]:
    """Thresholds that decide something: each confidence inside (0, 1), just below and above; 1/2.

    >>> [str(rho) for rho in interesting_rhos(["ab", "a", "b"], "b")]
    ['499/1000', '1/2', '501/1000', '1997/3000', '2/3', '2003/3000']
    """
    step = Fraction(1, 1000)
    confidences = {c for rule in rules(records, sensitive) if 0 < (c := rule.confidence) < 1}
    values = {c + shift for c in confidences for shift in (-step, Fraction(0), step)}
    return sorted(v for v in values | {Fraction(1, 2)} if 0 < v < 1)


def minimum_deletions(
    records: Records,
    sensitive: Iterable[str],
    rho: Fraction,
    *,
    only_sensitive: bool,
    ignore_prior: bool = False,
    max_known: int | None = None,
    limit: int = 8,
) -> int | None:
    """The least number of occurrences to delete for a safe table; None if more than ``limit``.

    Tries every set of occurrences (row, item) by increasing size, since deleting one more can
    turn a safe table unsafe. Meant for about 5 records of 5 items.

    >>> minimum_deletions(SHOP, ["condom"], Fraction(1, 2), only_sensitive=True)
    2
    >>> minimum_deletions(SHOP, ["condom"], Fraction(1, 2), only_sensitive=True, limit=1) is None
    True
    """
    table = [frozenset(record) for record in records]
    secrets = frozenset(sensitive)
    occurrences = [
        (row, item)
        for row, record in enumerate(table)
        for item in sorted(record)
        if item in secrets or not only_sensitive
    ]
    for count in range(min(limit, len(occurrences)) + 1):
        for deleted in combinations(occurrences, count):
            left = list(table)
            for row, item in deleted:
                left[row] = left[row] - {item}
            if is_safe(left, secrets, rho, ignore_prior=ignore_prior, max_known=max_known):
                return count
    return None


def is_inclusion_minimal(
    original: Records,
    published: Records,
    sensitive: Iterable[str],
    rho: Fraction,
    *,
    ignore_prior: bool = False,
    max_known: int | None = None,
) -> bool:
    """Whether putting back any single deleted occurrence makes the published table unsafe.

    Says nothing about whether ``published`` itself is safe: ask ``is_safe``.

    >>> is_inclusion_minimal(["ab", "a"], ["a", "a"], "b", Fraction(1, 2))
    False
    >>> is_inclusion_minimal(["ab", "a"], ["a", "a"], "b", Fraction(1, 3))
    True
    """
    before = [frozenset(record) for record in original]
    after = [frozenset(record) for record in published]
    secrets = frozenset(sensitive)
    if len(before) != len(after) or any(not a <= b for b, a in zip(before, after, strict=True)):
        raise ValueError("published must be, row by row, a subset of original")
    for row in range(len(after)):
        for item in before[row] - after[row]:
            restored = list(after)
            restored[row] = after[row] | {item}
            if is_safe(restored, secrets, rho, ignore_prior=ignore_prior, max_known=max_known):
                return False
    return True


def personal_breaches(
    originals: Records,
    published: Records,
    wishes: Sequence[Iterable[str]],
    rho: Fraction,
    *,
    max_known: int | None = None,
) -> set[tuple[Itemset, str]]:
    """All ``(Q, e)`` by which someone's protected item is inferred (the personalised model).

    The adversary knows some ``Q`` of the ORIGINAL record of person ``u`` (perhaps nothing) and
    must not infer any ``e`` in ``wishes[u] - Q``, owned or not, with a confidence above ``rho``
    measured in the PUBLISHED table. A ``Q`` that no published record contains is harmless.

    >>> found = personal_breaches(["ab", "ac"], ["ab", "a"], ["b", "c"], Fraction(1, 2))
    >>> found
    set()
    >>> found = personal_breaches(["ab", "ac"], ["ab", "a"], ["a", "b"], Fraction(1, 3))
    >>> sorted((sorted(q), e) for q, e in found)
    [([], 'a'), ([], 'b'), (['a'], 'b'), (['b'], 'a')]
    """
    if not len(originals) == len(published) == len(wishes):
        raise ValueError("originals, published and wishes must have one entry per person")
    sup = supports(published)
    wished_by = [frozenset(items) for items in wishes]
    return {
        (known, e)
        for record, wished in zip(originals, wished_by, strict=True)
        for known in subsets(record, max_known)
        if sup[known] > 0
        for e in wished - known
        if exceeds(sup[known | {e}], sup[known], rho)
    }


SHOP: list[set[str]] = [
    {"bread", "beer", "condom"},
    {"coffee", "fruits"},
    {"beer", "condom"},
    {"coffee", "fruits"},
    {"flour", "condom"},
    {"bread", "coffee"},
    {"fruits", "condom"},
]
"""A worked example; its sensitive item is ``condom``."""


if __name__ == "__main__":
    import doctest

    raise SystemExit(bool(doctest.testmod().failed))
