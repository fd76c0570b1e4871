"""The mining kernels in obvious Python; see ``plain_counting``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from twins.plain_counting import Record, Rule, count_support


def mine_itemsets(
    records: Sequence[Record], least: int, *, closed: bool = False, most_items: int = 0
) -> dict[Record, int]:
    """The itemsets that ``least`` records or more hold, with their supports; the empty one left out.

    Closed: those that lose a record whenever another item joins them.

    >>> rows = [frozenset("ab"), frozenset("ab"), frozenset("b")]
    >>> sorted(("".join(sorted(s)), n) for s, n in mine_itemsets(rows, 2).items())
    [('a', 2), ('ab', 2), ('b', 3)]
    >>> sorted(("".join(sorted(s)), n) for s, n in mine_itemsets(rows, 2, closed=True).items())
    [('ab', 2), ('b', 3)]
    """
    candidates = {
        frozenset(itemset)
        for record in set(records)
        for size in range(1, (most_items or len(record)) + 1)
        for itemset in combinations(record, size)
    }
    found = {q: n for q in candidates if (n := count_support(q, records)) >= least}
    if not closed:
        return found
    return {
        q: n
        for q, n in found.items()
        if frozenset.intersection(*(record for record in records if q <= record)) == q
    }


def find_rules(itemsets: dict[Record, int], confidence: Fraction) -> list[Rule]:
    """All rules q→e of that confidence or more with q and qe among the itemsets, q not empty.

    >>> find_rules({frozenset({1}): 3, frozenset({2}): 2, frozenset({1, 2}): 2}, Fraction(1))
    [(frozenset({2}), 1, 2, 2)]
    """
    return [
        (whole - {e}, e, joint, itemsets[whole - {e}])
        for whole, joint in itemsets.items()
        for e in sorted(whole)
        if len(whole) > 1 and joint >= confidence * itemsets[whole - {e}]
    ]


def index_itemsets(itemsets: Iterable[Record]) -> Mapping[Record, int]:
    """The place of each itemset in the list; if it is there twice, the first.

    >>> index_itemsets([frozenset({1}), frozenset(), frozenset({1})])
    {frozenset({1}): 0, frozenset(): 1}
    """
    places: dict[Record, int] = {}
    for place, itemset in enumerate(itemsets):
        places.setdefault(itemset, place)
    return places


def match_itemsets(wanted: Iterable[Record], listed: Iterable[Record]) -> list[int]:
    """For each wanted itemset its place in the list, or -1.

    >>> match_itemsets([frozenset({1}), frozenset({2})], [frozenset(), frozenset({1})])
    [1, -1]
    """
    places = index_itemsets(listed)
    return [places.get(itemset, -1) for itemset in wanted]


def count_supports(itemsets: Iterable[Record], records: Sequence[Record]) -> list[int]:
    """How many records hold each itemset.

    >>> count_supports([frozenset(), frozenset({1})], [frozenset({1, 2}), frozenset({2})])
    [2, 1]
    """
    return [count_support(itemset, records) for itemset in itemsets]
