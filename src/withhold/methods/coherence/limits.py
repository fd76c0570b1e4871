"""A model in the numbers that kernels take, and a mole as they return it."""

from __future__ import annotations

from dataclasses import dataclass

from withhold.methods.coherence.cohorts import SplitRows
from withhold.methods.coherence.model import Coherent

Found = tuple[tuple[int, ...], int, int, int]
"""The items of a mole, its support, the private item that follows (-1: it is too rare), joint."""


@dataclass(frozen=True)
class Limits:
    """What makes a mole, in the numbers that kernels take."""

    k: int
    num: int
    den: int
    largest: int
    """No larger sets are looked at."""


def limits_of(rows: SplitRows, model: Coherent) -> Limits:
    """The model in numbers; no set is larger than the longest row."""
    largest = rows.longest if model.p is None else min(model.p, rows.longest)
    return Limits(model.k, model.h.numerator, model.h.denominator, largest)
