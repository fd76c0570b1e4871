"""The closed sets of the published rows, each judged for all items and all persons at once.

Let Y be closed: all that the rows T hold in common, n = |T|. Every Q with the same rows lies between
Ess(Y) = {y : some row holds Y without y, but not y} and Y, and all of them share all counts. So an item e
is in danger at Y iff e ∉ Y and cnt(e) > ρ·n, or e ∈ Y \\ Ess(Y) (it follows from the others for sure); it is
unsafe iff somebody fears e and owns, originally, such a Q without e. The owners of T own all of Y. Of
the others only Q = Y ∩ D_u (without e) needs a look, for it is the largest: its support must be n.

Closed sets are listed as in ``closed.py``, from each root item; a set that one row alone holds is that
row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.kernels.arrays import room_for
from withhold.kernels.closed import count_support
from withhold.kernels.jit import kernel
from withhold.kernels.people import PersonalLayout, fears_item

CLEAN, FOUND, STOPPED = 0, 1, 2


class Found(NamedTuple):
    """Unsafe rules Q→e as far as there is room: ``numbers`` (e, joint, support, person, job) of each."""

    count: Any
    """[0]: how many rules; [1]: how many closed sets were judged; [2]: how often there was no room;
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
    """Add the rule itemset \\ without → e; False if there is no room for more."""
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
    return True


@kernel
def feared_by_owner(e, pool, start, end, people, fears):
    """Some owner of the rows pool[start:end] who fears e, or -1."""
    for k in range(start, end):
        if fears_item(people.of_row[pool[k]], e, fears):
            return people.of_row[pool[k]]
    return -1


@kernel
def neighbours(closure, size, n, rows, people, in_set, essential):
    """Mark the essential items of the closed set; returns the row that leaves the fewest candidates.

    A Q with support n must hold something that the row lacks, whatever row outside T is taken; the one
    whose missing items have the fewest owners is returned, or -1 if none was met.
    """
    a = closure[0]
    b = -1
    for c in range(1, size):
        x = closure[c]
        if rows.supports[x] < rows.supports[a]:
            b = a
            a = x
        elif b < 0 or rows.supports[x] < rows.supports[b]:
            b = x
    all_ranks = np.int64(0)
    all_owners = np.int64(0)
    for c in range(size):
        essential[c] = False
        all_ranks += closure[c]
        all_owners += people.post_offsets[closure[c] + 1] - people.post_offsets[closure[c]]
    if size == 1:
        essential[0] = n < len(rows.offsets) - 1
        return -1
    best_row = -1
    fewest = all_owners
    # A row that lacks one item of the set only holds one of the two rarest.
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
                if x >= 0 and in_set[x]:
                    hits += 1
                    ranks += x
                    owners += people.post_offsets[x + 1] - people.post_offsets[x]
                    if x == a:
                        has_a = True
            if hits == size or (turn == 1 and has_a):
                continue
            if hits == size - 1:
                missing = all_ranks - ranks
                for c in range(size):
                    if closure[c] == missing:
                        essential[c] = True
            if all_owners - owners < fewest:
                fewest = all_owners - owners
                best_row = row
    return best_row


