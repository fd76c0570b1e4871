"""Fix: choose what to withhold, as little as possible. Returns a plan; ``plan.apply`` removes."""

from __future__ import annotations

from typing import Any

from withhold.data import Transactions
from withhold.errors import InternalError
from withhold.models import RhoUncertainty
from withhold.suppress.plan import Plan, Reasons, apply

__all__ = ["Plan", "Reasons", "apply", "suppress"]


def suppress(
    table: Transactions, model: RhoUncertainty, **options: Any
) -> tuple[Plan, dict[str, Any]]:
    """A plan after which the model holds, and the options it was made with, defaults filled in."""
    if isinstance(model, RhoUncertainty):
        from withhold.suppress.rho import suppress_rho

        return suppress_rho(table, model, **options)
    raise InternalError(f"no suppressor is known for {type(model).__name__}")
