"""Put deleted occurrences back where that harms nobody.

Putting e back into record r raises sup(qe) for every q ⊆ r, and sup(q) together with sup(qf) for every
q ⊆ r with e ∈ q and f ∈ r. So it is safe iff the closed sets of {r ∩ t : t ∈ D_e} stay safe for e, and
for each sensitive f of r those of {r ∩ t : t ∈ D_f} that hold e stay safe for f.
"""

from __future__ import annotations

import numpy as np

from withhold.kernels.arrays import room_for, sort_ascending
from withhold.kernels.bits import set_bit
from withhold.kernels.bounded import find_small_unsafe, holds_item
from withhold.kernels.closed import count_support
from withhold.kernels.closed_fix import merge_local_rows, visit_closed_sets
from withhold.kernels.jit import kernel

SKIPPED, BLOCKED, ACCEPTED = 0, 1, 2
SHORT = 11
"""Up to so many items, all subsets of a record are looked at together."""
MANY = 128
"""After so many were put back, the index of the item's records is made anew."""


@kernel
def has_room(  # type: ignore[no-untyped-def]
    itemset, size, e, extra, with_e, num, den, offsets, items, post_offsets, post_rows, supports,
    bitmaps,
):
    """Whether the rule itemset→e stays safe with one more record that holds both.

    ``extra`` is 1 if that record does not hold the itemset yet, else 0. ``with_e`` is scratch.
    """
    n = 0
    placed = False
    for k in range(size):
        if not placed and e < itemset[k]:
            with_e[n] = e
            n += 1
            placed = True
        with_e[n] = itemset[k]
        n += 1
    if not placed:
        with_e[n] = e
        n += 1
    n_rows = np.int64(len(offsets) - 1)
    joint = count_support(
        with_e, n, n_rows, offsets, items, post_offsets, post_rows, supports, bitmaps
    )
    enough = ((joint + 1) * den + num - 1) // num - extra
    support = count_support(
        itemset, size, enough, offsets, items, post_offsets, post_rows, supports, bitmaps
    )
    return support >= enough


@kernel
def find_loose_events(  # type: ignore[no-untyped-def]
    events,
    event_starts,
    event_items,
    consequents,
    extras,
    offsets,
    items,
    post_offsets,
    post_rows,
    supports,
    bitmaps,
    num,
    den,
    loose,
    stop,
):
    """Mark those of ``events``, rules C→e, that have room for one more record.

    A deletion that answered a rule which is still tight cannot be undone; most end here.
    """
    largest = np.int64(0)
    for event in events:
        largest = max(largest, event_starts[event + 1] - event_starts[event])
    antecedent = np.empty(largest + 1, np.int32)
    with_e = np.empty(largest + 2, np.int32)
    for event in events:
        if stop[0] != 0:
            return
        size = 0
        for k in range(event_starts[event], event_starts[event + 1]):
            antecedent[size] = event_items[k]
            size += 1
        loose[event] = has_room(
            antecedent,
            size,
            consequents[event],
            extras[event],
            with_e,
            num,
            den,
            offsets,
            items,
            post_offsets,
            post_rows,
            supports,
            bitmaps,
        )


@kernel
def find_astray(events, rows, event_starts, event_items, offsets, items, astray):  # type: ignore[no-untyped-def]
    """Mark the deletions whose event no longer concerns their record: it lost more of the antecedent."""
    for k in range(len(events)):
        p = offsets[rows[k]]
        end = offsets[rows[k] + 1]
        for wanted in range(event_starts[events[k]], event_starts[events[k] + 1]):
            while p < end and items[p] < event_items[wanted]:
                p += 1
            if p == end or items[p] != event_items[wanted]:
                astray[k] = True
                break


