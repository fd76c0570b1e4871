"""Which rule has become unsafe by putting an item back into a row, if any; for rows with few combinations.

Only rules Q→e within the row, with the item x in Q or as e, can have become likelier. Every row that
publishes x is reduced to a mask: which of this row's other items it publishes, too. A rule above ρ is unsafe
if somebody who owns Q originally wants e protected. Q = ∅ is left out: the support of x is tested separately.

A row of at most ``SHORT`` items has few subsets, so all are tested. ``holding[S]`` is the number of rows that
publish x and the items of the mask S.

- x inferred: all Q in the same rows of x have the same joint count, and the largest of them, the closed one,
  has the smallest support. If that is safe, so are the others; if not, each is tested.
- x known: of the Q in the same rows the smallest have the most owners, so the others need no test.

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
"""Of a row with at most this many other items, combinations are tested one by one."""
MOST_COMBINATIONS = 50_000
"""Unless there are more combinations than this, which would take too long."""
WORDS_PER_ROW = 32
"""Reading one row of x takes about as long as reading this many words of bitmaps."""


class SubsetScratch(NamedTuple):
    """What one thread needs to test the subsets of a row."""

    holding: Any
    """By mask: how many rows publish its items with x."""
    likely: Any
    """By mask: whether x follows from it, whoever wants it protected."""
    bit_of: Any
    """By rank: the item's place in a mask, from 1; all zero between two calls."""
    counts: Any
    """By other item: in how many of the current rows it is."""
    chosen: Any
    """By size: the other item that was chosen last."""
    starts: Any
    """By size: where the rows with the chosen items start and end, in a list of masks."""
    ends: Any
    others: Any
    """The items of the row beside x, ascending."""
    known: Any
    """The known items of the rule that was found."""
    itemset: Any


def new_subset_scratch(n_items: int) -> SubsetScratch:
    """Fresh arrays, for one thread."""
    holding, likely = np.zeros(1 << SHORT, dtype=np.int64), np.zeros(1 << SHORT, dtype=np.bool_)
    counts, chosen, starts, ends = np.zeros((4, MOST_OTHERS + 2), dtype=np.int64)
    others, known, itemset = np.zeros((3, MOST_OTHERS + 2), dtype=np.int32)
    masks = holding, likely, np.zeros(n_items, dtype=np.int64)
    return SubsetScratch(*masks, counts, chosen, starts, ends, others, known, itemset)


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
def mask_of(row, rows, scratch):
    """The mask of a row, by ``scratch.bit_of``."""
    mask = np.uint64(0)
    for p in range(rows.offsets[row], rows.offsets[row + 1]):
        x = rows.items[p]
        if x >= 0 and scratch.bit_of[x] > 0:
            mask |= np.uint64(1) << np.uint64(scratch.bit_of[x] - 1)
    return mask


@step
def mark_others(n_others, marked, scratch):
    """Give each other item its place in a mask, or take it back."""
    for c in range(n_others):
        scratch.bit_of[scratch.others[c]] = c + 1 if marked else 0


@step
def count_with(x, n_others, rows, scratch):
    """Fill ``holding`` for all masks: by bitmaps or by reading the rows of x, whichever takes less time."""
    holding = scratch.holding
    n_masks = 1 << n_others
    first_bitmap = len(rows.supports) - rows.bitmaps.shape[0]
    n_postings = rows.post_offsets[x + 1] - rows.post_offsets[x]
    if x >= first_bitmap and n_masks * rows.bitmaps.shape[1] < n_postings * WORDS_PER_ROW:
        for mask in range(n_masks):
            size = items_of(mask, x, n_others, scratch.others, scratch.itemset)
            holding[mask] = count_rows(scratch.itemset, size, np.int64(len(rows.offsets)), rows)
        return
    for mask in range(n_masks):
        holding[mask] = 0
    mark_others(n_others, True, scratch)
    for posting in range(rows.post_offsets[x], rows.post_offsets[x + 1]):
        if rows.items[rows.post_positions[posting]] >= 0:
            holding[np.int64(mask_of(rows.post_rows[posting], rows, scratch))] += 1
    mark_others(n_others, False, scratch)
    for c in range(n_others):
        for mask in range(n_masks):
            if not mask >> c & 1:
                holding[mask] += holding[mask | 1 << c]


@maker
def anybody_wants_protected(known, size, e, problem):
    """Whether somebody who owns all known items (ascending) wants e protected."""
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
def mark_likely(n_others, problem, scratch):
    """Mark the masks from which x follows with a confidence above ρ."""
    holding = scratch.holding
    for mask in range((1 << n_others) - 1, 0, -1):
        closed = mask
        for c in range(n_others):
            if holding[mask | 1 << c] == holding[mask]:
                closed |= 1 << c
        scratch.likely[mask] = False
        if closed == mask or scratch.likely[closed]:
            size = items_of(mask, -1, n_others, scratch.others, scratch.known)
            enough = (holding[mask] * problem.den + problem.num - 1) // problem.num
            scratch.likely[mask] = not reaches(scratch.known, size, enough, problem.rows)


