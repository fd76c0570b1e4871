"""The walk over what can be known of one person: closed sets of the rows, restricted to their original.

Let Q be known of a person u, and Y what the rows with Q have in common of u's original. Q lies within Y, and
Y has the rows of Q and all of its counts. If few people want anything protected, these sets are far fewer
than all closed sets of the table. The caller decides what is unsafe about a set.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from withhold.counting.closed_walk import N_TOUCHED, next_closed_set, skip_below
from withhold.counting.jit import step
from withhold.methods.personal.people import wants_protected


@step
def set_allowed(items, allowed, walk):
    """Allow the walk these items, or forbid them."""
    for x in items:
        walk.allowed[x] = allowed


@step
def next_own_set(person, problem, walk, wanted, stop):
    """Step to the next set; its size as of ``next_closed_set``, and how many items are in ``wanted``.

    These are what the person wants protected of the items of its rows, including those of the set.
    """
    size = next_closed_set(problem.rows, walk, stop)
    n_wanted = 0
    if size > 0:
        for t in range(walk.at[N_TOUCHED]):
            if wants_protected(person, walk.touched[t], problem.wishes):
                wanted[n_wanted] = walk.touched[t]
                n_wanted += 1
        # Nor does any part of these rows hold anything that the person wants protected.
        if n_wanted == 0:
            skip_below(walk)
    return size, n_wanted
