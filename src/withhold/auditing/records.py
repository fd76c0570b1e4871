"""The audit of records: what all models share. The breaches of a model are in its own folder.

Breaches are counted for each number of known items. How many sets must be checked is known before any of
them is; sizes with too many are estimated from a sample. A caller who names a size gets it counted, however
long it takes, or as far as a time limit allows. The attack curve asks how much can be learnt from 1, 2, 3, …
random items of a random record: public ones if the layout keeps these apart from private ones.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.auditing.options import AuditOptions
from withhold.auditing.result import (
    AttackPoint,
    Audit,
    How,
    Share,
    SizeCount,
    seconds_left,
    size_of,
)
from withhold.auditing.risk.options import PopulationInfo
from withhold.auditing.risk.risks import risks_of_records
from withhold.counting.attack import Attacks, try_attacks
from withhold.counting.layout import Layout
from withhold.counting.set_draws import Frame
from withhold.counting.surveys import SurveyRun
from withhold.counting.threads import Progress, Stop, run_all
from withhold.data import Records
from withhold.data.array_types import Ints, Longs
from withhold.data.evidence import Evidence
from withhold.method import AuditRun, CheckRun, Finding, Model
from withhold.verdict import Status, Verdict

DEFAULT_SIZE = 3
MOST_SETS = 100_000_000
"""At most this many sets of one size are counted one by one unless more is asked for: some seconds."""
SAMPLES = 10_000
"""Draws for one estimate."""
PARTS = 16
"""Tasks into which draws are split."""
LARGEST_KNOWN = 5
"""Items known at the last point of an attack curve."""

Marks = NDArray[np.uint8]


@dataclass(frozen=True)
class AuditRequest:
    """What an audit was asked for, and when it began."""

    protected: frozenset[str]
    """The items that count as sensitive."""
    max_size: int | None
    show: int
    samples: int
    seed: int
    jobs: int | None
    limit_seconds: float | None
    progress: Progress
    population: PopulationInfo
    unique_size: int = 3
    began: float = field(default_factory=time.perf_counter)

    @classmethod
    def of(cls, protected: frozenset[str], options: AuditOptions, run: AuditRun) -> AuditRequest:
        """What was asked for, from now on."""
        how = (run.seed, run.jobs, run.limit_seconds, run.progress)
        return cls(
            protected,
            options.max_size,
            options.show,
            options.samples,
            *how,
            PopulationInfo.of(options),
            options.unique_size,
        )

    def clock(self) -> Stop:
        """A clock for what is left of the time."""
        return Stop(seconds_left(self.limit_seconds, self.began))

    def run(self, what: str) -> dict[str, Any]:
        """How threads are run, as keywords."""
        return {"jobs": self.jobs, "progress": self.progress, "what": what}

    def audit(self, records: Records, model: Model, verdict: Verdict, **found: Any) -> Audit:
        """What was found, with what every audit says about the records themselves."""
        found |= size_of(records, self.protected)
        found["risks"] = risks_of_records(
            records, self.population, unique_size=self.unique_size, show=self.show
        )
        seconds = time.perf_counter() - self.began
        return Audit(model=model, verdict=verdict, seed=self.seed, seconds=seconds, **found)


@dataclass(frozen=True)
class Found:
    """The breaches of one size."""

    count: int
    worst: Sequence[Finding]
    exposed: Marks
    """The rows that they expose."""


class Breaches(ABC):
    """The breaches of some records; a model says how they are counted, named and recognised."""

    kind = "breaches"
    of_rules = True
    """Whether candidates are rules, or sets of items."""
    minimal = False
    """Whether a set is counted only if none of its subsets is."""
    smallest = 0
    """The fewest known items for which there can be breaches."""
    most_known: int | None = None
    """The most known items that the model considers."""

    def __init__(
        self, records: Records, model: Any, evidence: Evidence, request: AuditRequest, stop: Stop
    ) -> None:
        self.records, self.model, self.request, self.stop = records, model, request, stop
        self.n_rows = self.lay_out(evidence)

    @abstractmethod
    def lay_out(self, evidence: Evidence) -> int:
        """Prepare the rows in which breaches are counted, and what the model limits; how many rows."""

    @property
    @abstractmethod
    def frame(self) -> Frame:
        """What random candidates are drawn from."""

    @abstractmethod
    def of_nothing(self) -> Found:
        """What somebody who knows nothing infers."""

    @abstractmethod
    def survey(self, size: int, run: SurveyRun) -> Any:
        """Counts and worst of one size, and the rows exposed; some of them if the time ran out."""

    @abstractmethod
    def named(self, breach: Any) -> Finding:
        """What a survey found, in the records' own names."""

    @abstractmethod
    def mark_breaches(self, drawn: Sequence[Ints], hits: NDArray[np.bool_]) -> None:
        """Mark the candidates that are breaches."""

    @abstractmethod
    def attack_curve(self) -> tuple[AttackPoint, ...]:
        """What is learnt from 1, 2, 3, … random items."""

    def advice(self) -> tuple[str, ...]:
        """What to consider before a release is made of data that break the model."""
        return ()

    def n_sets(self, size: int) -> int:
        """An upper limit of the number of sets of this size to check."""
        return self.frame.n_sets(size)

    def count(self, size: int) -> Found:
        """All breaches of the size, from 1 on; some of them if the time ran out."""
        what = f"counting {self.kind} of {size} known"
        run = SurveyRun(stop=self.stop, keep=self.request.show, **self.request.run(what))
        result = self.survey(size, run)
        worst = [self.named(breach) for breach in result.worst[size]]
        return Found(int(result.counts[size]), worst, result.exposed)

    def estimate(self, size: int, generator: np.random.Generator) -> tuple[Share, int]:
        """The share of random candidates that are breaches, and how many candidates there are."""
        of = self.frame.n_rules(size) if self.of_rules else self.frame.n_sets(size)
        if of == 0:
            return Share(0, 0), 0
        draw = self.frame.draw_rules if self.of_rules else self.frame.draw_sets
        drawn = [np.array_split(each, PARTS) for each in draw(size, SAMPLES, generator)]
        tasks = [partial(self.count_hits, part) for part in zip(*drawn, strict=True)]
        what = f"estimating {self.kind} of {size} known"
        hits = run_all(tasks, self.stop, **self.request.run(what))
        return Share(sum(hits), SAMPLES), of

    def count_hits(self, drawn: Iterable[Ints]) -> int:
        """How many of the candidates are breaches."""
        arrays = [np.ascontiguousarray(array) for array in drawn]
        hits = np.zeros(len(arrays[0]), dtype=np.bool_)
        self.mark_breaches(arrays, hits)
        return int(hits.sum())

    def count_sizes(self, counts: dict[int, SizeCount]) -> list[Found]:
        """Enter into ``counts`` how many breaches of each size there are; what was counted in full."""
        found: list[Found] = []
        if 0 in counts:
            found.append(self.of_nothing())
            counts[0] = SizeCount(How.COUNTED, found[0].count)
            if self.minimal and found[0].count:
                return found
        asked, estimating = self.request.max_size is not None, False
        for size in (size for size in counts if size > 0):
            estimating = estimating or (not asked and self.n_sets(size) > MOST_SETS)
            if self.stop.cause != 0:
                counts[size] = SizeCount(How.NOT_COUNTED)
            elif estimating:
                counts[size] = self._estimated(size)
            else:
                here = self.count(size)
                complete = self.stop.cause == 0
                counts[size] = SizeCount(How.COUNTED if complete else How.AT_LEAST, here.count)
                # What was found in part need not be the worst, nor all that is exposed.
                found += [here] * complete
        return found

    def _estimated(self, size: int) -> SizeCount:
        share, of = self.estimate(size, np.random.default_rng([self.request.seed, size]))
        if of == 0:
            return SizeCount(How.COUNTED, 0)
        if self.stop.cause != 0:
            return SizeCount(How.NOT_COUNTED)
        return SizeCount.estimated(share, of)


