"""What a release lost, counted part by part: the numbers of the whole, in the memory of one part.

In: a function that walks over pieces of the original and of the release, row by row alike. Out: the
``Utility`` of all of them. Only itemsets and rules are fewer: sums are kept of items and of pairs of items.
If the release has groups of items, all is counted under their names except queries, which are about items.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from withhold.data import Records
from withhold.data.array_types import Bools, Longs
from withhold.data.groups import Groups
from withhold.data.spans import starts_of
from withhold.measure.alignment import align, recoded
from withhold.measure.occurrences import Tally, occurrences_of, tally_rows
from withhold.measure.patterns import compare_patterns
from withhold.measure.queries import by_name, under_groups
from withhold.measure.queries_by_parts import QueriesByParts
from withhold.measure.sets import usual_support
from withhold.measure.utility import Distribution, Utility, support_errors
from withhold.mining.miner import Itemsets, list_itemsets, min_count, rules_of
from withhold.mining.rule_counts import RulesElsewhere
from withhold.telling.facts import MeasureRequest

MOST_PAIRED = 4_000
"""Pairs are counted of at most this many frequent items: 64 MB for the original, and for the release."""

Pieces = Callable[[], Iterable[tuple[Records, Records]]]
"""Walks anew over pieces of both, each with as many rows as the other until one of them ends."""


@dataclass(frozen=True)
class Sums:
    """What the first walk counts: all that is about single items and single records."""

    vocabulary: tuple[str, ...]
    sensitive: Bools
    tally: Tally
    records: int
    published_records: int
    holding: int
    """Records of the original that hold anything."""
    items: Mapping[str, int]
    """In how many records of the original each item occurs, by its own name."""


def measure_by_parts(
    pieces: Pieces, request: MeasureRequest, groups: Groups | None = None
) -> tuple[Utility, Sums]:
    """The utility of the release, and the supports behind it."""
    sums = sum_items(pieces(), request.sensitive, groups)
    same_rows = sums.records == sums.published_records
    tally = sums.tally if same_rows else Tally.least(sums.tally.before, sums.tally.after)
    support = request.min_support or usual_support(sums.records)
    least = [min_count(support, n) for n in (sums.records, sums.published_records)]
    frequent = np.flatnonzero((tally.before >= least[0]) | (tally.after >= least[1]))
    size = 2 if len(frequent) <= MOST_PAIRED else 1
    both = [PairCounts.of(sums, n, frequent, size) for n in (0, 1)]
    stands_for = by_name if groups is None else under_groups(groups)
    queries = QueriesByParts(sums.holding, request, tuple(sums.items), sums.vocabulary, stands_for)
    for before, after in pieces():
        for counts, records in zip(both, (_under(groups, before), after), strict=True):
            counts.add(recoded(records, sums.vocabulary), request.jobs)
        queries.draw_from(before)
    for before, after in pieces():
        queries.answer(before, after)
    lists = [each.itemsets(fewest) for each, fewest in zip(both, least, strict=True)]
    old, new = (
        RulesElsewhere(rules_of(lists[n], request.min_confidence), lists[1 - n], both[1 - n])
        for n in (0, 1)
    )
    itemsets, rules = compare_patterns(old, new, support, request.min_confidence, size)
    utility = Utility(
        records=sums.records,
        published_records=sums.published_records,
        same_rows=same_rows,
        occurrences=occurrences_of(tally, sums.vocabulary, sums.sensitive, same_rows=same_rows),
        distribution=Distribution.of(tally.before, tally.after),
        supports=support_errors(tally.before, tally.after),
        itemsets=itemsets,
        rules=rules,
        queries=queries.errors(sums.records),
    )
    return utility, sums


def _under(groups: Groups | None, records: Records) -> Records:
    """Records of the original under the names that the release has."""
    return records if groups is None else groups.generalise(records)


def sum_items(
    pieces: Iterable[tuple[Records, Records]],
    sensitive: Iterable[str],
    groups: Groups | None = None,
) -> Sums:
    """What was removed, by item, by length and by record; the vocabulary grows with the pieces."""
    wanted = frozenset(sensitive)
    items: Counter[str] = Counter()
    code_of: dict[str, int] = {}
    by_item = np.zeros((4, 0), dtype=np.int64)
    nothing = Tally.least(by_item[0], by_item[0])
    total, n_before, n_after, holding = nothing, 0, 0, 0
    for before, after in pieces:
        items.update(dict(zip(before.vocabulary, before.supports.tolist(), strict=True)))
        pair = align(_under(groups, before), after)
        marked = np.array([name in wanted for name in pair.vocabulary], dtype=np.bool_)
        n_before, n_after = n_before + len(before), n_after + len(after)
        holding += int((before.lengths > 0).sum())
        if pair.same_rows:
            tally = tally_rows(pair, marked)[0]
        else:
            tally = Tally.least(pair.original.supports, pair.published.supports)
        places = [code_of.setdefault(name, len(code_of)) for name in pair.vocabulary]
        by_item = np.pad(by_item, ((0, 0), (0, len(code_of) - by_item.shape[1])))
        by_item[:, places] += np.array([tally.before, tally.after, tally.gone, tally.added])
        total += replace(nothing, lengths=tally.lengths, lost=tally.lost)
    vocabulary = tuple(sorted(code_of))
    of_items = by_item[:, [code_of[name] for name in vocabulary]]
    names = ("before", "after", "gone", "added")
    tally = replace(total, **dict(zip(names, of_items, strict=True)))
    marked = np.array([name in wanted for name in vocabulary], dtype=np.bool_)
    return Sums(vocabulary, marked, tally, n_before, n_after, holding, dict(sorted(items.items())))


@dataclass(frozen=True, eq=False)
class PairCounts:
    """How many records hold each frequent item, and each pair of them; counts for rules as records do."""

    n_records: int
    vocabulary: tuple[str, ...]
    frequent: Longs
    """The items that are counted, by their codes, ascending."""
    supports: Longs
    pairs: NDArray[np.int32]
    """By the places of two items among the frequent, the smaller first; nothing if pairs are not counted."""

    @classmethod
    def of(cls, sums: Sums, which: int, frequent: Longs, size: int) -> PairCounts:
        """The counts of the original (0) or the release (1) before any piece is added."""
        counts = sums.tally.after if which else sums.tally.before
        n_records = sums.published_records if which else sums.records
        width = len(frequent) if size == 2 else 0
        pairs = np.zeros((width, width), dtype=np.int32)
        return cls(n_records, sums.vocabulary, frequent, counts[frequent], pairs)

    def __len__(self) -> int:
        return self.n_records

    def add(self, records: Records, jobs: int | None) -> None:
        """Count the pairs of a piece, which has this vocabulary."""
        if not self.pairs.size:
            return
        place = np.full(len(self.vocabulary), -1, dtype=np.int32)
        place[self.frequent] = np.arange(len(self.frequent))
        kept = place[records.items] >= 0
        offsets = starts_of(kept)[records.offsets]
        names = tuple(self.vocabulary[code] for code in self.frequent)
        small = Records(offsets, place[records.items[kept]], names)
        found = list_itemsets(small, 1, max_size=2, most=self.pairs.size, jobs=jobs)
        assert found is not None
        starts = found.offsets[:-1][found.sizes == 2]
        self.pairs[found.items[starts], found.items[starts + 1]] += found.supports[
            found.sizes == 2
        ].astype(np.int32)

    def itemsets(self, least: int) -> Itemsets:
        """The items and pairs that this many records hold."""
        single = np.flatnonzero(self.supports >= least)
        first, second = np.nonzero(self.pairs >= least)
        codes = np.column_stack([self.frequent[first], self.frequent[second]]).ravel()
        sizes = np.repeat([1, 2], [len(single), len(first)]).astype(np.int64)
        return Itemsets(
            starts_of(sizes),
            np.concatenate([self.frequent[single], codes]).astype(np.int32),
            np.concatenate([self.supports[single], self.pairs[first, second]]).astype(np.int64),
            self.vocabulary,
        )

    def count(self, itemsets: Itemsets, numbers: Longs) -> Longs:
        """The supports of some of the itemsets, by their numbers."""
        starts, sizes = itemsets.offsets[numbers], itemsets.sizes[numbers]
        first, last = (
            np.searchsorted(self.frequent, itemsets.items[starts + step]) for step in (0, sizes - 1)
        )
        counts: Longs = self.supports[first].copy()
        two = sizes == 2
        counts[two] = self.pairs[first[two], last[two]]
        return counts
