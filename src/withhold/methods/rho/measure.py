"""What a release under ρ-uncertainty lost; under groups, where its items are published as those."""

from __future__ import annotations

from withhold.data import Records
from withhold.measure.generalised import groups_seen, loss_under, measure_under
from withhold.measure.loss import Loss, measure_loss
from withhold.measure.sets import measure_sets
from withhold.methods.rho.model import RhoUncertainty
from withhold.telling.facts import Measured, MeasureRequest


def loss_of_rho(
    original: Records,
    published: Records,
    model: RhoUncertainty,
    protected: frozenset[str],
    plan: object,
) -> Loss:
    """What was withheld, and the detail that groups give up."""
    if model.groups is None:
        return measure_loss(original, published, protected)
    return loss_under(original, published, model.groups, protected)


def measure_rho(original: Records, published: Records, request: MeasureRequest) -> Measured:
    """What the release is still good for."""
    groups = getattr(request.model, "groups", None)
    if request.model is None and request.hierarchy is not None:
        groups = groups_seen(published, request.hierarchy)
    if groups is None:
        return measure_sets(original, published, request)
    return measure_under(original, published, groups, request)
