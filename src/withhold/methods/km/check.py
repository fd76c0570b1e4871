"""The exact check of k^m-anonymity: that of coherence, over the groups that items are published as."""

from __future__ import annotations

from withhold.data import Records
from withhold.data.evidence import Evidence
from withhold.data.groups import Stray
from withhold.method import CheckRun
from withhold.methods.coherence.check.proof import verify_coherence
from withhold.methods.km.model import KmAnonymity
from withhold.verdict import Status, Verdict


def verify_km(records: Records, model: KmAnonymity, evidence: Evidence, run: CheckRun) -> Verdict:
    """The verdict on ``records``; BROKEN, too, if something is published that is not a group."""
    if model.groups is not None:
        names = model.groups.names
        stray = next((Stray(item) for item in records.occurring if item not in names), None)
        if stray is not None:
            return Verdict(Status.BROKEN, "every item is a group", 1, 0.0, stray, True)
    return verify_coherence(records, model, evidence, run)
