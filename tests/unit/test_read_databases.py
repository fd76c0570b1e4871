"""What a query finds in a DuckDB file is read like any frame; nothing else is run, and mistakes are said."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import duckdb
import polars as pl
import pytest

import withhold as wh
from typed import run
from withhold.errors import InputError, PolicyError

ORDERS = "duckdb:shop.db?query=select * from orders order by record, item"
PERSONS = "duckdb:shop.db?query=select * from persons order by record"
ITEMS = "duckdb:shop.db?query=select * from orders order by record, item"
RHO = ("--rho", "0.5", "--sensitive", "pill,", "--seed", 1)
PEOPLE = ("--model", "people", "--rho", "0.5", "--k", "2", "--quasi-identifiers", "sex")


@pytest.fixture(autouse=True)
def shop(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [(n, item) for n in range(1, 9) for item in ("tea", "milk", "pill")[: 1 + n % 3]]
    frames = {
        "orders": pl.DataFrame(rows, schema=["record", "item"], orient="row"),
        "persons": pl.DataFrame(
            {"record": range(1, 9), "sex": list("fmfmfmfm"), "half": [0.5] * 8}
        ),
    }
    with duckdb.connect("shop.db") as database:
        for name, frame in frames.items():
            frame.write_csv(f"{name}.csv")
            database.sql(f"create table {name} as from '{name}.csv'")
        database.sql("create sequence s")


def test_read__finds_what_is_in_the_file_of_the_same_rows():
    assert wh.read(ORDERS) == wh.read(pl.read_csv("orders.csv").sort("record", "item"))
    assert wh.read_table(PERSONS).rows() == wh.read_table(pl.read_csv("persons.csv")).rows()
    people = wh.read_people(PERSONS, ITEMS)
    assert people == wh.read_people("persons.csv", "orders.csv")
    # A division of whole numbers keeps both of its strokes.
    assert wh.read_table("duckdb:shop.db?query=select 7//2 as a, '/./' as b").rows() == [
        ("3", "/./")
    ]


def test_anonymize__of_queries_and_of_files_give_the_same_bytes():
    made = run("anonymize", ORDERS, *RHO, "-o", "a.csv", "--json")
    assert made.exit_code == 0, made.output
    assert json.loads(made.stdout)["verdict"] == "HOLDS"
    assert run("verify", "a.csv").exit_code == 0
    assert run("compare", ORDERS, "a.csv").exit_code == 0
    both = (*PEOPLE, "--sensitive", "pill,", "--drop", "half", "--seed", 1)
    for name, data, items in (
        ("q.csv", PERSONS, f"orders={ITEMS}"),
        ("f.csv", "persons.csv", "orders.csv"),
    ):
        made = run("anonymize", data, "--items", items, *both, "-o", name)
        assert made.exit_code == 0, made.output
        assert run("verify", name).exit_code == 0
    assert Path("q.csv").read_bytes() == Path("f.csv").read_bytes()
    assert Path("q.orders.csv").read_bytes() == Path("f.orders.csv").read_bytes()
    assert run("inspect", PERSONS, "--items", ITEMS).exit_code == 0


def test_database__is_never_written():
    Path("shop").write_bytes(Path("shop.db").read_bytes())
    before = Path("shop").read_bytes()
    address = ORDERS.replace("shop.db", "shop")
    refused = run("anonymize", address, *RHO, "-o", "shop", "--force")
    assert (refused.exit_code, "never overwritten" in refused.output) == (2, True), refused.output
    items = f"orders={ITEMS.replace('shop.db', 'shop')}"
    asked = (*PEOPLE, "--sensitive", "pill,", "--drop", "half", "-o", "shop", "--force")
    refused = run("anonymize", "persons.csv", "--items", items, *asked)
    assert (refused.exit_code, "never overwritten" in refused.output) == (2, True), refused.output
    assert Path("shop").read_bytes() == before


@pytest.mark.parametrize(
    ("address", "error", "message"),
    [
        ("duckdb:shop.db", PolicyError, "names no database and query"),
        ("duckdb:shop.db?query= ", PolicyError, "names no database and query"),
        ("duckdb:shop.db?sql=select 1", PolicyError, "names no database and query"),
        ("duckdb:?query=select 1", PolicyError, "names no database and query"),
        ("duckdb:none.db?query=select 1", InputError, "does not exist"),
        ("duckdb:.?query=select 1", InputError, "is a directory"),
        ("duckdb:orders.csv?query=select 1", InputError, "cannot open it.*name a file of DuckDB"),
        ("duckdb:shop.db?query=select nothing from orders", InputError, "cannot be answered"),
        ("duckdb:shop.db?query=selec 1", InputError, "cannot be answered"),
        ("duckdb:shop.db?query=drop table orders", PolicyError, "one SELECT"),
        ("duckdb:shop.db?query=copy orders to 'x.csv'", PolicyError, "one SELECT"),
        ("duckdb:shop.db?query=select 1; drop table orders", PolicyError, "one SELECT"),
        ("duckdb:shop.db?query=attach 'x.csv' as other", PolicyError, "one SELECT"),
        ("duckdb:shop.db?query=copy (select 1) to 'x.csv'", PolicyError, "one SELECT"),
        ("duckdb:shop.db?query=export database 'x.csv'", PolicyError, "one SELECT"),
        ("duckdb:shop.db?query=install httpfs", PolicyError, "one SELECT"),
        ("duckdb:shop.db?query=;", PolicyError, "one SELECT"),
        ("duckdb:shop.db?query=select nextval('s')", InputError, "read-only"),
        (
            "duckdb:shop.db?query=from query('copy orders to ''x.csv'' ')",
            InputError,
            "single SELECT statement",
        ),
        ("duckdb:shop.db?query=select * from 'http://127.0.0.1:9/a.csv'", InputError, "httpfs"),
        ("duckdb:shop.db?query=select item from orders", InputError, "does not look like records"),
        ("duckdb:shop.db?query=select * from orders where false", InputError, "holds no records"),
    ],
)
def test_mistakes__are_said(address, error, message):
    before = Path("shop.db").read_bytes()
    with pytest.raises(error, match=message):
        wh.read(address)
    assert not Path("x.csv").exists()
    assert Path("shop.db").read_bytes() == before
    assert len(wh.read(ORDERS)) == 8


def test_descriptions__are_columns_of_the_query():
    query = "duckdb:shop.db?query=select *, upper(item) as text from orders order by record, item"
    shown = ("--describe", "item=text")
    for words in ((query,), (PERSONS, "--items", query, "--item-column", "item")):
        seen = run("inspect", *words, *shown, "--record-column", "record")
        assert (seen.exit_code, "PILL (pill)" in seen.output) == (0, True), seen.output


def test_packages__that_are_missing_are_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(InputError, match=r"pip install 'withhold\[duckdb\]'"):
        wh.read(ORDERS)


def test_frames_of_dask__are_collected():
    dask = pytest.importorskip("dask.dataframe")
    orders, persons = (pl.read_csv(f"{name}.csv").to_pandas() for name in ("orders", "persons"))
    parted = dask.from_pandas(orders, npartitions=2)
    assert wh.read(parted).to_lists() == wh.read(orders).to_lists()
    lists = wh.read_people(dask.from_pandas(persons, npartitions=2), parted).items.to_lists()
    assert lists == wh.read_people(persons, orders).items.to_lists()
    assert wh.read_table(dask.from_pandas(persons, npartitions=3)).rows() == (
        wh.read_table(persons).rows()
    )
