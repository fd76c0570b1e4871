"""What can be asked of sensitive columns, how it is refused, what manifests hold, and what is warned of."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest

import withhold as wh
from typed import run
from withhold.data.grouping import groups_of
from withhold.errors import ImpossibleError, InputError, PolicyError
from withhold.methods.cells.disclosure import alike_groups
from withhold.methods.cells.requirements import entropy_is_at_least
from withhold.publish.recheck import promises_less
from withhold.registry import model_from

ASKED = {"sensitive_column": "sick"}
TABLE = wh.Table.from_columns(
    {
        "age": ["30", "30", "31", "31", "40", "40", "41", "41"],
        "sick": ["flu", "flu", "cold", "cold", "flu", "cold", "flu", "cold"],
        "days": ["1", "1", "2", "2", "10", "30", "10", "30"],
    }
)


def model(k=2, **options):
    return wh.KAnonymity(k, ["age"], **options)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            {"l": "entrpy:3", **ASKED},
            "l must be a whole number of at least 2, entropy:L or recursive:C:L",
        ),
        ({"l": 1, **ASKED}, "l must be a whole number of at least 2"),
        ({"l": "", **ASKED}, "l must be a whole number of at least 2"),
        ({"l": "entropy:", **ASKED}, "l must be a number"),
        ({"l": "entropy:1", **ASKED}, "unless L is above 1"),
        ({"l": "recursive:0:2", **ASKED}, "must be above 0"),
        ({"l": "recursive:2:1", **ASKED}, "l must be a whole number of at least 2"),
        ({"l": 2.5, **ASKED}, "l must be"),
        ({"t": "1", **ASKED}, "t must lie strictly between 0 and 1"),
        ({"t": "much", **ASKED}, "t must be a number"),
        ({"beta": 0, **ASKED}, "beta must be above 0"),
        ({"beta": "x", **ASKED}, "beta must be a number"),
        ({"t": "0.3"}, "t needs a sensitive column"),
        ({"beta": 1}, "beta needs a sensitive column"),
        (ASKED, "protected by l, t or beta only"),
        ({"l": 2, "sensitive_column": ["sick", "age"]}, "cannot be a quasi-identifier"),
        ({"l": 2, **ASKED, "ordered": ["sick"]}, "matters to t only"),
        ({"t": "0.3", **ASKED, "ordered": ["days"]}, "is not a sensitive column"),
        ({"t": "0.3", **ASKED, "ordered": "sick"}, "ordered must be"),
        ({"missing": "joker"}, "missing must be value or wildcard"),
    ],
)
def test_model__refuses_what_makes_no_sense(options, says):
    with pytest.raises(PolicyError, match=says):
        model(**options)


def test_model__asks_every_requirement_of_every_column():
    asked = model(
        l="recursive:1.5:2", t=0.3, beta=1, sensitive_column=["sick", "days"], ordered=["days"]
    )
    assert (asked.l, asked.t, asked.beta) == ("recursive:1.5:2", Fraction(3, 10), Fraction(1))
    assert asked.promise() == (
        "Whoever knows a person's age finds no row, or at least 2 rows that fit equally well, in which each "
        "of sick and days has no value in 1.5 times as many rows as all values but the most frequent one "
        "together, "
        "frequencies within 0.3 of those of the whole table and no value more than 2 times as frequent as in "
        "the whole table."
    )
    assert model_from(json.loads(json.dumps(asked.parameters()))) == asked
    assert model(label="sick", l=2).sensitive_column == ("sick",)


def test_wildcard__says_what_it_does_not_promise():
    assert model(missing="wildcard", l=2, **ASKED).promise() == (
        "Every row agrees with at least 2 rows in age, if a withheld cell agrees with anything, and in all "
        "rows with the same cells sick has at least 2 different values; whoever knows what was withheld of a "
        "person may find fewer."
    )


def test_manifest__of_before_these_options_means_what_it_did():
    old = {
        "model": "k-anonymity",
        "k": 5,
        "quasi_identifiers": ["age"],
        "label": "sick",
        "l": 2,
        "sensitive_column": "sick",
    }
    assert model_from(old) == model(5, label="sick", l=2)
    without = {**old, "l": None, "sensitive_column": None}
    assert model_from(without) == model(5, label="sick")
    with pytest.raises(PolicyError, match=r"model\.l is missing"):
        model_from({name: value for name, value in old.items() if name != "l"})


@pytest.mark.parametrize(
    ("offered", "asked"),
    [
        ({"l": 2}, {"l": 3}),
        ({"l": 5}, {"l": "entropy:2"}),
        ({"l": "entropy:2"}, {"l": "entropy:2.5"}),
        ({"l": "entropy:2"}, {"l": 3}),
        ({"l": "recursive:2:2"}, {"l": "recursive:1:2"}),
        ({"l": "recursive:1:2"}, {"l": "recursive:1:3"}),
        ({"l": "recursive:1:2"}, {"l": "entropy:2"}),
        ({"t": "0.4"}, {"t": "0.3"}),
        ({"l": 2}, {"l": 2, "t": "0.3"}),
        ({"beta": 2}, {"beta": 1}),
        ({"t": "0.3", "ordered": ["sick"]}, {"t": "0.3"}),
        ({"l": 2, "missing": "wildcard"}, {"l": 2}),
        ({"l": 2}, {"l": 2, "sensitive_column": ["sick", "days"]}),
    ],
)
def test_promises_less(offered, asked):
    mine, theirs = (model(**{**ASKED, **options}) for options in (offered, asked))
    assert promises_less(mine, theirs)
    assert not promises_less(theirs, theirs)


@pytest.mark.parametrize(
    ("offered", "asked"),
    [
        ({"l": "entropy:3"}, {"l": 3}),
        ({"l": "recursive:2:3"}, {"l": 3}),
        ({"t": "0.2"}, {"t": "0.3", "ordered": ["sick"]}),
        ({"l": 2, "beta": 1}, {"l": 2}),
        ({"l": 2}, {"l": 2, "missing": "wildcard"}),
    ],
)
def test_promises_as_much(offered, asked):
    assert not promises_less(*(model(**{**ASKED, **options}) for options in (offered, asked)))


def test_impossible__is_said_at_once_with_the_remedy():
    with pytest.raises(
        ImpossibleError, match=r"2\.00 equally frequent ones \(3 needed\).*smaller l"
    ):
        wh.anonymize(TABLE, model(l="entropy:3", **ASKED), publish="all")
    release = wh.anonymize(TABLE, model(l="entropy:2", **ASKED), publish="all")
    assert release.verdict, "a table that is exactly as even as asked for is even enough"


def test_ordered__needs_an_order():
    with pytest.raises(InputError, match="row 3 holds no number or range") as raised:
        wh.verify(TABLE, model(t="0.3", ordered=["sick"], **ASKED))
    assert "flu" not in str(raised.value), "sensitive values are not printed"


def test_ordered__a_near_value_counts_less_than_a_far_one():
    asked = {"sensitive_column": "days", "t": "0.6"}
    assert wh.verify(TABLE, model(**asked)).witness.lacks.startswith("days has frequencies 0.750")
    assert wh.verify(TABLE, model(**asked, ordered=["days"]))


@pytest.mark.parametrize(("l", "holds"), [("recursive:1:2", False), ("recursive:1.001:2", True)])
def test_recursive__must_be_fewer_not_as_many(l, holds):  # noqa: E741
    table = wh.Table.from_columns({"age": ["30"] * 4, "sick": ["flu", "flu", "cold", "cold"]})
    assert bool(wh.verify(table, model(l=l, **ASKED))) is holds


def test_entropy__is_decided_by_whole_numbers_where_logarithms_cannot():
    many = 10**7
    assert entropy_is_at_least([4 * many, many, many, many, many], Fraction(4))
    assert not entropy_is_at_least([4 * many + 1, many, many, many, many], Fraction(4))
    assert not entropy_is_at_least([501, 499], Fraction(2))
    assert entropy_is_at_least([500, 500], Fraction(2))


def test_label__is_given_away_by_groups_of_one_label(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    TABLE.to_polars().write_csv("in.csv")
    typed = ["in.csv", "--model", "k-anonymity", "--k", "2", "--quasi-identifiers", "age"]
    typed += ["--publish", "all"]
    says = "4 of 8 rows (50.0%) are in groups with a single sick"
    told = run("audit", *typed, "--label", "sick")
    assert f"WARNING  {says}" in told.output
    assert "--l 2 or --t 0.3" in told.output
    plain = json.loads(run("audit", *typed, "--label", "sick", "--json").stdout)
    assert plain["one_label_rows"] == 4
    assert says in plain["warnings"][0]
    made = run("anonymize", *typed, "--label", "sick", "-o", "out.csv", "--json", "--report")
    assert f"warning: {says}" in made.stderr
    assert says in json.loads(made.stdout)["warnings"][0]
    assert says in (tmp_path / "out.csv.report.html").read_text()
    for protected in ([], ["--label", "sick", "--l", "2"], ["--label", "sick", "--t", "0.3"]):
        assert "WARNING" not in run("audit", *typed, *protected).output


def test_command_line__takes_several_columns_and_verifies_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    TABLE.to_polars().write_csv("in.csv")
    typed = ["in.csv", "--model", "k-anonymity", "--k", "2", "--quasi-identifiers", "age"]
    typed += ["--sensitive-column", "sick,days", "--l", "entropy:2", "--t", "0.5", "--beta", "3"]
    made = run("anonymize", *typed, "--ordered", "days", "-o", "out.csv", "--json", "--seed", "1")
    assert made.exit_code == 0, made.output
    assert json.loads(made.stdout)["column_roles"] == {
        "age": "quasi-identifier",
        "sick": "sensitive",
        "days": "sensitive",
    }
    again = run("verify", "out.csv", "--json")
    assert json.loads(again.stdout)["verdict"] == "HOLDS"
    policy = run(
        "anonymize", "in.csv", "--policy", "out.csv.internal.json", "-o", "again.csv", "--json"
    )
    assert policy.exit_code == 0, policy.output
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "again.csv").read_bytes()
    wrong = run("audit", "in.csv", "--rho", "0.5", "--sensitive", "a", "--t", "0.3")
    assert wrong.exit_code == 2
    assert "--t belongs to k-anonymity" in wrong.output
    assert "add --model k-anonymity" in wrong.output


KINDS = ("flu", "cold", "HIV", "asthma")
WARDS = wh.Table.from_columns(
    {
        "ward": [f"w{n // 10}" for n in range(200)],
        "sick": [KINDS[2 if n < 30 else n % 4] for n in range(200)],
        "paid": [("yes", "no", "yes")[n % 3] for n in range(200)],
    }
)


def test_published_column__of_which_groups_have_the_usual_value_is_not_warned_about():
    """What half of all rows have says little of anybody."""
    answers = ["no" if n < 110 else ("yes", "perhaps", "later")[n % 3] for n in range(200)]
    table = wh.Table.from_columns({"ward": WARDS.column("ward").cells(), "paid": answers})
    release = wh.anonymize(table, wh.KAnonymity(5, ["ward"]))
    assert not any("everybody" in warning for warning in release.warnings)


def test_published_column__that_groups_give_away_is_warned_about(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    WARDS.to_polars().write_csv("in.csv")
    typed = ("in.csv", "--model", "k-anonymity", "--k", "5", "--quasi-identifiers", "ward")
    says = "in 3 groups of 30 rows everybody has the same sick"
    told = run("audit", *typed)
    assert f"WARNING  {says}" in told.output
    assert "--sensitive-column sick with --l 2" in told.output
    assert says in json.loads(run("audit", *typed, "--json").stdout)["warnings"][0]
    made = run("anonymize", *typed, "-o", "out.csv", "--json", "--report")
    assert f"warning: {says}" in made.stderr
    assert says in (tmp_path / "out.csv.report.html").read_text()
    protected = (*typed, "--sensitive-column", "sick", "--l", "2", "-o", "safe.csv")
    assert "everybody has" not in run("anonymize", *protected).output
    # Groups smaller than k are for k to see to.
    assert "everybody has" not in run("audit", *typed[:4], "11", *typed[5:]).output


def test_published_column__whose_groups_are_alike_by_chance_or_in_what_most_have_is_not():
    sick = [KINDS[n * 7919 % 211 % 4] for n in range(200)]
    sick[:5] = ["flu"] * 5
    table = wh.Table.from_columns(
        {
            "ward": [f"w{n // 5}" for n in range(200)],
            "sick": sick,
            "well": ["no" if n < 80 else ("yes", "no")[n % 2] for n in range(200)],
            "note": ["" if n < 80 else f"{n % 3}" for n in range(200)],
        }
    )
    groups = groups_of(table, ["ward"])
    assert not alike_groups(table, wh.KAnonymity(5, ["ward"]), groups)


def test_advise__offers_diversity_of_a_diagnosis_and_of_what_groups_give_away():
    table = wh.Table((*WARDS.columns, replace(WARDS.column("paid"), name="Diagnosis")))
    found = wh.advise(table, quasi_identifiers=["ward"])
    offered = [each.command for each in found.choices if "--sensitive-column" in each.command]
    assert [command.partition("column ")[2].split()[:3] for command in offered] == [
        ["sick", "--l", "2"],
        ["Diagnosis", "--l", "2"],
    ]
    assert all(each.cost is not None for each in found.choices if "2 values" in each.promise)


def test_beta__that_no_group_can_exceed_is_warned_of():
    # Of 40 rows 10 have the rarest value: a group of these has it 4 times as often as the table.
    table = wh.Table.from_columns(
        {"age": [str(20 + i // 4) for i in range(40)], "sick": ["flu", "flu", "cold", "flu"] * 10}
    )
    for beta, warned in (("3", True), ("2.9", False), (100, True)):
        release = wh.anonymize(table, model(beta=beta, **ASKED))
        told = [text for text in release.warnings if "promises nothing about sick" in text]
        assert bool(told) == warned
        assert all("more than 4.0 times as frequent as in the table" in text for text in told)
    # Of a value with fewer than k rows a group has other rows, too.
    release = wh.anonymize(table, model(k=20, beta=1, **ASKED), publish=["sick"])
    assert any(text.startswith("beta 1 promises nothing") for text in release.warnings)