@kernel
def find_touched_events(  # type: ignore[no-untyped-def]
    events, event_starts, event_items, row_starts, rows, offsets, items, touched
):
    """Mark the events whose antecedent some record holds that got one of its items back.

    ``rows[row_starts[x]:row_starts[x + 1]]`` are the records that got item x back. Only there can a
    rule that was tight have gained room.
    """
    for event in events:
        begin = event_starts[event]
        end = event_starts[event + 1]
        for k in range(begin, end):
            x = event_items[k]
            for r in range(row_starts[x], row_starts[x + 1]):
                p = offsets[rows[r]]
                row_end = offsets[rows[r] + 1]
                matched = begin
                while p < row_end and matched < end and items[p] <= event_items[matched]:
                    if items[p] == event_items[matched]:
                        matched += 1
                    p += 1
                if matched == end:
                    touched[event] = True
                    break
            if touched[event]:
                break


@kernel
def gather_within(  # type: ignore[no-untyped-def]
    first, second, n_local, offsets, items, post_offsets, post_rows, local_of, row_items
):
    """The records that hold both items (``second`` may be -1), cut to the items numbered in ``local_of``.

    The last row is the record itself: all local items, its weight to be taken off again.
    """
    key = first
    if second >= 0 and (
        post_offsets[second + 1] - post_offsets[second]
        < post_offsets[first + 1] - post_offsets[first]
    ):
        key = second
    room = post_offsets[key + 1] - post_offsets[key] + 1
    row_offsets = np.zeros(room + 1, np.int64)
    if len(row_items) < room * n_local:
        row_items = np.empty(2 * room * n_local, np.int32)
    n_rows = 0
    at = np.int64(0)
    for posting in range(post_offsets[key], post_offsets[key + 1]):
        row = post_rows[posting]
        has_first = False
        has_second = second < 0
        begin = at
        for p in range(offsets[row], offsets[row + 1]):
            x = items[p]
            if x < 0:
                continue
            if x == first:
                has_first = True
            if x == second:
                has_second = True
            if local_of[x] >= 0:
                row_items[at] = local_of[x]
                at += 1
        if has_first and has_second:
            n_rows += 1
            row_offsets[n_rows] = at
        else:
            at = begin
    for local in range(n_local):
        row_items[at] = local
        at += 1
    n_rows += 1
    row_offsets[n_rows] = at
    return n_rows, row_offsets, row_items


@kernel
def index_holders(  # type: ignore[no-untyped-def]
    e, offsets, items, post_offsets, post_rows, begin_of, end_of, holders
):
    """D_e with its own postings: for each item x the places in ``holders`` of records with e and x.

    ``begin_of`` and ``end_of`` (by rank) must be all 0; they are filled for the items that occur.
    Returns the number of holders and the postings.
    """
    n = 0
    total = np.int64(0)
    for posting in range(post_offsets[e], post_offsets[e + 1]):
        row = post_rows[posting]
        if holds_item(row, e, offsets, items):
            holders[n] = row
            n += 1
            for p in range(offsets[row], offsets[row + 1]):
                if items[p] >= 0:
                    end_of[items[p]] += 1
                    total += 1
    postings = np.empty(total, np.int32)
    at = np.int64(0)
    for h in range(n):
        for p in range(offsets[holders[h]], offsets[holders[h] + 1]):
            x = items[p]
            if x < 0:
                continue
            if end_of[x] > 0:
                # First met: reserve its places; from now on end_of counts upwards, below zero.
                begin_of[x] = at
                at += end_of[x]
                end_of[x] = -begin_of[x] - 1
            postings[-end_of[x] - 1] = h
            end_of[x] -= 1
    for h in range(n):
        for p in range(offsets[holders[h]], offsets[holders[h] + 1]):
            x = items[p]
            if x >= 0 and end_of[x] < 0:
                end_of[x] = -end_of[x] - 1
    return n, postings


