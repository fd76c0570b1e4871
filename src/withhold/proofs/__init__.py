"""Prove: does the model hold for these rows? Knows nothing of how they were made safe."""

from __future__ import annotations

from withhold.data import Transactions
from withhold.errors import InternalError
from withhold.kernels.threads import Progress, quiet
from withhold.models import RhoUncertainty, Verdict


def verify(
    table: Transactions,
    model: RhoUncertainty,
    *,
    jobs: int | None = None,
    limit_seconds: float | None = None,
    progress: Progress = quiet,
) -> Verdict:
    """HOLDS, BROKEN with a smallest witness, or UNDECIDED when the limit ran out first."""
    if isinstance(model, RhoUncertainty):
        from withhold.proofs.rho import verify_rho

        return verify_rho(table, model, jobs=jobs, limit_seconds=limit_seconds, progress=progress)
    raise InternalError(f"no check is known for {type(model).__name__}")
