"""Fix every unsafe closed set of D_e, one consequent after another.

While e is being deleted no sup(C) changes, for C never holds e: one pass over the closed sets of D_e
finishes e. The rows of D_e are copied and merged; deleting lowers the weight of a merged row.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.arrays import room_for
from withhold.counting.bits import clear_bit
from withhold.counting.jit import kernel
from withhold.counting.local_rows import gather, merge_local_rows
from withhold.methods.rho.search.closed_visit import visit_closed_sets


@kernel
def fix_consequents(
    pairs,
    offsets,
    items,
    post_offsets,
    post_rows,
    supports,
    bitmaps,
    num,
    den,
    with_prior,
    at_random,
    state,
    stop,
):
    """For each pair (e, d) make all rules q→e safe, with d ∈ q unless d is -1, by deleting e.

    Deletes in ``items`` (-1). Returns how many pairs were finished, and deletions and events as
    ``sweep`` does.
    """
    n_items = len(post_offsets) - 1
    n_all = len(offsets) - 1
    first_bitmap = n_items - bitmaps.shape[0]
    local_of = np.full(n_items, -1, np.int32)
    ranks = np.empty(n_items, np.int32)
    rows = np.empty(n_all, np.int32)
    group_of = np.empty(n_all, np.int32)
    n_deleted = 0
    deleted = np.empty(1024, np.int32)
    answers = np.empty(1024, np.int32)
    n_events = 0
    event_starts = np.zeros(1024, np.int64)
    event_numbers = np.empty(1024, np.int64)
    event_items = np.empty(1024, np.int32)
    done = 0
    for pair in range(len(pairs)):
        if stop[0] != 0:
            break
        e = pairs[pair, 0]
        n_rows, n_local, row_offsets, row_items = gather(
            e, pairs[pair, 1], offsets, items, post_offsets, post_rows, local_of, ranks, rows
        )
        done += 1
        if n_rows == 0:
            continue
        n_groups, first_of, weights = merge_local_rows(n_rows, row_offsets, row_items, group_of)
        _, n_lowered, lowered, why, n_new, starts, antecedents, numbers = visit_closed_sets(
            n_groups,
            first_of,
            weights,
            row_offsets,
            row_items,
            n_local,
            ranks,
            with_prior,
            0,
            0,
            True,
            num,
            den,
            at_random,
            state,
            offsets,
            items,
            post_offsets,
            post_rows,
            supports,
            bitmaps,
            stop,
        )
        if stop[0] != 0:
            done -= 1
        if n_lowered == 0:
            continue
        used = event_starts[n_events]
        event_starts = room_for(event_starts, n_events + n_new + 1)
        event_items = room_for(event_items, used + starts[n_new])
        event_numbers = room_for(event_numbers, 3 * (n_events + n_new))
        for k in range(n_new):
            event_starts[n_events + k + 1] = used + starts[k + 1]
            event_numbers[3 * (n_events + k)] = e
            event_numbers[3 * (n_events + k) + 1] = numbers[2 * k]
            event_numbers[3 * (n_events + k) + 2] = numbers[2 * k + 1]
        for k in range(starts[n_new]):
            event_items[used + k] = ranks[antecedents[k]]
        # Each group's rows in turn, longest first: the group says how many, the row loses e.
        deleted = room_for(deleted, n_deleted + n_lowered)
        answers = room_for(answers, n_deleted + n_lowered)
        next_row = np.full(n_groups, -1, np.int64)
        following = np.empty(n_rows, np.int64)
        for r in range(n_rows - 1, -1, -1):
            following[r] = next_row[group_of[r]]
            next_row[group_of[r]] = r
        for k in range(n_lowered):
            r = next_row[lowered[k]]
            next_row[lowered[k]] = following[r]
            row = rows[r]
            for p in range(offsets[row], offsets[row + 1]):
                if items[p] == e:
                    items[p] = -1
                    supports[e] -= 1
                    clear_bit(bitmaps, first_bitmap, e, row)
                    deleted[n_deleted] = p
                    answers[n_deleted] = n_events + why[k]
                    n_deleted += 1
                    break
        n_events += n_new
    return (
        done,
        deleted[:n_deleted],
        answers[:n_deleted],
        event_starts[: n_events + 1],
        event_items[: event_starts[n_events]],
        event_numbers[: 3 * n_events],
    )


@kernel
def find_unsafe_pairs(
    pairs,
    first,
    step,
    offsets,
    items,
    post_offsets,
    post_rows,
    supports,
    bitmaps,
    num,
    den,
    with_prior,
    unsafe,
    stop,
):
    """Set ``unsafe`` for every ``step``-th pair (e, d) from ``first`` on, as some q→e with d ∈ q is unsafe.

    Pairs that ``stop`` left unfinished keep what they had.
    """
    n_items = len(post_offsets) - 1
    n_all = len(offsets) - 1
    local_of = np.full(n_items, -1, np.int32)
    ranks = np.empty(n_items, np.int32)
    rows = np.empty(n_all, np.int32)
    group_of = np.empty(n_all, np.int32)
    nobody = np.ones(1, np.int64)
    for pair in range(first, len(pairs), step):
        if stop[0] != 0:
            break
        n_rows, n_local, row_offsets, row_items = gather(
            pairs[pair, 0],
            pairs[pair, 1],
            offsets,
            items,
            post_offsets,
            post_rows,
            local_of,
            ranks,
            rows,
        )
        if n_rows == 0:
            unsafe[pair] = False
            continue
        n_groups, first_of, weights = merge_local_rows(n_rows, row_offsets, row_items, group_of)
        met = visit_closed_sets(
            n_groups,
            first_of,
            weights,
            row_offsets,
            row_items,
            n_local,
            ranks,
            with_prior,
            0,
            0,
            False,
            num,
            den,
            False,
            nobody,
            offsets,
            items,
            post_offsets,
            post_rows,
            supports,
            bitmaps,
            stop,
        )[0]
        if met or stop[0] == 0:
            unsafe[pair] = met


@kernel
def harmed_pairs(suspects, processed, offsets, items, post_offsets, post_rows, sensitive):
    """The pairs (f, d): f sensitive, in a record with d, looked at before d was deleted somewhere.

    conf(q→f) rises only if sup(q) fell, that is if d ∈ q went from a record. ``processed[f]`` is when
    f was last looked at, ``suspects[k] = (d, when)`` when d last lost an occurrence.
    """
    n_items = len(post_offsets) - 1
    seen = np.full(n_items, -1, np.int64)
    n = 0
    pairs = np.empty((64, 2), np.int32)
    for k in range(len(suspects)):
        d = suspects[k, 0]
        for posting in range(post_offsets[d], post_offsets[d + 1]):
            row = post_rows[posting]
            holds = False
            for p in range(offsets[row], offsets[row + 1]):
                if items[p] == d:
                    holds = True
                    break
            if not holds:
                continue
            for p in range(offsets[row], offsets[row + 1]):
                f = items[p]
                if f >= 0 and f != d and sensitive[f] and seen[f] != k:
                    seen[f] = k
                    if processed[f] < suspects[k, 1]:
                        if n == len(pairs):
                            more = np.empty((2 * n, 2), np.int32)
                            for a in range(n):
                                more[a, 0] = pairs[a, 0]
                                more[a, 1] = pairs[a, 1]
                            pairs = more
                        pairs[n, 0] = f
                        pairs[n, 1] = d
                        n += 1
    return pairs[:n]