@kernel
def forget_holders(n, holders, offsets, items, begin_of, end_of):  # type: ignore[no-untyped-def]
    """Make ``begin_of`` and ``end_of`` all 0 again."""
    for h in range(n):
        for p in range(offsets[holders[h]], offsets[holders[h] + 1]):
            if items[p] >= 0:
                begin_of[items[p]] = 0
                end_of[items[p]] = 0


@kernel
def mask_of(row, local_of, offsets, items):  # type: ignore[no-untyped-def]
    """Which of the locally numbered items the row holds, as bits."""
    mask = 0
    for p in range(offsets[row], offsets[row + 1]):
        if items[p] >= 0 and local_of[items[p]] >= 0:
            mask |= 1 << local_of[items[p]]
    return mask


@kernel
def find_subset_unsafe(  # type: ignore[no-untyped-def]
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
    found,
):
    """An unsafe subset of a short record, given how many records leave each subset of it.

    ``joint_of[mask]`` counts the records with the consequent that hold exactly these of the record's
    items; it is summed over supersets here. Only closed subsets are looked at. Fills ``found`` and
    returns its size, or -1.
    """
    n_masks = 1 << n_local
    # The record to come holds them all.
    joint_of[n_masks - 1] += 1
    for local in range(n_local):
        bit = 1 << local
        for mask in range(n_masks):
            if mask & bit == 0:
                joint_of[mask] += joint_of[mask | bit]
    for mask in range(n_masks - 1, -1, -1):
        joint = joint_of[mask]
        size = 0
        closed = True
        for local in range(n_local):
            if mask & (1 << local):
                found[size] = ranks[local]
                size += 1
            elif joint_of[mask | (1 << local)] == joint:
                closed = False
                break
        if not closed or (size == 0 and not with_prior):
            continue
        enough = (joint * den + num - 1) // num - extra
        if (
            count_support(
                found, size, enough, offsets, items, post_offsets, post_rows, supports, bitmaps
            )
            < enough
        ):
            return size
    return -1


@kernel
def restore(  # type: ignore[no-untyped-def]
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
    ceilings,
    outcomes,
    stop,
):
    """Try to put back each candidate (a position, its row and item), in the order given: by item.

    ``max_known`` is -1 for attackers who may know any number of items. Changes ``items``,
    ``supports``, ``bitmaps``; sets ``outcomes`` to ACCEPTED, BLOCKED or SKIPPED (its item is at its
    ceiling, or ``stop``). Returns for each candidate what blocked it: an antecedent (starts, items), a consequent, and ``extra`` as
    ``has_room`` takes it.
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
    holders = np.empty(len(offsets) + MANY, np.int32)
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
            n_local = 0
            for p in range(offsets[row], offsets[row + 1]):
                x = e if p == position else items[p]
                if x >= 0 and x != f:
                    ranks[n_local] = x
                    n_local += 1
            if max_known >= 0:
                for k in range(n_local):
                    local_of[ranks[k]] = k
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
                    local_of,
                    itemset,
                )
                for k in range(n_local):
                    local_of[ranks[k]] = -1
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
                if safe:
                    for k in range(n_local):
                        local_of[ranks[k]] = k
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
                    for k in range(n_local):
                        local_of[ranks[k]] = -1
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
                    for k in range(n_local):
                        local_of[ranks[k]] = -1
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
            if stop[0] != 0:
                safe = False
                break
            if not safe:
                blocked_items = room_for(blocked_items, used + size)
                for k in range(size):
                    blocked_items[used + k] = itemset[k]
                blocked_starts[candidate + 1] = used + size
                blocked_by[candidate] = f
                blocked_extra[candidate] = extra
                outcomes[candidate] = BLOCKED
                break
        if safe:
            items[position] = e
            holders[n_holders + n_restored] = row
            n_restored += 1
            supports[e] += 1
            set_bit(bitmaps, first_bitmap, e, row)
            outcomes[candidate] = ACCEPTED
    return blocked_starts, blocked_items, blocked_by, blocked_extra
