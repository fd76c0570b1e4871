"""The check of the sampled model: draw adversaries, count those who succeed, and say what that shows."""

from __future__ import annotations

import time

import numpy as np

from withhold.counting.threads import Stop
from withhold.data.evidence import Draw
from withhold.methods.personal.check.judge import mark_successful, room_for_witness
from withhold.methods.personal.check.survey import Rule
from withhold.methods.personal.model import PersonalRhoUncertainty
from withhold.methods.personal.people import PersonalLayout, problem_of
from withhold.methods.personal.sampling import chance_of_at_most, draw_adversaries, sample_test
from withhold.verdict import Status, Verdict


def confirm(
    layout: PersonalLayout, model: PersonalRhoUncertainty, draw: Draw, stop: Stop
) -> tuple[Verdict, Rule | None]:
    """The verdict of the round that the draw names, and somebody who succeeds, if anybody does.

    CONFIRMED: the test passed. BROKEN: so many succeeded that the share is above ``epsilon``, with the same
    confidence. Otherwise UNDECIDED: the sample shows neither.
    """
    assert model.max_known is not None
    assert model.epsilon is not None
    assert model.delta is not None
    began = time.perf_counter()
    test = sample_test(
        model.epsilon, model.delta, sizes=model.max_known, round=draw.round, kind=model.test
    )
    problem = problem_of(layout, model.rho)
    status, checked, rule = Status.CONFIRMED, 0, None
    for size in range(1, model.max_known + 1):
        generator = np.random.default_rng([draw.seed, draw.round, size])
        rows, known = draw_adversaries(layout, size, test.draws, generator)
        succeeds, witness = np.zeros(len(rows), dtype=np.bool_), room_for_witness(layout)
        mark_successful(rows, known, problem, stop.flag, succeeds, witness)
        checked += len(rows)
        failures = int(succeeds.sum())
        if failures > test.allowed:
            fewer = chance_of_at_most(failures - 1, test.draws, float(model.epsilon))
            shown = 1 - fewer <= float(test.delta)
            status = Status.BROKEN if shown or status is Status.BROKEN else Status.UNDECIDED
            if rule is None:
                *numbers, n_known = witness.numbers.tolist()
                rule = (witness.known[:n_known].copy(), *numbers)
        if stop.reason != 0:
            status = Status.UNDECIDED
            break
    method = (
        f"{test.draws:,} random adversaries of each size from 1 to {model.max_known}, of whom at most "
        f"{test.allowed:,} may succeed ({model.test} test, round {draw.round})"
    )
    seconds = time.perf_counter() - began
    confidence = 1 - model.delta if status is Status.CONFIRMED else None
    return Verdict(status, method, checked, seconds, confidence=confidence), rule
