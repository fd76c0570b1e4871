"""What an audit found, as one frozen value that every rendering reads and none recomputes."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from itertools import takewhile
from math import ceil, floor
from typing import Any

from withhold.auditing.intervals import share_interval
from withhold.auditing.risk.risks import Risks
from withhold.data import Records
from withhold.data.unknown import Unknown
from withhold.method import Finding, Model
from withhold.shown import Drawn, Listed
from withhold.telling.shares import ShareOf
from withhold.verdict import Verdict
from withhold.wording import counted, percent


@dataclass(frozen=True)
class Share:
    """A share estimated from a sample, with an interval that covers the truth in at least 95% of samples.

    >>> share = Share(5, 10)
    >>> print(share)
    50.0% (18.7–81.3)
    """

    hits: int
    trials: int

    value = ShareOf("hits", "trials", "The share of the sample.")

    @property
    def interval(self) -> tuple[float, float]:
        return share_interval(self.hits, self.trials)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{percent(self.value)} ({low * 100:.1f}–{high * 100:.1f})"


@dataclass(frozen=True)
class AttackPoint:
    """What somebody learns who knows this many random items of a random record.

    Under coherence the known items are public ones. What a model does not limit is None.
    """

    known: int
    eligible: int
    """How many records have at least this many items; the shares are of these."""
    unique: Share
    """Only one record holds the known items."""
    inferred: Share | None = None
    """Some sensitive item that was not known follows with more than the allowed confidence."""
    below_k: Share | None = None
    """Fewer than k records hold the known items."""


class How(StrEnum):
    """How the breaches of one size were counted."""

    COUNTED = "counted"
    AT_LEAST = "at least"
    """The time limit ended the counting."""
    ESTIMATED = "estimated"
    NOT_COUNTED = "not counted"


@dataclass(frozen=True)
class SizeCount:
    """How many breaches there are for one number of known items.

    >>> print(SizeCount(How.COUNTED, 1720))
    1,720
    >>> print(SizeCount.estimated(Share(430, 1000), of=4000))
    about 1,720 (1,596–1,846), estimated from 1,000 samples
    """

    how: How
    count: int | None = None
    """None: not counted."""
    low: int | None = None
    """Of an estimate: the ends of the interval that covers the truth in at least 95% of samples."""
    high: int | None = None
    samples: int | None = None

    @classmethod
    def estimated(cls, share: Share, of: int) -> SizeCount:
        """The count of which a sample of ``of`` candidates shows the share; four digits of it."""
        low, high = (Fraction(end) * of for end in share.interval)
        count = round(Fraction(share.hits, max(share.trials, 1)) * of)
        least = max(_to_four_digits(floor(low), floor), min(share.hits, 1))
        most = _to_four_digits(ceil(high), ceil)
        return cls(How.ESTIMATED, _to_four_digits(count, round), least, most, share.trials)

    def __str__(self) -> str:
        if self.count is None:
            return self.how.value
        if self.how is How.ESTIMATED:
            interval = f"({self.low:,}–{self.high:,})"
            return f"about {self.count:,} {interval}, estimated from {self.samples:,} samples"
        return f"{'at least ' * (self.how is How.AT_LEAST)}{self.count:,}"


def _to_four_digits(number: int, rounded: Callable[[Fraction], int]) -> int:
    """The number with zeros after its first four digits: more would claim too much."""
    step: int = 10 ** max(len(str(number)) - 4, 0)
    return rounded(Fraction(number, step)) * step


@dataclass(frozen=True)
class OtherBreaches:
    """Breaches of another kind, if a model forbids two things."""

    what: str
    """What they are, in a few words."""
    counts: Mapping[int, SizeCount]
    """How many there are of each number of known items."""
    breaches: tuple[Finding, ...]
    """The worst, smallest first."""
    exposed_records: int
    """Records that one of those counted in full is about."""


@dataclass(frozen=True, kw_only=True)
class AnyAudit(Listed):
    """What audits of records and of tables have in common."""

    verdict: Verdict
    breaches: tuple[Finding, ...]
    """The worst of the sizes counted in full: smallest antecedents first, then highest confidence, then
    most people; of ``Buckets`` the rarest sets first. Of a table the smallest groups that break the model."""
    seed: int
    seconds: float
    without_consent: int | None = None
    """Records or rows that were left out before anything was counted; None: consent was never asked about."""
    unknown: tuple[Unknown, ...] = ()
    """Names that were listed and that the data do not have."""
    risks: Risks | None = field(default=None, repr=False)
    """Of re-identifying somebody whose whole record, or all of whose quasi-identifiers, are known."""
    advice: tuple[str, ...] = ()
    """What to consider before a release is made, one sentence or two each."""
    parts: int | None = None
    """Over how many parts it was counted; None: all was in memory."""

    def __bool__(self) -> bool:
        """True only if the verdict is HOLDS, as of the verdict itself."""
        return bool(self.verdict)


@dataclass(frozen=True, kw_only=True)
class Audit(AnyAudit, Drawn):
    """The answer to "is this file safe, and if not, why".

    By parts, breaches, exposed records and attacks were counted within each, and summed; those listed are of
    all records together.
    """

    model: Model
    counts: Mapping[int, SizeCount]
    """How many breaches have an antecedent of each size: counted, estimated, or not counted."""
    exposed_records: int
    """Records of which an attacker who knows at most ``exposed_known`` items infers what is forbidden."""
    attack_curve: tuple[AttackPoint, ...]
    records: int
    items: int
    occurrences: int
    sensitive_occurrences: int | None
    """None if the model has no sensitive items."""
    absent_sensitive: tuple[str, ...]
    """Sensitive items that no record holds."""
    others: tuple[OtherBreaches, ...] = ()

    def __repr__(self) -> str:
        """The verdict and how many are exposed, not the breaches, which name what is sensitive."""
        return (
            f"<Audit model={self.model.name} verdict={self.verdict.words}, {self.exposed_records:,} of "
            f"{counted(self.records, 'record')} exposed, {counted(len(self.breaches), 'breach', 'breaches')} "
            "listed>"
        )

    @property
    def by_size(self) -> Mapping[int, int]:
        """How many breaches have an antecedent of each size, for the sizes that were counted in full."""
        in_full = {n: each.count for n, each in self.counts.items() if each.how is How.COUNTED}
        return {size: count for size, count in in_full.items() if count is not None}

    @property
    def complete(self) -> bool:
        """Whether every size was counted in full."""
        return all(each.how is How.COUNTED for each in self.counts.values())

    @property
    def exposed_known(self) -> int | None:
        """The largest size up to which all were counted in full; None if not even the smallest was."""
        in_full = list(takewhile(lambda size: size in self.by_size, self.counts))
        return in_full[-1] if in_full else None

    @property
    def exposed_share(self) -> float:
        """The exposed records as a share of all."""
        return self.exposed_records / self.records if self.records else 0.0


def size_of(records: Records, sensitive: Collection[str]) -> dict[str, Any]:
    """What every audit of transactions says about the records themselves, as fields of an ``Audit``."""
    supports = records.supports
    codes = records.codes(sensitive)
    present = {records.vocabulary[code] for code in codes if supports[code] > 0}
    return {
        "records": len(records),
        "items": int((supports > 0).sum()),
        "occurrences": records.n_occurrences,
        "sensitive_occurrences": int(supports[codes].sum()) if sensitive else None,
        "absent_sensitive": tuple(sorted(set(sensitive) - present)),
    }


def seconds_left(limit_seconds: float | None, began: float) -> float | None:
    """How much of a limit is left, if there is one."""
    return None if limit_seconds is None else limit_seconds - (time.perf_counter() - began)
