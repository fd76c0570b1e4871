"""The exact check of (h,k,p)-coherence and k^m-anonymity, with a smallest mole if they do not hold.

For attackers who know up to p items, every public set of up to p items that occurs is checked. For any number
of items it is enough that each record's public items are in at least k records, as then all their subsets
are, and that no private item s follows from a closed public set of the records that hold s.
"""

from __future__ import annotations

import time
from fractions import Fraction
from functools import partial

import numpy as np

from withhold.counting.equal_items import without_equal_items
from withhold.counting.pairs import count_all_pairs
from withhold.counting.supports import IndexedRows
from withhold.counting.threads import ANSWERED, PATIENCE, Progress, Stop, run_all
from withhold.counting.worst import new_worst
from withhold.data import Records
from withhold.data.array_types import Ints
from withhold.data.evidence import Evidence
from withhold.method import CheckRun
from withhold.methods.coherence.check.public_sets import find_mole, find_rare_row
from withhold.methods.coherence.cohorts import (
    Found,
    Limits,
    SplitRows,
    limits_of,
    moles_in,
    run_to_end,
    split_rows,
    spread_over_tasks,
)
from withhold.methods.coherence.model import Coherent
from withhold.methods.coherence.mole import Mole
from withhold.methods.rho.check.closed_sets import Limits as RhoLimits
from withhold.methods.rho.check.closed_sets import find_unsafe_closed_set
from withhold.verdict import Status, Verdict
from withhold.wording import counted

SETS = "all public sets of at most {}"
PAIRS = SETS.format("2 items")


