"""Which rule of few known items an item that was put back into a row has made unsafe, if any.

Only rules Q→e within the row, with the item x in Q or as e, can have become likelier. A row of x is, here,
the mask of those other items of the row that it publishes too. A rule that is likely is unsafe if somebody
who owns Q originally wants e protected. Q = ∅ is left out: the support of x is tested separately.

A row of at most ``SHORT`` items has few subsets; ``holding[S]`` is in how many rows the items of the mask S
are published with x.

- x inferred: all Q with the same rows of x have the same joint count, and the largest of them, the closed
  one, has the fewest rows. If that is safe, so are the others; if not, each is tested.
- x known: of the Q with the same rows the smallest have the most owners, so the others need no test.

In a longer row the combinations of few other items are tested one by one, small ones first.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.arrays import with_item
from withhold.counting.bits import count_bits
from withhold.counting.jit import maker, step
from withhold.counting.published import count_rows, reaches
from withhold.methods.personal.people import wants_protected

SHORT = 8
"""Of a row with at most this many published items, all subsets are tested."""
MOST_OTHERS = 64
"""Of a row with at most this many other items, combinations are tested,"""
MOST_COMBINATIONS = 50_000
"""if there are at most this many; more would take too long."""
WORDS_PER_ROW = 32
"""Reading one row of x takes about as long as reading this many words of bitmaps."""


class SubsetRoom(NamedTuple):
    """What one thread needs to test the subsets of a row."""

    holding: Any
    likely: Any
    """By mask: whether x follows from it, whoever wants it protected."""
    bit_of: Any
    """By rank: the item's place in a mask, from 1; all zero between two calls."""
    counts: Any
    chosen: Any
    starts: Any
    """For each size, where the rows start that have the chosen items, among all masks."""
    ends: Any
    others: Any
    """The items of the row beside x, ascending."""
    known: Any
    itemset: Any


def room_for_subsets(n_items: int) -> SubsetRoom:
    """Fresh arrays, for one thread."""
    holding, likely = np.zeros(1 << SHORT, dtype=np.int64), np.zeros(1 << SHORT, dtype=np.bool_)
    counts, chosen, starts, ends = np.zeros((4, MOST_OTHERS + 2), dtype=np.int64)
    others, known, itemset = np.zeros((3, MOST_OTHERS + 2), dtype=np.int32)
    masks = holding, likely, np.zeros(n_items, dtype=np.int64)
    return SubsetRoom(*masks, counts, chosen, starts, ends, others, known, itemset)


@step
def items_of(mask, x, n_others, others, itemset):
    """The items of the mask, and x if it is not -1, into ``itemset``, ascending; returns how many."""
    size = 0
    for c in range(n_others):
        if x >= 0 and x < others[c]:
            itemset[size] = x
            size += 1
            x = -1
        if mask >> c & 1:
            itemset[size] = others[c]
            size += 1
    if x >= 0:
        itemset[size] = x
        size += 1
    return size


@step
def mask_of(row, rows, room):
    """The mask of a row, by ``room.bit_of``."""
    mask = np.uint64(0)
    for p in range(rows.offsets[row], rows.offsets[row + 1]):
        x = rows.items[p]
        if x >= 0 and room.bit_of[x] > 0:
            mask |= np.uint64(1) << np.uint64(room.bit_of[x] - 1)
    return mask


@step
def mark_others(n_others, marked, room):
    """Set the places of the others in a mask, or clear them."""
    for c in range(n_others):
        room.bit_of[room.others[c]] = c + 1 if marked else 0


@step
def count_with(x, n_others, rows, room):
    """Fill ``holding`` for all masks of the others."""
    holding = room.holding
    n_masks = 1 << n_others
    first_bitmap = len(rows.supports) - rows.bitmaps.shape[0]
    n_postings = rows.post_offsets[x + 1] - rows.post_offsets[x]
    if x >= first_bitmap and n_masks * rows.bitmaps.shape[1] < n_postings * WORDS_PER_ROW:
        for mask in range(n_masks):
            size = items_of(mask, x, n_others, room.others, room.itemset)
            holding[mask] = count_rows(room.itemset, size, np.int64(len(rows.offsets)), rows)
        return
    for mask in range(n_masks):
        holding[mask] = 0
    mark_others(n_others, True, room)
    for posting in range(rows.post_offsets[x], rows.post_offsets[x + 1]):
        if rows.items[rows.post_positions[posting]] >= 0:
            holding[np.int64(mask_of(rows.post_rows[posting], rows, room))] += 1
    mark_others(n_others, False, room)
    for c in range(n_others):
        for mask in range(n_masks):
            if not mask >> c & 1:
                holding[mask] += holding[mask | 1 << c]


@maker
def anybody_wants_protected(known, size, e, problem):
    """Whether a person who owns all that is known (ascending) wants e protected."""
    people = problem.people
    rarest = known[0]
    for c in range(1, size):
        y = known[c]
        if (
            people.post_offsets[y + 1] - people.post_offsets[y]
            < people.post_offsets[rarest + 1] - people.post_offsets[rarest]
        ):
            rarest = y
    for posting in range(people.post_offsets[rarest], people.post_offsets[rarest + 1]):
        person = people.post_people[posting]
        if not wants_protected(person, e, problem.wishes):
            continue
        c = 0
        for p in range(people.offsets[person], people.offsets[person + 1]):
            if people.items[p] == known[c]:
                c += 1
                if c == size:
                    return True
    return False


