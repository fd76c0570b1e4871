"""Orders are not persons: what is said where a column shows that persons have several records."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import withhold as wh
from typed import run
from withhold.data import Table
from withhold.data.identifying import looks_identifying
from withhold.errors import AssumedWarning, InputError, PolicyError

ORDERS = [(f"o{n}", f"c{n % 30}") for n in range(100)]
PAIRS = [(order, person, item) for order, person in ORDERS for item in ("tea", "milk")]
LONG = pl.DataFrame(PAIRS, ["order", "customer_id", "product"], orient="row")
LISTS = pl.DataFrame(
    [(order, person, "tea;milk") for order, person in ORDERS],
    ["order", "customer_id", "items"],
    orient="row",
)


def said(read: Callable[..., Any], source: Any, **options: Any) -> list[str]:
    """What reading warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", AssumedWarning)
        read(source, **options)
    return [str(each.message) for each in caught if issubclass(each.category, AssumedWarning)]


def test_long__says_that_customers_have_several_orders(tmp_path: Path):
    LONG.write_csv(path := tmp_path / "orders.csv")
    for source in (path, LONG):
        (text,) = said(wh.read, source, record_column="order")
        assert "column 'customer_id' names 30 persons in 100 records" in text
        assert "record_column='customer_id'" in text
        assert not said(wh.read, source, record_column="customer_id", item_column="product")
    with pytest.raises(InputError, match="name the one that stands for a person"):
        wh.read(path)


def test_lists__and_json_say_so_too(tmp_path: Path):
    LISTS.write_csv(path := tmp_path / "orders.csv")
    lines = [json.dumps({"record": o, "customer": c, "items": ["tea"]}) for o, c in ORDERS]
    (objects := tmp_path / "orders.jsonl").write_text("\n".join(lines) + "\n")
    frame = LISTS.with_columns(pl.col("items").str.split(";"))
    for source in (path, objects, frame):
        named = {} if source is objects else {"record_column": "order"}
        (text,) = said(wh.read, source, **named)
        assert "names 30 persons in 100 records" in text


def test_ids__that_repeat_are_refused_with_the_right_remedy(tmp_path: Path):
    LISTS.drop("order").write_csv(path := tmp_path / "orders.csv")
    with pytest.raises(InputError, match="make one record of each person"):
        wh.read(path)


def test_table__whose_persons_have_several_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    rows = [(f"p{n % 30}", "fm"[n % 2], "yes" if n % 7 else "no") for n in range(90)]
    frame = pl.DataFrame(rows, ["patient_id", "sex", "member"], orient="row")
    frame.write_csv("visits.csv")
    # A few values under the name of a person are no persons: member is yes or no.
    (text,) = said(wh.read_table, "visits.csv", drop=["patient_id"])
    assert "column 'patient_id' names 30 persons in 90 rows" in text
    assert not said(wh.read_table, frame.unique("patient_id"))
    few = frame.with_columns(patient_id="p" + (pl.int_range(pl.len()) % 3).cast(pl.String))
    (text,) = said(wh.read_table, few)
    assert "column 'patient_id' names 3 persons in 90 rows" in text
    assert not said(wh.read_table, frame.select("sex", user="sex", patient="member"))
    asked = ("--model", "k-anonymity", "--k", "5", "--quasi-identifiers", "sex")
    stopped = run("anonymize", "visits.csv", *asked, "--drop", "patient_id", "-o", "out.csv")
    assert stopped.exit_code == 2
    assert "visits.csv: each row is taken for a person, but column 'patient_id'" in stopped.stderr
    assert "or say --publish repeats" in stopped.stderr
    anyway = ("--drop", "patient_id", "--publish", "repeats", "-o", "out.csv", "--report", "--json")
    done = run("anonymize", "visits.csv", *asked, *anyway)
    assert done.exit_code == 0, done.output
    (warning,) = json.loads(done.stdout)["warnings"]
    assert f"warning: {warning}" in done.stderr
    assert json.loads(Path("out.csv.internal.json").read_text())["warnings"] == [warning]
    assert "names 30 persons in 90 rows" in Path("out.csv.report.html").read_text()
    assert run("audit", "visits.csv", *asked, "--drop", "patient_id").exit_code < 2
    audit = json.loads(run("audit", "visits.csv", *asked, "--drop", "patient_id", "--json").stdout)
    assert audit["warnings"][0] == warning
    stream = ("--drop", "patient_id", "--engine", "stream", "-o", "parts")
    by_parts = run("anonymize", "visits.csv", *asked, *stream)
    assert by_parts.exit_code == 2
    assert "column 'patient_id' names 30 persons" in by_parts.stderr
    settled = ("--publish", "repeats", "--force")
    assert run("anonymize", "visits.csv", *asked, *stream, *settled).exit_code == 0
    with pytest.warns(wh.WithholdWarning):
        table = wh.read_table(frame, drop=["patient_id"])
    with pytest.raises(PolicyError, match="say publish='repeats'"):
        wh.sweep(table, wh.KAnonymity(2, ["sex"]), vary={"k": [2]})


