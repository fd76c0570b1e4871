"""The audit of k-anonymous sets: which records stand out by their items, and how soon one knows."""

from __future__ import annotations

import time

import numpy as np

from withhold.auditing.attack_curve import attack_curve
from withhold.auditing.result import Audit, How, SizeCount, seconds_left, size_of
from withhold.counting.layout import lay_out
from withhold.counting.threads import Progress, Stop, quiet
from withhold.data import Records
from withhold.data.equal_rows import equal_rows
from withhold.methods.buckets.check import rare_sets, verify_buckets
from withhold.methods.buckets.model import Buckets

DEFAULT_SIZE = 5
"""Each set is looked at once, so there is no need to stop at few items."""


def audit_buckets(
    table: Records,
    model: Buckets,
    *,
    max_size: int | None = None,
    show: int = 10,
    samples: int = 2000,
    seed: int = 0,
    jobs: int | None = None,
    limit_seconds: float | None = None,
    progress: Progress = quiet,
) -> Audit:
    """The audit of ``table``; rare sets are counted up to ``max_size`` items, 5 if not given."""
    began = time.perf_counter()
    verdict = verify_buckets(table, model)
    numbers, first = equal_rows(table)
    counts = np.bincount(numbers)
    sizes = table.lengths[first]
    largest = DEFAULT_SIZE if max_size is None else max_size
    counted = (counts < model.k) & (sizes <= largest)
    with Stop(seconds_left(limit_seconds, began)) as stop:
        curve = attack_curve(
            lay_out(table, table.codes(())),
            None,
            k=model.k,
            samples=samples,
            seed=seed,
            stop=stop,
            jobs=jobs,
            progress=progress,
        )
    return Audit(
        model=model,
        verdict=verdict,
        breaches=tuple(rare_sets(table, model, counts, first, show=show)),
        counts={
            size: SizeCount(How.COUNTED, int((counted & (sizes == size)).sum()))
            for size in range(largest + 1)
        },
        exposed_records=int(counts[counted].sum()),
        attack_curve=curve,
        **size_of(table, ()),
        seed=seed,
        seconds=time.perf_counter() - began,
    )
