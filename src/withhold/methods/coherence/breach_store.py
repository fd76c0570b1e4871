"""A store of the minimal moles that are not rare, but from which a private item follows.

A set is a mole iff it is too rare or contains one of these. Each is stored under its two highest ranks, with
exact keys, so that a search that extends a path by one item finds the moles that this item completes.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import kernel, step

EMPTY = -1
FIRST_CAPACITY = 1024
"""The keys for which there is room at first; a power of two."""


class BreachStore(NamedTuple):
    """A hash table whose lists of moles are in ``arena``.

    A mole is stored as: the next mole under the same key, its size, and for each item the item and the next
    mole that holds it.
    """

    keys: Any
    """By slot: a pair of ranks as one number, or EMPTY."""
    heads: Any
    """By slot: where the mole with this key that was stored last begins in the arena."""
    arena: Any
    """The stored moles, one after the other."""
    item_heads: Any
    """By item: where the last stored mole that holds it is, or EMPTY."""
    tops: Any
    """The end of the arena, and the number of keys."""


def new_store(n_items: int) -> BreachStore:
    """A store with nothing in it."""
    return BreachStore(
        np.full(FIRST_CAPACITY, EMPTY, dtype=np.int64),
        np.zeros(FIRST_CAPACITY, dtype=np.int64),
        np.zeros(4 * FIRST_CAPACITY, dtype=np.int32),
        np.full(n_items, EMPTY, dtype=np.int32),
        np.zeros(2, dtype=np.int64),
    )


def larger_store(store: BreachStore) -> BreachStore:
    """The store with twice the capacity."""
    keys = np.full(2 * len(store.keys), EMPTY, dtype=np.int64)
    heads = np.zeros_like(keys)
    move_keys(store.keys, store.heads, keys, heads)
    arena = np.concatenate([store.arena, np.zeros_like(store.arena)])
    return store._replace(keys=keys, heads=heads, arena=arena)


@step
def slot_of(key, keys):
    """The slot of the key, or the free one where it belongs."""
    slot = (key * np.int64(40503) + (key >> np.int64(15))) & (len(keys) - 1)
    while keys[slot] != EMPTY and keys[slot] != key:
        slot = (slot + 1) & (len(keys) - 1)
    return slot


@kernel
def move_keys(old_keys, old_heads, keys, heads):
    """Enter all keys, with their heads, into a larger table."""
    for old in range(len(old_keys)):
        if old_keys[old] != EMPTY:
            slot = slot_of(old_keys[old], keys)
            keys[slot] = old_keys[old]
            heads[slot] = old_heads[old]


@step
def held_breach(store, path, size, x, on_path):
    """The size of a stored mole that holds ``x`` and otherwise only items of the path; 0 if none does.

    ``x`` ranks above all items of the path, except perhaps the first.
    """
    for d in range(size if store.tops[1] > 0 else 0):
        low = min(x, path[d])
        high = max(x, path[d])
        slot = slot_of(np.int64(low) * len(store.item_heads) + high, store.keys)
        if store.keys[slot] == EMPTY:
            continue
        at = store.heads[slot]
        while at != EMPTY:
            held = True
            for m in range(store.arena[at + 1]):
                z = store.arena[at + 2 + 2 * m]
                if z != x and not on_path[z]:
                    held = False
                    break
            if held:
                return np.int64(store.arena[at + 1])
            at = np.int64(store.arena[at])
    return np.int64(0)


@step
def store_breach(store, path, size):
    """Keep the first ``size`` items of the path as a mole; False if there is no room."""
    at = store.tops[0]
    if at + 2 * size + 2 > len(store.arena) or 2 * (store.tops[1] + 1) > len(store.keys):
        return False
    low = min(path[0], path[1])
    high = max(path[0], path[1])
    for d in range(2, size):
        if path[d] > high:
            low = high
            high = path[d]
        elif path[d] > low:
            low = path[d]
    key = np.int64(low) * len(store.item_heads) + high
    slot = slot_of(key, store.keys)
    if store.keys[slot] == EMPTY:
        store.keys[slot] = key
        store.heads[slot] = EMPTY
        store.tops[1] += 1
    store.arena[at] = store.heads[slot]
    store.heads[slot] = at
    store.arena[at + 1] = size
    for d in range(size):
        store.arena[at + 2 + 2 * d] = path[d]
        store.arena[at + 3 + 2 * d] = store.item_heads[path[d]]
        store.item_heads[path[d]] = at
    store.tops[0] += 2 * size + 2
    return True
