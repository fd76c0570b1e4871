"""What generalised sets lost (Reddy et al. 2012, formulas 1 to 8), in numbers and as facts.

The loss of an item is the share of all leaves that its published node stands for; none for a leaf. The
means over records and items follow. The paper's privacy gain is the same formula, so it is the same number.
An item that no published node covers is lost as if it were the root.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from withhold.data import Hierarchy, Records
from withhold.data.array_types import Floats, Longs
from withhold.data.equal_rows import equal_rows
from withhold.measure.queries import QUERY_MEASURES, QueryErrors, set_query_errors, under_tree
from withhold.measure.sets import measure_sets
from withhold.method import Model
from withhold.telling.facts import Measured, MeasureRequest, Measures, Shown, value_at
from withhold.wording import counted, percent

if TYPE_CHECKING:
    from withhold.methods.buckets.search.suppressor import Generalisation


@dataclass(frozen=True)
class Group:
    """The records that are published as the same set."""

    published: tuple[str, ...]
    records: int
    information_loss: float
    """The mean loss of its records."""
    added: int
    """The number of nodes, summed over its records, that cover none of the record's items."""


QUANTILES = tuple(range(0, 101, 10))
"""Quantiles of the losses of records, in percent."""
LARGEST = 12
"""The number of groups that are listed."""


@dataclass(frozen=True)
class Spread:
    """How the loss is spread over records, and over the groups of records that are published alike."""

    quantiles: tuple[float, ...]
    """The losses of records at ``QUANTILES``."""
    by_size: Mapping[int, tuple[int, float]]
    """By the records of a group: records in groups of that size, and the sum of their losses."""
    largest: tuple[Group, ...]
    """The groups with the most records; of two with the same size, the one that comes first."""


@dataclass(frozen=True, eq=False)
class GeneralisationLoss:
    """What generalising lost, per occurrence, record, item, group and table."""

    by_occurrence: Floats
    """IL(x), formulas 1 and 5: for each item of each original record."""
    by_record: Floats
    """IL(T), formulas 2 and 6."""
    by_item: Mapping[str, float]
    """IL(x ∈ D), formulas 3 and 7."""
    groups: tuple[Group, ...]
    """The groups by published set, in the order of the records."""
    exact: int
    """Occurrences published as they are."""
    generalised: int
    withheld: int
    """Occurrences that no published node covers."""
    added: int
    """Published nodes that cover none of their record's items: things that people never had."""
    records_with_added: int
    published: int
    """Nodes that are published, over all records."""

    @property
    def information_loss(self) -> float:
        """IL(D), formula 8: the mean over records."""
        return float(self.by_record.mean()) if len(self.by_record) else 0.0

    @property
    def privacy_gain(self) -> float:
        """PG(D), formula 4, which is the same number under another name."""
        return self.information_loss

    @property
    def share(self) -> float:
        """The one number that releases are compared by."""
        return self.information_loss

    @property
    def removed(self) -> int:
        """The occurrences withheld, as other losses count them."""
        return self.withheld

    @property
    def added_share(self) -> float:
        """The share of what is published that its person never had."""
        return self.added / self.published if self.published else 0.0

    def as_dict(self) -> dict[str, Any]:
        """The numbers of the whole table."""
        sizes = [group.records for group in self.groups]
        return {
            "information_loss": self.information_loss,
            "privacy_gain": self.privacy_gain,
            "items_added": self.added,
            "items_added_share": self.added_share,
            "records_with_added_items": self.records_with_added,
            "items_exact": self.exact,
            "items_generalised": self.generalised,
            "items_withheld": self.withheld,
            "published": self.published,
            "groups": len(sizes),
            "smallest_group": min(sizes, default=0),
            "largest_group": max(sizes, default=0),
        }

    def in_words(self) -> str:
        """How far the release is true, without a number from which the original could be inferred."""
        return truth_in_words(self.added)

    @property
    def spread(self) -> Spread:
        """How the loss is spread over records and groups."""
        shares = np.array(QUANTILES) / 100
        by_size: dict[int, tuple[int, float]] = {}
        for group in self.groups:
            records, lost = by_size.get(group.records, (0, 0.0))
            lost += group.information_loss * group.records
            by_size[group.records] = records + group.records, lost
        largest = sorted(self.groups, key=lambda group: -group.records)[:LARGEST]
        quantiles: list[float] = np.quantile(self.by_record, shares).tolist()
        return Spread(tuple(quantiles), by_size, tuple(largest))

    def facts(self) -> list[tuple[str, str]]:
        """What people want to know first, as pairs of texts."""
        total = self.exact + self.generalised + self.withheld
        records = len(self.by_record)
        added = "none: nobody is said to have what they did not have"
        if self.added:
            added = (
                f"{self.added:,} ITEMS THAT PEOPLE NEVER HAD, in {self.records_with_added:,} of "
                f"{counted(records, 'record')} ({percent(self.added_share)} of what is published)"
            )
        loss = f"{percent(self.information_loss, 2)} (0 = as it was; also the privacy gain)"
        return [
            ("information loss", loss),
            ("added", added),
            ("as they were", f"{self.exact:,} of {counted(total, 'item')}"),
            ("generalised", f"{self.generalised:,}"),
            ("withheld", f"{self.withheld:,}"),
            ("different sets", f"{len(self.groups):,}"),
        ]


