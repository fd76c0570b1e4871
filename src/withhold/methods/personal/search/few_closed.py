"""Unsafe rules of any number of known items, where few people want anything protected: person by person.

What a person u is known to have is a Q of their original D_u. So the rows are looked at as far as they are of
D_u. Let Y be closed in these, n the number of its rows: every Q of D_u with the same rows lies within Y and
has the same counts. An item e outside Y is unsafe iff cnt(e) > ρ·n, one of Y iff Y \\ e has n rows, too, for
else that has a closed set of its own.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

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
from withhold.methods.personal.people import wants_protected
from withhold.methods.personal.search.owners import JOB, left_without, report


@kernel
def find_unsafe_people(persons, least, problem, walk, scratch, found, stop):
    """Report what follows about each of the persons, as long as there is room; a job is a person.

    Of the walk nothing is allowed before and after. Rules of fewer than ``least`` known items (at least 1)
    may be left out.
    """
    people = problem.people
    for job in range(len(persons)):
        found.count[JOB] = job
        person = persons[job]
        start = people.offsets[person]
        end = people.offsets[person + 1]
        for p in range(start, end):
            walk.allowed[people.items[p]] = True
        full = False
        # Each set comes with its lowest item, and has ``least`` items at least.
        for p in range(start, end - least + 1):
            start_closed(people.items[p], True, problem.rows, walk)
            status = judge_closed_sets(person, least, problem, walk, scratch, found, stop)
            while status == NO_ROOM:
                walk = with_more_room(walk)
                status = judge_closed_sets(person, least, problem, walk, scratch, found, stop)
            full = status == 1
            if full or stop[0] != 0:
                break
        for p in range(start, end):
            walk.allowed[people.items[p]] = False
        if full or stop[0] != 0:
            break


@maker
def judge_closed_sets(person, least, problem, walk, scratch, found, stop):
    """Judge the sets not reached yet; returns 1 without room for more rules, NO_ROOM in the walk, else 0."""
    while True:
        size = next_closed_set(problem.rows, walk, stop)
        if size <= 0:
            return size
        if not judge_for(person, least, problem, walk, scratch, found):
            return 1


@step
def judge_for(person, least, problem, walk, scratch, found):
    """Report what follows about the person from the set that was reached; False without room for more."""
    size = walk.at[SIZE]
    n = walk.at[END] - walk.at[START]
    wanted = False
    for t in range(walk.at[N_TOUCHED]):
        e = walk.touched[t]
        if not wants_protected(person, e, problem.wishes):
            continue
        wanted = True
        if size < least or walk.count[e] * problem.den <= problem.num * n:
            continue
        n_known = left_without(e, walk.closure, size, scratch.rest)
        if n_known == 0 or (
            n_known < size and has_more_rows(scratch.rest, n_known, n, problem.rows)
        ):
            continue
        if not report(scratch.rest, n_known, -1, e, found):
            return False
    if not wanted:
        skip_below(walk)
    return True
