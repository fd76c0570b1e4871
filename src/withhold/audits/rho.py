"""The audit of ρ-uncertainty: a verdict from the exact check, counts and examples from a survey."""

from __future__ import annotations

import time

import numpy as np

from withhold.audits.attack_curve import attack_curve
from withhold.audits.result import Audit, seconds_left, size_of
from withhold.data import Transactions
from withhold.kernels.layout import Layout, lay_out
from withhold.kernels.survey import survey
from withhold.kernels.threads import Progress, Stop, quiet
from withhold.models import Breach, RhoUncertainty, Status
from withhold.proofs.rho import named, verify_rho


def audit_rho(
    table: Transactions,
    model: RhoUncertainty,
    *,
    max_size: int = 3,
    show: int = 10,
    samples: int = 2000,
    seed: int = 0,
    jobs: int | None = None,
    limit_seconds: float | None = None,
    progress: Progress = quiet,
) -> Audit:
    """The audit of ``table``; antecedents of up to ``max_size`` items are counted in full."""
    began = time.perf_counter()
    verdict = verify_rho(table, model, jobs=jobs, limit_seconds=limit_seconds, progress=progress)
    sensitive = table.codes(model.sensitive)
    layout = lay_out(table, sensitive)
    largest = max_size if model.max_known is None else min(max_size, model.max_known)
    by_size = dict.fromkeys(range(int(model.ignore_prior), largest + 1), 0)
    breaches: list[Breach] = []
    exposed = np.zeros(layout.n_rows, dtype=np.uint8)
    with Stop(seconds_left(limit_seconds, began)) as stop:
        # Where the exact check holds there is no breach of any size, and nothing to count.
        if verdict.status is not Status.HOLDS:
            if 0 in by_size:
                found = _prior_breaches(layout, table, model, exposed)
                by_size[0] = len(found)
                breaches += found
            if largest > 0:
                result = survey(
                    layout,
                    model.rho,
                    sizes=(1, largest),
                    stop=stop,
                    keep=show,
                    jobs=jobs,
                    progress=progress,
                )
                for size in range(1, largest + 1):
                    by_size[size] = int(result.counts[size])
                    breaches += [named(layout, table, rule) for rule in result.worst[size]]
                exposed |= result.exposed
        curve = attack_curve(
            layout,
            model.rho,
            samples=samples,
            seed=seed,
            stop=stop,
            jobs=jobs,
            progress=progress,
        )
        complete = stop.reason == 0
    return Audit(
        model=model,
        verdict=verdict,
        breaches=tuple(breaches[:show]),
        by_size=by_size,
        complete=complete,
        exposed_records=int(exposed.sum()),
        attack_curve=curve,
        **size_of(table, model.sensitive),
        seed=seed,
        seconds=time.perf_counter() - began,
    )


def _prior_breaches(
    layout: Layout, table: Transactions, model: RhoUncertainty, exposed: np.ndarray
) -> list[Breach]:
    """The breaches of somebody who knows nothing: items in more than ρ of all records."""
    found = []
    supports = layout.supports
    for rank in layout.sensitive_ranks():
        joint = int(supports[rank])
        if joint * model.rho.denominator > model.rho.numerator * layout.n_rows:
            found.append(
                Breach((), table.vocabulary[layout.code_of_rank[rank]], joint, layout.n_rows)
            )
            exposed[layout.post_rows[layout.post_offsets[rank] : layout.post_offsets[rank + 1]]] = 1
    return sorted(found, key=lambda breach: -breach.joint)
