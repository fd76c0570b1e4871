"""Whether a rule or a set that was drawn from a row is one to count, and the row the first that holds it.

A breach q→e is drawn from every row that holds q and e. Counted only from the first of these, each breach is
counted once among all choices of a row, an e of it and a q of it: so the share of such choices that
count, times the number of choices, is the number of breaches. The same for minimal moles.
"""

from __future__ import annotations

import numpy as np

from withhold.kernels.attack import find_rank, row_holds
from withhold.kernels.jit import kernel
from withhold.kernels.people import fears_item
from withhold.kernels.personal_draws import publishes


@kernel
def are_first_breaches(
    row_of, consequents, known, offsets, items, post_offsets, post_rows, num, den, stop, hits
):
    """Mark in ``hits`` the draws q→e (``known``, ascending) above num/den whose row is the first with qe."""
    size = known.shape[1]
    for trial in range(len(row_of)):
        if stop[0] != 0:
            return
        e = consequents[trial]
        support = np.int64(0)
        joint = np.int64(0)
        first = True
        rarest = known[trial, 0]
        for posting in range(post_offsets[rarest], post_offsets[rarest + 1]):
            row = post_rows[posting]
            if not row_holds(row, known[trial], size, offsets, items):
                continue
            support += 1
            if find_rank(e, offsets[row], offsets[row + 1], items) >= 0:
                if row < row_of[trial]:
                    first = False
                    break
                joint += 1
        hits[trial] = first and joint * den > num * support


@kernel
def are_first_personal_breaches(
    row_of, consequents, known, rows, people, fears, num, den, stop, hits
):
    """The same of published rows, where besides somebody who owns q originally must fear e."""
    size = known.shape[1]
    for trial in range(len(row_of)):
        if stop[0] != 0:
            return
        e = consequents[trial]
        support = np.int64(0)
        joint = np.int64(0)
        first = True
        feared = False
        rarest = known[trial, 0]
        for posting in range(rows.post_offsets[rarest], rows.post_offsets[rarest + 1]):
            row = rows.post_rows[posting]
            if not row_holds(row, known[trial], size, rows.offsets, rows.items):
                continue
            if not feared and fears_item(people.of_row[row], e, fears):
                feared = True
            if not publishes(row, known[trial], size, rows):
                continue
            support += 1
            at = find_rank(e, rows.offsets[row], rows.offsets[row + 1], rows.items)
            if at >= 0 and rows.items[at] >= 0:
                if row < row_of[trial]:
                    first = False
                    break
                joint += 1
        hits[trial] = first and feared and joint * den > num * support


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
