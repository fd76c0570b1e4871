"""When the budget is spent: whatever was not shown to be safe is removed everywhere.

Removing an item from all records changes no support of an itemset without it, so what was safe stays
safe, and the release is safe whatever the search had reached. In a split table that is done within the
parts that were not finished: the others are safe, and so is the union.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from withhold.counting.closed import CLEAN, find_unsafe_closed_set
from withhold.counting.layout import Ints, Layout, lay_out
from withhold.counting.threads import Stop, run_all
from withhold.data import Transactions
from withhold.methods.rho.check.survey import survey
from withhold.methods.rho.model import RhoUncertainty
from withhold.methods.rho.search.log import Log

AT_ONCE = 500
"""Of a bounded check, so many of the worst breaches are answered before the next look."""


def remove_unproven(
    table: Transactions,
    model: RhoUncertainty,
    kept: np.ndarray,
    log: Log,
    stop: Stop,
    *,
    jobs: int | None,
) -> np.ndarray:
    """``kept`` without the sensitive items that are unsafe or that ``stop`` left unchecked."""
    check = _unproven_unbounded if model.max_known is None else _unproven_bounded
    while True:
        layout = lay_out(table, table.codes(model.sensitive), kept)
        unproven = check(layout, model, stop, jobs)
        kept = remove_everywhere(table, layout.code_of_rank[unproven], kept, log)
        # One look at the closed sets decides every item; bounded looks list the worst, so look again.
        if model.max_known is None or len(unproven) == 0:
            return kept


def remove_everywhere(table: Transactions, codes: Ints, kept: np.ndarray, log: Log) -> np.ndarray:
    """``kept`` without these items, logged as removed for want of time."""
    codes = np.sort(codes)
    places = np.flatnonzero(kept & np.isin(table.items, codes))
    log.add(
        places,
        np.searchsorted(codes, table.items[places]),
        starts=np.zeros(len(codes) + 1, dtype=np.int64),
        items=np.zeros(0, dtype=np.int32),
        consequents=codes,
        joints=np.zeros(len(codes), dtype=np.int64),
        supports=np.zeros(len(codes), dtype=np.int64),
    )
    left = kept.copy()
    left[places] = False
    return left


def _unproven_unbounded(
    layout: Layout, model: RhoUncertainty, stop: Stop, jobs: int | None
) -> Ints:
    ranks = layout.sensitive_ranks()
    bitmaps = layout.bitmaps()
    parts = [ranks[start::256] for start in range(min(256, len(ranks)))]
    tasks = [partial(_unsafe_among, layout, bitmaps, model, part, stop) for part in parts]
    found: list[Ints] = run_all(tasks, stop, jobs=jobs)
    return np.concatenate([ranks[:0], *found])


def _unsafe_among(
    layout: Layout, bitmaps: np.ndarray, model: RhoUncertainty, ranks: Ints, stop: Stop
) -> Ints:
    """Those of the items that are unsafe, or that could not be checked any more."""
    if stop.reason != 0:
        return ranks
    safe = [_is_safe(layout, bitmaps, model, rank, stop) for rank in ranks]
    unsafe: Ints = ranks[~np.array(safe, dtype=bool)]
    return unsafe


def _is_safe(
    layout: Layout, bitmaps: np.ndarray, model: RhoUncertainty, rank: int, stop: Stop
) -> bool:
    longest = int(np.diff(layout.offsets).max(initial=0))
    status = find_unsafe_closed_set(
        layout.offsets,
        layout.items,
        layout.post_offsets,
        layout.post_rows,
        bitmaps,
        np.array([rank], dtype=np.int32),
        model.rho.numerator,
        model.rho.denominator,
        not model.ignore_prior,
        stop.flag,
        np.zeros(longest + 1, dtype=np.int32),
        np.zeros(4, dtype=np.int64),
    )
    return bool(status == CLEAN)


def _unproven_bounded(layout: Layout, model: RhoUncertainty, stop: Stop, jobs: int | None) -> Ints:
    assert model.max_known is not None
    ranks = layout.sensitive_ranks()
    unproven = set()
    if not model.ignore_prior:
        too_many = layout.supports * model.rho.denominator > model.rho.numerator * layout.n_rows
        unproven |= set(ranks[too_many[ranks]].tolist())
    if model.max_known > 0:
        found = survey(
            layout, model.rho, sizes=(1, model.max_known), stop=stop, keep=AT_ONCE, jobs=jobs
        )
        if stop.reason != 0:
            return ranks
        unproven |= {consequent for rules in found.worst for _, consequent, _, _ in rules}
    return np.array(sorted(unproven), dtype=np.int32)
