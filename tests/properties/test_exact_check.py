"""The exact check and the audit agree with brute force on thousands of small tables."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

import lenient
import oracle
import withhold as wh
from tables import Rows, examples, limits, problems, tables
from withhold.verdict import Status


def check(
    rows: Rows,
    sensitive: frozenset[str],
    rho: Fraction,
    **limits: Any,
) -> wh.Verdict:
    return lenient.verify(rows, wh.RhoUncertainty(rho, sensitive, **limits), jobs=1)


@examples(2500)
@given(problems(), limits)
def test_verify__agrees_with_brute_force(problem, limits):
    rows, sensitive, rho = problem
    breaches = oracle.breaches(rows, sensitive, rho, **limits)
    verdict = check(rows, sensitive, rho, **limits)
    assert verdict.status is (Status.BROKEN if breaches else Status.HOLDS)
    if breaches:
        witness = verdict.witness
        assert verdict.witness_is_smallest
        assert (
            oracle.Breach(
                frozenset(witness.antecedent), witness.consequent, witness.joint, witness.support
            )
            in breaches
        )
        # Smallest first, then the worst confidence, then the most people.
        best = breaches[0]
        assert (len(witness.antecedent), witness.confidence, witness.joint) == (
            len(best.antecedent),
            best.confidence,
            best.joint,
        )


@examples(2000)
@given(problems(), limits)
def test_audit__breach_list_agrees_with_brute_force(problem, limits):
    rows, sensitive, rho = problem
    model = wh.RhoUncertainty(rho, sensitive, **limits)
    audit = lenient.audit(rows, model, max_size=8, show=10_000, samples=1, jobs=1)
    expected = oracle.breaches(rows, sensitive, rho, **limits)
    assert {
        (frozenset(b.antecedent), b.consequent, b.joint, b.support) for b in audit.breaches
    } == {(b.antecedent, b.consequent, b.joint, b.support) for b in expected}
    assert len(audit.breaches) == len(expected)
    order = [(len(b.antecedent), -b.confidence, -b.joint) for b in audit.breaches]
    assert order == sorted(order)
    for size, count in audit.by_size.items():
        assert count == sum(len(b.antecedent) == size for b in expected)
    assert audit.exposed_records == len(oracle.exposed(rows, sensitive, rho, **limits))


@examples(600)
@given(problems(), st.integers(0, 3), st.integers(1, 6))
def test_audit__counts_stay_exact_when_few_breaches_are_shown(problem, max_size, show):
    # With a full list of the worst, unique records are counted in closed form.
    rows, sensitive, rho = problem
    audit = lenient.audit(
        rows, wh.RhoUncertainty(rho, sensitive), max_size=max_size, show=show, samples=1, jobs=1
    )
    expected = [b for b in oracle.breaches(rows, sensitive, rho) if len(b.antecedent) <= max_size]
    for size, count in audit.by_size.items():
        assert count == sum(len(b.antecedent) == size for b in expected)
    shown = [(len(b.antecedent), b.confidence, b.joint) for b in audit.breaches]
    assert shown == [(len(b.antecedent), b.confidence, b.joint) for b in expected][:show]


@examples(300)
@given(problems(), st.randoms(use_true_random=False))
def test_verify__names_and_order_of_records_do_not_matter(problem, random):
    rows, sensitive, rho = problem
    items = sorted({item for row in rows for item in row} | sensitive)
    shuffled = [f"item {name}" for name in items]
    random.shuffle(shuffled)
    new_name = dict(zip(items, shuffled, strict=True))
    renamed = [frozenset(new_name[item] for item in row) for row in rows]
    random.shuffle(renamed)
    before = check(rows, sensitive, rho)
    after = check(renamed, frozenset(new_name[item] for item in sensitive), rho)
    assert before.status is after.status
    if before.witness:
        assert before.witness.confidence == after.witness.confidence
        assert before.witness.joint == after.witness.joint
        assert len(before.witness.antecedent) == len(after.witness.antecedent)


@examples(400)
@given(problems(), st.fractions(0, 1, max_denominator=50))
def test_verify__safe_at_rho_is_safe_at_every_larger_rho(problem, step):
    rows, sensitive, rho = problem
    larger = rho + (1 - rho) * step
    assume(larger < 1)
    if check(rows, sensitive, rho):
        assert check(rows, sensitive, larger)


@examples(400)
@given(tables(records=6), tables(records=6), st.fractions("1/10", "9/10", max_denominator=10))
def test_verify__the_union_of_two_safe_tables_is_safe(one, two, rho):
    sensitive = one[1] | two[1]
    if check(one[0], sensitive, rho) and check(two[0], sensitive, rho):
        assert check(one[0] + two[0], sensitive, rho)


@examples(400)
@given(problems(), st.sampled_from("abcdefgh"))
def test_verify__removing_an_item_everywhere_keeps_a_table_safe(problem, item):
    rows, sensitive, rho = problem
    if check(rows, sensitive, rho):
        assert check([row - {item} for row in rows], sensitive, rho)
