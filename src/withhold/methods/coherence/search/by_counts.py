"""One set of items to withhold in all parts, chosen from exact counts over all records.

First go the items that are moles by themselves. Then, for sets of two and for sets of three of the remaining
items, all moles are listed and items withheld greedily: each time the one in the most moles per occurrence.
In the end, from the last to the first, each item is put back that brings back no mole. If only two items can
be known, this is what ``keep=items`` does with all records at once.
"""

from __future__ import annotations

from collections.abc import Generator
from math import comb
from typing import Any

import numpy as np

from withhold.counting.rounds import ItemRound, ItemSums, SetRound, SetSums, rounds_of
from withhold.counting.triples import TripleRound
from withhold.data.array_types import Bools, Longs
from withhold.data.kept_items import KeptItems
from withhold.methods.coherence.joined_counts import joined
from withhold.methods.coherence.model import Coherent
from withhold.methods.coherence.options import CoherenceSearch
from withhold.methods.coherence.search.cell_cover import cover_cells
from withhold.methods.coherence.search.mole_cover import cover_moles
from withhold.methods.coherence.search.suppressor import refuse_counts

MOST_MOLES = 10_000_000
"""At most this many are listed at once; if there are more, items are withheld before all moles are known."""


def choose_items(model: Coherent, options: CoherenceSearch) -> Generator[Any, Any, KeptItems]:
    """The items to publish; asks for counts of all parts, and is sent the sums."""
    found: ItemSums = yield ItemRound()
    listed = {s: n for s, n in found.supports.items() if s in model.private}
    refuse_counts(found.records, listed, model)
    # An item in at most h·k records is at most the share h of any k records or more.
    can_follow = model.h.numerator * model.k
    private = tuple(sorted(s for s, n in listed.items() if n * model.h.denominator > can_follow))
    private = private if model.h < 1 else ()
    frequent = (name for name, n in found.supports.items() if n >= model.k and name not in listed)
    public = tuple(sorted(frequent))
    assert model.p is not None
    for size in range(1 if private else 2, model.p + 1):
        supports = np.array([found.supports[name] for name in public], dtype=np.int64)
        wanted = SetRound(public, private, size, 0, len(public))
        alive = yield from _alive(model, wanted, supports, restoring=options.restoring)
        public = tuple(public[code] for code in np.flatnonzero(alive))
    return KeptItems(frozenset(public) | listed.keys())


def _alive(
    model: Coherent, wanted: SetRound, supports: Longs, *, restoring: bool
) -> Generator[Any, Any, Bools]:
    """Which of the items stay so that no set of the wanted size is a mole; no smaller one is."""
    alive: Bools = np.ones(len(supports), dtype=bool)
    known = np.zeros((0, wanted.size), dtype=np.int32)
    rounds = yield from rounds_of(wanted, cap=model.k)
    if rounds and isinstance(rounds[0], TripleRound):
        is_mole = np.zeros(comb(len(supports), 3), dtype=bool)
        begin = 0
        for asked in rounds:
            found = (yield asked).is_rare
            is_mole[begin : begin + len(found)] = found
            begin += len(found)
        cover_cells(is_mole, supports, alive, restoring)
        return alive
    for asked in rounds:
        assert isinstance(asked, SetRound)
        if not alive[asked.first : asked.last].any():
            continue
        sums = yield asked
        moles = _moles(model, asked, sums)
        known = np.concatenate([known, moles[alive[moles].all(axis=1)]])
        if len(known) > MOST_MOLES:
            # These items cannot be put back later, since moles with them are no longer counted.
            cover_moles(known, supports, alive, restoring=restoring)
            known = known[:0]
    cover_moles(known, supports, alive, restoring=restoring)
    return alive


def _moles(model: Coherent, asked: SetRound, sums: SetSums) -> Longs:
    counts = joined(asked, sums)
    follows = counts.most * model.h.denominator > model.h.numerator * counts.supports
    moles: Longs = counts.sets[(counts.supports < model.k) | follows].astype(np.int32)
    return moles