@kernel
def judge(
    closure,
    size,
    least,
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
    fewer than ``least`` known items need not be reported.
    """
    found.count[1] += 1
    if size < least:
        return True
    n = np.int64(end - start)
    n_open = 0
    opened = np.empty(n_touched + size, np.int32)
    for t in range(n_touched):
        e = touched[t]
        if not scratch.in_set[e] and fears.anybody[e] and scratch.count[e] * den > num * n:
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
        closure, size, least, n, opened, n_open, best_row, rows, people, fears, scratch, found
    )


@kernel
def judge_others(
    closure, size, least, n, opened, n_open, best_row, rows, people, fears, scratch, found
):
    """Look for persons outside T who own a Q of the closed set and fear one of the ``opened`` items.

    They own something that ``best_row`` lacks, if it is not -1, and something beside the ``least`` - 1 most
    frequent items.
    """
    scratch.clock[0] += 1
    known = np.empty(size, np.int32)
    rest = np.empty(size, np.int32)
    n_tried = size - max(least - 1, 0)
    if best_row >= 0:
        owners = np.int64(0)
        for c in range(n_tried):
            owners += people.post_offsets[closure[c] + 1] - people.post_offsets[closure[c]]
        for p in range(rows.offsets[best_row], rows.offsets[best_row + 1]):
            if rows.items[p] >= 0 and scratch.in_set[rows.items[p]]:
                # From here on what the row holds is marked in ``count``.
                scratch.count[rows.items[p]] = -1
        lacking = np.int64(0)
        for c in range(size):
            if scratch.count[closure[c]] != -1:
                y = closure[c]
                lacking += people.post_offsets[y + 1] - people.post_offsets[y]
        if lacking < owners:
            n_tried = size
        else:
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
            if people.offsets[person + 1] - people.offsets[person] < least:
                continue
            n_known = 0
            for p in range(people.offsets[person], people.offsets[person + 1]):
                x = people.items[p]
                if scratch.in_set[x]:
                    known[n_known] = x
                    n_known += 1
            if n_known < least or (n_known == 1 and rows.supports[y] > n):
                continue
            first = 0
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


@kernel
def has_more_rows(itemset, size, n, rows):
    """Whether more than n rows hold the itemset (ascending ranks)."""
    for c in range(size):
        if rows.supports[itemset[c]] == n:
            return False
    return (
        count_support(
            itemset,
            size,
            n + 1,
            rows.offsets,
            rows.items,
            rows.post_offsets,
            rows.post_rows,
            rows.supports,
            rows.bitmaps,
        )
        > n
    )


@kernel
def count_items(pool, start, end, rows, scratch, touched):
    """Count all published items of the rows pool[start:end]; returns how many items they have."""
    n_touched = 0
    for k in range(start, end):
        row = pool[k]
        for p in range(rows.offsets[row], rows.offsets[row + 1]):
            x = rows.items[p]
            if x >= 0:
                if scratch.count[x] == 0:
                    touched[n_touched] = x
                    n_touched += 1
                scratch.count[x] += 1
    return n_touched


@kernel
def find_unsafe_sets(
    roots, within, ordered, least, rows, people, fears, num, den, stop, scratch, found
):
    """Judge the closed sets that hold each root; rules are reported as long as there is room.

    Rules with fewer than ``least`` known items (at least 1) may be left out; ``survey_known_sets`` has them.

    ``ordered``: only sets whose lowest rank is the root, so that over all roots each set comes once.
    ``within[k]`` is -1, or a row: then only sets of items that this row publishes are looked at, or, if not
    ``ordered``, that it had originally.
    """
    n_items = len(rows.supports)
    touched = np.empty(n_items, np.int32)
    longest = np.int64(0)
    for row in range(len(rows.offsets) - 1):
        longest = max(longest, rows.offsets[row + 1] - rows.offsets[row])
    closure = np.empty(longest + 1, np.int32)
    bucket = np.zeros(n_items, np.int64)
    heads = np.empty(n_items, np.int32)
    set_stack = np.empty(4 * longest + 64, np.int32)
    set_start = np.zeros(longest + 4, np.int64)
    next_child = np.zeros(longest + 4, np.int64)
    last_child = np.zeros(longest + 4, np.int64)
    pool_top = np.zeros(longest + 4, np.int64)
    child_item = np.empty(1024, np.int32)
    child_start = np.empty(1024, np.int64)
    child_end = np.empty(1024, np.int64)
    pool = np.empty(4096, np.int32)
    status = CLEAN
    for job in range(len(roots)):
        root = roots[job]
        found.count[3] = job
        if rows.supports[root] == 0:
            continue
        if within[job] >= 0:
            for x in range(n_items):
                scratch.allowed[x] = False
            for p in range(rows.offsets[within[job]], rows.offsets[within[job] + 1]):
                x = rows.items[p]
                if x >= 0:
                    scratch.allowed[x] = True
                elif not ordered:
                    scratch.allowed[~x] = True
        n_root = np.int64(0)
        pool = room_for(pool, rows.supports[root] + 1)
        for posting in range(rows.post_offsets[root], rows.post_offsets[root + 1]):
            if rows.items[rows.post_positions[posting]] >= 0:
                pool[n_root] = rows.post_rows[posting]
                n_root += 1

        # Sets that one row alone holds are that row, as far as it is allowed. The place in the pool
        # behind the root's rows is for those.
        for k in range(n_root):
            if stop[0] != 0:
                status = STOPPED
                break
            row = pool[k]
            size = 0
            lowest = True
            for p in range(rows.offsets[row], rows.offsets[row + 1]):
                x = rows.items[p]
                if x >= 0 and scratch.allowed[x]:
                    if ordered and x < root:
                        lowest = False
                        break
                    closure[size] = x
                    size += 1
            if not lowest or (n_root > 1 and has_more_rows(closure, size, 1, rows)):
                continue
            pool[n_root] = row
            n_touched = count_items(pool, n_root, n_root + 1, rows, scratch, touched)
            for c in range(size):
                scratch.in_set[closure[c]] = True
            room = judge(
                closure,
                size,
                least,
                pool,
                n_root,
                n_root + 1,
                touched,
                n_touched,
                rows,
                people,
                fears,
                num,
                den,
                scratch,
                found,
            )
            for c in range(size):
                scratch.in_set[closure[c]] = False
            for t in range(n_touched):
                scratch.count[touched[t]] = 0
            if not room:
                status = FOUND
                break

        # The root is a child of nothing; its core ranks below every item unless sets are ordered.
        child_item[0] = root if ordered else -1
        child_start[0] = 0
        child_end[0] = n_root
        depth = 0
        next_child[0] = 0
        last_child[0] = 1
        pool_top[0] = n_root
        set_start[0] = 0
        set_start[1] = 0
        while depth >= 0 and status == CLEAN:
            if next_child[depth] == last_child[depth]:
                for k in range(set_start[depth], set_start[depth + 1]):
                    scratch.in_set[set_stack[k]] = False
                depth -= 1
                if depth >= 0:
                    for k in range(set_start[depth], set_start[depth + 1]):
                        scratch.in_set[set_stack[k]] = True
                continue
            if stop[0] != 0:
                status = STOPPED
                break
            child = next_child[depth]
            next_child[depth] += 1
            core = child_item[child]
            start = child_start[child]
            end = child_end[child]
            if end - start < 2:
                continue

            # The closure: one row, thinned by the others.
            row = pool[end - 1]
            size = 0
            for p in range(rows.offsets[row], rows.offsets[row + 1]):
                x = rows.items[p]
                if x >= 0 and scratch.allowed[x]:
                    closure[size] = x
                    size += 1
            for k in range(start, end - 1):
                row = pool[k]
                p = rows.offsets[row]
                row_end = rows.offsets[row + 1]
                kept = 0
                for c in range(size):
                    x = closure[c]
                    while p < row_end and rows.items[p] < x:
                        p += 1
                    if p == row_end:
                        break
                    if rows.items[p] == x:
                        closure[kept] = x
                        kept += 1
                        p += 1
                size = kept
            preserved = True
            for c in range(size):
                if closure[c] >= core:
                    break
                if not scratch.in_set[closure[c]]:
                    preserved = False
                    break
            if not preserved:
                continue
            for k in range(set_start[depth], set_start[depth + 1]):
                scratch.in_set[set_stack[k]] = False
            for c in range(size):
                scratch.in_set[closure[c]] = True
            n_touched = count_items(pool, start, end, rows, scratch, touched)
            room = judge(
                closure,
                size,
                least,
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
            )
            n_heads = 0
            top = pool_top[depth]
            first = last_child[depth]
            n_children = first
            child_item = room_for(child_item, first + n_touched)
            child_start = room_for(child_start, first + n_touched)
            child_end = room_for(child_end, first + n_touched)
            for t in range(n_touched):
                x = touched[t]
                count = scratch.count[x]
                scratch.count[x] = 0
                if count > 1 and x > core and scratch.allowed[x] and not scratch.in_set[x]:
                    child_item[n_children] = x
                    child_start[n_children] = top
                    child_end[n_children] = top
                    top += count
                    bucket[x] = n_children + 1
                    heads[n_heads] = x
                    n_heads += 1
                    n_children += 1
            if not room:
                status = FOUND
            if n_children == first or status != CLEAN:
                for c in range(size):
                    scratch.in_set[closure[c]] = False
                for k in range(set_start[depth], set_start[depth + 1]):
                    scratch.in_set[set_stack[k]] = True
                for h in range(n_heads):
                    bucket[heads[h]] = 0
                continue
            pool = room_for(pool, top)
            for k in range(start, end):
                row = pool[k]
                for p in range(rows.offsets[row], rows.offsets[row + 1]):
                    x = rows.items[p]
                    if x >= 0 and bucket[x] > 0:
                        c = bucket[x] - 1
                        pool[child_end[c]] = row
                        child_end[c] += 1
            for h in range(n_heads):
                bucket[heads[h]] = 0
            depth += 1
            set_stack = room_for(set_stack, set_start[depth] + size)
            for c in range(size):
                set_stack[set_start[depth] + c] = closure[c]
            set_start[depth + 1] = set_start[depth] + size
            next_child[depth] = first
            last_child[depth] = n_children
            pool_top[depth] = top
        for level in range(depth + 1):
            for k in range(set_start[level], set_start[level + 1]):
                scratch.in_set[set_stack[k]] = False
        if within[job] >= 0:
            for x in range(n_items):
                scratch.allowed[x] = True
        if status != CLEAN:
            break
    return status
