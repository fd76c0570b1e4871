"""Partial suppression for ρ-uncertainty (Jia et al.): delete some occurrences of sensitive items.

In: a table and the model. Out: a plan. Small antecedents are made safe first, then the closed sets of
each D_e, then only what a deletion can have harmed, until nothing is unsafe.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from withhold.counting.layout import Ints, Longs, fair_bounds, lay_out
from withhold.counting.threads import Progress, Stop, quiet, run_all
from withhold.data import Records
from withhold.data.plan import EACH_REMOVED
from withhold.methods.rho.model import RhoUncertainty
from withhold.methods.rho.search.closed_fix import find_unsafe_pairs, fix_consequents, harmed_pairs
from withhold.methods.rho.search.forced import find_forced, list_forced
from withhold.methods.rho.search.log import Log
from withhold.methods.rho.search.sweep import sweep
from withhold.methods.rho.search.thinning import thin_records
from withhold.methods.rho.search.workspace import Workspace

SWEEPS = (1, 2, 3)
"""Antecedent sizes made safe before the closed sets. Size 3 costs time but loses less on dense data."""

SENSITIVE_BIAS = 0.05
"""In thinning, a sensitive item counts as so much more over-represented: less loss, a little more KL."""

PAIR_TASKS = 16


@dataclass(frozen=True)
class Choices:
    """How the suppressor chooses."""

    at_random: bool = False
    """Draw the records that lose an item; otherwise the longest do."""
    sweeps: tuple[int, ...] = SWEEPS
    seed: int = 0
    jobs: int | None = None
    progress: Progress = quiet

    def random_state(self) -> Longs:
        """A start for the kernels' generator, in [1, 2^31 - 2]."""
        return np.array([np.random.default_rng(self.seed).integers(1, 2**31 - 2)], dtype=np.int64)


def suppress_sensitive(
    table: Records,
    model: RhoUncertainty,
    kept: NDArray[np.bool_],
    choices: Choices,
    log: Log,
    stop: Stop,
) -> Workspace:
    """Delete sensitive occurrences among the ``kept`` until the table is safe, or until ``stop``."""
    work = Workspace(table, model, kept, log)
    state = choices.random_state()
    if model.max_known is None:
        sweep_prior(work)
        for size in choices.sweeps:
            sweep_size(work, size, choices, state, stop)
        close(work, choices, state, stop)
    else:
        sweep_until_clean(work, model.max_known, choices, state, stop)
    return work


def thin(table: Records, model: RhoUncertainty, log: Log, stop: Stop) -> NDArray[np.bool_]:
    """What is kept when records that stand out lose what is most over-represented."""
    work = Workspace(table, model, np.ones(table.n_occurrences, dtype=bool), log)
    layout = work.layout
    work.note(
        *thin_records(
            layout.offsets,
            work.items,
            layout.post_offsets,
            layout.post_rows,
            work.supports,
            work.bitmaps,
            layout.sensitive,
            layout.supports,
            SENSITIVE_BIAS,
            work.num,
            work.den,
            stop.flag,
        )
    )
    return work.kept()


def delete_forced(
    table: Records, model: RhoUncertainty, choices: Choices, log: Log, stop: Stop
) -> NDArray[np.bool_]:
    """What is kept without the sensitive items of records whose other items are too rare for any.

    Those records need an attacker who knows all of the others, so a bounded model has none of them.
    """
    kept = np.ones(table.n_occurrences, dtype=bool)
    if model.max_known is not None:
        return kept
    num, den = model.rho.numerator, model.rho.denominator
    layout = lay_out(table, table.codes(model.sensitive))
    supports = np.zeros(layout.n_rows, dtype=np.int64)
    bounds = fair_bounds(layout, 32)
    tasks = [
        partial(
            find_forced,
            layout.offsets,
            layout.items,
            layout.post_offsets,
            layout.post_rows,
            layout.post_positions,
            layout.sensitive,
            start,
            end,
            num,
            den,
            # Shared by the threads; each writes only rows whose rarest item is in its own range.
            supports,
            stop.flag,
        )
        for start, end in zip(bounds, bounds[1:], strict=False)
    ]
    run_all(
        tasks, stop, jobs=choices.jobs, progress=choices.progress, what="finding forced deletions"
    )
    if not model.ignore_prior and layout.n_rows * num < den:
        # Records without any other item: their N(r) is in every record, and those are too few.
        lengths = np.diff(layout.offsets)
        supports[(lengths > 0) & (lengths == np.diff(layout.sensitive_offsets))] = layout.n_rows
    rows = np.flatnonzero(supports)
    starts, others, gone, answers = list_forced(
        rows, layout.offsets, layout.items, layout.sensitive, layout.code_of_rank, layout.origin
    )
    log.add(
        gone,
        answers,
        starts=starts,
        items=others,
        consequents=np.full(len(rows), EACH_REMOVED, dtype=np.int32),
        joints=np.ones(len(rows), dtype=np.int64),
        supports=supports[rows],
    )
    kept[gone] = False
    return kept


