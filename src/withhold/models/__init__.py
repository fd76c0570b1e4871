"""What must hold: privacy models as small frozen values that know their parameters and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from withhold.errors import PolicyError
from withhold.models.breach import Breach, PersonalBreach
from withhold.models.buckets import Buckets, RareSet
from withhold.models.coherence import Coherence, KmAnonymity
from withhold.models.k_anonymity import KAnonymity, SmallGroup
from withhold.models.listed import (
    check_listed,
    occurring_text,
    protects_nobody,
    unknown_items,
)
from withhold.models.model import Finding, Model, build
from withhold.models.mole import Mole
from withhold.models.personal import PersonalRhoUncertainty
from withhold.models.rho import RhoUncertainty
from withhold.models.verdict import Status, Verdict

__all__ = [
    "MODELS",
    "TABLE_MODELS",
    "Breach",
    "Buckets",
    "Coherence",
    "Finding",
    "KAnonymity",
    "KmAnonymity",
    "Model",
    "Mole",
    "PersonalBreach",
    "PersonalRhoUncertainty",
    "RareSet",
    "RhoUncertainty",
    "SmallGroup",
    "Status",
    "Verdict",
    "as_released",
    "check_listed",
    "model_from",
    "occurring_text",
    "protects_nobody",
    "unknown_items",
]

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
