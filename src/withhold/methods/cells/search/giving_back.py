"""Giving back withheld cells of a release in which more rows fit than k.

If a withheld cell fits anything, a row that shows it again no longer fits rows with another value there, nor
they it. Each of them must still be fitted by k rows. A cell that cannot be given back may be possible once
other rows have changed, so this is repeated until nothing changes.
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


def give_back_cells(forest: Forest, final: Ints, k: int, run: SearchRun) -> Ints:
    """The nodes of each row after giving back withheld cells as long as k rows fit every row."""
    width = final.shape[1]
    columns = [array[:, j] for array in (final, forest.nodes) for j in range(width)]
    found = group_rows(columns, len(final))
    # The largest first: one of their cells is given back to many rows.
    order = np.argsort(-found.sizes, kind="stable")
    tuples = FittingTuples(
        cells=np.ascontiguousarray(final[found.first_rows[order]]),
        originals=np.ascontiguousarray(forest.nodes[found.first_rows[order]]),
        sizes=found.sizes[order],
        fitting=np.zeros(len(found), dtype=np.int64),
        roots=(forest.bounds[1:] - 1).astype(np.int32),
    )
    count_fitting(tuples)
    given = True
    while given:
        given = False
        for first in range(0, len(found), AT_A_TIME):
            run.progress("giving cells back", first, len(found))
            given |= give_back(tuples, first, min(first + AT_A_TIME, len(found)), k) > 0
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
def give_back(tuples, first, last, k):
    """Give back what can be given back of some tuples, column by column; how many cells of tuples were."""
    given = 0
    for each in range(first, last):
        for j in range(len(tuples.roots)):
            value = tuples.originals[each, j]
            if tuples.cells[each, j] == tuples.roots[j] and value != tuples.roots[j]:
                lost = _rows_lost(tuples, each, j, value, k)
                if lost <= tuples.fitting[each] - k:
                    _show(tuples, each, j, value)
                    tuples.fitting[each] -= lost
                    given += 1
    return given


@step
def _rows_lost(tuples, each, j, value, k):
    """How many rows would no longer fit a tuple that shows this value; too many if one of them needs it."""
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
    """Let a tuple show this value, and count it off those that it no longer fits."""
    for other in range(len(tuples.sizes)):
        theirs = tuples.cells[other, j]
        if theirs != value and theirs != tuples.roots[j] and fits(tuples, each, other):
            tuples.fitting[other] -= tuples.sizes[each]
    tuples.cells[each, j] = value
