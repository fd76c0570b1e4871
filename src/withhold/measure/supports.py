"""How well the release still tells how frequent items are.

In: an original and its release, aligned. Out: ``Distribution`` (divergence of the frequencies) and
``SupportErrors`` (relative errors of single supports).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from withhold.measure.alignment import Pair
from withhold.measure.loss import divergence, frequencies, symmetric_divergence

TOP_ITEMS = 100


@dataclass(frozen=True)
class Distribution:
    """How far the item frequencies of the release are from the original's."""

    kl: float
    symmetric_kl: float


@dataclass(frozen=True)
class SupportErrors:
    """Relative errors |after - before| / before of the items' supports."""

    top_items: int
    top_mean: float
    top_worst: float
    mean: float


def measure_distribution(pair: Pair) -> Distribution:
    """The divergences of the published item frequencies from the original ones."""
    before = frequencies(pair.original.supports)
    after = frequencies(pair.published.supports)
    return Distribution(divergence(after, before), symmetric_divergence(after, before))


def measure_support_errors(pair: Pair) -> SupportErrors:
    """The errors of the most frequent items of the original, and of all its items."""
    before, after = pair.original.supports, pair.published.supports
    held = np.flatnonzero(before)
    errors = np.abs(after - before)[held] / before[held]
    top = errors[np.lexsort((held, -before[held]))[:TOP_ITEMS]]
    return SupportErrors(
        top_items=len(top),
        top_mean=float(top.mean()) if len(top) else 0.0,
        top_worst=float(top.max(initial=0.0)),
        mean=float(errors.mean()) if len(errors) else 0.0,
    )
