"""k^m-anonymity: any m items of a record are in k records. Coherence without private items.

Here: the model, groups of items from a hierarchy and what they lose; ``search`` chooses them. Not here: the
search that withholds items, the proof and the audit, which are those of ``coherence``.
"""

from __future__ import annotations

from dataclasses import replace

from withhold.lazy import later
from withhold.method import STATED_GROUPS, Step
from withhold.methods.coherence import METHOD as COHERENCE
from withhold.methods.km.model import KmAnonymity
from withhold.methods.km.options import KmSearch
from withhold.telling.words import Words

METHOD = replace(
    COHERENCE,
    model=KmAnonymity,
    search=Step(later(f"{__name__}.generalising:search_km"), KmSearch),
    check=later(f"{__name__}.check:verify_km"),
    by_parts=replace(COHERENCE.by_parts, refused=later(f"{__name__}.options:km_not_by_parts")),
    stated=STATED_GROUPS,
    promised=later(f"{__name__}.plan:promised_km"),
    loss=later(f"{__name__}.measure:loss_of_km"),
    measure=later(f"{__name__}.measure:measure_km"),
    sections=later(f"{__name__}.telling:sections_of_km"),
    listed="",
    words=Words(counts="Minimal moles by what the attacker knows"),
    limits=(
        (
            "Nothing about what follows",
            "Records in which all k agree hide nobody's items: the promise is about finding a "
            "record, not about what is in it.",
        ),
    ),
)
