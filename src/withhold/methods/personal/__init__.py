"""Personalised ρ-uncertainty: nothing that a person wants protected can be inferred about them."""

from __future__ import annotations

from withhold.auditing.options import AuditOptions
from withhold.lazy import later
from withhold.method import Method
from withhold.methods.personal.model import PersonalRhoUncertainty
from withhold.methods.personal.options import PersonalFiles, PersonalSearch
from withhold.methods.rho import RHO_IS_NOT_ZERO
from withhold.telling.words import Words

METHOD = Method(
    name=PersonalRhoUncertainty.name,
    data="records",
    model=PersonalRhoUncertainty,
    search_options=PersonalSearch,
    audit_options=AuditOptions,
    files=PersonalFiles,
    evidence=later("withhold.methods.personal.files:constraints_as_evidence"),
    needs_evidence=True,
    how_for_strangers=PersonalRhoUncertainty.how_for_strangers,
    search=later("withhold.methods.personal.search.suppressor:suppress_personal"),
    check=later("withhold.methods.personal.check.proof:verify_personal"),
    audit=later("withhold.methods.personal.audit:audit_personal"),
    loss=later("withhold.measure.loss:loss_of_records"),
    measure=later("withhold.measure.sets:measure_sets"),
    sections=later("withhold.methods.personal.telling:sections_of_personal"),
    listed="items in the constraints",
    words=Words(special="protected for somebody", inferred="protected item inferred"),
    limits=(
        RHO_IS_NOT_ZERO,
        (
            "Only what people named",
            "An item is protected only for those who asked for it. That somebody asked for protection "
            "can itself be revealing: keep the constraints secret.",
        ),
    ),
)
