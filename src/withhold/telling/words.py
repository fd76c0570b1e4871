"""What the numbers of an audit are called under one model."""

from __future__ import annotations

from dataclasses import dataclass

WORST_INFERENCES = "The worst, smallest knowledge first, with the confidence and its records"
"""For breaches by inference: the confidence is the share of the records with a set that have an item."""


@dataclass(frozen=True)
class Words:
    """What one model calls things."""

    special: str = "sensitive"
    """The items that must not be inferred."""
    counts: str = "Breaches by what the attacker knows"
    worst: str = "The worst, smallest knowledge first"
    inferred: str = "sensitive item inferred"
    known: str = ""
    """The kind of items that may be known, if not all may."""
    nothing: str = "nothing"
    """No items at all."""
    counted: str = "knows {items}"
    """The number of known items that breaches are counted for."""
    exposed: str = "Exposed to somebody who knows {at_most}"
    exposed_meaning: str = (
        "records about which somebody who knows {at_most_items} learns what the model forbids"
    )
