"""The order of work of the personal suppressor: small sets of known items first, then closed sets.

In: a workspace. Out: the workspace, safe, unless it was stopped. After a look at everything with few
deletions only what these can have harmed is looked at again; a look that finds nothing ends it.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from withhold.counting.layout import Ints
from withhold.counting.threads import Stop, run_all
from withhold.methods.personal.closed_walk import ClosedWalk, new_closed_walk
from withhold.methods.personal.known_sets import small_sizes
from withhold.methods.personal.people import PersonalLayout, Problem
from withhold.methods.personal.search.judge import (
    EVERYWHERE,
    find_unsafe_sets,
    room_for_rules,
    rules_found,
    scratch_for,
)
from withhold.methods.personal.search.owners import N_FULL, N_RULES, Found, Scratch
from withhold.methods.personal.search.workspace import PersonalWorkspace

FEW = 3000
"""After so many deletions it is quicker to follow each than to look at everything."""
AT_ONCE = 20_000
"""Rules that one task reports before they are fixed."""
TASKS = 64
Jobs = Ints
"""Where to look: rows of (root item, row), for sets that hold the root and items of the row."""
NO_JOBS: Jobs = np.zeros((0, 2), dtype=np.int32)


def make_safe(work: PersonalWorkspace, max_known: int | None, stop: Stop) -> None:
    """Withhold until nothing is unsafe, or until ``stop``."""
    sizes = small_sizes(work.layout) if max_known is None else max_known
    fix_small(work, sizes, stop)
    while stop.reason == 0:
        since, again = work.log.n_removed, NO_JOBS
        if max_known is None:
            again = fix_closed_sets(work, all_roots(work.layout), sizes + 1, stop)
        fix_small(work, sizes, stop)
        if work.log.n_removed == since:
            return
        if max_known is None and work.log.n_removed - since <= FEW:
            follow(work, again, since, sizes + 1, stop)


def follow(work: PersonalWorkspace, again: Jobs, since: int, least: int, stop: Stop) -> None:
    """Fix what the deletions after ``since`` can have harmed, and what is found where something was found.

    A rule that was reported stands for all sets with the same records. When an item of it is withheld for
    another rule, it is safe, and the others need not be: so where something was found, look again. Such a
    set may now have another root, so a look at everything has the last word.
    """
    harmed = NO_JOBS
    while stop.reason == 0:
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
    repeat = [NO_JOBS]
    how = {"jobs": work.jobs, "progress": work.progress, "what": "looking at closed sets"}
    for part, found in zip(parts, run_all(tasks, stop, **how), strict=True):  # type: ignore[arg-type]
        if found.count[N_RULES] > 0:
            work.fix(*rules_found(found), stop)
            # Without room for more rules the jobs behind the last one were not done either.
            with_rules = np.unique(found.jobs[: found.count[N_RULES]])
            repeat.append(part[with_rules[0] :] if found.count[N_FULL] > 0 else part[with_rules])
    return np.concatenate(repeat)


def unsafe_items(work: PersonalWorkspace, stop: Stop) -> Ints | None:
    """The items that are protected and unsafe; None if time ran out, or if there are too many."""
    unsafe = work.too_frequent()
    every = all_roots(work.layout)
    finder = ClosedSetFinder(work.layout, work.problem, 1, stop)
    tasks = [partial(finder.find, every[start::TASKS].copy()) for start in range(TASKS)]
    for found in run_all(tasks, stop, jobs=work.jobs):
        if stop.reason != 0 or found.count[N_FULL] > 0:
            return None
        unsafe[found.consequents[: found.count[N_RULES]]] = True
    return np.flatnonzero(unsafe).astype(np.int32)


def all_roots(layout: PersonalLayout) -> Jobs:
    """A job for every item that is published."""
    roots = np.flatnonzero(layout.rows.supports > 0).astype(np.int32)
    return np.stack([roots, np.full_like(roots, EVERYWHERE)], axis=1)


class ClosedSetFinder:
    """Finds unsafe closed sets; what a thread needs for it is used again by the next."""

    def __init__(self, layout: PersonalLayout, problem: Problem, least: int, stop: Stop) -> None:
        self.layout, self.problem, self.least, self.stop = layout, problem, least, stop
        self.spare: list[tuple[ClosedWalk, Scratch]] = []

    def find(self, jobs: Jobs, capacity: int = AT_ONCE) -> Found:
        """The unsafe rules of these jobs, as far as there is room."""
        found = room_for_rules(capacity, 16 * capacity + self.layout.layout.n_items)
        layout = self.layout
        ready = self.spare.pop() if self.spare else (new_closed_walk(layout), scratch_for(layout))
        find_unsafe_sets(jobs, self.least, -1, self.problem, *ready, found, self.stop.flag)
        self.spare.append(ready)
        return found
