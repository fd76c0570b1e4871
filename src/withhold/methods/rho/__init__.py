"""ρ-uncertainty: no sensitive item can be inferred with a confidence above ρ."""

from __future__ import annotations

from withhold.auditing.options import AuditOptions
from withhold.lazy import later
from withhold.method import Method
from withhold.methods.rho.model import RhoUncertainty
from withhold.methods.rho.options import RhoSearch
from withhold.telling.words import Words

RHO_IS_NOT_ZERO = (
    "ρ is not zero",
    "A suspicion up to the confidence in the promise remains possible. If that does harm, choose a "
    "smaller one.",
)

METHOD = Method(
    name=RhoUncertainty.name,
    data="records",
    model=RhoUncertainty,
    search_options=RhoSearch,
    audit_options=AuditOptions,
    search=later("withhold.methods.rho.search.suppressor:suppress_rho"),
    check=later("withhold.methods.rho.check.proof:verify_rho"),
    audit=later("withhold.methods.rho.audit:audit_rho"),
    loss=later("withhold.measure.loss:loss_of_records"),
    measure=later("withhold.measure.sets:measure_sets"),
    sections=later("withhold.measure.telling:sections_of_sets"),
    listed="sensitive items",
    words=Words(),
    limits=(
        RHO_IS_NOT_ZERO,
        (
            "Only what was named",
            "Only the items that were listed as sensitive are protected. Everything else in a record "
            "stays, may make it unique, and may suggest what was withheld.",
        ),
    ),
)
