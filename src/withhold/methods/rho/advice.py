"""Advice on ρ-uncertainty that was measured: what a choice is worth, said where it applies.

The numbers are those of docs/guide/deciding.md, from four real files with 40 % of the items sensitive.
"""

from __future__ import annotations

from fractions import Fraction

from withhold.methods.rho.model import RhoUncertainty

ONE_OTHER = Fraction(1, 2)
"""From this ρ on, every record that keeps a sensitive item needs one other that could be meant."""
MUCH = Fraction(1, 5)
"""So large a share of sensitive occurrences is more than a few items that really must be protected."""


def advise(model: RhoUncertainty, occurrences: int, sensitive_occurrences: int) -> tuple[str, ...]:
    """What is worth thinking about before a release is made of data that break the model.

    >>> advise(RhoUncertainty("0.7", {"condom"}), 100, 1)[0][:44]
    'ρ = 0.5 promises more and costs hardly more:'
    """
    return tuple(
        line
        for line, applies in (
            (
                "ρ = 0.5 promises more and costs hardly more: from 0.5 on, one other record is enough for "
                "each that keeps a sensitive item.",
                model.rho > ONE_OTHER,
            ),
            (
                "--max-known 1 is a weak promise: it says nothing about somebody who knows two items.",
                model.max_known == 1,
            ),
            (
                "--max-known 3 or more saves next to nothing; without it the promise is about anything "
                "that can be known.",
                model.max_known is not None and model.max_known >= 3,
            ),
            (
                "Many occurrences are sensitive. Naming fewer items lowers the loss nearly in proportion; "
                "coarser public items (--hierarchy) help as well.",
                sensitive_occurrences > MUCH * occurrences,
            ),
        )
        if applies
    )
