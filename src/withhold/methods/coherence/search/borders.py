"""Counting by borders, as Xu et al. (2008) describe it: edges, their intersections and differences.

All sets between α and β are an *edge* ⟨α, β⟩. The moles are what the edges from minimal moles to maximal
records cover, up to p items; the nuggets what those from single items to maximal frequent itemsets cover.
Sets are bits of whole numbers. The recursion grows quickly with the number of edges that overlap, so this
is for small tables and for comparing; see ``mole_counts`` for the counts used by default.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import comb

import numpy as np

from withhold.data import Records
from withhold.data.array_types import Bools
from withhold.methods.coherence.model import Coherent

Edge = tuple[int, int]
"""α and β, as bits."""


def bits_of(itemset: int) -> list[int]:
    """The items of a set of bits.

    >>> bits_of(0b1010)
    [1, 3]
    """
    found = []
    while itemset:
        lowest = itemset & -itemset
        found.append(lowest.bit_length() - 1)
        itemset ^= lowest
    return found


def number_covered(edge: Edge, held: int, largest: int) -> int:
    """The paper's W: how many sets the edge covers that contain ``held`` and have at most ``largest`` items.

    >>> number_covered((0b001, 0b111), 0b010, 3)
    2
    """
    alpha, beta = edge
    if held & ~beta or alpha & ~beta:
        return 0
    base = (alpha | held).bit_count()
    rest = beta.bit_count() - base
    return sum(comb(rest, i) for i in range(min(rest, largest - base) + 1))


def intersection(one: Edge, two: Edge) -> Edge | None:
    """The edge of what both cover, if they cover anything in common (Theorem 2)."""
    alpha, beta = one[0] | two[0], one[1] & two[1]
    return (alpha, beta) if not alpha & ~beta else None


def difference(one: Edge, two: Edge) -> list[Edge]:
    """Edges that cover what ``one`` covers and ``two`` does not; the two must overlap (Theorem 3).

    >>> difference((0b001, 0b111), (0b001, 0b011))
    [(5, 7)]
    """
    alpha, beta = one
    upper, lower = one[0] | two[0], one[1] & two[1]
    without = [(alpha, beta & ~(1 << v)) for v in bits_of(upper & ~alpha)]
    return without + [(alpha | 1 << v, beta) for v in bits_of(beta & ~lower)]


def count_covered(
    edges: Iterable[Edge], examined: Sequence[Edge], held: int, largest: int, counts: dict[int, int]
) -> None:
    """Add to ``counts[v]`` the sets with ``held`` and v that ``edges`` cover and ``examined`` do not.

    The paper's Computeδ; ``held`` is the item that is suppressed, or 0.
    """
    seen = list(examined)
    for edge in edges:
        if not held & ~edge[1]:
            overlapping = [other for other in seen if intersection(edge, other) is not None]
            if len(overlapping) < 2:
                common = intersection(edge, overlapping[0]) if overlapping else None
                for v in bits_of(edge[1]):
                    wanted = held | 1 << v
                    many = number_covered(edge, wanted, largest)
                    if common is not None:
                        many -= number_covered(common, wanted, largest)
                    if many:
                        counts[v] = counts.get(v, 0) + many
            else:
                picked, *others = overlapping
                count_covered(difference(edge, picked), others, held, largest, counts)
            seen.append(edge)


class Border:
    """A collection of sets between its minimal sets α (``upper``) and its maximal sets β (``lower``)."""

    def __init__(self, upper: Iterable[int], lower: Iterable[int], largest: int) -> None:
        self.upper, self.lower, self.largest = list(upper), maximal(lower), largest

    def edges(self) -> list[Edge]:
        """All pairs α ⊆ β."""
        return [(a, b) for a in self.upper for b in self.lower if not a & ~b]

    def count_each(self, alive: Bools) -> dict[int, int]:
        """How many of the sets each item is in."""
        counts: dict[int, int] = {}
        count_covered(self.edges(), (), 0, self.largest, counts)
        return counts

    def count_shared(self, code: int, alive: Bools) -> dict[int, int]:
        """How many of the sets each other item shares with this one, which then leaves the border."""
        counts: dict[int, int] = {}
        count_covered(self.edges(), (), 1 << code, self.largest, counts)
        self.upper = [a for a in self.upper if not a >> code & 1]
        self.lower = maximal(b & ~(1 << code) for b in self.lower)
        return counts


def mole_border(records: Records, model: Coherent, alive: Bools) -> Border:
    """From the minimal moles to the maximal public records; no living item is a mole alone."""
    public = [_bits(records, row, alive) for row in range(len(records))]
    largest = max((record.bit_count() for record in public), default=0)
    if model.p is not None:
        largest = min(largest, model.p)
    return Border(minimal_moles(records, model, alive, largest), public, largest)


def nugget_border(records: Records, support: int, alive: Bools) -> Border:
    """From single items to the maximal itemsets, of public and private items, in enough records."""
    holders = _holders(records, alive)
    frequent = [code for code, rows in holders.items() if rows.bit_count() >= support]
    found: list[int] = []

    def extend(itemset: int, rows: int, later: list[int]) -> None:
        extended = False
        for place, code in enumerate(later):
            common = rows & holders[code]
            if common.bit_count() >= support:
                extended = True
                extend(itemset | 1 << code, common, later[place + 1 :])
        if not extended:
            found.append(itemset)

    extend(0, (1 << len(records)) - 1, frequent)
    longest = int(records.lengths.max(initial=0))
    return Border([1 << code for code in frequent], found, longest)


def minimal_moles(records: Records, model: Coherent, alive: Bools, largest: int) -> list[int]:
    """Level by level: of the sets whose parts are all no moles, those that are."""
    private = set(records.codes(model.private).tolist())
    holders = _holders(records, alive | np.isin(np.arange(records.n_items), list(private)))
    items = [code for code in holders if code not in private]
    clean = {1 << code: holders[code] for code in items}
    moles: list[int] = []
    for size in range(2, largest + 1):
        larger: dict[int, int] = {}
        for itemset, rows in clean.items():
            for code in items:
                if 1 << code <= itemset:
                    continue
                candidate, common = itemset | 1 << code, rows & holders[code]
                parts = (candidate & ~(1 << part) for part in bits_of(candidate))
                if not common or not (size == 2 or all(part in clean for part in parts)):
                    continue
                follows = any(
                    (common & holders[s]).bit_count() * model.h.denominator
                    > model.h.numerator * common.bit_count()
                    for s in private
                    if s in holders
                )
                if common.bit_count() < model.k or follows:
                    moles.append(candidate)
                else:
                    larger[candidate] = common
        clean = larger
    return moles


def maximal(sets: Iterable[int]) -> list[int]:
    """Those sets that are inside no other, largest first.

    >>> maximal([0b01, 0b11, 0b11, 0])
    [3]
    """
    kept: list[int] = []
    for each in sorted(set(sets), key=lambda each: (-each.bit_count(), each)):
        if not any(each & ~other == 0 for other in kept):
            kept.append(each)
    return kept


def _bits(records: Records, row: int, alive: Bools) -> int:
    codes = records.items[records.offsets[row] : records.offsets[row + 1]].tolist()
    return sum(1 << code for code in codes if alive[code])


def _holders(records: Records, alive: Bools) -> dict[int, int]:
    """For each item that is there the records that hold it, as bits."""
    holders: dict[int, int] = {}
    for row in range(len(records)):
        for code in records.items[records.offsets[row] : records.offsets[row + 1]].tolist():
            if alive[code]:
                holders[code] = holders.get(code, 0) | 1 << row
    return dict(sorted(holders.items()))