@step
def mark_likely(n_others, problem, room):
    """Mark the masks from which x follows with a confidence above ρ."""
    holding = room.holding
    for mask in range((1 << n_others) - 1, 0, -1):
        closed = mask
        for c in range(n_others):
            if holding[mask | 1 << c] == holding[mask]:
                closed |= 1 << c
        room.likely[mask] = False
        if closed == mask or room.likely[closed]:
            size = items_of(mask, -1, n_others, room.others, room.known)
            enough = (holding[mask] * problem.den + problem.num - 1) // problem.num
            room.likely[mask] = not reaches(room.known, size, enough, problem.rows)


@step
def is_smallest(mask, n_others, holding):
    """Whether every item of the mask is needed for it to have these rows."""
    needed = True
    for c in range(n_others):
        needed = needed and not (mask >> c & 1 and holding[mask ^ 1 << c] == holding[mask])
    return needed


@maker
def find_unsafe_subset(x, n_others, owner, most, problem, room):
    """An unsafe rule of one to ``most`` known items that x with the others of its row has brought about.

    Returns how many items are known, put into ``room.known``, and e; or 0 and -1. The row publishes x by now.
    """
    wishes = problem.wishes
    holding = room.holding
    count_with(x, n_others, problem.rows, room)
    if wishes.anybody[x]:
        mark_likely(n_others, problem, room)
    # The row's owner comes first, because finding the others takes time.
    for everybody in range(2):
        for mask in range(1, (1 << n_others) if wishes.anybody[x] else 1):
            if room.likely[mask] and count_bits(np.uint64(mask)) <= most:
                size = items_of(mask, -1, n_others, room.others, room.known)
                if wants_protected(owner, x, wishes) or (
                    everybody == 1 and anybody_wants_protected(room.known, size, x, problem)
                ):
                    return size, np.int64(x)
        for mask in range(1 << n_others):
            if count_bits(np.uint64(mask)) >= most or not is_smallest(mask, n_others, holding):
                continue
            for c in range(n_others):
                e = room.others[c]
                if (
                    mask >> c & 1
                    or not wishes.anybody[e]
                    or holding[mask | 1 << c] * problem.den <= problem.num * holding[mask]
                ):
                    continue
                size = items_of(mask, x, n_others, room.others, room.known)
                if wants_protected(owner, e, wishes) or (
                    everybody == 1 and anybody_wants_protected(room.known, size, e, problem)
                ):
                    return size, np.int64(e)
    return 0, np.int64(-1)


@step
def unsafe_with(x, n_others, size, most, masks, problem, room):
    """An unsafe rule of which the chosen items are known, alone or with x: as ``find_unsafe_combination``."""
    known = room.known
    start = room.starts[size]
    n = room.ends[size] - start
    for c in range(size):
        known[c] = room.others[room.chosen[c]]
    if size > 0 and problem.wishes.anybody[x]:
        enough = (n * problem.den + problem.num - 1) // problem.num
        if not reaches(known, size, enough, problem.rows) and anybody_wants_protected(
            known, size, x, problem
        ):
            return size, np.int64(x)
    if size == most:
        return 0, np.int64(-1)
    counts = room.counts
    for c in range(n_others):
        counts[c] = 0
    for k in range(start, start + n):
        mask = masks[k]
        while mask != 0:
            lowest = mask & (~mask + np.uint64(1))
            counts[np.int64(count_bits(lowest - np.uint64(1)))] += 1
            mask ^= lowest
    for c in range(size):
        counts[room.chosen[c]] = 0
    with_item(known, size, x, room.itemset)
    for c in range(n_others):
        e = room.others[c]
        if counts[c] * problem.den <= problem.num * n or not problem.wishes.anybody[e]:
            continue
        if anybody_wants_protected(room.itemset, size + 1, e, problem):
            for k in range(size + 1):
                known[k] = room.itemset[k]
            return size + 1, np.int64(e)
    return 0, np.int64(-1)


@maker
def find_unsafe_combination(x, n_others, most, problem, room):
    """As ``find_unsafe_subset``, by the combinations of at most ``most`` others."""
    rows = problem.rows
    chosen, starts, ends = room.chosen, room.starts, room.ends
    # The rows of each size are a part of those of the size before.
    masks = np.empty(rows.supports[x] * (min(most, n_others) + 2), np.uint64)
    ends[0] = 0
    mark_others(n_others, True, room)
    for posting in range(rows.post_offsets[x], rows.post_offsets[x + 1]):
        if rows.items[rows.post_positions[posting]] >= 0:
            masks[ends[0]] = mask_of(rows.post_rows[posting], rows, room)
            ends[0] += 1
    mark_others(n_others, False, room)
    for wanted in range(min(most, n_others) + 1):
        size = 0
        chosen[0] = -1
        while size >= 0:
            if size == wanted:
                found, e = unsafe_with(x, n_others, size, most, masks, problem, room)
                if e >= 0:
                    return found, e
                size -= 1
                continue
            # The next item at this place; if there is none, the one before it moves on.
            chosen[size] += 1
            if n_others - chosen[size] < wanted - size:
                size -= 1
                continue
            bit = np.uint64(1) << np.uint64(chosen[size])
            top = ends[size]
            for k in range(starts[size], ends[size]):
                if masks[k] & bit != 0:
                    masks[top] = masks[k]
                    top += 1
            starts[size + 1] = ends[size]
            ends[size + 1] = top
            chosen[size + 1] = chosen[size]
            size += 1
    return 0, np.int64(-1)
