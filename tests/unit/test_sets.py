"""Ranges and sets in cells: what may be asked, how files and frames have them, and who understands them."""

from __future__ import annotations

import json

import polars as pl
import pytest

import withhold as wh
from typed import run
from withhold.data import Table
from withhold.data.ranges import Range, read_cell
from withhold.errors import InputError, PolicyError
from withhold.methods.cells.loss import published_ncp, untrue_cells
from withhold.methods.cells.queries import table_query_errors
from withhold.methods.cells.set_columns import set_columns

PEOPLE = {
    "age": ["25", "27", "31", "33", "60", "62", "64", "66"],
    "job": ["clerk", "clerk", "cook", "cook", "nurse", "nurse", "clerk", "baker"],
    "city": ["Paris, Texas", "Rome", "Rome", "Paris, Texas", "Oslo", "Oslo", "Rome", "Rome"],
}
QUASI = ["age", "job", "city"]
TYPED = ["--model", "k-anonymity", "--k", "2", "--quasi-identifiers", ",".join(QUASI)]


def released(columns=PEOPLE, k=2, **options):
    table = Table.from_columns(columns)
    how = {"cells": "sets", "publish": "all", "seed": 1, **options}
    return wh.anonymize(table, wh.KAnonymity(k, list(columns)), **how)


def test_cells__show_ranges_and_sets():
    cells = {cell for column in released().data.columns for cell in column.values}
    assert {"[27..31]", "{clerk, cook}", "nurse", "Paris, Texas"} <= cells


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"hierarchy": {"age": "width:5"}}, "uses no hierarchies"),
        ({"search": "paper"}, "a search of its own"),
        ({"search": "patterns"}, "a search of its own"),
        ({"cost": "mar"}, "has no other cost"),
        ({"cost": "info"}, "has no other cost"),
        ({"cells": "star", "hierarchy": {"age": "width:5"}}, "uses no hierarchies"),
        ({"cells": "hierarchy"}, "needs hierarchies"),
        ({"cells": "set"}, "cells must be"),
        ({"cells": ""}, "cells must be"),
    ],
)
def test_options__that_do_not_fit_are_refused(options, words):
    with pytest.raises(PolicyError, match=words):
        released(**options)


def test_wildcard__is_refused():
    model = wh.KAnonymity(2, QUASI, missing="wildcard")
    with pytest.raises(PolicyError, match="leave missing='wildcard' out"):
        wh.anonymize(Table.from_columns(PEOPLE), model, cells="sets", publish="all")


def test_wildcard__of_a_release_lets_only_withheld_cells_fit_anything():
    table = Table.from_columns({"age": ["[1..2]", "[1..2]", "[1..3]", "[1..3]"]})
    assert wh.verify(table, wh.KAnonymity(2, ["age"], missing="wildcard"))
    assert not wh.verify(table, wh.KAnonymity(3, ["age"], missing="wildcard"))


def test_kinds_of_cells__that_are_the_default_change_nothing():
    table, model = Table.from_columns(PEOPLE), wh.KAnonymity(2, QUASI)
    how = {"publish": "all", "seed": 1}
    tree = {"age": "width:10"}
    stars = wh.anonymize(table, model, cells="star", **how)
    assert stars.data == wh.anonymize(table, model, **how).data
    nodes = wh.anonymize(table, model, cells="hierarchy", hierarchy=tree, **how)
    assert nodes.data == wh.anonymize(table, model, hierarchy=tree, **how).data


@pytest.mark.parametrize("value", ["[1..2]", "{a, b}", "[2020-01-01..2020-01-02]", "{x}"])
def test_value__that_reads_like_a_cell_is_refused(value):
    columns = {"a": ["x", "y", value, "z"], "b": ["1", "2", "3", "4"]}
    with pytest.raises(InputError, match="reads like a range or a set"):
        released(columns)


@pytest.mark.parametrize("value", ["[1-2]", "[a..b]", "{a", "[1..]", "{}", "{a,b}", "[x]", "1..2"])
def test_value__that_only_resembles_a_cell_is_a_value(value):
    assert read_cell(value) is None
    found = released({"a": ["x", "x", value, value]}, k=4)
    assert found.loss.withheld == 4


def test_mixed_column__is_one_of_categories():
    found = released({"n": ["1", "2", "tall", "7", "9", "11"]}, k=3)
    texts = [read_cell(cell) for cell in found.data.column("n").values if read_cell(cell)]
    assert texts
    assert all(isinstance(cell, frozenset) for cell in texts)


def test_numbers_and_dates__do_not_mix():
    column = set_columns(Table.from_columns({"n": ["1", "2020-01-01"]}), ["n"])[0]
    assert column.orders is None


def test_missing_values__are_in_no_range_and_no_set():
    n = {"n": ["1", "", "NA", "?", "5", "", None, "9"]}
    found = released(n, k=2)
    for was, now, gone in zip(
        n["n"], found.data.column("n").cells(), found.data.column("n").withheld, strict=True
    ):
        assert gone or now == was or was in read_cell(now)
    words = released({"w": ["a", "", None, "b", "", "c", "d", None]}, k=2).data.column("w")
    assert all("" not in (read_cell(cell) or ()) for cell in words.values if cell)


