"""Advice on k for a table, from measurements; the numbers are those of docs/guide/deciding.md, from Adult."""

from __future__ import annotations

from withhold.methods.cells.loss import TableLoss
from withhold.methods.cells.model import KAnonymity
from withhold.telling.advice import lines_that_apply
from withhold.wording import percent

WEAK_K, LARGE_K = 2, 50
MUCH = 0.5


def advise(model: KAnonymity) -> tuple[str, ...]:
    """What is worth considering before a release is made."""
    return lines_that_apply(
        (
            "k = 2 is a weak promise: each of two knows which row is the other's. On Adult k = 5 withholds "
            "13% of the cells instead of 7%.",
            model.k <= WEAK_K,
        ),
        (
            f"k = {model.k:,} is expensive: on Adult k = 50 withholds 25% of the cells, k = 10 17% and k = 5 "
            "13%.",
            model.k >= LARGE_K,
        ),
    )


def advise_on_loss(model: KAnonymity, loss: TableLoss) -> tuple[str, ...]:
    """What is worth changing about a release that withholds this much."""
    share = percent(loss.share, 0)
    return lines_that_apply(
        (
            f"{share} of the quasi-identifiers are withheld. Ranges and sets instead of withheld cells "
            "(--cells sets) lose 1.7% of the detail of Adult at k = 5, where withholding takes 13% of the "
            "cells; so may coarser columns (--bin, --hierarchy) or fewer quasi-identifiers.",
            loss.share > MUCH,
        ),
        *((line, loss.share > 0) for line in advise(model)),
    )
