"""Delete from records that stand out, each time the item that is most over-represented at that moment.

For those who want item frequencies preserved: a record is made safe by taking away what the other records
still have plenty of, sensitive or not, instead of its sensitive items only.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from withhold.counting.arrays import room_for
from withhold.counting.jit import kernel, step
from withhold.counting.supports import count_support
from withhold.counting.threads import Stop
from withhold.data import Records
from withhold.methods.rho.model import RhoUncertainty
from withhold.methods.rho.search.events import add_event, delete, new_events
from withhold.methods.rho.search.log import Log
from withhold.methods.rho.search.workspace import Workspace

SENSITIVE_BIAS = 0.05
"""A sensitive item counts as this much more over-represented: less loss, a little more KL."""


def thin(records: Records, model: RhoUncertainty, log: Log, stop: Stop) -> NDArray[np.bool_]:
    """What is kept when records that stand out lose what is most over-represented."""
    work = Workspace(records, model, np.ones(records.n_occurrences, dtype=bool), log)
    # Sensitive items go sooner: deleting the consequent ends an unsafe rule at once.
    bias = np.where(work.layout.sensitive, SENSITIVE_BIAS, 0.0)
    supports, sensitive = work.layout.supports, work.layout.sensitive
    events = new_events(len(work.items))
    antecedents = thin_records(work.rows, sensitive, supports, bias, work.limits, events, stop.flag)
    work.note(events, antecedents)
    return work.kept()


@kernel
def thin_records(rows, sensitive, original_supports, bias, limits, events, stop):
    """One pass, longest records first: r loses items until no e of it has conf(r\\e→e) > num/den.

    The item that goes is the one with the largest share of its original support left, ``bias`` (by rank)
    added. What later records lose may make an earlier one unsafe again; the search that follows fixes that.
    Returns the antecedents of the ``events``.
    """
    n_rows = np.int64(len(rows.offsets) - 1)
    longest = np.int64(0)
    for row in range(n_rows):
        longest = max(longest, rows.offsets[row + 1] - rows.offsets[row])
    record = np.empty(longest + 1, np.int32)
    rest = np.empty(longest + 1, np.int32)
    numbers = np.empty(3, np.int64)
    antecedents = np.empty(1024, np.int32)
    row = 0
    while row < n_rows and stop[0] == 0:
        size = np.int64(0)
        for p in range(rows.offsets[row], rows.offsets[row + 1]):
            if rows.items[p] >= 0:
                record[size] = rows.items[p]
                size += 1
        if not stands_out(rows, sensitive, record, size, rest, limits, numbers):
            row += 1
            continue
        antecedents = room_for(antecedents, events.starts[events.counts[1]] + size)
        add_event(events, antecedents, rest, size - 1, numbers)
        best = -1.0
        victim = rows.offsets[row]
        for p in range(rows.offsets[row], rows.offsets[row + 1]):
            x = rows.items[p]
            if x >= 0:
                left = rows.supports[x] / original_supports[x] + bias[x]
                if left > best:
                    best = left
                    victim = p
        delete(rows, events, row, victim, events.counts[1] - 1)
    return antecedents


@step
def stands_out(rows, sensitive, record, size, rest, limits, numbers):
    """Whether some r\\e→e is unsafe; fills ``rest`` with its antecedent, and ``numbers``."""
    n_rows = np.int64(len(rows.offsets) - 1)
    numbers[1] = -1
    for k in range(size):
        if sensitive[record[k]]:
            if numbers[1] < 0:
                numbers[1] = count_support(rows, record, size, n_rows)
            for j in range(size - 1):
                rest[j] = record[j] if j < k else record[j + 1]
            enough = (numbers[1] * limits.den + limits.num - 1) // limits.num
            numbers[0] = record[k]
            numbers[2] = count_support(rows, rest, size - 1, enough)
            if numbers[2] < enough:
                return True
    return False
