"""Put back every deletion that can be undone safely, until none can: the plan is inclusion-minimal.

Most deletions answered a rule that is still as tight as can be, and stay. For the others it is found
out, item by item and shortest record first, whether anything breaks; what breaks is the new reason to keep it out, and
is looked at again only when it can have changed. No paper has this step.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from withhold.kernels.layout import Ints, Longs
from withhold.kernels.restore import find_loose_events, find_touched_events, restore
from withhold.kernels.threads import Progress, Stop, quiet, run_all
from withhold.suppress.plan import EACH_REMOVED, Reasons
from withhold.suppress.workspace import Workspace


class Blocks:
    """For each deletion the rule that keeps it out, in ranks; grows as better reasons are found."""

    def __init__(self, work: Workspace, reasons: Reasons) -> None:
        lengths = np.diff(reasons.starts)
        event_of = np.repeat(np.arange(len(reasons)), lengths)
        ranks = work.rank_of_code[reasons.items]
        # The kernels count from the rarest item on, so each antecedent ascends in rank.
        self.items: Ints = ranks[np.lexsort((ranks, event_of))]
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
    answers: Longs,
    reasons: Reasons,
    max_known: int | None,
    stop: Stop,
    *,
    jobs: int | None = None,
    progress: Progress = quiet,
) -> None:
    """Undo deletions at ``positions`` (``answers``: their reasons) wherever nothing breaks."""
    layout = work.layout
    blocks = Blocks(work, reasons)
    blocked_by = answers.copy()
    ranks = layout.items[positions]
    rows = work.rows_of(positions)
    out = np.ones(len(positions), dtype=bool)
    doubtful = np.ones(len(blocks), dtype=bool)
    while stop.reason == 0:
        in_use = np.zeros(len(blocks), dtype=bool)
        in_use[blocked_by[out]] = True
        loose = _loose(work, blocks, np.flatnonzero(in_use & doubtful), stop, jobs, progress)
        tried = np.flatnonzero(out & loose[blocked_by])
        if len(tried) == 0 or stop.reason != 0:
            return
        alive = np.zeros(len(work.items) + 1, dtype=np.int64)
        np.cumsum(work.items >= 0, out=alive[1:])
        lengths = np.diff(alive[layout.offsets])
        # Item by item, so that the kernel indexes the records of each once; shortest record first.
        tried = tried[np.lexsort((positions[tried], lengths[rows[tried]], ranks[tried]))]
        accepted = np.zeros(len(tried), dtype=bool)
        blocks.add(
            *restore(
                positions[tried],
                rows[tried],
                ranks[tried],
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
                -1 if max_known is None else max_known,
                accepted,
                stop.flag,
            )
        )
        if not accepted.any():
            return
        out[tried[accepted]] = False
        blocked_by[tried] = np.arange(len(blocks) - len(tried), len(blocks))
        doubtful = _touched(work, blocks, rows[tried[accepted]], ranks[tried[accepted]])
        # The newest rules were found at different moments, so all of them are in doubt.
        doubtful[len(blocks) - len(tried) :] = True


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
) -> NDArray[np.bool_]:
    """Which rules have room for one more; those without a fixed consequent count as such."""
    layout = work.layout
    loose = blocks.consequents == EACH_REMOVED
    events = events[~loose[events]]
    tasks = [
        partial(
            find_loose_events,
            part,
            blocks.starts,
            blocks.items,
            blocks.consequents,
            blocks.extras,
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
        for part in np.array_split(events, 32)
        if len(part)
    ]
    run_all(tasks, stop, jobs=jobs, progress=progress, what="looking for deletions to undo")
    return loose
