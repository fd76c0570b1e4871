"""Which rule an item that was put back into a short row has made unsafe, if any.

Only rules Q→e within the row, with the item x in Q or as e, can have become likelier. A row of at most
``SHORT`` items has few subsets; ``holding[S]`` is in how many rows the items of the mask S are published
with x.

- x inferred: all Q with the same rows of x have the same joint count, and the largest of them, the closed
  one, has the fewest rows. If that is safe, so are the others; if not, each needs a look.
- x known: of the Q with the same rows the smallest have the most owners, so the others need no look.

A rule that is likely is unsafe if somebody who owns Q originally fears e. Q = ∅ is left out here: how often x
is there is looked at apart.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.bits import count_bits
from withhold.counting.jit import kernel
from withhold.methods.personal.people import fears_item
from withhold.methods.personal.supports import count_rows, reaches

SHORT = 8
"""So many published items a row may have for its subsets to be looked at one by one."""
MOST_OTHERS = 64
"""And so many for a look at its combinations; see ``combinations``."""
WORDS_PER_ROW = 32
"""Reading one row of x takes as long as reading about so many words of bitmaps."""


class SubsetRoom(NamedTuple):
    """What one thread needs for looking at the subsets of a row."""

    holding: Any
    likely: Any
    """By mask: whether x follows from it, somebody's fears aside."""
    known: Any
    others: Any
    bit_of: Any
    """By rank: the item's bit in a mask; all zero between two looks."""


def room_for_subsets(n_items: int) -> SubsetRoom:
    """Fresh arrays, for one thread."""
    return SubsetRoom(
        np.zeros(1 << SHORT, dtype=np.int64),
        np.zeros(1 << SHORT, dtype=np.bool_),
        np.zeros(MOST_OTHERS + 1, dtype=np.int32),
        np.zeros(MOST_OTHERS, dtype=np.int32),
        np.zeros(n_items, dtype=np.int64),
    )


@kernel
def items_of(mask, x, others, itemset):
    """The items of the mask, and x if it is not -1, into ``itemset``, ascending; returns how many."""
    size = 0
    for c in range(len(others)):
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


@kernel
def with_item(known, size, x, itemset):
    """The known items (ascending) and x, ascending, into ``itemset``."""
    n = 0
    for c in range(size):
        if n == c and x < known[c]:
            itemset[n] = x
            n += 1
        itemset[n] = known[c]
        n += 1
    if n == size:
        itemset[n] = x


@kernel
def count_with(x, others, rows, bit_of, holding):
    """Fill ``holding`` for all masks of the ``others`` (ascending)."""
    n_masks = 1 << len(others)
    n_words = rows.bitmaps.shape[1]
    first_bitmap = len(rows.supports) - rows.bitmaps.shape[0]
    n_postings = rows.post_offsets[x + 1] - rows.post_offsets[x]
    if x >= first_bitmap and n_masks * n_words < n_postings * WORDS_PER_ROW:
        itemset = np.empty(len(others) + 1, np.int32)
        for mask in range(n_masks):
            size = items_of(mask, x, others, itemset)
            holding[mask] = count_rows(itemset, size, np.int64(len(rows.offsets)), rows)
        return
    for mask in range(n_masks):
        holding[mask] = 0
    for c in range(len(others)):
        bit_of[others[c]] = 1 << c
    for posting in range(rows.post_offsets[x], rows.post_offsets[x + 1]):
        if rows.items[rows.post_positions[posting]] < 0:
            continue
        row = rows.post_rows[posting]
        mask = 0
        for p in range(rows.offsets[row], rows.offsets[row + 1]):
            if rows.items[p] >= 0:
                mask |= bit_of[rows.items[p]]
        holding[mask] += 1
    for c in range(len(others)):
        bit_of[others[c]] = 0
        for mask in range(n_masks):
            if not mask >> c & 1:
                holding[mask] += holding[mask | 1 << c]


@kernel
def somebody_fears(known, size, e, people, fears):
    """Whether a person who owns all that is known (ascending) fears e."""
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
        if not fears_item(person, e, fears):
            continue
        c = 0
        for p in range(people.offsets[person], people.offsets[person + 1]):
            if people.items[p] == known[c]:
                c += 1
                if c == size:
                    return True
    return False


@kernel
def mark_likely(others, rows, num, den, room):
    """Mark the masks from which x follows with a confidence above num/den."""
    holding = room.holding
    for mask in range((1 << len(others)) - 1, 0, -1):
        closed = mask
        for c in range(len(others)):
            if holding[mask | 1 << c] == holding[mask]:
                closed |= 1 << c
        room.likely[mask] = False
        if closed == mask or room.likely[closed]:
            size = items_of(mask, -1, others, room.known)
            enough = (holding[mask] * den + num - 1) // num
            room.likely[mask] = not reaches(room.known, size, enough, rows)


@kernel
def find_unsafe_subset(x, others, owner, most, rows, people, fears, num, den, room):
    """An unsafe rule of one to ``most`` known items that x with the ``others`` of its row has brought about.

    Returns how many items are known, put into ``room.known``, and e; or 0 and -1. The row publishes x by now.
    """
    holding = room.holding
    likely = room.likely
    known = room.known
    n_others = len(others)
    count_with(x, others, rows, room.bit_of, holding)
    if fears.anybody[x]:
        mark_likely(others, rows, num, den, room)
    # Whoever owns the row is asked first: to find the others takes time.
    for everybody in (False, True):
        for mask in range(1, (1 << n_others) if fears.anybody[x] else 1):
            if likely[mask] and count_bits(np.uint64(mask)) <= most:
                size = items_of(mask, -1, others, known)
                if fears_item(owner, x, fears) or (
                    everybody and somebody_fears(known, size, x, people, fears)
                ):
                    return size, np.int64(x)
        for mask in range(1 << n_others):
            if count_bits(np.uint64(mask)) >= most:
                continue
            smallest = True
            for c in range(n_others):
                if mask >> c & 1 and holding[mask ^ 1 << c] == holding[mask]:
                    smallest = False
            if not smallest:
                continue
            for c in range(n_others):
                e = others[c]
                if mask >> c & 1 or not fears.anybody[e]:
                    continue
                if holding[mask | 1 << c] * den > num * holding[mask]:
                    size = items_of(mask, x, others, known)
                    if fears_item(owner, e, fears) or (
                        everybody and somebody_fears(known, size, e, people, fears)
                    ):
                        return size, np.int64(e)
    return 0, np.int64(-1)
