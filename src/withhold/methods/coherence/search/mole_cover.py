"""Which items to withhold so that no listed mole is left: greedily, the item in most moles per occurrence."""

from __future__ import annotations

from fractions import Fraction
from heapq import heapify, heappop, heappush

import numpy as np

from withhold.data.array_types import Bools, Ints, Longs
from withhold.data.spans import starts_of


def cover_moles(
    moles: Ints | Longs, supports: Longs, alive: Bools, *, restoring: bool
) -> list[int]:
    """Take items out of ``alive`` until no mole, a row of items each, is whole; those taken, in order.

    With ``restoring``, in reverse order, those are put back that bring back no mole.

    >>> alive = np.ones(3, dtype=bool)
    >>> cover_moles(np.array([[0, 1], [1, 2]]), np.array([9, 5, 9]), alive, restoring=True)
    [1]
    """
    n_moles, size = moles.shape
    starts = starts_of(np.bincount(moles.ravel(), minlength=len(alive)))
    mole_of = np.argsort(moles.ravel(), kind="stable") // max(size, 1)
    gone = np.zeros(n_moles, dtype=np.int8)
    """By mole: how many of its items were taken."""
    left = np.diff(starts)
    heap = [(-Fraction(n, int(supports[v])), v) for v, n in enumerate(left.tolist()) if n]
    heapify(heap)
    taken = []
    while heap:
        score, item = heappop(heap)
        # Counts only fall, so an item whose score has not changed since it was pushed is the best.
        now = -Fraction(int(left[item]), int(supports[item]))
        if now != score:
            if now:
                heappush(heap, (now, item))
            continue
        own = mole_of[starts[item] : starts[item + 1]]
        whole = own[gone[own] == 0]
        left -= np.bincount(moles[whole].ravel(), minlength=len(left))
        gone[own] += 1
        alive[item] = False
        taken.append(item)
    back = []
    for item in reversed(taken) if restoring else ():
        own = mole_of[starts[item] : starts[item + 1]]
        if (gone[own] > 1).all():
            gone[own] -= 1
            alive[item] = True
            back.append(item)
    return [item for item in taken if item not in back]
