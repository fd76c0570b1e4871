"""Who could be harmed by an item x that was put back into a row, if few people want anything protected.

These are people who want x protected and own another item of the row, and people who own x and want another
item of the row protected. Each is listed with what they own of the row: usually one or two items. The row
itself may be long.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import step
from withhold.counting.published import reaches
from withhold.methods.personal.people import wants_protected
from withhold.methods.personal.search.combinations import MOST_COMBINATIONS, SHORT
from withhold.methods.rho.search.bounded import count_sets

KNOWS_X, WANTS_X = 1, 2
"""The roles of a person who owns something of the row, as bits of a mask."""


class FewScratch(NamedTuple):
    """Scratch for one thread. A *place* is that of an item among the row's other items, ascending."""

    place_of: Any
    """By rank: the place of an item of the row, from 1; all zero between two calls."""
    others: Any
    """By place: the item."""
    with_x: Any
    """By place: in how many rows the item is published with x."""
    counts: Any
    """By place: in how many rows the item is published with the current set and x."""
    alone_is_safe: Any
    """By place: whether x is known not to follow from the item alone."""
    persons: Any
    """Who could be harmed; the k-th person is ``persons[k]``."""
    roles: Any
    """By k: KNOWS_X, WANTS_X or both."""
    starts: Any
    """By k: where the places start, in ``owned``, of the items that the person owns of the row."""
    owned: Any
    """Places, ascending, person by person."""
    itemset: Any
    known: Any


def new_few_scratch(n_items: int, n_people: int, n_occurrences: int) -> FewScratch:
    """Fresh arrays, for one thread; ``n_people`` people have ``n_occurrences`` occurrences together."""
    with_x, counts = np.empty((2, n_items + 1), dtype=np.int64)
    others, itemset, known = np.empty((3, n_items + 1), dtype=np.int32)
    persons, roles = np.empty((2, n_people + 1), dtype=np.int32)
    return FewScratch(
        place_of=np.zeros(n_items, dtype=np.int32),
        others=others,
        with_x=with_x,
        counts=counts,
        alone_is_safe=np.zeros(n_items + 1, dtype=np.bool_),
        persons=persons,
        roles=roles,
        starts=np.zeros(n_people + 2, dtype=np.int64),
        owned=np.empty(n_occurrences + 1, dtype=np.int32),
        itemset=itemset,
        known=known,
    )


@step
def gather_people(x, n_others, probe):
    """List who could be harmed, in which role, and what they own of the row; returns how many they are."""
    problem = probe.problem
    people = problem.people
    few = probe.few
    seen = probe.scratch.seen
    seen[-1] += 1
    n_persons = 0
    few.starts[0] = 0
    # First the owners of x, then those of other items who want x protected.
    for place in range(-1, n_others if problem.wishes.anybody[x] else 0):
        y = x if place < 0 else few.others[place]
        for posting in range(people.post_offsets[y], people.post_offsets[y + 1]):
            person = people.post_people[posting]
            if seen[person] == seen[-1]:
                continue
            seen[person] = seen[-1]
            role = 0
            if wants_protected(person, x, problem.wishes):
                role = WANTS_X
            if place < 0 and wants_another(person, n_others, probe):
                role |= KNOWS_X
            if role == 0:
                continue
            top = few.starts[n_persons]
            for p in range(people.offsets[person], people.offsets[person + 1]):
                if few.place_of[people.items[p]] > 0:
                    few.owned[top] = few.place_of[people.items[p]] - 1
                    top += 1
            if role & WANTS_X != 0 and x_is_safe(few.starts[n_persons], top, probe):
                role &= KNOWS_X
            if role != 0:
                few.persons[n_persons] = person
                few.roles[n_persons] = role
                n_persons += 1
                few.starts[n_persons] = top
    return n_persons


@step
def wants_another(person, n_others, probe):
    """Whether the person wants another item of the row protected."""
    c = 0
    while c < n_others and not wants_protected(person, probe.few.others[c], probe.problem.wishes):
        c += 1
    return c < n_others


@step
def x_is_safe(start, end, probe):
    """Whether x certainly follows from no set of the items at these places of the row.

    The support of any such set is at least that of all together, and its joint count at most the largest of
    the single items.
    """
    few = probe.few
    problem = probe.problem
    if start == end or (end - start == 1 and few.alone_is_safe[few.owned[start]]):
        return True
    joint = np.int64(0)
    for k in range(start, end):
        joint = max(joint, few.with_x[few.owned[k]])
        few.itemset[k - start] = few.others[few.owned[k]]
    enough = (joint * problem.den + problem.num - 1) // problem.num
    safe = reaches(few.itemset, end - start, enough, problem.rows)
    if end - start == 1:
        few.alone_is_safe[few.owned[start]] = safe
    return safe


@step
def owns_place(k, place, few):
    """Whether the k-th person owns the item of that place."""
    p = few.starts[k]
    while p < few.starts[k + 1] and few.owned[p] < place:
        p += 1
    return p < few.starts[k + 1] and few.owned[p] == place


@step
def is_small(n_owned, most):
    """Whether ``n_owned`` items have few enough sets (of up to ``most`` items) to test them one by one."""
    return n_owned <= SHORT or (most < n_owned and count_sets(n_owned, most) <= MOST_COMBINATIONS)
