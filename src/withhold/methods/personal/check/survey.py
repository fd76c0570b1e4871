"""All rules of up to a number of known items that are unsafe for somebody; for the check and the audit."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

from withhold.counting.jit import kernel, step
from withhold.counting.surveys import Listed, Survey, SurveyRun, Tally, survey_roots
from withhold.counting.worst import keep_worst
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

Rule = Listed
"""Antecedent and consequent in ranks, sup(Qe), sup(Q), and the row of somebody who wants e protected."""


class Wanted(NamedTuple):
    """Which sets a survey visits, and when it ends."""

    smallest: Any
    largest: Any
    first_only: Any
    """Whether to stop at the first set from which anything follows."""
    skip_equal: Any
    """Whether to leave out sets with the same rows as a smaller one; see ``known_sets.start_known``."""


@kernel
def survey_known_sets(first, end, wanted, problem, known, tally, stop):
    """Tally all unsafe Q→e of the wanted sizes whose lowest rank is a root from ``first`` to before ``end``.

    Returns whether a rule was found. The worst rules are kept with the row of somebody who wants e protected.
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


def survey_people(
    layout: PersonalLayout, rho: Fraction, sizes: tuple[int, int], run: SurveyRun
) -> Survey:
    """All unsafe rules with ``sizes[0]`` to ``sizes[1]`` (at least 1) known items.

    Each with the row of somebody who wants its consequent protected.
    """
    problem = problem_of(layout, rho)
    wanted = Wanted(*sizes, run.first_only, run.skip_equal)

    def visit(first: int, end: int, known: KnownWalk, tally: Tally) -> bool:
        return bool(survey_known_sets(first, end, wanted, problem, known, tally, run.stop.flag))

    new_walk = partial(new_known_walk, problem, sizes[1])
    return survey_roots(layout.layout, sizes[1], run, new_walk, visit)