def verify_coherence(
    records: Records,
    model: Coherent,
    evidence: Evidence,
    run: CheckRun,
) -> Verdict:
    """The verdict on ``records``."""
    began = time.perf_counter()
    jobs, progress = run.threads, run.progress
    private = records.codes(model.private)
    needed = without_equal_items(records, private)
    with Stop(run.limit_seconds) as stop:
        if model.p == 2 and model.h >= 1:
            checked = _frequent_pairs(needed, model, stop, jobs, progress)
            if checked:
                return Verdict(Status.HOLDS, PAIRS, checked, time.perf_counter() - began)
        rows = split_rows(needed, private)
        limits = limits_of(rows, model)
        bounded = model.p is not None and model.p < rows.longest
        found, smallest, checked = mole_of_nothing(rows, model), True, 1
        if found is None:
            search = _sets_up_to_p if bounded else _closed_sets
            found, checked = search(rows, limits, stop, jobs, progress)
            if found is not None:
                stop.go_on()
                with stop.at_most(PATIENCE) as patience:
                    found, smallest = _smallest(rows, limits, found, patience, jobs, progress)
        cut_short = found is None and stop.cause != 0
    status = Status.BROKEN if found else Status.UNDECIDED if cut_short else Status.HOLDS
    return Verdict(
        status,
        SETS.format(counted(limits.largest, "item"))
        if bounded
        else "all records, and all closed public sets of the records of each private item",
        checked,
        time.perf_counter() - began,
        None if found is None else named(rows, records, found),
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


def _frequent_pairs(
    records: Records, model: Coherent, stop: Stop, jobs: int, progress: Progress
) -> int:
    """How many public items and pairs there are, if none is too rare; 0 if one is, or may be too rare."""
    is_public = records.supports > 0
    is_public[records.codes(model.private)] = False
    public = records.without_items(np.flatnonzero(~is_public))
    supports = public.supports
    if len(records) < model.k or public.lengths.max(initial=0) <= 2 or (supports < model.k).any():
        return 0
    checked = len(supports)
    for block in count_all_pairs(public, stop, jobs=jobs, progress=progress):
        # A count that was cut short proves nothing.
        if stop.cause != 0 or (block.counts < model.k).any():
            return 0
        checked += len(block.counts)
    return checked


def _sets_up_to_p(
    rows: SplitRows, limits: Limits, stop: Stop, jobs: int, progress: Progress
) -> tuple[Found | None, int]:
    """Check every public set of at most p items until one is a mole."""
    tasks = [
        partial(_walk, rows, limits, stop, roots, False)
        for roots in spread_over_tasks(rows.public_ranks(), 16 * jobs)
    ]
    results = run_all(tasks, stop, jobs=jobs, progress=progress, what="checking public sets")
    found = next((mole for mole, _ in results if mole is not None), None)
    return found, sum(checked for _, checked in results)


def _walk(
    rows: SplitRows, limits: Limits, stop: Stop, roots: Ints, all_of_them: bool
) -> tuple[Found | None, int]:
    """What a walk from these roots finds, and the number of sets it checked."""
    worst, checked = new_worst(limits.largest, 1), np.zeros(1, dtype=np.int64)
    tour = rows.tour(roots, ~rows.sensitive, limits.largest)
    run_to_end(find_mole, rows.problem(limits, stop), tour, all_of_them, worst, checked)
    sizes = range(1, limits.largest + 1)
    moles = [mole for size in sizes for mole in moles_in(worst, size)]
    if moles and not all_of_them:
        stop.because(ANSWERED)
    return (moles[0] if moles else None), int(tour.place[0] + checked[0])


def _closed_sets(
    rows: SplitRows, limits: Limits, stop: Stop, jobs: int, progress: Progress
) -> tuple[Found | None, int]:
    """Check every record, then every closed set of each private item's records."""
    indexed = rows.rows(with_bitmaps=True)
    rare, support = find_rare_row(rows.problem(limits, stop), indexed)
    if rare >= 0:
        items = rows.items[rows.offsets[rare] : rows.offsets[rare + 1]]
        return (tuple(items.tolist()), int(support), -1, 0), int(rare) + 1
    # An item in at most h·k records is at most the share h of any k records or more.
    private = rows.sensitive_ranks()
    private = private[rows.supports[private] * limits.den > limits.num * limits.k]
    if limits.num >= limits.den:
        private = private[:0]
    tasks = [
        partial(_closed_task, indexed, limits, some, stop)
        for some in spread_over_tasks(private, 16 * jobs)
    ]
    results = run_all(tasks, stop, jobs=jobs, progress=progress, what="checking closed sets")
    found = next((mole for mole, _ in results if mole is not None), None)
    return found, rows.n_rows + sum(checked for _, checked in results)


def _closed_task(
    indexed: IndexedRows, limits: Limits, private: Ints, stop: Stop
) -> tuple[Found | None, int]:
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
    # From high to low, single items from low to high: so equally bad ones come in the order of ``_badness``.
    ranks = rows.public_ranks()
    for size in range(1, len(found[0]) + 1):
        of_size = limits._replace(largest=size)
        tasks = [
            partial(_walk, rows, of_size, stop, roots, True)
            for roots in spread_over_tasks(ranks if size == 1 else ranks[::-1], 16 * jobs)
        ]
        what = "looking for smaller sets"
        results = run_all(tasks, stop, jobs=jobs, progress=progress, what=what)
        if stop.cause != 0:
            return found, False
        moles = [mole for mole, _ in results if mole is not None]
        if moles:
            return min(moles, key=_badness), True
    return found, True


def _badness(mole: Found) -> tuple[Fraction, int, list[int]]:
    """Lower is worse: higher probability, then more records, then in the order of the walks."""
    items, support, private, joint = mole
    order = [-rank for rank in items]
    if private < 0 or len(items) == 1:
        order[-1] = items[-1]
    return -Fraction(1 if private < 0 else joint, support), -support, order


def named(rows: SplitRows, records: Records, mole: Found) -> Mole:
    """The mole with the items by name."""
    items, support, private, joint = mole
    return Mole(
        tuple(sorted(records.vocabulary[rows.code_of_rank[rank]] for rank in items)),
        support,
        None if private < 0 else records.vocabulary[rows.code_of_rank[private]],
        joint,
    )
