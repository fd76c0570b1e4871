"""As ``mole_cover``, for moles of three items: a cell for each set, since a list might not fit in memory."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.jit import kernel, step
from withhold.counting.triples import starts_of_cells
from withhold.data.array_types import Bools, Longs


def cover_cells(is_mole: Bools, supports: Longs, alive: Bools, restoring: bool) -> list[int]:
    """Take items out of ``alive`` until no mole is whole; those taken, in order.

    ``is_mole`` has a cell for each set of three items, in order. Each time the item in the most moles per
    occurrence is taken; with ``restoring``, in reverse order, those are put back that bring back no mole.

    >>> alive = np.ones(4, dtype=bool)
    >>> cover_cells(np.array([1, 1, 0, 0], dtype=bool), np.array([9, 5, 9, 9]), alive, True)
    [1]
    """
    n = len(alive)
    starts, taken = starts_of_cells(n, 0, n), np.zeros(n, dtype=np.int64)
    n_taken = take_items(is_mole, starts, supports, alive, taken)
    order = taken[:n_taken]
    if restoring:
        put_back_items(is_mole, starts, alive, order)
    return [item for item in order.tolist() if not alive[item]]


@step
def cell_of(starts, n, a, b, c):
    """The cell of three items, in any order."""
    low, high = min(a, b, c), max(a, b, c)
    mid = a + b + c - low - high
    others = n - low - 1
    second = mid - low - 1
    return starts[low] + second * (2 * others - second - 1) // 2 + high - mid - 1


@kernel
def take_items(is_mole, starts, supports, alive, taken):
    """Take the item in the most whole moles per occurrence out of ``alive``, until none is left; how many."""
    n = len(alive)
    left = np.zeros(n, np.int64)
    cell = 0
    for a in range(n):
        for b in range(a + 1, n):
            for c in range(b + 1, n):
                if is_mole[cell] and alive[a] and alive[b] and alive[c]:
                    left[a] += 1
                    left[b] += 1
                    left[c] += 1
                cell += 1
    n_taken = 0
    while True:
        best = -1
        for v in range(n):
            # left[v] / supports[v] against the best so far, in whole numbers; ties go to the first.
            if left[v] > 0 and (best < 0 or left[v] * supports[best] > left[best] * supports[v]):
                best = v
        if best < 0:
            return n_taken
        alive[best] = False
        left[best] = 0
        taken[n_taken] = best
        n_taken += 1
        for b in range(n):
            if alive[b]:
                for c in range(b + 1, n):
                    if alive[c] and is_mole[cell_of(starts, n, best, b, c)]:
                        left[b] -= 1
                        left[c] -= 1


@kernel
def put_back_items(is_mole, starts, alive, taken):
    """Put back those of the taken items with which no mole becomes whole, the last first."""
    n = len(alive)
    for place in range(len(taken) - 1, -1, -1):
        v = taken[place]
        free = True
        for b in range(n):
            if alive[b] and free:
                for c in range(b + 1, n):
                    if alive[c] and is_mole[cell_of(starts, n, v, b, c)]:
                        free = False
                        break
        alive[v] = free
