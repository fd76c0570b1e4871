"""Dates of items: how they are read, what is refused, and releases that have them, from file to proof."""

from __future__ import annotations

import datetime
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from typer.testing import CliRunner

import withhold as wh
from withhold.cli import (  # noqa: F401
    advise,
    anonymize,
    audit,
    compare,
    inspect,
    sweep,
    verify,
)
from withhold.cli.app import app
from withhold.errors import InputError, PolicyError
from withhold.formats import read_people
from withhold.publish.recheck import verify_file

PERSONS = "id,sex\n" + "".join(f"p{n},{'fm'[n % 2]}\n" for n in range(12))
ROWS = [
    (f"p{n}", f"{2014 + n % 4}-0{1 + n % 9}-03", item)
    for n in range(12)
    for item in ("flu", "HIV", "gout")[n % 3 :]
]
CONDITIONS = "PATIENT,START,ITEM\n" + "".join(",".join(row) + "\n" for row in ROWS)
MODEL = wh.PeopleUncertainty("0.5", {"HIV"}, k=2, quasi_identifiers=["sex"], max_known=1)
TYPED = (
    *(
        "--items",
        "conditions.csv",
        "--model",
        "people",
        "--rho",
        "0.5",
        "--k",
        "2",
        "--max-known",
        "1",
    ),
    *("--quasi-identifiers", "sex", "--sensitive", "HIV,", "--seed", "1", "--jobs", "1"),
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("withhold.counting.jit.before_compiling", lambda announce: None)
    Path("patients.csv").write_text(PERSONS)
    Path("conditions.csv").write_text(CONDITIONS)


def run(*arguments):
    done = CliRunner().invoke(app, [str(each) for each in arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output
    return done


def read(dates="5y", text=None, **options):
    if text is not None:
        Path("conditions.csv").write_text("PATIENT,START,ITEM\n" + text)
    return read_people("patients.csv", "conditions.csv", dates=dates, **options)


@pytest.mark.parametrize(
    ("dates", "shown"),
    [("5y", "2010-2014"), ("year", "2014"), ("decade", "2010-2019"), ("month", "2014-01")],
)
def test_read__items_are_there_with_and_without_their_date(dates, shown):
    people = read(dates)
    both = [(item, f"{item}@{shown}") for item in ("HIV", "flu", "gout")]
    assert people.items.record(0) == (*both[0], *both[1], *both[2])
    assert read_people("patients.csv", "conditions.csv").items.record(0) == ("HIV", "flu", "gout")


def test_read__blank_dates_leave_the_item_and_repeated_periods_are_one():
    text = (
        "p1,,flu\np1,2015-01-01,HIV\np1,2016-02-01,HIV\np1,NA,gout\np2,2015-03,flu\np3,2015,flu\n"
    )
    people = read("5y", text)
    assert people.items.record(1) == ("HIV", "HIV@2015-2019", "flu", "gout")
    assert people.items.record(2) == ("flu", "flu@2015-2019")
    assert people.items.record(3) == ("flu", "flu@2015-2019")


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame, lambda d: pl.DataFrame(d).to_arrow()])
@pytest.mark.parametrize("typed", [False, True])
def test_read__frames_with_dates_or_texts(make, typed):
    when = datetime.date(2015, 3, 1) if typed else "2015-03-01"
    items = make({"id": ["p1"], "date": [when], "item": ["flu"]})
    people = read_people("patients.csv", items, dates="year")
    assert people.items.record(1) == ("flu", "flu@2015")


def test_read__parquet_and_several_files():
    rows = pl.DataFrame({"PATIENT": ["p1"], "START": ["2015-03-01"], "ITEM": ["zinc"]})
    rows.write_parquet("drugs.parquet")
    people = read_people("patients.csv", ["conditions.csv", "drugs.parquet"], dates="decade")
    assert {"drugs: zinc", "drugs: zinc@2010-2019", "conditions: HIV@2010-2019"} <= {
        *people.vocabulary
    }


@pytest.mark.parametrize(
    ("options", "text", "says"),
    [
        ({"dates": "5q"}, None, "'5q' is no period; say month, year, decade"),
        ({"dates": ""}, None, "'' is no period"),
        ({"dates": "day"}, None, "a day reveals too much"),
        ({"date_column": "STRT"}, None, "no column 'STRT'.*name 'START'"),
        ({"date_column": "ITEM"}, None, "'ITEM' holds the items, not dates"),
        ({"date_column": "PATIENT"}, None, "'PATIENT' holds the persons, not dates"),
        ({"dates": None, "date_column": "START"}, None, "they are left out; say what they become"),
        (
            {},
            "p1,2015-01-01,flu\np1,soon,HIV\n",
            "line 3, column 'START': is not a date.*'soon'.*correct",
        ),
        ({}, "p1,2015-13,flu\n", "line 2.*is not a date"),
        ({"dates": "month"}, "p1,2015,flu\n", "line 2.*is a year without a month.*dates"),
        ({"dates": "month"}, "p1,03/04/2015,flu\n", "day or the month first.*month:dmy"),
        ({}, "p1,25/04/2015,flu\np1,04/25/2015,HIV\n", "day first and others with the month first"),
        ({}, "p1,2015-01-01,flu@2014\n", "had a date already: 'flu@2014'"),
        ({"tidy": "items=case"}, None, "cannot change items that have dates"),
    ],
)
def test_read__says_what_is_wrong(options, text, says):
    with pytest.raises((InputError, PolicyError), match=f"(?s){says}"):
        read(**({"dates": "5y", "text": text} | options))


def test_read__dates_need_rows_of_items():
    Path("one.csv").write_text("sex,items\nf,flu;HIV\nm,\n")
    with pytest.raises(PolicyError, match="name their file or frame with items"):
        read_people("one.csv", dates="5y")
    with pytest.raises(PolicyError, match="name their file"):
        read_people(read(), dates="5y")
    lists = pl.DataFrame({"id": ["p1"], "items": [["flu"]]})
    with pytest.raises(InputError, match="no place for their dates"):
        read_people("patients.csv", lists, dates="5y")
    Path("items.jsonl").write_text('{"id": "p1", "items": ["flu"]}\n')
    with pytest.raises(InputError, match="no place for their dates"):
        read_people("patients.csv", "items.jsonl", dates="5y")
    Path("no-date.csv").write_text("PATIENT,ITEM\np1,flu\n")
    with pytest.raises(InputError, match="no column looks like that of the dates"):
        read_people("patients.csv", "no-date.csv", dates="5y")
    Path("two.csv").write_text("PATIENT,ITEM,START,DATE\np1,flu,2015-01-01,2015-01-01\n")
    with pytest.raises(InputError, match="several columns could hold the dates"):
        read_people("patients.csv", "two.csv", dates="5y")


@pytest.mark.parametrize("output", ["out.csv", "out.parquet", "out.tsv.gz", "out.jsonl"])
def test_release__is_proved_from_its_bytes(output):
    release = wh.anonymize(read("year"), MODEL, seed=1)
    assert release.loss.total_dates > 0
    published = release.write(output)
    found = verify_file(published.path)
    assert found.verdict
    assert verify_file(published.path, model=MODEL).verdict


def test_release__as_one_file_with_lists():
    people = read("year")
    rows = people.to_polars().drop("id")
    rows.write_parquet("one.parquet")
    release = wh.anonymize(read_people("one.parquet"), MODEL, seed=1)
    assert release.loss.total_dates > 0
    assert verify_file(release.write("list.parquet").path).verdict


def test_verify__a_date_tells_the_item():
    """Whoever publishes a date of HIV publishes HIV, also where the item itself is not listed there."""
    persons = wh.Table.from_columns({"sex": ["f"] * 4})
    items = [["flu", "HIV@2019"], ["flu", "HIV"], ["gout"], ["gout"]]
    people = wh.People(persons, wh.Records.from_lists(items))
    verdict = wh.verify(people, MODEL)
    assert str(verdict.witness) == "sex=f: {flu} → HIV: 2 of 2 (100%)"
    with pytest.raises(InputError, match="'HIV' with a date after @, and not the item itself"):
        wh.anonymize(people, MODEL)


def test_verify__the_trivial_rule_is_no_breach_and_others_are():
    persons = wh.Table.from_columns({"sex": ["f"] * 4})
    items = [["HIV", "HIV@2019"], ["HIV", "HIV@2020"], ["gout"], ["gout"]]
    people = wh.People(persons, wh.Records.from_lists(items))
    assert wh.verify(people, MODEL)
    told = wh.People(persons, wh.Records.from_lists([*items[:1], ["HIV"], *items[2:]]))
    assert wh.verify(told, MODEL)
    sure = wh.People(persons, wh.Records.from_lists([items[0], items[0], *items[2:]]))
    assert str(wh.verify(sure, MODEL).witness) == "sex=f: {HIV} → HIV@2019: 2 of 2 (100%)"


def test_audit__counts_persons_once_and_no_trivial_rule():
    persons = wh.Table.from_columns({"sex": ["f"] * 4})
    items = [["HIV", "HIV@2019"], ["HIV", "HIV@2019"], ["gout"], ["gout"]]
    found = wh.audit(wh.People(persons, wh.Records.from_lists(items)), MODEL)
    assert {size: count.count for size, count in found.counts.items()} == {0: 0, 1: 1}
    assert found.exposed_records == 2


def test_command_line__from_files_to_proof():
    done = run("anonymize", "patients.csv", *TYPED, "--dates", "5y", "-o", "out.csv")
    assert done.exit_code == 0, done.output
    assert "of these dates" in done.output
    assert "@2010-2014" in Path("out.conditions.csv").read_text()
    assert run("verify", "out.csv").exit_code == 0
    assert run("verify", "out.csv", "--policy", "out.csv.internal.json").exit_code == 0
    assert run("compare", "patients.csv", "out.csv").exit_code == 0
    # Whoever adds a date that tells is found out, also where no manifest names any dates.
    with Path("out.conditions.csv").open("a") as file:
        file.write("".join(f"{n},HIV@2010-2014\n" for n in range(1, 12)))
    assert run("verify", "out.csv").exit_code == 1


NO_PERIOD = "is no period; say month, year, decade or a number of years such as 5y"


@pytest.mark.parametrize(
    ("given", "code", "says"),
    [
        ((*TYPED, "--date-column", "START"), 2, "they are left out"),
        ((*TYPED, "--dates", ""), 2, "--dates is empty"),
        ((*TYPED, "--dates", "5y", "--date-column", ""), 2, "--date-column is empty"),
        ((*TYPED, "--dates", "5y", "--date-column", "STRT"), 3, "name 'START', if that is what"),
        ((*TYPED, "--dates", "5y", "--date-column", "PATIENT"), 3, "holds the persons, not dates"),
        *(
            ((*TYPED, "--dates", each), 2, NO_PERIOD)
            for each in ("5 years", "0y", "-5y", "5Y", "monthly", "Year", "5", "5y:ymd", "1000y")
        ),
        (("--rho", "0.5", "--sensitive", "HIV,", "--dates", "5y"), 2, "--dates belongs to"),
        ((*TYPED, "--km", "0"), 2, "must be at least 1"),
        ((*TYPED, "--km", "two"), 2, "must be a whole number"),
        ((*TYPED, "--km", str(2**31)), 2, "km must be below 2,147,483,648"),
        ((*TYPED[:6], *TYPED[8:], "--km", "2"), 2, "--k is missing"),
        ((*TYPED[:7], "1", *TYPED[8:], "--km", "2"), 2, "choose a larger k"),
    ],
)
def test_command_line__says_what_is_wrong(given, code, says):
    done = run("anonymize", "patients.csv", *given, "-o", "out.csv")
    assert done.exit_code == code, done.output
    assert says in " ".join(done.output.split())
    assert not Path("out.csv").exists()


def test_command_line__km_of_more_items_than_anybody_has():
    done = run("anonymize", "patients.csv", *TYPED, "--km", "99", "-o", "out.csv")
    assert done.exit_code == 0, done.output
    assert run("verify", "out.csv").exit_code == 0


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("01.03.2019", "could have the day or the month first"),
        ("3/1/2019", "say which comes first: dates='month:dmy' or dates='month:mdy'"),
        ("1/3/19", "is not a date"),
        ("2019-02-30", "is not a date"),
        ("0000-00-00", "is not a date"),
        ("1551398400", "is not a date"),
        ("2019-03-01 10:00 CET", "is not a date"),
        ("2019-03-01T10:00:00[Europe/Paris]", "is not a date"),
    ],
)
def test_read__cells_that_could_be_guessed_are_refused(cell, says):
    with pytest.raises(InputError, match=says) as found:
        read("month", f"p1,2019-03-01,flu\np2,{cell},HIV\n")
    assert "conditions.csv, line 3, column 'START'" in str(found.value)
    assert cell in str(found.value)


