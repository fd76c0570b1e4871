"""What generalised sets lost, summed over parts: the numbers of the whole, in the memory of one part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from math import fsum
from typing import Any

import numpy as np

from withhold.counting.equal_sets import (
    Digests,
    OverviewRound,
    Shelf,
    digests_of,
    runs,
    shelves_for,
)
from withhold.data import Hierarchy, Records
from withhold.data.array_types import Floats, Longs
from withhold.data.equal_rows import equal_rows
from withhold.formats.item_trees import TreeSource, tree_for
from withhold.measure.by_parts import Pieces
from withhold.measure.queries import QueryErrors, under_tree
from withhold.measure.queries_by_parts import QueriesByParts
from withhold.methods.buckets.measure import (
    LARGEST,
    MEASURES,
    QUANTILES,
    GeneralisationLoss,
    Group,
    Spread,
    measure_generalisation,
)
from withhold.telling.facts import Measured, MeasureRequest, value_at
from withhold.wording import percent

SUMMED = ("exact", "generalised", "withheld", "added", "records_with_added", "published")
"""Fields of a loss that can be summed."""
MOST_GROUPS = 1 << 19
"""Distinct sets that are counted in one walk: about 25 MB, and three times that while they are added."""
STEPS = 1_000_000
"""Losses of records are counted in this many steps from 0 to 1: 8 MB, whatever the number of records."""


@dataclass
class _Names:
    """The result of the first walk."""

    before: set[str] = field(default_factory=set)
    after: set[str] = field(default_factory=set)
    records: int = 0
    holding: int = 0
    """The records of the original that are not empty."""
    same_rows: bool = True
    sets: int = 0
    """An upper bound on the number of distinct sets: a set counts once for each piece that has it."""

    def add(self, before: Records, after: Records) -> None:
        self.before.update(before.vocabulary)
        self.after.update(after.vocabulary)
        self.same_rows &= len(before) == len(after)
        self.records += len(before)
        self.holding += int((before.lengths > 0).sum())
        self.sets += OverviewRound().count(after).sets


@dataclass(frozen=True, eq=False)
class GroupSums:
    """The distinct published sets, by digests, ascending."""

    digests: Digests
    records: Longs
    lost: Floats
    """The sum of the losses of their records."""
    added: Longs
    first: Longs
    """The first of all records that is published as this set."""

    @classmethod
    def of(cls, loss: GeneralisationLoss, after: Records, n_before: int) -> GroupSums:
        """The sums of a piece that is preceded by this many records."""
        first = equal_rows(after)[1]
        digests = digests_of(after)[first]
        records = np.array([group.records for group in loss.groups], dtype=np.int64)
        shares = np.array([group.information_loss for group in loss.groups])
        added = np.array([group.added for group in loss.groups], dtype=np.int64)
        return cls(digests, records, shares * records, added, first + n_before)

    def on(self, shelf: Shelf) -> GroupSums:
        """The sums of the sets on this shelf, which are counted together."""
        here = shelf.has(self.digests[:, 0])
        return GroupSums(*(each[here] for each in vars(self).values()))

    def plus(self, other: GroupSums) -> GroupSums:
        """The sums of both together."""
        columns = zip(vars(self).values(), vars(other).values(), strict=True)
        digests, records, lost, added, first = map(np.concatenate, columns)
        order, starts = runs(digests)
        return GroupSums(
            digests[order][starts],
            np.add.reduceat(records[order], starts),
            np.add.reduceat(lost[order], starts),
            np.add.reduceat(added[order], starts),
            np.minimum.reduceat(first[order], starts),
        )


@dataclass
class SpreadSums:
    """How the loss is spread, counted piece by piece."""

    by_loss: Longs = field(default_factory=lambda: np.zeros(STEPS + 1, dtype=np.int64))
    """How many records lost how much, in steps."""
    groups: int = 0
    by_size: dict[int, tuple[int, float]] = field(default_factory=dict)
    largest: list[tuple[int, int, float, int]] = field(default_factory=list)
    """The largest groups: records, the first of them, the sum of their losses, items never had."""

    def add_records(self, loss: GeneralisationLoss) -> None:
        """Add the records of a piece."""
        steps = np.rint(loss.by_record * STEPS).astype(np.int64)
        self.by_loss += np.bincount(steps, minlength=STEPS + 1)

    def add_groups(self, sums: GroupSums) -> None:
        """Add the groups of a shelf, counted over all pieces."""
        self.groups += len(sums.digests)
        sizes, place, groups = np.unique(sums.records, return_inverse=True, return_counts=True)
        shares = np.bincount(place, weights=sums.lost, minlength=len(sizes))
        for size, n, share in zip(*(e.tolist() for e in (sizes, groups, shares)), strict=True):
            records, lost = self.by_size.get(size, (0, 0.0))
            self.by_size[size] = records + size * n, lost + share
        few = np.lexsort((sums.first, -sums.records))[:LARGEST]
        columns = (sums.records, sums.first, sums.lost, sums.added)
        self.largest += zip(*(column[few].tolist() for column in columns), strict=True)
        self.largest = sorted(self.largest, key=lambda each: (-each[0], each[1]))[:LARGEST]

    def spread(self, published: Mapping[int, tuple[str, ...]]) -> Spread:
        """All of it; ``published`` has the sets of the largest groups by their first record."""
        largest = (
            Group(published[first], records, lost / records, added)
            for records, first, lost, added in self.largest
        )
        return Spread(tuple(map(self._quantile, QUANTILES)), self.by_size, tuple(largest))

    def _quantile(self, percent: int) -> float:
        """The loss at this percentile, interpolated between two records as numpy does."""
        if not self.by_loss.any():
            return 0.0
        until = np.cumsum(self.by_loss)
        place = (int(until[-1]) - 1) * percent / 100
        low, high = np.searchsorted(
            until, [int(place), min(int(place) + 1, until[-1] - 1)], "right"
        )
        return float(low + (high - low) * (place - int(place))) / STEPS


@dataclass(frozen=True)
class SummedUtility:
    """What all parts together lost, and how far count queries are off."""

    records: int
    information_loss: float
    sums: dict[str, int]
    groups: int
    """The number of distinct sets."""
    spread: Spread
    queries: QueryErrors

    @property
    def added(self) -> int:
        """Published items that cover none of their record's."""
        return self.sums["added"]

    def as_dict(self) -> dict[str, Any]:
        """The numbers, under the names that those of records in memory have."""
        sums, sizes = self.sums, self.spread.by_size
        published = sums["published"]
        return {
            "information_loss": self.information_loss,
            "privacy_gain": self.information_loss,
            "items_added": sums["added"],
            "items_added_share": sums["added"] / published if published else 0.0,
            "records_with_added_items": sums["records_with_added"],
            "items_exact": sums["exact"],
            "items_generalised": sums["generalised"],
            "items_withheld": sums["withheld"],
            "published": published,
            "groups": self.groups,
            "smallest_group": min(sizes, default=0),
            "largest_group": max(sizes, default=0),
            "queries": asdict(self.queries),
        }


