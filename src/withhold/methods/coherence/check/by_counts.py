"""The proof of coherence and k^m-anonymity over parts: all sets of up to p items, counted in rounds.

As the proof of records in memory, but each part is known only by its counts. No set is skipped because of
what was counted before.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import Any

import numpy as np

from withhold.counting.rounds import ItemRound, ItemSums, SetRound, rounds_of
from withhold.counting.triples import TripleRound
from withhold.methods.coherence.joined_counts import joined
from withhold.methods.coherence.model import Coherent
from withhold.methods.coherence.mole import Mole
from withhold.verdict import Status, Verdict
from withhold.wording import counted


def prove_by_counts(model: Coherent) -> Generator[Any, Any, Verdict]:
    """The verdict on the records of all parts; asks for counts, and is sent the sums."""
    began = time.perf_counter()
    found: ItemSums = yield ItemRound()
    assert model.p is not None
    how = f"all public sets of at most {counted(model.p, 'item')}, counted over all parts"
    mole, checked = mole_of_nothing(model, found), 1
    public = tuple(sorted(name for name in found.supports if name not in model.private))
    listed = tuple(sorted(found.supports.keys() & model.private)) if model.h < 1 else ()
    for size in range(1, model.p + 1) if mole is None else ():
        wanted = SetRound(public, listed, size, 0, len(public))
        for asked in (yield from rounds_of(wanted, cap=model.k)):
            sums = yield asked
            mole, n_sets = _mole_in(model, asked, sums)
            checked += n_sets
            if mole is not None:
                break
        if mole is not None:
            break
    status = Status.HOLDS if mole is None else Status.BROKEN
    return Verdict(status, how, checked, time.perf_counter() - began, mole, False)


def mole_of_nothing(model: Coherent, found: ItemSums) -> Mole | None:
    """The empty set, if it is a mole: too few records at all, or a private item in too many."""
    if 0 < found.records < model.k:
        return Mole((), found.records)
    private = sorted(found.supports.keys() & model.private, key=lambda s: (-found.supports[s], s))
    for name in private[:1]:
        if found.supports[name] * model.h.denominator > model.h.numerator * found.records:
            return Mole((), found.records, name, found.supports[name])
    return None


def _mole_in(model: Coherent, asked: SetRound | TripleRound, sums: Any) -> tuple[Mole | None, int]:
    """The first of the worst moles of a round, and how many sets there are."""
    counts = joined(asked, sums)
    rare = counts.supports < model.k
    follows = counts.most * model.h.denominator > model.h.numerator * counts.supports
    moles = np.flatnonzero(rare | follows)
    if len(moles) == 0:
        return None, counts.n_sets
    first = moles[0]
    names = tuple(asked.public[code] for code in counts.sets[first])
    if rare[first]:
        return Mole(names, int(counts.supports[first])), counts.n_sets
    private = asked.private[counts.private[first]]
    found = Mole(names, int(counts.supports[first]), private, int(counts.most[first]))
    return found, counts.n_sets
