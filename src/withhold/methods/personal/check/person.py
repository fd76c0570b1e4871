"""Whether anything follows about one person, however much of them is known; written apart from the search.

Let Q be known of a person, and Y what the rows with Q have in common of the person's original. Y has the
rows of Q and all of its counts. So the person is safe iff, for every such Y, each item that they want
protected is safe: one that Y does not have must be in at most a share ρ of the rows of Y; one of Y itself is
only looked at if Y without it has no other rows, and then it follows for sure. If few people want anything
protected, this is much less to look at than all closed sets of the table.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.closed_walk import (
    END,
    N_TOUCHED,
    NO_ROOM,
    SIZE,
    START,
    next_closed_set,
    skip_below,
    start_closed,
    with_more_room,
)
from withhold.counting.jit import kernel, maker, step
from withhold.counting.published import has_more_rows
from withhold.methods.personal.check.judge import testify
from withhold.methods.personal.people import wants_protected


@kernel
def find_harmed_person(persons, least, problem, walk, witness, stop):
    """Look at one person after the other; returns how many sets there were, and whether the last is unsafe.

    Of the walk nothing is allowed before and after. Sets of fewer than ``least`` known
    items (at least 1) are counted and not judged.
    """
    people = problem.people
    checked = 0
    unsafe = False
    for person in persons:
        owned = people.items[people.offsets[person] : people.offsets[person + 1]]
        for x in owned:
            walk.allowed[x] = True
        for first in owned:
            # As whole numbers of one type, for judge_root to be compiled once.
            root = np.int64(first)
            status = NO_ROOM
            while status == NO_ROOM:
                n, status = judge_root(root, person, least, problem, walk, witness, stop)
                checked += n
                root = np.int64(-1)
                if status == NO_ROOM:
                    walk = with_more_room(walk)
            unsafe = status == 1
            if unsafe or stop[0] != 0:
                break
        for x in owned:
            walk.allowed[x] = False
        if unsafe or stop[0] != 0:
            break
    return checked, unsafe


@maker
def judge_root(root, person, least, problem, walk, witness, stop):
    """Judge the sets of a root, or go on where the walk is (-1); how many, and 1 if the last is unsafe."""
    if root >= 0:
        start_closed(root, True, problem.rows, walk)
    checked = 0
    while True:
        size = next_closed_set(problem.rows, walk, stop)
        if size <= 0:
            return checked, size
        checked += 1
        n_wanted = 0
        for t in range(walk.at[N_TOUCHED]):
            e = walk.touched[t]
            if wants_protected(person, e, problem.wishes):
                n_wanted += 1
                if size >= least and is_harmed_by(e, problem, walk, witness):
                    joint = walk.count[e]
                    n = walk.at[END] - walk.at[START]
                    testify(walk.closure, size, e, joint, n, person, witness)
                    return checked, 1
        # Nothing that the person minds is in these rows, nor in some of them.
        if n_wanted == 0:
            skip_below(walk)


@step
def is_harmed_by(e, problem, walk, witness):
    """Whether e, which the person wants protected, follows from the set that was reached, without e."""
    n = walk.at[END] - walk.at[START]
    if not walk.in_set[e]:
        return walk.count[e] * problem.den > problem.num * n
    n_rest = 0
    for c in range(walk.at[SIZE]):
        if walk.closure[c] != e:
            witness.known[n_rest] = walk.closure[c]
            n_rest += 1
    return n_rest > 0 and not has_more_rows(witness.known, n_rest, n, problem.rows)
