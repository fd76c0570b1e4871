"""What kernels delete and why: deletions, each of which answers an event, a rule that was unsafe."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.bits import clear_bit
from withhold.counting.jit import step


class Events(NamedTuple):
    """Deletions and events. The antecedents of the events are kept elsewhere, because that list grows."""

    positions: Any
    """Where something was deleted."""
    answers: Any
    """The event that each deletion answers."""
    starts: Any
    """Where the antecedent of each event starts, and where the last one ends."""
    numbers: Any
    """For each event the consequent, sup(qe) and sup(q)."""
    counts: Any
    """How many deletions there are, and how many events."""


def new_events(most: int) -> Events:
    """Room for ``most`` deletions; pages that are never written cost no memory."""
    return Events(
        np.empty(most, dtype=np.int32),
        np.empty(most, dtype=np.int32),
        np.zeros(most + 1, dtype=np.int64),
        np.empty((most, 3), dtype=np.int64),
        np.zeros(2, dtype=np.int64),
    )


@step
def add_event(events, antecedents, itemset, size, numbers):
    """Add a rule of ``size`` items with its ``numbers``; ``antecedents`` must have room for it."""
    n = events.counts[1]
    events.counts[1] += 1
    for k in range(size):
        antecedents[events.starts[n] + k] = itemset[k]
    events.starts[n + 1] = events.starts[n] + size
    events.numbers[n, 0] = numbers[0]
    events.numbers[n, 1] = numbers[1]
    events.numbers[n, 2] = numbers[2]


@step
def delete(rows, events, row, position, event):
    """Delete the occurrence at a position of a row, in answer to an event."""
    item = rows.items[position]
    rows.items[position] = ~item
    rows.supports[item] -= 1
    clear_bit(rows.bitmaps, len(rows.post_offsets) - 1 - rows.bitmaps.shape[0], item, row)
    n = events.counts[0]
    events.counts[0] += 1
    events.positions[n] = position
    events.answers[n] = event