def test_read__the_day_is_the_one_that_is_written():
    text = "p1,2019-03-01T23:59:00-11:00,flu\np2,2019-03-31 00:01:00Z,flu\np3,20190331,flu\n"
    people = read("month", text)
    assert {people.items.record(n) for n in (1, 2, 3)} == {("flu", "flu@2019-03")}


def test_other_verbs__take_dates_or_say_why_not():
    for verb in ("inspect", "advise"):
        alone = run(verb, "conditions.csv", "--dates", "5y")
        assert (alone.exit_code, "requires --people or --items" in alone.output) == (2, True)
        wrong = run(verb, "patients.csv", "--items", "conditions.csv", "--dates", "monthly")
        assert (wrong.exit_code, NO_PERIOD in wrong.output) == (2, True), wrong.output
    varied = run("sweep", "patients.csv", *TYPED[:-2], "--vary", "dates=5y,year")
    assert (varied.exit_code, "so dates cannot be varied" in varied.output) == (2, True)
    swept = run("sweep", "patients.csv", *TYPED, "--vary", "km=1,none")
    assert "none" in swept.output, swept.output
    missing = run("advise", "patients.csv", "--items", "nosuch.csv", "--sensitive", "HIV,")
    assert (missing.exit_code, "nosuch.csv: does not exist" in missing.output) == (3, True)
    folder = run("advise", "patients.csv", "--items", ".", "--sensitive", "HIV,")
    assert (folder.exit_code, "is a directory" in folder.output) == (3, True), folder.output
    unknown = run("advise", "patients.csv", "--items", "conditions.csv", "--sensitive", "nosuch,")
    assert unknown.exit_code == 3
    assert "--allow-unknown" not in unknown.output


def test_suggestions__name_items_without_their_dates():
    seen = ("patients.csv", "--items", "conditions.csv", "--dates", "year", "--suggest-sensitive")
    assert CliRunner().invoke(app, ["inspect", *seen]).stdout == "HIV\n"


def test_compare__of_releases_with_other_dates_is_refused():
    """Dates that a release was never to have are no loss of it."""
    for name, dates in (
        ("a.csv", ["--dates", "5y"]),
        ("b.csv", []),
        ("c.csv", ["--dates", "year"]),
    ):
        assert run("anonymize", "patients.csv", *TYPED, *dates, "-q", "-o", name).exit_code == 0
    for releases in (("a.csv", "b.csv"), ("b.csv", "a.csv"), ("a.csv", "c.csv")):
        done = run("compare", "patients.csv", *releases)
        assert (done.exit_code, "compare releases with the same dates" in done.output) == (2, True)
    for name, asked in (("a.csv", "year"), ("b.csv", "5y")):
        done = run("compare", "patients.csv", name, "--dates", asked)
        assert (done.exit_code, "compare releases with the same dates" in done.output) == (2, True)
    for more in ([], ["--dates", "5y"]):
        assert run("compare", "patients.csv", "a.csv", *more).exit_code == 0
