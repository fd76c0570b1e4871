"""What generalised sets lost, summed over parts: the numbers of the whole, in the memory of one part."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import partial
from math import fsum
from typing import Any

import numpy as np

from withhold.counting.equal_sets import DigestRound, DigestSums
from withhold.data import Records
from withhold.formats.item_trees import TreeSource, tree_for
from withhold.measure.alignment import recoded
from withhold.measure.by_parts import DrawnRows, Pieces
from withhold.measure.queries import (
    QueryErrors,
    count_covering,
    count_itemsets,
    covering_names,
    draw_items,
    draw_places,
    relative_errors,
    under_tree,
)
from withhold.methods.buckets.measure import MEASURES, measure_generalisation
from withhold.telling.facts import Measured, MeasureRequest, value_at
from withhold.wording import percent

SUMMED = ("exact", "generalised", "withheld", "added", "records_with_added", "published")
"""Numbers of a loss that add up."""


@dataclass
class _Names:
    """What the first walk finds."""

    before: set[str] = field(default_factory=set)
    after: set[str] = field(default_factory=set)
    records: int = 0
    holding: int = 0
    """Records of the original that hold anything."""
    same_rows: bool = True
    sets: DigestSums | None = None
    """The different sets that are published."""

    def add(self, before: Records, after: Records) -> None:
        self.before.update(before.vocabulary)
        self.after.update(after.vocabulary)
        self.same_rows &= len(before) == len(after)
        self.records += len(before)
        self.holding += int((before.lengths > 0).sum())
        found = DigestRound(1, 0, 1).count(after)
        self.sets = found if self.sets is None else self.sets.plus(found)


@dataclass(frozen=True)
class SummedUtility:
    """What all parts together lost, and how far count queries are off."""

    records: int
    information_loss: float
    sums: dict[str, int]
    groups: tuple[int, int, int]
    """Different sets, the records of the rarest and of the most frequent."""
    queries: QueryErrors

    def as_dict(self) -> dict[str, Any]:
        """The numbers, under the names that those of records in memory have."""
        sums, (groups, smallest, largest) = self.sums, self.groups
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
            "groups": groups,
            "smallest_group": smallest,
            "largest_group": largest,
            "queries": asdict(self.queries),
        }


def measure_parts(
    pieces: Pieces, hierarchy: TreeSource | None, request: MeasureRequest
) -> Measured | None:
    """What was lost by the tree that the release was made with; None where it does not fit.

    The tree is read, or built over the items of all parts.
    """
    names = _Names()
    for before, after in pieces():
        names.add(before, after)
    vocabulary, published = tuple(sorted(names.before)), tuple(sorted(names.after))
    tree, _ = tree_for(Records.from_lists([vocabulary]), hierarchy)
    if not names.same_rows or not names.after <= {*tree.names}:
        return None
    generator, places = draw_places(names.holding, request.queries, request.seed)
    drawn, lost, sums = DrawnRows(places), [], dict.fromkeys(SUMMED, 0)
    for before, after in pieces():
        loss = measure_generalisation(before, after, tree)
        lost.append(float(loss.by_record.sum()))
        sums = {name: n + getattr(loss, name) for name, n in sums.items()}
        drawn.add(recoded(before, vocabulary))
    asked = draw_items(drawn.items, generator)
    covering = covering_names(vocabulary, published, under_tree(tree))
    answers = np.zeros((2, len(asked)))
    for before, after in pieces():
        answers[0] += count_itemsets(recoded(before, vocabulary), asked)
        answers[1] += count_covering(recoded(after, published), asked, covering)
    counts = names.sets.counts if names.sets is not None else np.zeros(0, dtype=np.int64)
    found = SummedUtility(
        names.records,
        fsum(lost) / names.records if names.records else 0.0,
        sums,
        (len(counts), int(counts.min(initial=names.records)), int(counts.max(initial=0))),
        relative_errors(asked, *answers, n_rows=names.records),
    )
    added = found.as_dict()["items_added_share"]
    share = f"{sums['added']:,} of its items, {percent(added)} of what it holds"
    warnings = [f"{share}, are such as people never had"] if sums["added"] else []
    return Measured.by(MEASURES, partial(value_at, found.as_dict()), warnings, found)
