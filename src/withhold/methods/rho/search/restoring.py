"""Put back every deletion that can be undone safely, until none can, alone or with another.

Most deletions answered a rule that is still as tight as can be, and stay. For the others (the rule has
room again, or the record has lost more of its antecedent since) it is found out,
item by item and shortest record first, whether anything breaks; what breaks is the new reason to keep
it out, and is looked at again only when it can have changed. No paper has this step.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.counting.layout import Ints, Longs
from withhold.counting.threads import Progress, Stop, quiet, run_all
from withhold.data.plan import EACH_REMOVED, Reasons
from withhold.methods.rho.search.pair_restoring import describe, restore_pairs
from withhold.methods.rho.search.restore import ACCEPTED, BLOCKED, SKIPPED, restore
from withhold.methods.rho.search.room import find_astray, find_loose_events, find_touched_events
from withhold.methods.rho.search.workspace import Workspace

ROWS_PER_SET = 8
"""Looking at one small set takes about as long as walking over so many records."""
LOOKS = 16
"""Tasks into which the deletions to look at are split; a fixed number, so that jobs change nothing."""


class Blocks:
    """For each deletion the rule that keeps it out, in ranks; grows as better reasons are found."""

    def __init__(self, work: Workspace, reasons: Reasons) -> None:
        n_items = max(work.layout.n_items, 1)
        events = np.arange(len(reasons), dtype=np.int64) * n_items
        keys = np.repeat(events, np.diff(reasons.starts))
        keys += work.rank_of_code[reasons.items]
        # The kernels count from the rarest item on, so each antecedent ascends in rank.
        keys.sort()
        self.items: Ints = (keys % n_items).astype(np.int32)
        self.starts: Longs = reasons.starts
        each = reasons.consequents == EACH_REMOVED
        self.consequents: Ints = np.where(
            each, EACH_REMOVED, work.rank_of_code[np.where(each, 0, reasons.consequents)]
        ).astype(np.int32)
        self.extras: Longs = np.zeros(len(reasons), dtype=np.int64)

    def __len__(self) -> int:
        return len(self.consequents)

    def add(self, starts: Longs, items: Ints, consequents: Ints, extras: Longs) -> None:
        """More rules."""
        self.items = np.concatenate([self.items, items[: starts[-1]]])
        self.starts = np.concatenate([self.starts, self.starts[-1] + starts[1:]])
        self.consequents = np.concatenate([self.consequents, consequents])
        self.extras = np.concatenate([self.extras, extras])


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
    ``few`` says that hardly any will come back: then all are looked at first, on all cores.
    """
    layout = work.layout
    blocks = Blocks(work, reasons)
    blocked_by = answers.copy()
    ranks = layout.items[positions]
    rows = work.rows_of(positions)
    out = np.ones(len(positions), dtype=bool)
    doubtful = np.ones(len(blocks), dtype=bool)
    # These have no reason to stay out that is worth a look; they are tried at once.
    free = np.zeros(len(positions), dtype=bool)
    find_astray(blocked_by, rows, blocks.starts, blocks.items, layout.offsets, work.items, free)
    free |= (blocked_by < n_loose) | (blocks.consequents[blocked_by] == EACH_REMOVED)
    while stop.reason == 0:
        in_use = np.zeros(len(blocks), dtype=bool)
        in_use[blocked_by[out & ~free]] = True
        loose = _loose(work, blocks, np.flatnonzero(in_use & doubtful), stop, jobs, progress)
        tried = np.flatnonzero(out & (free | loose[blocked_by]))
        if stop.reason != 0:
            return
        lengths = work.row_lengths()
        left = np.arange(layout.n_items) if like is None else work.supports / np.maximum(like, 1)
        # Item by item, so that the kernel indexes the records of each once; shortest record first.
        order = (positions[tried], lengths[rows[tried]], ranks[tried], left[ranks[tried]])
        tried = tried[np.lexsort(order)]
        trial = _Trial(work, positions, rows, ranks, max_known, _ceilings(work, like), stop)
        seen = []
        if few and len(tried):
            looks = [
                partial(trial, part, put_back=False)
                for part in np.array_split(tried, LOOKS)
                if len(part)
            ]
            seen = run_all(looks, stop, jobs=jobs, progress=progress, what="looking at deletions")
            tried = np.concatenate([part[outcomes == ACCEPTED] for part, outcomes, _ in seen])
        seen.append(trial(tried, put_back=True))
        accepted = tried[seen[-1][1] == ACCEPTED]
        waiting = np.zeros(len(blocks), dtype=bool)
        for part, outcomes, new_blocks in seen:
            blocked = outcomes == BLOCKED
            waiting[blocked_by[part[outcomes == SKIPPED]]] = True
            blocked_by[part[blocked]] = len(blocks) + np.flatnonzero(blocked)
            free[part[blocked]] = False
            blocks.add(*new_blocks)
        if len(accepted) == 0:
            accepted = _undo_pairs(trial, blocks, blocked_by, out) if like is None else accepted
        if len(accepted) == 0:
            return
        out[accepted] = False
        # A rule without room gains some only where its antecedent comes back; what was skipped waits.
        doubtful = _touched(work, blocks, rows[accepted], ranks[accepted])
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

    def __call__(self, numbers: Longs, *, put_back: bool) -> tuple[Longs, NDArray[np.int8], Any]:
        work, layout = self.work, self.work.layout
        outcomes = np.zeros(len(numbers), dtype=np.int8)
        blocks = restore(
            self.positions[numbers],
            self.rows[numbers],
            self.ranks[numbers],
            layout.offsets,
            work.items,
            layout.post_offsets,
            layout.post_rows,
            work.supports,
            work.bitmaps,
            layout.sensitive,
            work.num,
            work.den,
            work.with_prior,
            -1 if self.max_known is None else self.max_known,
            ROWS_PER_SET,
            self.ceilings,
            put_back,
            outcomes,
            self.stop.flag,
        )
        return numbers, outcomes, blocks


