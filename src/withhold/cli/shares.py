"""What phases and steps usually take, by kind of job, so that one bar for all of a job is honest.

Only the ratios matter. ``python -m benchmarks.shares`` measures them. Releases were measured for every model:
coherence, km and personal-rho (at most 2 known items) on three files, the others on one or two; their reports
on one file each. The plans of sweep, advise and parts are guesses.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from withhold.method import Model
from withhold.registry import method_of

PLANS: dict[str, dict[str, float]] = {
    "audit": {"reading": 1, "auditing": 50},
    "verify": {"reading": 4, "proving": 6},
    "compare": {"reading": 1, "comparing": 50},
    "sweep": {"reading": 1, "sweeping": 50},
    "advise": {"reading": 1, "advising": 50},
    "demo": {"reading": 1, "auditing": 50, "searching": 20, "bounding": 8, "proving": 3},
    "demo people": {
        "reading": 5,
        "auditing": 15,
        "comparing": 54,
        "searching": 16,
        "writing": 8,
        "proving": 1,
    },
    "parts": {"reading": 1, "choosing": 20, "releasing parts": 60, "proving": 20},
}
"""The phases of each verb, in order."""
WITHHOLDING = {
    "reading": 3,
    "searching": 60,
    "applying": 1,
    "bounding": 24,
    "comparing": 120,
    "writing": 2,
    "reading back": 4,
    "proving": 7,
    "reporting": 2000,
}
"""The phases of a release."""
OF_MODELS: dict[str, dict[str, float]] = {
    "personal-rho": {
        "reading": 0.4,
        "searching": 91,
        "applying": 0.2,
        "writing": 0.2,
        "reading back": 1,
        "proving": 7,
        "reporting": 120,
    },
    "coherence": {
        "reading": 3,
        "searching": 89,
        "applying": 1.4,
        "writing": 0.6,
        "reading back": 5,
        "proving": 1.5,
        "reporting": 900,
    },
    "km": {
        "reading": 4,
        "searching": 80,
        "applying": 3,
        "writing": 1,
        "reading back": 9,
        "proving": 3,
        "reporting": 770,
    },
    "buckets": {
        "reading": 9,
        "searching": 59,
        "applying": 8,
        "writing": 3,
        "reading back": 18,
        "proving": 3,
        "reporting": 880,
    },
    "apart": {
        "reading": 1,
        "searching": 17,
        "applying": 22,
        "writing": 11,
        "reading back": 41,
        "proving": 9,
        "reporting": 100,
    },
    "k-anonymity": {
        "reading": 8,
        "searching": 17,
        "applying": 2,
        "bounding": 6,
        "writing": 24,
        "reading back": 42,
        "proving": 1,
        "reporting": 100,
    },
    "people": {
        "reading": 5,
        "searching": 18,
        "applying": 1,
        "comparing": 63,
        "writing": 8,
        "reading back": 3,
        "proving": 1,
        "reporting": 100,
    },
}
"""The phases of the models whose ratios differ."""
STEP_SHARES = {
    "searching: finding forced deletions": 0.08,
    "searching: suppressing parts": 0.4,
    "searching: looking for deletions to undo": 0.95,
    "searching: looking for unsafe items": 0.3,
    "searching: suppressing items": 0.95,
    "searching: restoring items": 0.95,
    "searching: splitting groups": 0.95,
    "searching: listing patterns": 0.6,
    "searching: fixing small sets": 0.13,
    "searching: undoing what can be undone": 0.95,
    "searching: grouping records": 0.95,
    "searching: improving, pass N": 0.95,
    "bounding: bounding the loss": 0.95,
    "bounding: bounding the loss of sensitive items": 0.95,
    "proving: checking closed sets": 0.95,
    "proving: checking public sets": 0.95,
    "proving: counting pairs": 0.95,
    "proving: counting groups": 0.95,
    "proving: surveying antecedents": 0.95,
    "proving: surveying what can be known": 0.95,
    "auditing: checking closed sets": 0.01,
    # Once for each number of known items; together they take four fifths.
    "auditing: counting breaches of N known": 0.4,
    "auditing: trying attacks": 0.95,
    "reporting: checking closed sets": 0.01,
    "reporting: checking public sets": 0.01,
    "reporting: surveying what can be known": 0.05,
    "reporting: counting moles of N known": 0.04,
    "reporting: looking for smaller sets": 0.01,
    "reporting: counting breaches of N known": 0.1,
    "reporting: trying attacks": 0.5,
    "reporting: mining": 0.95,
    "comparing: mining": 0.95,
    "sweeping: sweeping": 1,
    "advising: advising": 1,
    "releasing parts: parts": 1,
}
"""The share that a step takes of what is left of its phase when it begins."""
UNKNOWN_SHARE = 0.5
"""The same for an unknown step or phase."""


def release_plan(model: Model, given: Mapping[str, Any], *, report: bool) -> dict[str, float]:
    """The phases of a release under the model, with what they usually take."""
    method = method_of(model)
    absent = {
        "bounding": method.bound is None or given.get("bound") is False,
        "comparing": method.ladder is None,
        "reporting": not report,
    }
    usual = OF_MODELS.get(method.name, WITHHOLDING)
    return {name: weight for name, weight in usual.items() if not absent.get(name)}
