"""Suppression for coherence agrees with brute force item by item, and keeps what it promises."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import comb

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import lenient
import oracle_coherence as oracle
import withhold as wh
from tables import examples, needs_speed
from withhold.errors import ImpossibleError, PolicyError
from withhold.method import SearchRun
from withhold.registry import method_of

PUBLIC, PRIVATE = "abcdefg", "xyz"


@st.composite
def problems(draw: st.DrawFn, *, records: int = 12) -> tuple[list[frozenset[str]], wh.Coherence]:
    """Records of up to seven public and three private items, with repeats, and a model that is possible."""
    public = st.frozensets(st.sampled_from(PUBLIC[: draw(st.integers(1, 7))]))
    private = st.one_of(st.just(frozenset()), st.frozensets(st.sampled_from(PRIVATE), max_size=1))
    row = st.builds(frozenset.union, public, private)
    distinct = draw(st.lists(row, min_size=1, max_size=records))
    rows = distinct + draw(st.lists(st.sampled_from(distinct), max_size=records))
    most = max(Counter(s for row in rows for s in row if s in PRIVATE).values(), default=0)
    shares = [Fraction(share) for share in ("3/10", "1/2", "2/3", "9/10", "1")]
    h = draw(st.sampled_from([share for share in shares if most <= share * len(rows)]))
    assume(len(rows) > 1)
    k = draw(st.integers(2, min(6, len(rows))))
    return rows, wh.Coherence(h, k, draw(st.sampled_from([1, 2, 3, 4, 5, None])), set(PRIVATE))


def steps(rows, model, **options):
    method = method_of(model)
    chosen, run = method.search.options(**options), SearchRun(jobs=1)
    plan, _ = method.search(wh.read(rows), model, wh.Evidence(), chosen, run)
    return plan, [(each.item, each.moles, each.nuggets) for each in plan]


def asked(model):
    return model.private, model.h, model.k, model.p


def suppression(rows, model, least, keep):
    """What brute force takes; nothing where the model holds already, also no item that is rare."""
    if not oracle.moles(rows, *asked(model)):
        return []
    return oracle.suppression(rows, *asked(model), least, keep)


@examples(1200)
@given(problems(), st.integers(1, 6), st.sampled_from(["itemsets", "items"]))
def test_suppress__takes_the_items_that_brute_force_takes_in_the_same_order(problem, least, keep):
    rows, model = problem
    expected = suppression(rows, model, least, keep)
    _, got = steps(rows, model, nugget_support=least, keep=keep, restoring=False)
    if keep == "items":
        # Items that are moles alone go unscored, and the nuggets of the others are told, not used.
        assert [item for item, *_ in got] == [item for item, *_ in expected]
        assert [many for _, many, _ in got] == [many for _, many, _ in expected]
    else:
        assert got == expected


@examples(1200)
@given(problems(records=8), st.integers(1, 6))
def test_suppress__by_borders_takes_the_same_with_the_same_counts(problem, least):
    rows, model = problem
    expected = suppression(rows, model, least, "itemsets")
    _, got = steps(rows, model, nugget_support=least, counting="borders", restoring=False)
    assert got == expected


@examples(250)
@given(problems(), st.integers(1, 6), st.sampled_from(["itemsets", "items"]))
def test_restoring__brings_back_what_brute_force_would_and_nothing_more_could_return(
    problem, least, keep
):
    rows, model = problem
    before = [item for item, *_ in oracle.suppression(rows, *asked(model), least, keep)]
    plan, got = steps(rows, model, nugget_support=least, keep=keep)
    assert list(plan.restored) == oracle.restored(rows, *asked(model), before)
    gone = {item for item, *_ in got}
    for item in gone:
        assert oracle.moles([row - (gone - {item}) for row in rows], *asked(model))


@examples(250)
@given(problems(), st.integers(1, 4), st.sampled_from(["itemsets", "items", "best"]))
def test_release__is_coherent_and_all_other_counts_are_true(problem, least, keep):
    rows, model = problem
    release = lenient.anonymize(rows, model, nugget_support=least, keep=keep, jobs=1)
    published = [frozenset(row) for row in release.data.to_lists()]
    assert not oracle.moles(published, *asked(model))
    gone = {each.item for each in release.plan}
    assert not gone & model.private
    held = Counter(q for row in rows for q in oracle.parts(row))
    left = Counter(q for row in published for q in oracle.parts(row))
    assert left == {q: many for q, many in held.items() if not q & gone}
    assert release.plan.nuggets_before == len(oracle.nuggets(rows, least))
    assert release.plan.nuggets_kept == len(oracle.nuggets(published, least))
    assert release.plan.removed == release.loss.removed


@examples(300)
@given(problems(), st.sampled_from("abc"))
def test_removing_an_item__changes_no_other_support_and_makes_no_mole(problem, item):
    rows, model = problem
    without = [row - {item} for row in rows]
    before = oracle.moles(rows, *asked(model))
    assert oracle.moles(without, *asked(model)) == {q for q in before if item not in q}


@examples(300)
@given(problems())
def test_verify_and_audit__agree_with_brute_force(problem):
    rows, model = problem
    found = oracle.minimal(oracle.moles(rows, *asked(model)))
    verdict = lenient.verify(rows, model, jobs=1)
    assert verdict.status is (wh.Status.BROKEN if found else wh.Status.HOLDS)
    audit = lenient.audit(rows, model, max_size=7, show=10_000, samples=1, jobs=1)
    assert {frozenset(mole.items) for mole in audit.breaches} == found
    assert len(audit.breaches) == len(found)
    for mole in audit.breaches:
        holders = [row for row in rows if set(mole.items) <= row]
        assert mole.support == len(holders)
        assert (mole.private is None) == (len(holders) < model.k)
        if mole.private is not None:
            assert mole.joint == sum(mole.private in row for row in holders)
            assert mole.probability > model.h
    for size, count in audit.by_size.items():
        assert count == sum(len(q) == size for q in found)
    assert audit.exposed_records == sum(any(q <= row for q in found) for row in rows)
    if found:
        assert verdict.witness_is_smallest
        best = audit.breaches[0]
        assert (len(verdict.witness.items), verdict.witness.probability) == (
            len(best.items),
            best.probability,
        )


@examples(150)
@given(problems(), st.integers(1, 4))
def test_km__is_coherence_without_private_items(problem, m):
    rows, model = problem
    km = wh.KmAnonymity(model.k, m)
    found = oracle.moles(rows, frozenset(), Fraction(1), model.k, m)
    assert bool(lenient.verify(rows, km, jobs=1)) == (not found)
    release = lenient.anonymize(rows, km, jobs=1)
    published = [frozenset(row) for row in release.data.to_lists()]
    assert not oracle.moles(published, frozenset(), Fraction(1), model.k, m)


@needs_speed
@pytest.mark.parametrize("p", [None, 30, 3])
def test_suppress__counts_beyond_128_bits(p):
    # Each item is in two records, any two together in the long one only: all its parts are moles.
    items = [f"i{number:03}" for number in range(150)]
    rows = [items, *([item] for item in items)]
    model = wh.Coherence("0.9", 2, p, {"z"})
    _, got = steps(rows, model, nugget_support=2, restoring=False)
    expected = [
        sum(comb(left - 1, size - 1) for size in range(2, min(p or left, left) + 1))
        for left in range(150, 1, -1)
    ]
    assert [many for _, many, _ in got] == expected
    assert [item for item, *_ in got] == items[:-1]


def test_suppress__an_item_that_another_implies_can_still_complete_a_mole():
    # Whoever has a has b, and {b, c} is a mole while {a, c} is none: {a, b, c} must be counted.
    rows = [frozenset(row) for row in ("abc", "bcx", "bcx", "b", "c", "c") * 2]
    model = wh.Coherence("0.5", 2, 3, set(PRIVATE))
    _, got = steps(rows, model, nugget_support=1, restoring=False)
    assert got == oracle.suppression(rows, *asked(model), 1, "itemsets")
    assert got == [("b", 2, 6)]


@needs_speed
def test_suppress__nuggets_beyond_128_bits():
    items = [f"i{number:03}" for number in range(150)]
    plan, got = steps([items, items, ["j"], ["j"]], wh.KmAnonymity(2, 2))
    assert not got
    assert plan.nuggets_kept == plan.nuggets_before == 2**150 - 1 + 1


def test_options__that_make_no_sense_are_refused():
    for options in ({"keep": "rules"}, {"counting": "slow"}, {"nugget_support": 0}):
        with pytest.raises(PolicyError):
            lenient.anonymize([["a"]], wh.KmAnonymity(2, 1), **options)
    with pytest.raises(PolicyError, match="borders"):
        lenient.anonymize([["a"]], wh.KmAnonymity(2, 1), counting="borders", keep="items")


def test_verify__without_time_is_undecided():
    rows = [[f"i{number}" for number in range(12)]] * 3
    assert lenient.verify(rows, wh.KmAnonymity(2, 3), limit_seconds=0).status is wh.Status.UNDECIDED


@pytest.mark.parametrize("model", [wh.Coherence("0.5", 2, 2, {"x"}), wh.KmAnonymity(9, 2)])
def test_impossible__says_why(model):
    rows = [["a", "x"], ["b", "x"], ["a"]]
    said = "'x' is in 2 of 3 records" if isinstance(model, wh.Coherence) else "fewer than k"
    with pytest.raises(ImpossibleError, match=said):
        lenient.anonymize(rows, model)
    assert lenient.verify(rows, model).status is wh.Status.BROKEN
