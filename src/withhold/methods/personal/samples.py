"""Whether a breach that was drawn from a row is one to count; see ``methods/rho/samples.py``."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.attack import row_holds
from withhold.counting.jit import kernel
from withhold.methods.personal.people import fears_item, place_in, publishes


@kernel
def are_first_personal_breaches(row_of, consequents, known, problem, stop, hits):
    """The same of published rows, where besides somebody who owns q originally must want e protected."""
    rows = problem.rows
    size = known.shape[1]
    for trial in range(len(row_of)):
        if stop[0] != 0:
            return
        e = consequents[trial]
        support = np.int64(0)
        joint = np.int64(0)
        first = True
        protected = False
        rarest = known[trial, 0]
        for posting in range(rows.post_offsets[rarest], rows.post_offsets[rarest + 1]):
            row = rows.post_rows[posting]
            if not row_holds(row, known[trial], size, rows.offsets, rows.items):
                continue
            if not protected:
                protected = fears_item(problem.people.of_row[row], e, problem.fears)
            if not publishes(row, known[trial], size, rows):
                continue
            support += 1
            if place_in(row, e, rows) >= 0:
                if row < row_of[trial]:
                    first = False
                    break
                joint += 1
        hits[trial] = first and protected and joint * problem.den > problem.num * support