@step
def is_smallest(mask, n_others, holding):
    """Whether the mask would be in more rows without any one of its items."""
    needed = True
    for c in range(n_others):
        needed = needed and not (mask >> c & 1 and holding[mask ^ 1 << c] == holding[mask])
    return needed


@maker
def find_unsafe_subset(x, n_others, owner, most, problem, scratch):
    """Find a rule of one to ``most`` known items that x, put back into its row, has made unsafe.

    Returns how many items are known, written into ``scratch.known``, and e; or 0 and -1. The row already
    publishes x again. ``owner`` is the person whose row it is.
    """
    wishes = problem.wishes
    holding = scratch.holding
    count_with(x, n_others, problem.rows, scratch)
    if wishes.anybody[x]:
        mark_likely(n_others, problem, scratch)
    # The row's owner comes first, because finding the others takes time.
    for everybody in range(2):
        for mask in range(1, (1 << n_others) if wishes.anybody[x] else 1):
            if scratch.likely[mask] and count_bits(np.uint64(mask)) <= most:
                size = items_of(mask, -1, n_others, scratch.others, scratch.known)
                if wants_protected(owner, x, wishes) or (
                    everybody == 1 and anybody_wants_protected(scratch.known, size, x, problem)
                ):
                    return size, np.int64(x)
        for mask in range(1 << n_others):
            if count_bits(np.uint64(mask)) >= most or not is_smallest(mask, n_others, holding):
                continue
            for c in range(n_others):
                e = scratch.others[c]
                if (
                    mask >> c & 1
                    or not wishes.anybody[e]
                    or holding[mask | 1 << c] * problem.den <= problem.num * holding[mask]
                ):
                    continue
                size = items_of(mask, x, n_others, scratch.others, scratch.known)
                if wants_protected(owner, e, wishes) or (
                    everybody == 1 and anybody_wants_protected(scratch.known, size, e, problem)
                ):
                    return size, np.int64(e)
    return 0, np.int64(-1)


@step
def unsafe_with(x, n_others, size, most, masks, problem, scratch):
    """An unsafe rule whose known items are the chosen ones, with or without x; as ``find_unsafe_subset``."""
    known = scratch.known
    start = scratch.starts[size]
    n = scratch.ends[size] - start
    for c in range(size):
        known[c] = scratch.others[scratch.chosen[c]]
    if size > 0 and problem.wishes.anybody[x]:
        enough = (n * problem.den + problem.num - 1) // problem.num
        if not reaches(known, size, enough, problem.rows) and anybody_wants_protected(
            known, size, x, problem
        ):
            return size, np.int64(x)
    if size == most:
        return 0, np.int64(-1)
    counts = scratch.counts
    for c in range(n_others):
        counts[c] = 0
    for k in range(start, start + n):
        mask = masks[k]
        while mask != 0:
            lowest = mask & (~mask + np.uint64(1))
            counts[np.int64(count_bits(lowest - np.uint64(1)))] += 1
            mask ^= lowest
    for c in range(size):
        counts[scratch.chosen[c]] = 0
    with_item(known, size, x, scratch.itemset)
    for c in range(n_others):
        e = scratch.others[c]
        if counts[c] * problem.den <= problem.num * n or not problem.wishes.anybody[e]:
            continue
        if anybody_wants_protected(scratch.itemset, size + 1, e, problem):
            for k in range(size + 1):
                known[k] = scratch.itemset[k]
            return size + 1, np.int64(e)
    return 0, np.int64(-1)


@maker
def find_unsafe_combination(x, n_others, most, problem, scratch):
    """As ``find_unsafe_subset``, but for longer rows: tests combinations of at most ``most`` other items."""
    rows = problem.rows
    chosen, starts, ends = scratch.chosen, scratch.starts, scratch.ends
    # A list for each size, each a part of the list before it.
    masks = np.empty(rows.supports[x] * (min(most, n_others) + 2), np.uint64)
    ends[0] = 0
    mark_others(n_others, True, scratch)
    for posting in range(rows.post_offsets[x], rows.post_offsets[x + 1]):
        if rows.items[rows.post_positions[posting]] >= 0:
            masks[ends[0]] = mask_of(rows.post_rows[posting], rows, scratch)
            ends[0] += 1
    mark_others(n_others, False, scratch)
    for wanted in range(min(most, n_others) + 1):
        size = 0
        chosen[0] = -1
        while size >= 0:
            if size == wanted:
                found, e = unsafe_with(x, n_others, size, most, masks, problem, scratch)
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
