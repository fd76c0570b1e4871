"""A record too long to be tested as a whole, dealt into parts; the record loses what these lose together."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.jit import step


@step
def deal_part(rows, sensitive, row, part, n_parts, items):
    """Write every ``n_parts``-th item of the row into ``items``: sensitive ones first, both kinds ascending.

    Returns how many there are, and how many of them are sensitive.
    """
    n = np.int64(0)
    n_sensitive = np.int64(0)
    dealt = np.int64(0)
    for wanted in (True, False):
        for p in range(rows.offsets[row], rows.offsets[row + 1]):
            if sensitive[rows.items[p]] == wanted:
                if dealt % n_parts == part:
                    items[n] = rows.items[p]
                    n += 1
                    n_sensitive += wanted
                dealt += 1
    return n, n_sensitive
