"""The search's own look for a mole: does one come with an item, and is there any at all?

The search asks it of an item that might come back, and before it removes anything. The proof has a walk of
its own, so that a mistake here cannot hide itself.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from withhold.counting.jit import kernel, step
from withhold.counting.walk import count_extensions, deliver, follow, next_set, open_level
from withhold.methods.coherence.cohorts import (
    DONE,
    STOPPED,
    cohort_walk,
    gather_cohort,
    inferred_private,
    lacks_room,
    start_cohort,
    with_more_room,
)

SOME = -2


@kernel
def any_mole(problem, roots, after, alive):
    """SOME if a root and other living items, or only higher ones (``after``), are a mole; else DONE."""
    posts = problem.rows.post_offsets
    walk = cohort_walk(len(posts) - 1, problem.limits.largest)
    for root in roots:
        if posts[root + 1] - posts[root] < problem.limits.k:
            return SOME
        cohort = gather_cohort(problem.rows, root, after, alive)
        walk = start_cohort(cohort, walk, root)
        size = 1
        while size > 0:
            size = any_mole_below(problem, cohort, walk, size)
            if size > 0:
                walk = with_more_room(walk)
        if size != DONE:
            return size
    return DONE


@kernel
def any_mole_below(problem, cohort, walk, size):
    """``any_mole`` in one cohort; returns the size to go on with if there is not enough room."""
    limits = problem.limits
    while size > 0:
        child = next_set(walk, size)
        if child < 0:
            size -= 1
            continue
        if problem.stop[0] != 0:
            return STOPPED
        start, end = walk.child_start[child], walk.child_end[child]
        private, _ = inferred_private(problem, cohort.row_of, walk, start, end)
        if private >= 0:
            return SOME
        if size == limits.largest:
            continue
        n_touched = count_extensions(cohort, walk, start, end)
        for t in range(n_touched):
            if walk.bucket[walk.touched[t]] < limits.k:
                return SOME
        # A last item only matters to private ones.
        if size + 1 == limits.largest and limits.num >= limits.den:
            forget(walk, n_touched)
            continue
        if lacks_room(walk, size, n_touched, end - start):
            return size
        open_level(walk, size)
        for t in range(n_touched):
            # An item that all rows hold changes no count.
            if walk.bucket[walk.touched[t]] < end - start:
                follow(walk, size, walk.touched[t])
            else:
                walk.bucket[walk.touched[t]] = 0
        deliver(cohort, walk, size, start, end)
        size += 1
    return DONE


@step
def forget(walk, n_touched):
    """Set the counts of the extensions back."""
    for t in range(n_touched):
        walk.bucket[walk.touched[t]] = 0
