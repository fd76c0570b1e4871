"""Brute force for (h,k,p)-coherence: every mole and every nugget is listed, and nothing is shared.

Records are sets of names. A public set of at most p items that some record holds is a mole if fewer than
k records hold it, or if from it or a part of it (the empty one included) some private item follows with a
probability above h.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations

Itemset = frozenset[str]
Records = Sequence[Itemset]


def parts(itemset: Iterable[str], largest: int | None = None) -> list[Itemset]:
    """All subsets of at most ``largest`` items, the empty one included."""
    items = sorted(itemset)
    most = len(items) if largest is None else min(largest, len(items))
    return [frozenset(c) for size in range(most + 1) for c in combinations(items, size)]


def own_faults(
    records: Records, private: Itemset, h: Fraction, k: int, p: int | None
) -> set[Itemset]:
    """The public sets that are moles for what they are, not for a part of them."""
    support: Counter[Itemset] = Counter()
    joint: Counter[tuple[Itemset, str]] = Counter()
    for record in records:
        for q in parts(record - private, p):
            support[q] += 1
            for s in record & private:
                joint[q, s] += 1
    return {
        q for q, many in support.items() if many < k or any(joint[q, s] > h * many for s in private)
    }


def moles(records: Records, private: Itemset, h: Fraction, k: int, p: int | None) -> set[Itemset]:
    """All moles, the empty set among them if it is one."""
    faults = own_faults(records, private, h, k, p)
    there = {q for record in records for q in parts(record - private, p)}
    return {q for q in there if any(part in faults for part in parts(q))}


def minimal(found: set[Itemset]) -> set[Itemset]:
    """Those that contain no other."""
    return {q for q in found if not any(part in found for part in parts(q) if part != q)}


def nuggets(records: Records, support: int) -> set[Itemset]:
    """All sets of at least one item, public or private, in at least ``support`` records."""
    held = Counter(q for record in records for q in parts(record) if q)
    return {q for q, many in held.items() if many >= support}


def holding(found: Iterable[Itemset], item: str) -> int:
    """How many of the sets hold the item."""
    return sum(item in q for q in found)


def suppression(
    records: Records,
    private: Itemset,
    h: Fraction,
    k: int,
    p: int | None,
    nugget_support: int,
    keep: str,
) -> list[tuple[str, int, int]]:
    """The items that go, in order, with their moles and nuggets when they were scored (else 0, 0)."""
    rows = [frozenset(record) for record in records]
    order: list[tuple[str, int, int]] = []

    def drop(item: str, many: int = 0, lost: int = 0) -> None:
        order.append((item, many, lost))
        rows[:] = [row - {item} for row in rows]

    for q in sorted(moles(rows, private, h, k, 1), key=sorted):
        drop(*q)
    if keep == "itemsets":
        held = Counter(item for row in rows for item in row - private)
        for _, item in sorted((many, item) for item, many in held.items()):
            if held[item] < nugget_support:
                drop(item)
    while found := moles(rows, private, h, k, p):
        if keep == "items":
            found = minimal(found)
        frequent = nuggets(rows, nugget_support)
        scored = []
        for item in sorted({item for q in found for item in q}):
            many, lost = holding(found, item), holding(frequent, item)
            price = sum(item in row for row in rows) if keep == "items" else lost
            scored.append((Fraction(many, price), item, many, lost))
        best = max(score for score, *_ in scored)
        _, item, many, lost = next(each for each in scored if each[0] == best)
        drop(item, many, lost)
    return order


def restored(
    records: Records, private: Itemset, h: Fraction, k: int, p: int | None, gone: Sequence[str]
) -> list[str]:
    """Which of the items that went come back, last first, because no mole comes with them."""
    out, back = set(gone), []
    for item in reversed(gone):
        rows = [record - (out - {item}) for record in records]
        if not moles(rows, private, h, k, p):
            out.discard(item)
            back.append(item)
    return back
