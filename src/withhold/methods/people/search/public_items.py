"""Which public items to withhold from whole groups so that k persons have any m items, as k^m-anonymity does.

Items of different groups are different items here, so to suppress an item everywhere is to withhold it from
one group. The rest keeps its counts: withholding an item from a group changes no set of other items.
"""

from __future__ import annotations

import numpy as np

from withhold.data.array_types import Bools, Longs
from withhold.data.evidence import Evidence
from withhold.data.plan import Reasons
from withhold.method import SearchRun
from withhold.methods.coherence.options import CoherenceSearch
from withhold.methods.coherence.search.suppressor import suppress_coherence
from withhold.methods.people.grouped_items import GROUP, IMPLIED, PersonItems, group_items
from withhold.methods.people.model import PeopleUncertainty
from withhold.methods.people.search.withholding import Withheld


def withhold_public(
    items: PersonItems, groups: Longs, model: PeopleUncertainty, run: SearchRun
) -> Withheld:
    """The occurrences of public items to withhold; the dates of an item go with it.

    An item that a record has only by a date is gone with the last of its dates. Then fewer persons have it
    than were counted, so the rest is searched again.
    """
    asked = model.of_public_items()
    is_public = ~items.sensitive[items.records.items]
    gone = np.zeros(len(is_public), dtype=np.bool_)
    while asked is not None:
        own = group_items(items.without(gone | ~is_public), groups, with_group=False)
        how = CoherenceSearch(keep="items")
        plan, _ = suppress_coherence(own.records, asked, Evidence(), how, run)
        removed = [int(each.item) for each in plan]
        n_items = items.records.n_items
        keys = own.groups[removed].astype(np.int64) * n_items + own.items[removed]
        codes, of_person = items.records.items, groups[items.person_of] * n_items
        base = items.undated[codes]
        goes = np.isin(of_person + codes, keys) | ((base >= 0) & np.isin(of_person + base, keys))
        gone |= goes & is_public
        lost = _implied_by_nothing(items, gone)
        if not lost.any():
            break
        gone |= lost
    return _withheld(np.flatnonzero(gone))


def _implied_by_nothing(items: PersonItems, gone: Bools) -> Bools:
    """Occurrences that no record has: those of items that were implied by dates, all of which are gone."""
    n_items, codes = items.records.n_items, items.records.items
    base = items.undated[codes]
    dated = (base >= 0) & ~gone
    implied = items.person_of[dated] * n_items + base[dated]
    is_implied: Bools = np.equal(items.places, IMPLIED) & ~gone
    return is_implied & ~np.isin(items.person_of * n_items + codes, implied)


def _withheld(places: Longs) -> Withheld:
    """These places, all for one reason: too few persons have the item, or have it together with others."""
    no_code = np.empty(0, dtype=np.int32)
    zero = np.zeros(1, dtype=np.int32)
    reasons = Reasons(np.zeros(2, dtype=np.int64), no_code, zero + GROUP, zero, zero)
    return Withheld(places, np.zeros(len(places), dtype=np.int32), reasons)
