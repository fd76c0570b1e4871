"""The audit of personalised ρ-uncertainty: a verdict, counts and examples, and the attack curve.

The attack curve draws adversaries as the sampled model does: *inferred* means that something follows which
the person drawn fears.
"""

from __future__ import annotations

import time
from functools import partial

import numpy as np

from withhold.auditing.attack_curve import LARGEST_KNOWN
from withhold.auditing.budget import (
    DEFAULT_SIZE,
    SAMPLES,
    Counts,
    Found,
    Search,
    count_sizes,
    in_parts,
    nothing_found,
)
from withhold.auditing.result import AttackPoint, Audit, Share, seconds_left, size_of
from withhold.counting.layout import Ints
from withhold.counting.published import count_rows
from withhold.counting.set_draws import Frame
from withhold.counting.threads import Progress, Stop, quiet, run_all
from withhold.data import Records
from withhold.errors import PolicyError
from withhold.methods.personal.breach import PersonalBreach
from withhold.methods.personal.check.judge import mark_successful, new_witness
from withhold.methods.personal.check.proof import kept_of, named, rows_that_fear, verify_personal
from withhold.methods.personal.check.survey import Rule, survey_people
from withhold.methods.personal.model import PersonalRhoUncertainty
from withhold.methods.personal.people import PersonalLayout, lay_out_people, problem_of
from withhold.methods.personal.sampling import are_first_personal_breaches, draw_adversaries
from withhold.verdict import Status

COST = 4
"""A set takes about so many times as long as one of another model: its owners are looked at as well."""
FEW_FEARED = 10
"""So many feared items of a row are counted along with a set of it."""


def audit_personal(
    table: Records,
    model: PersonalRhoUncertainty,
    *,
    max_size: int | None = None,
    show: int = 10,
    samples: int = 2000,
    seed: int = 0,
    jobs: int | None = None,
    limit_seconds: float | None = None,
    progress: Progress = quiet,
) -> Audit:
    """The audit of ``table``; what can be known is counted in full up to ``max_size`` items.

    Not given, up to 3 items, or estimated where there are too many sets of them.
    """
    began = time.perf_counter()
    if model.constraints is None:
        raise PolicyError("an audit needs the constraints: who fears what")
    verdict = verify_personal(
        table, model, jobs=jobs, limit_seconds=limit_seconds, progress=progress
    )
    originals = table if model.originals is None else model.originals
    layout = lay_out_people(originals, kept_of(originals, table), model.constraints, merged=False)
    largest = DEFAULT_SIZE if max_size is None else max_size
    largest = largest if model.max_known is None else min(largest, model.max_known)
    counts = Counts(np.zeros(layout.layout.n_rows, dtype=np.uint8))
    with Stop(seconds_left(limit_seconds, began)) as stop:
        if verdict.status is Status.HOLDS:
            counts.counts = nothing_found(range(largest + 1))
        else:
            # A sample that confirms the model rules nothing out, so it is counted all the same.
            known = _Known(layout, originals, model, show, stop, jobs, progress)
            counts.add(0, known.prior_breaches())
            sizes = range(1, largest + 1)
            asked = max_size is not None
            count_sizes(counts, sizes, known.search(), asked=asked, seed=seed, stop=stop)
        curve = _attack_curve(layout, model, samples, seed, stop)
    return Audit(
        model=model,
        verdict=verdict,
        **counts.fields(show),
        attack_curve=curve,
        **size_of(table, model.sensitive),
        seed=seed,
        seconds=time.perf_counter() - began,
    )


