"""Comparing files: how original and release are read, who was left out, and what the order may not change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import withhold as wh
from typed import run
from withhold.errors import InputError

ROWS = [
    *(("u1", "bread"), ("u1", "beer"), ("u1", "insulin")),
    *(("u2", "beer"), ("u2", "insulin")),
    *(("u3", "bread"), ("u3", "tea")),
    *(("u4", "tea"), ("u5", "bread")),
]
LONG = "who,what\n" + "".join(f"{who},{what}\n" for who, what in ROWS)
COLUMNS = ("--record-column", "who", "--item-column", "what")
RHO = ("--rho", "0.5", "--sensitive", "insulin")
PERSONAL = ("--model", "personal-rho", "--rho", "0.5", "--constraints", "wishes.csv")
TABLE = "name,age,city,job\n" + "".join(
    f"p{n},{20 + n % 2},{'ab'[n % 2]},{'xy'[n // 4]}\n" for n in range(8)
)


@pytest.fixture(autouse=True)
def desk(tmp_path, monkeypatch):
    monkeypatch.setattr("withhold.counting.jit.before_compiling", lambda announce: None)
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text(LONG)
    Path("wishes.csv").write_text("record,item\nu1,insulin\n")
    Path("yes.txt").write_text("u1\nu2\nu3\n")
    Path("t.csv").write_text(TABLE)


def ran(*arguments, code=0):
    result = run(*arguments)
    assert result.exit_code == code, result.output
    return result


def facts(*arguments):
    return json.loads(ran("compare", *arguments, "--json").stdout)["releases"]


def test_typed_options_win_over_the_internal_manifest():
    ran("anonymize", "a.csv", *COLUMNS, *RHO, "-o", "x.csv")
    (as_then,) = facts("a.csv", "x.csv")
    assert as_then["facts"]["records"] == 5
    (as_baskets,) = facts("a.csv", "x.csv", "--format", "basket")
    assert as_baskets["facts"]["records"] == 1 + len(ROWS)


def test_the_release_may_have_another_format_than_the_original():
    for name in ("x.dat", "x.jsonl", "x.parquet"):
        ran("anonymize", "a.csv", *COLUMNS, *RHO, "-o", name)
        Path(f"{name}.internal.json").unlink()
        (found,) = facts("a.csv", name, *COLUMNS)
        assert found["facts"]["records"] == 5
        Path(f"{name}.manifest.json").unlink()
        (found,) = facts("a.csv", name, *COLUMNS)
        assert found["facts"]["records"] == 5


def test_verify_reads_the_original_as_typed():
    ran("anonymize", "a.csv", *COLUMNS, *PERSONAL, "-o", "x.dat")
    Path("x.dat.internal.json").unlink()
    proof = ("--original", "a.csv", "--constraints", "wishes.csv", *COLUMNS)
    assert ran("verify", "x.dat", *proof).stdout.startswith("HOLDS")


def test_tables_do_not_depend_on_the_order():
    table = (
        "anonymize",
        "t.csv",
        "--model",
        "k-anonymity",
        "--k",
        "2",
        "--quasi-identifiers",
        "age",
    )
    ran(*table, "--drop", "name", "--publish", "city,job", "-o", "t1.csv")
    ran(*table, "--drop", "name,city", "--publish", "job", "--bin", "age=10", "-o", "t3.csv")
    one = {each["name"]: each for each in facts("t.csv", "t1.csv", "t3.csv")}
    other = {each["name"]: each for each in facts("t.csv", "t3.csv", "t1.csv")}
    assert one == other
    assert all(each["warnings"] == [] for each in one.values())


def test_new_numbers_for_records_are_no_reason_to_warn():
    ran("anonymize", "a.csv", *COLUMNS, *RHO, "-o", "x.csv")
    assert "record ids" not in ran("compare", "a.csv", "x.csv").output
    Path("z.csv").write_text(Path("x.csv").read_text().replace("\n2,", "\nu9,"))
    assert "record ids" in ran("compare", "a.csv", "z.csv", *COLUMNS).output


def test_who_did_not_agree_is_not_withheld():
    consent = ("--consent", "yes.txt")
    ran("anonymize", "a.csv", *COLUMNS, *RHO, *consent, "-o", "x.csv")
    said = ran("compare", "a.csv", "x.csv", code=3).output
    assert "x.csv: 2 records of the original were left out for want of consent" in said
    assert "--consent " in said
    assert "yes.txt" in said
    (found,) = facts("a.csv", "x.csv", *consent)
    assert (found["facts"]["records"], found["warnings"]) == (3, [])
    with pytest.raises(InputError, match=r"consent='.*yes.txt'"):
        wh.compare("a.csv", "x.csv")


def test_what_is_sensitive_is_not_told_where_nobody_knows():
    ran("anonymize", "a.csv", *COLUMNS, *PERSONAL, "-o", "x.csv")
    assert "of the sensitive" not in ran("compare", "a.csv", "x.csv").stdout
    known = ran("compare", "a.csv", "x.csv", "--sensitive", "insulin").stdout
    assert "of the sensitive" in known


def test_python_refuses_sensitive_items_that_nobody_has():
    rows = [["beer", "tea"], ["tea"]]
    with pytest.raises(InputError, match="sensitive"):
        wh.compare(rows, rows, sensitive=["zz"])


def test_python_speaks_of_its_own_options():
    with pytest.raises(InputError, match="shares no item") as caught:
        wh.compare([["beer"]], [["nail"]])
    assert "--" not in str(caught.value)
    assert "record_column" in str(caught.value)


def test_the_records_of_both_files_are_counted():
    original, published = [["a"], ["b"], ["a"]], [["a"], ["a"]]
    found = wh.compare(original, published).releases[0].measured
    assert [found.fact(path).value for path in ("records", "published_records")] == [3, 2]
    assert [found.fact(path).label[-6:] for path in ("records", "published_records")] == [
        *("before", " after")
    ]
