"""Whether a closed set, or a drawn adversary, exposes anybody; written independently of the search.

Let the rows T have exactly Y in common, n = |T|. Every Q with the rows T lies within Y, and all of them
have the same counts: e follows from Q if cnt(e) > ρ·n. So Y is unsafe iff somebody wants such an e
protected and owns, originally, a Q without e that no other row publishes.

- An e of Y itself follows from Y \\ e only if no other row holds that.
- Whoever owns a row of T owns all of Y.
- For any other person u, whose original is D_u, only Q = Y ∩ D_u, the largest, without e is tested. Such a Q
  holds something that a given row outside T lacks, so only owners of what one such row lacks are tested.

Sets of fewer than ``least`` known items are not judged here, since they have been tested one by one.
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
from withhold.methods.personal.known_sets import copy_without, count_of_known
from withhold.methods.personal.people import PersonalLayout, known_of, wants_protected

LONG = 8
"""Reading this many items of a record takes as long as looking up whether one item is protected."""


class Witness(NamedTuple):
    """One unsafe rule, once it is found."""

    known: Any
    """The known items."""
    numbers: Any
    """e, joint, support, person, number of known items."""


class JudgeScratch(NamedTuple):
    """What judging one set after the other needs, for one thread."""

    needed: Any
    """By rank: whether more rows hold the set without the item."""
    turn: Any
    """By person: the number of the last set for which they were tested; the last entry has that of this."""
    inferred: Any
    """Items that follow from the set and that somebody wants protected."""
    queried: Any
    """Items of which everybody who must be tested owns one."""
    lacking: Any
    """What one row lacks of the set."""
    known: Any
    """What a person owns of the set."""


def new_witness(layout: PersonalLayout) -> Witness:
    """An empty witness."""
    return Witness(np.zeros(layout.layout.n_items, dtype=np.int32), np.zeros(5, dtype=np.int64))


def new_judge_scratch(layout: PersonalLayout) -> JudgeScratch:
    """Fresh arrays, for one thread."""
    n_items = layout.layout.n_items
    needed, turn = np.zeros(n_items, dtype=np.bool_), np.zeros(layout.n_people + 1, dtype=np.int64)
    return JudgeScratch(needed, turn, *np.zeros((4, n_items), dtype=np.int32))


@kernel
def find_set_unsafe_for_somebody(roots, least, problem, walk, scratch, witness, stop):
    """Judge the sets whose lowest item is one of the roots; returns how many, and whether the last is unsafe.

    Sets of fewer than ``least`` items are counted and not judged.
    """
    checked = 0
    for root in roots:
        # Integers of one type, so that judge_from is compiled once.
        n, status = judge_from(np.int64(root), least, problem, walk, scratch, witness, stop)
        checked += n
        while status == NO_ROOM:
            walk = with_more_room(walk)
            n, status = judge_from(np.int64(-1), least, problem, walk, scratch, witness, stop)
            checked += n
        if status != 0 or stop[0] != 0:
            return checked, status != 0
    return checked, False


@maker
def judge_from(root, least, problem, walk, scratch, witness, stop):
    """Judge the sets of a root; if that is -1, go on where the walk stopped.

    Returns how many, and a status: 1 if the last is unsafe, NO_ROOM if the walk needs more room, else 0.
    """
    if root >= 0:
        start_closed(root, True, problem.rows, walk)
    checked = 0
    while True:
        size = next_closed_set(problem.rows, walk, stop)
        if size <= 0:
            return checked, size
        checked += 1
        if size >= least and is_unsafe(least, problem, walk, scratch, witness):
            return checked, 1


@step
def is_unsafe(least, problem, walk, scratch, witness):
    """Whether the set that the walk has reached is unsafe; if so, ``witness`` says for whom."""
    size = walk.at[SIZE]
    n = n_holding(walk)
    inside = False
    n_inferred = 0
    for t in range(walk.at[N_TOUCHED]):
        e = walk.touched[t]
        if problem.wishes.anybody[e] and walk.count[e] * problem.den > problem.num * n:
            scratch.inferred[n_inferred] = e
            n_inferred += 1
            inside = inside or walk.in_set[e]
    if n_inferred == 0:
        return False
    n_queried = choose_queried(least, problem.rows, problem.people, walk, scratch)
    if inside:
        n_left = 0
        for k in range(n_inferred):
            e = scratch.inferred[k]
            if not (walk.in_set[e] and scratch.needed[e]):
                scratch.inferred[n_left] = e
                n_left += 1
        n_inferred = n_left
    for k in range(n_inferred):
        e = scratch.inferred[k]
        for place in range(walk.at[START], walk.at[END]):
            person = problem.people.of_row[walk.pool[place]]
            if wants_protected(person, e, problem.wishes):
                write_witness(walk.closure, size, e, walk.count[e], n, person, witness)
                return True
    return n_inferred > 0 and harms_others(
        n_inferred, n_queried, least, problem, walk, scratch, witness
    )


@step
def choose_queried(least, rows, people, walk, scratch):
    """Mark in ``scratch.needed`` the items without which more rows hold the set; fill ``scratch.queried``.

    Whoever owns a Q with the same rows and at least ``least`` items owns one of the queried items: all but
    the ``least`` - 1 most frequent items of the set, or what one of the other rows lacks, whichever have the
    fewest owners. Returns how many these are.
    """
    size = walk.at[SIZE]
    closure = walk.closure
    n_queried = size - least + 1
    fewest = np.int64(0)
    for c in range(size):
        scratch.needed[closure[c]] = False
        if c < n_queried:
            scratch.queried[c] = closure[c]
            fewest += people.post_offsets[closure[c] + 1] - people.post_offsets[closure[c]]
    if size == 1:
        scratch.needed[closure[0]] = n_holding(walk) < len(rows.offsets) - 1
        return n_queried
    # A row that lacks just one item of the set has the rarest, or lacks that and has the next one. Ranks
    # ascend with the supports of the originals.
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
                    scratch.lacking[n_lacking] = x
                    n_lacking += 1
                    owners += people.post_offsets[x + 1] - people.post_offsets[x]
                    if owners >= fewest and n_lacking > 1:
                        break
            if n_lacking == 1:
                scratch.needed[scratch.lacking[0]] = True
            if n_lacking > 0 and owners < fewest:
                fewest = owners
                n_queried = n_lacking
                for k in range(n_lacking):
                    scratch.queried[k] = scratch.lacking[k]
    return n_queried


@step
def harms_others(n_inferred, n_queried, least, problem, walk, scratch, witness):
    """Whether a person outside the rows of the set is exposed by what they own of it."""
    people = problem.people
    known = scratch.known
    turn = scratch.turn
    n = n_holding(walk)
    last = len(turn) - 1
    turn[last] += 1
    now = turn[last]
    for a in range(n_queried):
        x = scratch.queried[a]
        for posting in range(people.post_offsets[x], people.post_offsets[x + 1]):
            person = people.post_people[posting]
            if turn[person] == now:
                continue
            turn[person] = now
            length = people.offsets[person + 1] - people.offsets[person]
            # With a long record, finding out what the person owns takes longer than what they want protected.
            if length < least or (
                length > LONG * n_inferred
                and not wants_any_protected(person, scratch.inferred, n_inferred, problem.wishes)
            ):
                continue
            n_known = known_of(person, -1, people, walk, known)
            if (
                n_known < least
                or not wants_any_protected(person, scratch.inferred, n_inferred, problem.wishes)
                or has_more_rows(known, n_known, n, problem.rows)
            ):
                continue
            for k in range(n_inferred):
                e = scratch.inferred[k]
                if not wants_protected(person, e, problem.wishes):
                    continue
                n_rest = known_of(person, e, people, walk, known)
                if n_rest < n_known and has_more_rows(known, n_rest, n, problem.rows):
                    continue
                write_witness(known, n_rest, e, walk.count[e], n, person, witness)
                return True
    return False


@step
def wants_any_protected(person, inferred, n_inferred, wishes):
    """Whether the person wants one of the inferred items protected."""
    k = 0
    while k < n_inferred and not wants_protected(person, inferred[k], wishes):
        k += 1
    return k < n_inferred


@step
def write_witness(known, size, e, joint, support, person, witness):
    """Write the rule known \\ e → e into ``witness``, with the person for whom it is unsafe."""
    witness.numbers[0] = e
    witness.numbers[1] = joint
    witness.numbers[2] = support
    witness.numbers[3] = person
    witness.numbers[4] = copy_without(e, known, size, witness.known)


@kernel
def mark_successful(row_of, known, problem, stop, succeeds, witness):
    """Mark in ``succeeds`` the drawn adversaries who infer an item that their person wants protected.

    ``row_of`` has the person's row, ``known`` the items known. The first success is written into ``witness``,
    with that row in place of the person.
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
                    write_witness(known[trial], size, e, joint[e], support, row_of[trial], witness)
                    nobody = False
            joint[e] = 0
