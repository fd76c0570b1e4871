"""Tables: reading, writing, preparing, the whole road, and bad input."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import typed
import withhold as wh
from withhold.data import Table
from withhold.data.identifying import determining_columns, looks_identifying
from withhold.data.table import Column
from withhold.errors import ImpossibleError, InputError, PolicyError
from withhold.formats.table import (
    as_written_table,
    read_table_back,
    table_form,
    write_table,
)
from withhold.methods.cells.utility import measure_table

CSV = "age,zip,sex,label,note\n" + "".join(
    f"{20 + i % 7},{i % 3:05d},{'fm'[i % 2]},{'yn'[i % 5 > 2]},n{i}\n" for i in range(40)
)
COLUMNS = ["age", "zip", "sex"]
MODEL = wh.KAnonymity(4, COLUMNS, label="label")


@pytest.fixture
def people(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "people.csv"
    path.write_text(CSV)
    return path


def run(*arguments):
    return typed.run(*typed.last_wins(arguments))


def options(k=4, publish=("--publish", "note")):
    return (
        *publish,
        "--model",
        "k-anonymity",
        "--k",
        k,
        "--quasi-identifiers",
        "age,zip,sex",
        "--label",
        "label",
    )


def with_withheld(table: Table, name: str) -> Table:
    column = table.column(name)
    codes = column.codes.copy()
    codes[::3] = -1
    return table.with_columns([Column(name, codes, column.values, column.kind)])


@pytest.mark.parametrize(
    "name", ["o.csv", "o.tsv", "o.csv.gz", "o.jsonl", "o.jsonl.zst", "o.parquet"]
)
@pytest.mark.parametrize("mark", [None, "*"])
def test_roundtrip__keeps_cells_and_what_is_withheld(people, tmp_path, name, mark):
    table = with_withheld(wh.read_table(people), "zip")
    form = write_table(table, tmp_path / name, table_form(name, table.source, mark))
    assert read_table_back(tmp_path / name, form) == table
    assert wh.read_table(tmp_path / name) != table  # without the form, a mark is a value


def test_leading_zeros_and_odd_cells__survive(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('zip;"na;me"\n007;"x\ny"\n;" z"\n7;"q""r"\n')
    table = wh.read_table(path)
    assert table.rows() == [("007", "x\ny"), ("", "z"), ("7", 'q"r')]
    form = write_table(table, tmp_path / "b.csv", table_form("b.csv", table.source))
    assert form.separator == ";"
    assert read_table_back(tmp_path / "b.csv", form) == table


def test_frames__of_every_make():
    plain = {"a": ["1", None, "3"], "b": ["x", "", "y"]}
    for frame in (pl.DataFrame(plain), pa.table(plain)):
        assert wh.read_table(frame).rows() == [("1", "x"), (None, ""), ("3", "y")]
    rows = wh.read_table(pd.DataFrame({"a": [1, 2], "b": ["x", None]})).rows()
    assert rows == [("1", "x"), ("2", None)]


def test_parquet__keeps_kinds(tmp_path):
    frame = pl.DataFrame({"age": [30, 31, None], "yes": [True, False, True], "x": [1.5, 2.0, 3.25]})
    table = wh.read_table(frame)
    write_table(table, tmp_path / "a.parquet", table_form("a.parquet"))
    assert pl.read_parquet(tmp_path / "a.parquet").equals(frame)


def test_jsonl__keeps_spelling_and_refuses_two_kinds(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1.10, "b": true}\n{"a": 2}\n')
    table = wh.read_table(path)
    assert table.rows() == [("1.10", "true"), ("2", None)]
    write_table(table, tmp_path / "b.jsonl", table_form("b.jsonl"))
    assert (tmp_path / "b.jsonl").read_text() == '{"a": 1.10, "b": true}\n{"a": 2, "b": null}\n'
    path.write_text('{"a": 1}\n{"a": "1"}\n')
    with pytest.raises(InputError, match="texts in some rows and numbers"):
        wh.read_table(path)


def test_blanks__must_be_told_from_withheld_cells(tmp_path):
    table = Table.from_columns({"a": ["x", "", "y", ""], "b": ["1", "2", "3", "4"]})
    release = wh.anonymize(table, wh.KAnonymity(2, ["a", "b"]))
    assert release.data.column("b").withheld.any()
    withheld = with_withheld(table, "a")
    with pytest.raises(PolicyError, match="column 'a' has blanks of its own"):
        write_table(withheld, tmp_path / "o.csv", table_form("o.csv"))
    # Parquet and JSON tell null from an empty text.
    form = write_table(withheld, tmp_path / "o.parquet", table_form("o.parquet"))
    assert read_table_back(tmp_path / "o.parquet", form) == withheld
    with pytest.raises(PolicyError, match="the value 'y'"):
        write_table(withheld, tmp_path / "o.csv", table_form("o.csv", None, "y"))
    form = write_table(withheld, tmp_path / "o.csv", table_form("o.csv", None, "*"))
    assert read_table_back(tmp_path / "o.csv", form) == as_written_table(withheld, form)


def test_bins__are_exact_and_on_request_only():
    table = Table.from_columns({"n": ["-1", "0", "4", "5", "17", ""]})
    binned = wh.read_table(table, bins={"n": 5})
    assert [row[0] for row in binned.rows()] == ["-5..-1", "0-4", "0-4", "5-9", "15-19", ""]
    assert binned.binned == ("n=5",)
    edges = wh.read_table(table, bins=["n=0,5"])
    assert [row[0] for row in edges.rows()] == ["below 0", "0-4", "0-4", *["5 or more"] * 2, ""]
    tenths = wh.read_table(Table.from_columns({"n": ["0.3", "0.29"]}), bins=["n=0.1"])
    assert [row[0] for row in tenths.rows()] == ["[0.3,0.4)", "[0.2,0.3)"]
    with pytest.raises(InputError, match="row 2 holds no number"):
        wh.read_table(Table.from_columns({"n": ["1", "x"]}), bins=["n=5"])
    for bad in ("n", "n=", "n=0", "n=5,3", "m=5"):
        with pytest.raises((PolicyError, InputError)):
            wh.read_table(table, bins=[bad])


def test_looks_identifying__names_the_columns():
    n = 60
    table = Table.from_columns(
        {
            "contact": [f"p{i}@x.org" for i in range(n)],
            "person": [f"Ann B{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(n)],
            "ssn": [f"{i:09d}" for i in range(n)],
            "code": [f"c{i}" for i in range(n)],
            "job": ["Private Sector"] * n,
            "age": [str(20 + i % 30) for i in range(n)],
        }
    )
    assert set(looks_identifying(table, table.names)) == {"contact", "person", "ssn", "code"}


def test_road__from_file_to_proof(people):
    done = run(
        "anonymize",
        people,
        *options(publish=()),
        "--drop",
        "note",
        "-o",
        "out.csv",
        "--cost",
        "ham",
    )
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("HOLDS")
    manifest = json.loads(Path("out.csv.manifest.json").read_text())
    assert "note" not in json.dumps(manifest)
    internal = json.loads(Path("out.csv.internal.json").read_text())
    assert internal["input"]["dropped_columns"] == ["note"]
    assert manifest["model"]["quasi_identifiers"] == COLUMNS
    published = wh.read_table("out.csv")
    assert published.names == ("age", "zip", "sex", "label")
    assert published.column("label").cells().tolist() == (
        wh.read_table(people).column("label").cells().tolist()
    )
    assert run("verify", "out.csv").exit_code == 0
    lines = Path("out.csv").read_text().splitlines()
    Path("out.csv").write_text("\n".join([*lines[:-1], "99,99,f,y"]) + "\n")
    changed = run("verify", "out.csv")
    assert changed.exit_code == 1
    assert "CHANGED" in changed.stdout
    assert "BROKEN" in changed.stdout


def test_road__publishes_what_it_is_told_to(people):
    done = run("anonymize", people, *options(), "-o", "out.parquet", "--report")
    assert done.exit_code == 0
    assert "published as they are: note" in done.stderr
    assert Path("out.parquet.report.html").exists()
    side = run("compare", people, "out.parquet")
    assert side.exit_code == 0
    assert "naive Bayes wrong, release" in side.stdout


def test_audit__says_both_readings(people):
    found = json.loads(run("audit", people, *options(), "--json").stdout)
    assert (found["verdict"], found["k"], found["rows"]) == ("BROKEN", 1, 40)
    assert found["known_columns"][-1]["known"] == 3
    run("anonymize", people, *options(), "-o", "out.csv", "--mark", "*")
    held = json.loads(run("audit", "out.csv", *options(), "--mark", "*", "--json").stdout)
    assert held["verdict"] == "HOLDS"
    assert held["k_wildcard"] >= held["k"] >= 4
    assert held["withheld_cells"] > 0


def test_sweep__varies_k_and_cost(people):
    given = ("--model", "k-anonymity", "--quasi-identifiers", "age,zip,sex", "--label", "label")
    cases = ("--vary", "k=2,100", "--vary", "cost=ham,mar")
    stopped = run("sweep", people, *given, *cases)
    assert stopped.exit_code == 2
    assert "'note' is different in every row" in stopped.stderr
    done = run("sweep", people, *given, "--publish", "all", *cases)
    assert done.exit_code == 0, done.output
    assert "k 100, cost mar: the table has 40 rows" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--k", 1), 2, "--k must be 2 or more, not 1"),
        (("--k", 41), 4, "the table has 40 rows"),
        (("--quasi-identifiers", "age,zpi"), 3, "has no column 'zpi'"),
        (("--label", "age"), 2, "cannot be a quasi-identifier and the label"),
        (("--cost", "cheap"), 2, "--cost must be ham, info, hybrid or mar"),
        (("--l", 3), 4, "has 2 different values"),
        (("--bin", "note=5"), 3, "holds no number"),
        (("--mark", "f"), 2, "the value 'f'"),
        (
            ("--hierarchy", "zip=tree.csv"),
            3,
            "lacks 2 of the values of the column: '00001', '00002'",
        ),
        (("--hierarchy", "note=tree.csv"), 2, "is not a quasi-identifier"),
        (("--hierarchy", "zip"), 2, "COLUMN=FILE"),
        (("--hierarchy", ""), 2, "--hierarchy is empty"),
        (("--format", "basket"), 2, "not for a table"),
        (("--rho", "0.5"), 2, "--rho belongs to"),
    ],
)
def test_bad_input__is_said_plainly(people, arguments, code, message):
    Path("tree.csv").write_text("00000;0;*\n")
    done = run("anonymize", people, *options(), *arguments, "-o", "out.csv")
    assert done.exit_code == code, done.output
    assert message in done.stderr.replace("\n", " ")
    assert not Path("out.csv").exists()


def test_models__that_make_no_sense_are_refused():
    for wrong in (
        lambda: wh.KAnonymity(2, []),
        lambda: wh.KAnonymity(2, "age"),
        lambda: wh.KAnonymity(2, ["a", "a"]),
        lambda: wh.KAnonymity(2, ["a"], l=2),
        lambda: wh.KAnonymity(2, ["a"], sensitive_column="b"),
        lambda: wh.KAnonymity(2, ["a"], sensitive_column="a", l=2),
        lambda: wh.KAnonymity(2.5, ["a"]),
    ):
        with pytest.raises(PolicyError):
            wrong()
    with pytest.raises(ImpossibleError):
        wh.anonymize(Table.from_columns({"a": ["x"]}), wh.KAnonymity(2, ["a"]))


def test_hierarchy__generalises_before_it_withholds(people):
    table = wh.read_table(people)
    tree = wh.Hierarchy.from_edges(
        [(str(age), f"{age // 5 * 5}+") for age in range(20, 27)] + [("20+", "*"), ("25+", "*")]
    )
    release = wh.anonymize(table, MODEL, hierarchy={"age": tree}, cost="ham", publish=["note"])
    assert release.loss.generalised > 0
    assert {"20+", "25+"} & set(release.data.column("age").values)
    release.write("out.parquet")
    assert run("verify", "out.parquet").exit_code == 0


def test_utility__of_the_original_itself_is_no_loss():
    generator = np.random.default_rng(1)
    n = 400
    label = generator.integers(0, 2, n)
    told = np.where(generator.random(n) < 0.8, label, 1 - label)
    table = Table.from_columns(
        {
            "told": [str(v) for v in told],
            "noise": [str(v) for v in generator.integers(0, 3, n)],
            "label": ["no" if v else "yes" for v in label],
        }
    )
    model = wh.KAnonymity(2, ["told", "noise"], label="label")
    found = measure_table(table, table, model)
    assert found.loss.share == found.loss.kl == found.correlations.mean_change == 0
    assert found.naive_bayes.original == found.naive_bayes.release
    assert 0.1 < found.naive_bayes.original.mean < 0.3
    assert found.tree.original == found.tree.release
    blind = with_withheld(table, "told")
    assert measure_table(table, blind, model).loss.withheld == len(range(0, n, 3))


def test_leak__is_found_where_the_pattern_tells_the_label():
    label = ["yes", "no"] * 200
    table = Table.from_columns({"a": ["x"] * 400, "b": ["p", "q"] * 200, "label": label})
    column = table.column("a")
    codes = np.where(np.arange(400) % 2 == 0, -1, column.codes)
    release = table.with_columns([Column("a", codes, column.values)])
    found = measure_table(table, release, wh.KAnonymity(2, ["a", "b"], label="label"))
    assert found.leak.by_pattern.mean == 0
    assert found.leak.by_majority == 0.5


def test_inspect__a_table_shows_its_columns(people):
    text = run("inspect", people, "--table").stdout
    for name in ("age", "zip", "sex", "label", "note"):
        assert name in text
    assert "note is different in every row" in text
    found = json.loads(run("inspect", people, "--table", "--json", "--top", "1").stdout)
    sex = next(column for column in found["columns"] if column["name"] == "sex")
    assert (sex["different"], sex["blank"], sex["alone"], sex["top"]) == (2, 0, 0, [["f", 20]])


def test_inspect__options_for_items_are_refused_for_a_table(people):
    result = run("inspect", people, "--table", "--item-column", "sex")
    assert result.exit_code == 2
    assert "--item-column is for records of items" in result.stderr


def test_determining_columns__exactly_and_nearly(people):
    table = wh.read_table(people)
    first = table.column("zip")
    twin = Column("area", first.codes, tuple(f"area {value}" for value in first.values))
    with_twin = Table((*table.columns, twin))
    assert determining_columns(with_twin, ["area", "sex"], COLUMNS) == {"area": {"zip": 1.0}}
    codes = first.codes.copy()
    codes[0] = (codes[0] + 1) % len(first.values)
    loose = Table((*table.columns, Column("area", codes, twin.values)))
    assert determining_columns(loose, ["area"], COLUMNS) == {"area": {"zip": 39 / 40}}
    codes[:10] = (codes[:10] + 1) % len(first.values)
    useless = Table((*table.columns, Column("area", codes, twin.values)))
    assert determining_columns(useless, ["area"], COLUMNS) == {}


def test_lines_that_all_end_with_a_separator_have_no_column_more(tmp_path):
    (path := tmp_path / "a.csv").write_text("a;b;\n1;2;\n3;;\n")
    assert wh.read_table(path).rows() == [("1", "2"), ("3", "")]
    path.write_text("a;b;\n1;2;\n3;4;5\n")
    with pytest.raises(InputError, match="does not name every column once"):
        wh.read_table(path)
    path.write_text("a;b\n1;2\n3;4;\n")
    with pytest.raises(InputError, match=r"line 3: has 3 cells .* delete the separator at the end"):
        wh.read_table(path)
    path.write_text("a;b\n1;2\n3;4;5\n")
    with pytest.raises(InputError, match=r"line 3: has 3 cells .* in double quotes"):
        wh.read_table(path)
