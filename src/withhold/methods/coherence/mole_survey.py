"""``survey_moles`` over all items of a table: the minimal moles by size, the worst, the records exposed."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.counting.layout import Ints, Longs
from withhold.counting.threads import Progress, Stop, available_cores, quiet, run_all
from withhold.methods.coherence.breach_store import FULL, BreachStore
from withhold.methods.coherence.cohorts import SplitRows
from withhold.methods.coherence.limits import Found, Limits
from withhold.methods.coherence.minimal_moles import NO_MOLE, judge_items, survey_moles

CALLS = 64
"""Into so many calls the search for what to store is cut, with a look at the progress between them."""

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class MoleSurvey:
    """What was found, by size."""

    counts: list[int]
    """``counts[size]`` minimal moles have so many items."""
    worst: list[list[Found]]
    """``worst[size]``: likeliest first, then most records."""
    exposed: NDArray[np.uint8]
    """Rows that hold one of the moles."""


def moles_alone(rows: SplitRows, limits: Limits) -> dict[int, Found]:
    """The single items that are moles, by rank."""
    ranks, numbers = judge_alone(rows, limits)
    return {
        rank: ((rank,), support, private, joint)
        for rank, (support, private, joint) in zip(ranks.tolist(), numbers.tolist(), strict=True)
    }


def judge_alone(rows: SplitRows, limits: Limits) -> tuple[Ints, Longs]:
    """The single items that are moles, with support, private item and joint of each."""
    ranks = rows.public_ranks()
    numbers = np.zeros((len(ranks), 3), dtype=np.int64)
    judge_items(
        ranks,
        rows.private_offsets,
        rows.private_items,
        rows.post_offsets,
        rows.post_rows,
        limits.k,
        limits.num,
        limits.den,
        numbers,
    )
    faulty = numbers[:, 1] != NO_MOLE
    return ranks[faulty], numbers[faulty]


def worst_alone(ranks: Ints, numbers: Longs, keep: int) -> list[Found]:
    """The worst of the single items: likeliest first, then most records, then by rank."""
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
    """The minimal moles of fewer than ``largest`` items that are known by a private item."""
    store = BreachStore(rows.n_items)
    if limits.num >= limits.den or limits.largest < 3:
        return store
    done = np.zeros(1, np.int64)
    outputs = (np.zeros(0, np.int64), done, np.zeros(0, np.uint8))
    # From the highest rank down, so that parts come before wholes. Many roots in a call: each call makes
    # arrays as long as there are items.
    parts = np.array_split(np.flatnonzero(alive)[::-1], CALLS)
    for number, roots in enumerate(parts):
        progress(what, number, len(parts))
        while len(roots) > 0 and stop.reason == 0:
            largest = limits.largest - 1
            status = _walk(rows, limits, largest, roots, True, alive, True, store, outputs, 0, stop)
            roots = roots[int(done[0]) :]
            if status == FULL:
                store.grow()
    return store


def count_minimal(
    rows: SplitRows,
    limits: Limits,
    store: BreachStore,
    alive: Bools,
    stop: Stop,
    *,
    root: int | None = None,
) -> Longs:
    """How many minimal moles of two or more items each rank is in; those with ``root``, or all."""
    per_item = np.zeros(rows.n_items, dtype=np.int64)
    outputs = (per_item, np.zeros(limits.largest + 2, np.int64), np.zeros(rows.n_rows, np.uint8))
    roots = np.flatnonzero(alive)[::-1] if root is None else [root]
    if limits.largest > 1:
        _walk(
            rows, limits, limits.largest, roots, root is None, alive, False, store, outputs, 0, stop
        )
    return per_item


def survey(
    rows: SplitRows,
    limits: Limits,
    *,
    keep: int,
    stop: Stop,
    jobs: int | None = None,
    progress: Progress = quiet,
    what: str = "looking for smaller sets",
) -> MoleSurvey:
    """All minimal moles of 1 to ``largest`` items; ``keep`` of each size are told."""
    counts = np.zeros(limits.largest + 2, dtype=np.int64)
    exposed = np.zeros(rows.n_rows, dtype=np.uint8)
    alone, numbers = judge_alone(rows, limits)
    alive = alive_beside(rows, alone)
    is_alone = np.zeros(rows.n_items, dtype=bool)
    is_alone[alone] = True
    exposed[rows.post_rows[np.repeat(is_alone, rows.supports)]] = 1
    store = store_breaches(rows, limits, alive, stop, progress, what)
    worst: list[list[Found]] = [[] for _ in range(limits.largest + 1)]
    if limits.largest > 1:
        jobs = jobs or available_cores()
        tasks = [
            partial(_survey_part, rows, limits, roots, alive, store, exposed, keep, stop)
            for roots in _fair_parts(rows, np.flatnonzero(alive)[::-1], 16 * jobs)
        ]
        for part, found in run_all(tasks, stop, jobs=jobs, progress=progress, what=what):
            counts += part
            for size, moles in enumerate(found):
                worst[size] += moles
        for moles in worst:
            # Stable: of equals those with the higher ranks stay first, as they are met.
            moles.sort(key=lambda mole: (-_probability(mole), -mole[1]))
            del moles[keep:]
    worst[1] = worst_alone(alone, numbers, keep)
    counts[1] = len(alone)
    return MoleSurvey(counts[: limits.largest + 1].tolist(), worst, exposed)


def alive_beside(rows: SplitRows, alone: Ints) -> Bools:
    """By rank: whether it is a public item that occurs and is no mole by itself."""
    alive = np.zeros(rows.n_items, dtype=bool)
    alive[rows.public_ranks()] = True
    alive[alone] = False
    return alive


def _survey_part(
    rows: SplitRows,
    limits: Limits,
    roots: NDArray[np.int64],
    alive: Bools,
    store: BreachStore,
    exposed: NDArray[np.uint8],
    keep: int,
    stop: Stop,
) -> tuple[Longs, list[list[Found]]]:
    """The moles that hold one of the roots and otherwise higher ranks. The store is only read."""
    counts = np.zeros(limits.largest + 2, dtype=np.int64)
    # Shared by all threads: each only ever writes the value 1 into ``exposed``.
    outputs = (np.zeros(rows.n_items, np.int64), counts, exposed)
    worst = _walk(
        rows, limits, limits.largest, roots, True, alive, False, store, outputs, keep, stop
    )
    return counts, worst


def _fair_parts(rows: SplitRows, roots: NDArray[np.int64], parts: int) -> list[NDArray[np.int64]]:
    """The roots in consecutive parts that hold about equally many occurrences."""
    up_to = np.cumsum(rows.supports[roots])
    marks = (up_to[-1] if len(up_to) else 0) * np.arange(1, parts) // parts
    return [part for part in np.split(roots, np.searchsorted(up_to, marks)) if len(part)]


def _probability(mole: Found) -> Fraction:
    return Fraction(1 if mole[2] < 0 else mole[3], mole[1])


def _walk(
    rows: SplitRows,
    limits: Limits,
    largest: int,
    roots: object,
    after: bool,
    alive: Bools,
    storing: bool,
    store: BreachStore,
    outputs: tuple[Longs, Longs, NDArray[np.uint8]],
    keep: int,
    stop: Stop,
) -> Any:
    """Call ``survey_moles``; returns its status when storing, else the worst by size."""
    n_kept = np.zeros(largest + 2, dtype=np.int64)
    sets = np.zeros((largest + 2, keep, largest + 2), dtype=np.int32)
    numbers = np.zeros((largest + 2, keep, 3), dtype=np.int64)
    status = survey_moles(
        np.asarray(roots, dtype=np.int32),
        after,
        alive,
        rows.offsets,
        rows.items,
        rows.private_offsets,
        rows.private_items,
        rows.post_offsets,
        rows.post_rows,
        limits.k,
        limits.num,
        limits.den,
        largest,
        storing,
        store.keys,
        store.heads,
        store.arena,
        store.item_heads,
        store.tops,
        *outputs,
        n_kept,
        sets,
        numbers,
        stop.flag,
    )
    if storing:
        return status
    return [
        [
            (tuple(sets[size, place, :size].tolist()), *numbers[size, place].tolist())
            for place in range(n_kept[size])
        ]
        for size in range(largest + 1)
    ]
