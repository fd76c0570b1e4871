"""Fix: choose what to withhold, as little as possible. Returns a plan; ``plan.apply`` removes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from withhold.arguments import check_options, option_names
from withhold.errors import InternalError
from withhold.lazy import load
from withhold.models import Model
from withhold.suppress.item_plan import ItemPlan, SuppressedItem
from withhold.suppress.plan import AnyPlan, Plan, Reasons, apply

__all__ = [
    "AnyPlan",
    "ItemPlan",
    "Plan",
    "Reasons",
    "SuppressedItem",
    "apply",
    "check_search",
    "search_options",
    "suppress",
]

SUPPRESSORS = {
    "buckets": "withhold.suppress.buckets:suppress_buckets",
    "rho": "withhold.suppress.rho:suppress_rho",
    "coherence": "withhold.suppress.coherence:suppress_coherence",
    "km": "withhold.suppress.coherence:suppress_coherence",
    "k-anonymity": "withhold.suppress.cells:suppress_cells",
    "personal-rho": "withhold.suppress.personal:suppress_personal",
}


def check_search(
    model: Model,
    options: Mapping[str, Any],
    *,
    verb: str = "anonymize",
    also: Iterable[str] = (),
) -> None:
    """Refuse, before any work is done, options that neither the model's suppressor nor the verb takes.

    ``also`` are the options of the verb itself.
    """
    what = f"{verb} with {model.name}"
    check_options(load(SUPPRESSORS[model.name]), options, what=what, also=also)


def search_options(model: Model) -> tuple[str, ...]:
    """The options that the model's suppressor takes."""
    return option_names(load(SUPPRESSORS[model.name]))


def suppress(table: Any, model: Model, **options: Any) -> tuple[AnyPlan, dict[str, Any]]:
    """A plan after which the model holds, and the options it was made with, defaults filled in.

    ``already_held`` among them says that the plan is to publish everything as it came.
    """
    if model.name not in SUPPRESSORS:
        raise InternalError(f"no suppressor is known for {model.name}")
    plan, chosen = load(SUPPRESSORS[model.name])(table, model, **options)
    return plan, {**chosen, "already_held": len(plan) == 0}
