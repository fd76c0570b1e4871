"""Whether there is a mole: in the records before anything is withheld, or if an item were restored.

The proof has a walk of its own, so that a mistake here cannot hide itself.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from withhold.counting.jit import kernel
from withhold.counting.walk import count_extensions, deliver, follow, open_level
from withhold.methods.coherence.cohorts import (
    FOUND,
    MORE_ROOM,
    inferred_private,
    lacks_room,
    next_in_tour,
)


@kernel
def any_mole(problem, tour):
    """FOUND if a root with other living items (only higher ones if ``tour.after``) is a mole, else DONE."""
    walk, limits = tour.walk, problem.limits
    while True:
        size, start, end = next_in_tour(problem, tour)
        if size < 0:
            return size
        private, _ = inferred_private(problem, tour.row_of, walk, start, end)
        if private >= 0 or end - start < limits.k:
            return FOUND
        if size == limits.largest:
            continue
        n_touched = count_extensions(tour, walk, start, end)
        for t in range(n_touched):
            if walk.bucket[walk.touched[t]] < limits.k:
                return FOUND
        if lacks_room(walk, size, n_touched, end - start):
            return MORE_ROOM
        open_level(walk, size)
        # A set of the largest size is only walked to for the private items that follow from it.
        goes_on = size + 1 < limits.largest or limits.num < limits.den
        for t in range(n_touched):
            # An item that all rows hold changes no count.
            if goes_on and walk.bucket[walk.touched[t]] < end - start:
                follow(walk, size, walk.touched[t])
            else:
                walk.bucket[walk.touched[t]] = 0
        if walk.last_child[size + 1] > walk.next_child[size + 1]:
            deliver(tour, walk, size, start, end)
            tour.place[1] += 1