def test_dates_and_moments__become_ranges():
    times = [
        "2020-01-01 10:00:00",
        "2020-01-01 11:30:00",
        "2020-03-01 00:00:00",
        "2021-01-01 00:00:00",
    ]
    found = released({"at": times}, k=2).data.column("at").cells().tolist()
    assert found[0] == "[2020-01-01 10:00:00..2020-01-01 11:30:00]"
    assert times[1] in read_cell(found[0])


def test_everything__is_withheld_instead_of_written_out():
    found = released({"n": ["1", "2", "3"], "w": ["a", "b", "c"]}, k=3)
    assert found.loss.withheld == 6
    assert found.loss.ncp == 1.0


def test_many_categories__share_slots_and_stay_true():
    values = [f"v{number:04}" for number in range(700)]
    found = released({"w": values}, k=7)
    cells = found.data.column("w").cells().tolist()
    assert all(was in read_cell(now) for was, now in zip(values, cells, strict=True))
    assert found.loss.smallest_group >= 7
    assert found.loss.ncp < 0.02


def test_withheld_cells__of_before_stay_withheld_and_hide_what_joins_them():
    table = Table.from_columns({"n": ["1", "2", "x", "x", "x"]})
    table = table.with_columns([table.column("n").with_withheld("x")])
    found = wh.anonymize(table, wh.KAnonymity(3, ["n"]), cells="sets", publish="all", seed=1)
    assert found.data.column("n").withheld.all()
    assert found.loss.withheld == 2


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_files__verify_audit_and_compare(ending, tmp_path):
    source, out = tmp_path / "people.csv", tmp_path / f"out.{ending}"
    pl.DataFrame(PEOPLE).write_csv(source)
    how = ["--cells", "sets", "--publish", "all", "--seed", "1"]
    made = run("anonymize", str(source), *TYPED, *how, "-o", str(out), "--json")
    assert made.exit_code == 0, made.output
    assert run("verify", str(out)).exit_code == 0
    assert run("verify", str(out), *TYPED).exit_code == 0
    assert run("audit", str(out), *TYPED, "--publish", "all").exit_code == 0
    compared = run("compare", str(source), str(out), "--json")
    lost = json.loads(compared.stdout)["releases"][0]["facts"]["loss.ncp"]
    assert lost == pytest.approx(released().loss.ncp)
    manifest = json.loads((tmp_path / f"out.{ending}.manifest.json").read_text())
    assert manifest["cells"]["columns"] == {"age": "ranges", "job": "sets"}
    internal = json.loads((tmp_path / f"out.{ending}.internal.json").read_text())
    assert internal["policy"]["cells"] == "sets"
    assert "cost" not in internal["policy"]


def test_policy__of_a_release_makes_it_again(tmp_path):
    release = released()
    release.write(tmp_path / "out.csv")
    pl.DataFrame(PEOPLE).write_csv(tmp_path / "people.csv")
    again = run(
        *("anonymize", tmp_path / "people.csv", "-o", tmp_path / "again.csv"),
        *("--policy", tmp_path / "out.csv.internal.json"),
    )
    assert again.exit_code == 0, again.output
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()


def test_sweep__over_kinds_of_cells():
    model = wh.KAnonymity(2, QUASI)
    found = wh.sweep(
        Table.from_columns(PEOPLE), model, vary={"cells": ["star", "sets"]}, publish="all", seed=1
    )
    lost = [point.fact("loss.ncp").value for point in found.points]
    assert lost[1] < lost[0]


def test_compare__says_which_ranges_are_not_true():
    before = Table.from_columns({"n": ["1", "5", "9"]})
    after = Table.from_columns({"n": ["[1..5]", "[1..4]", "9"]})
    assert untrue_cells(before.column("n"), after.column("n")) == 1
    assert published_ncp(before, after, ["n"]) == pytest.approx((4 / 8 + 3 / 8) / 3)
    other = Table.from_columns({"n": ["low", "low", "9"]})
    assert published_ncp(before, other, ["n"]) is None
    assert untrue_cells(before.column("n"), other.column("n")) == 0


def test_queries__take_every_value_in_a_range_for_as_likely():
    before = Table.from_columns({"n": ["1", "1", "5", "9"]})
    after = Table.from_columns({"n": ["[1..9]", "[1..9]", "5", "9"]})
    # Both rows were 1, but nobody can know: they are 1, 5 or 9.
    assert table_query_errors(before, after, ["n"], queries=50, seed=1).mean > 0
    assert table_query_errors(before, before, ["n"], queries=50, seed=1).mean == 0


def test_population__counts_those_inside(tmp_path):
    pl.DataFrame({"age": ["25", "26", "30", "61", "99"], "job": ["clerk"] * 5}).write_csv(
        tmp_path / "everybody.csv"
    )
    shown = {"age": ["[25..30]", "[25..30]", "[60..64]"], "job": ["{clerk, cook}"] * 2 + ["nurse"]}
    found = wh.audit(
        Table.from_columns(shown),
        wh.KAnonymity(2, ["age", "job"]),
        population=str(tmp_path / "everybody.csv"),
    )
    assert found.risks is not None
    assert found.risks.journalist.highest == pytest.approx(1.0)
    text = json.dumps(found.as_dict()["risks"])
    assert '"missing": 1' in text


def test_read_cell__is_public():
    assert wh.read_cell("[25..34]") == Range("25", "34")
    assert wh.read_cell('{"Paris, Texas", Rome}') == {"Paris, Texas", "Rome"}
    assert wh.read_cell("Rome") is None
    assert "30" in wh.read_cell("[25..34]")
