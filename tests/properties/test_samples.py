"""What a promise by samples is worth, tried out."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from asking import Personal, personal, verify_release
from lenient import anonymize, verify
from tables import needs_speed
from withhold import Constraints, Records, Status
from withhold.methods.personal.sampling import chance_of_at_most, fewest_draws, sample_test

EPSILON = DELTA = Fraction(1, 10)
RUNS = 2000


def people(n: int, unsafe: int) -> tuple[Records, Personal]:
    """n persons with two items; of ``unsafe`` of them the second follows from the first, and is protected."""
    rows = [[f"a{k}", f"b{k}"] if k < unsafe else [f"c{k % 4}", f"d{k % 3}"] for k in range(n)]
    table = Records.from_lists(rows)
    # Knowing b tells of a as well, but nobody wants a protected: half of the adversaries succeed.
    wishes = Constraints.of({k: [f"a{k}", f"b{k}"] for k in range(unsafe)}, table)
    model = personal("0.6", wishes, originals=table, max_known=1, epsilon=EPSILON, delta=DELTA)
    return table, model


@needs_speed
def test_honest_test__passes_a_bad_table_in_at_most_delta_of_the_runs():
    table, model = people(1000, 105)  # 10.5% are unsafe, just above ε
    passed = sum(
        verify(table, model.drawn(seed)).status is Status.CONFIRMED for seed in range(RUNS)
    )
    assert passed <= float(DELTA) * RUNS


@needs_speed
def test_rounds__together_pass_a_bad_table_in_at_most_delta_of_the_runs():
    """The honest test in ten rounds against the paper's loop, on a share that stays just above ε."""
    generator = np.random.default_rng(5)
    honest = paper = 0
    tests = [
        sample_test(EPSILON, DELTA, sizes=1, round=round, kind="honest") for round in range(1, 11)
    ]
    # With so few draws a round passes with a chance of about δ: that is what its δ means.
    draws = fewest_draws(float(EPSILON), float(DELTA), 0)
    for _ in range(RUNS):
        honest += any(generator.binomial(test.draws, 0.101) <= test.allowed for test in tests)
        paper += any(generator.binomial(draws, 0.101) == 0 for _ in range(10))
    assert honest <= float(DELTA) * RUNS
    assert paper > 3 * float(DELTA) * RUNS


def test_paper__its_loop_does_not_keep_its_delta_over_rounds():
    """The paper's own count: many rounds on a table that is never mended enough pass in the end."""
    test = sample_test(Fraction(1, 4), Fraction(1, 2), sizes=1, round=1, kind="paper")
    share = 0.251
    one_round = (1 - share) ** test.draws
    many_rounds = 1 - (1 - one_round) ** 1000
    assert one_round <= 0.5 < many_rounds


@needs_speed
@pytest.mark.parametrize("kind", ["honest", "paper"])
def test_release__is_confirmed_and_good(kind):
    generator = np.random.default_rng(1)
    rows = [[str(item) for item in generator.permutation(12)[:5]] for _ in range(300)]
    table = Records.from_lists(rows)
    wishes = Constraints.of({row: [str(row % 12)] for row in range(300)}, table)
    model = personal("0.5", wishes, max_known=3, epsilon="0.1", delta="0.1", test=kind)
    release = anonymize(table, model, seed=4)
    assert release.verdict.status is Status.CONFIRMED
    assert not release.verdict
    assert release.verdict.words == "CONFIRMED WITH 90% CONFIDENCE"
    assert verify_release(release).status is Status.CONFIRMED
    assert "sample" in release.model.promise()
    assert release.data == anonymize(table, model, seed=4).data
    exact = anonymize(table, personal("0.5", wishes, max_known=3))
    assert release.loss.removed < exact.loss.removed


def test_raw_table__is_broken_with_an_adversary_who_succeeds():
    table, model = people(200, 100)
    found = verify(table, model)
    assert found.status is Status.BROKEN
    (known,), wished = found.witness.antecedent, found.witness.consequent
    assert {known[0], wished[0]} == {"a", "b"}
    assert known[1:] == wished[1:]
    assert (found.witness.joint, found.witness.support) == (1, 1)


def test_sizes_of_samples():
    assert fewest_draws(0.05, 0.05, 0) == 59
    assert (
        sample_test(Fraction(1, 20), Fraction(1, 20), sizes=1, round=1, kind="paper").draws == 600
    )
    small = Fraction(1, 100)
    assert sample_test(small, small, sizes=1, round=1, kind="paper").draws == 23_026
    for round in (1, 5, 50):
        test = sample_test(Fraction(1, 20), Fraction(1, 20), sizes=5, round=round, kind="honest")
        assert chance_of_at_most(test.allowed, test.draws, 0.05) <= float(test.delta)
    spent = sum(
        sample_test(EPSILON, DELTA, sizes=5, round=r, kind="honest").delta * 5
        for r in range(1, 200)
    )
    assert spent <= DELTA
