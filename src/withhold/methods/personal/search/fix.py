"""Mend unsafe rules Q→e by withholding e, or an item of Q, from records that hold both.

The walk over what can be known is that of ``known_sets``, on rows that change under it.
A withheld occurrence becomes ``~rank``. A row from which something was taken since the walk came to its
root is looked at again before it counts.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from math import log
from typing import Any, NamedTuple

import numpy as np

from withhold.counting.arrays import room_for
from withhold.counting.bits import clear_bit
from withhold.counting.jit import kernel
from withhold.methods.personal.known_sets import go_deeper, prepare_walk, start_at
from withhold.methods.personal.people import fears_item
from withhold.methods.rho.search.sweep import next_random

CONSEQUENT, LEFTOVER, DISTRIBUTION = 0, 1, 2
"""What goes: always e; whichever of Q and e has least left of it, times how often it must go; or whichever
is most over-represented."""


class Choice(NamedTuple):
    """How victims are chosen."""

    victim: Any
    at_random: Any
    state: Any
    originally: Any
    """The supports before anything was withheld."""
    total: Any
    """[0]: how many occurrences are published."""


@kernel
def withhold_at(position, row, rows, choice):
    """Withhold one occurrence."""
    x = rows.items[position]
    rows.items[position] = ~x
    rows.supports[x] -= 1
    choice.total[0] -= 1
    clear_bit(rows.bitmaps, len(rows.supports) - rows.bitmaps.shape[0], x, row)


@kernel
def choose(known, size, e, joint, support, num, den, rows, choice):
    """The item to withhold for Q→e, and from how many records."""
    best = e
    needed = joint - num * support // den
    if choice.victim == CONSEQUENT:
        return best, needed
    # (joint - k) ≤ ρ (support - k), solved for the least k.
    from_known = (joint * den - num * support + den - num - 1) // (den - num)
    n_before = 0.0
    if choice.victim == DISTRIBUTION:
        for x in range(len(choice.originally)):
            n_before += choice.originally[x]
    best_cost = np.inf
    for c in range(-1, size):
        x = e if c < 0 else known[c]
        k = needed if c < 0 else from_known
        if choice.victim == LEFTOVER:
            cost = rows.supports[x] / choice.originally[x] * k
        else:
            now = rows.supports[x] / choice.total[0]
            gain = now * log(now / (choice.originally[x] / n_before))
            cost = -gain / k if gain > 0 else -gain * k
        if cost < best_cost:
            best_cost = cost
            best = x
    return best, needed if best == e else from_known


@kernel
def mend(known, size, e, joint, support, holders, n_holders, num, den, rows, choice, deleted):
    """Withhold until Q→e is safe; fills ``deleted`` with positions and returns the item and how many.

    ``holders`` are the rows that hold Q, longest first; ``joint`` of them hold e.
    """
    victim, k = choose(known, size, e, joint, support, num, den, rows, choice)
    n_deleted = 0
    left = joint
    for h in range(n_holders):
        row = holders[h]
        at_e = -1
        at_victim = -1
        for p in range(rows.offsets[row], rows.offsets[row + 1]):
            if rows.items[p] == e:
                at_e = p
            if rows.items[p] == victim:
                at_victim = p
        if at_e < 0:
            continue
        if not choice.at_random or next_random(choice.state) % left < k - n_deleted:
            withhold_at(at_victim, row, rows, choice)
            deleted[n_deleted] = at_victim
            n_deleted += 1
            if n_deleted == k:
                break
        left -= 1
    return victim, n_deleted


@kernel
def holds_all(row, known, size, rows):
    """Whether the row publishes all of the items (ascending)."""
    c = 0
    for p in range(rows.offsets[row], rows.offsets[row + 1]):
        if c == size:
            break
        if rows.items[p] == known[c]:
            c += 1
    return c == size


@kernel
def fix_known_sets(size_wanted, rows, people, fears, num, den, choice, stop):
    """Make every Q→e with |Q| = ``size_wanted`` ≥ 1 safe that somebody who owns Q fears.

    Returns the positions withheld, the event each answers, and the events: where their antecedents
    start in a list of items, and (e, joint, support) of each.
    """
    n_items = len(rows.supports)
    n_rows = len(rows.offsets) - 1
    joint = np.zeros(n_items, np.int64)
    touched = np.empty(n_items, np.int32)
    known = np.empty(size_wanted + 1, np.int32)
    support_of = np.zeros(size_wanted + 2, np.int64)
    walk, children, pool = prepare_walk(n_items, size_wanted)
    holders = np.empty(n_rows, np.int32)
    changed_in = np.full(n_rows, -1, np.int32)
    part = np.empty(n_rows, np.int32)
    n_deleted = 0
    deleted = np.empty(1024, np.int32)
    answers = np.empty(1024, np.int32)
    n_events = 0
    event_starts = np.zeros(1024, np.int64)
    event_items = np.empty(1024, np.int32)
    event_numbers = np.empty(1024, np.int64)
    support_of[0] = n_rows
    for root in range(n_items):
        if stop[0] != 0:
            break
        if rows.supports[root] == 0:
            continue
        pool = start_at(root, rows, walk, children, pool)
        size = 1
        while size > 0:
            if walk.next_child[size] == walk.last_child[size]:
                size -= 1
                continue
            if stop[0] != 0:
                break
            child = walk.next_child[size]
            walk.next_child[size] += 1
            start = children.start[child]
            end = children.end[child]
            known[size - 1] = children.item[child]
            n_holders = np.int64(0)
            for k in range(start, end):
                if pool.holds[k]:
                    row = pool.row[k]
                    if changed_in[row] == root and not holds_all(row, known, size, rows):
                        pool.holds[k] = False
                    else:
                        holders[n_holders] = row
                        n_holders += 1
            # The same records as without the last item: whatever is unsafe here is so there.
            if n_holders == 0 or n_holders == support_of[size - 1]:
                continue
            support_of[size] = n_holders

            if size < size_wanted:
                if n_holders == 1:
                    continue
                children, pool = go_deeper(size, start, end, rows, walk, children, pool)
                size += 1
                continue

            # Count, mend, and count again when an item of Q itself was withheld.
            again = True
            while again and n_holders > 0:
                again = False
                n_touched = 0
                for k in range(n_holders):
                    for p in range(rows.offsets[holders[k]], rows.offsets[holders[k] + 1]):
                        e = rows.items[p]
                        if e >= 0 and fears.anybody[e]:
                            if joint[e] == 0:
                                touched[n_touched] = e
                                n_touched += 1
                            joint[e] += 1
                for c in range(size):
                    joint[known[c]] = 0
                for t in range(n_touched):
                    e = touched[t]
                    if again or joint[e] * den <= num * n_holders:
                        joint[e] = 0
                        continue
                    feared = False
                    for k in range(start, end):
                        if fears_item(people.of_row[pool.row[k]], e, fears):
                            feared = True
                            break
                    if not feared:
                        joint[e] = 0
                        continue
                    victim, n_part = mend(
                        known,
                        size,
                        e,
                        joint[e],
                        n_holders,
                        holders,
                        n_holders,
                        num,
                        den,
                        rows,
                        choice,
                        part,
                    )
                    used = event_starts[n_events]
                    event_starts = room_for(event_starts, n_events + 2)
                    event_items = room_for(event_items, used + size)
                    event_numbers = room_for(event_numbers, 3 * n_events + 3)
                    for c in range(size):
                        event_items[used + c] = known[c]
                    event_starts[n_events + 1] = used + size
                    event_numbers[3 * n_events] = e
                    event_numbers[3 * n_events + 1] = joint[e]
                    event_numbers[3 * n_events + 2] = n_holders
                    deleted = room_for(deleted, n_deleted + n_part)
                    answers = room_for(answers, n_deleted + n_part)
                    for k in range(n_part):
                        deleted[n_deleted] = part[k]
                        answers[n_deleted] = n_events
                        n_deleted += 1
                    n_events += 1
                    joint[e] = 0
                    if victim != e:
                        again = True
                    mark_changed(part, n_part, holders, n_holders, rows, root, changed_in)
                if again:
                    n_left = 0
                    for k in range(n_holders):
                        if holds_all(holders[k], known, size, rows):
                            holders[n_left] = holders[k]
                            n_left += 1
                    n_holders = n_left
    return (
        deleted[:n_deleted],
        answers[:n_deleted],
        event_starts[: n_events + 1],
        event_items[: event_starts[n_events]],
        event_numbers[: 3 * n_events],
    )


@kernel
def mark_changed(part, n_part, holders, n_holders, rows, root, changed_in):
    """Note the rows in which the positions ``part`` (ascending by row of ``holders``) lie."""
    k = 0
    for h in range(n_holders):
        if k == n_part:
            break
        row = holders[h]
        if rows.offsets[row] <= part[k] < rows.offsets[row + 1]:
            changed_in[row] = root
            k += 1


@kernel
def fix_rules(starts, items, consequents, rows, num, den, choice, stop):
    """Make the rules given safe, one after the other, as far as they still are not.

    Returns the same as ``fix_known_sets``; the events are the rules that were mended.
    """
    n_rows = len(rows.offsets) - 1
    holders = np.empty(n_rows, np.int32)
    part = np.empty(n_rows, np.int32)
    n_deleted = 0
    deleted = np.empty(1024, np.int32)
    answers = np.empty(1024, np.int32)
    n_events = 0
    event_starts = np.zeros(1024, np.int64)
    event_items = np.empty(1024, np.int32)
    event_numbers = np.empty(1024, np.int64)
    for rule in range(len(consequents)):
        if stop[0] != 0:
            break
        e = consequents[rule]
        size = starts[rule + 1] - starts[rule]
        known = items[starts[rule] : starts[rule + 1]]
        if rows.supports[e] == 0:
            continue
        n_holders = 0
        joint = np.int64(0)
        # Ranks ascend with the original supports.
        n_candidates = np.int64(n_rows)
        if size > 0:
            n_candidates = rows.post_offsets[known[0] + 1] - rows.post_offsets[known[0]]
        for k in range(n_candidates):
            row = k if size == 0 else rows.post_rows[rows.post_offsets[known[0]] + k]
            if holds_all(row, known, size, rows):
                holders[n_holders] = row
                n_holders += 1
                for p in range(rows.offsets[row], rows.offsets[row + 1]):
                    if rows.items[p] == e:
                        joint += 1
                        break
        if joint * den <= num * n_holders:
            continue
        _, n_part = mend(
            known, size, e, joint, n_holders, holders, n_holders, num, den, rows, choice, part
        )
        used = event_starts[n_events]
        event_starts = room_for(event_starts, n_events + 2)
        event_items = room_for(event_items, used + size)
        event_numbers = room_for(event_numbers, 3 * n_events + 3)
        for c in range(size):
            event_items[used + c] = known[c]
        event_starts[n_events + 1] = used + size
        event_numbers[3 * n_events] = e
        event_numbers[3 * n_events + 1] = joint
        event_numbers[3 * n_events + 2] = n_holders
        deleted = room_for(deleted, n_deleted + n_part)
        answers = room_for(answers, n_deleted + n_part)
        for k in range(n_part):
            deleted[n_deleted] = part[k]
            answers[n_deleted] = n_events
            n_deleted += 1
        n_events += 1
    return (
        deleted[:n_deleted],
        answers[:n_deleted],
        event_starts[: n_events + 1],
        event_items[: event_starts[n_events]],
        event_numbers[: 3 * n_events],
    )
