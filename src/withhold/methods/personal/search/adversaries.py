"""What the adversaries that were drawn infer, all of it, so that it can be mended."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.jit import kernel
from withhold.methods.personal.people import fears_item
from withhold.methods.personal.search.judge import report
from withhold.methods.personal.supports import publishes


@kernel
def try_adversaries(row_of, known, rows, people, fears, num, den, stop, unsafe, found):
    """Mark in ``unsafe`` the adversaries who infer something feared; ``found`` gets rules if it has room."""
    n_items = len(rows.supports)
    size = known.shape[1]
    joint = np.zeros(n_items, np.int64)
    touched = np.empty(n_items, np.int32)
    itemset = np.empty(size, np.int32)
    for trial in range(len(row_of)):
        if stop[0] != 0:
            return
        rare = known[trial, 0]
        for c in range(size):
            itemset[c] = known[trial, c]
            if rows.supports[known[trial, c]] < rows.supports[rare]:
                rare = known[trial, c]
        support = np.int64(0)
        n_touched = 0
        for posting in range(rows.post_offsets[rare], rows.post_offsets[rare + 1]):
            if rows.items[rows.post_positions[posting]] < 0:
                continue
            row = rows.post_rows[posting]
            if not publishes(row, known[trial], size, rows):
                continue
            support += 1
            for p in range(rows.offsets[row], rows.offsets[row + 1]):
                e = rows.items[p]
                if e >= 0 and fears.anybody[e]:
                    if joint[e] == 0:
                        touched[n_touched] = e
                        n_touched += 1
                    joint[e] += 1
        for c in range(size):
            joint[known[trial, c]] = 0
        person = people.of_row[row_of[trial]]
        for t in range(n_touched):
            e = touched[t]
            if joint[e] * den > num * support and fears_item(person, e, fears):
                unsafe[trial] = True
                report(found, itemset, size, -1, e, joint[e], support, row_of[trial])
            joint[e] = 0
