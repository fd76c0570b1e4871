"""Counts of sets, and of the same sets with each private item, as rounds over parts return them.

The search and the proof both read them here; each decides for itself what is a mole.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.rounds import SetRound
from withhold.counting.triples import TripleRound
from withhold.data.array_types import Longs


class JoinedCounts(NamedTuple):
    """Sets of public items, a row each."""

    sets: Longs
    """Numbers of items, in the order of the round."""
    supports: Longs
    most: Longs
    """How many of these records hold one and the same private item, at most."""
    private: Longs
    """The number of that private item; the first if there are several, -1 if no record holds any."""
    n_sets: int
    """How many sets were counted; of those counted in cells, only rare ones are here."""


def joined(asked: SetRound | TripleRound, sums: Any, *, every: bool = False) -> JoinedCounts:
    """The sums of a round, set by set; of sets counted in cells, the first rare one, or ``every`` one."""
    if isinstance(asked, TripleRound):
        sets, supports = asked.rare(sums, most=None if every else 1)
        nothing = np.zeros_like(supports)
        return JoinedCounts(sets, supports, nothing, nothing - 1, sums.n_sets)
    width = len(asked.private) + 1
    # The key of a set comes before those with its private items, and is there whenever one of these is.
    starts = np.flatnonzero(sums.keys % width == 0)
    set_of = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(sums.keys))))
    is_joint = sums.keys % width > 0
    most = np.zeros(len(starts), dtype=np.int64)
    np.maximum.at(most, set_of[is_joint], sums.counts[is_joint])
    private = np.full(len(starts), -1, dtype=np.int64)
    best = is_joint & (sums.counts == most[set_of])
    # Backwards, so that the first stays.
    private[set_of[best][::-1]] = (sums.keys[best] % width - 1)[::-1]
    supports = sums.counts[starts]
    return JoinedCounts(asked.sets_of(sums.keys[starts]), supports, most, private, len(starts))
