"""ρ-uncertainty: no sensitive item can be inferred with a confidence above ρ.

Here: the model, the audit, groups of public items and their trade-off; ``check`` has the proof, ``search``
the search, ``bound`` the lower bound. Not here: walks and layouts, which are in ``counting``, and the
measures of records, which are in ``measure``.
"""

from __future__ import annotations

from withhold.auditing.options import AuditOptions
from withhold.by_parts import ByParts
from withhold.lazy import later
from withhold.method import STATED_GROUPS, Method, Step
from withhold.methods.rho.model import RhoUncertainty, weak_promises
from withhold.methods.rho.options import RhoSearch
from withhold.telling.words import WORST_INFERENCES, Words

RHO_IS_NOT_ZERO = (
    "ρ is not zero",
    "A suspicion up to the confidence in the promise remains possible. If that does harm, choose a "
    "smaller one.",
)

METHOD = Method(
    model=RhoUncertainty,
    search=Step(later(f"{__name__}.generalising:search_rho"), RhoSearch),
    check=later(f"{__name__}.check.proof:verify_rho"),
    audit=Step(later(f"{__name__}.audit:audit_rho"), AuditOptions),
    promised=later(f"{__name__}.plan:promised_rho"),
    stated=STATED_GROUPS,
    by_parts=ByParts(
        later(f"{__name__}.options:not_by_parts"),
        settle=later(f"{__name__}.settling:settle_rho"),
        audited=True,
    ),
    trade_off=later(f"{__name__}.generalising:trade_off_rho"),
    loss=later("withhold.measure.generalised:loss_of_grouped"),
    advise=later(f"{__name__}.advice:advise_on_loss"),
    bound=later(f"{__name__}.bound.lower_bound:bound_rho"),
    measure=later(f"{__name__}.measure:measure_rho"),
    warnings=weak_promises,
    sections=later(f"{__name__}.telling:sections_of_rho"),
    words=Words(worst=WORST_INFERENCES),
    limits=(
        RHO_IS_NOT_ZERO,
        (
            "Only what was named",
            "Only the items that were listed as sensitive are protected. Everything else in a record "
            "stays, may make it unique, and may suggest what was withheld.",
        ),
    ),
)
