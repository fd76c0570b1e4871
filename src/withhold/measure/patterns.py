"""Frequent itemsets and rules of an original and its release, mined once and compared."""

from __future__ import annotations

from fractions import Fraction

from withhold.kernels.threads import Progress, quiet
from withhold.measure.alignment import Pair
from withhold.measure.itemsets import ItemsetChanges
from withhold.measure.rules import RuleChanges


def measure_patterns(
    pair: Pair,
    min_support: str | Fraction | int,
    min_confidence: str | Fraction | float,
    *,
    jobs: int | None = None,
    progress: Progress = quiet,
) -> tuple[ItemsetChanges, RuleChanges]:
    """What became of the frequent itemsets and of the rules."""
    raise NotImplementedError
