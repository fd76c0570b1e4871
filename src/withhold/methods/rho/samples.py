"""Whether a rule or a set that was drawn from a row is one to count, and the row the first that holds it.

A breach q→e is drawn from every row that holds q and e. Counted only from the first of these, each breach is
counted once among all choices of a row, an e of it and a q of it: so the share of such choices that
count, times the number of choices, is the number of breaches.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.attack import find_rank, row_holds
from withhold.counting.jit import kernel


@kernel
def are_first_breaches(row_of, consequents, known, rows, limits, stop, hits):
    """Mark in ``hits`` the draws q→e (``known``, ascending) above ρ whose row is the first with qe."""
    size = known.shape[1]
    for trial in range(len(row_of)):
        if stop[0] != 0:
            return
        e = consequents[trial]
        support = np.int64(0)
        joint = np.int64(0)
        first = True
        rarest = known[trial, 0]
        for posting in range(rows.post_offsets[rarest], rows.post_offsets[rarest + 1]):
            row = rows.post_rows[posting]
            if not row_holds(row, known[trial], size, rows.offsets, rows.items):
                continue
            support += 1
            if find_rank(e, rows.offsets[row], rows.offsets[row + 1], rows.items) >= 0:
                if row < row_of[trial]:
                    first = False
                    break
                joint += 1
        hits[trial] = first and joint * limits.den > limits.num * support
