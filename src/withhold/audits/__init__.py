"""Find: what could an attacker infer from these rows?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from withhold.arguments import check_options
from withhold.audits.result import AttackPoint, Audit
from withhold.errors import InternalError
from withhold.lazy import load
from withhold.models import Model

__all__ = ["AttackPoint", "Audit", "audit", "check_audit"]

AUDITS = {
    "buckets": "withhold.audits.buckets:audit_buckets",
    "rho": "withhold.audits.rho:audit_rho",
    "coherence": "withhold.audits.coherence:audit_coherence",
    "km": "withhold.audits.coherence:audit_coherence",
    "k-anonymity": "withhold.audits.table:audit_table",
    "personal-rho": "withhold.audits.personal:audit_personal",
}


def check_audit(model: Model, options: Mapping[str, Any], *, also: Iterable[str] = ()) -> None:
    """Refuse, before any work is done, options that the model's audit does not take.

    ``also`` are the options of the verb itself.
    """
    what = f"audit with {model.name}"
    check_options(load(AUDITS[model.name]), options, what=what, also=also)


def audit(table: Any, model: Model, **options: Any) -> Any:
    """An ``Audit``, or for tables a ``TableAudit``: the verdict, the breaches, what attackers learn."""
    if model.name not in AUDITS:
        raise InternalError(f"no audit is known for {model.name}")
    return load(AUDITS[model.name])(table, model, **options)
