"""The audit of k-anonymous sets: which records stand out by their items, and how few of these suffice."""

from __future__ import annotations

import numpy as np

from withhold.auditing.options import AuditOptions
from withhold.auditing.records import AuditRequest, attack_curve
from withhold.auditing.result import Audit, How, SizeCount
from withhold.counting.layout import lay_out
from withhold.data import Records
from withhold.data.equal_rows import equal_rows
from withhold.data.evidence import Evidence
from withhold.method import AuditRun
from withhold.methods.buckets.check import rare_sets, verify_buckets
from withhold.methods.buckets.model import Buckets
from withhold.methods.buckets.options import AUDITED_SIZE


def audit_buckets(
    records: Records,
    model: Buckets,
    evidence: Evidence,
    options: AuditOptions,
    run: AuditRun,
) -> Audit:
    """The audit of ``records``; rare sets are counted up to ``max_size`` items, 5 if not given."""
    request = AuditRequest.of(evidence.protected(model.sensitive), options, run)
    verdict = run.verdict or verify_buckets(records, model, evidence, run)
    numbers, first = equal_rows(records)
    counts, sizes = np.bincount(numbers), records.lengths[first]
    largest = AUDITED_SIZE if options.max_size is None else options.max_size
    counted = (counts < model.k) & (sizes <= largest)
    by_size = np.bincount(sizes[counted], minlength=largest + 1)
    with request.clock() as stop:
        curve = attack_curve(lay_out(records, records.codes(())), request, stop, k=model.k)
    return request.audit(
        records,
        model,
        verdict,
        breaches=tuple(rare_sets(records, model, counts, first, show=options.show)),
        counts={size: SizeCount(How.COUNTED, int(n)) for size, n in enumerate(by_size)},
        exposed_records=int(counts[counted].sum()),
        attack_curve=curve,
    )
