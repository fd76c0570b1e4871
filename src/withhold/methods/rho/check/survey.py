"""``survey_antecedents`` over all root items, on several threads, with the results put together."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from withhold.counting.layout import Ints, Layout, Longs, fair_bounds
from withhold.counting.threads import ANSWERED, Progress, Stop, available_cores, quiet, run_all
from withhold.methods.rho.check.antecedents import FOUND, survey_antecedents

Rule = tuple[Ints, int, int, int]
"""Antecedent and consequent in ranks, sup(qe), sup(q)."""


@dataclass(frozen=True)
class Survey:
    """What was found, by antecedent size."""

    counts: Longs
    """``counts[size]`` breaches have an antecedent of that size."""
    worst: list[list[Rule]]
    """``worst[size]``: the worst of them, worst first."""
    exposed: NDArray[np.uint8]
    """Rows that hold antecedent and consequent of some breach."""
    visited: int
    """How many antecedents were looked at."""


def survey(
    layout: Layout,
    rho: Fraction,
    *,
    sizes: tuple[int, int],
    stop: Stop,
    keep: int,
    first_only: bool = False,
    skip_equal: bool = False,
    jobs: int | None = None,
    progress: Progress = quiet,
    what: str = "surveying antecedents",
) -> Survey:
    """All breaches with an antecedent of ``sizes[0]`` to ``sizes[1]`` (at least 1) items."""
    jobs = jobs or available_cores()
    exposed = np.zeros(layout.n_rows, dtype=np.uint8)
    bounds = fair_bounds(layout, 32 * jobs)
    tasks = [
        partial(_task, layout, rho, start, end, sizes, keep, first_only, skip_equal, exposed, stop)
        for start, end in zip(bounds, bounds[1:], strict=False)
    ]
    counts = np.zeros(sizes[1] + 1, dtype=np.int64)
    worst: list[list[Rule]] = [[] for _ in range(sizes[1] + 1)]
    visited = 0
    for part_counts, part_worst, part_visited in run_all(
        tasks, stop, jobs=jobs, progress=progress, what=what
    ):
        counts += part_counts
        visited += part_visited
        for size, rules in enumerate(part_worst):
            worst[size].extend(rules)
    for rules in worst:
        # Stable, so that among equals the first in rank order stays first.
        rules.sort(key=lambda rule: (-Fraction(rule[2], rule[3]), -rule[2]))
        del rules[keep:]
    return Survey(counts, worst, exposed, visited)


def _task(
    layout: Layout,
    rho: Fraction,
    start: int,
    end: int,
    sizes: tuple[int, int],
    keep: int,
    first_only: bool,
    skip_equal: bool,
    exposed: NDArray[np.uint8],
    stop: Stop,
) -> tuple[Longs, list[list[Rule]], int]:
    n_sizes = sizes[1] + 1
    counts = np.zeros(n_sizes, dtype=np.int64)
    worst_counts = np.zeros(n_sizes, dtype=np.int64)
    worst_sets = np.zeros((n_sizes, keep, n_sizes), dtype=np.int32)
    worst_numbers = np.zeros((n_sizes, keep, 2), dtype=np.int64)
    visited = np.zeros(1, dtype=np.int64)
    status = survey_antecedents(
        layout.offsets,
        layout.items,
        layout.post_offsets,
        layout.post_rows,
        layout.post_positions,
        layout.sensitive,
        layout.sensitive_offsets,
        layout.sensitive_items,
        start,
        end,
        sizes[0],
        sizes[1],
        rho.numerator,
        rho.denominator,
        first_only,
        skip_equal,
        counts,
        worst_counts,
        worst_sets,
        worst_numbers,
        # Shared by all threads: each only ever writes the value 1 into it.
        exposed,
        visited,
        stop.flag,
    )
    if status == FOUND and first_only:
        stop.because(ANSWERED)
    worst = [
        [
            (
                worst_sets[size, place, 1 : size + 1].copy(),
                int(worst_sets[size, place, 0]),
                int(worst_numbers[size, place, 0]),
                int(worst_numbers[size, place, 1]),
            )
            for place in range(worst_counts[size])
        ]
        for size in range(n_sizes)
    ]
    return counts, worst, int(visited[0])
