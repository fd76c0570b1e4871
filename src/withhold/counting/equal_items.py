"""Items of a long record that are in exactly the same records: for a verdict one of them is enough.

Let x and y be in the same records, and let neither be an item to be inferred. A set with x in place of y has
the same records; a set with both has those of the set without x, which is smaller. So whatever follows from a
set with x follows from one with y that is no larger, and x can be left out. A record with a million items
that no other record has is then as short as the others; otherwise each of them would be combined with each.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from dataclasses import replace

import numpy as np

from withhold.counting.jit import kernel
from withhold.data import Records
from withhold.data.array_types import Bools, Ints

LONG = 500
"""This is done if a record has at least this many items; otherwise every item is checked and counted."""


def needed_occurrences(records: Records, special: Ints, flags: Bools | None = None) -> Bools | None:
    """The occurrences to check, always those of items in ``special``; None if no record is long.

    Items count as equal only if their ``flags``, one for each occurrence, are equal too.
    """
    if records.lengths.max(initial=0) < LONG:
        return None
    order = np.argsort(records.items, kind="stable")
    rows = np.repeat(np.arange(len(records), dtype=np.int64), records.lengths)[order]
    keys = 2 * rows + (0 if flags is None else flags[order])
    starts = np.zeros(records.n_items + 1, dtype=np.int64)
    np.cumsum(records.supports, out=starts[1:])
    # A sum of scrambled keys brings equal items together; the keys themselves decide.
    mixed = (keys.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed, dtype=np.uint64)])
    hashes = sums[starts[1:]] - sums[starts[:-1]]
    is_special = np.zeros(records.n_items, dtype=np.bool_)
    is_special[special] = True
    codes = np.flatnonzero(~is_special & (records.supports > 0))
    codes = codes[np.lexsort((codes, hashes[codes]))]
    needless = np.zeros(records.n_items, dtype=np.bool_)
    find_equal(codes, hashes, starts, keys, needless)
    needed: Bools = ~needless[records.items]
    return needed


def only_needed(records: Records, needed: Bools) -> Records:
    """The records with these occurrences and no other."""
    before = np.concatenate([[0], np.cumsum(needed, dtype=np.int64)])
    return replace(records, offsets=before[records.offsets], items=records.items[needed])


def without_equal_items(records: Records, special: Ints) -> Records:
    """The records as they are, or, if some are long, with one of their equal items each."""
    needed = needed_occurrences(records, special)
    return records if needed is None else only_needed(records, needed)


@kernel
def find_equal(codes, hashes, starts, keys, needless):
    """Mark the codes whose keys are those of an earlier code; codes with equal hashes are neighbours."""
    head = 0
    for n in range(1, len(codes)):
        if hashes[codes[n]] != hashes[codes[head]]:
            head = n
            continue
        # Different items with one hash: each is compared with the first, and stays if it differs.
        one = starts[codes[head]]
        other = starts[codes[n]]
        size = starts[codes[head] + 1] - one
        equal = starts[codes[n] + 1] - other == size
        k = 0
        while equal and k < size:
            equal = keys[one + k] == keys[other + k]
            k += 1
        needless[codes[n]] = equal