def measure_parts(
    pieces: Pieces, hierarchy: TreeSource | None, request: MeasureRequest
) -> Measured | None:
    """What was lost, by the tree with which the release was made; None if the tree does not fit.

    The tree is read, or built over the items of all parts.
    """
    names = _Names()
    for before, after in pieces():
        names.add(before, after)
    vocabulary, published = tuple(sorted(names.before)), tuple(sorted(names.after))
    tree, _ = tree_for(Records.from_lists([vocabulary]), hierarchy)
    if not names.same_rows or not names.after <= {*tree.names}:
        return None
    queries = QueriesByParts(names.holding, request, vocabulary, published, under_tree(tree))
    lost, sums = [], dict.fromkeys(SUMMED, 0)
    spread = SpreadSums()
    for shelf in shelves_for(names.sets, MOST_GROUPS):
        counted = None
        for before, loss, groups in _measured(pieces, tree):
            here = groups.on(shelf)
            counted = here if counted is None else counted.plus(here)
            if shelf.number == 0:
                lost.append(float(loss.by_record.sum()))
                sums = {name: n + getattr(loss, name) for name, n in sums.items()}
                spread.add_records(loss)
                queries.draw_from(before)
        if counted is not None:
            spread.add_groups(counted)
    seen = 0
    sets: dict[int, tuple[str, ...]] = {}
    for before, after in pieces():
        queries.answer(before, after)
        for _, first, *_ in spread.largest:
            if seen <= first < seen + len(after):
                sets[first] = after.record(first - seen)
        seen += len(after)
    found = SummedUtility(
        names.records,
        fsum(lost) / names.records if names.records else 0.0,
        sums,
        spread.groups,
        spread.spread(sets),
        queries.errors(names.records),
    )
    added = found.as_dict()["items_added_share"]
    share = f"{sums['added']:,} of its items, {percent(added)} of what it holds"
    warnings = [f"{share}, are such as people never had"] if sums["added"] else []
    return Measured.by(MEASURES, partial(value_at, found.as_dict()), warnings, found)


def _measured(
    pieces: Pieces, tree: Hierarchy
) -> Iterator[tuple[Records, GeneralisationLoss, GroupSums]]:
    """The pieces of the original, what each lost, and its published sets."""
    n_before = 0
    for before, after in pieces():
        loss = measure_generalisation(before, after, tree)
        yield before, loss, GroupSums.of(loss, after, n_before)
        n_before += len(before)
