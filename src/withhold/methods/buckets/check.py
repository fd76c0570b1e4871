"""The exact check of k-anonymous sets: count every different set of items, as it is in the file.

Of a release by parts the sets of all parts are counted, exactly, and the sums decide.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import Any

import numpy as np

from withhold.counting.equal_sets import EqualSets, Overview, OverviewRound, exact_rounds
from withhold.data import Records
from withhold.data.equal_rows import equal_rows
from withhold.data.evidence import Evidence
from withhold.method import CheckRun
from withhold.methods.buckets.model import Buckets, RareSet
from withhold.verdict import Status, Verdict


def verify_buckets(
    records: Records,
    model: Buckets,
    evidence: Evidence,
    run: CheckRun,
) -> Verdict:
    """The verdict on ``records``. One pass over the records, so limits and threads make no difference."""
    began = time.perf_counter()
    numbers, first = equal_rows(records)
    counts = np.bincount(numbers)
    rare = rare_sets(records, model, counts, first, show=1)
    return Verdict(
        Status.BROKEN if rare else Status.HOLDS,
        "every different set of items, counted",
        len(first),
        time.perf_counter() - began,
        rare[0] if rare else None,
        bool(rare),
    )


def rare_sets(
    records: Records, model: Buckets, counts: np.ndarray, first: np.ndarray, *, show: int
) -> list[RareSet]:
    """The sets that fewer than k records have: fewest records first, then fewest items."""
    rare = np.flatnonzero(counts < model.k)
    order = np.lexsort((first[rare], records.lengths[first[rare]], counts[rare]))[:show]
    return [
        RareSet(records.record(int(first[number])), int(counts[number]), model.k)
        for number in rare[order]
    ]


def prove_by_counts(model: Buckets) -> Generator[Any, Any, Verdict]:
    """The verdict on the records of all parts; asks for counts, and is sent the sums."""
    began = time.perf_counter()
    how = "every different set of items, counted over all parts"
    found: Overview = yield OverviewRound()
    checked = 0
    for asked in exact_rounds(found):
        sums: EqualSets = yield asked
        checked += len(sums.counts)
        rare = [RareSet(asked.items_of(key), n, model.k) for key, n in sums.rare(model.k)]
        if rare:
            rarest = min(rare, key=rarest_first)
            seconds = time.perf_counter() - began
            return Verdict(Status.BROKEN, how, checked, seconds, rarest, asked.shelf.of == 1)
    return Verdict(Status.HOLDS, how, checked, time.perf_counter() - began)


def rarest_first(rare: RareSet) -> tuple[int, int, tuple[str, ...]]:
    """The order in which rare sets are listed: fewest records, then fewest items."""
    return rare.records, len(rare.items), rare.items
