"""What an audit estimates: every draw is judged as by brute force, and the intervals keep their 95%."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta
from test_audits import BOUNDS, TABLES, cases, random_rows, some

import oracle_audits as oracle
import withhold as wh
from tables import examples, needs_speed
from withhold.auditing import records as auditing
from withhold.auditing.intervals import share_interval
from withhold.auditing.result import How, Share, SizeCount
from withhold.counting.layout import Layout, lay_out
from withhold.counting.set_draws import Frame
from withhold.counting.threads import Stop
from withhold.methods.coherence.cohorts import split_rows


@examples(300)
@given(st.integers(1, 5000), st.data())
def test_interval__is_that_of_clopper_and_pearson(trials, data):
    hits = data.draw(st.integers(0, trials))
    low, high = share_interval(hits, trials)
    assert low == pytest.approx(beta.ppf(0.025, hits, trials - hits + 1) if hits else 0, abs=1e-9)
    assert high == pytest.approx(
        beta.ppf(0.975, hits + 1, trials - hits) if hits < trials else 1, abs=1e-9
    )


@pytest.mark.parametrize("trials", [1, 7, 50, 200])
def test_interval__covers_every_share_in_95_percent_of_samples(trials):
    intervals = [share_interval(hits, trials) for hits in range(trials + 1)]
    for share in [0.17 / trials, *np.linspace(0.001, 0.999, 333)]:
        chance = sum(
            comb(trials, hits) * share**hits * (1 - share) ** (trials - hits)
            for hits, (low, high) in enumerate(intervals)
            if low <= share <= high
        )
        assert chance >= 0.95 - 1e-9


def request(samples: int = 2000, seed: int = 0) -> auditing.AuditRequest:
    return auditing.AuditRequest(
        frozenset(), None, 5, samples, seed, 1, None, lambda *_: None, None
    )


def known_sets(layout: Layout, size: int) -> list[list[int]]:
    bounds = zip(layout.offsets, layout.offsets[1:], strict=False)
    rows = [layout.items[a:b].tolist() for a, b in bounds]
    return sorted({c for row in rows for c in combinations(row, size)})


@pytest.mark.parametrize("split", [False, True], ids=["rho", "coherence"])
def test_attacks__each_is_judged_as_by_brute_force(split):
    for chance in cases(1000):
        rows, items = random_rows(chance)
        secret, bound = some(chance, items), chance.choice(BOUNDS)
        table = wh.Records.from_lists(rows)
        layout = (split_rows if split else lay_out)(table, table.codes(secret))
        for size in (1, 2, 3):
            known = known_sets(layout, size)
            if not known:
                break
            ranks = np.array(known, dtype=np.int32)
            supports, hits = auditing._try(layout, bound, ranks, Stop())
            names = [
                frozenset(table.vocabulary[layout.code_of_rank[rank]] for rank in each)
                for each in known
            ]
            assert supports.tolist() == [len(oracle.holders(q, rows)) for q in names]
            assert hits == sum(oracle.follows(q, rows, secret, bound) for q in names)


@needs_speed
def test_curve__intervals_cover_the_exact_shares():
    covered = tried = 0
    for chance in cases(2000, 25):
        rows = [frozenset(i for i in "abcdefg" if chance.random() < 0.5) for _ in range(25)]
        private, h, k = some(chance, list("abc")), chance.choice(BOUNDS), chance.randint(2, 6)
        expected = oracle.audit_coherence(rows, private, h, k, 2, 0).curve
        table = wh.Records.from_lists(rows)
        layout = split_rows(table, table.codes(private))
        for seed in (chance.randrange(10**9) for _ in range(4)):
            curve = auditing.attack_curve(layout, request(300, seed), Stop(), allowed=h, k=k)
            for got, point in zip(curve, expected, strict=True):
                for name in ("unique", "inferred", "below_k"):
                    truth = getattr(point, name)
                    if 0 < truth < 1:
                        low, high = getattr(got, name).interval
                        covered += low <= truth <= high
                        tried += 1
    assert tried > 400
    # Not more are missed than chance allows (three standard deviations), and some are.
    assert 0.95 - 3 * (0.95 * 0.05 / tried) ** 0.5 <= covered / tried < 1


def searches(chance: random.Random) -> list[tuple[auditing.Breaches, dict[int, int]]]:
    """The same table under three models: its breaches, and how many there are by brute force."""
    from withhold.methods.coherence.audit import MinimalMoles
    from withhold.methods.personal.audit import PersonalBreaches
    from withhold.methods.rho.audit import RuleBreaches

    rows, items = random_rows(chance)
    secret, bound, k = some(chance, items), chance.choice(BOUNDS), chance.randint(2, 3)
    table = wh.Records.from_lists(rows)
    rho = wh.RhoUncertainty(bound, secret)
    expected = oracle.audit_rho(rows, secret, bound, None, False, 3).by_size
    found = [(RuleBreaches(table, rho, wh.Evidence(), request(), Stop()), expected)]
    published = [frozenset(i for i in row if chance.random() < 0.7) for row in rows]
    wishes = [frozenset(i for i in items if chance.random() < 0.4) for _ in rows]
    constraints = wh.Constraints.of(dict(enumerate(wishes)), table)
    evidence = wh.Evidence(originals=table, constraints=constraints)
    release = wh.Records.from_lists(published)
    expected = oracle.audit_personal(rows, published, wishes, bound, None, 3).by_size
    people = wh.PersonalRhoUncertainty(bound)
    found.append((PersonalBreaches(release, people, evidence, request(), Stop()), expected))
    model = wh.Coherence(bound, k, None, secret)
    moles = MinimalMoles(table, model, wh.Evidence(), request(), Stop())
    if not moles.of_nothing().count:
        found.append((moles, oracle.audit_coherence(rows, secret, bound, k, None, 3).by_size))
    return found


def every_rule(frame: Frame, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All that ``draw_rules`` can draw, once each."""
    drawn = []
    for row in range(len(frame.lengths)):
        places = range(frame.offsets[row], frame.offsets[row + 1])
        for mark in frame.marked[frame.marked_offsets[row] : frame.marked_offsets[row + 1]]:
            others = [place for place in places if place != mark]
            for chosen in combinations(others, size):
                drawn.append((row, frame.items[mark], frame.items[list(chosen)]))
    rows, marks, known = zip(*drawn, strict=True) if drawn else ((), (), ())
    return (
        np.array(rows, dtype=np.int32),
        np.array(marks, dtype=np.int32),
        np.array(known, dtype=np.int32).reshape(-1, size),
    )


