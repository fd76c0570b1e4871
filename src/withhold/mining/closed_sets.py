"""All frequent itemsets, or only the closed ones, by depth-first search over ever smaller tables.

Items are ranks, rarest first. An itemset ending in x has a table of its own: of every row that holds it
the *tail*, the items above x that are still frequent there. Rows with equal tails are merged and their
weights added, which is what keeps deep searches small.

An itemset is closed iff no other item is in all of its rows. Items above x that are, join it at once. If
an item below x is, the closed set is found from that item instead (Uno's prefix-preserving extension).
So for closed sets a row also carries its *head*, the items below x; merged rows keep what their heads
have in common, since nothing else can be in all rows of a descendant.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.arrays import room_for
from withhold.counting.jit import kernel
from withhold.mining.heads import (
    drop_rare_heads,
    is_new_closure,
    keep_common,
    mark_new_closures,
)

FINISHED, TOO_MANY, STOPPED = 0, 1, 2


@kernel
def mine_itemsets(
    row_offsets,
    row_items,
    row_weights,
    post_offsets,
    post_rows,
    post_positions,
    supports,
    first,
    last,
    closed,
    least,
    most_items,
    most_sets,
    stop,
):
    """The itemsets of support ``least`` or more whose lowest rank is in [first, last).

    Rows hold frequent ranks only, ascending. ``most_items`` bounds the size (0: no bound; not for closed
    sets). Returns a status, the number of itemsets, their offsets, ranks in the order found, and supports;
    TOO_MANY after ``most_sets``.
    """
    n_items = len(post_offsets) - 1
    n_rows = len(row_offsets) - 1
    longest = np.int64(0)
    for row in range(n_rows):
        longest = max(longest, row_offsets[row + 1] - row_offsets[row])

    # The tables of the current branch, one behind the other.
    tails = np.empty(2 * len(row_items) + 16, np.int32)
    heads = np.empty(64, np.int32)
    tail_start = np.empty(2 * n_rows + 16, np.int64)
    tail_end = np.empty(2 * n_rows + 16, np.int64)
    head_start = np.empty(2 * n_rows + 16, np.int64)
    head_end = np.empty(2 * n_rows + 16, np.int64)
    weight = np.empty(2 * n_rows + 16, np.int64)
    for p in range(len(row_items)):
        tails[p] = row_items[p]
    for row in range(n_rows):
        tail_start[row] = row_offsets[row]
        tail_end[row] = row_offsets[row + 1]
        head_start[row] = 0
        head_end[row] = 0
        weight[row] = row_weights[row]

    # For each child of the current branch, where it occurs in its parent's table.
    n_postings = post_offsets[last] - post_offsets[first]
    occ_row = np.empty(2 * n_postings + 16, np.int32)
    occ_at = np.empty(2 * n_postings + 16, np.int64)
    child_item = np.empty(n_items + 16, np.int32)
    child_support = np.empty(n_items + 16, np.int64)
    child_start = np.empty(n_items + 16, np.int64)
    child_end = np.empty(n_items + 16, np.int64)
    for k in range(n_postings):
        occ_row[k] = post_rows[post_offsets[first] + k]
        occ_at[k] = post_positions[post_offsets[first] + k]
    for x in range(first, last):
        child_item[x - first] = x
        child_support[x - first] = supports[x]
        child_start[x - first] = post_offsets[x] - post_offsets[first]
        child_end[x - first] = post_offsets[x + 1] - post_offsets[first]

    # By depth: the next child, and where the table's parts end.
    next_child = np.zeros(longest + 2, np.int64)
    child_top = np.zeros(longest + 2, np.int64)
    row_top = np.zeros(longest + 2, np.int64)
    tail_top = np.zeros(longest + 2, np.int64)
    head_top = np.zeros(longest + 2, np.int64)
    occ_top = np.zeros(longest + 2, np.int64)
    small = np.zeros(longest + 2, np.bool_)
    set_size = np.zeros(longest + 2, np.int64)
    child_top[0] = last - first
    row_top[0] = n_rows
    tail_top[0] = len(row_items)
    occ_top[0] = n_postings

    current = np.empty(longest + 2, np.int32)
    common = np.empty(longest + 2, np.int32)
    count = np.zeros(n_items, np.int64)
    head_count = np.zeros(n_items, np.int64)
    mask = np.zeros(n_items, np.uint64)
    place = np.zeros(n_items, np.int64)
    touched = np.empty(n_items, np.int32)
    # Slots of the hash that finds equal tails; a slot is in use if its stamp is the node's.
    width = np.int64(4)
    while width < 2 * n_rows:
        width *= 2
    slot_stamp = np.zeros(width, np.int64)
    slot_row = np.empty(width, np.int64)
    stamp = np.int64(0)

    n_found = np.int64(0)
    found_offsets = np.zeros(1024, np.int64)
    found_supports = np.empty(1024, np.int64)
    found_items = np.empty(4096, np.int32)
    status = FINISHED
    depth = 0
    while depth >= 0:
        if next_child[depth] == child_top[depth]:
            depth -= 1
            continue
        if stop[0] != 0:
            status = STOPPED
            break
        child = next_child[depth]
        next_child[depth] += 1
        start = child_start[child]
        end = child_end[child]
        support = child_support[child]
        if start == end:
            continue
        if (
            closed
            and not small[depth]
            and not is_new_closure(
                start, end, occ_row, occ_at, heads, head_start, head_end, tails, tail_start, common
            )
        ):
            continue

        n_touched = 0
        for k in range(start, end):
            row = occ_row[k]
            w = weight[row]
            for p in range(occ_at[k] + 1, tail_end[row]):
                y = tails[p]
                if count[y] == 0:
                    touched[n_touched] = y
                    n_touched += 1
                count[y] += w
        size = set_size[depth]
        current[size] = child_item[child]
        size += 1
        n_kept = 0
        for t in range(n_touched):
            y = touched[t]
            if closed and count[y] == support:
                current[size] = y
                size += 1
                count[y] = 0
            elif count[y] >= least:
                touched[n_kept] = y
                n_kept += 1
            else:
                count[y] = 0

        if n_found == most_sets:
            status = TOO_MANY
            break
        used = found_offsets[n_found]
        found_offsets = room_for(found_offsets, n_found + 2)
        found_supports = room_for(found_supports, n_found + 1)
        found_items = room_for(found_items, used + size)
        for k in range(size):
            found_items[used + k] = current[k]
        found_supports[n_found] = support
        n_found += 1
        found_offsets[n_found] = used + size
        if n_kept == 0:
            continue
        if size == most_items:
            for t in range(n_kept):
                count[touched[t]] = 0
            continue

        # The child's table: what is kept of the tails, equal ones merged.
        stamp += 1
        slots = np.int64(4)
        while slots < 2 * (end - start):
            slots *= 2
        base = row_top[depth]
        rows = base
        tail_at = tail_top[depth]
        head_at = head_top[depth]
        for k in range(start, end):
            row = occ_row[k]
            tails = room_for(tails, tail_at + tail_end[row] - occ_at[k])
            begin = tail_at
            key = np.int64(0)
            for p in range(occ_at[k] + 1, tail_end[row]):
                y = tails[p]
                if count[y] > 0:
                    tails[tail_at] = y
                    tail_at += 1
                    key = (key * 1000003 + y + 1) & 0xFFFFFFFFFF
            length = tail_at - begin
            if length == 0:
                continue
            s = (key ^ (key >> 15)) & (slots - 1)
            same = np.int64(-1)
            while slot_stamp[s] == stamp:
                other = slot_row[s]
                if tail_end[other] - tail_start[other] == length:
                    same = other
                    for p in range(length):
                        if tails[begin + p] != tails[tail_start[other] + p]:
                            same = np.int64(-1)
                            break
                    if same >= 0:
                        break
                s = (s + 1) & (slots - 1)
            if same >= 0:
                tail_at = begin
                weight[same] += weight[row]
                if closed and head_end[same] > head_start[same]:
                    head_end[same] = keep_common(
                        heads,
                        head_start[same],
                        head_end[same],
                        heads,
                        head_start[row],
                        head_end[row],
                        tails,
                        tail_start[row],
                        occ_at[k],
                    )
                continue
            slot_stamp[s] = stamp
            slot_row[s] = rows
            tail_start = room_for(tail_start, rows + 1)
            tail_end = room_for(tail_end, rows + 1)
            head_start = room_for(head_start, rows + 1)
            head_end = room_for(head_end, rows + 1)
            weight = room_for(weight, rows + 1)
            tail_start[rows] = begin
            tail_end[rows] = tail_at
            weight[rows] = weight[row]
            head_start[rows] = head_at
            if closed:
                heads = room_for(
                    heads,
                    head_at + head_end[row] - head_start[row] + occ_at[k] - tail_start[row],
                )
                for p in range(head_start[row], head_end[row]):
                    heads[head_at] = heads[p]
                    head_at += 1
                for p in range(tail_start[row], occ_at[k]):
                    heads[head_at] = tails[p]
                    head_at += 1
            head_end[rows] = head_at
            rows += 1
        if closed:
            head_at = drop_rare_heads(
                base, rows, head_top[depth], weight, heads, head_start, head_end, least, head_count
            )

        # Deliver the rows to the items they hold: count, then fill.
        for row in range(base, rows):
            for p in range(tail_start[row], tail_end[row]):
                place[tails[p]] += 1
        first_child = child_top[depth]
        n_children = first_child + n_kept
        child_item = room_for(child_item, n_children)
        child_support = room_for(child_support, n_children)
        child_start = room_for(child_start, n_children)
        child_end = room_for(child_end, n_children)
        occ_at_end = occ_top[depth]
        for t in range(n_kept):
            y = touched[t]
            child_item[first_child + t] = y
            child_support[first_child + t] = count[y]
            child_start[first_child + t] = occ_at_end
            occ_at_end += place[y]
            child_end[first_child + t] = occ_at_end
            place[y] = child_start[first_child + t]
            count[y] = 0
        occ_row = room_for(occ_row, occ_at_end)
        occ_at = room_for(occ_at, occ_at_end)
        for row in range(base, rows):
            for p in range(tail_start[row], tail_end[row]):
                y = tails[p]
                occ_row[place[y]] = row
                occ_at[place[y]] = p
                place[y] += 1
        for t in range(n_kept):
            place[touched[t]] = 0
        depth += 1
        small[depth] = closed and rows - base <= 64
        if small[depth]:
            mark_new_closures(
                first_child,
                n_children,
                child_item,
                child_start,
                child_end,
                occ_row,
                occ_at,
                base,
                rows,
                heads,
                head_start,
                head_end,
                tails,
                tail_start,
                tail_end,
                mask,
            )
        next_child[depth] = first_child
        child_top[depth] = n_children
        row_top[depth] = rows
        tail_top[depth] = tail_at
        head_top[depth] = head_at
        occ_top[depth] = occ_at_end
        set_size[depth] = size
    return status, n_found, found_offsets, found_items, found_supports
