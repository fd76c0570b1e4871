"""The order of work of the personal suppressor: small sets of known items first, then closed sets.

In: a workspace. Out: the workspace, safe, unless it was stopped. After a look at everything with few
deletions only what these can have harmed is looked at again; a look that finds nothing ends it.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from withhold.counting.layout import Ints
from withhold.counting.threads import Progress, Stop, quiet, run_all
from withhold.methods.personal.known_sets import small_sizes
from withhold.methods.personal.search.closed import find_unsafe_sets
from withhold.methods.personal.search.judge import Found, room_for_rules, scratch_for
from withhold.methods.personal.search.workspace import PersonalWorkspace

FEW = 3000
"""After so many deletions it is quicker to follow each than to look at everything."""
AT_ONCE = 20_000
"""Rules that one task reports before they are mended."""
TASKS = 64
EVERYWHERE = -1
"""As the row of a job: look at all sets whose lowest rank is the root."""
Jobs = Ints
"""Where to look: rows of (root item, row), for sets that hold the root and items of the row."""
NO_JOBS: Jobs = np.zeros((0, 2), dtype=np.int32)


def make_safe(
    work: PersonalWorkspace,
    max_known: int | None,
    stop: Stop,
    *,
    jobs: int | None = None,
    progress: Progress = quiet,
) -> None:
    """Withhold until nothing is unsafe, or until ``stop``."""
    sizes = small_sizes(work.layout) if max_known is None else max_known
    mend_small(work, sizes, stop, progress)
    while stop.reason == 0:
        since, again = work.log.n_removed, NO_JOBS
        if max_known is None:
            again = mend_sets(work, _all_roots(work), sizes + 1, stop, jobs, progress)
        mend_small(work, sizes, stop, progress)
        if work.log.n_removed == since:
            return
        if max_known is None and work.log.n_removed - since <= FEW:
            follow(work, again, since, sizes + 1, stop, jobs, progress)


def follow(
    work: PersonalWorkspace,
    again: Jobs,
    since: int,
    least: int,
    stop: Stop,
    jobs: int | None,
    progress: Progress,
) -> None:
    """Mend what the deletions after ``since`` can have harmed, and what is found where something was found.

    A rule that was reported stands for all sets with the same records. When an item of it is withheld for
    another rule, it is safe, and the others need not be: so where something was found, look again. Such a
    set may now have another root, so a look at everything has the last word.
    """
    harmed = NO_JOBS
    while stop.reason == 0:
        work.fix_prior(stop)
        places, _ = work.log.removals()
        rows, ranks = work.rows_and_ranks(places[since:])
        since = len(places)
        harmed = np.unique(np.concatenate([harmed, np.stack([ranks, rows], axis=1)]), axis=0)
        if len(again) == 0 and len(harmed) == 0:
            return
        again = mend_sets(work, again, least, stop, jobs, progress)
        harmed = mend_sets(work, harmed, 1, stop, jobs, progress)


def mend_small(work: PersonalWorkspace, largest: int, stop: Stop, progress: Progress) -> None:
    """One pass over all sets of at most ``largest`` known items, small ones first."""
    work.fix_prior(stop)
    for size in range(1, largest + 1):
        progress("mending small sets", size - 1, largest)
        work.fix_size(size, stop)


def mend_sets(
    work: PersonalWorkspace,
    jobs_of: Jobs,
    least: int,
    stop: Stop,
    jobs: int | None,
    progress: Progress,
) -> Jobs:
    """Mend what is unsafe among the closed sets of these jobs; returns the jobs that found something.

    Found on several threads, then mended rule by rule, each as far as it is still unsafe.
    """
    parts = [jobs_of[start::TASKS] for start in range(min(TASKS, len(jobs_of)))]
    tasks = [partial(_find, work, part, least, stop) for part in parts]
    what = "looking at closed sets"
    repeat = [NO_JOBS]
    results = run_all(tasks, stop, jobs=jobs, progress=progress, what=what)
    for part, found in zip(parts, results, strict=True):
        n = int(found.count[0])
        if n == 0:
            continue
        work.fix(
            found.starts[: n + 1],
            found.items[: found.starts[n]],
            found.numbers[:n, 0].astype(np.int32),
            stop,
        )
        # Without room for more rules the jobs behind the last one were not done either.
        with_rules = np.unique(found.numbers[:n, 4])
        repeat.append(part[with_rules[0] :] if found.count[2] > 0 else part[with_rules])
    return np.concatenate(repeat)


def unsafe_items(work: PersonalWorkspace, stop: Stop, jobs: int | None) -> Ints | None:
    """The items that somebody fears and that are unsafe; None if time ran out, or if there are too many."""
    rows = work.rows
    unsafe = work.fears.anybody & (rows.supports * work.den > work.num * (len(rows.offsets) - 1))
    every = _all_roots(work)
    tasks = [partial(_find, work, every[start::TASKS], 1, stop) for start in range(TASKS)]
    for found in run_all(tasks, stop, jobs=jobs):
        if stop.reason != 0 or found.count[2] > 0:
            return None
        unsafe[found.numbers[: found.count[0], 0]] = True
    return np.flatnonzero(unsafe).astype(np.int32)


def _all_roots(work: PersonalWorkspace) -> Jobs:
    """A job for every item that is published."""
    roots = np.flatnonzero(work.rows.supports > 0).astype(np.int32)
    return np.stack([roots, np.full_like(roots, EVERYWHERE)], axis=1)


def _find(work: PersonalWorkspace, part: Jobs, least: int, stop: Stop) -> Found:
    found = room_for_rules(AT_ONCE, work.layout.layout.n_items)
    find_unsafe_sets(
        part[:, 0].copy(),
        part[:, 1].copy(),
        len(part) > 0 and part[0, 1] == EVERYWHERE,
        least,
        -1,
        work.rows,
        work.people,
        work.fears,
        work.num,
        work.den,
        stop.flag,
        scratch_for(work.layout),
        found,
    )
    return found
