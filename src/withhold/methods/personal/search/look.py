"""Whether there is anything to search for: a look at records as they came, until something unsafe is found."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from functools import partial

import numpy as np

from withhold.counting.jit import kernel, step
from withhold.counting.layout import Ints
from withhold.counting.threads import ANSWERED, Progress, Stop, run_all
from withhold.data import Constraints, Records
from withhold.methods.personal.known_sets import (
    END,
    START,
    SUPPORT,
    KnownWalk,
    count_protected,
    new_known_walk,
    next_known_set,
    small_sizes,
    start_known,
)
from withhold.methods.personal.model import PersonalRhoUncertainty
from withhold.methods.personal.people import lay_out_needed, problem_of
from withhold.methods.personal.search.owners import N_RULES, owner_fears
from withhold.methods.personal.search.rounds import TASKS, ClosedSetFinder, Jobs, all_roots


def holds_already(
    records: Records,
    model: PersonalRhoUncertainty,
    constraints: Constraints,
    max_known: int | None,
    *,
    limit_seconds: float | None,
    jobs: int | None,
    progress: Progress,
) -> bool:
    """Whether nothing of the records need be withheld, as far as that is found out in time."""
    layout = lay_out_needed(records, np.ones(records.n_occurrences, dtype=bool), constraints)
    problem = problem_of(layout, model.rho)
    too_frequent = layout.rows.supports * problem.den > problem.num * len(records)
    if (layout.fears.anybody & too_frequent).any():
        return False
    largest = small_sizes(layout) if max_known is None else max_known
    spare: list[KnownWalk] = []

    def in_known_sets(part: Jobs) -> bool:
        """Whether a set of at most ``largest`` known items is unsafe."""
        known = spare.pop() if spare else new_known_walk(problem, largest)
        roots: Ints = part[:, 0].copy()
        unsafe = bool(has_unsafe_known_set(roots, largest, problem, known, stop.flag))
        spare.append(known)
        return unsafe

    def in_closed_sets(part: Jobs) -> bool:
        """Whether a closed set is unsafe for somebody who knows more items of it."""
        return bool(finder.find(part, 1).count[N_RULES] > 0)

    def answer(look, part: Jobs) -> bool:
        unsafe: bool = look(part)
        if unsafe:
            stop.because(ANSWERED)
        return unsafe

    roots = all_roots(layout)
    parts = [roots[start::TASKS].copy() for start in range(min(TASKS, len(roots)))]
    with Stop(limit_seconds) as stop:
        finder = ClosedSetFinder(layout, problem, largest + 1, stop)
        looks = [in_known_sets] if largest > 0 else []
        for look in looks + ([in_closed_sets] if max_known is None else []):
            tasks = [partial(answer, look, part) for part in parts]
            what = "looking for anything unsafe"
            if any(run_all(tasks, stop, jobs=jobs, progress=progress, what=what)):
                return False
        return stop.reason == 0


@kernel
def has_unsafe_known_set(roots, largest, problem, known, stop):
    """Whether some Q→e with 1 ≤ |Q| ≤ ``largest``, whose lowest rank is a root, harms somebody who owns Q."""
    for root in roots:
        start_known(root, True, problem, known)
        while stop[0] == 0:
            size = next_known_set(largest, problem, known)
            if size == 0:
                break
            if infers_protected(problem, known):
                return True
    return False


@step
def infers_protected(problem, known):
    """Whether something follows from the current set that one of its owners wants protected."""
    unsafe = False
    n_touched = count_protected(known.at[SUPPORT], problem, known)
    for t in range(n_touched):
        e = known.touched[t]
        if not unsafe and known.joint[e] * problem.den > problem.num * known.at[SUPPORT]:
            unsafe = owner_fears(e, known.walk.pool_row, known.at[START], known.at[END], problem)
        known.joint[e] = 0
    return unsafe
