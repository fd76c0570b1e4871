"""Whether a set that was drawn from a row is a minimal mole, and the row the first that holds it.

Counted only from the first row that holds it, each is counted once among all choices of a row and a set.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.attack import row_holds
from withhold.counting.jit import kernel


@kernel
def is_faulty(
    itemset,
    size,
    offsets,
    items,
    post_offsets,
    post_rows,
    private_offsets,
    private_items,
    k,
    num,
    den,
    joint,
    touched,
):
    """Whether fewer than ``k`` rows hold the public set, or a private item is in too many of these.

    Also the first row that holds it.
    """
    support = np.int64(0)
    most = np.int64(0)
    first = -1
    n_touched = 0
    for posting in range(post_offsets[itemset[0]], post_offsets[itemset[0] + 1]):
        row = post_rows[posting]
        if not row_holds(row, itemset, size, offsets, items):
            continue
        if first < 0:
            first = row
        support += 1
        if num < den:
            for q in range(private_offsets[row], private_offsets[row + 1]):
                s = private_items[q]
                if joint[s] == 0:
                    touched[n_touched] = s
                    n_touched += 1
                joint[s] += 1
    for t in range(n_touched):
        most = max(most, joint[touched[t]])
        joint[touched[t]] = 0
    return support < k or most * den > num * support, first


@kernel
def are_first_minimal_moles(
    row_of,
    known,
    offsets,
    items,
    post_offsets,
    post_rows,
    private_offsets,
    private_items,
    k,
    num,
    den,
    stop,
    hits,
):
    """Mark in ``hits`` the draws that are moles, contain none, and have the first row that holds them.

    The empty set is not looked at: it must not be a mole.
    """
    size = known.shape[1]
    n_items = len(post_offsets) - 1
    joint = np.zeros(n_items, np.int64)
    touched = np.empty(n_items, np.int32)
    part = np.empty(size, np.int32)
    for trial in range(len(row_of)):
        minimal = True
        # The whole first, as its row decides; each part of it once, as a pattern of bits.
        for bits in range((1 << size) - 1, 0, -1):
            if stop[0] != 0:
                return
            n = 0
            for place in range(size):
                if (bits >> place) & 1:
                    part[n] = known[trial, place]
                    n += 1
            faulty, first = is_faulty(
                part,
                n,
                offsets,
                items,
                post_offsets,
                post_rows,
                private_offsets,
                private_items,
                k,
                num,
                den,
                joint,
                touched,
            )
            if (n == size) != faulty or (n == size and first != row_of[trial]):
                minimal = False
                break
        hits[trial] = minimal
