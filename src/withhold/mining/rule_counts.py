"""The rules of some records, counted in others: whether they are rules there, and which changed most.

Most counts are known from the frequent itemsets; the others are counted only if they can matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from heapq import nsmallest
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from withhold.counting.layout import Layout, lay_out
from withhold.data import Records
from withhold.data.array_types import Bools, Floats, Longs
from withhold.data.spans import sorted_spans, spans, starts_of
from withhold.mining.itemset_index import count_supports
from withhold.mining.miner import Itemsets, Rule, Rules

COUNTED_AT_ONCE = 256
UNKNOWN = -1


class Counts(NamedTuple):
    """A rule of some records, and its counts in the others."""

    rule: Rule
    joint: int
    support: int


class SupportCounter(Protocol):
    """Records that can count supports."""

    def __len__(self) -> int:
        """How many records there are."""
        ...

    def count(self, itemsets: Itemsets, numbers: Longs) -> Longs:
        """The supports of some of the itemsets, by their numbers."""
        ...


@dataclass(frozen=True, eq=False)
class CountedRecords:
    """Records in which supports are counted when they are asked for."""

    records: Records

    def __len__(self) -> int:
        return len(self.records)

    def count(self, itemsets: Itemsets, numbers: Longs) -> Longs:
        """The supports of some of the itemsets, by their numbers."""
        layout, bitmaps, rank_of_code = self._laid_out
        sizes = itemsets.sizes[numbers]
        codes = itemsets.items[spans(itemsets.offsets[numbers], sizes)]
        rows = layout.offsets, layout.items, layout.post_offsets, layout.post_rows, layout.supports
        ranks = sorted_spans(sizes, rank_of_code[codes], layout.n_items)
        counts: Longs = count_supports(starts_of(sizes), ranks, *rows, bitmaps)
        return counts

    @cached_property
    def _laid_out(self) -> tuple[Layout, NDArray[np.uint64], NDArray[np.int32]]:
        """The layout, its bitmaps, and the rank of each code."""
        layout = lay_out(self.records, np.empty(0, dtype=np.int32))
        return layout, layout.bitmaps(), np.argsort(layout.code_of_rank).astype(np.int32)


@dataclass(frozen=True, eq=False)
class RulesElsewhere:
    """The rules of some records, counted in others."""

    rules: Rules
    itemsets: Itemsets
    """The frequent itemsets of the others."""
    records: SupportCounter
    """The others."""

    @cached_property
    def _places(self) -> Longs:
        return self.rules.itemsets.places_in(self.itemsets)

    @cached_property
    def joint(self) -> Longs:
        """The joint support there, if the whole is frequent there; else UNKNOWN."""
        return self._known(self.rules.wholes)

    @cached_property
    def support(self) -> Longs:
        """The antecedent's support there, if it is frequent there; else UNKNOWN."""
        return self._known(self.rules.antecedents)

    def _known(self, numbers: Longs) -> Longs:
        places = self._places[numbers]
        counts = np.full(len(places), UNKNOWN, dtype=np.int64)
        counts[places >= 0] = self.itemsets.supports[places[places >= 0]]
        return counts

    def are_rules(self, confidence: Fraction) -> Bools:
        """For each rule whether it is one there: frequent, and of that confidence or more."""
        enough = self.joint * confidence.denominator >= confidence.numerator * self.support
        flags: Bools = (self.joint != UNKNOWN) & enough
        return flags

    def most_changed(self, chosen: Bools, show: int) -> list[Counts]:
        """Those of the chosen rules whose confidence differs most, then whose joint support does.

        Rules that can have changed most are counted first, until no other can be among the first ``show``.
        """
        numbers = np.flatnonzero(chosen)
        bounds, moves = self._largest_changes()
        numbers = numbers[np.lexsort((numbers, -moves[numbers], -bounds[numbers]))]
        bounds, moves = bounds[numbers], moves[numbers]
        n_counted, at_once = 0, COUNTED_AT_ONCE
        ranked: list[tuple[float, int, int, int, int]] = []
        while n_counted < len(numbers):
            if len(ranked) == show and ranked[-1][:2] < (-bounds[n_counted], -moves[n_counted]):
                break
            here = numbers[n_counted : n_counted + at_once]
            n_counted, at_once = n_counted + len(here), 2 * at_once
            joint = self._count(self.rules.wholes[here])
            support = self._count(self.rules.antecedents[here])
            changes = np.abs(_confidence(joint, support) - self._own[here])
            moved = np.abs(joint - self.rules.joint[here])
            found = zip(-changes, -moved, here, joint, support, strict=True)
            ranked = nsmallest(show, [*ranked, *found])
        return [
            Counts(self.rules.rule(int(number)), int(joint), int(support))
            for change, move, number, joint, support in ranked
            if change or move
        ]

    @cached_property
    def _own(self) -> Floats:
        return _confidence(self.rules.joint, self.rules.support)

    def _largest_changes(self) -> tuple[Floats, Longs]:
        """For each rule the largest changes of confidence and joint support that can be."""
        known = self.joint != UNKNOWN
        # A whole that is not frequent there is in fewer records than any that is.
        most = self.itemsets.supports.min(initial=len(self.records))
        lowest, highest = np.where(known, self.joint, 0), np.where(known, self.joint, most)
        ends = [np.minimum(_confidence(end, self.support), 1.0) for end in (lowest, highest)]
        ends[0][self.support == UNKNOWN] = 0.0
        ends[1][self.support == UNKNOWN] = 1.0
        bounds: Floats = np.maximum(*(np.abs(end - self._own) for end in ends))
        moves: Longs = np.maximum(*(np.abs(end - self.rules.joint) for end in (lowest, highest)))
        return bounds, moves

    def _count(self, numbers: Longs) -> Longs:
        """The supports there of some of the rules' itemsets."""
        return self.records.count(self.rules.itemsets, numbers)


def _confidence(joint: Longs, support: Longs) -> Floats:
    """joint / support; 0 if the support is 0."""
    return joint / np.where(support == 0, 1, support)
