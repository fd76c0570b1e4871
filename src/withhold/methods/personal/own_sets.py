"""The walk over what can be known of one person: closed sets of the rows, restricted to their original.

Let Q be known of a person u, and let Y be those items of u's original that all rows with Q have. Q lies
within Y, and Y has the same rows as Q and so the same counts. If few people want anything protected, there
are far fewer of these sets than closed sets of the table. The caller decides what is unsafe about a set.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from withhold.counting.closed_walk import N_TOUCHED, next_closed_set, skip_below
from withhold.counting.jit import step
from withhold.methods.personal.people import wants_protected


@step
def set_allowed(items, allowed, walk):
    """Allow the walk to use these items, or forbid them."""
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
        # Then none of these rows holds anything that the person wants protected, so nothing below can.
        if n_wanted == 0:
            skip_below(walk)
    return size, n_wanted
