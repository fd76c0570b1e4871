"""The closed sets of the published rows, each judged for all items and all persons at once.

Let Y be closed: all that the rows T hold in common, n = |T|. Every Q with the same rows lies between
Ess(Y) = {y : some row holds Y without y, but not y} and Y, and all of them share all counts. So an item e
is in danger at Y iff e ∉ Y and cnt(e) > ρ·n, or e ∈ Y \\ Ess(Y), as it then follows from the others with
certainty. It is unsafe iff somebody wants e protected and owns, originally, such a Q without e. The owners of
T own all of Y. For any other person u, whose original is D_u, only Q = Y ∩ D_u (without e) is tested, since
it is the largest: it is such a Q iff its support is n.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any

import numpy as np

from withhold.counting.closed_walk import (
    END,
    N_TOUCHED,
    NO_ROOM,
    SIZE,
    START,
    WITHIN,
    n_holding,
    next_closed_set,
    start_closed,
    with_more_room,
)
from withhold.counting.jit import kernel, maker, step
from withhold.counting.published import reaches
from withhold.methods.personal.known_sets import copy_without
from withhold.methods.personal.people import PersonalLayout, known_of, wants_protected
from withhold.methods.personal.search.owners import (
    JOB,
    MOST,
    N_RULES,
    Found,
    Scratch,
    find_others,
    mark_essential,
    owner_wants_protected,
    report,
)

EVERYWHERE = -1
"""As the row of a job: judge all sets whose lowest rank is the root."""


def room_for_rules(capacity: int, n_items: int) -> Found:
    """No rules yet, and room for ``capacity`` rules with ``n_items`` known items together."""
    count = np.zeros(4, dtype=np.int64)
    count[MOST] = capacity
    return Found(
        count,
        np.zeros(capacity + 1, dtype=np.int64),
        np.empty(n_items, dtype=np.int32),
        np.empty(capacity, dtype=np.int32),
        np.empty(capacity, dtype=np.int64),
    )


def scratch_for(layout: PersonalLayout) -> Scratch:
    """Fresh scratch arrays, for one thread."""
    n_items = layout.layout.n_items
    essential, seen = np.zeros(n_items + 1, np.bool_), np.zeros(layout.n_people + 1, np.int64)
    return Scratch(essential, seen, *np.empty((4, n_items + 1), dtype=np.int32))


@kernel
def find_unsafe_sets(jobs, least, returned, problem, walk, scratch, found, stop):
    """Judge the closed sets of each job, a root and a row; rules are reported as long as there is room.

    With the row EVERYWHERE: the sets whose lowest rank is the root, so that all roots together give each set
    once. With a row: the sets that hold the root and otherwise items that the row had originally.
    ``returned`` is -1, or an item that was just put back into the row, and then the only root; sets are made
    of what the row publishes then, and all rules that this can have made unsafe are judged. Rules with fewer
    than ``least`` known items (at least 1) may be left out.
    """
    for job in range(len(jobs)):
        found.count[JOB] = job
        begin_job(jobs, job, returned, problem, walk)
        status = judge_sets(least, returned, problem, walk, scratch, found, stop)
        while status == NO_ROOM:
            walk = with_more_room(walk)
            status = judge_sets(least, returned, problem, walk, scratch, found, stop)
        if status != 0 or stop[0] != 0:
            break


@maker
def begin_job(jobs, job, returned, problem, walk):
    """Allow the items of the job, and start the walk before its first set."""
    rows = problem.rows
    row = jobs[job, 1]
    before = walk.at[WITHIN]
    if row == EVERYWHERE and before >= 0:
        for x in range(len(walk.allowed)):
            walk.allowed[x] = True
    elif row >= 0 and (job == 0 or row != before):
        if before == EVERYWHERE:
            for x in range(len(walk.allowed)):
                walk.allowed[x] = False
        else:
            for p in range(rows.offsets[before], rows.offsets[before + 1]):
                walk.allowed[problem.originals.items[p]] = False
        for p in range(rows.offsets[row], rows.offsets[row + 1]):
            if returned < 0 or rows.items[p] >= 0:
                walk.allowed[problem.originals.items[p]] = True
    walk.at[WITHIN] = row
    start_closed(jobs[job, 0], row == EVERYWHERE, rows, walk)


@maker
def judge_sets(least, returned, problem, walk, scratch, found, stop):
    """Judge the sets not reached yet; returns 1 without room for more rules, NO_ROOM in the walk, else 0."""
    while True:
        size = next_closed_set(problem.rows, walk, stop)
        if size <= 0:
            return size
        if size >= least and not judge(least, returned, problem, walk, scratch, found):
            return 1


@step
def judge(least, returned, problem, walk, scratch, found):
    """Report the unsafe rules of the closed set that was reached; False if there is no room for more.

    If an item of the set was just put back (``returned``, unless -1), rules that infer it from the rest of
    the set are reported, too.
    """
    if returned >= 0 and infers_returned(returned, problem, walk, scratch, found):
        return False
    start = walk.at[START]
    end = walk.at[END]
    size = walk.at[SIZE]
    closure = walk.closure
    anybody = problem.wishes.anybody
    n_open = 0
    for t in range(walk.at[N_TOUCHED]):
        e = walk.touched[t]
        # Putting an item back makes only items of its own row likelier.
        if walk.in_set[e] or not anybody[e] or (returned >= 0 and not walk.allowed[e]):
            continue
        if walk.count[e] * problem.den > problem.num * (end - start):
            if not owner_wants_protected(e, walk.pool, start, end, problem):
                scratch.opened[n_open] = e
                n_open += 1
            elif not report(closure, size, -1, e, found):
                return False
    inside = False
    for c in range(size):
        inside = inside or anybody[closure[c]]
    if n_open == 0 and not inside:
        return True
    other_row = mark_essential(problem, walk, scratch)
    for c in range(size):
        e = closure[c]
        if not scratch.essential[c] and anybody[e]:
            if not owner_wants_protected(e, walk.pool, start, end, problem):
                scratch.opened[n_open] = e
                n_open += 1
            elif not report(closure, size, e, e, found):
                return False
    return n_open == 0 or find_others(n_open, other_row, least, problem, walk, scratch, found)


@step
def infers_returned(returned, problem, walk, scratch, found):
    """Whether the item put back follows from known items of the set, for somebody who wants it protected.

    Every Q that occurs with the item in the same rows has the joint count n, and the more of the set a person
    knows, the fewer records match. So one test per person is enough, and none if the whole set is safe.
    """
    rows = problem.rows
    people = problem.people
    n = n_holding(walk)
    enough = (n * problem.den + problem.num - 1) // problem.num
    rest = scratch.rest
    n_rest = copy_without(returned, walk.closure, walk.at[SIZE], rest)
    if n_rest == 0 or not problem.wishes.anybody[returned] or reaches(rest, n_rest, enough, rows):
        return False
    if owner_wants_protected(returned, walk.pool, walk.at[START], walk.at[END], problem):
        report(rest, n_rest, -1, returned, found)
        return True
    seen = scratch.seen
    seen[-1] += 1
    for c in range(n_rest):
        y = rest[c]
        for posting in range(people.post_offsets[y], people.post_offsets[y + 1]):
            person = people.post_people[posting]
            if seen[person] == seen[-1]:
                continue
            seen[person] = seen[-1]
            n_known = known_of(person, returned, people, walk, scratch.known)
            if n_known == 1 and rows.supports[y] >= enough:
                continue
            if wants_protected(person, returned, problem.wishes) and not reaches(
                scratch.known, n_known, enough, rows
            ):
                report(scratch.known, n_known, -1, returned, found)
                return True
    return False


def rules_found(found: Found) -> tuple[Any, Any, Any]:
    """Of the rules found: the starts of their known items, these items, and the consequents."""
    n = int(found.count[N_RULES])
    return found.starts[: n + 1], found.items[: found.starts[n]], found.consequents[:n]