def audit_by(
    verify: Callable[[Records, Any, Evidence, CheckRun], Verdict], breaches: Callable[..., Breaches]
) -> Callable[..., Audit]:
    """The audit of a method: the verdict of its proof, then its breaches.

    Those of up to ``max_size`` known items are counted in full; without it those of up to 3, or estimated if
    there are too many. What a proof by samples confirms is counted nevertheless.
    """

    def audit(
        records: Records, model: Model, evidence: Evidence, options: AuditOptions, run: AuditRun
    ) -> Audit:
        request = AuditRequest.of(evidence.protected(model.sensitive), options, run)
        verdict = run.verdict or verify(records, model, evidence, run)
        with request.clock() as stop:
            found = breaches(records, model, evidence, request, stop)
            return audit_records(records, verdict, found)

    return audit


def audit_records(records: Records, verdict: Verdict, breaches: Breaches) -> Audit:
    """The audit: breaches of each size, the worst of them, who is exposed, and the attack curve."""
    request, most = breaches.request, breaches.most_known
    largest = DEFAULT_SIZE if request.max_size is None else request.max_size
    largest = largest if most is None else min(largest, most)
    counts = dict.fromkeys(range(breaches.smallest, largest + 1), SizeCount(How.COUNTED, 0))
    found = [] if verdict.status is Status.HOLDS else breaches.count_sizes(counts)
    exposed = np.zeros(breaches.n_rows, dtype=np.uint8)
    for each in found:
        exposed |= each.exposed
    return request.audit(
        records,
        breaches.model,
        verdict,
        counts=counts,
        breaches=tuple(breach for each in found for breach in each.worst)[: request.show],
        exposed_records=int(exposed.sum()),
        attack_curve=breaches.attack_curve(),
        advice=breaches.advice() if verdict.status is Status.BROKEN else (),
    )


