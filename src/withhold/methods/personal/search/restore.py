"""Could what was withheld from a person's row come back, without anything becoming unsafe by it?"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.arrays import room_for
from withhold.counting.bits import clear_bit, set_bit
from withhold.counting.jit import kernel
from withhold.methods.personal.search.closed import find_unsafe_sets
from withhold.methods.personal.search.combinations import can_combine, find_unsafe_combination
from withhold.methods.personal.search.judge import report
from withhold.methods.personal.search.subsets import (
    MOST_OTHERS,
    SHORT,
    find_unsafe_subset,
    with_item,
)
from withhold.methods.personal.supports import count_rows, reaches

BLOCKED, SAFE, BACK = 0, 1, 2
MOST_TRIED = 64
"""Rules of an item that are tried before anything is searched: the newest."""


class Rules(NamedTuple):
    """The rules that keep anything out, each with known items and a consequent; and those of each item."""

    starts: Any
    items: Any
    consequents: Any
    of_item_starts: Any
    of_item: Any
    """Numbers of rules, item by item, the newest last."""


@kernel
def put_back(position, row, rows):
    """Publish a withheld occurrence again; returns its item."""
    x = ~rows.items[position]
    rows.items[position] = x
    rows.supports[x] += 1
    set_bit(rows.bitmaps, len(rows.supports) - rows.bitmaps.shape[0], x, row)
    return x


@kernel
def take_out(position, row, rows):
    """Undo ``put_back``."""
    x = rows.items[position]
    rows.items[position] = ~x
    rows.supports[x] -= 1
    clear_bit(rows.bitmaps, len(rows.supports) - rows.bitmaps.shape[0], x, row)


@kernel
def put_all_back(positions, row_of, rows):
    """Publish all of these again."""
    for k in range(len(positions)):
        put_back(positions[k], row_of[k], rows)


@kernel
def breaks(known, e, num, den, rows):
    """Whether the rule known→e is unsafe as things are."""
    size = len(known)
    both = np.empty(size + 1, np.int32)
    with_item(known, size, e, both)
    joint = count_rows(both, size + 1, np.int64(len(rows.offsets)), rows)
    return not reaches(known, size, (joint * den + num - 1) // num, rows)


@kernel
def is_there(known, consequent, here):
    """Whether a row whose items are marked in ``here`` holds what is known and what follows."""
    for item in known:
        if not here[item]:
            return False
    return bool(here[consequent])


@kernel
def stays_unsafe(known, seen_at, returned_at):
    """Whether nothing that is known came back since the rule was seen to be unsafe (never: -1)."""
    unsafe = seen_at >= 0
    for item in known:
        unsafe = unsafe and returned_at[item] < seen_at
    return unsafe


@kernel
def is_too_frequent(x, rows, fears, num, den):
    """Whether somebody fears the item and it is likely without any knowledge."""
    return fears.anybody[x] and rows.supports[x] * den > num * (len(rows.offsets) - 1)


@kernel
def does_harm(x, row, most, rows, people, fears, num, den, stop, scratch, room, found):
    """Whether x, just put back into the row, makes a rule unsafe; ``found`` has room for one, and gets it.

    In a row with too many combinations, rules of more than ``most`` known items count as well.
    """
    found.count[0] = 0
    n_others = 0
    for p in range(rows.offsets[row], rows.offsets[row + 1]):
        if rows.items[p] >= 0 and rows.items[p] != x:
            if n_others < MOST_OTHERS:
                room.others[n_others] = rows.items[p]
            n_others += 1
    if n_others < SHORT:
        size, e = find_unsafe_subset(
            x,
            room.others[:n_others],
            people.of_row[row],
            most,
            rows,
            people,
            fears,
            num,
            den,
            room,
        )
    elif most < n_others and can_combine(n_others, most):
        size, e = find_unsafe_combination(
            x, room.others[:n_others], most, rows, people, fears, num, den, room
        )
    else:
        root = np.full(1, x, np.int32)
        within = np.full(1, row, np.int32)
        find_unsafe_sets(
            root, within, False, 1, x, rows, people, fears, num, den, stop, scratch, found
        )
        return found.count[0] > 0 or stop[0] != 0
    if e >= 0:
        report(found, room.known, size, -1, e, 0, 0, 0)
    return e >= 0


@kernel
def look_at(
    positions,
    row_of,
    blocked_by,
    seen_at,
    returned_at,
    now,
    rules,
    most,
    rows,
    people,
    fears,
    num,
    den,
    stop,
    scratch,
    room,
    found,
    outcomes,
):
    """Put each position back for a moment; ``outcomes`` says whether that is SAFE.

    ``blocked_by`` is the rule for which each was withheld; it is tried first, then those that kept other
    occurrences of the item out. What stays out because of another rule gets that one; these are returned as
    offsets, items and consequents, and numbered from len(rules.consequents) on.

    ``seen_at`` is when the rule was last seen to be unsafe, and gets the time ``now``; ``returned_at`` is
    when each item last came back anywhere. A rule stays unsafe until something known comes back.
    """
    here = np.zeros(len(rows.supports), np.bool_)
    n_new = 0
    new_starts = np.zeros(64, np.int64)
    new_items = np.empty(64, np.int32)
    new_consequents = np.empty(64, np.int32)
    for k in range(len(positions)):
        if stop[0] != 0:
            break
        p = positions[k]
        row = row_of[k]
        rule = blocked_by[k]
        known = rules.items[rules.starts[rule] : rules.starts[rule + 1]]
        counts = len(known) <= most
        if counts and stays_unsafe(known, seen_at[k], returned_at):
            continue
        x = put_back(p, row, rows)
        too_frequent = is_too_frequent(x, rows, fears, num, den)
        unsafe = too_frequent or (counts and breaks(known, rules.consequents[rule], num, den, rows))
        if not unsafe:
            for q in range(rows.offsets[row], rows.offsets[row + 1]):
                if rows.items[q] >= 0:
                    here[rows.items[q]] = True
            last = rules.of_item_starts[x + 1]
            for place in range(last - 1, max(rules.of_item_starts[x], last - MOST_TRIED) - 1, -1):
                rule = rules.of_item[place]
                known = rules.items[rules.starts[rule] : rules.starts[rule + 1]]
                if (
                    len(known) <= most
                    and is_there(known, rules.consequents[rule], here)
                    and breaks(known, rules.consequents[rule], num, den, rows)
                ):
                    unsafe = True
                    blocked_by[k] = rule
                    break
            for q in range(rows.offsets[row], rows.offsets[row + 1]):
                if rows.items[q] >= 0:
                    here[rows.items[q]] = False
        if not unsafe:
            unsafe = does_harm(
                x, row, most, rows, people, fears, num, den, stop, scratch, room, found
            )
            if found.count[0] > 0:
                size = found.starts[1]
                used = new_starts[n_new]
                new_starts = room_for(new_starts, n_new + 2)
                new_items = room_for(new_items, used + size)
                new_consequents = room_for(new_consequents, n_new + 1)
                for c in range(size):
                    new_items[used + c] = found.items[c]
                new_starts[n_new + 1] = used + size
                new_consequents[n_new] = found.numbers[0, 0]
                blocked_by[k] = len(rules.consequents) + n_new
                n_new += 1
        if not unsafe:
            outcomes[k] = SAFE
        elif not too_frequent:
            seen_at[k] = now
        take_out(p, row, rows)
    return new_starts[: n_new + 1], new_items[: new_starts[n_new]], new_consequents[:n_new]


@kernel
def publishes(row, x, rows):
    """Whether the row publishes the item."""
    found = False
    for p in range(rows.offsets[row], rows.offsets[row + 1]):
        found = found or rows.items[p] == x
    return found


@kernel
def meet(x, row, y, other, rows):
    """Whether x in its row and y in the other one can harm the same rule.

    It holds both items, and both rows hold it. For one item in two rows it holds something else as well:
    how often the item is there is looked at apart.
    """
    if x != y:
        return publishes(row, y, rows) and publishes(other, x, rows)
    for p in range(rows.offsets[row], rows.offsets[row + 1]):
        if rows.items[p] >= 0 and rows.items[p] != x and publishes(other, rows.items[p], rows):
            return True
    return False


@kernel
def put_back_together(
    positions,
    row_of,
    most,
    rows,
    people,
    fears,
    num,
    den,
    stop,
    scratch,
    room,
    found,
    outcomes,
):
    """Put back in turn what is SAFE alone and does no harm with those before it: it is BACK."""
    done = np.empty(len(positions), np.int64)
    n_done = 0
    for k in range(len(positions)):
        if outcomes[k] != SAFE or stop[0] != 0:
            continue
        row = row_of[k]
        x = put_back(positions[k], row, rows)
        harm = is_too_frequent(x, rows, fears, num, den)
        for d in range(n_done):
            other = row_of[done[d]]
            if harm or meet(x, row, rows.items[positions[done[d]]], other, rows):
                harm = harm or does_harm(
                    x, row, most, rows, people, fears, num, den, stop, scratch, room, found
                )
                break
        if harm:
            take_out(positions[k], row, rows)
        else:
            outcomes[k] = BACK
            done[n_done] = k
            n_done += 1
