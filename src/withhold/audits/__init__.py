"""Find: what could an attacker infer from these rows?"""

from __future__ import annotations

from typing import Any

from withhold.audits.result import AttackPoint, Audit
from withhold.errors import InternalError
from withhold.lazy import load
from withhold.models import Model

__all__ = ["AttackPoint", "Audit", "audit"]

AUDITS = {
    "rho": "withhold.audits.rho:audit_rho",
    "personal-rho": "withhold.audits.personal:audit_personal",
}


def audit(table: Any, model: Model, **options: Any) -> Audit:
    """The verdict, the breaches by size, the worst of them, and the attack curve."""
    if model.name not in AUDITS:
        raise InternalError(f"no audit is known for {model.name}")
    found: Audit = load(AUDITS[model.name])(table, model, **options)
    return found
