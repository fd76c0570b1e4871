"""The audit of sensitive items apart: what whoever finds a record can say of it."""

from __future__ import annotations

import numpy as np

from withhold.auditing.options import AuditOptions
from withhold.auditing.records import AuditRequest, attack_curve
from withhold.auditing.result import Audit, How, SizeCount
from withhold.counting.layout import lay_out
from withhold.data import Records
from withhold.data.evidence import Evidence
from withhold.method import AuditRun, Finding
from withhold.methods.apart.check import PublishedGroups, verify_apart
from withhold.methods.apart.finding import TooFrequent
from withhold.methods.apart.model import SensitiveApart


def audit_apart(
    records: Records,
    model: SensitiveApart,
    evidence: Evidence,
    options: AuditOptions,
    run: AuditRun,
) -> Audit:
    """The audit of ``records``: as they came, or as a release has them."""
    request = AuditRequest.of(model.sensitive, options, run)
    verdict = run.verdict or verify_apart(records, model, evidence, run)
    published = PublishedGroups(records, model.sensitive)
    worst: list[Finding] = []
    n_found = 0
    exposed = np.zeros(len(records), dtype=bool)
    exposed[published.row_of[published.is_plain[records.items]]] = True
    groups = dict.fromkeys(records.vocabulary[code] for code in np.flatnonzero(published.is_tag))
    for finding in published.findings(model.rho):
        n_found += 1
        if len(worst) < options.show:
            worst.append(finding)
        if isinstance(finding, TooFrequent) and finding.group in groups:
            code = records.vocabulary.index(finding.group)
            exposed |= published.group_of == code
    with request.clock() as stop:
        told = np.flatnonzero(published.is_tag | published.is_entry | published.is_plain)
        curve = attack_curve(
            lay_out(records.without_items(told), np.zeros(0, np.int32)), request, stop
        )
    return request.audit(
        records,
        model,
        verdict,
        breaches=tuple(worst),
        counts={0: SizeCount(How.COUNTED, n_found)},
        exposed_records=int(exposed.sum()),
        attack_curve=curve,
    )
