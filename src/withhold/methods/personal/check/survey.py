"""Every set of known items up to a size, and what follows from it about somebody who wants that protected."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from withhold.counting.jit import kernel, step
from withhold.counting.layout import fair_bounds
from withhold.counting.threads import ANSWERED, Progress, Stop, available_cores, quiet, run_all
from withhold.counting.worst import Worst, keep_worst, new_worst
from withhold.data.array_types import Ints, Longs
from withhold.methods.personal.known_sets import (
    END,
    START,
    SUPPORT,
    KnownWalk,
    count_protected,
    new_known_walk,
    next_known_set,
    start_known,
)
from withhold.methods.personal.people import PersonalLayout, problem_of, wants_protected

Rule = tuple[Ints, int, int, int, int]
"""Antecedent and consequent in ranks, sup(Qe), sup(Q), and the row of somebody who wants e protected."""


class Wanted(NamedTuple):
    """What a survey is to look for."""

    smallest: Any
    largest: Any
    first_only: Any
    """End with the first set from which anything follows."""
    skip_equal: Any
    """Leave out sets with the rows of a smaller one; see ``known_sets.start_known``."""


class Tally(NamedTuple):
    """Unsafe rules by size, the worst of them, the rows of persons whom they harm, and sets visited."""

    counts: Any
    worst: Any
    exposed: Any
    visited: Any


@kernel
def survey_known_sets(first, end, wanted, problem, known, tally, stop):
    """All unsafe Q→e of the sizes wanted whose lowest rank is a root from ``first`` to ``end``.

    Returns whether a rule was found. With the worst rules goes the row of somebody who wants e protected.
    """
    anything = False
    for root in range(first, end):
        if problem.rows.supports[root] == 0:
            continue
        start_known(root, wanted.skip_equal, problem, known)
        while not (anything and wanted.first_only):
            size = next_known_set(wanted.largest, problem, known)
            if size == 0 or stop[0] != 0:
                break
            tally.visited[0] += 1
            if size >= wanted.smallest:
                anything |= judge_known(size, wanted.first_only, problem, known, tally)
        if (anything and wanted.first_only) or stop[0] != 0:
            break
    return anything


@step
def judge_known(size, first_only, problem, known, tally):
    """Add what follows from the current set to the tally; whether anything does."""
    support = known.at[SUPPORT]
    anything = False
    n_touched = count_protected(support, problem, known)
    for t in range(n_touched):
        e = known.touched[t]
        joint = known.joint[e]
        known.joint[e] = 0
        if joint * problem.den <= problem.num * support:
            continue
        harmed = -1
        for k in range(known.at[START], known.at[END]):
            row = known.walk.pool_row[k]
            if wants_protected(problem.people.of_row[row], e, problem.wishes):
                if harmed < 0:
                    harmed = row
                tally.exposed[row] = 1
                if first_only:
                    break
        if harmed >= 0:
            anything = True
            tally.counts[size] += 1
            keep_worst(tally.worst, size, e, known.walk.path, joint, support, harmed)
    return anything


@dataclass(frozen=True)
class PersonalSurvey:
    """What was found, by the number of items known."""

    counts: Longs
    worst: list[list[Rule]]
    exposed: NDArray[np.uint8]
    visited: int


def survey_people(
    layout: PersonalLayout,
    rho: Fraction,
    *,
    sizes: tuple[int, int],
    stop: Stop,
    keep: int,
    first_only: bool = False,
    skip_equal: bool = False,
    jobs: int | None = None,
    progress: Progress = quiet,
    what: str = "surveying what can be known",
) -> PersonalSurvey:
    """All unsafe rules of somebody who knows ``sizes[0]`` to ``sizes[1]`` (at least 1) items."""
    jobs = jobs or available_cores()
    problem = problem_of(layout, rho)
    wanted = Wanted(*sizes, first_only, skip_equal)
    # Shared by all threads: each only ever writes the value 1 into it.
    exposed = np.zeros(layout.layout.n_rows, dtype=np.uint8)
    spare: list[KnownWalk] = []

    def survey(first: int, end: int) -> Tally:
        known = spare.pop() if spare else new_known_walk(problem, sizes[1])
        counts, visited = np.zeros(sizes[1] + 1, dtype=np.int64), np.zeros(1, dtype=np.int64)
        tally = Tally(counts, new_worst(sizes[1], keep), exposed, visited)
        if survey_known_sets(first, end, wanted, problem, known, tally, stop.flag) and first_only:
            stop.because(ANSWERED)
        spare.append(known)
        return tally

    bounds = fair_bounds(layout.layout, 32 * jobs)
    tasks = [partial(survey, *part) for part in zip(bounds, bounds[1:], strict=False)]
    found: list[Tally] = run_all(tasks, stop, jobs=jobs, progress=progress, what=what)
    worst = []
    for size in range(sizes[1] + 1):
        rules = [rule for tally in found for rule in _rules(tally.worst, size)]
        # Stable, so that among equals the first in rank order stays first.
        rules.sort(key=lambda rule: (-Fraction(rule[2], rule[3]), -rule[2]))
        worst.append(rules[:keep])
    counts = sum((tally.counts for tally in found), np.zeros(sizes[1] + 1, dtype=np.int64))
    visited = sum(int(tally.visited[0]) for tally in found)
    return PersonalSurvey(counts, worst, exposed, visited)


def _rules(worst: Worst, size: int) -> list[Rule]:
    return [
        (worst.sets[size, k, 1 : size + 1].copy(), int(worst.sets[size, k, 0]), *numbers)
        for k, numbers in enumerate(worst.numbers[size, : worst.counts[size]].tolist())
    ]
