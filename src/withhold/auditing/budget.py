"""How many breaches there are for each number of known items: counted as far as is soon done, or estimated.

The number of sets to look at is known before any of them is. Sizes with too many are estimated from a sample.
A caller who names a size gets it counted, however long it takes, or as far as a time limit allows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.auditing.result import How, Share, SizeCount
from withhold.counting.threads import Stop
from withhold.method import Finding

DEFAULT_SIZE = 3
MOST_SETS = 100_000_000
"""So many sets of one size are counted one by one unless more is asked for: some seconds."""
SAMPLES = 10_000
"""Draws for one estimate."""

Marks = NDArray[np.uint8]


@dataclass(frozen=True)
class Found:
    """The breaches of one size."""

    count: int
    worst: Sequence[Finding]
    exposed: Marks
    """The rows that they expose."""


@dataclass(frozen=True)
class Search:
    """How the breaches of a size (from 1 on) are counted and estimated, for one model and one table."""

    sets: Callable[[int], int]
    """At most so many sets of the size would be looked at."""
    count: Callable[[int], Found]
    """All breaches of the size; some of them if the time ran out."""
    estimate: Callable[[int, np.random.Generator], tuple[Share, int]]
    """The share of random candidates that are breaches, and how many candidates there are."""


@dataclass
class Counts:
    """What the sizes gave, put together."""

    exposed: Marks
    counts: dict[int, SizeCount] = field(default_factory=dict)
    worst: list[Finding] = field(default_factory=list)

    def add(self, size: int, found: Found) -> None:
        """Enter a size that was counted in full."""
        self.counts[size] = SizeCount(How.COUNTED, found.count)
        self.worst += found.worst
        self.exposed |= found.exposed

    def fields(self, show: int) -> dict[str, Any]:
        """As fields of an ``Audit``."""
        return {
            "counts": self.counts,
            "breaches": tuple(self.worst[:show]),
            "exposed_records": int(self.exposed.sum()),
        }


def count_sizes(
    counts: Counts, sizes: range, search: Search, *, asked: bool, seed: int, stop: Stop
) -> None:
    """Enter every size of ``sizes`` into ``counts``; ``asked``: by counting, whatever it takes."""
    estimating = False
    for size in sizes:
        estimating = estimating or (not asked and search.sets(size) > MOST_SETS)
        if stop.reason != 0:
            counts.counts[size] = SizeCount(How.NOT_COUNTED)
        elif estimating:
            share, of = search.estimate(size, np.random.default_rng([seed, size]))
            if of == 0:
                counts.counts[size] = SizeCount(How.COUNTED, 0)
            elif stop.reason == 0:
                counts.counts[size] = SizeCount.estimated(share, of)
            else:
                counts.counts[size] = SizeCount(How.NOT_COUNTED)
        else:
            found = search.count(size)
            if stop.reason == 0:
                counts.add(size, found)
            else:
                # What was found is there, but it need not be the worst, nor all that is exposed.
                counts.counts[size] = SizeCount(How.AT_LEAST, found.count)


def nothing_found(sizes: range) -> dict[int, SizeCount]:
    """The counts of a table for which the exact check holds: there is nothing of any size."""
    return dict.fromkeys(sizes, SizeCount(How.COUNTED, 0))


def in_parts(drawn: Sequence[NDArray[Any]], parts: int = 16) -> list[list[NDArray[Any]]]:
    """The arrays of draws, each cut into the same parts."""
    cut = [np.array_split(array, parts) for array in drawn]
    return [[np.ascontiguousarray(array[n]) for array in cut] for n in range(parts)]
