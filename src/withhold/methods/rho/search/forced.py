"""Records whose sensitive items must all go, whatever else happens.

If only sensitive items are deleted, the non-sensitive items N(r) of record r stay, and so does their
support. A sensitive item left in r would follow from N(r) with confidence at least 1/sup(N(r)).
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.arrays import room_for
from withhold.counting.jit import kernel


@kernel
def find_forced(
    offsets,
    items,
    post_offsets,
    post_rows,
    post_positions,
    sensitive,
    root_from,
    root_to,
    num,
    den,
    supports_of_rest,
    stop,
):
    """For the rows r with a sensitive item and sup(N(r)) < den/num: sup(N(r)), at least 1.

    Only rows whose rarest non-sensitive item is in [root_from, root_to); other places of
    ``supports_of_rest`` stay as they are. The rows of that item are delivered to the next items, so that
    N(r) is looked for only among the rows that hold its two rarest items.
    """
    n_items = len(post_offsets) - 1
    enough = np.int64((den + num - 1) // num)
    count_of = np.zeros(n_items, np.int64)
    start_of = np.zeros(n_items, np.int64)
    touched = np.empty(n_items, np.int32)
    pool_row = np.empty(1024, np.int32)
    pool_position = np.empty(1024, np.int32)
    for root in range(root_from, root_to):
        if stop[0] != 0:
            return
        if sensitive[root]:
            continue
        # Before anything is delivered: else a long row costs the square of its length.
        any_rarest = False
        for posting in range(post_offsets[root], post_offsets[root + 1]):
            p = offsets[post_rows[posting]]
            while sensitive[items[p]]:
                p += 1
            if p == post_positions[posting]:
                any_rarest = True
                break
        if not any_rarest:
            continue
        n_root = post_offsets[root + 1] - post_offsets[root]
        n_touched = 0
        top = np.int64(0)
        for posting in range(post_offsets[root], post_offsets[root + 1]):
            row = post_rows[posting]
            for p in range(post_positions[posting] + 1, offsets[row + 1]):
                x = items[p]
                if not sensitive[x]:
                    if count_of[x] == 0:
                        touched[n_touched] = x
                        n_touched += 1
                    count_of[x] += 1
                    top += 1
        pool_row = room_for(pool_row, top)
        pool_position = room_for(pool_position, top)
        at = np.int64(0)
        for t in range(n_touched):
            start_of[touched[t]] = at
            at += count_of[touched[t]]
            count_of[touched[t]] = 0
        for posting in range(post_offsets[root], post_offsets[root + 1]):
            row = post_rows[posting]
            for p in range(post_positions[posting] + 1, offsets[row + 1]):
                x = items[p]
                if not sensitive[x]:
                    pool_row[start_of[x] + count_of[x]] = row
                    pool_position[start_of[x] + count_of[x]] = p
                    count_of[x] += 1
        for posting in range(post_offsets[root], post_offsets[root + 1]):
            row = post_rows[posting]
            n_sensitive = 0
            rarest = True
            for p in range(offsets[row], offsets[row + 1]):
                if sensitive[items[p]]:
                    n_sensitive += 1
                elif p < post_positions[posting]:
                    rarest = False
                    break
            if not rarest or n_sensitive == 0:
                continue
            second = post_positions[posting] + 1
            while second < offsets[row + 1] and sensitive[items[second]]:
                second += 1
            support = np.int64(0)
            if second == offsets[row + 1]:
                support = n_root
            else:
                x = items[second]
                for k in range(start_of[x], start_of[x] + count_of[x]):
                    other = pool_row[k]
                    q = pool_position[k]
                    p = second + 1
                    while p < offsets[row + 1]:
                        wanted = items[p]
                        if not sensitive[wanted]:
                            q += 1
                            while q < offsets[other + 1] and items[q] < wanted:
                                q += 1
                            if q == offsets[other + 1] or items[q] != wanted:
                                break
                        p += 1
                    if p == offsets[row + 1]:
                        support += 1
                        if support >= enough:
                            break
            if support < enough:
                supports_of_rest[row] = support
        for t in range(n_touched):
            count_of[touched[t]] = 0


@kernel
def list_forced(rows, offsets, items, sensitive, code_of_rank, origin):
    """What goes from these rows and why: all sensitive items, each because of the row's others.

    Returns where the others of each row start, their codes, the places of the sensitive ones in the
    table, and for each of these the number of its row in ``rows``.
    """
    n_gone = np.int64(0)
    starts = np.zeros(len(rows) + 1, np.int64)
    for k in range(len(rows)):
        starts[k + 1] = starts[k]
        for p in range(offsets[rows[k]], offsets[rows[k] + 1]):
            if sensitive[items[p]]:
                n_gone += 1
            else:
                starts[k + 1] += 1
    others = np.empty(starts[len(rows)], np.int32)
    gone = np.empty(n_gone, np.int32)
    answers = np.empty(n_gone, np.int32)
    at = 0
    n_gone = np.int64(0)
    for k in range(len(rows)):
        for p in range(offsets[rows[k]], offsets[rows[k] + 1]):
            if sensitive[items[p]]:
                gone[n_gone] = origin[p]
                answers[n_gone] = k
                n_gone += 1
            else:
                others[at] = code_of_rank[items[p]]
                at += 1
    return starts, others, gone, answers
