"""The audit of sensitive items apart: what somebody who finds a record can infer from it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from withhold.auditing.options import AuditOptions
from withhold.auditing.records import AuditRequest, attack_curve
from withhold.auditing.result import Audit, How, SizeCount
from withhold.counting.layout import lay_out
from withhold.data import People, Records
from withhold.data.evidence import Evidence
from withhold.errors import PolicyError, option
from withhold.method import AuditRun
from withhold.methods.apart.check import PublishedGroups, counts_apart, verify_apart
from withhold.methods.apart.finding import TooFrequent
from withhold.methods.apart.model import ApartModel
from withhold.methods.apart.secrets import records_of


def audit_apart(
    data: Records | People,
    model: ApartModel,
    evidence: Evidence,
    options: AuditOptions,
    run: AuditRun,
) -> Audit:
    """The audit of records or people: as they came, or as a release has them."""
    if isinstance(data, People) and options.population is not None:
        raise PolicyError(
            f"{option('population')} is for records, tables and --model people; where people have their "
            f"sensitive items apart, say {option('sampling_fraction')}"
        )
    records = records_of(data, model.sensitive_column)
    request = AuditRequest.of(model.sensitive, options, run)
    verdict = run.verdict or verify_apart(data, model, evidence, run)
    published = PublishedGroups(records, model.secrets)
    exposed = np.zeros(len(records), dtype=bool)
    exposed[published.row_of[published.is_plain[records.items]]] = True
    code_of = {records.vocabulary[code]: code for code in np.flatnonzero(published.is_tag)}
    found = list(published.findings(model.rho))
    for finding in found:
        if isinstance(finding, TooFrequent) and finding.group in code_of:
            exposed |= published.group_of == code_of[finding.group]
    # Nobody could know beforehand what a release says about groups.
    known = records.without_items(np.flatnonzero(published.is_tag | published.is_entry))
    with request.clock() as stop:
        public = known.without_items(model.secrets.codes(known))
        curve = attack_curve(lay_out(public, public.codes(())), request, stop)
    audit = request.audit(
        known,
        model,
        verdict,
        breaches=tuple(found[: options.show]),
        counts={0: SizeCount(How.COUNTED, len(found))},
        exposed_records=int(exposed.sum()),
        attack_curve=curve,
    )
    counts = counts_apart(data, model)
    absent = tuple(sorted(name for name in model.sensitive if not counts.get(name)))
    n_sensitive = sum(count for name, count in counts.items() if name in model.secrets)
    return replace(
        audit,
        items=sum(count > 0 for count in counts.values()),
        occurrences=sum(counts.values()),
        sensitive_occurrences=n_sensitive,
        absent_sensitive=absent,
    )
