"""Which of the adversaries that were drawn succeed; written apart from the search."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.jit import kernel
from withhold.methods.personal.check.judge import testify
from withhold.methods.personal.people import fears_item
from withhold.methods.personal.supports import publishes


@kernel
def mark_successful(row_of, known, problem, stop, succeeds, witness):
    """Mark in ``succeeds`` who infers something that the person drawn wants protected.

    ``witness`` gets the first of them, with the row of the person as the person.
    """
    rows = problem.rows
    items = rows.items
    # Of a long record nearly all items concern nobody; asking for a person is dear.
    anybody = problem.fears.anybody
    joint = np.zeros(len(rows.supports), np.int64)
    likely = np.empty(len(rows.supports), np.int32)
    size = known.shape[1]
    nobody = True
    for trial in range(len(row_of)):
        if stop[0] != 0:
            return
        person = problem.people.of_row[row_of[trial]]
        # Ranks ascend with the supports of the originals.
        rarest = known[trial, 0]
        support = np.int64(0)
        n_likely = 0
        for posting in range(rows.post_offsets[rarest], rows.post_offsets[rarest + 1]):
            row = rows.post_rows[posting]
            if not publishes(row, known[trial], size, rows):
                continue
            support += 1
            for p in range(rows.offsets[row], rows.offsets[row + 1]):
                e = items[p]
                if e >= 0 and anybody[e] and fears_item(person, e, problem.fears):
                    if joint[e] == 0:
                        likely[n_likely] = e
                        n_likely += 1
                    joint[e] += 1
        for c in range(size):
            joint[known[trial, c]] = 0
        for k in range(n_likely):
            e = likely[k]
            if joint[e] * problem.den > problem.num * support:
                succeeds[trial] = True
                if nobody:
                    testify(known[trial], size, e, joint[e], support, row_of[trial], witness)
                    nobody = False
            joint[e] = 0
