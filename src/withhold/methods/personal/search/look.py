"""Whether there is anything to search for: a look at a table as it came, until something unsafe is found."""

from __future__ import annotations

from functools import partial

import numpy as np

from withhold.counting.layout import Ints
from withhold.counting.threads import ANSWERED, Progress, Stop, run_all
from withhold.data import Records
from withhold.methods.personal.known_sets import small_sizes
from withhold.methods.personal.model import PersonalRhoUncertainty
from withhold.methods.personal.people import PersonalLayout, feared_in_rows, lay_out_needed
from withhold.methods.personal.search.closed import find_unsafe_sets
from withhold.methods.personal.search.judge import room_for_rules, scratch_for
from withhold.methods.personal.search.unsafe_known_set import has_unsafe_known_set

TASKS = 64


def holds_already(
    table: Records,
    model: PersonalRhoUncertainty,
    max_known: int | None,
    *,
    limit_seconds: float | None,
    jobs: int | None,
    progress: Progress,
) -> bool:
    """Whether nothing of the table need be withheld, as far as that is found out in time."""
    assert model.constraints is not None
    everything = np.ones(table.n_occurrences, dtype=bool)
    layout = lay_out_needed(table, everything, model.constraints)
    rows, rho = layout.rows, (model.rho.numerator, model.rho.denominator)
    if (layout.fears.anybody & (rows.supports * rho[1] > rho[0] * len(table))).any():
        return False
    largest = small_sizes(layout) if max_known is None else max_known
    roots = np.flatnonzero(rows.supports > 0).astype(np.int32)
    parts = [roots[start::TASKS].copy() for start in range(min(TASKS, len(roots)))]
    with Stop(limit_seconds) as stop:
        looks = [partial(_known_sets, layout, rho, largest, stop)]
        if max_known is None:
            looks.append(partial(_closed_sets, layout, rho, largest + 1, stop))
        for look in looks:
            tasks = [partial(look, part) for part in parts]
            what = "looking for anything unsafe"
            if any(run_all(tasks, stop, jobs=jobs, progress=progress, what=what)):
                return False
        return stop.reason == 0


def _known_sets(
    layout: PersonalLayout, rho: tuple[int, int], largest: int, stop: Stop, roots: Ints
) -> bool:
    """Whether a set of at most ``largest`` known items is unsafe."""
    rows, people, fears = layout.rows, layout.people, layout.fears
    feared = feared_in_rows(layout)
    unsafe = bool(
        largest > 0
        and has_unsafe_known_set(roots, largest, rows, people, fears, feared, rho, stop.flag)
    )
    if unsafe:
        stop.because(ANSWERED)
    return unsafe


def _closed_sets(
    layout: PersonalLayout, rho: tuple[int, int], least: int, stop: Stop, roots: Ints
) -> bool:
    """Whether a closed set is unsafe for somebody who knows at least ``least`` items of it."""
    found = room_for_rules(1, layout.layout.n_items)
    find_unsafe_sets(
        roots,
        np.full(len(roots), -1, dtype=np.int32),
        True,
        least,
        -1,
        layout.rows,
        layout.people,
        layout.fears,
        *rho,
        stop.flag,
        scratch_for(layout),
        found,
    )
    if found.count[0] > 0:
        stop.because(ANSWERED)
    return bool(found.count[0] > 0)
