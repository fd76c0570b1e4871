"""Whether a rule that was drawn from a row is a breach, and the row is the first that holds it.

A breach q→e can be drawn from every row that holds q and e. If it counts only when drawn from the first of
these, it counts once among all choices of a row, an e in it and a q in it. So the share of choices that
count, times the number of choices, is the number of breaches.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from withhold.counting.jit import kernel
from withhold.counting.published import counts_from_first


@kernel
def are_first_breaches(row_of, consequents, known, rows, limits, stop, hits):
    """Mark in ``hits`` the draws q→e (``known``, ascending) above ρ whose row is the first with qe."""
    size = known.shape[1]
    for trial in range(len(row_of)):
        if stop[0] != 0:
            return
        rule = known[trial], size, consequents[trial]
        support, joint = counts_from_first(row_of[trial], *rule, rows)
        hits[trial] = joint * limits.den > limits.num * support
