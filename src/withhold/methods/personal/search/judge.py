"""One closed set of the published rows, judged for all items and all persons at once.

Let Y be closed: all that the rows T hold in common, n = |T|. Every Q with the same rows lies between
Ess(Y) = {y : some row holds Y without y, but not y} and Y, and all of them share all counts. So an item e
is in danger at Y iff e ∉ Y and cnt(e) > ρ·n, or e ∈ Y \\ Ess(Y) (it follows from the others for sure); it is
unsafe iff somebody fears e and owns, originally, such a Q without e. The owners of T own all of Y. Of
the others only Q = Y ∩ D_u (without e) needs a look, for it is the largest: its support must be n.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import kernel
from withhold.methods.personal.people import PersonalLayout, fears_item
from withhold.methods.personal.search.owners import (
    count_owners,
    feared_by_owner,
    known_of,
    neighbours,
)
from withhold.methods.personal.supports import has_more_rows, reaches

MANY_OWNERS = 1000
"""Persons to look at for one set, from which on it is worth while to find out who need not be looked at."""


class Found(NamedTuple):
    """Unsafe rules Q→e as far as there is room: ``numbers`` (e, joint, support, person, job) of each."""

    count: Any
    """[0]: how many rules; [1]: how many closed sets were judged; [2]: how often the room was used up;
    [3]: the job that is being done."""
    starts: Any
    items: Any
    numbers: Any


class Scratch(NamedTuple):
    """Arrays that are all zero between two sets, so that nobody has to allocate them again."""

    count: Any
    in_set: Any
    seen: Any
    """By person: the number of the set for which the person was last looked at."""
    allowed: Any
    clock: Any
    """The number of the set."""


def room_for_rules(capacity: int, n_items: int) -> Found:
    """Empty results with room for so many rules."""
    return Found(
        np.zeros(4, dtype=np.int64),
        np.zeros(capacity + 1, dtype=np.int64),
        np.zeros(16 * capacity + n_items, dtype=np.int32),
        np.zeros((capacity, 5), dtype=np.int64),
    )


def scratch_for(layout: PersonalLayout) -> Scratch:
    """Fresh scratch arrays, for one thread."""
    n_items = layout.layout.n_items
    return Scratch(
        np.zeros(n_items, dtype=np.int64),
        np.zeros(n_items, dtype=np.bool_),
        np.zeros(layout.n_people, dtype=np.int64),
        np.ones(n_items, dtype=np.bool_),
        np.zeros(1, dtype=np.int64),
    )


@kernel
def report(found, itemset, size, without, e, joint, support, person):
    """Add the rule itemset \\ without → e if there is room; False if there is none for another."""
    k = found.count[0]
    used = found.starts[k]
    if k == len(found.numbers) or used + size > len(found.items):
        found.count[2] += 1
        return False
    for c in range(size):
        if itemset[c] != without:
            found.items[used] = itemset[c]
            used += 1
    found.starts[k + 1] = used
    found.numbers[k, 0] = e
    found.numbers[k, 1] = joint
    found.numbers[k, 2] = support
    found.numbers[k, 3] = person
    found.numbers[k, 4] = found.count[3]
    found.count[0] = k + 1
    if k + 1 == len(found.numbers):
        found.count[2] += 1
        return False
    return True


@kernel
def judge(
    closure,
    size,
    least,
    returned,
    pool,
    start,
    end,
    touched,
    n_touched,
    rows,
    people,
    fears,
    num,
    den,
    scratch,
    found,
):
    """Report the unsafe rules of one closed set (not empty); False if there is no room for more.

    ``scratch.count`` has for the ``touched`` items how many of the rows pool[start:end] hold them. Rules with
    fewer than ``least`` known items need not be reported. With an item ``returned`` (not -1) of the set, that
    was put back just now, rules that infer it are reported too, wherever the set without it is known.
    """
    found.count[1] += 1
    if size < least:
        return True
    if returned >= 0 and infers_returned(
        closure, size, returned, pool, start, end, rows, people, fears, num, den, scratch, found
    ):
        return False
    n = np.int64(end - start)
    n_open = 0
    opened = np.empty(n_touched + size, np.int32)
    for t in range(n_touched):
        e = touched[t]
        # What was put back makes only items of its own row more likely.
        if scratch.in_set[e] or not fears.anybody[e] or (returned >= 0 and not scratch.allowed[e]):
            continue
        if scratch.count[e] * den > num * n:
            owner = feared_by_owner(e, pool, start, end, people, fears)
            if owner < 0:
                opened[n_open] = e
                n_open += 1
            elif not report(found, closure, size, -1, e, scratch.count[e], n, owner):
                return False
    inside = False
    for c in range(size):
        if fears.anybody[closure[c]]:
            inside = True
            break
    if n_open == 0 and not inside:
        return True
    essential = np.empty(size, np.bool_)
    best_row = neighbours(closure, size, n, rows, people, scratch.in_set, essential)
    for c in range(size):
        e = closure[c]
        if not essential[c] and fears.anybody[e]:
            owner = feared_by_owner(e, pool, start, end, people, fears)
            if owner < 0:
                opened[n_open] = e
                n_open += 1
            elif not report(found, closure, size, e, e, n, n, owner):
                return False
    if n_open == 0:
        return True
    return judge_others(
        closure,
        size,
        least,
        n,
        opened,
        n_open,
        best_row,
        rows,
        people,
        fears,
        scratch,
        found,
    )


@kernel
def infers_returned(
    closure, size, returned, pool, start, end, rows, people, fears, num, den, scratch, found
):
    """Whether the item put back follows from known items of the closed set, for somebody who fears it.

    All Q with Q and the item in the same rows have the joint count n; whoever knows most of the set has the
    fewest records to choose from. So each person needs one look, and nobody if the whole set is safe.
    """
    n = np.int64(end - start)
    enough = (n * den + num - 1) // num
    rest = np.empty(size, np.int32)
    n_rest = 0
    for c in range(size):
        if closure[c] != returned:
            rest[n_rest] = closure[c]
            n_rest += 1
    if n_rest == 0 or not fears.anybody[returned] or reaches(rest, n_rest, enough, rows):
        return False
    owner = feared_by_owner(returned, pool, start, end, people, fears)
    if owner >= 0:
        report(found, rest, n_rest, -1, returned, n, n, owner)
        return True
    scratch.clock[0] += 1
    known = np.empty(size, np.int32)
    for c in range(n_rest):
        y = rest[c]
        for posting in range(people.post_offsets[y], people.post_offsets[y + 1]):
            person = people.post_people[posting]
            if scratch.seen[person] == scratch.clock[0]:
                continue
            scratch.seen[person] = scratch.clock[0]
            n_known = known_of(person, closure, size, returned, people, scratch.in_set, known)
            if n_known == 1 and rows.supports[y] >= enough:
                continue
            if fears_item(person, returned, fears) and not reaches(known, n_known, enough, rows):
                report(found, known, n_known, -1, returned, n, n, person)
                return True
    return False


@kernel
def judge_others(
    closure, size, least, n, opened, n_open, best_row, rows, people, fears, scratch, found
):
    """Look for persons outside T who own a Q of the closed set and fear one of the ``opened`` items.

    They own something that ``best_row`` lacks, if it is not -1, and something beside the ``least`` - 1 most
    frequent items, or beside as many of these as more than n rows hold.
    """
    scratch.clock[0] += 1
    known = np.empty(size, np.int32)
    rest = np.empty(size, np.int32)
    n_tried = size - max(least - 1, 0)
    owners = count_owners(closure, n_tried, people)
    lacking = owners
    if best_row >= 0:
        for p in range(rows.offsets[best_row], rows.offsets[best_row + 1]):
            if rows.items[p] >= 0 and scratch.in_set[rows.items[p]]:
                # From here on what the row holds is marked in ``count``.
                scratch.count[rows.items[p]] = -1
        lacking = np.int64(0)
        for c in range(size):
            if scratch.count[closure[c]] != -1:
                y = closure[c]
                lacking += people.post_offsets[y + 1] - people.post_offsets[y]
    if min(owners, lacking) > MANY_OWNERS:
        low = 0
        high = n_tried
        while low < high:
            middle = (low + high) // 2
            if reaches(closure[middle:size], size - middle, n + 1, rows):
                high = middle
            else:
                low = middle + 1
        n_tried = low
        owners = count_owners(closure, n_tried, people)
    if lacking < owners:
        n_tried = size
    elif best_row >= 0:
        for c in range(size):
            scratch.count[closure[c]] = n
    ok = True
    for c in range(n_tried):
        y = closure[c]
        if scratch.count[y] == -1:
            continue
        for posting in range(people.post_offsets[y], people.post_offsets[y + 1]):
            person = people.post_people[posting]
            if scratch.seen[person] == scratch.clock[0]:
                continue
            scratch.seen[person] = scratch.clock[0]
            length = people.offsets[person + 1] - people.offsets[person]
            if length < least:
                continue
            # Whatever is sooner known first: what they fear, or what they have.
            first = 0
            if 8 * n_open <= length:
                while first < n_open and not fears_item(person, opened[first], fears):
                    first += 1
                if first == n_open:
                    continue
            n_known = known_of(person, closure, size, -1, people, scratch.in_set, known)
            if n_known < least or (n_known == 1 and rows.supports[y] > n):
                continue
            while first < n_open and not fears_item(person, opened[first], fears):
                first += 1
            if first == n_open:
                continue
            if n_known < size and has_more_rows(known, n_known, n, rows):
                continue
            k = first
            while k < n_open:
                e = opened[k]
                if not fears_item(person, e, fears):
                    k += 1
                    continue
                inside = scratch.in_set[e]
                joint = n if inside else scratch.count[e]
                n_rest = 0
                for c2 in range(n_known):
                    if known[c2] != e:
                        rest[n_rest] = known[c2]
                        n_rest += 1
                if inside and has_more_rows(rest, n_rest, n, rows):
                    k += 1
                    continue
                if not report(found, rest, n_rest, -1, e, joint, n, person):
                    ok = False
                    break
                n_open -= 1
                opened[k] = opened[n_open]
            if not ok or n_open == 0:
                break
        if not ok or n_open == 0:
            break
    return ok