NAMES = (
    *("PatNr", "Patientennummer", "Kunde", "Kunden-Nr", "KundenNr", "Kundennummer", "cliente"),
    *("Versichertennummer", "client", "paciente", "Código de cliente", "N° assuré", "Klantnummer"),
)


@pytest.mark.parametrize("name", NAMES)
def test_names__in_other_languages_warn_and_stop(name):
    (text,) = said(wh.read, LONG.rename({"customer_id": name}), record_column="order")
    assert f"column {name!r} names 30 persons in 100 records" in text
    frame = pl.DataFrame(
        [(f"p{n % 30}", "fm"[n % 7 % 2]) for n in range(90)], [name, "sex"], orient="row"
    )
    table = Table.from_columns(frame.to_dict(as_series=False))
    (text,) = said(wh.read_table, frame, drop=[name])
    assert f"column {name!r} names 30 persons in 90 rows" in text
    assert set(looks_identifying(table, table.names)) == {name}


@pytest.mark.parametrize(
    "name", ["Bon-Nr", "ward_id", "number of customers", "Personen", "usertype"]
)
def test_names__of_other_things_say_nothing(name):
    assert not said(wh.read, LONG.rename({"customer_id": name}), record_column="order")


def test_table__whose_dropped_identifier_repeats():
    rows = [
        (f"LK{n % 40}", n % 4, f"Ann{n % 95} Lee", n % 97 / 10, "fm"[n % 2]) for n in range(200)
    ]
    frame = pl.DataFrame(rows, ["chip_no", "ward_id", "who", "pay", "sex"], orient="row")
    (text, other) = said(wh.read_table, frame, drop=["chip_no", "ward_id", "who", "pay"])
    assert (
        "'chip_no' looks like an identifier: if it stands for persons, it names 40 persons" in text
    )
    assert "'who' looks like an identifier" in other
    assert not said(wh.read_table, frame)
    # A mailbox with many rows is that of a ward.
    mail = frame.with_columns(box=pl.Series([f"ward{n % 12}@web.at" for n in range(200)]))
    assert "box" in looks_identifying(wh.read_table(mail), ["box"])
    assert not said(wh.read_table, mail, drop=["box"])
    # Namesakes are not the same person.
    rare = frame.with_columns(who=pl.Series([f"Ann{n % 190} Lee" for n in range(200)]))
    assert not said(wh.read_table, rare, drop=["ward_id", "who"])


def everybody(n: int) -> pl.DataFrame:
    """Persons with a name each, a pay, and two categories."""
    rows = [(f"Ann{i} Lee", i * 7919 % 997 / 10, "fm"[i % 2], i % 9) for i in range(n)]
    return pl.DataFrame(rows, ["who", "pay", "sex", "ward"], orient="row")


