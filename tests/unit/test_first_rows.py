"""Files without a header: their first row would be the names of the columns, which a release shows."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import withhold as wh
from typed import run
from withhold.errors import InputError

JOBS, SEX = ("cook", "clerk", "nurse"), ("f", "m")
PERSONS = [
    (f"P{n:03}", f"{1 + n % 28:02}.{1 + n % 12:02}.1970", 100 + n % 7, SEX[n % 2], JOBS[n % 3])
    for n in range(60)
]
LOOKS = "looks? like a row"


def csv(path: Path, *rows: tuple[object, ...]) -> Path:
    """A file of these rows."""
    path.write_text("".join(";".join(map(str, row)) + "\n" for row in rows))
    return path


@pytest.mark.parametrize(
    "columns",
    [slice(0, 5), slice(2, 5), slice(3, 5), slice(4, 5), slice(0, 2), slice(1, 3)],
    ids=["all", "categories", "two", "one", "an id and a date", "a date and a number"],
)
def test_table__without_a_header_stops(tmp_path, columns):
    rows = [row[columns] for row in PERSONS]
    with pytest.raises(InputError, match=f"line 1: the first line {LOOKS}"):
        wh.read_table(csv(tmp_path / "a.csv", *rows))
    named = [tuple("vwxyz")[columns], *rows]
    assert len(wh.read_table(csv(tmp_path / "b.csv", *named))) == len(rows)
    first, *below = [tuple(map(str, row)) for row in rows]
    frame = pl.DataFrame(below, schema=list(first), orient="row")
    with pytest.raises(InputError, match=f"names of the columns {LOOKS}(.|\n)*header=None"):
        wh.read_table(frame)


def test_message__says_which_columns_and_shows_no_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [(f"{n}{n},5{n % 9}", *row[1:]) for n, row in enumerate(PERSONS, start=11)]
    csv(tmp_path / "a.csv", *rows)
    for verb in (("inspect", "a.csv", "--table"), ("advise", "a.csv", "--table")):
        done = run(*verb)
        assert done.exit_code == 3, done.output
        assert "the name of column 1 is a number, as its cells" in done.stderr
        assert "the name of column 2 is a date, as its cells" in done.stderr
        assert "the name of columns 3, 4 and 5 is a value that occurs below it" in done.stderr
        assert "01.01.1970" not in done.stderr
        assert "add a first line" in done.stderr


@pytest.mark.parametrize(
    "table",
    [
        {"country": ["fr", "de", "it"], "2019": [1, 2, 3], "2020": [2020, 5, 6], "2021": [1, 2, 2]},
        {str(code): [code % 2, 0, 1, 1] for code in range(9)},
        {str(code): [1, 2, 3, 4, 5] for code in range(1, 6)},
        {str(code): [0, 1, 1, 0] for code in (401, 428, 410)},
        {"350.5": [0.1, 0.2], "351.0": [0.3, 0.4], "351.5": [0.5, 0.6]},
        {"id": ["a", "b"], "tea": ["tea", None], "milk": ["milk", "milk"]},
        {"2021-01-01": [5, 6], "2021-02-01": [7, 8], "shop": ["n", "s"]},
        {"grade": ["grade", "B", "C"], "age": [1, 2, 3], "sex": ["f", "m", "f"]},
        {"age": ["1", "age", "2", "age"], "sex": ["f", "sex", "m", "sex"]},
    ],
    ids=[
        "years",
        "one-hot",
        "questions",
        "codes",
        "wavelengths",
        "choices",
        "months",
        "once",
        "joined",
    ],
)
def test_table__whose_names_are_numbers_or_answers_is_read(table):
    frame = pl.DataFrame(table, strict=False)
    assert wh.read_table(frame).names == tuple(table)


def test_real_table__is_read(real_data):
    assert len(wh.read_table(real_data / "adult.csv.gz")) == 48_842


def test_people__without_a_header_stop(tmp_path):
    persons = csv(tmp_path / "p.csv", ("id", "born", "zip", "sex", "job"), *PERSONS)
    bare = csv(tmp_path / "q.csv", *PERSONS)
    items = [(row[0], JOBS[n % 3]) for n, row in enumerate(PERSONS) for _ in range(2)]
    given = csv(tmp_path / "i.csv", ("id", "visit"), *items)
    assert len(wh.read_people(persons, given, record_column="id", item_column="visit")) == 60
    with pytest.raises(InputError, match=LOOKS):
        wh.read_people(bare, given, record_column="id", person_column="P000", item_column="visit")
    headless = csv(tmp_path / "j.csv", *items)
    columns = {"record_column": "P000", "item_column": "cook", "person_column": "id"}
    with pytest.raises(InputError, match=f"{LOOKS}.*also one of its values"):
        wh.read_people(persons, headless, **columns)


def test_items__under_their_usual_name_may_occur_below_it(tmp_path):
    rows = [("user", "query"), (1, "query"), (1, "tea"), (2, "user"), ("user", "tea")]
    records = wh.read(csv(tmp_path / "a.csv", *rows), record_column="user", item_column="query")
    assert len(records) == 3


def test_tables_by_parts__look_at_the_first_line_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    csv(tmp_path / "a.csv", *PERSONS)
    named = ("--quasi-identifiers", "f", "--model", "k-anonymity", "--k", 2)
    done = run(
        "anonymize", "a.csv", *named, "--engine", "stream", "--part-records", 20, "-o", "out/"
    )
    assert done.exit_code == 3, done.output
    assert "looks like a row" in done.stderr


def test_release__is_never_asked_about(tmp_path, monkeypatch):
    """With fewer values left, names look more like a row, and rows more like copies, than in the original."""
    monkeypatch.chdir(tmp_path)
    rows = [
        (n, "yes" if n % 3 else "no", "no" if n % 4 else "yes", n % 4, n % 3) for n in range(60)
    ]
    csv(Path("in.csv"), ("age", "yes", "no", "pay", "job"), *rows)
    asked = ("anonymize", "in.csv", "--model", "k-anonymity", "--k", "30", "--publish", "all")
    made = run(*asked, "--quasi-identifiers", "age,pay", "-o", "out.csv", "--seed", "1")
    assert made.exit_code == 0, made.stderr
    for options in ([], ["--separator", ";"], ["--encoding", "utf-8"]):
        done = run("verify", "out.csv", *options)
        assert (done.exit_code, done.stderr) == (0, "")
