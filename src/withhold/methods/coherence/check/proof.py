"""The exact check of (h,k,p)-coherence and k^m-anonymity, with a smallest mole if they do not hold.

For attackers who know up to p items every supported public set of up to p items is looked at. For any
number of items it is enough that each record's public items are in at least k records, as then all their
parts are, and that no private item s follows from a closed public set of the records that hold s.
"""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np

from withhold.counting.equal_items import without_equal_items
from withhold.counting.layout import Ints
from withhold.counting.supports import IndexedRows
from withhold.counting.threads import (
    ANSWERED,
    PATIENCE,
    Progress,
    Stop,
    available_cores,
    quiet,
    run_all,
)
from withhold.data import Records
from withhold.methods.coherence.check.public_sets import find_mole
from withhold.methods.coherence.check.rare_rows import find_rare_row
from withhold.methods.coherence.cohorts import NOT_FOUND, STOPPED, SplitRows, split_rows
from withhold.methods.coherence.limits import Found, Limits, limits_of
from withhold.methods.coherence.model import Coherent
from withhold.methods.coherence.mole import Mole
from withhold.methods.rho.check.closed_sets import Limits as RhoLimits
from withhold.methods.rho.check.closed_sets import find_unsafe_closed_set
from withhold.verdict import Status, Verdict
from withhold.wording import counted


def verify_coherence(
    table: Records,
    model: Coherent,
    *,
    jobs: int | None = None,
    limit_seconds: float | None = None,
    progress: Progress = quiet,
    any_witness: bool = False,
) -> Verdict:
    """The verdict on ``table``; with ``any_witness`` no smaller mole is looked for than the first."""
    began = time.perf_counter()
    jobs = jobs or available_cores()
    private = table.codes(model.private)
    rows = split_rows(without_equal_items(table, private), private)
    limits = limits_of(rows, model)
    bounded = model.p is not None and model.p < rows.longest
    with Stop(limit_seconds) as stop:
        found, smallest, checked = mole_of_nothing(rows, model), True, 1
        if found is None:
            search = _sets_up_to_p if bounded else _closed_sets
            found, checked = search(rows, limits, stop, jobs, progress)
            smallest = not any_witness
            if found is not None and smallest:
                stop.go_on()
                with stop.at_most(PATIENCE) as patience:
                    found, smallest = _smallest(rows, limits, found, patience, jobs, progress)
        cut_short = found is None and stop.reason != 0
    status = Status.BROKEN if found else Status.UNDECIDED if cut_short else Status.HOLDS
    return Verdict(
        status,
        f"all public sets of at most {counted(limits.largest, 'item')}"
        if bounded
        else "all records, and all closed public sets of the records of each private item",
        checked,
        time.perf_counter() - began,
        None if found is None else named(rows, table, found),
        found is not None and smallest,
    )


def mole_of_nothing(rows: SplitRows, model: Coherent) -> Found | None:
    """The empty set, if it is a mole: too few records at all, or a private item in too many."""
    if 0 < rows.n_rows < model.k:
        return (), rows.n_rows, -1, 0
    supports = np.where(rows.sensitive, rows.supports, 0)
    most = int(supports.max(initial=0))
    if most * model.h.denominator > model.h.numerator * rows.n_rows:
        ranks = np.flatnonzero(supports == most)
        return (), rows.n_rows, int(ranks[np.argmin(rows.code_of_rank[ranks])]), most
    return None


def _sets_up_to_p(
    rows: SplitRows, limits: Limits, stop: Stop, jobs: int, progress: Progress
) -> tuple[Found | None, int]:
    """Look at every public set of at most p items until one is a mole."""
    results = _walks(rows, limits, stop, jobs, progress, worst=False, what="checking public sets")
    found = next((mole for mole, _ in results if mole is not None), None)
    return found, sum(checked for _, checked in results)


def _walks(
    rows: SplitRows,
    limits: Limits,
    stop: Stop,
    jobs: int,
    progress: Progress,
    *,
    worst: bool,
    what: str,
) -> list[tuple[Found | None, int]]:
    """What walks from every n-th public item find, each with the number of sets it looked at."""
    roots = rows.public_ranks()
    n_tasks = max(min(len(roots), 16 * jobs), 1)
    tasks = [
        partial(_walk, rows, limits, roots[start::n_tasks].copy(), worst, stop)
        for start in range(n_tasks)
    ]
    return run_all(tasks, stop, jobs=jobs, progress=progress, what=what)


