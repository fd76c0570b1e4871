"""k^m-anonymity: any m items of a record are in k records. Coherence without private items."""

from __future__ import annotations

from dataclasses import replace

from withhold.methods.coherence import METHOD as COHERENCE
from withhold.methods.km.model import KmAnonymity
from withhold.telling.words import Words

METHOD = replace(
    COHERENCE,
    model=KmAnonymity,
    listed="",
    words=Words(counts="Minimal moles by what the attacker knows"),
    limits=(
        (
            "Nothing about what follows",
            "Records in which all k agree hide nobody's items: the promise is about finding a "
            "record, not about what stands in it.",
        ),
    ),
)
