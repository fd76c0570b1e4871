"""Which sensitive items are unsafe in the records as they are, according to the kernels of the search.

The search must know when there is nothing to do, and what it may keep when its time is up. It does not ask
the proof: a release is proved afterwards by other code, so that a mistake here cannot hide itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from withhold.counting.equal_items import without_equal_items
from withhold.counting.layout import Ints, Layout, fair_bounds, lay_out
from withhold.counting.threads import ANSWERED, Progress, Stop, available_cores, quiet, run_all
from withhold.data import Records
from withhold.methods.rho.model import RhoUncertainty
from withhold.methods.rho.search.antecedent_fix import find_unsafe_consequents
from withhold.methods.rho.search.closed_fix import find_unsafe_pairs

TASKS = 256
"""The sensitive items are spread over this many tasks, so that a slow one delays few others."""
RANGES_PER_JOB = 4
"""Ranges of antecedents for each thread, by their rarest item; few, because each first counts all records."""

Bools = NDArray[np.bool_]


def already_holds(
    records: Records,
    model: RhoUncertainty,
    stop: Stop,
    *,
    jobs: int | None,
    progress: Progress,
) -> bool:
    """Whether nothing need be withheld; False too if ``stop`` came first."""
    sensitive = records.codes(model.sensitive)
    layout = lay_out(without_equal_items(records, sensitive), sensitive)
    for size in sizes_to_check(model):
        if len(
            unsafe_items(layout, model, size, stop, any_will_do=True, jobs=jobs, progress=progress)
        ):
            return False
    return stop.cause == 0


def sizes_to_check(model: RhoUncertainty) -> list[int | None]:
    """The sizes of antecedents, smallest first; None stands for all sizes at once."""
    if model.max_known is None:
        return [None]
    return list(range(1 if model.ignore_prior else 0, model.max_known + 1))


def unsafe_items(
    layout: Layout,
    model: RhoUncertainty,
    size: int | None,
    stop: Stop,
    *,
    any_will_do: bool = False,
    jobs: int | None,
    progress: Progress = quiet,
) -> Ints:
    """The sensitive ranks that follow too often from ``size`` items, or that ``stop`` left unchecked.

    With ``any_will_do`` the search ends when one of them is found.
    """
    ranks = layout.sensitive_ranks()
    if size == 0:
        joints = layout.supports[ranks]
        return ranks[joints * model.rho.denominator > model.rho.numerator * layout.n_rows]
    if size is None:
        unsafe, checks = _in_closed_sets(layout, model, ranks, stop)
    else:
        n_ranges = RANGES_PER_JOB * (jobs or available_cores())
        unsafe, checks = _of_size(layout, model, size, stop, n_ranges)
    tasks = [partial(_run, check, stop, any_will_do) for check in checks]
    run_all(tasks, stop, jobs=jobs, progress=progress, what="looking for unsafe items")
    if size is None:
        return ranks[unsafe]
    return ranks if stop.cause not in (0, ANSWERED) else ranks[unsafe[ranks]]


def _run(check: Callable[[], Bools], stop: Stop, any_will_do: bool) -> None:
    if stop.cause == 0 and check().any() and any_will_do:
        stop.because(ANSWERED)


def _in_closed_sets(
    layout: Layout, model: RhoUncertainty, ranks: Ints, stop: Stop
) -> tuple[Bools, list[Callable[[], Bools]]]:
    """Checks of the closed sets of every D_e, and where they note the e that are unsafe."""
    pairs = np.stack([ranks, np.full_like(ranks, -1)], axis=1)
    unchecked = np.ones(len(ranks), dtype=np.bool_)
    rows = layout.rows(with_bitmaps=True)

    def check(start: int) -> Bools:
        # Shared by the threads; each writes only its own pairs.
        own = unchecked[start::TASKS].copy()
        find_unsafe_pairs(rows, pairs[start::TASKS].copy(), model.limits, own, stop.flag)
        unchecked[start::TASKS] = own
        return own

    return unchecked, [partial(check, start) for start in range(min(TASKS, len(ranks)))]


def _of_size(
    layout: Layout, model: RhoUncertainty, size: int, stop: Stop, n_ranges: int
) -> tuple[Bools, list[Callable[[], Bools]]]:
    """Checks of the antecedents of a size, and where they note, by rank, what is unsafe."""
    # Shared by the threads: each only ever writes True into it.
    unsafe = np.zeros(layout.n_items, dtype=np.bool_)
    rows = layout.rows()
    bounds = fair_bounds(layout, n_ranges)

    def check(start: int, end: int) -> Bools:
        roots, sensitive = (start, end), layout.sensitive
        find_unsafe_consequents(rows, sensitive, size, roots, model.limits, unsafe, stop.flag)
        return unsafe

    return unsafe, [partial(check, *ends) for ends in zip(bounds, bounds[1:], strict=False)]
