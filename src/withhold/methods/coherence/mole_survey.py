"""The minimal moles of all records: how many of each size, the worst, and the records that hold one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from withhold.counting.surveys import SurveyRun
from withhold.counting.threads import Progress, Stop, available_cores, quiet, run_all
from withhold.counting.worst import new_worst
from withhold.data.array_types import Bools, Ints, Longs
from withhold.methods.coherence.breach_store import BreachStore, larger_store, new_store
from withhold.methods.coherence.cohorts import DONE, Found, Limits, SplitRows, moles_in, run_to_end
from withhold.methods.coherence.minimal_moles import (
    FULL,
    NO_MOLE,
    Survey,
    SurveyScratch,
    are_first_minimal_moles,
    judge_items,
    survey_moles,
)

CALLS = 64
"""The search for what to store is cut into this many calls, with progress reported between them."""


@dataclass(frozen=True)
class MoleSurvey:
    """What was found, by size."""

    counts: list[int]
    """``counts[size]`` minimal moles have ``size`` items."""
    worst: list[list[Found]]
    """``worst[size]``: likeliest first, then most records."""
    exposed: NDArray[np.uint8]
    """Rows that hold one of the moles."""


def single_moles(rows: SplitRows, limits: Limits) -> dict[int, Found]:
    """The items that are moles by themselves, by rank."""
    ranks, numbers = judge_single_items(rows, limits)
    return {
        rank: ((rank,), support, private, joint)
        for rank, (support, private, joint) in zip(ranks.tolist(), numbers.tolist(), strict=True)
    }


def judge_single_items(rows: SplitRows, limits: Limits) -> tuple[Ints, Longs]:
    """The items that are moles by themselves, with support, private item and joint of each."""
    ranks = rows.public_ranks()
    numbers = np.zeros((len(ranks), 3), dtype=np.int64)
    walk = rows.tour(ranks, ~rows.sensitive, 1).walk
    judge_items(rows.problem(limits, Stop()), walk, ranks, numbers)
    are_moles = numbers[:, 1] != NO_MOLE
    return ranks[are_moles], numbers[are_moles]


def worst_single_moles(ranks: Ints, numbers: Longs, keep: int) -> list[Found]:
    """The worst of these items: likeliest first, then most records, then by rank."""
    hits = np.where(numbers[:, 1] < 0, 1, numbers[:, 2])
    width = int(numbers[:, 0].max(initial=0)) + 1
    different, of = np.unique(hits * width + numbers[:, 0], return_inverse=True)
    pairs = [divmod(pair, width) for pair in different.tolist()]
    # Few different ones, so exact fractions are not too slow here.
    order = sorted(range(len(pairs)), key=lambda n: (-Fraction(*pairs[n]), -pairs[n][1]))
    place = np.empty(len(different), dtype=np.int64)
    place[order] = np.arange(len(different))
    chosen = np.argsort(place[of.reshape(-1)], kind="stable")[:keep]
    return [
        ((int(rank),), *numbers[n].tolist()) for n, rank in zip(chosen, ranks[chosen], strict=True)
    ]


def store_breaches(
    rows: SplitRows,
    limits: Limits,
    alive: Bools,
    stop: Stop,
    progress: Progress = quiet,
    what: str = "",
) -> BreachStore:
    """A store of the minimal moles of fewer than ``largest`` items from which a private item follows."""
    store = new_store(rows.n_items)
    if limits.num >= limits.den or limits.largest < 3:
        return store
    limits = limits._replace(largest=limits.largest - 1)
    found = _new_survey(rows, 0, 0)
    # Many roots in a part: each makes arrays as long as there are items.
    parts = np.array_split(_downwards(alive), CALLS)
    for number, roots in enumerate(parts):
        progress(what, number, len(parts))
        while len(roots) > 0 and stop.cause == 0:
            status, n_done = _walk(rows, limits, roots, alive, store, found, stop, storing=True)
            roots = roots[n_done:]
            if status == FULL:
                store = larger_store(store)
    return store


def count_minimal(
    rows: SplitRows,
    limits: Limits,
    store: BreachStore,
    alive: Bools,
    stop: Stop,
    *,
    root: Ints | None = None,
) -> Longs:
    """How many minimal moles of two or more items each rank is in; only those with ``root``, if given."""
    found = _new_survey(rows, limits.largest, 0)
    roots = _downwards(alive) if root is None else root
    if limits.largest > 1:
        _walk(rows, limits, roots, alive, store, found, stop, after=root is None)
    per_item: Longs = found.per_item
    return per_item


def survey(rows: SplitRows, limits: Limits, run: SurveyRun) -> MoleSurvey:
    """All minimal moles of 1 to ``largest`` items; ``first_only`` and ``skip_equal`` mean nothing here."""
    counts = np.zeros(limits.largest + 2, dtype=np.int64)
    exposed = np.zeros(rows.n_rows, dtype=np.uint8)
    alone, numbers = judge_single_items(rows, limits)
    alive = alive_without(rows, alone)
    is_alone = np.zeros(rows.n_items, dtype=bool)
    is_alone[alone] = True
    exposed[rows.post_rows[np.repeat(is_alone, rows.supports)]] = 1
    store = store_breaches(rows, limits, alive, run.stop, run.progress, run.what)
    worst: list[list[Found]] = [[] for _ in range(limits.largest + 1)]
    if limits.largest > 1:
        jobs = run.jobs or available_cores()
        tasks = [
            partial(_survey_part, rows, limits, roots, alive, store, exposed, run.keep, run.stop)
            for roots in _fair_parts(rows, _downwards(alive), 16 * jobs)
        ]
        for found in run_all(tasks, run.stop, jobs=jobs, progress=run.progress, what=run.what):
            counts += found.by_size
            for size in range(2, limits.largest + 1):
                worst[size] += moles_in(found.worst, size)
        for moles in worst:
            # Stable: of equals those with the higher ranks stay first, as they were found.
            moles.sort(key=lambda mole: (-_probability(mole), -mole[1]))
            del moles[run.keep :]
    worst[1] = worst_single_moles(alone, numbers, run.keep)
    counts[1] = len(alone)
    return MoleSurvey(counts[: limits.largest + 1].tolist(), worst, exposed)


def alive_without(rows: SplitRows, alone: Ints) -> Bools:
    """By rank: whether it is a public item that occurs and is not one of ``alone``, moles by themselves."""
    alive = np.zeros(rows.n_items, dtype=bool)
    alive[rows.public_ranks()] = True
    alive[alone] = False
    return alive


def mark_first_minimal(
    rows: SplitRows, limits: Limits, drawn: Sequence[Ints], hits: Bools, stop: Stop
) -> None:
    """Mark the draws, each a row and a set in it, that are minimal moles in the first row that holds them."""
    row_of, known = drawn
    walk = rows.tour(row_of, ~rows.sensitive, 1).walk
    are_first_minimal_moles(rows.problem(limits, stop), walk, row_of, known, hits)


def _survey_part(
    rows: SplitRows,
    limits: Limits,
    roots: Ints,
    alive: Bools,
    store: BreachStore,
    exposed: NDArray[np.uint8],
    keep: int,
    stop: Stop,
) -> Survey:
    """The moles that hold one of the roots and otherwise higher ranks. The store is only read."""
    found = _new_survey(rows, limits.largest, keep)._replace(exposed=exposed)
    _walk(rows, limits, roots, alive, store, found, stop)
    return found


def _walk(
    rows: SplitRows,
    limits: Limits,
    roots: Ints,
    alive: Bools,
    store: BreachStore,
    found: Survey,
    stop: Stop,
    *,
    after: bool = True,
    storing: bool = False,
) -> tuple[int, int]:
    """Call ``survey_moles``; returns its status, and how many roots are done."""
    tour = rows.tour(roots, alive, limits.largest, after=after)
    scratch = SurveyScratch(
        np.zeros(rows.n_items, dtype=np.bool_),
        np.zeros((limits.largest + 1, rows.n_items), dtype=np.bool_),
        np.zeros(limits.largest + 2, dtype=np.int64),
        np.zeros(limits.largest + 1, dtype=np.int32),
    )
    status = run_to_end(
        survey_moles, rows.problem(limits, stop), tour, store, storing, found, scratch
    )
    return status, int(tour.place[0]) - (status != DONE)


def _new_survey(rows: SplitRows, largest: int, keep: int) -> Survey:
    return Survey(
        np.zeros(rows.n_items, dtype=np.int64),
        np.zeros(largest + 2, dtype=np.int64),
        np.zeros(rows.n_rows, dtype=np.uint8),
        new_worst(largest, keep),
    )


def _downwards(alive: Bools) -> Ints:
    """The living ranks from the highest down, so that subsets come before their supersets."""
    return np.flatnonzero(alive)[::-1].astype(np.int32)


def _fair_parts(rows: SplitRows, roots: Ints, parts: int) -> list[Ints]:
    """The roots in consecutive parts that hold about equally many occurrences."""
    up_to = np.cumsum(rows.supports[roots])
    marks = (up_to[-1] if len(up_to) else 0) * np.arange(1, parts) // parts
    return [part for part in np.split(roots, np.searchsorted(up_to, marks)) if len(part)]


def _probability(mole: Found) -> Fraction:
    return Fraction(1 if mole[2] < 0 else mole[3], mole[1])
