"""Restore withheld cells as long as at least k rows fit every row.

This is for releases in which a withheld cell fits anything. A row that shows its value again no longer fits
rows with another value there, and they no longer fit it; each of them must keep k rows that fit. A cell that
cannot be restored now may be possible once other rows have changed, so passes are repeated until one changes
nothing.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import kernel, step
from withhold.data.array_types import Ints
from withhold.data.forest import Forest
from withhold.data.grouping import group_rows
from withhold.method import SearchRun

AT_A_TIME = 200
"""Tuples between two calls of ``progress``."""


class FittingTuples(NamedTuple):
    """The rows of a release with the same original and the same cells, as tuples with multiplicities."""

    cells: Any
    """By tuple: the nodes that are published, int32."""
    originals: Any
    """By tuple: the nodes of the original, int32."""
    sizes: Any
    """By tuple: how many rows, int64."""
    fitting: Any
    """By tuple: how many rows fit it, int64."""
    roots: Any
    """By column: the node that means withheld, int32."""


def restore_cells(forest: Forest, final: Ints, k: int, run: SearchRun) -> Ints:
    """The nodes of each row after restoring withheld cells as long as k rows fit every row."""
    width = final.shape[1]
    columns = [array[:, j] for array in (final, forest.nodes) for j in range(width)]
    found = group_rows(columns, len(final))
    # The largest first: to restore one of their cells restores it in many rows.
    order = np.argsort(-found.sizes, kind="stable")
    tuples = FittingTuples(
        cells=np.ascontiguousarray(final[found.first_rows[order]]),
        originals=np.ascontiguousarray(forest.nodes[found.first_rows[order]]),
        sizes=found.sizes[order],
        fitting=np.zeros(len(found), dtype=np.int64),
        roots=(forest.bounds[1:] - 1).astype(np.int32),
    )
    count_fitting(tuples)
    changed = True
    while changed:
        changed = False
        for first in range(0, len(found), AT_A_TIME):
            run.progress("restoring cells", first, len(found))
            changed |= restore_withheld(tuples, first, min(first + AT_A_TIME, len(found)), k) > 0
    places = np.empty(len(found), dtype=np.int64)
    places[order] = np.arange(len(found))
    cells: Ints = tuples.cells[places[found.of_row]]
    return cells


@step
def fits(tuples, one, other):
    """Whether two tuples agree wherever both show a value."""
    for j in range(len(tuples.roots)):
        mine, theirs = tuples.cells[one, j], tuples.cells[other, j]
        if mine != theirs and mine != tuples.roots[j] and theirs != tuples.roots[j]:
            return False
    return True


@kernel
def count_fitting(tuples):
    """Count the rows that fit each tuple."""
    for one in range(len(tuples.sizes)):
        tuples.fitting[one] = 0
        for other in range(len(tuples.sizes)):
            if fits(tuples, one, other):
                tuples.fitting[one] += tuples.sizes[other]


@kernel
def restore_withheld(tuples, first, last, k):
    """Restore withheld cells of some tuples where that is safe, column by column; how many cells it was."""
    restored = 0
    for each in range(first, last):
        for j in range(len(tuples.roots)):
            value = tuples.originals[each, j]
            if tuples.cells[each, j] == tuples.roots[j] and value != tuples.roots[j]:
                lost = _rows_lost(tuples, each, j, value, k)
                if lost <= tuples.fitting[each] - k:
                    _show(tuples, each, j, value)
                    tuples.fitting[each] -= lost
                    restored += 1
    return restored


@step
def _rows_lost(tuples, each, j, value, k):
    """How many rows would no longer fit a tuple that shows this value.

    One more than the tuple can spare, if it cannot spare them or one of them cannot spare it.
    """
    lost, most = np.int64(0), tuples.fitting[each] - k
    for other in range(len(tuples.sizes)):
        theirs = tuples.cells[other, j]
        if theirs != value and theirs != tuples.roots[j] and fits(tuples, each, other):
            lost += tuples.sizes[other]
            if lost > most or tuples.fitting[other] - tuples.sizes[each] < k:
                return most + 1
    return lost


@step
def _show(tuples, each, j, value):
    """Let a tuple show this value, and subtract its rows from the counts of tuples it no longer fits."""
    for other in range(len(tuples.sizes)):
        theirs = tuples.cells[other, j]
        if theirs != value and theirs != tuples.roots[j] and fits(tuples, each, other):
            tuples.fitting[other] -= tuples.sizes[each]
    tuples.cells[each, j] = value
