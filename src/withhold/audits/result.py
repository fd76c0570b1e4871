"""What an audit found, as one frozen value that every rendering reads and none recomputes."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

from withhold.data import Transactions
from withhold.models import Finding, Model, Verdict

Z_95 = 1.959963984540054
"""The normal quantile of a two-sided 95 % interval."""


@dataclass(frozen=True)
class Share:
    """A share estimated from a sample, with its 95 % interval (Wilson).

    >>> share = Share(5, 10)
    >>> print(share)
    50.0 % (23.7–76.3)
    """

    hits: int
    trials: int

    @property
    def value(self) -> float:
        return self.hits / self.trials if self.trials else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        if self.trials == 0:
            return 0.0, 1.0
        n, p = self.trials, self.value
        middle = (p + Z_95**2 / (2 * n)) / (1 + Z_95**2 / n)
        half = Z_95 / (1 + Z_95**2 / n) * sqrt(p * (1 - p) / n + Z_95**2 / (4 * n * n))
        return max(0.0, middle - half), min(1.0, middle + half)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.value * 100:.1f} % ({low * 100:.1f}–{high * 100:.1f})"


@dataclass(frozen=True)
class AttackPoint:
    """What somebody learns who knows so many random items of a random record."""

    known: int
    eligible: int
    """How many records have at least so many items; the shares are of these."""
    unique: Share
    """Only one record holds the known items."""
    inferred: Share
    """Some sensitive item that was not known follows with more than the allowed confidence."""


@dataclass(frozen=True)
class Audit:
    """The answer to "is this file safe, and if not, why"."""

    model: Model
    verdict: Verdict
    breaches: tuple[Finding, ...]
    """The worst: smallest antecedents first, then highest confidence, then most people."""
    by_size: Mapping[int, int]
    """How many breaches have an antecedent of each size, as far as sizes were counted."""
    complete: bool
    """Whether the counting ended; otherwise the numbers are lower bounds."""
    exposed_records: int
    """Records of which an attacker, knowing items up to the counted size, infers a sensitive item."""
    attack_curve: tuple[AttackPoint, ...]
    records: int
    items: int
    occurrences: int
    sensitive_occurrences: int
    absent_sensitive: tuple[str, ...]
    """Sensitive items that no record holds."""
    seed: int
    seconds: float
    without_consent: int | None = None
    """Records that were left out before anything was counted; None: consent was never asked about."""


def size_of(table: Transactions, sensitive: Collection[str]) -> dict[str, Any]:
    """What every audit of transactions says about the table itself, as fields of an ``Audit``."""
    supports = table.supports
    codes = table.codes(sensitive)
    present = {table.vocabulary[code] for code in codes if supports[code] > 0}
    return {
        "records": len(table),
        "items": int((supports > 0).sum()),
        "occurrences": table.n_occurrences,
        "sensitive_occurrences": int(supports[codes].sum()),
        "absent_sensitive": tuple(sorted(set(sensitive) - present)),
    }


def seconds_left(limit_seconds: float | None, began: float) -> float | None:
    """How much of a limit is left, if there is one."""
    return None if limit_seconds is None else limit_seconds - (time.perf_counter() - began)
