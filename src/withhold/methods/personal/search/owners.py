"""The owners of parts of a closed set: those whose rows hold all of it, and others who own some of it."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.closed_walk import SIZE, n_holding
from withhold.counting.jit import step
from withhold.counting.published import has_more_rows, place_in, reaches
from withhold.methods.personal.known_sets import END, START, copy_without
from withhold.methods.personal.people import known_of, wants_protected

MANY_OWNERS = 1000
"""If a set has more owners than this, it is worth computing which of them need not be tested."""
N_RULES, N_FULL, JOB, MOST = range(4)
"""Places in ``Found.count``: how many rules, how often there was no room for more, the current job, and how
many rules may be reported."""


class Found(NamedTuple):
    """Unsafe rules Q→e as far as there is room, and the job of each."""

    count: Any
    """See N_RULES and the names beside it."""
    starts: Any
    """By rule: where its known items start in ``items``."""
    items: Any
    consequents: Any
    """By rule: e."""
    jobs: Any
    """By rule: the job that found it."""


class Scratch(NamedTuple):
    """What judging one set after the other needs, for one thread."""

    essential: Any
    """By place in the set: whether more rows hold the set without the item."""
    seen: Any
    """By person: the number of the last set for which they were tested; the last entry has that of this
    set."""
    opened: Any
    """Items in danger that no owner of the set's rows wants protected."""
    queried: Any
    """Items whose owners are tested; see ``choose_queried``."""
    known: Any
    """What a person owns of the set."""
    rest: Any
    """An itemset without the item that follows."""


@step
def report(itemset, size, without, e, found):
    """Add the rule itemset \\ without → e if there is room; False if there is no room for another."""
    k = found.count[N_RULES]
    used = found.starts[k]
    if k < found.count[MOST] and used + size <= len(found.items):
        for c in range(size):
            if itemset[c] != without:
                found.items[used] = itemset[c]
                used += 1
        found.starts[k + 1] = used
        found.consequents[k] = e
        found.jobs[k] = found.count[JOB]
        found.count[N_RULES] = k + 1
        if k + 1 < found.count[MOST]:
            return True
    found.count[N_FULL] += 1
    return False


@step
def owner_wants_protected(e, pool, start, end, problem):
    """Whether an owner of the rows pool[start:end] wants e protected."""
    k = start
    while k < end and not wants_protected(problem.people.of_row[pool[k]], e, problem.wishes):
        k += 1
    return k < end


@step
def known_owner_wants_protected(e, known, problem):
    """Whether somebody who knows the current set, an owner of it, wants e protected."""
    rows = known.walk.pool_row
    return owner_wants_protected(e, rows, known.at[START], known.at[END], problem)


@step
def mark_essential(problem, walk, scratch):
    """Mark the essential items of the closed set; returns the row that leaves the fewest persons to test.

    A Q with support n must hold something that a given row outside T lacks. So the row is returned whose
    missing items have the fewest owners; -1 if no row has fewer than the whole set.
    """
    rows = problem.rows
    owner_offsets = problem.people.post_offsets
    size = walk.at[SIZE]
    closure = walk.closure
    a = closure[0]
    b = -1
    all_ranks = np.int64(0)
    for c in range(size):
        x = closure[c]
        scratch.essential[c] = False
        all_ranks += x
        if c > 0 and rows.supports[x] < rows.supports[a]:
            b = a
            a = x
        elif c > 0 and (b < 0 or rows.supports[x] < rows.supports[b]):
            b = x
    if size == 1:
        scratch.essential[0] = n_holding(walk) < len(rows.offsets) - 1
        return -1
    all_owners = count_owners(closure, size, problem.people)
    best_row = -1
    fewest = all_owners
    # A row that lacks just one item of the set holds at least one of the two rarest.
    for turn in range(2):
        rare = a if turn == 0 else b
        for posting in range(rows.post_offsets[rare], rows.post_offsets[rare + 1]):
            if rows.items[rows.post_positions[posting]] < 0:
                continue
            row = rows.post_rows[posting]
            hits = 0
            ranks = np.int64(0)
            owners = np.int64(0)
            has_a = False
            for p in range(rows.offsets[row], rows.offsets[row + 1]):
                x = rows.items[p]
                if x >= 0 and walk.in_set[x]:
                    hits += 1
                    ranks += x
                    owners += owner_offsets[x + 1] - owner_offsets[x]
                    has_a = has_a or x == a
            if hits == size or (turn == 1 and has_a):
                continue
            if hits == size - 1:
                for c in range(size):
                    if closure[c] == all_ranks - ranks:
                        scratch.essential[c] = True
            if all_owners - owners < fewest:
                fewest = all_owners - owners
                best_row = row
    return best_row


