"""List unsafe rules: antecedents of a given size, or for each sensitive item an unsafe closed set."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from withhold.counting.arrays import with_item
from withhold.counting.jit import kernel
from withhold.counting.layout import Ints, Longs
from withhold.counting.local_rows import gather, new_numbering
from withhold.counting.supports import IndexedRows, count_support
from withhold.counting.walk import new_walk, next_set, start_at
from withhold.methods.rho.model import Limits
from withhold.methods.rho.search.antecedent_fix import (
    any_beside,
    count_beside,
    go_on,
    new_targets,
)
from withhold.methods.rho.search.closed_fix import new_lowered, visit_closed_sets
from withhold.methods.rho.search.events import Events, add_event, new_events

Bools = NDArray[np.bool_]


def list_unsafe_of_size(
    rows: IndexedRows, sensitive: Bools, size: int, limits: Limits, most: int, stop: Longs
) -> tuple[Events, Ints]:
    """The first ``most`` unsafe rules q→e with |q| = ``size`` ≥ 1, as events, and their antecedents."""
    targets = new_targets(rows, sensitive, np.zeros(0, dtype=np.bool_))
    events, antecedents = new_events(most), np.empty(most * size, dtype=np.int32)
    walk = new_walk(rows, size)
    note_unsafe_rules(rows, walk, targets, limits, events, antecedents, stop)
    return events, antecedents


@kernel
def note_unsafe_rules(rows, walk, targets, limits, events, antecedents, stop):
    """Add the unsafe rules with antecedents of the walk's largest size to ``events``, while there is room."""
    numbers = np.empty(3, np.int64)
    largest = len(walk.path) - 1
    for root in range(len(targets.marked)):
        n_root = start_at(rows, walk, root)
        size = 1 if any_beside(walk, targets, n_root, root) else 0
        while size > 0:
            if stop[0] != 0 or events.counts[1] == len(events.numbers):
                return
            child = next_set(walk, size)
            if child < 0:
                size -= 1
                continue
            start = walk.child_start[child]
            end = walk.child_end[child]
            support = end - start
            if size == largest:
                n_touched = count_beside(rows, walk, targets, start, end, size)
                for t in range(n_touched):
                    e = targets.touched[t]
                    joint = targets.joint[e]
                    targets.joint[e] = 0
                    is_unsafe = joint * limits.den > limits.num * support
                    if is_unsafe and events.counts[1] < len(events.numbers):
                        numbers[0] = e
                        numbers[1] = joint
                        numbers[2] = support
                        add_event(events, antecedents, walk.path, size, numbers)
                continue
            if go_on(rows, walk, targets, limits, size, start, end):
                size += 1


def list_unsafe_closed_sets(
    rows: IndexedRows, consequents: Ints, limits: Limits, stop: Longs
) -> tuple[Events, Ints]:
    """For each of the consequents e an unsafe closed set C of D_e, if there is one: C→e as an event."""
    numbering = new_numbering(len(rows.supports), len(rows.offsets) - 1)
    events = new_events(len(consequents))
    longest = int(np.diff(rows.offsets).max(initial=0))
    antecedents = np.empty(len(consequents) * longest, dtype=np.int32)
    note_unsafe_closed_sets(rows, consequents, limits, numbering, events, antecedents, stop)
    return events, antecedents


@kernel
def note_unsafe_closed_sets(rows, consequents, limits, numbering, events, antecedents, stop):
    """Add to ``events`` the first unsafe closed set of each D_e that has one."""
    state = np.zeros(1, np.int64)
    numbers = np.empty(3, np.int64)
    for k in range(len(consequents)):
        if stop[0] != 0:
            return
        local = gather(rows, np.int64(consequents[k]), np.int64(-1), numbering)
        lowered = new_lowered(local, np.bool_(False))
        extra = np.int64(0)
        if visit_closed_sets(rows, local, limits, extra, extra, lowered, state, stop):
            size = lowered.starts[1]
            # The visit tests single records first, and counts only equal ones as holding them: count again.
            whole = np.empty(size + 1, np.int32)
            with_item(lowered.items, size, consequents[k], whole)
            numbers[0] = consequents[k]
            numbers[1] = count_support(rows, whole, size + 1, len(rows.offsets))
            numbers[2] = lowered.numbers[0, 1]
            add_event(events, antecedents, lowered.items, size, numbers)
