"""Prove: does the model hold for these rows? Knows nothing of how they were made safe."""

from __future__ import annotations

from typing import Any

from withhold.errors import InternalError
from withhold.kernels.threads import Progress, quiet
from withhold.lazy import load
from withhold.models import Model, Verdict

CHECKS = {
    "buckets": "withhold.proofs.buckets:verify_buckets",
    "rho": "withhold.proofs.rho:verify_rho",
    "coherence": "withhold.proofs.coherence:verify_coherence",
    "km": "withhold.proofs.coherence:verify_coherence",
    "k-anonymity": "withhold.proofs.table:verify_table",
    "personal-rho": "withhold.proofs.personal:verify_personal",
}


def verify(
    table: Any,
    model: Model,
    *,
    jobs: int | None = None,
    limit_seconds: float | None = None,
    progress: Progress = quiet,
) -> Verdict:
    """HOLDS, BROKEN with a smallest witness, or UNDECIDED when the limit ran out first."""
    if model.name not in CHECKS:
        raise InternalError(f"no check is known for {model.name}")
    check = load(CHECKS[model.name])
    verdict: Verdict = check(
        table, model, jobs=jobs, limit_seconds=limit_seconds, progress=progress
    )
    return verdict
