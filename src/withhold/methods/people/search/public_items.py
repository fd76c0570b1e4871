"""Which public items go from whole groups where any m items must be had by k persons: the search of k^m.

The items of each group are apart, so that an item that is suppressed everywhere goes from one group. What is
left keeps its counts: taking an item from a group changes no other set of items.
"""

from __future__ import annotations

import numpy as np

from withhold.data.array_types import Longs
from withhold.data.evidence import Evidence
from withhold.data.plan import Reasons
from withhold.method import SearchRun
from withhold.methods.coherence.options import CoherenceSearch
from withhold.methods.coherence.search.suppressor import suppress_coherence
from withhold.methods.people.grouped_items import GROUP, PersonItems, apart
from withhold.methods.people.model import PeopleUncertainty
from withhold.methods.people.search.withholding import Withheld


def withhold_public(
    items: PersonItems, groups: Longs, model: PeopleUncertainty, run: SearchRun
) -> Withheld:
    """The occurrences of public items that go; an item takes its dates with it."""
    asked, none = model.of_public_items(), np.empty(0, dtype=np.int64)
    if asked is None:
        return _withheld(none)
    is_public = ~items.sensitive[items.records.items]
    own = apart(items.without(~is_public), groups, with_group=False)
    plan, _ = suppress_coherence(own.records, asked, Evidence(), CoherenceSearch(keep="items"), run)
    gone = [int(each.item) for each in plan]
    n_items = items.records.n_items
    keys = own.groups[gone].astype(np.int64) * n_items + own.items[gone]
    codes, of_person = items.records.items, groups[items.person_of] * n_items
    goes = np.isin(of_person + codes, keys)
    base = items.undated[codes]
    goes |= (base >= 0) & np.isin(of_person + base, keys)
    return _withheld(np.flatnonzero(goes & is_public))


def _withheld(places: Longs) -> Withheld:
    """These places, for the one reason that too few persons have the item, or others with it."""
    no_code = np.empty(0, dtype=np.int32)
    zero = np.zeros(1, dtype=np.int32)
    reasons = Reasons(np.zeros(2, dtype=np.int64), no_code, zero + GROUP, zero, zero)
    return Withheld(places, np.zeros(len(places), dtype=np.int32), reasons)
