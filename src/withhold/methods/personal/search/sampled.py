"""The sampled suppressor (Nakagawa et al., Algorithm 2, and its honest version).

``paper``: draw for each size, mend what fails, and start again until a round has no failure at all.
``honest``: a round tests the table as it is, with some failures allowed; only if it fails is anything mended,
on draws of its own until few of them fail, and another round, with other draws and less of ``delta``
left, tests again. The draws of the round that passed come again in the proof.
"""

from __future__ import annotations

import numpy as np

from withhold.counting.threads import Stop
from withhold.methods.personal.draws import draw_adversaries
from withhold.methods.personal.model import PersonalRhoUncertainty
from withhold.methods.personal.sampling import sample_test
from withhold.methods.personal.search.adversaries import try_adversaries
from withhold.methods.personal.search.judge import Found, room_for_rules
from withhold.methods.personal.search.workspace import PersonalWorkspace

BATCH = 1000
"""Adversaries of each size that are drawn and mended before it is seen how many still fail."""
AIM = 0.6
"""Mending ends when so small a part of the failures that a test allows is left."""


def confirm_by_samples(
    work: PersonalWorkspace, model: PersonalRhoUncertainty, seed: int, stop: Stop
) -> int:
    """Withhold until a round of the test passes; returns its number."""
    assert model.max_known is not None
    assert model.epsilon is not None
    assert model.delta is not None
    epsilon, delta, largest = model.epsilon, model.delta, model.max_known
    round, batch = 0, 0
    while stop.reason == 0:
        round += 1
        work.fix_prior(stop)
        test = sample_test(epsilon, delta, sizes=largest, round=round, kind=model.test)
        passed = True
        for size in range(1, largest + 1):
            generator = np.random.default_rng([seed, round, size])
            failures, found = _try(work, size, test.draws, generator, stop)
            passed &= failures <= test.allowed
            if model.test == "paper":
                _mend(work, found, stop)
        if passed:
            return round
        if model.test == "honest":
            batch = _mend_batches(work, largest, test.allowed / test.draws, seed, batch, stop)
    return round


def _mend_batches(
    work: PersonalWorkspace, largest: int, share: float, seed: int, batch: int, stop: Stop
) -> int:
    """Mend fresh draws of every size until few of a batch fail; returns the last batch's number."""
    worst = 1.0
    while worst > AIM * share and stop.reason == 0:
        batch += 1
        worst = 0.0
        for size in range(1, largest + 1):
            generator = np.random.default_rng([seed, 0, size, batch])
            failures, found = _try(work, size, BATCH, generator, stop)
            worst = max(worst, failures / BATCH)
            if failures > AIM * share * BATCH:
                _mend(work, found, stop)
    return batch


def _try(
    work: PersonalWorkspace, size: int, draws: int, generator: np.random.Generator, stop: Stop
) -> tuple[int, Found]:
    """How many of the adversaries drawn succeed, and by which rules."""
    rows, known = draw_adversaries(work.layout, size, draws, generator)
    unsafe = np.zeros(len(rows), dtype=np.bool_)
    found = room_for_rules(8 * draws, size * draws)
    try_adversaries(
        rows,
        known,
        work.rows,
        work.people,
        work.fears,
        work.num,
        work.den,
        stop.flag,
        unsafe,
        found,
    )
    return int(unsafe.sum()), found


def _mend(work: PersonalWorkspace, found: Found, stop: Stop) -> None:
    n = int(found.count[0])
    consequents = found.numbers[:n, 0].astype(np.int32)
    work.fix(found.starts[: n + 1], found.items[: found.starts[n]], consequents, stop)