@step
def count_owners(itemset, size, people):
    """How many owners the first items of a set have; an owner of several counts several times."""
    owners = np.int64(0)
    for c in range(size):
        owners += people.post_offsets[itemset[c] + 1] - people.post_offsets[itemset[c]]
    return owners


@step
def choose_queried(other_row, least, problem, walk, scratch):
    """Fill ``queried`` with items of which every owner of a Q with the set's rows owns one; returns how many.

    Such a Q holds something that ``other_row`` (unless -1) lacks. It also holds something beside the
    ``least`` - 1 most frequent items, and beside the most frequent ones that more than n rows hold together.
    Of these two lists, the one whose items have fewer owners is taken.
    """
    size = walk.at[SIZE]
    n = n_holding(walk)
    queried = scratch.queried
    n_first = size - max(least - 1, 0)
    owners = count_owners(walk.closure, n_first, problem.people)
    lacking = owners
    n_lacking = 0
    if other_row >= 0:
        for c in range(size):
            if place_in(other_row, walk.closure[c], problem.rows) < 0:
                queried[n_lacking] = walk.closure[c]
                n_lacking += 1
        lacking = count_owners(queried, n_lacking, problem.people)
    if min(owners, lacking) > MANY_OWNERS:
        low = 0
        while low < n_first:
            middle = (low + n_first) // 2
            for c in range(middle, size):
                scratch.rest[c - middle] = walk.closure[c]
            if reaches(scratch.rest, size - middle, n + 1, problem.rows):
                n_first = middle
            else:
                low = middle + 1
        owners = count_owners(walk.closure, n_first, problem.people)
    if lacking < owners:
        return n_lacking
    for c in range(n_first):
        queried[c] = walk.closure[c]
    return n_first


@step
def find_others(n_open, other_row, least, problem, walk, scratch, found):
    """Find persons outside T who own a Q of the set and want one of the ``opened`` items protected."""
    people = problem.people
    wishes = problem.wishes
    n = n_holding(walk)
    seen = scratch.seen
    seen[-1] += 1
    for a in range(choose_queried(other_row, least, problem, walk, scratch)):
        y = scratch.queried[a]
        for posting in range(people.post_offsets[y], people.post_offsets[y + 1]):
            person = people.post_people[posting]
            length = people.offsets[person + 1] - people.offsets[person]
            if seen[person] == seen[-1] or length < least:
                continue
            seen[person] = seen[-1]
            # First the test that takes less time: what they want protected, or what they own.
            first = 0
            if 8 * n_open <= length:
                first = next_protected(person, 0, n_open, scratch.opened, wishes)
                if first == n_open:
                    continue
            n_known = known_of(person, -1, people, walk, scratch.known)
            if n_known < least or (n_known == 1 and problem.rows.supports[y] > n):
                continue
            first = next_protected(person, first, n_open, scratch.opened, wishes)
            if first == n_open or (
                n_known < walk.at[SIZE] and has_more_rows(scratch.known, n_known, n, problem.rows)
            ):
                continue
            n_open = report_for(person, first, n_open, n_known, problem, walk, scratch, found)
            if n_open <= 0:
                return n_open == 0
    return True


@step
def next_protected(person, first, n_open, opened, wishes):
    """The place of the next opened item that the person wants protected; ``n_open`` if there is none."""
    while first < n_open and not wants_protected(person, opened[first], wishes):
        first += 1
    return first


@step
def report_for(person, first, n_open, n_known, problem, walk, scratch, found):
    """Report what follows for the person; how many items are still open, or -1 without room for more."""
    n = n_holding(walk)
    k = first
    while k < n_open:
        e = scratch.opened[k]
        n_rest = copy_without(e, scratch.known, n_known, scratch.rest)
        if not wants_protected(person, e, problem.wishes) or (
            walk.in_set[e] and has_more_rows(scratch.rest, n_rest, n, problem.rows)
        ):
            k += 1
            continue
        if not report(scratch.rest, n_rest, -1, e, found):
            return -1
        n_open -= 1
        scratch.opened[k] = scratch.opened[n_open]
    return n_open
