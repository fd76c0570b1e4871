"""The order of work of the personal suppressor: small sets of known items first, then closed sets.

In: a workspace. Out: the workspace, safe, unless it was stopped. After a look at everything with few
deletions only what these can have harmed is looked at again.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from withhold.kernels.layout import Ints
from withhold.kernels.personal_closed import (
    Found,
    find_unsafe_sets,
    room_for_rules,
    scratch_for,
)
from withhold.kernels.personal_survey import small_sizes
from withhold.kernels.threads import Progress, Stop, quiet, run_all
from withhold.suppress.personal_workspace import PersonalWorkspace

FEW = 3000
"""After so many deletions it is quicker to follow each than to look at everything."""
AT_ONCE = 20_000
"""Rules that one task reports before they are mended."""
TASKS = 64


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
        since = work.log.n_removed
        if max_known is None:
            mend_closed(work, sizes + 1, stop, jobs, progress)
        mend_small(work, sizes, stop, progress)
        if work.log.n_removed == since:
            return
        if max_known is not None or work.log.n_removed - since > FEW:
            continue
        # Whatever is unsafe now was harmed by a deletion since the look at everything began.
        while work.log.n_removed > since and stop.reason == 0:
            since, now = work.log.n_removed, since
            mend_harmed(work, now, stop, jobs, progress)
        return


def mend_small(work: PersonalWorkspace, largest: int, stop: Stop, progress: Progress) -> None:
    """One pass over all sets of at most ``largest`` known items, small ones first."""
    work.fix_prior(stop)
    for size in range(1, largest + 1):
        progress("mending small sets", size - 1, largest)
        work.fix_size(size, stop)


def mend_closed(
    work: PersonalWorkspace, least: int, stop: Stop, jobs: int | None, progress: Progress
) -> None:
    """One pass over all closed sets, for rules with at least ``least`` known items."""
    _find_and_mend(work, _all_roots(work), True, least, stop, jobs, progress)


def mend_harmed(
    work: PersonalWorkspace, since: int, stop: Stop, jobs: int | None, progress: Progress
) -> None:
    """One pass over the sets that lost support when something was withheld after ``since``."""
    work.fix_prior(stop)
    places, _ = work.log.removals()
    rows, ranks = work.rows_and_ranks(places[since:])
    parts = [slice(start, None, TASKS) for start in range(min(TASKS, len(rows)))]
    jobs_of = [(ranks[part].copy(), rows[part].copy()) for part in parts]
    _find_and_mend(work, jobs_of, False, 1, stop, jobs, progress)


def unproven_items(work: PersonalWorkspace, stop: Stop, jobs: int | None) -> Ints:
    """The items that somebody fears and that are unsafe, or all that are feared if time ran out."""
    rows = work.rows
    unsafe = work.fears.anybody & (rows.supports * work.den > work.num * (len(rows.offsets) - 1))
    tasks = [partial(_find, work, *job, True, 1, stop) for job in _all_roots(work)]
    for found in run_all(tasks, stop, jobs=jobs):
        if stop.reason != 0 or found.count[2] > 0:
            return np.flatnonzero(work.fears.anybody).astype(np.int32)
        unsafe[found.numbers[: found.count[0], 0]] = True
    return np.flatnonzero(unsafe).astype(np.int32)


def _all_roots(work: PersonalWorkspace) -> list[tuple[Ints, Ints]]:
    """Every item that is published, spread over the tasks so that frequent and rare ones mix."""
    roots = np.flatnonzero(work.rows.supports > 0).astype(np.int32)
    parts = [roots[start::TASKS].copy() for start in range(min(TASKS, len(roots)))]
    return [(part, np.full(len(part), -1, dtype=np.int32)) for part in parts]


def _find_and_mend(
    work: PersonalWorkspace,
    jobs_of: list[tuple[Ints, Ints]],
    ordered: bool,
    least: int,
    stop: Stop,
    jobs: int | None,
    progress: Progress,
) -> None:
    """Find on several threads, then mend rule by rule, each as far as it is still unsafe."""
    tasks = [partial(_find, work, *job, ordered, least, stop) for job in jobs_of]
    what = "looking at closed sets"
    for found in run_all(tasks, stop, jobs=jobs, progress=progress, what=what):
        n = int(found.count[0])
        if n:
            work.fix(
                found.starts[: n + 1],
                found.items[: found.starts[n]],
                found.numbers[:n, 0].astype(np.int32),
                stop,
            )


def _find(
    work: PersonalWorkspace, roots: Ints, within: Ints, ordered: bool, least: int, stop: Stop
) -> Found:
    found = room_for_rules(AT_ONCE, work.layout.layout.n_items)
    find_unsafe_sets(
        roots,
        within,
        ordered,
        least,
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
