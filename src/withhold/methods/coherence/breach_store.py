"""The minimal moles that enough records hold but from which a private item follows: found by what they hold.

A set is a mole iff it is too rare or contains one of these. Each is kept under its two highest ranks,
with exact keys, so that a search that extends a path by one item finds the moles that this item
completes.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.jit import kernel

EMPTY = -1
FULL = -2
FIRST_ROOM = 1024
"""Keys; a power of two."""


class BreachStore:
    """The moles in one growing array.

    A mole stands in ``arena`` as: the next mole under the same key, its size, and for each item the item
    and the next mole that holds it.
    """

    def __init__(self, n_items: int) -> None:
        self.keys = np.full(FIRST_ROOM, EMPTY, dtype=np.int64)
        self.heads = np.zeros(FIRST_ROOM, dtype=np.int64)
        self.arena = np.zeros(4 * FIRST_ROOM, dtype=np.int32)
        self.item_heads = np.full(n_items, EMPTY, dtype=np.int32)
        self.tops = np.zeros(3, dtype=np.int64)
        """The end of the arena, the number of keys, the number of moles."""

    def __len__(self) -> int:
        return int(self.tops[2])

    def grow(self) -> None:
        """Twice as much room; what is stored stays."""
        self.arena = np.concatenate([self.arena, np.zeros_like(self.arena)])
        old_keys, old_heads = self.keys, self.heads
        self.keys = np.full(2 * len(old_keys), EMPTY, dtype=np.int64)
        self.heads = np.zeros(2 * len(old_keys), dtype=np.int64)
        move_keys(old_keys, old_heads, self.keys, self.heads)


@kernel
def slot_of(key, keys):
    """Where the key stands, or would stand."""
    slot = (key * np.int64(40503) + (key >> np.int64(15))) & (len(keys) - 1)
    while keys[slot] != EMPTY and keys[slot] != key:
        slot = (slot + 1) & (len(keys) - 1)
    return slot


@kernel
def move_keys(old_keys, old_heads, keys, heads):
    """Enter all keys into a larger table."""
    for old in range(len(old_keys)):
        if old_keys[old] != EMPTY:
            slot = slot_of(old_keys[old], keys)
            keys[slot] = old_keys[old]
            heads[slot] = old_heads[old]


@kernel
def held_breach(path, size, x, on_path, keys, heads, arena, n_items):
    """The size of a stored mole that holds ``x`` and otherwise only items of the path; 0 if none does.

    ``x`` ranks above all items of the path but, maybe, the first.
    """
    for d in range(size):
        y = path[d]
        low = min(x, y)
        high = max(x, y)
        slot = slot_of(np.int64(low) * n_items + high, keys)
        if keys[slot] == EMPTY:
            continue
        at = heads[slot]
        while at != EMPTY:
            held = True
            for m in range(arena[at + 1]):
                z = arena[at + 2 + 2 * m]
                if z != x and not on_path[z]:
                    held = False
                    break
            if held:
                return np.int64(arena[at + 1])
            at = np.int64(arena[at])
    return np.int64(0)


@kernel
def store_breach(path, size, x, keys, heads, arena, item_heads, tops, n_items):
    """Keep path ∪ {x} as a mole; False if there is no room."""
    if tops[0] + 2 * size + 4 > len(arena) or 2 * (tops[1] + 1) > len(keys):
        return False
    low = path[0]
    high = x
    if low > high:
        low, high = high, low
    for d in range(1, size):
        y = path[d]
        if y > high:
            low = high
            high = y
        elif y > low:
            low = y
    slot = slot_of(np.int64(low) * n_items + high, keys)
    at = tops[0]
    if keys[slot] == EMPTY:
        keys[slot] = np.int64(low) * n_items + high
        tops[1] += 1
        arena[at] = EMPTY
    else:
        arena[at] = heads[slot]
    heads[slot] = at
    arena[at + 1] = size + 1
    for m in range(size + 1):
        item = path[m] if m < size else x
        arena[at + 2 + 2 * m] = item
        arena[at + 3 + 2 * m] = item_heads[item]
        item_heads[item] = at
    tops[0] += 2 * size + 4
    tops[2] += 1
    return True