def every_set(frame: Frame, size: int) -> tuple[np.ndarray, np.ndarray]:
    """All that ``draw_sets`` can draw, once each."""
    drawn = [
        (row, frame.items[list(chosen)])
        for row in range(len(frame.lengths))
        for chosen in combinations(range(frame.offsets[row], frame.offsets[row + 1]), size)
    ]
    rows, known = zip(*drawn, strict=True) if drawn else ((), ())
    return np.array(rows, dtype=np.int32), np.array(known, dtype=np.int32).reshape(-1, size)


def test_estimates__over_all_draws_count_every_breach_once():
    for chance in cases(3000, TABLES // 2):
        for breaches, by_size in searches(chance):
            frame = breaches.frame
            # A mole by itself is no part of what is drawn, and is always counted.
            for size in (1, 2, 3) if breaches.of_rules else (2, 3):
                if breaches.of_rules:
                    drawn, many = every_rule(frame, size), frame.n_rules(size)
                else:
                    drawn, many = every_set(frame, size), frame.n_sets(size)
                assert len(drawn[0]) == many
                if many:
                    assert breaches.count_hits(drawn) == by_size.get(size, 0)
                else:
                    assert by_size.get(size, 0) == 0


@needs_speed
def test_estimates__intervals_cover_the_exact_counts(monkeypatch):
    monkeypatch.setattr(auditing, "SAMPLES", 200)
    covered = tried = 0
    for chance in cases(4000, 60):
        for breaches, by_size in searches(chance):
            for size in range(1 if breaches.of_rules else 2, 4):
                for seed in range(3):
                    share, of = breaches.estimate(size, np.random.default_rng([seed, size]))
                    # What is always or never so has no chance to be missed.
                    if 0 < by_size.get(size, 0) < of:
                        count = SizeCount.estimated(share, of)
                        covered += count.low <= by_size[size] <= count.high
                        tried += 1
    assert tried > 300
    assert covered / tried >= 0.95 - 3 * (0.95 * 0.05 / tried) ** 0.5


@needs_speed
def test_draws__are_uniform():
    offsets = np.array([0, 3, 4, 9], dtype=np.int64)
    items = np.array([0, 1, 4, 2, 0, 1, 2, 3, 4], dtype=np.int32)
    marked = np.isin(items, [1, 4])
    frame = Frame.of(offsets, items, np.ones(9, dtype=bool), marked)
    drawn = frame.draw_rules(2, 40_000, np.random.default_rng(1))
    every = every_rule(frame, 2)
    expected = 40_000 / len(every[0])
    seen = {}
    for row, mark, known in zip(*drawn, strict=True):
        key = (int(row), int(mark), *known.tolist())
        seen[key] = seen.get(key, 0) + 1
    assert set(seen) == {(int(r), int(m), *q.tolist()) for r, m, q in zip(*every, strict=True)}
    assert all(abs(many - expected) < 5 * expected**0.5 for many in seen.values())


def test_size_count__claims_four_digits_and_no_less_than_was_seen():
    count = SizeCount.estimated(Share(1, 10_000), of=10**15)
    assert count.how is How.ESTIMATED
    assert (count.count, count.low, count.high) == (10**11, 2531000000, 557100000000)
    assert SizeCount.estimated(Share(1, 1000), of=3).low == 1
    assert Fraction(count.high, 10**15) >= Fraction(share_interval(1, 10_000)[1])
