"""The closed sets of D_e, the records that hold a sensitive item e, each visited once.

For a rule q→e let C be the closure of q in D_e, without e: the largest itemset that the same records of
D_e hold. Then q ⊆ C, so sup(C) ≤ sup(q) while sup(Ce) = sup(qe): conf(C→e) ≥ conf(q→e). A table is
therefore safe iff every closed set of every D_e is, and records of any length can be checked.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from withhold.counting.jit import kernel, step
from withhold.counting.local_closed_walk import (
    close_rows,
    expand,
    is_first_met,
    new_closed_walk,
    start_closed,
    take_child,
)
from withhold.counting.local_rows import POSTED, gather, new_numbering
from withhold.counting.supports import IndexedRows, count_support
from withhold.data.array_types import Ints
from withhold.methods.rho.model import Limits as Limits

CLEAN, FOUND, STOPPED = 0, 1, 2
Rule = tuple[Ints, int, int, int]
"""Antecedent and consequent in ranks, sup(qe), sup(q)."""


class Witness(NamedTuple):
    """The unsafe rule C→e that was found."""

    itemset: Any
    """C, ascending."""
    numbers: Any
    """sup(Ce), sup(C), |C|; then how many closed sets were checked."""


def find_unsafe_closed_set(
    rows: IndexedRows, consequents: Ints, limits: Limits, stop: NDArray[np.int64]
) -> tuple[Rule | None, int]:
    """The first closed set C of some D_e with conf(C→e) above the limit; and how many were checked.

    ``limits`` has ``num``, ``den`` and ``with_prior``, without which the empty C does not count.
    """
    numbering = new_numbering(len(rows.supports), len(rows.offsets) - 1)
    longest = int(np.diff(rows.offsets).max(initial=0))
    witness = Witness(np.zeros(longest + 1, dtype=np.int32), np.zeros(4, dtype=np.int64))
    status, at = find_unsafe_among(rows, consequents, limits, numbering, witness, stop)
    joint, support, size, looked_at = witness.numbers.tolist()
    if status != FOUND:
        return None, looked_at
    return (witness.itemset[:size], int(consequents[at]), joint, support), looked_at


@kernel
def find_unsafe_among(rows, consequents, limits, numbering, witness, stop):
    """Check the closed sets of each D_e, its rows first: CLEAN, FOUND or STOPPED, and at which consequent.

    This is one kernel, because a function that another kernel calls would be compiled twice, which takes a
    second.
    """
    for at in range(len(consequents)):
        local = gather(rows, np.int64(consequents[at]), np.int64(POSTED), numbering)
        walk = new_closed_walk(local)
        pool = np.empty(2 * local.n_groups + 16, np.int32)
        children = np.empty((64, 3), np.int64)
        start_closed(walk, children, pool, local.n_groups)
        for g in range(local.n_groups):
            if stop[0] != 0:
                return STOPPED, at
            size = close_rows(local, walk, pool, g, g + 1)
            if is_unsafe(rows, local, walk.closure, size, local.weights[g], limits, witness):
                return FOUND, at
        depth = np.int64(0 if local.n_groups > 1 else -1)
        while depth >= 0:
            if stop[0] != 0:
                return STOPPED, at
            child = take_child(walk, depth)
            if child < 0:
                depth -= 1
                continue
            start = children[child, 1]
            end = children[child, 2]
            size = close_rows(local, walk, pool, start, end)
            if not is_first_met(walk, size, children[child, 0]):
                continue
            joint = np.int64(0)
            for k in range(start, end):
                joint += local.weights[pool[k]]
            if is_unsafe(rows, local, walk.closure, size, joint, limits, witness):
                return FOUND, at
            children, pool = expand(local, walk, children, pool, depth, size, child)
            depth += 1
    return CLEAN, 0


@step
def is_unsafe(rows, local, closure, size, joint, limits, witness):
    """Whether conf(closure→e) is above the limit when ``joint`` rows hold both; fills ``witness`` if so."""
    witness.numbers[3] += 1
    if size == 0 and not limits.with_prior:
        return False
    for k in range(size):
        witness.itemset[k] = local.ranks[closure[k]]
    enough = (joint * limits.den + limits.num - 1) // limits.num
    support = count_support(rows, witness.itemset, size, enough)
    witness.numbers[0] = joint
    witness.numbers[1] = support
    witness.numbers[2] = size
    return support < enough
