"""What a release whose items are published as groups lost: what was withheld, and the detail given up.

Withheld is what the generalised original has and the release has not, so everything that is measured of sets
of items is measured over groups. The detail is measured over the items themselves, as are count queries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Protocol

import numpy as np

from withhold.data import Hierarchy, Records
from withhold.data.cut import groups_of, times_covered, with_leaves
from withhold.data.groups import Detail, Groups
from withhold.measure.loss import Loss, measure_loss
from withhold.measure.queries import set_query_errors, under_groups
from withhold.measure.sets import measure_sets
from withhold.measure.utility import Utility
from withhold.telling.facts import Details, Fact, Measured, MeasureRequest, Unit
from withhold.wording import percent

MEANING = {
    "generalised.ncp": "detail given up: mean of (items of the group - 1) / (all public items - 1)",
    "generalised.bits": "detail given up, in bits, as a share of what is lost if all items are one group",
    "generalised.groups": "groups that public items are published as, those of one item included",
    "generalised.merged": "occurrences that became one with another of the same record and group",
}
SHOWN: tuple[tuple[str, str, Unit], ...] = (
    ("generalised.ncp", "detail given up (NCP)", "share"),
    ("generalised.bits", "detail given up (bits)", "share"),
    ("generalised.groups", "groups", "count"),
    ("generalised.merged", "occurrences merged", "count"),
)
PLOTTED = ("occurrences.sensitive.share", "generalised.ncp", "generalised.bits")


@dataclass(frozen=True)
class GeneralisedLoss(Loss):
    """What was withheld, and the detail that was given up."""

    words: ClassVar[str] = (
        "Public items appear under the names of groups, each item everywhere under the same one; "
        "sensitive items were withheld, and nothing was invented. Counts in this file can therefore be "
        "too low, and are never too high."
    )

    ncp: float
    bits: float
    groups: int
    merged: int
    """Occurrences that became one with another of the same record and group."""

    def facts(self) -> list[tuple[str, str]]:
        """What people want to know first, as pairs of texts."""
        merged = (
            f"{self.groups:,}, standing for all public items; {self.merged:,} occurrences merged"
        )
        detail = f"{percent(self.ncp, 2)} (NCP), {percent(self.bits)} (bits)"
        return [*super().facts(), ("groups", merged), ("detail given up", detail)]


@dataclass(frozen=True)
class GeneralisedDetails:
    """The utility of a release over its groups, and the detail that these give up."""

    utility: Details
    generalised: dict[str, float]

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {**self.utility.as_dict(), "generalised": self.generalised}


class Grouped(Protocol):
    """A model that names the groups that items are published as; None: each as itself."""

    @property
    def groups(self) -> Groups | None: ...


def loss_of_grouped(
    original: Records, published: Records, model: Grouped, protected: frozenset[str], plan: object
) -> Loss:
    """What was withheld, and the detail that groups give up."""
    if model.groups is None:
        return measure_loss(original, published, protected)
    generalised = model.groups.generalise(original)
    withheld = measure_loss(generalised, published, protected)
    return GeneralisedLoss(**asdict(withheld), **_numbers(original, generalised, model.groups))


def groups_seen(published: Records, tree: Hierarchy) -> Groups | None:
    """The groups of a release, from its items and the tree alone; None if they do not determine them.

    Each item must be under one published node at most; one that is under none is a group of its own.

    >>> tree = Hierarchy.from_edges([("beer", "drinks"), ("tea", "drinks"), ("drinks", "*"), ("soap", "*")])
    >>> groups_seen(Records.from_lists([["drinks"], ["drinks"]]), tree).as_dict()
    {'drinks': ['beer', 'tea'], 'soap': ['soap']}
    """
    if not all(name in tree for name in published.occurring):
        return None
    nodes = tree.codes(published.occurring)
    if (times_covered(tree, nodes) > 1).any():
        return None
    return groups_of(tree, with_leaves(tree, nodes))


def _numbers(original: Records, generalised: Records, groups: Groups) -> dict[str, Any]:
    merged = original.n_occurrences - generalised.n_occurrences
    return _detail_given_up(groups.detail(original), groups, merged)


def _detail_given_up(detail: Detail, groups: Groups, merged: int) -> dict[str, Any]:
    return {"ncp": detail.ncp, "bits": detail.bits, "groups": len(groups), "merged": merged}


def measure_under(
    original: Records, published: Records, groups: Groups, request: MeasureRequest
) -> Measured:
    """The utility of ``published`` compared with ``original``, both under the names of the groups, as
    facts."""
    generalised = groups.generalise(original)
    over_groups = measure_sets(generalised, published, request)
    numbers = _numbers(original, generalised, groups)
    # A query about an item is answered from its group.
    how = {"queries": request.queries, "seed": request.seed}
    errors = set_query_errors(original, published, under_groups(groups), **how)
    assert isinstance(over_groups.details, Utility)
    details = GeneralisedDetails(replace(over_groups.details, queries=errors), numbers)
    answered = {"queries.mean": errors.mean, "queries.median": errors.median}
    kept = (replace(fact, value=answered.get(fact.path, fact.value)) for fact in over_groups.facts)
    return Measured((*kept, *_facts(numbers)), over_groups.warnings, details, PLOTTED)


def measured_by_counts(
    over_groups: Measured, groups: Groups, supports: Mapping[str, int], n_generalised: int
) -> Measured:
    """The same from counts: what was measured over groups, and the supports of the items.

    ``n_generalised`` occurrences are left under groups.
    """
    counts = np.array(list(supports.values()), dtype=np.int64)
    detail = groups.detail_of(list(supports), counts)
    numbers = _detail_given_up(detail, groups, int(counts.sum()) - n_generalised)
    details = GeneralisedDetails(over_groups.details, numbers)
    facts = (*over_groups.facts, *_facts(numbers))
    return Measured(facts, over_groups.warnings, details, PLOTTED)


def _facts(numbers: Mapping[str, Any]) -> tuple[Fact, ...]:
    return tuple(
        Fact(path, label, numbers[path.partition(".")[2]], unit, MEANING[path])
        for path, label, unit in SHOWN
    )