@dataclass(frozen=True, eq=False)
class GeneralisationUtility:
    """What generalising lost, and how far count queries are off."""

    loss: GeneralisationLoss
    queries: QueryErrors

    @property
    def added(self) -> int:
        """Published nodes that cover none of their record's items."""
        return self.loss.added

    @property
    def spread(self) -> Spread:
        """How the loss is spread over records and groups."""
        return self.loss.spread

    def as_dict(self) -> dict[str, Any]:
        """The numbers of the whole table."""
        return {**self.loss.as_dict(), "queries": asdict(self.queries)}


def truth_in_words(added: int) -> str:
    """How far a release is true that has this many items which people never had."""
    general = "Items are published as they were, or as something more general that covers them."
    if added:
        return (
            f"{general} RECORDS ALSO HOLD THINGS THAT THE PERSON NEVER HAD: records of a bucket were "
            "put together, so no single record may be taken for the truth, and counts are too high."
        )
    return (
        f"{general} Some were withheld. Whatever a record says is true of its person; counts can be "
        "too low, and are never too high."
    )


MEASURES: Measures = {
    "information_loss": Shown(
        "information loss",
        "share",
        "mean share of all items that a published item could be (0 = as it was, 1 = any)",
        plotted=1,
    ),
    "items_added": Shown(
        "items never had",
        "count",
        "published items that cover none of their record's own: what people never had",
    ),
    "items_added_share": Shown(
        "never had, of what is published",
        "share",
        "share of what is published that people never had",
        plotted=2,
    ),
    "records_with_added_items": Shown(
        "records with items never had",
        "count",
        "records that are said to have something they never had",
    ),
    "items_exact": Shown("items as they were", "count", "occurrences published as they were"),
    "items_generalised": Shown(
        "items generalised", "count", "occurrences published as something more general"
    ),
    "items_withheld": Shown("items withheld", "count", "occurrences that nothing published covers"),
    "groups": Shown("different sets", "count", "different sets that are published", plotted=3),
    "smallest_group": Shown(
        "records of the rarest set", "count", "records that share the rarest published set"
    ),
    "largest_group": Shown(
        "records of the most frequent",
        "count",
        "records that share the most frequent published set",
    ),
    **QUERY_MEASURES,
}


