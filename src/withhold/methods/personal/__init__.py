"""Personalised ρ-uncertainty: nothing that a person wants protected can be inferred about them.

Here: the model, the layout of persons and their wishes, walks over what can be known, the audit; ``check``
has the proof, ``search`` the search. Not here: what holds for everybody alike, which is proved and searched
as for ``rho``.
"""

from __future__ import annotations

from withhold.auditing.options import AuditOptions
from withhold.by_parts import ByParts
from withhold.lazy import later
from withhold.method import Method, Step
from withhold.methods.personal.model import PersonalRhoUncertainty
from withhold.methods.personal.options import PersonalFiles, PersonalSearch
from withhold.methods.rho import METHOD as RHO
from withhold.methods.rho import RHO_IS_NOT_ZERO
from withhold.telling.words import WORST_INFERENCES, Words

METHOD = Method(
    model=PersonalRhoUncertainty,
    files=PersonalFiles,
    evidence=later(f"{__name__}.files:constraints_as_evidence"),
    needs_evidence=True,
    how_for_strangers=PersonalRhoUncertainty.how_for_strangers,
    search=Step(later(f"{__name__}.search.suppressor:suppress_personal"), PersonalSearch),
    check=later(f"{__name__}.check.proof:verify_personal"),
    audit=Step(later(f"{__name__}.audit:audit_personal"), AuditOptions),
    warnings=RHO.warnings,
    sections=later(f"{__name__}.telling:sections_of_personal"),
    by_parts=ByParts(
        lambda *_: (
            "people in other parts who did not ask for protection publish the item that somebody here "
            "wants protected"
        )
    ),
    listed="items in the constraints",
    words=Words(
        special="protected for somebody",
        worst=WORST_INFERENCES,
        inferred="protected item inferred",
    ),
    limits=(
        RHO_IS_NOT_ZERO,
        (
            "Only what people named",
            "An item is protected only for those who asked for it. That somebody asked for protection "
            "can itself be revealing: keep the constraints secret.",
        ),
    ),
)
