"""Audits of parts joined to one of all of them: what can be summed is summed, and the rest is left out.

If every part keeps the promise, all of them together do. A rule that breaks it in all records breaks it in
some part; so what the parts show is counted again over all of them, and what is still a breach then is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from withhold.auditing.result import AttackPoint, Audit, How, Share, SizeCount
from withhold.counting.rounds import ItemSums
from withhold.data import Records
from withhold.data.breach import Breach
from withhold.method import Finding, Model
from withhold.verdict import Status, Verdict
from withhold.wording import counted

MOST_CANDIDATES = 10_000
"""At most this many breaches of parts are counted over all parts."""
SHARES = ("unique", "inferred", "below_k")


@dataclass(frozen=True)
class CountedBreaches:
    """The breaches of all records together, by counts of all parts."""

    counts: Mapping[int, SizeCount]
    worst: tuple[Finding, ...]
    exposed: int
    items: ItemSums


@dataclass
class AuditSums:
    """What the audits of parts add up to."""

    model: Model
    seed: int
    verdicts: dict[Status, int] = field(default_factory=dict)
    checked: int = 0
    counts: dict[int, SizeCount] = field(default_factory=dict)
    exposed: int = 0
    records: int = 0
    occurrences: int = 0
    sensitive: int = 0
    items: set[str] = field(default_factory=set)
    curves: list[tuple[AttackPoint, ...]] = field(default_factory=list)
    found: dict[tuple[tuple[str, ...], str], Breach] = field(default_factory=dict)
    """The worst breaches of the parts, by antecedent and consequent."""

    @property
    def n_parts(self) -> int:
        """How many parts were added."""
        return len(self.curves)

    def add(self, audit: Audit, records: Records) -> None:
        """Add the audit of a part."""
        status = audit.verdict.status
        self.verdicts[status] = self.verdicts.get(status, 0) + 1
        self.checked += audit.verdict.checked
        for size, each in audit.counts.items():
            self.counts[size] = each if size not in self.counts else _sum(self.counts[size], each)
        self.exposed += audit.exposed_records
        self.records += audit.records
        self.occurrences += audit.occurrences
        self.sensitive += audit.sensitive_occurrences or 0
        self.items.update(records.occurring)
        self.curves.append(audit.attack_curve)
        for breach in (*audit.breaches, audit.verdict.witness):
            if isinstance(breach, Breach) and len(self.found) < MOST_CANDIDATES:
                self.found.setdefault((breach.antecedent, breach.consequent), breach)

    def joined(self, breaches: Sequence[Breach], *, show: int, samples: int, **known: Any) -> Audit:
        """The audit of all parts; ``breaches`` are those of all records together, the worst first."""
        listed = self.model.sensitive
        return Audit(
            model=self.model,
            verdict=self._verdict(breaches, known["seconds"]),
            breaches=tuple(breaches[:show]),
            counts=self.counts,
            exposed_records=self.exposed,
            attack_curve=join_curves(self.curves, samples, self.seed),
            records=self.records,
            items=len(self.items),
            occurrences=self.occurrences,
            sensitive_occurrences=self.sensitive if listed else None,
            absent_sensitive=tuple(sorted(listed - self.items)),
            seed=self.seed,
            parts=self.n_parts,
            **known,
        )

    def _verdict(self, breaches: Sequence[Breach], seconds: float) -> Verdict:
        """HOLDS if it holds for every part, BROKEN if a breach was counted over all, else UNDECIDED."""
        parts = counted(self.n_parts, "part")
        if breaches:
            method = f"a breach of a part, counted over all {parts}"
            return Verdict(Status.BROKEN, method, self.checked, seconds, breaches[0])
        if self.verdicts.keys() <= {Status.HOLDS}:
            method = (
                f"each of {parts} on its own; if it holds for all of them, it holds for the whole"
            )
            return Verdict(Status.HOLDS, method, self.checked, seconds)
        if broken := self.verdicts.get(Status.BROKEN, 0):
            shown = counted(len(self.found), "breach", "breaches")
            method = (
                f"{broken:,} of {parts} do not keep it on their own; of the {shown} that they show, none is "
                "one of all records together"
            )
        else:
            method = f"of {parts} not all could be decided"
        return Verdict(Status.UNDECIDED, method, self.checked, seconds)


def _sum(one: SizeCount, other: SizeCount) -> SizeCount:
    """The breaches of two parts together; as certain as the less certain count."""
    both = (one, other)
    if all(each.count is None for each in both):
        return one
    total = sum(each.count or 0 for each in both)
    hows = {each.how for each in both}
    if hows == {How.COUNTED}:
        return SizeCount(How.COUNTED, total)
    if hows <= {How.COUNTED, How.ESTIMATED}:
        low, high = (
            sum(getattr(each, end) if each.samples else each.count or 0 for each in both)
            for end in ("low", "high")
        )
        return SizeCount(How.ESTIMATED, total, low, high, sum(each.samples or 0 for each in both))
    return SizeCount(How.AT_LEAST, sum(_least(each) for each in both))


def _least(each: SizeCount) -> int:
    return (each.low if each.how is How.ESTIMATED else each.count) or 0


def join_curves(
    curves: Iterable[tuple[AttackPoint, ...]], samples: int, seed: int
) -> tuple[AttackPoint, ...]:
    """What somebody learns who knows in which part the record is.

    The attacks of each part are sampled as often as a draw of records from all parts would have hit it, so
    that the shares are those of random records of all parts.
    """
    generator = np.random.default_rng(seed)
    by_known: dict[int, list[AttackPoint]] = {}
    for point in (point for curve in curves for point in curve):
        by_known.setdefault(point.known, []).append(point)
    return tuple(
        _join_points(known, points, samples, generator)
        for known, points in sorted(by_known.items())
    )


def _join_points(
    known: int, points: Sequence[AttackPoint], samples: int, generator: np.random.Generator
) -> AttackPoint:
    eligible = np.array([point.eligible for point in points])
    taken = generator.multinomial(samples, eligible / eligible.sum())
    shares = {}
    for name in SHARES:
        if getattr(points[0], name) is not None:
            each = [getattr(point, name) for point in points]
            hits = [
                int(generator.hypergeometric(share.hits, share.trials - share.hits, n))
                for share, n in zip(each, taken, strict=True)
            ]
            shares[name] = Share(sum(hits), samples)
    return AttackPoint(known, int(eligible.sum()), **shares)
