"""The proof's own walk over public sets, depth first: is one of them a mole, and which is the worst?

Every set that some record holds is visited once, built up from its lowest rank, except sets extended by an
item that all of their records hold, which changes no count. Nothing is stored, and nothing is pruned because
of what was seen before, so that there is little to get wrong.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.arrays import sort_ascending
from withhold.counting.jit import kernel, step
from withhold.counting.supports import count_support
from withhold.counting.walk import count_extensions, deliver, follow, open_level
from withhold.counting.worst import keep_worst
from withhold.methods.coherence.cohorts import (
    FOUND,
    MORE_ROOM,
    inferred_private,
    lacks_room,
    next_in_tour,
)

TOO_RARE = -1
"""In place of a private item."""


@kernel
def find_mole(problem, tour, all_of_them, worst, checked):
    """FOUND if a set of public items whose lowest is a root is a mole, which is then in ``worst``; else DONE.

    With ``all_of_them`` no set of fewer than ``largest`` items may be a mole; of those of that size the worst
    is kept, and of equally bad ones the first if roots come from high to low. ``checked[0]`` counts the
    extensions that were tested.
    """
    walk, limits = tour.walk, problem.limits
    while True:
        size, start, end = next_in_tour(problem, tour)
        if size < 0:
            return size
        last = walk.path[size - 1]
        # Rare extensions are never followed, so only roots can be rare here.
        if end - start < limits.k:
            keep_worst(worst, 0, last, walk.path, np.int64(1), end - start, TOO_RARE)
            if not all_of_them:
                return FOUND
            continue
        if size == limits.largest or not all_of_them:
            private, joint = inferred_private(problem, tour.row_of, walk, start, end)
            if private >= 0:
                keep_worst(worst, size - 1, last, walk.path, joint, end - start, private)
                if not all_of_them:
                    return FOUND
        if size == limits.largest:
            continue
        n_touched = count_extensions(tour, walk, start, end)
        if lacks_room(walk, size, n_touched, end - start):
            return MORE_ROOM
        checked[0] += n_touched
        if all_of_them:
            sort_ascending(walk.touched, n_touched)
        if keep_rare(problem, walk, size, n_touched, all_of_them, worst) and not all_of_them:
            return FOUND
        open_level(walk, size)
        for t in range(n_touched):
            x = walk.touched[n_touched - 1 - t if all_of_them else t]
            # A frequent extension is only followed if larger sets or private items remain to be checked.
            if limits.k <= walk.bucket[x] < end - start and (
                size + 1 < limits.largest or limits.num < limits.den
            ):
                follow(walk, size, x)
            else:
                walk.bucket[x] = 0
        if walk.last_child[size + 1] > walk.next_child[size + 1]:
            deliver(tour, walk, size, start, end)
            tour.place[1] += 1


@step
def keep_rare(problem, walk, size, n_touched, all_of_them, worst):
    """Whether too few rows hold one of the extensions; keeps the worst, or the first."""
    found = False
    for t in range(n_touched):
        x = walk.touched[t]
        if walk.bucket[x] < problem.limits.k:
            keep_worst(worst, size, x, walk.path, np.int64(1), walk.bucket[x], TOO_RARE)
            found = True
            if not all_of_them:
                break
    return found


@kernel
def find_rare_row(problem, indexed):
    """The first row, not empty, whose items fewer than k rows hold, and how many; (-1, 0) if none.

    If there is none, k records hold every subset of every record.
    """
    rows = problem.rows
    k = np.int64(problem.limits.k)
    for row in range(len(rows.offsets) - 1):
        if problem.stop[0] != 0:
            break
        size = rows.offsets[row + 1] - rows.offsets[row]
        if size > 0:
            record = rows.items[rows.offsets[row] : rows.offsets[row + 1]]
            support = count_support(indexed, record, size, k)
            if support < k:
                return row, support
    return -1, np.int64(0)