def _walk(
    rows: SplitRows, limits: Limits, roots: Ints, worst: bool, stop: Stop
) -> tuple[Found | None, int]:
    found = np.zeros(limits.largest + 2, dtype=np.int32)
    numbers = np.zeros(4, dtype=np.int64)
    size = find_mole(
        roots,
        rows.offsets,
        rows.items,
        rows.private_offsets,
        rows.private_items,
        rows.post_offsets,
        rows.post_rows,
        limits.k,
        limits.num,
        limits.den,
        limits.largest,
        worst,
        stop.flag,
        found,
        numbers,
    )
    support, private, joint, checked = numbers.tolist()
    if size in (NOT_FOUND, STOPPED):
        return None, checked
    if not worst:
        stop.because(ANSWERED)
    return (tuple(found[:size].tolist()), support, private, joint), checked


def _closed_sets(
    rows: SplitRows, limits: Limits, stop: Stop, jobs: int, progress: Progress
) -> tuple[Found | None, int]:
    """Look at every record, then at every closed set of each private item's records."""
    bitmaps = rows.bitmaps()
    rare, support = find_rare_row(
        limits.k, rows.offsets, rows.items, rows.post_offsets, rows.post_rows, bitmaps, stop.flag
    )
    if rare >= 0:
        items = rows.items[rows.offsets[rare] : rows.offsets[rare + 1]]
        return (tuple(items.tolist()), int(support), -1, 0), int(rare) + 1
    # Of k records or more, so few can be no larger share than h.
    private = rows.sensitive_ranks()
    private = private[rows.supports[private] * limits.den > limits.num * limits.k]
    n_tasks = min(len(private), 16 * jobs) if limits.num < limits.den else 0
    tasks = [
        partial(_closed_task, rows, bitmaps, limits, private[start::n_tasks].copy(), stop)
        for start in range(n_tasks)
    ]
    results = run_all(tasks, stop, jobs=jobs, progress=progress, what="checking closed sets")
    found = next((mole for mole, _ in results if mole is not None), None)
    return found, rows.n_rows + sum(checked for _, checked in results)


def _closed_task(
    rows: SplitRows, bitmaps: np.ndarray, limits: Limits, private: Ints, stop: Stop
) -> tuple[Found | None, int]:
    indexed = IndexedRows(
        rows.offsets, rows.items, rows.post_offsets, rows.post_rows, rows.supports, bitmaps
    )
    above = RhoLimits(limits.num, limits.den, False)
    rule, checked = find_unsafe_closed_set(indexed, private, above, stop.flag)
    if rule is None:
        return None, checked
    stop.because(ANSWERED)
    itemset, consequent, joint, support = rule
    return (tuple(itemset.tolist()), support, consequent, joint), checked


def _smallest(
    rows: SplitRows, limits: Limits, found: Found, stop: Stop, jobs: int, progress: Progress
) -> tuple[Found, bool]:
    """The worst of the smallest moles, and whether the search for smaller ones was complete."""
    for size in range(1, len(found[0]) + 1):
        of_size = replace(limits, largest=size)
        what = "looking for smaller sets"
        results = _walks(rows, of_size, stop, jobs, progress, worst=True, what=what)
        if stop.reason != 0:
            return found, False
        moles = [mole for mole, _ in results if mole is not None]
        if moles:
            return min(moles, key=_badness), True
    return found, True


def _badness(mole: Found) -> tuple[Fraction, int, list[int]]:
    """Lower is worse, in the order of ``outranks``."""
    items, support, private, joint = mole
    order = [-rank for rank in items]
    if private < 0 or len(items) == 1:
        order[-1] = items[-1]
    return -Fraction(1 if private < 0 else joint, support), -support, order


def named(rows: SplitRows, table: Records, mole: Found) -> Mole:
    """The mole in the table's own words."""
    items, support, private, joint = mole
    return Mole(
        tuple(sorted(table.vocabulary[rows.code_of_rank[rank]] for rank in items)),
        support,
        None if private < 0 else table.vocabulary[rows.code_of_rank[private]],
        joint,
    )
