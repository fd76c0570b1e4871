"""Advice on ρ-uncertainty, based on measurements: what a choice gains, given only if it applies.

The numbers are those of docs/guide/deciding.md, from real files with 40% of the items sensitive.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from withhold.measure.loss import Loss
from withhold.methods.rho.model import RhoUncertainty
from withhold.telling.advice import lines_that_apply
from withhold.wording import percent

ONE_OTHER = Fraction(1, 2)
"""From this ρ on, one other record that could be meant is enough for a record to keep a sensitive item."""
MUCH = Fraction(1, 5)
"""A larger share of sensitive occurrences suggests a list of more than the items that need protection."""
HALF = Fraction(1, 2)
"""If a larger share of the sensitive occurrences is withheld, consider another way to publish them."""


def advise(model: RhoUncertainty, occurrences: int, sensitive_occurrences: int) -> tuple[str, ...]:
    """What is worth considering before a release is made of data that break the model.

    >>> advise(RhoUncertainty("0.7", {"condom"}), 100, 1)[0][:45]
    'ρ = 0.5 promises more and costs hardly more: '
    """
    return lines_that_apply(
        (
            "ρ = 0.5 promises more and costs hardly more: on four public files it withheld at most 0.4% more "
            "of all occurrences than ρ = 0.9.",
            model.rho > ONE_OTHER,
        ),
        (
            "--max-known 1 is a weak promise: it says nothing about somebody who knows two items. On "
            "BMS-WebView-2 it withholds 0.9% of all occurrences, without it 26.1%.",
            model.max_known == 1,
        ),
        (
            "--max-known 3 or more saves next to nothing: at most 2% of the loss on three public files; "
            "without it the promise is about anything that can be known.",
            model.max_known is not None and model.max_known >= 3,
        ),
        (
            f"{_percent(sensitive_occurrences, occurrences)} of the occurrences are sensitive. Naming half "
            "as many items halved the loss on public files (from 13.6% to 6.5% of all occurrences); "
            "coarser public items (--hierarchy) help as well.",
            sensitive_occurrences > MUCH * occurrences,
        ),
    )


def advise_on_loss(model: Any, loss: Loss) -> tuple[str, ...]:
    """What is worth changing about a release that withholds this much."""
    # A loss with an NCP has groups already, so there is no need to advise them.
    lost, of = loss.removed_sensitive, loss.total_sensitive
    return lines_that_apply(
        (
            f"{_percent(lost, of)} of the sensitive occurrences are withheld. With groups of public items "
            "instead of single ones (--hierarchy) fewer are: in a supermarket's baskets 37% instead of 62%, "
            "for 5.5% of the detail. --model apart withholds none, and promises less.",
            lost > HALF * of and not hasattr(loss, "ncp"),
        ),
        *((line, loss.removed > 0) for line in advise(model, loss.total, of)),
    )


def _percent(part: int, whole: int) -> str:
    return percent(part / whole, 0) if whole else "0%"
