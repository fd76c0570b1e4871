"""Unsafe rules of any number of known items, found person by person: for when few people want protection.

The walk is over the sets of what one person owns. Let Y be one of them, n the number of its rows. An item e
outside Y is unsafe iff cnt(e) > ρ·n. An item e of Y matters only if Y \\ e has n rows, too; then it follows
with certainty. Otherwise Y \\ e is in a closed set of its own, which the walk reaches as well.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from withhold.counting.closed_walk import NO_ROOM, SIZE, n_holding, start_closed, with_more_room
from withhold.counting.jit import kernel, step
from withhold.counting.published import has_more_rows
from withhold.methods.personal.known_sets import copy_without
from withhold.methods.personal.own_sets import next_own_set, set_allowed
from withhold.methods.personal.search.owners import JOB, report


@kernel
def find_unsafe_people(persons, least, problem, walk, scratch, found, stop):
    """Report the unsafe rules about each of the persons, as long as there is room; a job is a person.

    Before and after, the walk allows no item. Rules of fewer than ``least`` known items (at least 1) may be
    left out.
    """
    people = problem.people
    for job in range(len(persons)):
        found.count[JOB] = job
        person = persons[job]
        owned = people.items[people.offsets[person] : people.offsets[person + 1]]
        set_allowed(owned, True, walk)
        full = False
        # Each set comes with its lowest item, and has ``least`` items at least.
        for root in owned[: max(len(owned) - least + 1, 0)]:
            start_closed(root, True, problem.rows, walk)
            while not full:
                size, n_wanted = next_own_set(person, problem, walk, scratch.opened, stop)
                if size == 0:
                    break
                if size == NO_ROOM:
                    walk = with_more_room(walk)
                elif size >= least:
                    full = not report_wanted(n_wanted, problem, walk, scratch, found)
            if full or stop[0] != 0:
                break
        set_allowed(owned, False, walk)
        if full or stop[0] != 0:
            break


@step
def report_wanted(n_wanted, problem, walk, scratch, found):
    """Report the wanted items that follow from the set that was reached; False without room for more."""
    size = walk.at[SIZE]
    n = n_holding(walk)
    for k in range(n_wanted):
        e = scratch.opened[k]
        if walk.count[e] * problem.den <= problem.num * n:
            continue
        n_known = copy_without(e, walk.closure, size, scratch.rest)
        if n_known == 0 or (
            n_known < size and has_more_rows(scratch.rest, n_known, n, problem.rows)
        ):
            continue
        if not report(scratch.rest, n_known, -1, e, found):
            return False
    return True
