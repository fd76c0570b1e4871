"""Polished releases are safe, lose no more than others, waste nothing, and can be made again."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import lenient
import oracle
import withhold as wh
from tables import examples, knowledge, needs_speed, problems
from typed import run
from withhold.formats import write

KEEPS = ["rules", "sensitive"]
options = st.fixed_dictionaries(
    {
        "keep": st.sampled_from(KEEPS),
        "parts": st.sampled_from([None, 1, 2, 3]),
        "restoring": st.booleans(),
        "polish_moves": st.sampled_from([None, 0, 1, 7, 40]),
        "seed": st.integers(0, 3),
    }
)


def released(rows, sensitive, rho, max_known, ignore_prior, **options):
    assume(not (max_known == 0 and ignore_prior))
    assume(options["parts"] is None or options["parts"] <= len(rows))
    model = wh.RhoUncertainty(rho, sensitive, max_known=max_known, ignore_prior=ignore_prior)
    return lenient.anonymize(rows, model, jobs=1, **options)


def published(release):
    return [frozenset(row) for row in release.data.to_lists()]


@examples(1000)
@given(problems(), knowledge, st.booleans(), options)
def test_polish__is_safe_only_removes_and_loses_no_more(problem, max_known, ignore_prior, options):
    rows, sensitive, rho = problem
    release = released(*problem, max_known, ignore_prior, **options)
    left = published(release)
    assert oracle.is_safe(left, sensitive, rho, max_known=max_known, ignore_prior=ignore_prior)
    assert all(after <= before for after, before in zip(left, rows, strict=True))
    if options["keep"] == "rules":
        assert all(before - after <= sensitive for after, before in zip(left, rows, strict=True))
    plain = {**options, "keep": "rules", "polish_moves": None}
    without = released(*problem, max_known, ignore_prior, **plain)
    assert release.loss.removed <= without.loss.removed
    if options["keep"] == "sensitive" and options["polish_moves"] is None:
        assert release.loss.removed_sensitive <= without.loss.removed_sensitive


@examples(500)
@given(problems(), knowledge, st.booleans(), options)
def test_polish__no_deletion_could_be_undone(problem, max_known, ignore_prior, options):
    rows, sensitive, rho = problem
    options = {**options, "restoring": True}
    left = published(released(*problem, max_known, ignore_prior, **options))
    limits = {"max_known": max_known, "ignore_prior": ignore_prior}
    given_back = {"sensitive": sensitive, "rho": rho, **limits}
    assert oracle.is_inclusion_minimal(rows, left, **given_back)


@examples(500)
@given(problems(), knowledge, st.booleans(), options)
def test_polish__each_removal_has_a_reason(problem, max_known, ignore_prior, options):
    rows, sensitive, rho = problem
    release = released(*problem, max_known, ignore_prior, **options)
    for number, (record, item) in enumerate(release.plan.removals(release.original)):
        breach = release.plan.why(number, release.original)
        assert item in {*breach.antecedent, breach.consequent} <= rows[record]
        assert breach.consequent in sensitive
        assert breach.confidence > rho


@pytest.fixture(scope="module")
def pharmacy():
    return wh.pharmacy(3000, seed=7)


@needs_speed
@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("max_known", [None, 2])
def test_polish__as_many_moves_make_the_same_release_on_any_number_of_threads(
    pharmacy, keep, max_known
):
    table, sensitive = pharmacy
    model = wh.RhoUncertainty("0.5", sensitive, max_known=max_known)
    timed = lenient.anonymize(table, model, keep=keep, seed=3, polish=0.5)
    made = timed.options["polish_moves"]
    assert made > 0
    again = [
        lenient.anonymize(table, model, keep=keep, seed=3, polish_moves=made, jobs=jobs)
        for jobs in (1, 2)
    ]
    assert timed.data == again[0].data == again[1].data
    plain = lenient.anonymize(table, model, seed=3)
    assert timed.loss.removed < plain.loss.removed
    other = lenient.anonymize(table, model, keep=keep, seed=4, polish_moves=made)
    assert other.data != timed.data


def test_polish__gives_back_what_a_budget_took(pharmacy):
    table, sensitive = pharmacy
    model = wh.RhoUncertainty("0.5", sensitive)
    hasty = lenient.anonymize(table, model, seed=3, budget=1e-6)
    polished = lenient.anonymize(table, model, seed=3, budget=1e-6, polish_moves=200)
    assert hasty.loss.removed_sensitive == hasty.loss.total_sensitive
    assert polished.loss.removed < hasty.loss.removed / 2
    assert polished.verdict.status is wh.Status.HOLDS


@needs_speed
@pytest.mark.parametrize("keep", KEEPS)
def test_polish__of_records_with_groups_is_proved(pharmacy, keep):
    table, sensitive = pharmacy
    model = wh.RhoUncertainty("0.5", sensitive)
    groups = {"hierarchy": "fan-out:5", "cut": 1, "keep": keep, "seed": 3}
    plain = lenient.anonymize(table, model, **groups)
    polished = lenient.anonymize(table, model, **groups, polish_moves=300)
    assert polished.options["polish_moves"] == 300
    assert polished.options["groups"] == plain.options["groups"]
    assert polished.verdict.status is wh.Status.HOLDS
    assert polished.loss.removed <= plain.loss.removed


def test_polish__a_safe_table_needs_no_moves():
    model = wh.RhoUncertainty("0.5", ["e"])
    for keep in KEEPS:
        release = wh.anonymize([["a", "e"], ["a"]], model, keep=keep, polish=5.0)
        assert (release.loss.removed, release.options["polish_moves"]) == (0, 0)


def test_polish__records_too_long_for_it_are_left_to_restoring():
    # Together the two e break nothing that the shared items do not; a release keeps one of them.
    long = [f"i{n:02}" for n in range(30)]
    rows = [[*long, "e"], [*long, "e"], long, ["i00", "e"], ["i00"]]
    model = wh.RhoUncertainty("0.5", ["e"])
    for keep in KEEPS:
        release = wh.anonymize(rows, model, keep=keep, seed=1, polish_moves=50)
        removals = release.plan.removals(release.original)
        assert len(removals) == 1
        for record, item in removals:
            left = release.data.to_lists()
            left[record].append(item)
            assert wh.verify(left, model).status is wh.Status.BROKEN


@needs_speed
@pytest.mark.parametrize("keep", KEEPS)
def test_cli__the_internal_manifest_makes_a_polished_release_again(pharmacy, keep, tmp_path):
    table, sensitive = pharmacy
    write(table, tmp_path / "in.dat")

    def anonymized(out, *arguments):
        command = ["anonymize", tmp_path / "in.dat", "-o", tmp_path / out, "--quiet", *arguments]
        result = run(*command)
        assert result.exit_code == 0, result.output
        return (tmp_path / out).read_bytes()

    model = ["--rho", "0.5", "--sensitive", ",".join(sensitive), "--keep", keep, "--polish", "0.5"]
    first = anonymized("first.dat", *model)
    internal = tmp_path / "first.dat.internal.json"
    assert json.loads(internal.read_text())["policy"]["polish-moves"] > 0
    assert "polish" not in (tmp_path / "first.dat.manifest.json").read_text()
    assert anonymized("again.dat", "--policy", internal) == first
