"""Partial suppression for ρ-uncertainty (Jia et al.): delete some occurrences of sensitive items.

In: a table and the model. Out: a plan. Antecedents of one size are made safe first, then the closed sets of
each D_e, then only what a deletion can have harmed, until nothing is unsafe.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from withhold.counting.layout import Ints, Longs
from withhold.counting.threads import Progress, Stop, quiet, run_all
from withhold.data import Records
from withhold.methods.rho.model import RhoUncertainty
from withhold.methods.rho.search.antecedent_fix import fix_antecedents
from withhold.methods.rho.search.closed_fix import find_unsafe_pairs, fix_consequents, harmed_pairs
from withhold.methods.rho.search.events import new_events
from withhold.methods.rho.search.log import Log
from withhold.methods.rho.search.workspace import Workspace

FIRST_SIZE = 3
"""Antecedents of so many items are made safe before the closed sets: of all sizes, it loses least."""
MOST_SETS = 16
"""Sets of that size for each occurrence; where long records have more, pairs are made safe instead."""
PAIR_TASKS = 16


@dataclass(frozen=True)
class Choices:
    """How the suppressor chooses."""

    at_random: bool = False
    """Draw the records that lose an item; otherwise the longest do."""
    seed: int = 0
    jobs: int | None = None
    progress: Progress = quiet

    def random_state(self) -> Longs:
        """A start for the kernels' generator, in [1, 2^31 - 2]; 0 if nothing is to be drawn."""
        start = np.random.default_rng(self.seed).integers(1, 2**31 - 2) if self.at_random else 0
        return np.array([start], dtype=np.int64)


def suppress_sensitive(
    records: Records,
    model: RhoUncertainty,
    kept: NDArray[np.bool_],
    choices: Choices,
    log: Log,
    stop: Stop,
) -> Workspace:
    """Delete sensitive occurrences among the ``kept`` until the records are safe, or until ``stop``."""
    work = Workspace(records, model, kept, log)
    state = choices.random_state()
    if model.max_known is None:
        fix_prior(work)
        fix_size(work, first_size(work), state, stop)
        fix_closed_sets(work, choices, state, stop)
        return work
    deleted = -1
    while deleted != 0 and stop.cause == 0:
        deleted = fix_prior(work)
        for size in range(1, model.max_known + 1):
            choices.progress(f"fixing antecedents of {size}", size, model.max_known)
            deleted += fix_size(work, size, state, stop)
    return work


def first_size(work: Workspace) -> int:
    """The size of the antecedents to begin with: the records with sensitive items must not have too many."""
    lengths = work.row_lengths()[np.diff(work.layout.sensitive_offsets) > 0]
    # A record of 10,000 items has more sets than may be looked at; longer ones would not fit 64 bits.
    lengths = np.minimum(lengths, 10_000).astype(np.int64)
    n_sets = int((lengths * (lengths - 1) * (lengths - 2) // 6).sum())
    return FIRST_SIZE if n_sets <= MOST_SETS * len(work.items) else FIRST_SIZE - 1


def fix_prior(work: Workspace) -> int:
    """Make ∅→e safe for every e: nobody is suspected of e on no knowledge at all."""
    if not work.limits.with_prior:
        return 0
    layout = work.layout
    allowed = work.limits.num * layout.n_rows // work.limits.den
    deleted = 0
    for rank in layout.sensitive_ranks():
        surplus = int(work.supports[rank]) - allowed
        if surplus > 0:
            span = slice(layout.post_offsets[rank], layout.post_offsets[rank + 1])
            holders = layout.post_positions[span]
            holders = holders[work.items[holders] >= 0]
            events = new_events(surplus)
            events.positions[:], events.answers[:], events.counts[:] = (
                holders[:surplus],
                0,
                (surplus, 1),
            )
            events.numbers[0] = rank, len(holders), layout.n_rows
            work.delete(holders[:surplus])
            work.note(events, np.zeros(0, dtype=np.int32))
            deleted += surplus
    return deleted


def fix_size(work: Workspace, size: int, state: Longs, stop: Stop) -> int:
    """Make all rules safe whose antecedent has this size, as they are met."""
    found = fix_antecedents(work.rows, work.layout.sensitive, size, work.limits, state, stop.flag)
    work.note(*found)
    return int(found[0].counts[0])


def fix_closed_sets(work: Workspace, choices: Choices, state: Longs, stop: Stop) -> None:
    """Make all closed sets safe, then again those that a deletion can have harmed."""
    layout = work.layout
    consequents = layout.sensitive_ranks()
    pairs = np.stack([consequents, np.full_like(consequents, -1)], axis=1)
    # When each consequent was last looked at, and (below) when each item last lost an occurrence.
    looked_at = np.zeros(layout.n_items, dtype=np.int64)
    looked_at[consequents] = np.arange(1, len(consequents) + 1)
    while len(pairs) and stop.cause == 0:
        losers = np.unique(_fix_pairs(work, pairs, choices, state, stop))
        suspects = np.stack([losers, np.maximum(looked_at[losers], 1)], axis=1)
        harmed = harmed_pairs(work.rows, suspects, looked_at, layout.sensitive)
        pairs = _unsafe_pairs(work, harmed.astype(np.int32), choices, stop)
        # From now on a round looks at single pairs only, so every loser harms all its companions.
        looked_at[:] = 0


def _unsafe_pairs(work: Workspace, pairs: Ints, choices: Choices, stop: Stop) -> Ints:
    """Those of the pairs that need fixing, in order: nearly all do not, and looking can be shared."""
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    # Every n-th pair, so that each task has its share of the long ones.
    parts = [pairs[start::PAIR_TASKS].copy() for start in range(min(PAIR_TASKS, len(pairs)))]
    found = [np.zeros(len(part), dtype=bool) for part in parts]
    tasks = [
        partial(find_unsafe_pairs, work.rows, part, work.limits, unsafe, stop.flag)
        for part, unsafe in zip(parts, found, strict=True)
    ]
    run_all(tasks, stop, jobs=choices.jobs, progress=choices.progress, what="looking for harm")
    unsafe = np.zeros(len(pairs), dtype=bool)
    for start, part in enumerate(found):
        unsafe[start::PAIR_TASKS] = part
    return pairs[unsafe]


def _fix_pairs(work: Workspace, pairs: Ints, choices: Choices, state: Longs, stop: Stop) -> Ints:
    """Fix the pairs in chunks, so that progress can be told; returns the items that were deleted."""
    losers = []
    chunk = max(len(pairs) // 20, 200)
    for start in range(0, len(pairs), chunk):
        choices.progress("fixing closed sets", start, len(pairs))
        some = pairs[start : start + chunk]
        found = fix_consequents(work.rows, some, work.limits, state, stop.flag)
        losers.append(work.note(*found))
    return np.concatenate(losers)
