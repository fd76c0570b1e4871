"""Which sensitive items go, given the groups: the search of ``rho`` over all groups at once.

The items of each group are apart, and each group has an item that all its persons have. Whoever knows that
one item knows only the group, so that what can be said of everybody in the group is a rule like any other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.data.array_types import Longs
from withhold.data.evidence import Evidence
from withhold.data.plan import Plan, Reasons
from withhold.method import SearchRun
from withhold.methods.people.grouped_items import GROUP, ApartItems, PersonItems, apart
from withhold.methods.people.model import PeopleUncertainty
from withhold.methods.rho.options import RhoSearch
from withhold.methods.rho.search.suppressor import suppress_rho


@dataclass(frozen=True)
class Withheld:
    """What goes of the items of some persons, and why."""

    places: Longs
    """Of occurrences in the persons' items, ascending."""
    answers: NDArray[np.int32]
    """For each the number of its reason."""
    reasons: Reasons
    """In codes of the persons' items."""

    def by_group(self, items: PersonItems, groups: Longs, n_groups: int) -> Longs:
        """How many occurrences go in each group."""
        persons = np.searchsorted(items.records.offsets, self.places, side="right") - 1
        return np.bincount(groups[persons], minlength=n_groups).astype(np.int64)


def withhold_items(
    items: PersonItems,
    groups: Longs,
    model: PeopleUncertainty,
    run: SearchRun,
    *,
    restoring: bool,
) -> Withheld:
    """The sensitive occurrences that go so that the items of every group alone are safe."""
    if model.max_known == 0 or not items.sensitive[items.records.items].any():
        return _only_too_many(items, groups, model)
    own = apart(items, groups, with_group=True)
    # In parts every group would be cut, and be made safe as if it were smaller than it is.
    options = RhoSearch(parts=1, restoring=restoring)
    plan, _ = suppress_rho(
        own.records, model.within_groups(own.sensitive), Evidence(), options, run
    )
    persons = np.searchsorted(own.records.offsets, plan.removed, side="right") - 1
    places = plan.removed - persons - 1
    return Withheld(places.astype(np.int64), plan.answers, _named(plan, own))


def _named(plan: Plan, own: ApartItems) -> Reasons:
    """The reasons in codes of the persons' items, without the groups' own items."""
    reasons = plan.reasons
    items = own.items[reasons.items]
    before = np.append(0, np.cumsum(items != GROUP))
    consequents = np.append(own.items, np.int32(GROUP))[reasons.consequents]
    return Reasons(
        before[reasons.starts].astype(np.int64),
        items[items != GROUP],
        consequents.astype(np.int32),
        reasons.joints,
        reasons.supports,
    )


def _only_too_many(items: PersonItems, groups: Longs, model: PeopleUncertainty) -> Withheld:
    """What goes where no item is known: of each group the last occurrences of what more than ρ of it have."""
    records = items.records
    of_occurrence = np.repeat(groups, records.lengths)
    chosen = np.flatnonzero(items.sensitive[records.items])
    keys = of_occurrence[chosen] * records.n_items + records.items[chosen]
    order = np.argsort(keys, kind="stable")
    found, starts, counts = np.unique(keys[order], return_index=True, return_counts=True)
    sizes = np.bincount(groups)[found // max(records.n_items, 1)]
    num, den = model.rho.numerator, model.rho.denominator
    most = np.array([num * size // den for size in sizes.tolist()], dtype=np.int64)
    number = np.arange(len(order)) - np.repeat(starts, counts)
    goes = number >= np.repeat(most, counts)
    which = np.repeat(np.arange(len(found), dtype=np.int32), counts)[goes]
    places = chosen[order[goes]]
    ascending = np.argsort(places)
    reasons = Reasons(
        np.zeros(len(found) + 1, dtype=np.int64),
        np.empty(0, dtype=np.int32),
        (found % max(records.n_items, 1)).astype(np.int32),
        counts.astype(np.int32),
        sizes.astype(np.int32),
    )
    return Withheld(places[ascending].astype(np.int64), which[ascending], reasons)
