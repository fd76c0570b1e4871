"""Which sensitive items to withhold, given the groups: the search of ``rho`` over all groups at once.

Items of different groups are different items here, and each group has an item that all its persons have.
Whoever knows only that item knows only the group, so what holds for everybody in a group is a rule like any
other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from withhold.data.array_types import Longs
from withhold.data.evidence import Evidence
from withhold.data.plan import Plan, Reasons
from withhold.method import SearchRun
from withhold.methods.people.grouped_items import GROUP, GroupedItems, PersonItems, group_items
from withhold.methods.people.model import PeopleUncertainty
from withhold.methods.rho.options import RhoSearch
from withhold.methods.rho.search.suppressor import suppress_rho


@dataclass(frozen=True)
class Withheld:
    """Which items of some persons are withheld, and why."""

    places: Longs
    """Of occurrences in the persons' items, ascending."""
    answers: NDArray[np.int32]
    """For each the number of its reason."""
    reasons: Reasons
    """In codes of the persons' items."""

    def by_group(self, items: PersonItems, groups: Longs, n_groups: int) -> Longs:
        """How many occurrences are withheld in each group."""
        persons = items.person_of[self.places]
        return np.bincount(groups[persons], minlength=n_groups).astype(np.int64)

    def ascending(self) -> Withheld:
        """The same by ascending places."""
        order = np.argsort(self.places, kind="stable")
        return replace(self, places=self.places[order], answers=self.answers[order])


def withhold_items(
    items: PersonItems,
    groups: Longs,
    model: PeopleUncertainty,
    run: SearchRun,
    *,
    restoring: bool,
) -> Withheld:
    """The sensitive occurrences to withhold, so that the items of every group alone are safe.

    If sensitive items have dates, the first round finds the items to withhold if no date is published, and
    the next ones the dates and further items. Each round makes every view of the groups (with dates, without)
    safe by itself, and what it withholds may make another view unsafe; the last round finds nothing. The
    dates of an item go with it.
    """
    # In parts every group would be cut, and be made safe as if it were smaller than it is.
    options = RhoSearch(parts=1, restoring=restoring)
    if not items.secret_dates.any():
        return _once(items, groups, model, options, run)
    gone = items.secret_dates.copy()
    rounds: list[Withheld] = []
    while True:
        left = items.without(gone)
        found = _once(left, groups, model, options, run)
        if rounds and not len(found.places):
            return joined(rounds)
        if not rounds:
            gone[:] = False
        found = _with_dates(items, replace(found, places=left.places[found.places]), gone)
        gone[found.places] = True
        rounds.append(found)


def _once(
    items: PersonItems, groups: Longs, model: PeopleUncertainty, options: RhoSearch, run: SearchRun
) -> Withheld:
    """What to withhold so that each view of the groups is safe, taken by itself."""
    if model.max_known == 0 or not items.sensitive[items.records.items].any():
        return _surplus(items, groups, model)
    own = group_items(items, groups, with_group=True)
    plan, _ = suppress_rho(
        own.records, model.within_groups(own.sensitive), Evidence(), options, run
    )
    return Withheld(own.places[plan.removed], plan.answers, _named(plan, own)).ascending()


def _with_dates(items: PersonItems, found: Withheld, gone: NDArray[np.bool_]) -> Withheld:
    """The same and the dates of these items, for the same reasons, except dates that are already withheld."""
    n_items, codes = items.records.n_items, items.records.items
    keys = items.person_of[found.places] * n_items + codes[found.places]
    order = np.argsort(keys)
    dates = np.setdiff1d(np.flatnonzero(items.secret_dates & ~gone), found.places)
    wanted = items.person_of[dates] * n_items + items.undated[codes[dates]]
    at = np.minimum(np.searchsorted(keys[order], wanted), max(len(keys) - 1, 0))
    goes = keys[order][at] == wanted if len(keys) else np.zeros(len(dates), dtype=np.bool_)
    places = np.append(found.places, dates[goes])
    answers = np.append(found.answers, found.answers[order[at[goes]]])
    return Withheld(places, answers, found.reasons).ascending()


def joined(rounds: Sequence[Withheld]) -> Withheld:
    """What several rounds withheld."""
    reasons = [each.reasons for each in rounds]
    before = np.cumsum([0, *(len(each) for each in reasons)])
    starts = np.cumsum([0, *(each.starts[-1] for each in reasons)])
    answers = [each.answers + before[number] for number, each in enumerate(rounds)]
    return Withheld(
        np.concatenate([each.places for each in rounds]),
        np.concatenate(answers).astype(np.int32),
        Reasons(
            np.append(
                0,
                np.concatenate(
                    [r.starts[1:] + s for r, s in zip(reasons, starts[:-1], strict=True)]
                ),
            ),
            *(
                np.concatenate([getattr(each, name) for each in reasons])
                for name in ("items", "consequents", "joints", "supports")
            ),
        ),
    ).ascending()


def _named(plan: Plan, own: GroupedItems) -> Reasons:
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


def _surplus(items: PersonItems, groups: Longs, model: PeopleUncertainty) -> Withheld:
    """What to withhold if no item can be known: of items that more than ρ of a group have, the last ones."""
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
