"""The audit of personalised ρ-uncertainty: a verdict, counts and examples, and the attack curve.

The attack curve draws adversaries as the sampled model does: *inferred* means that something follows which
the person drawn fears.
"""

from __future__ import annotations

import time

import numpy as np

from withhold.audits.attack_curve import LARGEST_KNOWN
from withhold.audits.result import AttackPoint, Audit, Share, seconds_left, size_of
from withhold.data import Transactions
from withhold.errors import PolicyError
from withhold.kernels.closed import count_support
from withhold.kernels.people import PersonalLayout, lay_out_people
from withhold.kernels.personal_draws import draw_adversaries, try_adversaries
from withhold.kernels.personal_judge import room_for_rules
from withhold.kernels.personal_survey import survey_people
from withhold.kernels.threads import Progress, Stop, quiet
from withhold.models import Finding, PersonalBreach, PersonalRhoUncertainty
from withhold.proofs.personal import kept_of, named, rows_that_fear, verify_personal


def audit_personal(
    table: Transactions,
    model: PersonalRhoUncertainty,
    *,
    max_size: int = 3,
    show: int = 10,
    samples: int = 2000,
    seed: int = 0,
    jobs: int | None = None,
    limit_seconds: float | None = None,
    progress: Progress = quiet,
) -> Audit:
    """The audit of ``table``; what can be known is counted in full up to ``max_size`` items."""
    began = time.perf_counter()
    if model.constraints is None:
        raise PolicyError("an audit needs the constraints: who fears what")
    verdict = verify_personal(
        table, model, jobs=jobs, limit_seconds=limit_seconds, progress=progress
    )
    originals = table if model.originals is None else model.originals
    layout = lay_out_people(originals, kept_of(originals, table), model.constraints, merged=False)
    largest = max_size if model.max_known is None else min(max_size, model.max_known)
    by_size = dict.fromkeys(range(largest + 1), 0)
    breaches: list[Finding] = []
    exposed = np.zeros(layout.layout.n_rows, dtype=np.uint8)
    with Stop(seconds_left(limit_seconds, began)) as stop:
        # Where the exact check holds there is no breach of any size, and nothing to count.
        if not verdict.status.may_be_published:
            breaches += _prior_breaches(layout, originals, model, exposed)
            by_size[0] = len(breaches)
            if largest > 0:
                found = survey_people(
                    layout,
                    model.rho,
                    sizes=(1, largest),
                    stop=stop,
                    keep=show,
                    jobs=jobs,
                    progress=progress,
                )
                for size in range(1, largest + 1):
                    by_size[size] = int(found.counts[size])
                    breaches += [
                        named(layout, originals, model.constraints, rule)
                        for rule in found.worst[size]
                    ]
                exposed |= found.exposed
        curve = _attack_curve(layout, model, samples, seed, stop)
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
    layout: PersonalLayout,
    table: Transactions,
    model: PersonalRhoUncertainty,
    exposed: np.ndarray,
) -> list[PersonalBreach]:
    """The breaches of somebody who knows nothing: feared items in more than ρ of all records."""
    assert model.constraints is not None
    supports, n_rows = layout.rows.supports, layout.layout.n_rows
    too_many = supports * model.rho.denominator > model.rho.numerator * n_rows
    found = []
    nothing = np.zeros(0, dtype=np.int32)
    for rank in np.flatnonzero(too_many & layout.fears.anybody):
        rows = rows_that_fear(layout, int(rank))
        exposed[rows] = 1
        rule = (nothing, int(rank), int(supports[rank]), n_rows, int(rows[0]))
        found.append(named(layout, table, model.constraints, rule))
    return sorted(found, key=lambda breach: -breach.joint)


def _attack_curve(
    layout: PersonalLayout, model: PersonalRhoUncertainty, samples: int, seed: int, stop: Stop
) -> tuple[AttackPoint, ...]:
    """One point for each number of known items that some original has; fewer if time runs out."""
    rows, points = layout.rows, []
    lengths = np.diff(rows.offsets)
    for known in range(1, LARGEST_KNOWN + 1):
        generator = np.random.default_rng([seed, known])
        drawn, sets = draw_adversaries(layout, known, samples, generator)
        if len(drawn) == 0:
            break
        unsafe = np.zeros(len(drawn), dtype=np.bool_)
        try_adversaries(
            drawn,
            sets,
            rows,
            layout.people,
            layout.fears,
            model.rho.numerator,
            model.rho.denominator,
            stop.flag,
            unsafe,
            room_for_rules(1, layout.layout.n_items),
        )
        if stop.reason != 0:
            break
        unique = sum(
            count_support(
                each,
                known,
                np.int64(2),
                rows.offsets,
                rows.items,
                rows.post_offsets,
                rows.post_rows,
                rows.supports,
                rows.bitmaps,
            )
            == 1
            for each in sets
        )
        eligible = int((lengths >= known).sum())
        shares = Share(int(unique), samples), Share(int(unsafe.sum()), samples)
        points.append(AttackPoint(known, eligible, *shares))
    return tuple(points)
