"""What holds already is published as it came, whatever the model and the options."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from test_bucket_groups import rows_lists, trees
from test_suppression import options
from test_table_release import TREE, rows, table_of

import lenient
import oracle
import withhold as wh
from asking import personal
from tables import ITEMS, examples, limits, needs_speed, problems
from typed import run
from withhold.data import Constraints
from withhold.errors import ImpossibleError, InputError

SAMPLED = {"max_known": 2, "epsilon": "0.2", "delta": "0.2"}


def assert_as_it_came(release):
    assert release.options["already_held"]
    assert len(release.plan) == 0
    assert release.verdict.status.may_be_published
    assert [set(row) for row in release.data.to_lists()] == [
        set(row) for row in release.original.to_lists()
    ]


@examples(600)
@given(problems(), limits, options)
def test_rho__a_safe_table_is_published_as_it_came(problem, limits, options):
    rows, sensitive, rho = problem
    assume(options["parts"] is None or options["parts"] <= len(rows))
    model = wh.RhoUncertainty(rho, sensitive, **limits)
    release = lenient.anonymize(rows, model, jobs=1, **options)
    assert release.options["already_held"] == oracle.is_safe(rows, sensitive, rho, **limits)
    assert_as_it_came(lenient.anonymize(release.data, model, jobs=1, **options))


@pytest.mark.parametrize("limits", [{}, {"max_known": 1}, SAMPLED, {**SAMPLED, "test": "paper"}])
@examples(60)
@given(problems(), st.data())
def test_personal_rho__a_safe_table_is_published_as_it_came(limits, problem, data):
    rows, _, rho = problem
    drawn = data.draw(st.lists(st.frozensets(st.sampled_from(ITEMS)), min_size=len(rows)))
    wishes = dict(enumerate(drawn[: len(rows)]))
    table = wh.read(rows)
    model = personal(rho, Constraints.of(wishes, table), **limits)
    exact = personal(rho, model.constraints, max_known=limits.get("max_known"), originals=table)
    release = lenient.anonymize(table, model, jobs=1)
    if lenient.verify(table, exact):
        assert_as_it_came(release)
    if not model.is_sampled:
        assert_as_it_came(lenient.anonymize(release.data, model, jobs=1))


@pytest.mark.parametrize("restoring", [True, False])
@pytest.mark.parametrize("keep", ["itemsets", "items", "best"])
@examples(60)
@given(problem=problems(), k=st.integers(1, 4), p=st.one_of(st.none(), st.integers(1, 3)))
def test_coherence__a_safe_table_is_published_as_it_came(keep, restoring, problem, k, p):
    rows, private, h = problem
    model = wh.Coherence(h, k, p, private) if k > 1 else wh.KmAnonymity(2, p or 2)
    options = {"keep": keep, "restoring": restoring, "jobs": 1}
    try:
        release = lenient.anonymize(rows, model, **options)
    except ImpossibleError:
        return
    assert_as_it_came(lenient.anonymize(release.data, model, **options))


@examples(100)
@given(rows_lists, trees(), st.integers(2, 4), st.booleans())
def test_buckets__sets_that_are_frequent_enough_are_published_as_they_came(rows, tree, k, truthful):
    assume(len(rows) >= k)
    options = {"hierarchy": tree, "fill": "none" if truthful else "hash"}
    release = lenient.anonymize(rows, wh.Buckets(k), **options)
    # Items of the first release may be inner nodes of the tree.
    again = lenient.anonymize(release.data, wh.Buckets(k), **options)
    assert_as_it_came(again)
    assert again.loss.information_loss == 0
    assert (again.loss.generalised, again.loss.withheld, again.loss.added) == (0, 0, 0)


@examples(100)
@given(rows, st.integers(2, 4), st.booleans(), st.sampled_from([None, 2]))
def test_k_anonymity__a_safe_table_is_published_as_it_came(drawn, k, with_tree, diversity):
    options = {"hierarchy": {"p": TREE, "r": TREE}} if with_tree else {}
    options["publish"] = "all"
    column = "secret" if diversity else None
    model = wh.KAnonymity(k, ["p", "q", "r"], l=diversity, sensitive_column=column)
    try:
        release = lenient.anonymize(table_of(drawn), model, **options)
    except ImpossibleError:
        return
    # Cells of the first release may be inner nodes of the tree.
    again = lenient.anonymize(release.data, model, **options)
    assert again.options["already_held"]
    assert len(again.plan) == 0
    for name in ("p", "q", "r"):
        assert (again.data.column(name).codes == release.data.column(name).codes).all()


def test_k_anonymity__a_tree_that_does_not_fit_is_refused_even_so():
    table = wh.Table.from_columns({"p": ["z", "z"]})
    with pytest.raises(InputError, match="lacks"):
        lenient.anonymize(table, wh.KAnonymity(2, ["p"]), hierarchy={"p": TREE})


def test_buckets__a_tree_that_does_not_fit_is_refused_even_so():
    with pytest.raises(InputError, match="lacks"):
        lenient.anonymize([["z"], ["z"]], wh.Buckets(2), hierarchy=TREE)


@needs_speed
@pytest.mark.data
@pytest.mark.parametrize("budget", [None, 60.0])
def test_real_file__loses_nothing_when_it_is_made_safe_again(real_data, budget):
    table = wh.read(real_data / "bms-webview-1.dat.gz")
    sensitive = (real_data / "bms-webview-1-sensitive.txt").read_text().split()
    model = wh.RhoUncertainty("0.7", sensitive)
    again = lenient.anonymize(lenient.anonymize(table, model).data, model, budget=budget)
    assert again.loss.removed == 0
    assert again.options["already_held"]


def test_command_line__says_that_nothing_was_withheld(tmp_path):
    (tmp_path / "data.dat").write_text("beer condom\nbeer\n")
    arguments = ["anonymize", str(tmp_path / "data.dat"), "--rho", "0.5", "--sensitive", "condom"]
    target = str(tmp_path / "out.dat")
    said = run(*arguments, "-o", target)
    assert (said.exit_code, "Already holds; nothing was withheld." in said.output) == (0, True)
    assert (tmp_path / "out.dat").read_text() == "beer condom\nbeer\n"
    internal = json.loads((tmp_path / "out.dat.internal.json").read_text())
    assert internal["options"]["already_held"]
    said = run(*arguments, "-o", target, "--force", "--json")
    assert json.loads(said.stdout)["options"]["already_held"]