def prior_breaches(
    ranks: Iterable[int],
    supports: Longs,
    rho: Fraction,
    n_rows: int,
    breach_of: Callable[[int, int], tuple[Any, Ints]],
) -> Found:
    """Of the items at ``ranks`` those in more than ρ of all rows; ``breach_of`` says whom each exposes."""
    found = []
    exposed = np.zeros(n_rows, dtype=np.uint8)
    for rank in ranks:
        joint = int(supports[rank])
        if joint * rho.denominator > rho.numerator * n_rows:
            breach, rows = breach_of(int(rank), joint)
            found.append(breach)
            exposed[rows] = 1
    found.sort(key=lambda breach: -breach.joint)
    return Found(len(found), found, exposed)


def attack_curve(
    layout: Layout,
    request: AuditRequest,
    stop: Stop,
    *,
    allowed: Fraction | None = None,
    k: int | None = None,
) -> tuple[AttackPoint, ...]:
    """One point for each number of known items that some record has; fewer if time runs out.

    A record is drawn uniformly among those with enough items, then its known items. ``allowed`` is the
    largest confidence allowed in a sensitive item, ``k`` the fewest records that must hold the known items;
    None: the model has no such limit.
    """
    generator = np.random.default_rng(request.seed)
    lengths, samples = np.diff(layout.offsets), request.samples
    points = []
    for known in range(1, LARGEST_KNOWN + 1):
        eligible = np.flatnonzero(lengths >= known)
        if len(eligible) == 0:
            break
        drawn = np.empty((samples, known), dtype=np.int32)
        for trial, row in enumerate(eligible[generator.integers(0, len(eligible), samples)]):
            record = layout.items[layout.offsets[row] : layout.offsets[row + 1]]
            drawn[trial] = np.sort(generator.choice(record, known, replace=False))
        tasks = [
            partial(_try, layout, allowed, part, stop) for part in np.array_split(drawn, PARTS)
        ]
        outcomes = run_all(tasks, stop, **request.run("trying attacks"))
        if stop.cause != 0:
            break
        supports = np.concatenate([supports for supports, _ in outcomes])
        inferred = Share(sum(hits for _, hits in outcomes), samples)
        points.append(
            AttackPoint(
                known,
                len(eligible),
                unique=Share(int((supports == 1).sum()), samples),
                inferred=None if allowed is None else inferred,
                below_k=None if k is None else Share(int((supports < k).sum()), samples),
            )
        )
    return tuple(points)


def _try(layout: Layout, allowed: Fraction | None, known: Ints, stop: Stop) -> tuple[Longs, int]:
    """How many records hold each of the known sets, and from how many sets a sensitive item follows."""
    supports = np.zeros(len(known), dtype=np.int64)
    inferred = np.zeros(len(known), dtype=np.bool_)
    bound = Fraction(1) if allowed is None else allowed
    sensitive = layout.sensitive_offsets, layout.sensitive_items
    limits = bound.numerator, bound.denominator
    attacks = Attacks(np.ascontiguousarray(known), supports, inferred)
    try_attacks(layout.rows(), *sensitive, *limits, attacks, stop.flag)
    return supports, int(inferred.sum())
