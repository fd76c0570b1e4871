"""The order of work of the personal suppressor: small sets of known items first, then closed sets.

In: a workspace. Out: the workspace, safe, unless it was stopped. After a full pass with few deletions, only
what these can have harmed is checked again; a full pass that finds nothing ends the search.

Whole records are withheld, or all but a few items of each, if there is no time to search them. In a record
with a thousand items, nearly every pair occurs nowhere else, so that whoever knows two of them could infer
all others; and the work grows with the cube of its length. A record with three items has only rules of at
most two known items, which are quickly fixed.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from withhold.counting.closed_walk import ClosedWalk, new_closed_walk
from withhold.counting.jit import kernel, step
from withhold.counting.threads import ANSWERED, Stop, run_all
from withhold.data import Constraints, Records
from withhold.data.array_types import Ints
from withhold.methods.personal.known_sets import (
    SUPPORT,
    KnownWalk,
    count_protected,
    new_known_walk,
    next_known_set,
    small_sizes,
    start_known,
)
from withhold.methods.personal.model import PersonalRhoUncertainty
from withhold.methods.personal.people import (
    PersonalLayout,
    Problem,
    lay_out_needed,
    problem_of,
)
from withhold.methods.personal.search.few_closed import find_unsafe_people
from withhold.methods.personal.search.judge import (
    EVERYWHERE,
    find_unsafe_sets,
    room_for_rules,
    rules_found,
    scratch_for,
)
from withhold.methods.personal.search.owners import (
    N_FULL,
    N_RULES,
    Found,
    Scratch,
    known_owner_wants_protected,
)
from withhold.methods.personal.search.workspace import PersonalWorkspace

FEW = 3000
"""Up to this many deletions it is quicker to check what each can have harmed than to check everything."""
AT_ONCE = 20_000
"""Rules that one task reports at most before they are fixed."""
TASKS = 64
MOST_WORK = 2_000_000_000
"""Every record is searched if the cubes of all lengths add up to at most this. Usual click streams and market
baskets come nowhere near this; three records of a thousand items exceed it."""
Jobs = Ints
"""What to search: pairs (root item, row), for sets that hold the root and items of the row; if few people
want anything protected, pairs (person, EVERYWHERE), for sets of what the person owns."""
NO_JOBS: Jobs = np.zeros((0, 2), dtype=np.int32)


def make_safe(work: PersonalWorkspace, max_known: int | None, stop: Stop) -> None:
    """Withhold until nothing is unsafe, or until ``stop``."""
    sizes = small_sizes(work.layout) if max_known is None else max_known
    fix_small(work, sizes, stop)
    while stop.cause == 0:
        since, again = work.log.n_removed, NO_JOBS
        if max_known is None:
            again = fix_closed_sets(work, all_jobs(work.layout), sizes + 1, stop)
        fix_small(work, sizes, stop)
        if work.log.n_removed == since:
            return
        # If few persons have wishes, it is quick to test them all again.
        many = max_known is None and not work.layout.few_wishing
        if many and work.log.n_removed - since <= FEW:
            fix_harmed(work, again, since, sizes + 1, stop)


def fix_harmed(work: PersonalWorkspace, again: Jobs, since: int, least: int, stop: Stop) -> None:
    """Fix what the deletions after ``since`` can have harmed, and repeat the jobs that found something.

    A reported rule represents all sets with the same records. If an item of it is withheld for another rule,
    this rule is safe, but those others may not be. So jobs that found something are repeated. Such a set may
    have another root by then, so a full pass comes last.
    """
    harmed = NO_JOBS
    while stop.cause == 0:
        work.fix_prior(stop)
        places, _ = work.log.removals()
        rows, positions = work.rows_and_positions(places[since:])
        since = len(places)
        new = np.stack([work.layout.layout.items[positions], rows], axis=1)
        harmed = np.unique(np.concatenate([harmed, new]), axis=0)
        if len(again) == 0 and len(harmed) == 0:
            return
        again = fix_closed_sets(work, again, least, stop)
        harmed = fix_closed_sets(work, harmed, 1, stop)


def fix_small(work: PersonalWorkspace, largest: int, stop: Stop) -> None:
    """One pass over all sets of at most ``largest`` known items, small ones first."""
    work.fix_prior(stop)
    for size in range(1, largest + 1):
        work.progress("fixing small sets", size - 1, largest)
        work.fix_size(size, stop)


def fix_closed_sets(work: PersonalWorkspace, jobs: Jobs, least: int, stop: Stop) -> Jobs:
    """Fix what is unsafe among the closed sets of these jobs; returns the jobs that found something.

    Found on several threads, then fixed rule by rule, each as far as it is still unsafe.
    """
    parts = [jobs[start::TASKS].copy() for start in range(min(TASKS, len(jobs)))]
    finder = ClosedSetFinder(work.layout, work.problem, least, stop)
    tasks = [partial(finder.find, part) for part in parts]
    what = "looking at closed sets"
    results = run_all(tasks, stop, jobs=work.jobs, progress=work.progress, what=what)
    repeat = [NO_JOBS]
    for part, found in zip(parts, results, strict=True):
        if found.count[N_RULES] > 0:
            work.fix(*rules_found(found), stop)
            # If there was no room left, the jobs after the last one were not done either.
            with_rules = np.unique(found.jobs[: found.count[N_RULES]])
            repeat.append(part[with_rules[0] :] if found.count[N_FULL] > 0 else part[with_rules])
    return np.concatenate(repeat)


def unsafe_items(work: PersonalWorkspace, stop: Stop) -> Ints | None:
    """The items that are protected and unsafe; None if time ran out, or if there are too many."""
    unsafe = work.too_frequent()
    every = all_jobs(work.layout)
    finder = ClosedSetFinder(work.layout, work.problem, 1, stop)
    tasks = [partial(finder.find, every[start::TASKS].copy()) for start in range(TASKS)]
    for found in run_all(tasks, stop, jobs=work.jobs):
        if stop.cause != 0 or found.count[N_FULL] > 0:
            return None
        unsafe[found.consequents[: found.count[N_RULES]]] = True
    return np.flatnonzero(unsafe).astype(np.int32)


def all_roots(layout: PersonalLayout) -> Jobs:
    """A job for every item that is published."""
    roots = np.flatnonzero(layout.rows.supports > 0).astype(np.int32)
    return np.stack([roots, np.full_like(roots, EVERYWHERE)], axis=1)


def all_jobs(layout: PersonalLayout) -> Jobs:
    """A job for each person who wants anything protected, if few do; else for every published item."""
    if not layout.few_wishing:
        return all_roots(layout)
    persons = np.flatnonzero(layout.people.wishing).astype(np.int32)
    return np.stack([persons, np.full_like(persons, EVERYWHERE)], axis=1)


class ClosedSetFinder:
    """Finds unsafe rules by closed sets; the scratch of one task is reused by the next."""

    def __init__(self, layout: PersonalLayout, problem: Problem, least: int, stop: Stop) -> None:
        self.layout, self.problem, self.least, self.stop = layout, problem, least, stop
        self.spare: list[tuple[ClosedWalk, Scratch]] = []

    def find(self, jobs: Jobs, capacity: int = AT_ONCE) -> Found:
        """The unsafe rules of these jobs, as far as there is room."""
        found = room_for_rules(capacity, 16 * capacity + self.layout.layout.n_items)
        ready = self.spare.pop() if self.spare else self._new()
        if self.layout.few_wishing:
            persons: Ints = jobs[:, 0].copy()
            find_unsafe_people(persons, self.least, self.problem, *ready, found, self.stop.flag)
        else:
            find_unsafe_sets(jobs, self.least, -1, self.problem, *ready, found, self.stop.flag)
        self.spare.append(ready)
        return found

    def _new(self) -> tuple[ClosedWalk, Scratch]:
        walk = new_closed_walk(self.layout.rows, allowing=not self.layout.few_wishing)
        return walk, scratch_for(self.layout)


def count_too_long(work: PersonalWorkspace) -> int:
    """How many of the longest records must be set aside to limit the work for the others."""
    # Rows come longest first.
    lengths = np.diff(work.rows.offsets).astype(np.float64)
    from_each_on = np.cumsum((lengths**3)[::-1])[::-1]
    return int((from_each_on > MOST_WORK).sum())


def shorten_records(work: PersonalWorkspace, size: int, stop: Stop) -> bool:
    """Leave every record its ``size`` + 1 most frequent items, and make that safe; whether it is."""
    published = work.rows.items >= 0
    before = np.concatenate([[0], np.cumsum(published, dtype=np.int64)])
    ends = before[work.rows.offsets[1:]]
    behind = np.repeat(ends, np.diff(work.rows.offsets)) - before[:-1]
    # Ranks ascend with the original supports.
    work.withhold(np.flatnonzero(published & (behind > size + 1)))
    # Records are too short for rules of more known items; so a pass that finds nothing has seen all rules.
    since = -1
    while stop.cause == 0 and work.log.n_removed != since:
        since = work.log.n_removed
        fix_small(work, size, stop)
    return stop.cause == 0


def holds_already(
    work: PersonalWorkspace,
    records: Records,
    model: PersonalRhoUncertainty,
    constraints: Constraints,
    max_known: int | None,
    limit_seconds: float | None,
) -> bool:
    """Whether nothing need be withheld from the records; False if there is not enough time to tell."""
    if work.too_frequent().any():
        return False
    layout = lay_out_needed(records, np.ones(records.n_occurrences, dtype=bool), constraints)
    problem = problem_of(layout, model.rho)
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

    def answer(step: Callable[[Jobs], bool], part: Jobs) -> bool:
        if unsafe := step(part):
            stop.because(ANSWERED)
        return unsafe

    with Stop(limit_seconds) as stop:
        finder = ClosedSetFinder(layout, problem, largest + 1, stop)
        steps = [(in_known_sets, all_roots(layout))] if largest > 0 else []
        steps += [(in_closed_sets, all_jobs(layout))] if max_known is None else []
        for step, jobs in steps:
            parts = [jobs[start::TASKS].copy() for start in range(min(TASKS, len(jobs)))]
            tasks = [partial(answer, step, part) for part in parts]
            what = "looking for anything unsafe"
            if any(run_all(tasks, stop, jobs=work.jobs, progress=work.progress, what=what)):
                return False
        return stop.cause == 0


@kernel
def has_unsafe_known_set(roots, largest, problem, known, stop):
    """Whether some Q→e with 1 ≤ |Q| ≤ ``largest`` harms an owner of Q; only Q whose lowest rank is a root."""
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
    """Whether an item follows from the current set that one of its owners wants protected."""
    unsafe = False
    n_touched = count_protected(known.at[SUPPORT], problem, known)
    for t in range(n_touched):
        e = known.touched[t]
        if not unsafe and known.joint[e] * problem.den > problem.num * known.at[SUPPORT]:
            unsafe = known_owner_wants_protected(e, known, problem)
        known.joint[e] = 0
    return unsafe
