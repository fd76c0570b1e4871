"""A survey of all itemsets up to a size: tasks over ranges of roots, whose tallies are added up.

The caller decides what is a breach. How tasks are cut, what is counted, which breaches of a size are the
worst and when it ends is the same for every survey.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from withhold.counting.layout import Layout, fair_bounds
from withhold.counting.threads import ANSWERED, Progress, Stop, available_cores, quiet, run_all
from withhold.counting.worst import Worst, new_worst
from withhold.data.array_types import Ints, Longs

Scratch = TypeVar("Scratch")
Listed = tuple[Ints, int, int, int, int]
"""A set and an item beside it in ranks, hits, support, and a number that the caller chose to keep."""


class Tally(NamedTuple):
    """What the walk of one task has found."""

    counts: Any
    """By size: how many breaches."""
    worst: Any
    exposed: Any
    """By row, shared by all threads: each only ever writes the value 1 into it."""
    visited: Any
    """How many sets were visited, as an array of one."""


@dataclass(frozen=True, kw_only=True)
class SurveyRun:
    """How a survey runs, what it keeps, and when it ends."""

    stop: Stop
    keep: int
    """How many of each size are listed."""
    first_only: bool = False
    """Whether to stop at the first that is found."""
    skip_equal: bool = False
    """Whether to leave out sets with the same rows as a smaller one: for verdicts, not for counting."""
    jobs: int | None = None
    progress: Progress = quiet
    what: str = "surveying what can be known"


@dataclass(frozen=True)
class Survey:
    """What was found, by the size of the set."""

    counts: Longs
    worst: list[list[Listed]]
    """Of each size, worst first."""
    exposed: NDArray[np.uint8]
    """By row: whether one of the breaches found is about it."""
    visited: int
    """How many sets were visited."""


def survey_roots(
    layout: Layout,
    largest: int,
    run: SurveyRun,
    new_scratch: Callable[[], Scratch],
    visit: Callable[[int, int, Scratch, Tally], bool],
) -> Survey:
    """All that ``visit`` finds among sets of at most ``largest`` items.

    ``visit`` walks a range of roots and returns whether it found anything. ``new_scratch`` makes its scratch,
    which no two threads use at a time.
    """
    jobs = run.jobs or available_cores()
    exposed = np.zeros(layout.n_rows, dtype=np.uint8)
    spare: list[Scratch] = []

    def task(first: int, end: int) -> Tally:
        counts, visited = np.zeros(largest + 1, dtype=np.int64), np.zeros(1, dtype=np.int64)
        tally = Tally(counts, new_worst(largest, run.keep), exposed, visited)
        try:
            # Scratch that another task has finished with; taking it from a list is safe between threads.
            scratch = spare.pop()
        except IndexError:
            scratch = new_scratch()
        if visit(first, end, scratch, tally) and run.first_only:
            run.stop.because(ANSWERED)
        spare.append(scratch)
        return tally

    bounds = fair_bounds(layout, 32 * jobs)
    tasks = [partial(task, *part) for part in zip(bounds, bounds[1:], strict=False)]
    found = run_all(tasks, run.stop, jobs=jobs, progress=run.progress, what=run.what)
    worst = []
    for size in range(largest + 1):
        some = [each for tally in found for each in _listed(tally.worst, size)]
        # Stable, so that among equals the first in rank order stays first.
        some.sort(key=lambda each: (-Fraction(each[2], each[3]), -each[2]))
        worst.append(some[: run.keep])
    counts = sum((tally.counts for tally in found), np.zeros(largest + 1, dtype=np.int64))
    return Survey(counts, worst, exposed, sum(int(tally.visited[0]) for tally in found))


def _listed(worst: Worst, size: int) -> list[Listed]:
    return [
        (worst.sets[size, k, 1 : size + 1].copy(), int(worst.sets[size, k, 0]), *numbers)
        for k, numbers in enumerate(worst.numbers[size, : worst.counts[size]].tolist())
    ]
