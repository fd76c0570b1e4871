"""The audit of ρ-uncertainty: a verdict from the exact check, counts and examples from a survey."""

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
from withhold.auditing.result import Audit, Share, seconds_left, size_of
from withhold.counting.layout import Ints, Layout, lay_out
from withhold.counting.set_draws import Frame
from withhold.counting.threads import Progress, Stop, quiet, run_all
from withhold.data import Records
from withhold.data.breach import Breach
from withhold.methods.rho.check.proof import named, verify_rho
from withhold.methods.rho.check.survey import survey
from withhold.methods.rho.model import RhoUncertainty
from withhold.methods.rho.samples import are_first_breaches
from withhold.verdict import Status


def audit_rho(
    table: Records,
    model: RhoUncertainty,
    *,
    max_size: int | None = None,
    show: int = 10,
    samples: int = 2000,
    seed: int = 0,
    jobs: int | None = None,
    limit_seconds: float | None = None,
    progress: Progress = quiet,
) -> Audit:
    """The audit of ``table``; antecedents of up to ``max_size`` items are counted in full.

    Not given, those of up to 3 are counted, or estimated where there are too many.
    """
    began = time.perf_counter()
    verdict = verify_rho(table, model, jobs=jobs, limit_seconds=limit_seconds, progress=progress)
    layout = lay_out(table, table.codes(model.sensitive))
    largest = DEFAULT_SIZE if max_size is None else max_size
    largest = largest if model.max_known is None else min(largest, model.max_known)
    sizes = range(1, largest + 1)
    counts = Counts(np.zeros(layout.n_rows, dtype=np.uint8))
    with Stop(seconds_left(limit_seconds, began)) as stop:
        if verdict.status is Status.HOLDS:
            counts.counts = nothing_found(range(int(model.ignore_prior), largest + 1))
        else:
            if not model.ignore_prior:
                counts.add(0, _prior_breaches(layout, table, model))
            search = _Rules(layout, table, model, show, stop, jobs, progress).search()
            count_sizes(counts, sizes, search, asked=max_size is not None, seed=seed, stop=stop)
        curve = attack_curve(
            layout,
            model.rho,
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
        **size_of(table, model.sensitive),
        seed=seed,
        seconds=time.perf_counter() - began,
    )


class _Rules:
    """The breaches of one table."""

    def __init__(
        self,
        layout: Layout,
        table: Records,
        model: RhoUncertainty,
        show: int,
        stop: Stop,
        jobs: int | None,
        progress: Progress,
    ) -> None:
        self.layout, self.table, self.model, self.show = layout, table, model, show
        self.stop, self.jobs, self.progress = stop, jobs, progress
        everything = np.ones(len(layout.items), dtype=np.bool_)
        self.frame = Frame.of(
            layout.offsets, layout.items, everything, layout.sensitive[layout.items]
        )

    def search(self) -> Search:
        return Search(self.frame.n_sets, self.count, self.estimate)

    def count(self, size: int) -> Found:
        result = survey(
            self.layout,
            self.model.rho,
            sizes=(size, size),
            stop=self.stop,
            keep=self.show,
            jobs=self.jobs,
            progress=self.progress,
            what=f"counting breaches of {size} known",
        )
        worst = [named(self.layout, self.table, rule) for rule in result.worst[size]]
        return Found(int(result.counts[size]), worst, result.exposed)

    def estimate(self, size: int, generator: np.random.Generator) -> tuple[Share, int]:
        of = self.frame.n_rules(size)
        if of == 0:
            return Share(0, 0), 0
        drawn = self.frame.draw_rules(size, SAMPLES, generator)
        tasks = [partial(self._hits, *part) for part in in_parts(drawn)]
        what = f"estimating breaches of {size} known"
        hits = run_all(tasks, self.stop, jobs=self.jobs, progress=self.progress, what=what)
        return Share(sum(hits), SAMPLES), of

    def _hits(self, rows: Ints, consequents: Ints, known: Ints) -> int:
        hits = np.zeros(len(rows), dtype=np.bool_)
        are_first_breaches(
            rows,
            consequents,
            known,
            self.layout.offsets,
            self.layout.items,
            self.layout.post_offsets,
            self.layout.post_rows,
            self.model.rho.numerator,
            self.model.rho.denominator,
            self.stop.flag,
            hits,
        )
        return int(hits.sum())


def _prior_breaches(layout: Layout, table: Records, model: RhoUncertainty) -> Found:
    """The breaches of somebody who knows nothing: items in more than ρ of all records."""
    found: list[Breach] = []
    exposed = np.zeros(layout.n_rows, dtype=np.uint8)
    supports = layout.supports
    for rank in layout.sensitive_ranks():
        joint = int(supports[rank])
        if joint * model.rho.denominator > model.rho.numerator * layout.n_rows:
            found.append(
                Breach((), table.vocabulary[layout.code_of_rank[rank]], joint, layout.n_rows)
            )
            exposed[layout.post_rows[layout.post_offsets[rank] : layout.post_offsets[rank + 1]]] = 1
    found.sort(key=lambda breach: -breach.joint)
    return Found(len(found), found, exposed)
