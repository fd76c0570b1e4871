"""The audit of k-anonymous sets: which records stand out by their items, and how soon one knows."""

from __future__ import annotations

import numpy as np

from withhold.auditing.records import AuditRequest, attack_curve
from withhold.auditing.result import Audit, How, SizeCount
from withhold.counting.layout import lay_out
from withhold.counting.threads import Progress, quiet
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
    request = AuditRequest(max_size, show, samples, seed, jobs, limit_seconds, progress)
    verdict = verify_buckets(table, model)
    numbers, first = equal_rows(table)
    counts, sizes = np.bincount(numbers), table.lengths[first]
    largest = DEFAULT_SIZE if max_size is None else max_size
    counted = (counts < model.k) & (sizes <= largest)
    by_size = np.bincount(sizes[counted], minlength=largest + 1)
    with request.clock() as stop:
        curve = attack_curve(lay_out(table, table.codes(())), request, stop, k=model.k)
    return request.audit(
        table,
        model,
        verdict,
        breaches=tuple(rare_sets(table, model, counts, first, show=show)),
        counts={size: SizeCount(How.COUNTED, int(n)) for size, n in enumerate(by_size)},
        exposed_records=int(counts[counted].sum()),
        attack_curve=curve,
    )