class _Known:
    """The breaches of one release by what somebody knows of the originals."""

    def __init__(
        self,
        layout: PersonalLayout,
        originals: Records,
        model: PersonalRhoUncertainty,
        show: int,
        stop: Stop,
        jobs: int | None,
        progress: Progress,
    ) -> None:
        self.layout, self.originals, self.model, self.show = layout, originals, model, show
        self.stop, self.jobs, self.progress = stop, jobs, progress
        rows = layout.rows
        published = rows.items >= 0
        feared = published & layout.fears.anybody[np.maximum(rows.items, 0)]
        self.published = Frame.of(rows.offsets, rows.items, published, feared)
        everything = np.ones(len(rows.items), dtype=np.bool_)
        self.known = Frame.of(rows.offsets, rows.items, everything, feared)

    def search(self) -> Search:
        return Search(self.sets, self.count, self.estimate)

    def sets(self, size: int) -> int:
        """As many as would take so long; long rows of which much is feared take longest."""
        return COST * max(self.known.n_sets(size), self.known.n_rules(size) // FEW_FEARED)

    def named(self, rule: Rule) -> PersonalBreach:
        assert self.model.constraints is not None
        return named(self.layout, self.originals, self.model.constraints, rule)

    def prior_breaches(self) -> Found:
        """The breaches of somebody who knows nothing: feared items in more than ρ of all records."""
        supports, n_rows = self.layout.rows.supports, self.layout.layout.n_rows
        rho = self.model.rho
        too_many = supports * rho.denominator > rho.numerator * n_rows
        found = []
        exposed = np.zeros(n_rows, dtype=np.uint8)
        nothing = np.zeros(0, dtype=np.int32)
        for rank in np.flatnonzero(too_many & self.layout.fears.anybody):
            rows = rows_that_fear(self.layout, int(rank))
            exposed[rows] = 1
            rule = (nothing, int(rank), int(supports[rank]), n_rows, int(rows[0]))
            found.append(self.named(rule))
        found.sort(key=lambda breach: -breach.joint)
        return Found(len(found), found, exposed)

    def count(self, size: int) -> Found:
        result = survey_people(
            self.layout,
            self.model.rho,
            sizes=(size, size),
            stop=self.stop,
            keep=self.show,
            jobs=self.jobs,
            progress=self.progress,
            what=f"counting breaches of {size} known",
        )
        worst = [self.named(rule) for rule in result.worst[size]]
        return Found(int(result.counts[size]), worst, result.exposed)

    def estimate(self, size: int, generator: np.random.Generator) -> tuple[Share, int]:
        of = self.published.n_rules(size)
        if of == 0:
            return Share(0, 0), 0
        drawn = self.published.draw_rules(size, SAMPLES, generator)
        tasks = [partial(self._hits, *part) for part in in_parts(drawn)]
        what = f"estimating breaches of {size} known"
        hits = run_all(tasks, self.stop, jobs=self.jobs, progress=self.progress, what=what)
        return Share(sum(hits), SAMPLES), of

    def _hits(self, drawn: Ints, consequents: Ints, known: Ints) -> int:
        hits = np.zeros(len(drawn), dtype=np.bool_)
        problem = problem_of(self.layout, self.model.rho)
        are_first_personal_breaches(drawn, consequents, known, problem, self.stop.flag, hits)
        return int(hits.sum())


def _attack_curve(
    layout: PersonalLayout, model: PersonalRhoUncertainty, samples: int, seed: int, stop: Stop
) -> tuple[AttackPoint, ...]:
    """One point for each number of known items that some original has; fewer if time runs out."""
    rows, points = layout.rows, []
    problem, witness = problem_of(layout, model.rho), new_witness(layout)
    lengths = np.diff(rows.offsets)
    for known in range(1, LARGEST_KNOWN + 1):
        generator = np.random.default_rng([seed, known])
        drawn, sets = draw_adversaries(layout, known, samples, generator)
        if len(drawn) == 0:
            break
        succeeds = np.zeros(len(drawn), dtype=np.bool_)
        mark_successful(drawn, sets, problem, stop.flag, succeeds, witness)
        if stop.reason != 0:
            break
        unique = sum(count_rows(each, known, np.int64(2), rows) == 1 for each in sets)
        eligible = int((lengths >= known).sum())
        shares = Share(int(unique), samples), Share(int(succeeds.sum()), samples)
        points.append(AttackPoint(known, eligible, *shares))
    return tuple(points)
