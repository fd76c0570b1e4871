"""The plan for records whose public items are published as groups."""

from __future__ import annotations

from dataclasses import dataclass

from withhold.data.generalised_plan import GeneralisedPlan
from withhold.data.plan import Plan
from withhold.methods.rho.curve import Curve
from withhold.methods.rho.model import RhoUncertainty


@dataclass(frozen=True)
class PlanOnCurve(GeneralisedPlan):
    """Groups of public items, and the sensitive items that are withheld beside them."""

    curve: Curve | None = None
    """The trade-off that the groups were chosen from, where a weight chose."""


def promised_rho(model: RhoUncertainty, plan: Plan | PlanOnCurve) -> RhoUncertainty:
    """The model that the release keeps: under the groups of the plan, if it has any."""
    return model.under(plan.groups) if isinstance(plan, PlanOnCurve) else model
