"""The audit of coherence and k^m-anonymity over parts: minimal moles, and how many records hold one.

The numbers are those of all records together, as an audit in memory counts them.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

import numpy as np

from withhold.auditing.by_parts import CountedBreaches
from withhold.auditing.result import How, SizeCount
from withhold.counting.holding import HoldingRound, ListedSets
from withhold.counting.rounds import ItemRound, ItemSums, SetRound, rounds_of
from withhold.data.array_types import Bools, Longs
from withhold.methods.coherence.check.by_counts import mole_of_nothing
from withhold.methods.coherence.joined_counts import JoinedCounts, joined
from withhold.methods.coherence.model import Coherent
from withhold.methods.coherence.mole import Mole

MOST_MOLES = 10_000_000
"""At most this many of one size are listed; of more it is only known that there are at least as many."""


def survey_by_counts(
    model: Coherent, largest: int, show: int
) -> Generator[Any, Any, CountedBreaches]:
    """The minimal moles of up to ``largest`` items, the worst of them, and how many records hold one."""
    found: ItemSums = yield ItemRound()
    counts = {size: SizeCount(How.COUNTED, 0) for size in range(largest + 1)}
    if (mole := mole_of_nothing(model, found)) is not None:
        counts[0] = SizeCount(How.COUNTED, 1)
        return CountedBreaches(counts, (mole,), found.records, found)
    public = tuple(sorted(name for name in found.supports if name not in model.private))
    private = tuple(sorted(found.supports.keys() & model.private)) if model.h < 1 else ()
    worst: list[Mole] = []
    listed: list[ListedSets] = []
    for size in range(1, largest + 1):
        known, own = np.zeros((0, size), dtype=np.int64), []
        for asked in (
            yield from rounds_of(SetRound(public, private, size, 0, len(public)), cap=model.k)
        ):
            sums = yield asked
            sets = joined(asked, sums, every=True)
            is_mole = _are_moles(model, sets) & ~_hold_any(sets.sets, listed, len(public))
            own += _worst(model, asked, sets, np.flatnonzero(is_mole), show)
            known = np.concatenate([known, sets.sets[is_mole]])
            if len(known) > MOST_MOLES:
                break
        complete = len(known) <= MOST_MOLES
        counts[size] = SizeCount(How.COUNTED if complete else How.AT_LEAST, len(known))
        if not complete:
            counts |= {later: SizeCount(How.NOT_COUNTED) for later in range(size + 1, largest + 1)}
            break
        worst += sorted(own, key=_order)[:show]
        listed.append(ListedSets.of(public, known))
        if size == 1:
            gone = set(known[:, 0].tolist())
            public = tuple(name for code, name in enumerate(public) if code not in gone)
    exposed = (yield HoldingRound(tuple(listed))).records
    return CountedBreaches(counts, tuple(worst[:show]), exposed, found)


def _are_moles(model: Coherent, sets: JoinedCounts) -> Bools:
    follows = sets.most * model.h.denominator > model.h.numerator * sets.supports
    found: Bools = (sets.supports < model.k) | follows
    return found


def _hold_any(sets: Longs, listed: Iterable[ListedSets], n: int) -> Bools:
    """Which of the sets contain a smaller one that is listed: only sets of three can, and only pairs."""
    held: Bools = np.zeros(len(sets), dtype=bool)
    for each in listed:
        if sets.shape[1] == 3 and each.size == 2 and len(each.keys):
            for a, b in ((0, 1), (0, 2), (1, 2)):
                keys = sets[:, a] * n + sets[:, b]
                places = np.minimum(np.searchsorted(each.keys, keys), len(each.keys) - 1)
                held |= each.keys[places] == keys
    return held


def _worst(model: Coherent, asked: Any, sets: JoinedCounts, moles: Longs, show: int) -> list[Mole]:
    """The worst of the moles, at most ``show``."""
    supports = sets.supports[moles]
    # Of a set that too few records hold, the attacker looks for one record.
    right = np.where(supports < model.k, 1, sets.most[moles])
    found = []
    # Equal ones in the order of their names, which is that of the round.
    for place in moles[np.lexsort((-right, -right / np.maximum(supports, 1)))[:show]]:
        names = tuple(asked.public[code] for code in sets.sets[place])
        support = int(sets.supports[place])
        if support < model.k:
            found.append(Mole(names, support))
        else:
            private = asked.private[sets.private[place]]
            found.append(Mole(names, support, private, int(sets.most[place])))
    return found


def _order(mole: Mole) -> tuple[Any, ...]:
    return -mole.probability, -(1 if mole.private is None else mole.joint), mole.items
