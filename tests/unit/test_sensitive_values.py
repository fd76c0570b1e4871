"""Values of sensitive columns: spellings, slips and values that say nothing must not pass for diversity."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import withhold as wh
from typed import run
from withhold.data.sensitive_values import nearly_equal, says_nothing
from withhold.data.table import Column
from withhold.errors import InputError

COUGHS = ["cough", "flu", "asthma"]


def table(*values: str) -> wh.Table:
    """Three rows of 10115 with these values, and three of 20095 with three diagnoses."""
    rows = [("10115", value) for value in values] + [("20095", value) for value in COUGHS]
    return wh.Table(
        (Column.of("zip", [row[0] for row in rows]), Column.of("ill", [row[1] for row in rows]))
    )


def model(l: int | str | None = 3, **options: object) -> wh.KAnonymity:  # noqa: E741
    """Three rows and three diagnoses in each group."""
    return wh.KAnonymity(3, ["zip"], l=l, sensitive_column="ill", **options)


@pytest.mark.parametrize("verb", [wh.audit, wh.anonymize])
@pytest.mark.parametrize(
    ("values", "ways"),
    [
        (("HIV", "hiv", " Hiv"), "spaces,case"),
        (("HIV", "hiv", "gout"), "case"),
        (("HIV-test", "HIV test", "gout"), "punctuation"),
    ],
)
def test_spellings__of_one_value_stop(verb, values, ways):
    with pytest.raises(InputError, match="spellings of one sensitive value") as caught:
        verb(table(*values), model())
    assert "tidy='ill=" in str(caught.value)
    assert set(str(caught.value).split("tidy='ill=")[1].split("'")[0].split(",")) <= set(
        ways.split(",")
    )
    assert verb(table(*values), model(), allow_unknown=True)


def test_spellings__stop_for_every_requirement_and_only_where_values_count():
    rows = table("HIV", "hiv", "HIV")
    for asked in (model(None, t="0.9"), model(None, beta="5"), model("entropy:2")):
        with pytest.raises(InputError, match=r"'HIV' [(]2[)], 'hiv' [(]1[)]"):
            wh.audit(rows, asked)
    assert wh.anonymize(rows, wh.KAnonymity(3, ["zip"]), publish=["ill"])


def test_spellings__of_a_sensitive_attribute_of_people_stop(tmp_path):
    people = wh.read_people(
        table("HIV", "hiv", "HIV").to_polars().with_columns(items=wh_items(6)),
    )
    asked = wh.PeopleUncertainty(
        "0.9", {"pill"}, k=3, quasi_identifiers=["zip"], sensitive_column="ill"
    )
    with pytest.raises(InputError, match="spellings of one sensitive value"):
        wh.anonymize(people, asked)


def wh_items(rows: int) -> object:
    """A column of lists of items."""
    import polars as pl

    return pl.Series([["tea", "pill"] if row % 2 else ["tea"] for row in range(rows)])


def test_tidy__is_the_remedy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{zip_code},{ill}" for zip_code in (1, 2) for ill in ("HIV", "hiv", "flu", "gout")]
    Path("ill.csv").write_text("zip,ill\n" + "\n".join(lines) + "\n")
    asked = (
        "anonymize",
        "ill.csv",
        "--model",
        "k-anonymity",
        "--k",
        "3",
        "--quasi-identifiers",
        "zip",
    )
    asked += ("--sensitive-column", "ill", "--l", "3", "-o", "out.csv")
    done = run(*asked)
    assert (done.exit_code, "--tidy ill=case" in done.stderr) == (3, True), done.output
    assert not Path("out.csv").exists()
    assert run(*asked, "--tidy", "ill=case").exit_code == 0
    assert run(*asked, "--allow-unknown", "--force").exit_code == 0


def test_spellings__in_different_parts_stop(tmp_path):
    (tmp_path / "in").mkdir()
    for name, ill in (("a", "HIV"), ("b", "hiv")):
        lines = [f"{zip_code},{ill}" for zip_code in (1, 2, 3) for _ in range(4)]
        (tmp_path / "in" / f"{name}.csv").write_text("zip,ill\n" + "\n".join(lines) + "\n")
    asked = (tmp_path / "in", "--model", "k-anonymity", "--k", "3", "--quasi-identifiers", "zip")
    asked += ("--sensitive-column", "ill", "--l", "2")
    out = ("-o", tmp_path / "out", "--report")
    for words in (("anonymize", *asked, *out), ("audit", *asked)):
        done = run(*words)
        assert (done.exit_code, "'HIV' (12), 'hiv' (12)" in done.stderr) == (3, True), done.output
        assert "one spelling in the files; or say --allow-unknown" in done.stderr
        assert not [*tmp_path.glob("out/part-*"), *tmp_path.glob("out/manifest.json")]
    assert run("audit", *asked, "--allow-unknown").exit_code == 0
    assert run("anonymize", *asked, *out, "--allow-unknown", "--force").exit_code == 0
    assert (tmp_path / "out" / "report.html").exists()


def test_values_that_hardly_differ__are_told():
    release = wh.anonymize(table("HIV", "H.I.V.", "measles"), model())
    said = "values of ill that hardly differ count as different values: 'H.I.V.' and 'HIV'."
    assert any(warning.startswith(said) for warning in release.warnings)
    assert any(warning.startswith(said) for warning in wh.audit(release.data, model()).warnings)
    assert not wh.anonymize(table("HIV", "gout", "measles"), model()).warnings


def test_pairs__are_slips_or_punctuation_and_no_codes():
    values = ["measles", "measels", "H.I.V.", "HIV", "F32.1", "F32.2", "n/a", "N.A.", "mumps", ""]
    assert nearly_equal(Column.of("ill", values)) == [("H.I.V.", "HIV"), ("measels", "measles")]
    assert nearly_equal(Column.of("ill", ["HIV", "ＨＩＶ", "flú", "flu"])) == [
        ("HIV", "ＨＩＶ"),
        ("flu", "flú"),
    ]


@pytest.mark.parametrize("value", ["", "?", "-", "--", "k.A.", "n/a", "unknown", "Keine  Angabe"])
def test_values_that_say_nothing__are_told_if_they_make_a_group_diverse(value):
    assert says_nothing(value)
    (said,) = wh.anonymize(table("HIV", "gout", value), model()).warnings
    assert "1 of 2 groups has fewer than 3 others" in said
    assert repr(value) in said
    assert not wh.anonymize(table("HIV", "gout", value), model(2)).warnings


def test_values_that_say_nothing__are_no_others_however_many():
    (said,) = wh.anonymize(table("HIV", "", "k.A."), model()).warnings
    assert "has values that say nothing ('', 'k.A.') and count as values: 1 of 2 groups" in said
    (said,) = wh.anonymize(table("HIV", "", "k.A."), model("entropy:2.5")).warnings
    assert "fewer than 3 others" in said
    assert not any(map(says_nothing, ["none of these", "0", "no", "other", "K+", "healthy"]))


def test_warnings__are_in_the_internal_manifest_alone(tmp_path):
    wh.anonymize(table("HIV", "gout", ""), model()).write(tmp_path / "out.csv")
    assert (
        "say nothing" in json.loads((tmp_path / "out.csv.internal.json").read_text())["warnings"][0]
    )
    assert "say nothing" not in (tmp_path / "out.csv.manifest.json").read_text()
