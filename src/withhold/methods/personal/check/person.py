"""Whether anything follows about one person, however much is known; written independently of the search.

The walk is over the sets of what the person owns. For each set Y, every item that the person wants protected
must be safe. An item outside Y must be in at most a share ρ of the rows of Y. An item of Y itself is unsafe
iff Y without it has the same rows: then it follows with certainty.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from withhold.counting.closed_walk import NO_ROOM, SIZE, n_holding, start_closed, with_more_room
from withhold.counting.jit import kernel, step
from withhold.counting.published import has_more_rows
from withhold.methods.personal.check.judge import write_witness
from withhold.methods.personal.known_sets import copy_without
from withhold.methods.personal.own_sets import next_own_set, set_allowed


@kernel
def find_harmed_person(persons, least, problem, walk, scratch, witness, stop):
    """Judge the sets of one person after the other; how many sets, and whether the last is unsafe.

    Before and after, the walk allows no item. Sets of fewer than ``least`` known items (at least 1) are
    counted and not judged.
    """
    people = problem.people
    checked = 0
    unsafe = False
    for person in persons:
        owned = people.items[people.offsets[person] : people.offsets[person + 1]]
        set_allowed(owned, True, walk)
        for root in owned:
            start_closed(root, True, problem.rows, walk)
            while not unsafe:
                size, n_wanted = next_own_set(person, problem, walk, scratch.inferred, stop)
                if size == 0:
                    break
                if size == NO_ROOM:
                    walk = with_more_room(walk)
                    continue
                checked += 1
                unsafe = size >= least and is_harmed(
                    person, n_wanted, problem, walk, scratch, witness
                )
            if unsafe or stop[0] != 0:
                break
        set_allowed(owned, False, walk)
        if unsafe or stop[0] != 0:
            break
    return checked, unsafe


@step
def is_harmed(person, n_wanted, problem, walk, scratch, witness):
    """Whether an item wanted follows from the set that was reached; if so, ``witness`` says which."""
    n = n_holding(walk)
    for k in range(n_wanted):
        e = scratch.inferred[k]
        if follows(e, problem, walk, scratch):
            write_witness(walk.closure, walk.at[SIZE], e, walk.count[e], n, person, witness)
            return True
    return False


@step
def follows(e, problem, walk, scratch):
    """Whether e follows from the set that was reached, without e."""
    n = n_holding(walk)
    if not walk.in_set[e]:
        return walk.count[e] * problem.den > problem.num * n
    n_rest = copy_without(e, walk.closure, walk.at[SIZE], scratch.known)
    return n_rest > 0 and not has_more_rows(scratch.known, n_rest, n, problem.rows)
