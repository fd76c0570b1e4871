"""What phases and steps usually take, by kind of job: measured, so that a bar for all of a job is honest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from withhold.method import Model
from withhold.registry import method_of

PLANS: dict[str, dict[str, float]] = {
    "audit": {"reading": 1, "auditing": 9},
    "verify": {"reading": 4, "proving": 6},
    "compare": {"reading": 1, "comparing": 9},
    "sweep": {"reading": 1, "sweeping": 30},
    "advise": {"reading": 1, "advising": 30},
    "demo": {
        "reading": 1,
        "auditing": 3,
        "searching": 3,
        "bounding": 1,
        "writing": 1,
        "proving": 1,
    },
    "demo people": {
        "reading": 1,
        "auditing": 3,
        "comparing": 3,
        "searching": 3,
        "writing": 1,
        "proving": 1,
    },
    "parts": {"reading": 1, "choosing": 20, "releasing parts": 60, "proving": 20},
}
RELEASE = {
    "reading": 1,
    "searching": 10,
    "applying": 1,
    "bounding": 5,
    "comparing": 10,
    "writing": 1,
    "reading back": 1,
    "proving": 5,
    "reporting": 10,
}
STEP_SHARES: dict[str, float] = {}
UNKNOWN_SHARE = 0.5


def release_plan(model: Model, given: Mapping[str, Any], *, report: bool) -> dict[str, float]:
    """The phases of a release under the model, with what they usually take."""
    method = method_of(model)
    absent = {
        "bounding": method.bound is None or given.get("bound") is False,
        "comparing": method.ladder is None,
        "reporting": not report,
    }
    return {name: weight for name, weight in RELEASE.items() if not absent.get(name)}
