"""The worst few breaches of each size that a walk has met: by confidence, then rows, then in order."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import step


class Worst(NamedTuple):
    """For each size how many are kept, what they are, and their numbers."""

    counts: Any
    """By size: how many are kept."""
    sets: Any
    """By size and place: one item of its own (a consequent, or the last item), then those of the path."""
    numbers: Any
    """By size and place: hits, support, and a number that the caller chose to keep."""


def new_worst(largest: int, keep: int) -> Worst:
    """Room for the worst ``keep`` of each size up to ``largest``."""
    return Worst(
        np.zeros(largest + 1, np.int64),
        np.zeros((largest + 1, keep, largest + 1), np.int32),
        np.zeros((largest + 1, keep, 3), np.int64),
    )


@step
def keep_worst(worst, size, item, path, hits, support, note):
    """Enter ``item`` with the first ``size`` items of ``path``, if it is among the worst of that size."""
    keep = worst.sets.shape[1]
    place = worst.counts[size]
    last = min(place, keep - 1)
    numbers = worst.numbers
    while place > 0:
        ahead = hits * numbers[size, place - 1, 1] - numbers[size, place - 1, 0] * support
        if ahead < 0 or (ahead == 0 and support <= numbers[size, place - 1, 1]):
            break
        place -= 1
    if place >= keep:
        return
    for at in range(last, place, -1):
        for k in range(size + 1):
            worst.sets[size, at, k] = worst.sets[size, at - 1, k]
        for k in range(3):
            numbers[size, at, k] = numbers[size, at - 1, k]
    worst.counts[size] = last + 1
    worst.sets[size, place, 0] = item
    for k in range(size):
        worst.sets[size, place, k + 1] = path[k]
    numbers[size, place, 0] = hits
    numbers[size, place, 1] = support
    numbers[size, place, 2] = note
