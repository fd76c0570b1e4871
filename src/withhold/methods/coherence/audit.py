"""The audit of (h,k,p)-coherence and k^m-anonymity: a verdict, and the minimal moles from a survey."""

from __future__ import annotations

import time
from functools import partial

import numpy as np

from withhold.auditing.attack_curve import attack_curve
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
from withhold.auditing.result import Audit, How, Share, SizeCount, seconds_left, size_of
from withhold.counting.layout import Ints
from withhold.counting.set_draws import Frame
from withhold.counting.threads import Progress, Stop, quiet, run_all
from withhold.data import Records
from withhold.methods.coherence.check.proof import mole_of_nothing, named, verify_coherence
from withhold.methods.coherence.cohorts import Limits, SplitRows, limits_of, split_rows
from withhold.methods.coherence.model import Coherent
from withhold.methods.coherence.mole_survey import (
    alive_beside,
    count_first_minimal,
    judge_alone,
    survey,
)
from withhold.verdict import Status


def audit_coherence(
    table: Records,
    model: Coherent,
    *,
    max_size: int | None = None,
    show: int = 10,
    samples: int = 2000,
    seed: int = 0,
    jobs: int | None = None,
    limit_seconds: float | None = None,
    progress: Progress = quiet,
) -> Audit:
    """The audit of ``table``; minimal moles of up to ``max_size`` items are counted in full.

    Not given, those of up to 3 are counted, or estimated where there are too many.
    """
    began = time.perf_counter()
    verdict = verify_coherence(
        table, model, jobs=jobs, limit_seconds=limit_seconds, progress=progress
    )
    rows = split_rows(table, table.codes(model.private))
    whole = limits_of(rows, model)
    largest = DEFAULT_SIZE if max_size is None else max_size
    largest = min(largest, whole.largest if model.p is None else model.p)
    counts = Counts(np.zeros(rows.n_rows, dtype=np.uint8))
    with Stop(seconds_left(limit_seconds, began)) as stop:
        nothing = mole_of_nothing(rows, model)
        if verdict.status is Status.HOLDS:
            counts.counts = nothing_found(range(largest + 1))
        elif nothing is not None:
            # Everything is a mole then, and nothing else is a minimal one.
            everybody = np.ones(rows.n_rows, dtype=np.uint8)
            counts.counts = nothing_found(range(largest + 1))
            counts.add(0, Found(1, [named(rows, table, nothing)], everybody))
        else:
            counts.counts[0] = SizeCount(How.COUNTED, 0)
            search = _Moles(rows, table, whole, show, stop, jobs, progress).search()
            sizes = range(1, largest + 1)
            count_sizes(counts, sizes, search, asked=max_size is not None, seed=seed, stop=stop)
        curve = attack_curve(
            rows,
            # A bound of 1 asks for nothing, as does k = 1.
            model.h if model.h < 1 else None,
            k=model.k if model.k > 1 else None,
            samples=samples,
            seed=seed,
            stop=stop,
            jobs=jobs,
            progress=progress,
        )
    return Audit(
        model=model,
        verdict=verdict,
        **counts.fields(show),
        attack_curve=curve,
        **size_of(table, model.private),
        seed=seed,
        seconds=time.perf_counter() - began,
    )


class _Moles:
    """The minimal moles of one table in which the empty set is none."""

    def __init__(
        self,
        rows: SplitRows,
        table: Records,
        limits: Limits,
        show: int,
        stop: Stop,
        jobs: int | None,
        progress: Progress,
    ) -> None:
        self.rows, self.table, self.limits, self.show = rows, table, limits, show
        self.stop, self.jobs, self.progress = stop, jobs, progress
        # What is a mole by itself is in no larger minimal one.
        alive = alive_beside(rows, judge_alone(rows, limits)[0])[rows.items]
        self.frame = Frame.of(rows.offsets, rows.items, alive, alive)

    def search(self) -> Search:
        return Search(
            lambda size: 0 if size == 1 else self.frame.n_sets(size), self.count, self.estimate
        )

    def count(self, size: int) -> Found:
        if size > self.limits.largest:
            return Found(0, [], np.zeros(self.rows.n_rows, dtype=np.uint8))
        limits = Limits(self.limits.k, self.limits.num, self.limits.den, size)
        result = survey(
            self.rows,
            limits,
            keep=self.show,
            stop=self.stop,
            jobs=self.jobs,
            progress=self.progress,
            what=f"counting moles of {size} known",
        )
        worst = [named(self.rows, self.table, mole) for mole in result.worst[size]]
        return Found(result.counts[size], worst, result.exposed)

    def estimate(self, size: int, generator: np.random.Generator) -> tuple[Share, int]:
        of = self.frame.n_sets(size)
        if of == 0:
            return Share(0, 0), 0
        drawn = self.frame.draw_sets(size, SAMPLES, generator)
        tasks = [partial(self._hits, *part) for part in in_parts(drawn)]
        what = f"estimating moles of {size} known"
        hits = run_all(tasks, self.stop, jobs=self.jobs, progress=self.progress, what=what)
        return Share(sum(hits), SAMPLES), of

    def _hits(self, drawn: Ints, known: Ints) -> int:
        return count_first_minimal(self.rows, self.limits, drawn, known, self.stop)
