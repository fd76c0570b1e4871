"""Whether a breach that was drawn from a row is one to count; see ``methods/rho/samples.py``."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.attack import find_rank, row_holds
from withhold.counting.jit import kernel
from withhold.methods.personal.people import fears_item
from withhold.methods.personal.supports import publishes


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
