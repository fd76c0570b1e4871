"""Releases side by side: the numbers, the renderings, and when two files do not belong together."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pytest

import withhold as wh
from typed import run
from withhold import registry
from withhold.errors import PolicyError
from withhold.report.side_by_side import comparison_as_dict, comparison_html, comparison_text
from withhold.telling.facts import Fact, Measured, MeasureRequest

SHOP = [["bread", "beer", "condom"], ["beer", "condom"], ["bread", "coffee"], ["coffee"]]
ONE_LESS = [["bread", "beer"], *SHOP[1:]]
MODEL = wh.RhoUncertainty("0.5", {"condom"})


def lines(rows):
    return "".join(" ".join(row) + "\n" for row in rows)


@pytest.fixture(autouse=True)
def compiled(monkeypatch):
    monkeypatch.setattr("withhold.counting.jit.before_compiling", lambda announce: None)


@pytest.fixture
def shop(tmp_path, monkeypatch):
    (tmp_path / "baskets.dat").write_text(lines(SHOP))
    (tmp_path / "less.dat").write_text(lines(ONE_LESS))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def value(comparison, path, column=0):
    return comparison.releases[column].measured.fact(path).value


def test_compare__counts_by_hand():
    found = wh.compare(SHOP, ONE_LESS, SHOP, sensitive={"condom"}, min_support="1")
    assert value(found, "occurrences.all.removed") == 1
    assert value(found, "occurrences.all.share") == pytest.approx(1 / 8)
    assert value(found, "occurrences.sensitive.share") == pytest.approx(1 / 2)
    assert value(found, "occurrences.others.share") == 0
    assert value(found, "occurrences.records_touched") == 1
    assert value(found, "rules.jaccard") < 1
    assert value(found, "occurrences.all.removed", 1) == 0
    assert value(found, "rules.jaccard", 1) == 1
    assert found.warnings == ()


def test_compare__takes_releases_and_knows_their_sensitive_items():
    release = wh.anonymize(SHOP, MODEL)
    found = wh.compare(SHOP, release)
    assert found.releases[0].name == "release 1"
    assert value(found, "occurrences.sensitive.share") == release.loss.sensitive_occurrences > 0


def test_compare__paths_stand_in_the_details():
    found = wh.compare(SHOP, ONE_LESS).releases[0].measured
    for fact in found.facts:
        there = found.details.as_dict()
        for step in fact.path.split("."):
            there = there[step]
        assert there == found.values()[fact.path]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([["bread", "beer", "wine"], *SHOP[1:]], "adds 1 occurrence "),
        (SHOP[:-1], "has 3 records, the original 4"),
        ([*SHOP, ["tea"]], "has 5 records"),
    ],
)
def test_compare__warns_of_what_does_not_belong_together(rows, said):
    (warning,) = [w for w in wh.compare(SHOP, rows).warnings if said in w]
    assert warning.startswith("release 1: ")


def test_compare__warns_of_other_record_ids():
    before = wh.Records.from_lists(SHOP, record_ids="abcd")
    after = wh.Records.from_lists(ONE_LESS, record_ids="abdc")
    (warning,) = wh.compare(before, after).warnings
    assert "record ids" in warning


def test_compare__needs_a_release():
    with pytest.raises(PolicyError, match="at least one release"):
        wh.compare(SHOP)


@pytest.mark.parametrize("queries", [0, -3])
def test_compare__needs_a_query(queries):
    with pytest.raises(PolicyError, match="queries must be a whole number of at least 1"):
        wh.compare(SHOP, ONE_LESS, queries=queries)


def test_compare__asks_all_releases_the_same_queries():
    one, other = wh.compare(SHOP, ONE_LESS, ONE_LESS, queries=7, seed=3).releases
    assert one.measured.details.queries == other.measured.details.queries
    assert one.measured.details.queries.queries == 7
    assert value(wh.compare(SHOP, SHOP), "queries.mean") == 0


def test_measured__asks_the_model_first_then_the_kind_of_data(monkeypatch):
    class Cells:
        def as_dict(self):
            return {"share": 0.5}

    def measure(original, published, asked):
        assert asked.sensitive == {"condom"}
        fact = Fact("share", "cells", 0.5, "share", "of all cells")
        return Measured((fact,), (), Cells(), ("share",))

    own = replace(registry.method_named("rho"), measure=measure)
    monkeypatch.setattr(registry, "_loaded", lambda room: own)
    release = wh.anonymize(SHOP, MODEL)
    found = wh.compare(SHOP, release)
    assert [fact.path for fact in found.releases[0].measured.facts] == ["share"]
    with pytest.raises(PolicyError, match="cannot be compared"):
        registry.measured(release.data, [], MeasureRequest())


def test_text__has_a_column_for_each_release():
    text = comparison_text(wh.compare(SHOP, ONE_LESS, SHOP, names=["less", "same"]))
    head = text.splitlines()[2].split()
    assert head == ["less", "same"]
    (row,) = [line for line in text.splitlines() if line.startswith("  withheld")]
    assert row.split() == ["withheld", "12.5%", "0%"]


def test_json__is_what_was_measured():
    found = wh.compare(SHOP, ONE_LESS)
    plain = json.loads(json.dumps(comparison_as_dict(found), allow_nan=False))
    (release,) = plain["releases"]
    assert release["facts"]["occurrences.all.removed"] == 1
    assert release["details"]["occurrences"]["all"]["removed"] == 1
    assert set(release["facts"]) == set(plain["meaning"])
    assert all(plain["meaning"].values())


def test_html__shows_warnings_and_escapes_names():
    found = wh.compare(SHOP, SHOP[:-1], names=["<script>alert(1)</script>"])
    page = comparison_html(found)
    assert "<script>" not in page
    assert "has 3 records" in page


def test_cli__prints_the_table_and_writes_the_page(shop):
    result = run("compare", "baskets.dat", "less.dat", "--sensitive", "condom", "--html", "c.html")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("Against baskets.dat")
    assert "50.0%" in result.stdout
    assert (shop / "c.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    again = run("compare", "baskets.dat", "less.dat", "--html", "c.html")
    assert again.exit_code == 2
    assert "c.html exists already" in again.stderr
    assert run("compare", "baskets.dat", "less.dat", "--html", "c.html", "--force").exit_code == 0
    (shop / "c.html").write_text("<!doctype html><p>mine")
    theirs = run("compare", "baskets.dat", "less.dat", "--html", "c.html", "--force")
    assert (theirs.exit_code, "is never replaced" in theirs.stderr) == (2, True)


@pytest.mark.parametrize("target", ["baskets.dat", "less.dat"])
def test_cli__never_writes_over_an_input(shop, target):
    result = run("compare", "baskets.dat", "less.dat", "--html", target, "--force")
    assert result.exit_code == 2
    assert "one of the inputs" in result.stderr
    assert (shop / "less.dat").read_text() == lines(ONE_LESS)


def test_cli__json_is_one_object_and_warnings_go_to_stderr(shop):
    (shop / "more.dat").write_text(lines([*SHOP, ["wine"]]))
    result = run("compare", "baskets.dat", "less.dat", "more.dat", "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert [release["name"] for release in found["releases"]] == ["less.dat", "more.dat"]
    assert "withhold: warning: more.dat: it has 5 records" in result.stderr


def test_cli__takes_the_sensitive_items_and_the_form_from_the_manifest(shop):
    made = run("anonymize", "baskets.dat", "--rho", "0.5", "--sensitive", "condom", "-o", "out.csv")
    assert made.exit_code == 0
    found = json.loads(run("compare", "baskets.dat", "out.csv", "--json").stdout)
    assert found["releases"][0]["facts"]["occurrences.sensitive.share"] > 0
    given = run("compare", "baskets.dat", "out.csv", "--sensitive", "coffee", "--json").stdout
    assert json.loads(given)["releases"][0]["facts"]["occurrences.sensitive.share"] == 0


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["nowhere.dat", "less.dat"], 3, "nowhere.dat: "),
        (["baskets.dat", "nowhere.dat"], 3, "nowhere.dat: "),
        (["baskets.dat"], 2, "Missing argument"),
        (["baskets.dat", "less.dat", "--min-support", "many"], 2, "support"),
        (["baskets.dat", "less.dat", "--min-confidence", "2"], 2, "confidence"),
        (["baskets.dat", "less.dat", "--html", "nowhere/c.html"], 3, "folder nowhere"),
    ],
)
def test_cli__mistakes_end_in_a_message(shop, arguments, code, said):
    before = sorted(os.listdir(shop))
    result = run("compare", *arguments)
    assert result.exit_code == code
    assert said in result.stderr
    assert sorted(os.listdir(shop)) == before
