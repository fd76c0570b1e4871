"""The exact check of k-anonymous sets: count every different set of items, as it stands in the file."""

from __future__ import annotations

import time

import numpy as np

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
    """The sets that occur less than k times: fewest records first, then fewest items."""
    rare = np.flatnonzero(counts < model.k)
    order = np.lexsort((first[rare], records.lengths[first[rare]], counts[rare]))[:show]
    return [
        RareSet(records.record(int(first[number])), int(counts[number]), model.k)
        for number in rare[order]
    ]