def _undo_pairs(trial: _Trial, blocks: Blocks, blocked_by: Ints, out: NDArray[np.bool_]) -> Longs:
    """Undo deletions by two where neither can be undone alone; returns their numbers."""
    # Only rules with the item itself in the antecedent leave a second one anything to help with, and only
    # if one more record with the antecedent would be enough.
    numbers = np.flatnonzero(out & (blocks.extras[blocked_by] == 1))
    in_use = np.unique(blocked_by[numbers]).astype(np.int64)
    loose = _loose(trial.work, blocks, in_use, trial.stop, 1, quiet, more=1)
    numbers = numbers[loose[blocked_by[numbers]]]
    rules = blocked_by[numbers]
    antecedents = [blocks.items[blocks.starts[rule] : blocks.starts[rule + 1]] for rule in rules]
    blocked = describe(
        trial.work, numbers, trial.rows, trial.ranks, antecedents, blocks.consequents[rules]
    )

    def is_safe(number: int) -> bool:
        _, outcomes, _ = trial(np.array([number]), put_back=False)
        return bool(outcomes[0] == ACCEPTED)

    return restore_pairs(trial.work, trial.positions, blocked, is_safe, trial.stop)


def _ceilings(work: Workspace, like: Longs | None) -> Longs:
    """How often each item may occur: without ``like`` any number of times, else its share."""
    if like is None:
        return np.full(work.layout.n_items, np.iinfo(np.int64).max)
    share = work.supports.sum() / max(int(like.sum()), 1)
    ceilings: Longs = np.ceil(like * share).astype(np.int64)
    return ceilings


def _touched(work: Workspace, blocks: Blocks, rows: Ints, ranks: Ints) -> NDArray[np.bool_]:
    """Which rules may have gained room: their antecedent is in a record that got an item of it back."""
    order = np.argsort(ranks, kind="stable")
    row_starts = np.zeros(work.layout.n_items + 1, dtype=np.int64)
    np.cumsum(np.bincount(ranks, minlength=work.layout.n_items), out=row_starts[1:])
    touched = np.zeros(len(blocks), dtype=bool)
    find_touched_events(
        np.arange(len(blocks)),
        blocks.starts,
        blocks.items,
        row_starts,
        rows[order],
        work.layout.offsets,
        work.items,
        touched,
    )
    return touched


def _loose(
    work: Workspace,
    blocks: Blocks,
    events: Longs,
    stop: Stop,
    jobs: int | None,
    progress: Progress,
    more: int = 0,
) -> NDArray[np.bool_]:
    """Which of the rules ``events`` have room for one more, with ``more`` other records that hold Q."""
    layout = work.layout
    loose = np.zeros(len(blocks), dtype=bool)
    tasks = [
        partial(
            find_loose_events,
            part,
            blocks.starts,
            blocks.items,
            blocks.consequents,
            blocks.extras + more,
            layout.offsets,
            work.items,
            layout.post_offsets,
            layout.post_rows,
            work.supports,
            work.bitmaps,
            work.num,
            work.den,
            # Shared by the threads; each writes only its own events.
            loose,
            stop.flag,
        )
        for part in np.array_split(events, 8)
        if len(part)
    ]
    run_all(tasks, stop, jobs=jobs, progress=progress, what="looking for deletions to undo")
    return loose
