"""Whether records are already coherent, decided by the search's own kernels."""

from __future__ import annotations

from functools import partial

import numpy as np

from withhold.counting.equal_items import without_equal_items
from withhold.counting.layout import Layout, lay_out
from withhold.counting.local_rows import merge_local_rows
from withhold.counting.supports import IndexedRows, support_of
from withhold.counting.threads import ANSWERED, Progress, Stop, available_cores, run_all
from withhold.data import Records
from withhold.data.array_types import Ints
from withhold.methods.coherence.cohorts import (
    FOUND,
    Limits,
    SplitRows,
    limits_of,
    run_to_end,
    split_rows,
    spread_over_tasks,
)
from withhold.methods.coherence.model import Coherent
from withhold.methods.coherence.search.first_mole import any_mole
from withhold.methods.rho.search.closed_fix import Limits as RhoLimits
from withhold.methods.rho.search.closed_fix import find_unsafe_pairs


def already_coherent(
    records: Records, model: Coherent, stop: Stop, *, jobs: int | None, progress: Progress
) -> bool:
    """Whether no public set, except perhaps the empty one, is a mole."""
    jobs = jobs or available_cores()
    private = records.codes(model.private)
    records = without_equal_items(records, private)
    rows = split_rows(records, private)
    limits = limits_of(rows, model)
    if limits.largest < rows.longest:
        tasks = [
            partial(_any_mole, rows, limits, roots, stop)
            for roots in spread_over_tasks(rows.public_ranks(), 16 * jobs)
        ]
    else:
        # Parts of frequent records are frequent; see the proof for why closed sets are enough then.
        if _has_rare_row(rows, limits.k):
            return False
        layout = lay_out(records, private)
        ranks = layout.sensitive_ranks()
        ranks = ranks[layout.supports[ranks] * limits.den > limits.num * limits.k]
        if limits.num >= limits.den or len(ranks) == 0:
            return True
        indexed = layout.rows(with_bitmaps=True)
        # Each task copies the rows, so there are few.
        tasks = [
            partial(_any_follows, layout, indexed, limits, some, stop)
            for some in spread_over_tasks(ranks, jobs)
        ]
    return not any(run_all(tasks, stop, jobs=jobs, progress=progress, what="looking for moles"))


def _any_mole(rows: SplitRows, limits: Limits, roots: Ints, stop: Stop) -> bool:
    tour = rows.tour(roots, ~rows.sensitive, limits.largest)
    found = run_to_end(any_mole, rows.problem(limits, stop), tour) == FOUND
    if found:
        stop.because(ANSWERED)
    return found


def _has_rare_row(rows: SplitRows, k: int) -> bool:
    """Whether fewer than ``k`` rows hold all public items of some row."""
    n_rows = rows.n_rows
    n_groups, first_of, weights = merge_local_rows(
        n_rows, rows.offsets, rows.items, np.empty(n_rows, dtype=np.int32)
    )
    indexed = rows.rows(with_bitmaps=True)
    for row in first_of[:n_groups][weights[:n_groups] < k].tolist():
        items = rows.items[rows.offsets[row] : rows.offsets[row + 1]]
        held = support_of(indexed, items, k)
        if len(items) > 0 and held < k:
            return True
    return False


def _any_follows(
    layout: Layout, indexed: IndexedRows, limits: Limits, ranks: Ints, stop: Stop
) -> bool:
    """Whether one of these private items follows too often from public ones."""
    # While one private item is tested, the others are deleted from the rows.
    items = np.where(layout.sensitive[layout.items], ~layout.items, layout.items)
    indexed = indexed._replace(items=items)
    above = RhoLimits(limits.num, limits.den, False)
    follows = np.zeros(1, dtype=np.bool_)
    for rank in ranks.tolist():
        there = layout.post_positions[layout.post_offsets[rank] : layout.post_offsets[rank + 1]]
        items[there] = rank
        pair = np.array([[rank, -1]], dtype=np.int32)
        find_unsafe_pairs(indexed, pair, above, follows, stop.flag)
        items[there] = ~np.int32(rank)
        if follows[0]:
            stop.because(ANSWERED)
            return True
    return False