def test_table__to_which_an_export_was_appended_twice(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = everybody(200)
    pl.concat([frame, frame]).write_csv("twice.csv")
    asked = ("--model", "k-anonymity", "--k", "2", "--quasi-identifiers", "sex")
    words = ("--drop", "who,pay", "--publish", "ward", "-o", "o.csv")
    stopped = run("anonymize", "twice.csv", *asked, *words)
    assert stopped.exit_code == 2
    assert "twice.csv: 200 of 400 rows repeat another row in every column" in stopped.stderr
    done = run("anonymize", "twice.csv", *asked, *words, "--publish", "repeats")
    assert done.exit_code == 0, done.output
    assert "warning: twice.csv: 200 of 400 rows repeat" in done.stderr
    model = wh.KAnonymity(2, ["sex"])
    with pytest.warns(wh.WithholdWarning):
        table = wh.read_table("twice.csv", drop=["who", "pay"])
    with pytest.raises(PolicyError, match="delete the copies; or say publish='repeats'"):
        wh.anonymize(table, model, publish=["ward"])
    release = wh.anonymize(table, model, publish=["ward", "repeats"])
    assert release.warnings[0].startswith("twice.csv: 200 of 400 rows repeat")
    (text,) = said(wh.read_table, pl.concat([frame, frame.head(40)]))
    assert "40 of 240 rows repeat another" in text
    # A few copies are a slip, and of categories alone many rows are equal by chance.
    assert not said(wh.read_table, pl.concat([frame, frame.head(10)]))
    assert not said(wh.read_table, pl.concat([frame, frame]).drop("who", "pay"))


def test_table__whose_rows_are_all_there_equally_often():
    rows = [{"age": str(20 + n % 7), "sex": "fm"[n % 2], "town": f"t{n % 5}"} for n in range(70)]
    columns = {name: [row[name] for row in rows * 3] for name in rows[0]}
    model = wh.KAnonymity(2, ["age", "sex"])
    for data in (pl.DataFrame(columns), Table.from_columns(columns)):
        with (
            pytest.warns(wh.WithholdWarning, match="140 of 210 rows repeat"),
            pytest.raises(PolicyError, match="delete the copies"),
        ):
            wh.anonymize(data, model, publish=["town"])
    # One row more, and nothing says that it is no chance.
    frame = pl.DataFrame(columns)
    assert not said(wh.read_table, pl.concat([frame, frame.head(1)]))


def test_table__whose_dropped_column_settles_the_quasi_identifiers():
    rows = [(f"K{n // 5}", 20 + n // 5 % 31, "fm"[n // 5 % 2], f"flu{n % 4}") for n in range(1_000)]
    frame = pl.DataFrame(rows, ["who", "age", "sex", "diagnosis"], orient="row")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = wh.read_table(frame, drop=["who"])
    with pytest.raises(
        PolicyError, match=r"column 'who' settles .* names 200 persons in 1,000 rows"
    ):
        wh.anonymize(table, wh.KAnonymity(5, ["age", "sex"]))
    # What differs between the rows of one value is not settled by it.
    with pytest.raises(PolicyError, match="'age' has the name of something"):
        wh.anonymize(table, wh.KAnonymity(5, ["diagnosis", "sex"]))
    release = wh.anonymize(table, wh.KAnonymity(5, ["age", "sex"]), publish="repeats")
    assert "column 'who' settles" in release.warnings[0]
    # A postcode settles the town and the land, of which one settles the other.
    towns = frame.with_columns(
        town=pl.Series([f"t{n // 5 % 40}" for n in range(1_000)]),
        land=pl.Series([f"l{n // 5 % 4}" for n in range(1_000)]),
    ).drop("age", "sex")
    wh.anonymize(
        wh.read_table(towns, drop=["who"]),
        wh.KAnonymity(5, ["town", "land"]),
        publish=["diagnosis"],
    )


def test_table__of_towns_with_what_they_determine_says_nothing():
    rows = [(f"{n % 150:05}", f"town {n % 150 // 5}", f"land {n % 150 // 50}") for n in range(200)]
    assert not said(wh.read_table, pl.DataFrame(rows, ["zip", "place", "land"], orient="row"))


def test_real_table__has_no_row_twice(real_data):
    assert not said(wh.read_table, real_data / "adult.csv.gz")


def test_records__of_persons_with_several_stop_a_release(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # Orders of their own, so that none repeats another.
    goods = [(f"o{n}", f"c{n % 30}", f"g{n * i % 23}") for n in range(100) for i in (1, 3)]
    frame = pl.DataFrame(goods, ["order", "customer_id", "product"], orient="row")
    frame.write_csv("orders.csv")
    asked = ("--record-column", "order", "--model", "km", "--k", "2", "--m", "1", "-o", "out.csv")
    done = run("anonymize", "orders.csv", *asked)
    assert done.exit_code == 2
    assert "or say --publish repeats if the promise may be about records" in done.stderr
    done = run("anonymize", "orders.csv", *asked, "--publish", "repeats", "--json")
    assert done.exit_code == 0, done.output
    assert "warning: orders.csv: each record is taken for a person" in done.stderr
    (told,) = json.loads(done.stdout)["warnings"]
    assert "names 30 persons in 100 records" in told
    assert told in json.loads(Path("out.csv.internal.json").read_text())["warnings"]
    assert told not in Path("out.csv.manifest.json").read_text()
    model = wh.KmAnonymity(k=2, m=1)
    records = wh.read(frame, record_column="order")
    with pytest.raises(PolicyError, match="names 30 persons in 100 records"):
        wh.anonymize(records, model)
    assert "names 30 persons" in wh.anonymize(records, model, publish=["repeats"]).warnings[0]


def rows_of(n: int) -> pl.DataFrame:
    """Rows of customers, each row with a number and a quantity."""
    rows = [(i, f"K{1000 + i % (n // 5)}", f"g{i % 23}", 1 + i % 3) for i in range(n)]
    return pl.DataFrame(rows, ["pos", "who", "product", "qty"], orient="row")


def test_record_column__that_numbers_the_rows_stops(tmp_path: Path):
    rows_of(300).write_csv(path := tmp_path / "rows.csv")
    for source in (path, rows_of(300)):
        (text,) = said(wh.read, source, record_column="pos", item_column="product")
        assert "every record has one item" in text
        assert "column 'who' names 60 persons" in text
        assert not said(wh.read, source, record_column="who", item_column="product")
    named = {"record_column": "pos", "item_column": "product"}
    assert not said(wh.read, rows_of(300).drop("who"), **named)
    with pytest.raises(PolicyError, match="every record has one item"):
        wh.anonymize(wh.read(path, **named), wh.KmAnonymity(k=2, m=1))


def test_record_column__that_is_an_amount_stops():
    frame = rows_of(1500)
    (text,) = said(wh.read, frame, record_column="qty", item_column="product")
    assert (
        "column 'qty' makes 3 records of 1,500 rows, and 1,431 repeated items were merged" in text
    )
    # A few persons who come often buy the same.
    often = rows_of(150).with_columns(pos=pl.int_range(150) % 3)
    assert not said(wh.read, often, record_column="pos", item_column="product")
