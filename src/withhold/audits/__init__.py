"""Find: what could an attacker infer from these rows?"""

from __future__ import annotations

from withhold.audits.result import AttackPoint, Audit
from withhold.data import Transactions
from withhold.errors import InternalError
from withhold.kernels.threads import Progress, quiet
from withhold.models import RhoUncertainty

__all__ = ["AttackPoint", "Audit", "audit"]


def audit(
    table: Transactions,
    model: RhoUncertainty,
    *,
    max_size: int = 3,
    show: int = 10,
    samples: int = 2000,
    seed: int = 0,
    jobs: int | None = None,
    limit_seconds: float | None = None,
    progress: Progress = quiet,
) -> Audit:
    """The verdict, the breaches by antecedent size, the worst of them, and the attack curve."""
    if isinstance(model, RhoUncertainty):
        from withhold.audits.rho import audit_rho

        return audit_rho(
            table,
            model,
            max_size=max_size,
            show=show,
            samples=samples,
            seed=seed,
            jobs=jobs,
            limit_seconds=limit_seconds,
            progress=progress,
        )
    raise InternalError(f"no audit is known for {type(model).__name__}")