def measure_generalised(original: Records, published: Records, request: MeasureRequest) -> Measured:
    """What generalising lost; without the hierarchy, or with other rows, only what names show."""
    tree = request.hierarchy
    same_rows = len(original) == len(published)
    if tree is None or not same_rows or not set(published.vocabulary) <= {*tree.names}:
        by_name = measure_sets(original, published, request)
        why = "it was generalised, and without its hierarchy (--hierarchy) every new name counts as added"
        if tree is not None:
            why = "it does not fit the hierarchy or the records of the original"
        return replace(by_name, warnings=(why, *by_name.warnings))
    loss = measure_generalisation(original, published, tree)
    how = {"queries": request.queries, "seed": request.seed}
    found = GeneralisationUtility(
        loss, set_query_errors(original, published, under_tree(tree), **how)
    )
    share = f"{percent(loss.added_share)} of what it holds"
    warning = f"{loss.added:,} of its items, {share}, are such as people never had"
    warnings = [warning] if loss.added else []
    return Measured.by(MEASURES, partial(value_at, found.as_dict()), warnings, found)


def loss_of_buckets(
    original: Records,
    published: Records,
    model: Model,
    protected: frozenset[str],
    plan: Generalisation,
) -> GeneralisationLoss:
    """What generalising lost, by the tree of the plan."""
    return measure_generalisation(original, published, plan.hierarchy)


def measure_generalisation(
    original: Records, published: Records, tree: Hierarchy
) -> GeneralisationLoss:
    """The loss of ``published``, whose items are nodes of ``tree``, against ``original``, row by row."""
    leaf_of = np.array([tree.code(name) if name in tree else 0 for name in original.vocabulary])
    node_of = np.array([tree.code(name) for name in published.vocabulary], dtype=np.int64)
    record = np.repeat(np.arange(len(original)), original.lengths)
    published_record = np.repeat(np.arange(len(published)), published.lengths)
    keys = np.sort(published_record * len(tree) + node_of[published.items])
    covering = _covering(record, leaf_of[original.items], keys, tree)
    by_occurrence = np.ones(len(record))
    found = covering >= 0
    counts = tree.leaf_counts[covering[found]]
    # Formula 1: nothing is lost if the node stands for a single leaf.
    by_occurrence[found] = np.where(counts == 1, 0.0, counts / tree.n_leaves)
    exact = found & (covering == leaf_of[original.items])
    # An item that was already general in the original lost nothing.
    by_occurrence[exact] = 0.0
    truthful = np.zeros(len(keys), dtype=bool)
    truthful[np.searchsorted(keys, record[found] * len(tree) + covering[found])] = True
    added_to = keys[~truthful] // len(tree)
    lengths = np.maximum(original.lengths, 1)
    by_record = np.bincount(record, weights=by_occurrence, minlength=len(original)) / lengths
    supports = original.supports
    sums = np.bincount(original.items, weights=by_occurrence, minlength=original.n_items)
    return GeneralisationLoss(
        by_occurrence=by_occurrence,
        by_record=by_record,
        by_item={
            name: float(total / support)
            for name, total, support in zip(original.vocabulary, sums, supports, strict=True)
            if support
        },
        groups=_groups(published, by_record, np.bincount(added_to, minlength=len(published))),
        exact=int(exact.sum()),
        generalised=int((found & ~exact).sum()),
        withheld=int((~found).sum()),
        added=len(added_to),
        records_with_added=len(np.unique(added_to)),
        published=published.n_occurrences,
    )


def _covering(record: Longs, leaf: Longs, keys: Longs, tree: Hierarchy) -> Longs:
    """For each occurrence the lowest published node of its record that covers it; -1 where none does."""
    covering = np.full(len(record), -1, dtype=np.int64)
    up = leaf.astype(np.int64)
    while (open_ := (covering < 0) & (up >= 0)).any() and len(keys):
        wanted = record[open_] * len(tree) + up[open_]
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        covering[open_] = np.where(keys[place] == wanted, up[open_], -1)
        up[open_] = tree.parents[up[open_]]
    return covering


def _groups(published: Records, by_record: Floats, added: Longs) -> tuple[Group, ...]:
    numbers, first = equal_rows(published)
    sizes = np.bincount(numbers)
    losses = np.bincount(numbers, weights=by_record) / sizes
    additions = np.bincount(numbers, weights=added).astype(np.int64)
    return tuple(
        Group(published.record(int(row)), int(sizes[n]), float(losses[n]), int(additions[n]))
        for n, row in enumerate(first)
    )
