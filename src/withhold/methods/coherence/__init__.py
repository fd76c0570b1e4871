"""(h,k,p)-coherence: whoever knows a few public items finds k records, and no private item too often.

Here: the model, tours over public itemsets, the survey of minimal moles, the audit; ``check`` has the proof,
``search`` the search. Not here: groups of items, which are in ``km``.
"""

from __future__ import annotations

from withhold.auditing.options import AuditOptions
from withhold.by_parts import ByCounts, ByParts
from withhold.lazy import later
from withhold.method import Method, Step
from withhold.methods.coherence.model import Coherence
from withhold.methods.coherence.options import CoherenceSearch
from withhold.telling.words import Words

METHOD = Method(
    model=Coherence,
    search=Step(later(f"{__name__}.search.suppressor:suppress_coherence"), CoherenceSearch),
    check=later(f"{__name__}.check.proof:verify_coherence"),
    audit=Step(later(f"{__name__}.audit:audit_coherence"), AuditOptions),
    sections=later(f"{__name__}.telling:sections_of_coherence"),
    by_parts=ByParts(
        later(f"{__name__}.options:not_by_parts"),
        ByCounts(
            later(f"{__name__}.search.by_counts:choose_items"),
            later(f"{__name__}.check.by_counts:prove_by_counts"),
            later(f"{__name__}.audit_by_counts:survey_by_counts"),
        ),
    ),
    listed="private items",
    words=Words(
        special="private",
        counts="Minimal moles by what the attacker knows",
        inferred="private item inferred",
        known="public ",
    ),
    limits=(
        (
            "Only what is public is known",
            "Whoever knows a private item of a person, or more public items than the promise says, is "
            "outside the promise.",
        ),
        (
            "h is not zero",
            "A suspicion up to the probability in the promise remains possible. If that does harm, "
            "choose a smaller one.",
        ),
    ),
)
