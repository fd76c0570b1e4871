"""The audit of (h,k,p)-coherence and k^m-anonymity: a verdict, and the minimal moles from a survey."""

from __future__ import annotations

import time

import numpy as np

from withhold.audits.attack_curve import attack_curve
from withhold.audits.result import Audit, seconds_left, size_of
from withhold.data import Transactions
from withhold.kernels.cohorts import split_rows
from withhold.kernels.mole_survey import Limits, survey
from withhold.kernels.threads import Progress, Stop, quiet
from withhold.models import Coherence, KmAnonymity, Mole, Status
from withhold.proofs.coherence import limits_of, mole_of_nothing, named, verify_coherence


def audit_coherence(
    table: Transactions,
    model: Coherence | KmAnonymity,
    *,
    max_size: int = 3,
    show: int = 10,
    samples: int = 2000,
    seed: int = 0,
    jobs: int | None = None,
    limit_seconds: float | None = None,
    progress: Progress = quiet,
) -> Audit:
    """The audit of ``table``; minimal moles of up to ``max_size`` items are counted in full."""
    began = time.perf_counter()
    verdict = verify_coherence(
        table, model, jobs=jobs, limit_seconds=limit_seconds, progress=progress
    )
    rows = split_rows(table, table.codes(model.private))
    whole = limits_of(rows, model)
    largest = min(max_size, whole.largest if model.p is None else model.p)
    by_size = dict.fromkeys(range(largest + 1), 0)
    moles: list[Mole] = []
    exposed = np.zeros(rows.n_rows, dtype=np.uint8)
    with Stop(seconds_left(limit_seconds, began)) as stop:
        # Where the exact check holds there is no mole of any size, and nothing to count.
        if verdict.status is not Status.HOLDS:
            nothing = mole_of_nothing(rows, model)
            limits = Limits(whole.k, whole.num, whole.den, min(largest, whole.largest))
            if nothing is not None:
                # Everything is a mole then, and nothing else is a minimal one.
                by_size[0] = 1
                moles = [named(rows, table, nothing)]
                exposed[:] = 1
            elif limits.largest > 0:
                result = survey(rows, limits, keep=show, stop=stop)
                exposed = result.exposed
                for size in range(1, limits.largest + 1):
                    by_size[size] = result.counts[size]
                    moles += [named(rows, table, mole) for mole in result.worst[size]]
        curve = attack_curve(
            rows, model.h, samples=samples, seed=seed, stop=stop, jobs=jobs, progress=progress
        )
        complete = stop.reason == 0
    return Audit(
        model=model,
        verdict=verdict,
        breaches=tuple(moles[:show]),
        by_size=by_size,
        complete=complete,
        exposed_records=int(exposed.sum()),
        attack_curve=curve,
        **size_of(table, model.private),
        seed=seed,
        seconds=time.perf_counter() - began,
    )
