"""All closed sets of the published rows, until one is unsafe."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from withhold.counting.jit import kernel
from withhold.methods.personal.check.closed_walk import (
    SIZE,
    next_closed_set,
    prepare_closed_walk,
    start_root,
)
from withhold.methods.personal.check.judge import is_unsafe


@kernel
def find_set_unsafe_for_somebody(roots, least, problem, stop, room, witness):
    """Judge the sets whose lowest item is one of the roots; returns how many, and whether the last is unsafe.

    Sets of fewer than ``least`` items are counted and not judged.
    """
    rows = problem.rows
    walk, stacks = prepare_closed_walk(rows)
    checked = 0
    for root in roots:
        stacks = start_root(root, rows, walk, stacks)
        stacks = next_closed_set(rows, walk, stacks, stop)
        while walk.at[SIZE] > 0:
            checked += 1
            if walk.at[SIZE] >= least and is_unsafe(
                walk, stacks.pool, least, problem, room, witness
            ):
                return checked, True
            stacks = next_closed_set(rows, walk, stacks, stop)
        if stop[0] != 0:
            break
    return checked, False
