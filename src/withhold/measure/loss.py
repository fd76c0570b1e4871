"""What was lost between an original and its release, in numbers that each have a meaning.

In: the two tables, row by row comparable. Out: a ``Loss``. Nothing here decides about privacy, so
floating point is good enough.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from withhold.data import Records
from withhold.data.array_types import Floats
from withhold.method import Model
from withhold.telling.shares import ShareOf
from withhold.wording import counted, percent


@dataclass(frozen=True)
class Loss:
    """What a release lost."""

    words: ClassVar[str] = (
        "What remains is unchanged: values were withheld, none was invented. "
        "Counts in this file can therefore be too low, and are never too high."
    )

    removed: int
    total: int
    removed_sensitive: int
    total_sensitive: int
    records_emptied: int
    items_gone: int
    kl: float
    symmetric_kl: float

    occurrences = ShareOf("removed", "total", "The share of all occurrences that was removed.")
    sensitive_occurrences = ShareOf(
        "removed_sensitive",
        "total_sensitive",
        "The share of the sensitive occurrences that was removed.",
    )

    @property
    def share(self) -> float:
        """What was withheld, as the one number that releases are compared by."""
        return self.occurrences

    def as_dict(self) -> dict[str, Any]:
        """Shares and counts as plain values."""
        shares = ("occurrences", "sensitive_occurrences")
        return {name: getattr(self, name) for name in shares} | asdict(self)

    def in_words(self) -> str:
        """What strangers may know of how the file differs from the original."""
        return self.words

    def facts(self) -> list[tuple[str, str]]:
        """What people want to know first, as pairs of texts."""
        sensitive = f"{self.removed_sensitive:,} of {self.total_sensitive:,}"
        all_of_it = f"{self.removed:,} of {counted(self.total, 'occurrence')}"
        divergence = f"{self.symmetric_kl:.5f} symmetric KL of item frequencies (0 = the same)"
        return [
            ("withheld", f"{all_of_it} ({percent(self.occurrences, 2)})"),
            ("of the sensitive", f"{sensitive} ({percent(self.sensitive_occurrences)})"),
            ("records emptied", f"{self.records_emptied:,}"),
            ("items gone", f"{self.items_gone:,}"),
            ("divergence", divergence),
        ]


def measure_loss(original: Records, published: Records, sensitive: Iterable[str]) -> Loss:
    """The loss of ``published`` against ``original``; both must have the same vocabulary.

    >>> before = Records.from_lists([["beer", "condom"], ["beer"], ["condom"]])
    >>> after = Records(before.offsets - [0, 0, 0, 1], before.items[:3], before.vocabulary)
    >>> loss = measure_loss(before, after, {"condom"})
    >>> loss.removed, loss.occurrences, loss.records_emptied
    (1, 0.25, 1)
    """
    codes = original.codes(sensitive)
    before, after = original.supports, published.supports
    shares = frequencies(after), frequencies(before)
    return Loss(
        removed=original.n_occurrences - published.n_occurrences,
        total=original.n_occurrences,
        removed_sensitive=int((before - after)[codes].sum()),
        total_sensitive=int(before[codes].sum()),
        records_emptied=int(((published.lengths == 0) & (original.lengths > 0)).sum()),
        items_gone=int(((before > 0) & (after == 0)).sum()),
        kl=divergence(*shares),
        symmetric_kl=symmetric_divergence(*shares),
    )


def frequencies(supports: NDArray[np.int64]) -> Floats:
    """Supports as shares of all occurrences."""
    total = supports.sum()
    return supports / total if total else np.zeros(len(supports))


def divergence(p: Floats, q: Floats) -> float:
    """KL(p‖q) = Σ p log(p/q), in nats; infinite if p is positive somewhere that q is 0.

    >>> round(divergence(np.array([0.5, 0.5]), np.array([0.9, 0.1])), 4)
    0.5108
    """
    there = p > 0
    if (q[there] == 0).any():
        return float("inf")
    return float(max((p[there] * np.log(p[there] / q[there])).sum(), 0.0))


def symmetric_divergence(p: Floats, q: Floats) -> float:
    """½KL(p‖m) + ½KL(q‖m) with m the equal mixture; 0 for equal, at most log 2.

    >>> round(symmetric_divergence(np.array([1.0, 0.0]), np.array([0.0, 1.0])), 4)
    0.6931
    """
    mixture = (p + q) / 2
    return (divergence(p, mixture) + divergence(q, mixture)) / 2


def loss_of_records(
    original: Records, published: Records, model: Model, protected: frozenset[str], plan: object
) -> Loss:
    """What a release of fewer items lost, under any model."""
    return measure_loss(original, published, protected)