def sweep_prior(work: Workspace) -> int:
    """Make ∅→e safe for every e: nobody is suspected of e on no knowledge at all."""
    if not work.with_prior:
        return 0
    layout = work.layout
    allowed = work.num * layout.n_rows // work.den
    deleted = 0
    for rank in layout.sensitive_ranks():
        surplus = int(work.supports[rank]) - allowed
        if surplus > 0:
            span = slice(layout.post_offsets[rank], layout.post_offsets[rank + 1])
            holders = layout.post_positions[span]
            holders = holders[work.items[holders] >= 0]
            numbers = np.array([rank, len(holders), layout.n_rows], dtype=np.int64)
            work.delete(holders[:surplus])
            nothing = np.zeros(0, dtype=np.int32)
            answers = np.zeros(surplus, dtype=np.int32)
            work.note(holders[:surplus], answers, np.zeros(2, dtype=np.int64), nothing, numbers)
            deleted += surplus
    return deleted


def sweep_size(work: Workspace, size: int, choices: Choices, state: Longs, stop: Stop) -> int:
    """Make all rules safe whose antecedent has this size, as they are met."""
    layout = work.layout
    deleted, answers, starts, ranks, numbers = sweep(
        layout.offsets,
        work.items,
        layout.items,
        layout.post_offsets,
        layout.post_rows,
        work.supports,
        work.bitmaps,
        layout.sensitive,
        size,
        work.num,
        work.den,
        choices.at_random,
        state,
        stop.flag,
    )
    work.note(deleted, answers, starts, ranks, numbers)
    return len(deleted)


def sweep_until_clean(
    work: Workspace, largest: int, choices: Choices, state: Longs, stop: Stop
) -> None:
    """Sweep over all sizes up to ``largest`` until a round deletes nothing."""
    deleted = -1
    while deleted != 0 and stop.reason == 0:
        deleted = sweep_prior(work)
        for size in range(1, largest + 1):
            choices.progress(f"sweeping antecedents of {size}", size, largest)
            deleted += sweep_size(work, size, choices, state, stop)


def close(work: Workspace, choices: Choices, state: Longs, stop: Stop) -> None:
    """Make all closed sets safe, then again those that a deletion can have harmed."""
    layout = work.layout
    consequents = layout.sensitive_ranks()
    pairs = np.stack([consequents, np.full_like(consequents, -1)], axis=1)
    # When each consequent was last looked at, and (below) when each item last lost an occurrence.
    looked_at = np.zeros(layout.n_items, dtype=np.int64)
    looked_at[consequents] = np.arange(1, len(consequents) + 1)
    while len(pairs) and stop.reason == 0:
        losers = np.unique(_fix_pairs(work, pairs, choices, state, stop))
        suspects = np.stack([losers, np.maximum(looked_at[losers], 1)], axis=1)
        pairs = harmed_pairs(
            suspects,
            looked_at,
            layout.offsets,
            work.items,
            layout.post_offsets,
            layout.post_rows,
            layout.sensitive,
        )
        pairs = _unsafe_pairs(work, pairs, choices, stop)
        # From now on a round looks at single pairs only, so every loser harms all its companions.
        looked_at[:] = 0


def _unsafe_pairs(work: Workspace, pairs: Ints, choices: Choices, stop: Stop) -> Ints:
    """Those of the pairs that need fixing, in order: nearly all do not, and looking can be shared."""
    layout = work.layout
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    unsafe = np.zeros(len(pairs), dtype=bool)
    tasks = [
        partial(
            find_unsafe_pairs,
            pairs,
            start,
            PAIR_TASKS,
            layout.offsets,
            work.items,
            layout.post_offsets,
            layout.post_rows,
            work.supports,
            work.bitmaps,
            work.num,
            work.den,
            work.with_prior,
            # Shared by the threads; each writes only its own pairs.
            unsafe,
            stop.flag,
        )
        for start in range(min(PAIR_TASKS, len(pairs)))
    ]
    run_all(tasks, stop, jobs=choices.jobs, progress=choices.progress, what="looking for harm")
    return pairs[unsafe]


def _fix_pairs(work: Workspace, pairs: Ints, choices: Choices, state: Longs, stop: Stop) -> Ints:
    """Fix the pairs in chunks, so that progress can be told; returns the items that were deleted."""
    layout = work.layout
    losers = []
    chunk = max(len(pairs) // 20, 200)
    for start in range(0, len(pairs), chunk):
        choices.progress("fixing closed sets", start, len(pairs))
        _, deleted, answers, starts, ranks, numbers = fix_consequents(
            pairs[start : start + chunk],
            layout.offsets,
            work.items,
            layout.post_offsets,
            layout.post_rows,
            work.supports,
            work.bitmaps,
            work.num,
            work.den,
            work.with_prior,
            choices.at_random,
            state,
            stop.flag,
        )
        work.note(deleted, answers, starts, ranks, numbers)
        losers.append(numbers.reshape(-1, 3)[:, 0].astype(np.int32))
    return np.concatenate(losers)
