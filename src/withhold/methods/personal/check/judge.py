"""Whether a closed set, or a drawn adversary, exposes anybody; written independently of the search.

Let the rows T have exactly Y in common, n = |T|. Every Q with the rows T lies within Y, and all of them
have the same counts: e follows from Q if cnt(e) > ρ·n. So Y is unsafe iff somebody wants such an e
protected and owns, originally, a Q without e that no other row publishes.

- An e of Y itself follows from Y \\ e only if no other row holds that.
- Whoever owns a row of T owns all of Y.
- Of any other person u, whose original is D_u, only Q = Y ∩ D_u, the largest, without e is tested. Such a Q
  holds something that any given row outside T lacks, so only owners of what one such row lacks are asked.

Sets of fewer than ``least`` known items are not judged here: they have been tested one by one.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.closed_walk import (
    END,
    N_TOUCHED,
    NO_ROOM,
    SIZE,
    START,
    n_holding,
    next_closed_set,
    start_closed,
    with_more_room,
)
from withhold.counting.jit import kernel, maker, step
from withhold.counting.published import has_more_rows
from withhold.methods.personal.known_sets import count_of_known, left_without
from withhold.methods.personal.people import PersonalLayout, known_of, wants_protected

LONG = 8
"""Reading this many items of a record takes as long as looking up one among those that are protected."""


class Witness(NamedTuple):
    """Room for one unsafe rule: its ``numbers`` (e, joint, support, person, number of known items)."""

    known: Any
    numbers: Any


class Room(NamedTuple):
    """What judging one set after the other needs, for one thread."""

    needed: Any
    """By rank: whether more rows hold the set without the item."""
    turn: Any
    """By person: the number of the set for which they were asked last; the last place has that of the set."""
    inferred: Any
    """Items that follow from the set and that anybody wants protected."""
    queried: Any
    """Items of which everybody who is asked owns one."""
    lacking: Any
    known: Any


def new_witness(layout: PersonalLayout) -> Witness:
    """An empty witness."""
    return Witness(np.zeros(layout.layout.n_items, dtype=np.int32), np.zeros(5, dtype=np.int64))


def new_room(layout: PersonalLayout) -> Room:
    """Fresh arrays, for one thread."""
    n_items = layout.layout.n_items
    needed, turn = np.zeros(n_items, dtype=np.bool_), np.zeros(layout.n_people + 1, dtype=np.int64)
    return Room(needed, turn, *np.zeros((4, n_items), dtype=np.int32))


@kernel
def find_set_unsafe_for_somebody(roots, least, problem, walk, room, witness, stop):
    """Judge the sets whose lowest item is one of the roots; returns how many, and whether the last is unsafe.

    Sets of fewer than ``least`` items are counted and not judged.
    """
    checked = 0
    for root in roots:
        # Integers of one type, so that judge_from is compiled once.
        n, status = judge_from(np.int64(root), least, problem, walk, room, witness, stop)
        checked += n
        while status == NO_ROOM:
            walk = with_more_room(walk)
            n, status = judge_from(np.int64(-1), least, problem, walk, room, witness, stop)
            checked += n
        if status != 0 or stop[0] != 0:
            return checked, status != 0
    return checked, False


@maker
def judge_from(root, least, problem, walk, room, witness, stop):
    """Judge the sets of a root, or go on where the walk is (-1); how many, and 1 if the last is unsafe."""
    if root >= 0:
        start_closed(root, True, problem.rows, walk)
    checked = 0
    while True:
        size = next_closed_set(problem.rows, walk, stop)
        if size <= 0:
            return checked, size
        checked += 1
        if size >= least and is_unsafe(least, problem, walk, room, witness):
            return checked, 1


@step
def is_unsafe(least, problem, walk, room, witness):
    """Whether the set that the walk has reached is unsafe; if so, ``witness`` says for whom."""
    size = walk.at[SIZE]
    n = n_holding(walk)
    inside = False
    n_inferred = 0
    for t in range(walk.at[N_TOUCHED]):
        e = walk.touched[t]
        if problem.wishes.anybody[e] and walk.count[e] * problem.den > problem.num * n:
            room.inferred[n_inferred] = e
            n_inferred += 1
            inside = inside or walk.in_set[e]
    if n_inferred == 0:
        return False
    n_asked = choose_whom_to_ask(least, problem.rows, problem.people, walk, room)
    if inside:
        n_left = 0
        for k in range(n_inferred):
            e = room.inferred[k]
            if not (walk.in_set[e] and room.needed[e]):
                room.inferred[n_left] = e
                n_left += 1
        n_inferred = n_left
    for k in range(n_inferred):
        e = room.inferred[k]
        for place in range(walk.at[START], walk.at[END]):
            person = problem.people.of_row[walk.pool[place]]
            if wants_protected(person, e, problem.wishes):
                testify(walk.closure, size, e, walk.count[e], n, person, witness)
                return True
    return n_inferred > 0 and harms_others(n_inferred, n_asked, least, problem, walk, room, witness)


@step
def choose_whom_to_ask(least, rows, people, walk, room):
    """Mark in ``room.needed`` the items without which more rows hold the set; fill ``room.queried``.

    Whoever owns a Q with the same rows and at least ``least`` items owns one of these: all but the
    ``least`` - 1 most frequent items of the set, or what one of the other rows lacks, whichever has the
    fewest owners. Returns how many items these are.
    """
    size = walk.at[SIZE]
    closure = walk.closure
    n_asked = size - least + 1
    fewest = np.int64(0)
    for c in range(size):
        room.needed[closure[c]] = False
        if c < n_asked:
            room.queried[c] = closure[c]
            fewest += people.post_offsets[closure[c] + 1] - people.post_offsets[closure[c]]
    if size == 1:
        room.needed[closure[0]] = n_holding(walk) < len(rows.offsets) - 1
        return n_asked
    # A row that lacks one item has the rarest, or lacks it and has the next. Ranks ascend with the
    # supports of the originals.
    for rare in range(2):
        for posting in range(
            rows.post_offsets[closure[rare]], rows.post_offsets[closure[rare] + 1]
        ):
            if rows.items[rows.post_positions[posting]] < 0:
                continue
            row = rows.post_rows[posting]
            p = rows.offsets[row]
            end = rows.offsets[row + 1]
            n_lacking = 0
            owners = np.int64(0)
            for c in range(size):
                x = closure[c]
                while p < end and rows.items[p] < x:
                    p += 1
                if p == end or rows.items[p] != x:
                    room.lacking[n_lacking] = x
                    n_lacking += 1
                    owners += people.post_offsets[x + 1] - people.post_offsets[x]
                    if owners >= fewest and n_lacking > 1:
                        break
            if n_lacking == 1:
                room.needed[room.lacking[0]] = True
            if n_lacking > 0 and owners < fewest:
                fewest = owners
                n_asked = n_lacking
                for k in range(n_lacking):
                    room.queried[k] = room.lacking[k]
    return n_asked


@step
def harms_others(n_inferred, n_asked, least, problem, walk, room, witness):
    """Whether something follows for somebody outside the rows of the set, from what they own of it."""
    people = problem.people
    known = room.known
    turn = room.turn
    n = n_holding(walk)
    last = len(turn) - 1
    turn[last] += 1
    now = turn[last]
    for a in range(n_asked):
        x = room.queried[a]
        for posting in range(people.post_offsets[x], people.post_offsets[x + 1]):
            person = people.post_people[posting]
            if turn[person] == now:
                continue
            turn[person] = now
            length = people.offsets[person + 1] - people.offsets[person]
            # Of a long record, finding out what the person owns takes longer than what they want protected.
            if length < least or (
                length > LONG * n_inferred
                and not wants_any_protected(person, room.inferred, n_inferred, problem.wishes)
            ):
                continue
            n_known = known_of(person, -1, people, walk, known)
            if (
                n_known < least
                or not wants_any_protected(person, room.inferred, n_inferred, problem.wishes)
                or has_more_rows(known, n_known, n, problem.rows)
            ):
                continue
            for k in range(n_inferred):
                e = room.inferred[k]
                if not wants_protected(person, e, problem.wishes):
                    continue
                n_rest = known_of(person, e, people, walk, known)
                if n_rest < n_known and has_more_rows(known, n_rest, n, problem.rows):
                    continue
                testify(known, n_rest, e, walk.count[e], n, person, witness)
                return True
    return False


@step
def wants_any_protected(person, inferred, n_inferred, wishes):
    """Whether the person wants one of the items that follow protected."""
    k = 0
    while k < n_inferred and not wants_protected(person, inferred[k], wishes):
        k += 1
    return k < n_inferred


@step
def testify(known, size, e, joint, support, person, witness):
    """Put the rule known \\ e → e into ``witness``, with the person for whom it is unsafe."""
    witness.numbers[0] = e
    witness.numbers[1] = joint
    witness.numbers[2] = support
    witness.numbers[3] = person
    witness.numbers[4] = left_without(e, known, size, witness.known)


@kernel
def mark_successful(row_of, known, problem, stop, succeeds, witness):
    """Mark in ``succeeds`` who infers something that the person drawn wants protected.

    ``witness`` gets the first of them, with the row of the person as the person.
    """
    joint = np.zeros(len(problem.rows.supports), np.int64)
    touched = np.empty(len(problem.rows.supports), np.int32)
    size = known.shape[1]
    nobody = True
    for trial in range(len(row_of)):
        if stop[0] != 0:
            return
        person = problem.people.of_row[row_of[trial]]
        support, n_touched = count_of_known(known[trial], size, problem, joint, touched)
        for t in range(n_touched):
            e = touched[t]
            likely = joint[e] * problem.den > problem.num * support
            if likely and wants_protected(person, e, problem.wishes):
                succeeds[trial] = True
                if nobody:
                    testify(known[trial], size, e, joint[e], support, row_of[trial], witness)
                    nobody = False
            joint[e] = 0
