"""The sampled suppressor (Nakagawa et al., Algorithm 2, and a version of it with a valid test).

``paper``: draw adversaries of each size, fix the rules by which they succeed, and start again until a round
has no success at all.
``honest``: a round tests the records as they are, and allows some successes. Only if it fails is anything
fixed, with separate draws until few of these succeed; then another round tests again, with new draws and a
smaller part of ``delta``. The proof repeats the draws of the round that passed.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.jit import kernel
from withhold.counting.threads import Stop
from withhold.methods.personal.known_sets import count_of_known
from withhold.methods.personal.model import PersonalRhoUncertainty
from withhold.methods.personal.people import wants_protected
from withhold.methods.personal.sampling import draw_adversaries, sample_test
from withhold.methods.personal.search.judge import room_for_rules, rules_found
from withhold.methods.personal.search.owners import Found, report
from withhold.methods.personal.search.workspace import PersonalWorkspace

BATCH = 1000
"""How many adversaries of each size are drawn at a time, to see how many fail and to fix those."""
AIM = 0.6
"""Fixing ends when at most this share of the failures that a test allows is left; a failure is an adversary
who succeeds."""


def confirm_by_samples(
    work: PersonalWorkspace, model: PersonalRhoUncertainty, seed: int, stop: Stop
) -> int:
    """Withhold until a round of the test passes; returns its number."""
    assert model.max_known is not None
    assert model.epsilon is not None
    assert model.delta is not None
    epsilon, delta, largest = model.epsilon, model.delta, model.max_known
    round, batch = 0, 0
    while stop.cause == 0:
        round += 1
        work.fix_prior(stop)
        test = sample_test(epsilon, delta, sizes=largest, round=round, kind=model.test)
        passed = True
        for size in range(1, largest + 1):
            generator = np.random.default_rng([seed, round, size])
            failures, found = _try(work, size, test.draws, generator, stop)
            passed &= failures <= test.allowed
            if model.test == "paper":
                work.fix(*rules_found(found), stop)
        if passed:
            return round
        if model.test == "honest":
            batch = _fix_batches(work, largest, test.allowed / test.draws, seed, batch, stop)
    return round


def _fix_batches(
    work: PersonalWorkspace, largest: int, share: float, seed: int, batch: int, stop: Stop
) -> int:
    """Fix fresh draws of every size until few of a batch fail; returns the last batch's number."""
    worst = 1.0
    while worst > AIM * share and stop.cause == 0:
        batch += 1
        worst = 0.0
        for size in range(1, largest + 1):
            generator = np.random.default_rng([seed, 0, size, batch])
            failures, found = _try(work, size, BATCH, generator, stop)
            worst = max(worst, failures / BATCH)
            if failures > AIM * share * BATCH:
                work.fix(*rules_found(found), stop)
    return batch


def _try(
    work: PersonalWorkspace, size: int, draws: int, generator: np.random.Generator, stop: Stop
) -> tuple[int, Found]:
    """How many of the adversaries drawn succeed, and by which rules."""
    rows, known = draw_adversaries(work.layout, size, draws, generator)
    unsafe = np.zeros(len(rows), dtype=np.bool_)
    found = room_for_rules(8 * draws, 128 * draws + size * draws)
    try_adversaries(rows, known, work.problem, unsafe, found, stop.flag)
    return int(unsafe.sum()), found


@kernel
def try_adversaries(row_of, known, problem, unsafe, found, stop):
    """Mark in ``unsafe`` the adversaries who succeed, and add their rules to ``found`` while it has room."""
    joint = np.zeros(len(problem.rows.supports), np.int64)
    touched = np.empty(len(problem.rows.supports), np.int32)
    size = known.shape[1]
    for trial in range(len(row_of)):
        if stop[0] != 0:
            return
        support, n_touched = count_of_known(known[trial], size, problem, joint, touched)
        person = problem.people.of_row[row_of[trial]]
        for t in range(n_touched):
            e = touched[t]
            if joint[e] * problem.den > problem.num * support and wants_protected(
                person, e, problem.wishes
            ):
                unsafe[trial] = True
                report(known[trial], size, -1, e, found)
            joint[e] = 0
