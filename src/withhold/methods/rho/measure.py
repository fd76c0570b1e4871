"""The utility of a release under ρ-uncertainty; measured over groups if its items are published as groups."""

from __future__ import annotations

from withhold.data import Records
from withhold.measure.generalised import groups_seen, measure_under
from withhold.measure.sets import measure_sets
from withhold.telling.facts import Measured, MeasureRequest


def measure_rho(original: Records, published: Records, request: MeasureRequest) -> Measured:
    """What the release is still good for."""
    groups = getattr(request.model, "groups", None)
    if request.model is None and request.hierarchy is not None:
        groups = groups_seen(published, request.hierarchy)
    if groups is None:
        return measure_sets(original, published, request)
    return measure_under(original, published, groups, request)
