"""Every antecedent up to a given size, by occurrence delivery.

Depth first over itemsets in rank order. A node q owns the list of its rows; one pass over them counts
the sensitive items (the confidences of q→e) and the possible next items, a second pass delivers the
rows to those. No candidate is generated that no record holds, nothing is sorted, and memory is the
lists along one path.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.arrays import room_for
from withhold.counting.jit import kernel

CLEAN, FOUND, STOPPED = 0, 1, 2


@kernel
def outranks(joint, support, joint_other, support_other):
    """Whether a breach is worse: higher confidence, then more people."""
    left = joint * support_other
    right = joint_other * support
    return left > right or (left == right and joint > joint_other)


@kernel
def note_breach(size, prefix, consequent, joint, support, worst_counts, worst_sets, worst_numbers):
    """Keep the breach if it is among the worst of its size; of equals the first stays."""
    room = worst_sets.shape[1]
    held = worst_counts[size]
    if held == room:
        if not outranks(
            joint, support, worst_numbers[size, held - 1, 0], worst_numbers[size, held - 1, 1]
        ):
            return
        held -= 1
    place = held
    while place > 0 and outranks(
        joint, support, worst_numbers[size, place - 1, 0], worst_numbers[size, place - 1, 1]
    ):
        for k in range(size + 1):
            worst_sets[size, place, k] = worst_sets[size, place - 1, k]
        worst_numbers[size, place, 0] = worst_numbers[size, place - 1, 0]
        worst_numbers[size, place, 1] = worst_numbers[size, place - 1, 1]
        place -= 1
    worst_sets[size, place, 0] = consequent
    for k in range(size):
        worst_sets[size, place, k + 1] = prefix[k]
    worst_numbers[size, place, 0] = joint
    worst_numbers[size, place, 1] = support
    worst_counts[size] = held + 1


@kernel
def choose(n, k):
    """n choose k for small k."""
    result = np.int64(1)
    for i in range(k):
        result = result * (n - i) // (i + 1)
    return result


@kernel
def survey_antecedents(
    offsets,
    items,
    post_offsets,
    post_rows,
    post_positions,
    sensitive,
    sensitive_offsets,
    sensitive_items,
    root_from,
    root_to,
    from_size,
    to_size,
    num,
    den,
    first_only,
    skip_equal,
    counts,
    worst_counts,
    worst_sets,
    worst_numbers,
    exposed,
    visited,
    stop,
):
    """Breaches q→e with from_size ≤ |q| ≤ to_size whose rarest item is in [root_from, root_to).

    Adds to ``counts[size]``, keeps the worst of each size, marks ``exposed`` rows (those that hold q
    and e). ``first_only`` ends at the first breach. ``skip_equal`` leaves out q∪x where x is in every
    record of q: q has the same confidences and is smaller (for verdicts, not for counting).
    Returns CLEAN, FOUND or STOPPED.
    """
    n_items = len(post_offsets) - 1
    found = False
    joint = np.zeros(n_items, np.int64)
    joint_touched = np.empty(n_items, np.int32)
    unsafe = np.zeros(n_items, np.bool_)
    bucket = np.zeros(n_items, np.int64)
    relevant = np.zeros(n_items, np.bool_)
    bucket_touched = np.empty(n_items, np.int32)
    prefix = np.empty(to_size + 1, np.int32)
    sensitive_in_prefix = np.zeros(to_size + 1, np.int64)
    # Each depth holds its children: item, where their rows start and end in the pool, next to visit.
    child_item = np.empty(1024, np.int32)
    child_start = np.empty(1024, np.int64)
    child_end = np.empty(1024, np.int64)
    next_child = np.zeros(to_size + 2, np.int64)
    last_child = np.zeros(to_size + 2, np.int64)
    pool_top = np.zeros(to_size + 2, np.int64)
    pool_row = np.empty(4096, np.int32)
    pool_position = np.empty(4096, np.int32)

    for root in range(root_from, root_to):
        if stop[0] != 0:
            return STOPPED
        n_root = post_offsets[root + 1] - post_offsets[root]
        if n_root == 0:
            continue
        pool_row = room_for(pool_row, n_root)
        pool_position = room_for(pool_position, n_root)
        for k in range(n_root):
            pool_row[k] = post_rows[post_offsets[root] + k]
            pool_position[k] = post_positions[post_offsets[root] + k]
        child_item[0] = root
        child_start[0] = 0
        child_end[0] = n_root
        next_child[1] = 0
        last_child[1] = 1
        pool_top[1] = n_root
        size = 1
        while size > 0:
            if next_child[size] == last_child[size]:
                size -= 1
                continue
            child = next_child[size]
            next_child[size] += 1
            item = child_item[child]
            start = child_start[child]
            end = child_end[child]
            support = end - start
            visited[0] += 1
            prefix[size - 1] = item
            in_prefix = sensitive_in_prefix[size - 1] + (1 if sensitive[item] else 0)
            sensitive_in_prefix[size] = in_prefix

            if support == 1:
                # The record is unique: every sensitive item outside q is certain.
                row = pool_row[start]
                outside = sensitive_offsets[row + 1] - sensitive_offsets[row] - in_prefix
                if outside == 0:
                    continue
                if size >= from_size:
                    counts[size] += outside
                    exposed[row] = 1
                    found = True
                    if first_only or worst_counts[size] < worst_sets.shape[1]:
                        for s in range(sensitive_offsets[row], sensitive_offsets[row + 1]):
                            e = sensitive_items[s]
                            in_q = False
                            for k in range(size):
                                if prefix[k] == e:
                                    in_q = True
                            if not in_q:
                                note_breach(
                                    size, prefix, e, 1, 1, worst_counts, worst_sets, worst_numbers
                                )
                    if first_only:
                        return FOUND
                if size == to_size or skip_equal:
                    continue
                full = True
                for deeper in range(max(size + 1, from_size), to_size + 1):
                    if worst_counts[deeper] < worst_sets.shape[1]:
                        full = False
                if full and not first_only:
                    # All supersets within the record breach too; nothing left to list, so count them.
                    left = offsets[row + 1] - pool_position[start] - 1
                    sensitive_left = np.int64(0)
                    for p in range(pool_position[start] + 1, offsets[row + 1]):
                        if sensitive[items[p]]:
                            sensitive_left += 1
                    for deeper in range(size + 1, to_size + 1):
                        if deeper >= from_size and left >= deeper - size:
                            counts[deeper] += choose(left, deeper - size) * outside
                            counts[deeper] -= sensitive_left * choose(left - 1, deeper - size - 1)
                            exposed[row] = 1
                    continue
            elif size >= from_size:
                n_touched = 0
                for k in range(start, end):
                    row = pool_row[k]
                    for s in range(sensitive_offsets[row], sensitive_offsets[row + 1]):
                        e = sensitive_items[s]
                        if joint[e] == 0:
                            joint_touched[n_touched] = e
                            n_touched += 1
                        joint[e] += 1
                for k in range(size):
                    joint[prefix[k]] = 0
                n_unsafe = 0
                for t in range(n_touched):
                    e = joint_touched[t]
                    if joint[e] * den > num * support:
                        n_unsafe += 1
                        unsafe[e] = True
                        note_breach(
                            size,
                            prefix,
                            e,
                            joint[e],
                            support,
                            worst_counts,
                            worst_sets,
                            worst_numbers,
                        )
                    joint[e] = 0
                if n_unsafe > 0:
                    found = True
                    counts[size] += n_unsafe
                    for k in range(start, end):
                        row = pool_row[k]
                        if exposed[row] == 0:
                            for s in range(sensitive_offsets[row], sensitive_offsets[row + 1]):
                                if unsafe[sensitive_items[s]]:
                                    exposed[row] = 1
                                    break
                    for t in range(n_touched):
                        unsafe[joint_touched[t]] = False
                    if first_only:
                        return FOUND
            if size == to_size:
                continue
            if stop[0] != 0:
                return STOPPED

            # Deliver the rows to the items that follow; only to those where a sensitive item
            # outside q∪x is left in some record, for only there can a rule still break.
            n_touched = 0
            for k in range(start, end):
                row = pool_row[k]
                outside = sensitive_offsets[row + 1] - sensitive_offsets[row] - in_prefix
                for p in range(pool_position[k] + 1, offsets[row + 1]):
                    x = items[p]
                    if bucket[x] == 0:
                        bucket_touched[n_touched] = x
                        n_touched += 1
                    bucket[x] += 1
                    if outside > 1 or (outside == 1 and not sensitive[x]):
                        relevant[x] = True
            top = pool_top[size]
            first = last_child[size]
            n_children = first
            child_item = room_for(child_item, n_children + n_touched)
            child_start = room_for(child_start, n_children + n_touched)
            child_end = room_for(child_end, n_children + n_touched)
            for t in range(n_touched):
                x = bucket_touched[t]
                if relevant[x] and not (skip_equal and bucket[x] == support):
                    child_item[n_children] = x
                    child_start[n_children] = top
                    child_end[n_children] = top
                    top += bucket[x]
                    # From here on the bucket is the child's number, told apart by its sign.
                    bucket[x] = -n_children - 1
                    n_children += 1
                else:
                    bucket[x] = 0
                relevant[x] = False
            pool_row = room_for(pool_row, top)
            pool_position = room_for(pool_position, top)
            if n_children > first:
                for k in range(start, end):
                    row = pool_row[k]
                    for p in range(pool_position[k] + 1, offsets[row + 1]):
                        x = items[p]
                        if bucket[x] < 0:
                            c = -bucket[x] - 1
                            pool_row[child_end[c]] = row
                            pool_position[child_end[c]] = p
                            child_end[c] += 1
                for c in range(first, n_children):
                    bucket[child_item[c]] = 0
                size += 1
                next_child[size] = first
                last_child[size] = n_children
                pool_top[size] = top
    return FOUND if found else CLEAN
