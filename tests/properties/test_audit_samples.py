"""What an audit estimates: every draw is judged as by brute force, and the intervals keep their 95 %."""

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
from test_audits import BOUNDS, TABLES, Rows, cases, random_rows, some

import oracle_audits as oracle
import withhold as wh
from tables import examples, needs_speed
from withhold.auditing import attack_curve
from withhold.auditing import budget as counting
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
            supports, hits = attack_curve._try(layout, bound, ranks, Stop())
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
            curve = attack_curve.attack_curve(
                layout, h, k=k, samples=300, seed=seed, stop=Stop(), jobs=1
            )
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


def searches(chance: random.Random) -> list[tuple[counting.Search, dict[int, int], Rows]]:
    """The same table under three models: how each is searched, and how many there are by brute force."""
    from withhold.methods.coherence.audit import _Moles
    from withhold.methods.coherence.check.proof import mole_of_nothing
    from withhold.methods.coherence.cohorts import limits_of
    from withhold.methods.personal.audit import _Known
    from withhold.methods.personal.check.proof import kept_of
    from withhold.methods.personal.people import lay_out_people
    from withhold.methods.rho.audit import _Rules

    rows, items = random_rows(chance)
    secret, bound, k = some(chance, items), chance.choice(BOUNDS), chance.randint(1, 3)
    table = wh.Records.from_lists(rows)
    work = (5, Stop(), 1, lambda *_: None)
    rho = wh.RhoUncertainty(bound, secret)
    layout = lay_out(table, table.codes(secret))
    found = [
        (
            _Rules(layout, table, rho, *work).search(),
            oracle.audit_rho(rows, secret, bound, None, False, 3).by_size,
            rows,
        )
    ]
    published = [frozenset(i for i in row if chance.random() < 0.7) for row in rows]
    fears = [frozenset(i for i in items if chance.random() < 0.4) for _ in rows]
    constraints = wh.Constraints.of(dict(enumerate(fears)), table)
    personal = wh.PersonalRhoUncertainty(bound, constraints, originals=table)
    kept = kept_of(table, wh.Records.from_lists(published))
    people = lay_out_people(table, kept, constraints, merged=False)
    found.append(
        (
            _Known(people, table, personal, *work).search(),
            oracle.audit_personal(rows, published, fears, bound, None, 3).by_size,
            rows,
        )
    )
    coherence = wh.Coherence(bound, k, None, secret)
    split = split_rows(table, table.codes(secret))
    if mole_of_nothing(split, coherence) is None:
        found.append(
            (
                _Moles(split, table, limits_of(split, coherence), *work).search(),
                oracle.audit_coherence(rows, secret, bound, k, None, 3).by_size,
                rows,
            )
        )
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
        for search, by_size, _ in searches(chance):
            owner = search.estimate.__self__
            for size in (1, 2, 3):
                if hasattr(owner, "limits"):
                    # A mole by itself is no part of what is drawn, and is always counted.
                    if size == 1:
                        continue
                    drawn, frame = every_set(owner.frame, size), owner.frame.n_sets(size)
                else:
                    rules = getattr(owner, "published", None) or owner.frame
                    drawn, frame = every_rule(rules, size), rules.n_rules(size)
                assert len(drawn[0]) == frame
                if frame:
                    assert owner._hits(*drawn) == by_size.get(size, 0)
                else:
                    assert by_size.get(size, 0) == 0


@needs_speed
def test_estimates__intervals_cover_the_exact_counts(monkeypatch):
    for module in ("rho", "personal", "coherence"):
        monkeypatch.setattr(f"withhold.methods.{module}.audit.SAMPLES", 200)
    covered = tried = 0
    for chance in cases(4000, 60):
        for search, by_size, _ in searches(chance):
            first = 2 if hasattr(search.estimate.__self__, "limits") else 1
            for size in range(first, 4):
                for seed in range(3):
                    share, of = search.estimate(size, np.random.default_rng([seed, size]))
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
