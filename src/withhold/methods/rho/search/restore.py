"""Put deleted occurrences back where that harms nobody.

Putting e back into record r raises sup(qe) for every q ⊆ r, and sup(q) together with sup(qf) for every
q ⊆ r with e ∈ q and f ∈ r. So it is safe iff the closed sets of {r ∩ t : t ∈ D_e} stay safe for e, and
for each sensitive f of r those of {r ∩ t : t ∈ D_f} that hold e stay safe for f.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.arrays import room_for, sort_ascending
from withhold.counting.bits import set_bit
from withhold.counting.jit import kernel
from withhold.counting.local_rows import merge_local_rows
from withhold.methods.rho.search.bounded import find_small_unsafe, holds_item
from withhold.methods.rho.search.closed_visit import visit_closed_sets
from withhold.methods.rho.search.room import find_within, has_room
from withhold.methods.rho.search.within import (
    find_subset_unsafe,
    forget_holders,
    gather_within,
    index_holders,
    mask_of,
)

SKIPPED, BLOCKED, ACCEPTED = 0, 1, 2
SHORT = 11
"""Up to so many items, all subsets of a record are looked at together."""
MANY = 128
"""After so many were put back, the index of the item's records is made anew."""


@kernel
def restore(
    candidates,
    candidate_rows,
    candidate_items,
    offsets,
    items,
    post_offsets,
    post_rows,
    supports,
    bitmaps,
    sensitive,
    num,
    den,
    with_prior,
    max_known,
    rows_per_set,
    ceilings,
    put_back,
    outcomes,
    stop,
):
    """Try to put back each candidate (a position, its row and item), in the order given: by item.

    ``max_known`` is -1 for attackers who may know any number of items; ``rows_per_set`` is for
    ``find_small_unsafe``. Sets ``outcomes`` to ACCEPTED, BLOCKED or SKIPPED (its item is at its ceiling, or
    ``stop``). With ``put_back`` what is accepted is put into ``items``, ``supports`` and ``bitmaps`` at
    once; without, each is looked at for itself.
    Returns for each candidate what blocked it: an antecedent (starts, items), a consequent, and
    ``extra`` as ``has_room`` takes it.
    """
    n_items = len(post_offsets) - 1
    first_bitmap = n_items - bitmaps.shape[0]
    local_of = np.full(n_items, -1, np.int32)
    group_of = np.empty(len(offsets), np.int32)
    row_items = np.empty(4096, np.int32)
    state = np.ones(1, np.int64)
    longest = np.int64(0)
    for row in range(len(offsets) - 1):
        longest = max(longest, offsets[row + 1] - offsets[row])
    ranks = np.empty(longest + 1, np.int32)
    itemset = np.empty(longest + 1, np.int32)
    with_e = np.empty(longest + 2, np.int32)
    joint_of = np.empty(1 << SHORT, np.int64)
    # D_e of the item at hand, with its own postings; what is put back meanwhile stands behind it.
    indexed = -1
    n_holders = 0
    n_restored = 0
    # Rules q→e found without room: while e is at hand they stay so, for no other item comes back.
    n_known = 0
    known = np.empty(len(candidates), np.int64)
    holders = np.empty(len(offsets) + MANY, np.int32)
    # In how many records e is together with each item, for attackers who know few.
    joints_with = np.zeros(n_items, np.int64)
    postings = np.empty(0, np.int32)
    begin_of = np.zeros(n_items, np.int64)
    end_of = np.zeros(n_items, np.int64)
    masks = np.zeros(len(offsets), np.int32)
    met = np.empty(len(offsets), np.int32)
    consequents = np.empty(longest + 1, np.int32)
    blocked_starts = np.zeros(len(candidates) + 1, np.int64)
    blocked_items = np.empty(1024, np.int32)
    blocked_by = np.zeros(len(candidates), np.int32)
    blocked_extra = np.zeros(len(candidates), np.int64)
    for candidate in range(len(candidates)):
        used = blocked_starts[candidate]
        blocked_starts[candidate + 1] = used
        position = candidates[candidate]
        row = candidate_rows[candidate]
        e = candidate_items[candidate]
        outcomes[candidate] = SKIPPED
        if stop[0] != 0 or supports[e] >= ceilings[e]:
            continue
        if e != indexed or n_restored == MANY:
            forget_holders(n_holders, holders, offsets, items, begin_of, end_of)
            n_holders, postings = index_holders(
                e, offsets, items, post_offsets, post_rows, begin_of, end_of, holders
            )
            if e != indexed:
                n_known = 0
            if max_known >= 0:
                joints_with[:] = 0
                for h in range(n_holders):
                    for p in range(offsets[holders[h]], offsets[holders[h] + 1]):
                        if items[p] >= 0:
                            joints_with[items[p]] += 1
            indexed = e
            n_restored = 0
        # First the rules q→e; then, for each sensitive f that the record holds, the rules q→f with e ∈ q.
        consequents[0] = e
        n_consequents = 1
        for p in range(offsets[row], offsets[row + 1]):
            if items[p] >= 0 and sensitive[items[p]]:
                consequents[n_consequents] = items[p]
                n_consequents += 1
        safe = True
        for turn in range(n_consequents):
            if turn > 0 and max_known == 0:
                break
            if turn == 0 and not sensitive[e]:
                continue
            f = consequents[turn]
            extra = 0 if turn == 0 else 1
            block = np.int64(-1)
            n_local = 0
            for p in range(offsets[row], offsets[row + 1]):
                x = e if p == position else items[p]
                if x >= 0 and x != f:
                    ranks[n_local] = x
                    n_local += 1
            for k in range(n_local):
                local_of[ranks[k]] = k
            if turn == 0:
                block = find_within(known, n_known, blocked_starts, blocked_items, local_of)
                if block >= 0:
                    safe = False
                    size = blocked_starts[block + 1] - blocked_starts[block]
                    for k in range(size):
                        itemset[k] = blocked_items[blocked_starts[block] + k]
            if not safe:
                pass
            elif max_known >= 0:
                size = find_small_unsafe(
                    f,
                    -1 if turn == 0 else e,
                    ranks,
                    n_local,
                    extra,
                    max_known,
                    with_prior,
                    num,
                    den,
                    offsets,
                    items,
                    post_offsets,
                    post_rows,
                    supports,
                    bitmaps,
                    rows_per_set,
                    joints_with,
                    local_of,
                    itemset,
                )
                if size >= 0:
                    safe = False
                    sort_ascending(itemset, size)
            else:
                # The whole record, then (if it is long) the record less one item: most end here.
                for leave_out in range(n_local, n_local - 1 if n_local <= SHORT else -1, -1):
                    if turn > 0 and leave_out < n_local and ranks[leave_out] == e:
                        continue
                    size = 0
                    for k in range(n_local):
                        if k != leave_out:
                            itemset[size] = ranks[k]
                            size += 1
                    if size == 0 and not with_prior:
                        continue
                    if not has_room(
                        itemset,
                        size,
                        f,
                        extra,
                        with_e,
                        num,
                        den,
                        offsets,
                        items,
                        post_offsets,
                        post_rows,
                        supports,
                        bitmaps,
                    ):
                        safe = False
                        break
                if safe and n_local <= SHORT:
                    for mask in range(1 << n_local):
                        joint_of[mask] = 0
                    if turn == 0:
                        # Only records that share an item with this one need to be touched.
                        n_met = 0
                        for k in range(n_local):
                            for h in range(begin_of[ranks[k]], end_of[ranks[k]]):
                                if masks[postings[h]] == 0:
                                    met[n_met] = postings[h]
                                    n_met += 1
                                masks[postings[h]] |= 1 << k
                        joint_of[0] = n_holders - n_met
                        for h in range(n_met):
                            joint_of[masks[met[h]]] += 1
                            masks[met[h]] = 0
                    else:
                        for h in range(begin_of[f], end_of[f]):
                            joint_of[mask_of(holders[postings[h]], local_of, offsets, items)] += 1
                    for h in range(n_holders, n_holders + n_restored):
                        if turn == 0 or holds_item(holders[h], f, offsets, items):
                            joint_of[mask_of(holders[h], local_of, offsets, items)] += 1
                    size = find_subset_unsafe(
                        joint_of,
                        ranks,
                        n_local,
                        extra,
                        with_prior,
                        num,
                        den,
                        offsets,
                        items,
                        post_offsets,
                        post_rows,
                        supports,
                        bitmaps,
                        itemset,
                    )
                    if size >= 0:
                        safe = False
                elif safe:
                    n_rows, row_offsets, row_items = gather_within(
                        f,
                        -1 if turn == 0 else e,
                        n_local,
                        offsets,
                        items,
                        post_offsets,
                        post_rows,
                        local_of,
                        row_items,
                    )
                    n_groups, first_of, weights = merge_local_rows(
                        n_rows, row_offsets, row_items, group_of
                    )
                    weights[group_of[n_rows - 1]] -= 1
                    result = visit_closed_sets(
                        n_groups,
                        first_of,
                        weights,
                        row_offsets,
                        row_items,
                        n_local,
                        ranks,
                        with_prior,
                        1,
                        extra,
                        False,
                        num,
                        den,
                        False,
                        state,
                        offsets,
                        items,
                        post_offsets,
                        post_rows,
                        supports,
                        bitmaps,
                        stop,
                    )
                    if result[0]:
                        safe = False
                        size = result[5][1]
                        for k in range(size):
                            itemset[k] = result[6][k]
            for k in range(n_local):
                local_of[ranks[k]] = -1
            if stop[0] != 0:
                safe = False
                break
            if not safe:
                blocked_items = room_for(blocked_items, used + size)
                for k in range(size):
                    blocked_items[used + k] = itemset[k]
                blocked_starts[candidate + 1] = used + size
                blocked_by[candidate] = f
                if turn == 0 and block < 0:
                    known[n_known] = candidate
                    n_known += 1
                blocked_extra[candidate] = extra
                outcomes[candidate] = BLOCKED
                break
        if safe:
            outcomes[candidate] = ACCEPTED
        if safe and put_back:
            if max_known >= 0:
                for p in range(offsets[row], offsets[row + 1]):
                    if items[p] >= 0:
                        joints_with[items[p]] += 1
            items[position] = e
            holders[n_holders + n_restored] = row
            n_restored += 1
            supports[e] += 1
            set_bit(bitmaps, first_bitmap, e, row)
    return blocked_starts, blocked_items, blocked_by, blocked_extra
