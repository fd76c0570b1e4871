"""Put back every deletion that can be undone safely, until none can.

Most deletions answered a rule that still has no room, and stay. The others (the rule has room again, or the
record has lost more of its antecedent since) are tried item by item and shortest record first. If putting one
back would break a rule, that rule is the new reason to keep it out, and is tested again only if its counts
may have changed. No paper has this step.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from withhold.counting.layout import Ints, Longs
from withhold.counting.threads import Progress, Stop, quiet, run_all
from withhold.data.plan import EACH_REMOVED, Reasons
from withhold.methods.rho.search.bounded import new_few
from withhold.methods.rho.search.restore import (
    ACCEPTED,
    BLOCKED,
    SKIPPED,
    Blocking,
    Candidates,
    restore,
)
from withhold.methods.rho.search.room import (
    Rules,
    find_loose_events,
    find_obsolete,
    find_touched_events,
)
from withhold.methods.rho.search.within import new_trial
from withhold.methods.rho.search.workspace import Workspace

N_TASKS = 16
"""Tasks into which the deletions to try are split; fixed, so that ``jobs`` does not change the result."""
Bools = NDArray[np.bool_]


def rules_of(work: Workspace, reasons: Reasons) -> Rules:
    """The reasons in ranks: the rules that keep deletions out."""
    n_items = max(work.layout.n_items, 1)
    keys = np.repeat(np.arange(len(reasons), dtype=np.int64) * n_items, np.diff(reasons.starts))
    keys += work.rank_of_code[reasons.items]
    # The kernels count from the rarest item on, so each antecedent ascends in rank.
    keys.sort()
    each = reasons.consequents == EACH_REMOVED
    consequents = work.rank_of_code[np.where(each, 0, reasons.consequents)]
    return Rules(
        reasons.starts,
        (keys % n_items).astype(np.int32),
        np.where(each, EACH_REMOVED, consequents).astype(np.int32),
        np.zeros(len(reasons), dtype=np.int64),
    )


def joined(rules: Rules, more: Rules) -> Rules:
    """All of these rules, one after the other."""
    starts = np.concatenate([rules.starts, rules.starts[-1] + more.starts[1:]])
    parts = zip(rules, more, strict=True)
    _, items, consequents, extras = (np.concatenate(pair) for pair in parts)
    return Rules(starts, items, consequents, extras)


def restore_deletions(
    work: Workspace,
    positions: Ints,
    answers: Ints,
    reasons: Reasons,
    max_known: int | None,
    stop: Stop,
    *,
    n_loose: int = 0,
    like: Longs | None = None,
    few: bool = False,
    jobs: int | None = None,
    progress: Progress = quiet,
) -> None:
    """Undo deletions at ``positions`` (``answers``: their reasons) wherever nothing breaks.

    The first ``n_loose`` reasons are no obstacle in themselves. With ``like``, the original supports by
    rank, only items get something back that have lost more than their share, those with most loss first.
    ``few`` says that hardly any will come back: then all are tested first, on all cores.
    """
    n_items = work.layout.n_items
    rules = rules_of(work, reasons)
    blocked_by = answers.copy()
    ranks = work.layout.items[positions]
    rows = work.rows_of(positions)
    out = np.ones(len(positions), dtype=bool)
    doubtful = np.ones(len(reasons), dtype=bool)
    # The reason of these need not be tested; they are tried at once.
    free = np.zeros(len(positions), dtype=bool)
    find_obsolete(work.rows, rules, blocked_by, rows, free)
    free |= (blocked_by < n_loose) | (rules.consequents[blocked_by] == EACH_REMOVED)
    in_use = _marked(blocked_by[out & ~free], len(reasons))
    while stop.cause == 0:
        loose = _loose(work, rules, np.flatnonzero(in_use & doubtful), stop, jobs, progress)
        tried = np.flatnonzero(out & (free | loose[blocked_by]))
        if stop.cause != 0:
            return
        lengths = work.row_lengths()
        left = np.arange(n_items) if like is None else work.supports / np.maximum(like, 1)
        # Item by item, so that the kernel indexes the records of each once; shortest record first.
        order = (positions[tried], lengths[rows[tried]], ranks[tried], left[ranks[tried]])
        tried = tried[np.lexsort(order)]
        trial = _Trial(work, positions, rows, ranks, max_known, _ceilings(work, like), stop)
        seen = []
        if few and len(tried):
            parts = [part for part in np.array_split(tried, N_TASKS) if len(part)]
            tasks = [partial(trial, part, put_back=False) for part in parts]
            seen = run_all(tasks, stop, jobs=jobs, progress=progress, what="looking at deletions")
            tried = np.concatenate([part[outcomes == ACCEPTED] for part, outcomes, _ in seen])
        seen.append(trial(tried, put_back=True))
        accepted = tried[seen[-1][1] == ACCEPTED]
        waiting = np.zeros(len(doubtful), dtype=bool)
        for part, outcomes, more in seen:
            blocked = outcomes == BLOCKED
            waiting[blocked_by[part[outcomes == SKIPPED]]] = True
            blocked_by[part[blocked]] = len(rules.consequents) + np.flatnonzero(blocked)
            free[part[blocked]] = False
            rules = joined(rules, more)
        if len(accepted) == 0:
            return
        out[accepted] = False
        # A rule without room gains some only where its antecedent comes back; what was skipped waits.
        in_use = _marked(blocked_by[out & ~free], len(rules.consequents))
        doubtful = _touched(work, rules, in_use, rows[accepted], ranks[accepted], stop, jobs)
        doubtful[: len(waiting)] |= waiting


@dataclass(frozen=True)
class _Trial:
    """Tries deletions, by their number: what comes of each, and the rules that block."""

    work: Workspace
    positions: Ints
    rows: Ints
    ranks: Ints
    max_known: int | None
    ceilings: Longs
    stop: Stop

    def __call__(self, numbers: Longs, *, put_back: bool) -> tuple[Longs, NDArray[np.int8], Rules]:
        rows, n = self.work.rows, len(numbers)
        outcomes = np.zeros(n, dtype=np.int8)
        deletions = (self.positions[numbers], self.rows[numbers], self.ranks[numbers])
        candidates = Candidates(*deletions, self.ceilings, put_back, outcomes)
        few = None if self.max_known is None else new_few(rows, self.max_known)
        blocking = Blocking(np.zeros(n + 1, np.int64), np.zeros(n, np.int32), np.zeros(n, np.int64))
        sensitive, limits = self.work.layout.sensitive, self.work.limits
        trial = new_trial(rows, n)
        items = restore(rows, candidates, sensitive, limits, few, trial, blocking, self.stop.flag)
        starts, consequents, extras = blocking
        return numbers, outcomes, Rules(starts, items[: starts[-1]], consequents, extras)


def _ceilings(work: Workspace, like: Longs | None) -> Longs:
    """How often each item may occur: without ``like`` any number of times, else its share."""
    if like is None:
        return np.full(work.layout.n_items, np.iinfo(np.int64).max)
    share = work.supports.sum() / max(int(like.sum()), 1)
    ceilings: Longs = np.ceil(like * share).astype(np.int64)
    return ceilings


def _marked(numbers: Ints, n: int) -> Bools:
    """Which of the numbers up to n are among these."""
    marked = np.zeros(n, dtype=bool)
    marked[numbers] = True
    return marked


def _touched(
    work: Workspace,
    rules: Rules,
    in_use: Bools,
    rows: Ints,
    ranks: Ints,
    stop: Stop,
    jobs: int | None,
) -> Bools:
    """Which rules ``in_use`` may have gained room: a record with their antecedent got an item of it back."""
    order = np.argsort(ranks, kind="stable")
    row_starts = np.zeros(work.layout.n_items + 1, dtype=np.int64)
    np.cumsum(np.bincount(ranks, minlength=work.layout.n_items), out=row_starts[1:])
    # Shared by the threads; each writes only its own events.
    touched = np.zeros(len(in_use), dtype=bool)
    returned = row_starts, rows[order]
    tasks = [
        partial(find_touched_events, work.rows, rules, part, *returned, touched, stop.flag)
        for part in np.array_split(np.flatnonzero(in_use), 8)
        if len(part)
    ]
    run_all(tasks, stop, jobs=jobs)
    return touched


def _loose(
    work: Workspace,
    rules: Rules,
    events: Longs,
    stop: Stop,
    jobs: int | None,
    progress: Progress,
) -> Bools:
    """Which of the rules ``events`` have room for one more."""
    # Shared by the threads; each writes only its own events.
    loose = np.zeros(len(rules.consequents), dtype=bool)
    tasks = [
        partial(find_loose_events, work.rows, work.limits, part, rules, loose, stop.flag)
        for part in np.array_split(events, 8)
        if len(part)
    ]
    run_all(tasks, stop, jobs=jobs, progress=progress, what="looking for deletions to undo")
    return loose
