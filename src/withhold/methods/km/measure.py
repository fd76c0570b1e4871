"""What a release under k^m-anonymity lost; under groups, one number for both kinds of loss."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import ClassVar

import numpy as np

from withhold.data import Records
from withhold.data.groups import Groups
from withhold.measure.generalised import (
    GeneralisedDetails,
    GeneralisedLoss,
    loss_of_grouped,
    measure_under,
)
from withhold.measure.loss import Loss
from withhold.measure.sets import measure_sets
from withhold.methods.km.model import KmAnonymity
from withhold.telling.facts import Fact, Measured, MeasureRequest
from withhold.wording import percent

COST = "generalised.cost"
MEANING = (
    "mean over the original occurrences: 1 if it is withheld, else (items of its group - 1) / "
    "(all items - 1)"
)
PLOTTED = (COST, "occurrences.all.share", "generalised.ncp")


@dataclass(frozen=True)
class KmLoss(GeneralisedLoss):
    """What was withheld, the detail that was given up, and both in one number."""

    words: ClassVar[str] = (
        "Items appear under the names of groups, each item everywhere under the same one, or were "
        "withheld everywhere; nothing was invented. Every count of groups is therefore true."
    )

    cost: float

    @property
    def share(self) -> float:
        """What was lost, as the one number that releases are compared by."""
        return self.cost

    def facts(self) -> list[tuple[str, str]]:
        """What people want to know first, as pairs of texts."""
        cost = f"{percent(self.cost, 2)} of the detail, what is withheld included"
        merged = f"{self.groups:,}, standing for all items; {self.merged:,} occurrences merged"
        usual = [each for each in super().facts() if each[0] not in ("of the sensitive", "groups")]
        return [("cost", cost), *usual[:-1], ("groups", merged), usual[-1]]


def cost_of(original: Records, published: Records, groups: Groups) -> float:
    """The mean cost of the original's occurrences, each looked for in the published record.

    >>> groups = Groups.of({"drinks": ["beer", "tea"], "soap": ["soap"]})
    >>> shop = Records.from_lists([["beer", "tea"], ["soap"]])
    >>> cost_of(shop, Records.from_lists([["drinks"], []]), groups)
    0.6666666666666666
    """
    if original.n_occurrences == 0:
        return 0.0
    sizes = {name: len(items) for name, items in groups.members}
    group_of, place = groups.group_of(), {name: n for n, name in enumerate(published.vocabulary)}
    names = [group_of.get(item, item) for item in original.vocabulary]
    codes = np.array([place.get(name, -1) for name in names], dtype=np.int64)[original.items]
    most = max(sum(sizes.values()) - 1, 1)
    penalty = np.array([sizes.get(name, 1) - 1 for name in names], dtype=np.int64)[original.items]
    wide = len(published.vocabulary) + 1
    there = _rows(published) * wide + published.items
    found = np.isin(_rows(original) * wide + codes, there) & (codes >= 0)
    return float(np.where(found, penalty, most).sum() / (most * original.n_occurrences))


def _rows(records: Records) -> np.ndarray:
    return np.repeat(np.arange(len(records), dtype=np.int64), records.lengths)


def loss_of_km(
    original: Records,
    published: Records,
    model: KmAnonymity,
    protected: frozenset[str],
    plan: object,
) -> Loss:
    """What was withheld, and the detail that groups give up."""
    usual = loss_of_grouped(original, published, model, protected, plan)
    if model.groups is None:
        return usual
    return KmLoss(**asdict(usual), cost=cost_of(original, published, model.groups))


def measure_km(original: Records, published: Records, request: MeasureRequest) -> Measured:
    """What the release is still good for."""
    groups = getattr(request.model, "groups", None)
    if groups is None:
        return measure_sets(original, published, request)
    found = measure_under(original, published, groups, request)
    details = found.details
    assert isinstance(details, GeneralisedDetails)
    cost = cost_of(original, published, groups)
    numbers = replace(details, generalised={**details.generalised, "cost": cost})
    fact = Fact(COST, "cost of groups and withholding", cost, "share", MEANING)
    return replace(found, facts=(*found.facts, fact), details=numbers, plotted=PLOTTED)
