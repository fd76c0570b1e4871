"""The one list of methods: where each room is, loaded when it is first needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from withhold.arguments import check_options, option_names
from withhold.counting.threads import Progress, quiet
from withhold.data.plan import AnyPlan
from withhold.errors import InternalError, PolicyError
from withhold.lazy import load
from withhold.method import Model, build
from withhold.methods.buckets.model import Buckets
from withhold.methods.cells.model import KAnonymity
from withhold.methods.coherence.model import Coherence
from withhold.methods.km.model import KmAnonymity
from withhold.methods.personal.model import PersonalRhoUncertainty
from withhold.methods.rho.model import RhoUncertainty
from withhold.verdict import Verdict

MODELS: Mapping[str, type[Any]] = {
    kind.name: kind
    for kind in (
        RhoUncertainty,
        PersonalRhoUncertainty,
        Coherence,
        KmAnonymity,
        KAnonymity,
        Buckets,
    )
}
"""Every model, by the name that ``--model`` and manifests use."""
TABLE_MODELS = frozenset((KAnonymity.name,))
"""The models of tables with named columns; all others are of records of items."""


def as_released(model: Model, originals: Any, options: Mapping[str, Any] | None = None) -> Model:
    """The model as it is proved for a release of ``originals`` that was made with these options."""
    if not isinstance(model, PersonalRhoUncertainty):
        return model
    bound = model.with_originals(originals)
    if options is None or not model.is_sampled:
        return bound
    return bound.in_round(options["seed"], options["round"])


def model_from(parameters: Mapping[str, Any]) -> Model:
    """The model whose ``parameters()`` these are.

    >>> model = RhoUncertainty("0.7", {"condom"})
    >>> model_from(model.parameters()) == model
    True
    """
    name = parameters.get("model")
    if not isinstance(name, str) or name not in MODELS:
        raise PolicyError(f"names a model that this version does not know ({name!r})")
    model: Model = build(MODELS[name], parameters)
    return model


SUPPRESSORS = {
    "buckets": "withhold.methods.buckets.search.suppressor:suppress_buckets",
    "rho": "withhold.methods.rho.search.suppressor:suppress_rho",
    "coherence": "withhold.methods.coherence.search.suppressor:suppress_coherence",
    "km": "withhold.methods.km.search:suppress_km",
    "k-anonymity": "withhold.methods.cells.search.suppressor:suppress_cells",
    "personal-rho": "withhold.methods.personal.search.suppressor:suppress_personal",
}


def check_search(model: Model, options: Mapping[str, Any]) -> None:
    """Refuse, before any work is done, options that the model's suppressor does not take."""
    check_options(load(SUPPRESSORS[model.name]), options, what=f"anonymize with {model.name}")


def search_options(model: Model) -> tuple[str, ...]:
    """The options that the model's suppressor takes."""
    return option_names(load(SUPPRESSORS[model.name]))


def suppress(table: Any, model: Model, **options: Any) -> tuple[AnyPlan, dict[str, Any]]:
    """A plan after which the model holds, and the options it was made with, defaults filled in.

    ``already_held`` among them says that the plan is to publish everything as it came.
    """
    plan, chosen = load(SUPPRESSORS[model.name])(table, model, **options)
    return plan, {**chosen, "already_held": len(plan) == 0}


AUDITS = {
    "buckets": "withhold.methods.buckets.audit:audit_buckets",
    "rho": "withhold.methods.rho.audit:audit_rho",
    "coherence": "withhold.methods.coherence.audit:audit_coherence",
    "km": "withhold.methods.km.audit:audit_km",
    "k-anonymity": "withhold.methods.cells.audit:audit_table",
    "personal-rho": "withhold.methods.personal.audit:audit_personal",
}


def check_audit(model: Model, options: Mapping[str, Any]) -> None:
    """Refuse, before any work is done, options that the model's audit does not take."""
    check_options(load(AUDITS[model.name]), options, what=f"audit with {model.name}")


def audit(table: Any, model: Model, **options: Any) -> Any:
    """An ``Audit``, or for tables a ``TableAudit``: the verdict, the breaches, what attackers learn."""
    return load(AUDITS[model.name])(table, model, **options)


CHECKS = {
    "buckets": "withhold.methods.buckets.check:verify_buckets",
    "rho": "withhold.methods.rho.check.proof:verify_rho",
    "coherence": "withhold.methods.coherence.check.proof:verify_coherence",
    "km": "withhold.methods.km.check:verify_km",
    "k-anonymity": "withhold.methods.cells.check:verify_table",
    "personal-rho": "withhold.methods.personal.check.proof:verify_personal",
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
