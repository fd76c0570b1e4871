"""Delete from records that stand out, always the item that is most over-represented by then.

For those who want the item frequencies to stay alike: a record is made safe by taking away what
everybody else still has plenty of, sensitive or not, instead of its sensitive items only.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.arrays import room_for
from withhold.counting.bits import clear_bit
from withhold.counting.jit import kernel
from withhold.counting.supports import count_support


@kernel
def thin_records(
    offsets,
    items,
    post_offsets,
    post_rows,
    supports,
    bitmaps,
    sensitive,
    original_supports,
    bias,
    num,
    den,
    stop,
):
    """Until no record r holds an e with conf(r\\e→e) > num/den: longest records first.

    The item that goes is the one with the largest share of its original support left; ``bias`` is added
    for sensitive items, whose deletion ends the matter sooner. Returns positions, events and reasons as
    ``sweep`` does.
    """
    n_items = len(post_offsets) - 1
    n_rows = np.int64(len(offsets) - 1)
    first_bitmap = n_items - bitmaps.shape[0]
    longest = np.int64(0)
    for row in range(n_rows):
        longest = max(longest, offsets[row + 1] - offsets[row])
    record = np.empty(longest + 1, np.int32)
    rest = np.empty(longest + 1, np.int32)
    n_deleted = 0
    deleted = np.empty(1024, np.int32)
    answers = np.empty(1024, np.int32)
    event_starts = np.zeros(1024, np.int64)
    event_items = np.empty(1024, np.int32)
    event_numbers = np.empty(1024, np.int64)
    for row in range(n_rows):
        if stop[0] != 0:
            break
        while True:
            size = 0
            n_sensitive = 0
            for p in range(offsets[row], offsets[row + 1]):
                if items[p] >= 0:
                    record[size] = items[p]
                    size += 1
                    if sensitive[items[p]]:
                        n_sensitive += 1
            if n_sensitive == 0:
                break
            joint = count_support(
                record, size, n_rows, offsets, items, post_offsets, post_rows, supports, bitmaps
            )
            enough = (joint * den + num - 1) // num
            consequent = -1
            support = np.int64(0)
            for k in range(size):
                if sensitive[record[k]]:
                    for j in range(size - 1):
                        rest[j] = record[j] if j < k else record[j + 1]
                    support = count_support(
                        rest,
                        size - 1,
                        enough,
                        offsets,
                        items,
                        post_offsets,
                        post_rows,
                        supports,
                        bitmaps,
                    )
                    if support < enough:
                        consequent = record[k]
                        break
            if consequent < 0:
                break
            used = event_starts[n_deleted]
            event_starts = room_for(event_starts, n_deleted + 2)
            event_items = room_for(event_items, used + size - 1)
            event_numbers = room_for(event_numbers, 3 * n_deleted + 3)
            deleted = room_for(deleted, n_deleted + 1)
            answers = room_for(answers, n_deleted + 1)
            for j in range(size - 1):
                event_items[used + j] = rest[j]
            event_starts[n_deleted + 1] = used + size - 1
            event_numbers[3 * n_deleted] = consequent
            event_numbers[3 * n_deleted + 1] = joint
            event_numbers[3 * n_deleted + 2] = support
            best = -1.0
            victim = offsets[row]
            for p in range(offsets[row], offsets[row + 1]):
                x = items[p]
                if x >= 0:
                    left = supports[x] / original_supports[x] + (bias if sensitive[x] else 0.0)
                    if left > best:
                        best = left
                        victim = p
            x = items[victim]
            items[victim] = -1
            supports[x] -= 1
            clear_bit(bitmaps, first_bitmap, x, row)
            deleted[n_deleted] = victim
            answers[n_deleted] = n_deleted
            n_deleted += 1
    return (
        deleted[:n_deleted],
        answers[:n_deleted],
        event_starts[: n_deleted + 1],
        event_items[: event_starts[n_deleted]],
        event_numbers[: 3 * n_deleted],
    )
