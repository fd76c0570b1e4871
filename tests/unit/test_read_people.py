"""People come from a file of persons and files of items, or from one file; what does not fit is refused."""

from __future__ import annotations

import random
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import withhold as wh
from withhold.errors import InputError, OutputError, PolicyError, WithholdError
from withhold.formats import as_written, form_for, read_back, read_people, write

PERSONS = "Id,age,sex\np1,30,f\np2,41,m\np3,30,f\n"
CONDITIONS = (
    "START,PATIENT,DESCRIPTION\n2020-01-01,p2,flu\n2020-02-01,p1,asthma\n2021-01-01,p2,asthma\n"
)
DRUGS = "PATIENT;DESCRIPTION\np1;aspirin\n"
COLUMNS = {"record_column": "PATIENT", "item_column": "DESCRIPTION"}
ITEMS = [["asthma"], ["asthma", "flu"], []]
ROWS = [("30", "f"), ("41", "m"), ("30", "f")]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("patients.csv").write_text(PERSONS)
    Path("conditions.csv").write_text(CONDITIONS)
    Path("drugs.csv").write_text(DRUGS)


def content(people):
    return people.attributes.rows(), people.items.to_lists(), people.ids


def test_read__persons_and_items_in_the_order_of_the_persons():
    people = read_people("patients.csv", "conditions.csv", **COLUMNS)
    assert content(people) == (ROWS, ITEMS, ("p1", "p2", "p3"))
    assert (people.strangers, people.without_items, people.warnings) == (0, 1, ())
    assert [file.path.name for file in people.source.files] == ["conditions.csv"]


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame, lambda d: pl.DataFrame(d).to_arrow()])
def test_read__frames_as_files(make):
    persons = make({"Id": ["p1", "p2", "p3"], "age": [30, 41, 30], "sex": ["f", "m", "f"]})
    items = make({"PATIENT": ["p2", "p1", "p2"], "DESCRIPTION": ["flu", "asthma", "asthma"]})
    people = wh.read_people(persons, items, **COLUMNS)
    assert content(people) == (ROWS, ITEMS, ("p1", "p2", "p3"))
    assert people.source is None
    lists = make({"age": [30, 41, 30], "sex": ["f", "m", "f"], "has": ITEMS})
    assert content(read_people(lists)) == (ROWS, ITEMS, None)


def test_read__items_of_nobody_are_left_out_and_counted():
    Path("more.csv").write_text(CONDITIONS + "2020,p9,gout\n2020,p9,flu\n")
    people = read_people("patients.csv", "more.csv", **COLUMNS)
    assert people.strangers == 2
    assert people.items.vocabulary == ("asthma", "flu"), "what only strangers have is nobody's"


def test_read__several_files_are_prefixes_and_one_is_not():
    people = read_people("patients.csv", ["conditions.csv", "rx=drugs.csv"], **COLUMNS)
    assert people.items.to_lists() == [
        ["conditions: asthma", "rx: aspirin"],
        ["conditions: asthma", "conditions: flu"],
        [],
    ]
    by_name = read_people(
        "patients.csv", {"conditions": Path("conditions.csv"), "rx": Path("drugs.csv")}, **COLUMNS
    )
    assert by_name == people


ONE_FILE = {
    "one.csv": "age,sex,items\n30,f,asthma\n41,m,flu;asthma\n30,f,\n",
    "bars.csv": 'age;sex;items\n30;f;asthma\n41;m;"flu|asthma"\n30;f;\n',
    "quoted.csv": 'age;sex;items\n30;f;asthma\n41;m;"flu;asthma"\n30;f;\n',
    "one.jsonl": '{"age": "30", "sex": "f", "items": ["asthma"]}\n'
    '{"age": "41", "sex": "m", "items": ["flu", "asthma"]}\n{"age": "30", "sex": "f", "items": []}\n',
}


@pytest.mark.parametrize("name", [*ONE_FILE, "one.parquet"])
def test_read__one_file_with_a_column_of_items(name):
    if name == "one.parquet":
        pl.DataFrame(
            {"age": ["30", "41", "30"], "sex": ["f", "m", "f"], "items": ITEMS}
        ).write_parquet(name)
    else:
        Path(name).write_text(ONE_FILE[name])
    people = read_people(name)
    assert content(people) == (ROWS, ITEMS, None)
    assert people.form.list_column == "items"


def forms():
    for came in ("two", "three", "one"):
        for name in (
            "out.csv",
            "out.tsv",
            "out.csv.gz",
            "out.jsonl.zst",
            "out.parquet",
            "out",
            "out.txt",
        ):
            yield pytest.param(came, name, id=f"{came}-{name}")


@pytest.mark.parametrize(("came", "name"), forms())
def test_write__comes_back_as_it_was(came, name):
    Path("one.csv").write_text(ONE_FILE["one.csv"])
    items = {"two": ["conditions.csv"], "three": ["conditions.csv", "drugs.csv"], "one": None}[came]
    people = read_people(
        "patients.csv" if items else "one.csv", items, **(COLUMNS if items else {})
    )
    written = write(people, Path(name))
    assert len(written.files) == len(items or ())
    assert read_back(Path(name), written) == as_written(people, written)
    for file in written.files:
        assert file.path.exists()
        assert file.path.name.startswith(f"out.{file.part}")
        assert file.columns == ("PATIENT", "DESCRIPTION")


def test_write__people_in_memory_get_ids_and_a_file_of_items():
    people = wh.People(
        wh.Table.from_columns({"id": ["x", "y"]}), wh.Records.from_lists([["a", "b; c"], []])
    )
    written = write(people, Path("out.csv"))
    assert Path("out.csv").read_text() == "id_,id\n1,x\n2,y\n"
    assert Path("out.items.csv").read_text() == "id_,item\n1,a\n1,b; c\n"
    assert read_back(Path("out.csv"), written) == as_written(people, written)


@pytest.mark.parametrize("items", [[["a;b"], []], [["a|b"], []], [["a\nb"], []], [["a, b"], []]])
def test_write__a_cell_refuses_items_that_would_not_come_back(items):
    form = read_one("age,items\n1,x;y\n2,\n").form
    people = wh.People(
        wh.Table.from_columns({"age": ["1", "2"]}), wh.Records.from_lists(items), form=form
    )
    with pytest.raises(OutputError, match=r"jsonl or \.parquet"):
        write(people, Path("out.csv"))
    assert read_back(Path("out.jsonl"), write(people, Path("out.jsonl"))).items == people.items


def read_one(text):
    Path("small.csv").write_text(text)
    return read_people("small.csv")


def test_write__a_file_without_any_item_is_read_back():
    people = read_people("patients.csv", ["conditions.csv", "drugs.csv"], **COLUMNS)
    nothing = people.items.without_items(people.items.codes(["drugs: aspirin"]))
    less = wh.People(people.attributes, nothing, people.ids, people.form)
    for name in ("out.csv", "out.jsonl", "out.parquet"):
        assert read_back(Path(name), write(less, Path(name))) == less


def test_form__is_known_before_anything_is_written():
    people = read_people("patients.csv", "conditions.csv", **COLUMNS)
    with pytest.raises(InputError, match="leave the format out"):
        form_for(people, "out.csv", like=people.source, format="long")
    with pytest.raises(OutputError, match="spreadsheets"):
        form_for(people, "out.xlsx", like=people.source)
    with pytest.raises(PolicyError, match="safe_csv"):
        form_for(people, "out.parquet", like=people.source, safe_csv=True)


def test_consent__by_id_by_column_and_not_as_strangers():
    Path("agreed.txt").write_text("p1\np3\n")
    people = read_people("patients.csv", "conditions.csv", consent="agreed.txt", **COLUMNS)
    assert content(people) == ([ROWS[0], ROWS[2]], [["asthma"], []], ("p1", "p3"))
    assert (people.without_consent, people.strangers) == (1, 0)
    Path("asked.csv").write_text("Id,age,agreed\np1,30,1\np2,41,0\np3,30,1\n")
    people = read_people("asked.csv", "conditions.csv", consent="agreed", **COLUMNS)
    assert (people.names, len(people), people.attributes.dropped) == (("age",), 2, ("agreed",))
    with pytest.raises(InputError, match="each line must be a record id"):
        read_people("patients.csv", "conditions.csv", consent=["p7"], **COLUMNS)


def test_drop_and_bins__as_for_tables():
    people = read_people(
        "patients.csv", "conditions.csv", drop=["sex"], bins={"age": 10}, **COLUMNS
    )
    assert people.attributes.rows() == [("30-39",), ("40-49",), ("30-39",)]
    with pytest.raises(PolicyError, match="'Id' names the persons"):
        read_people("patients.csv", "conditions.csv", drop=["Id"], **COLUMNS)


MISTAKES = {
    "the files swapped": (
        ("conditions.csv", "patients.csv"),
        {},
        "no column looks like the item column",
        InputError,
    ),
    "items as persons": (
        ("conditions.csv", "drugs.csv"),
        COLUMNS,
        "the id of another person",
        InputError,
    ),
    "a wrong column of ids": (
        ("patients.csv", "conditions.csv"),
        {**COLUMNS, "record_column": "START"},
        "none of the 3 ids in column 'START'",
        InputError,
    ),
    "a wrong column of persons": (
        ("patients.csv", "conditions.csv"),
        {**COLUMNS, "person_column": "age"},
        "id of another person",
        InputError,
    ),
    "a misspelt column": (
        ("patients.csv", "conditions.csv"),
        {**COLUMNS, "item_column": "DESCRIPTIONS"},
        "name 'DESCRIPTION', if that is what you mean",
        InputError,
    ),
    "one file twice": (
        ("patients.csv", ["drugs.csv", "drugs.csv"]),
        COLUMNS,
        "given twice",
        PolicyError,
    ),
    "the persons as items": (("drugs.csv", "drugs.csv"), COLUMNS, "given twice", PolicyError),
    "one name twice": (
        ("patients.csv", ["a=conditions.csv", "a=drugs.csv"]),
        COLUMNS,
        "two files of items are called 'a'",
        PolicyError,
    ),
    "one name twice but for case": (
        ("patients.csv", ["a=conditions.csv", "A=drugs.csv"]),
        COLUMNS,
        "two files of items are called 'a'",
        PolicyError,
    ),
    "a name with a colon": (
        ("patients.csv", ["a:b=drugs.csv"]),
        COLUMNS,
        "cannot be called",
        PolicyError,
    ),
    "no name": (("patients.csv", ["=drugs.csv"]), COLUMNS, "cannot be called", PolicyError),
    "no file": (("patients.csv", ["a="]), COLUMNS, "names no file", PolicyError),
    "nothing": (("patients.csv", []), COLUMNS, "no file of items is named", PolicyError),
    "a file that is not there": (
        ("patients.csv", "nothing.csv"),
        COLUMNS,
        "does not exist",
        InputError,
    ),
    "no items at all": (("patients.csv",), {}, "no column looks like one of items", InputError),
    "a number": (("patients.csv", 3), COLUMNS, "neither a path nor a frame", InputError),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake__is_told(mistake):
    given, options, words, error = MISTAKES[mistake]
    with pytest.raises(error, match=words):
        read_people(*given, **options)


def test_ids__missing_ones_are_refused_or_skipped():
    Path("holes.csv").write_text("Id,age\np1,30\n,41\nNA,30\n")
    with pytest.raises(InputError, match="2 persons have no id"):
        read_people("holes.csv", "conditions.csv", **COLUMNS)
    skipping = {"skip_missing_ids": True, "allow_unknown": True}
    people = read_people("holes.csv", "conditions.csv", **skipping, **COLUMNS)
    assert (people.ids, people.strangers) == (("p1",), 2)


FEW = "only 1 of the 4 ids in column 'PATIENT' of other.csv is in patients.csv, so 3 of the 4 items belong"


def test_ids__few_known_ones_stop_unless_allowed():
    Path("other.csv").write_text("PATIENT,DESCRIPTION\np1,a\nq1,a\nq2,a\nq3,a\n")
    with pytest.raises(InputError, match=f"{FEW}.*leave these items out with allow_unknown=True"):
        read_people("patients.csv", "other.csv", **COLUMNS)
    people = read_people("patients.csv", "other.csv", allow_unknown=True, **COLUMNS)
    (warning,) = people.warnings
    assert warning.startswith(FEW)
    assert "spelling" not in warning


def test_ids__most_items_of_strangers_stop_though_most_ids_are_known():
    Path("other.csv").write_text("PATIENT,DESCRIPTION\np1,a\np2,a\nq3,a\nq3,b\nq3,c\n")
    with pytest.raises(InputError, match=r"only 2 of the 3 ids.*so 3 of the 5 items"):
        read_people("patients.csv", "other.csv", **COLUMNS)
    Path("other.csv").write_text("PATIENT,DESCRIPTION\np1,a\np2,a\nq3,a\nq3,b\n")
    assert read_people("patients.csv", "other.csv", **COLUMNS).strangers == 2


def test_ids__another_spelling_is_named():
    Path("zeros.csv").write_text("PATIENT,DESCRIPTION\np1,a\nP-02,b\np 03,c\nq9,c\n")
    Path("three.csv").write_text("Id,age\np1,30\np2,41\np3,41\n")
    with pytest.raises(
        InputError, match=r"2 more are there in another spelling.*write the ids alike"
    ):
        read_people("three.csv", "zeros.csv", **COLUMNS)


def test_cells__what_could_separate_items_is_not_guessed():
    with pytest.raises(InputError, match="commas could separate"):
        read_one('age,items\n1,"a,b"\n2,c\n')
    with pytest.raises(InputError, match=r"both ; and \|"):
        read_one("age,items\n1,a;b\n2,c|d\n")
    assert read_one('age,items\n1,"a, b;c"\n').items.to_lists() == [["a, b", "c"]]


def wreck(data, chance):
    """The bytes with some of them changed, cut off, repeated or put elsewhere."""
    data = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(data) + 1)
        match chance.randrange(4):
            case 0:
                data[place : place + 1] = bytes([chance.choice(b'\x00",;|\n\r\t[]{}:\xff9a ')])
            case 1:
                del data[place : place + chance.randint(1, 30)]
            case 2:
                data[place:place] = data[: chance.randint(0, 40)]
            case 3:
                data = data[:place] or data
    return bytes(data)


@pytest.mark.parametrize("name", ["patients.csv", "conditions.csv", *ONE_FILE, "one.parquet"])
def test_fuzz__wrecked_files_are_read_or_refused(name):
    chance = random.Random(name)
    apart = name in ("patients.csv", "conditions.csv")
    if name == "one.parquet":
        pl.DataFrame({"age": ["30"], "items": [["asthma"]]}).write_parquet(name)
    elif not apart:
        Path(name).write_text(ONE_FILE[name])
    whole = Path(name).read_bytes()
    read = 0
    for _ in range(100):
        Path(name).write_bytes(wreck(whole, chance))
        try:
            people = (
                read_people("patients.csv", "conditions.csv", allow_unknown=True, **COLUMNS)
                if apart
                else read_people(name, item_column="items")
            )
        except WithholdError as error:
            assert error.exit_code in (2, 3), error  # noqa: PT017
        else:
            read += 1
            assert len(people.attributes) == len(people.items)
    assert read > 10 or not name.endswith(".csv"), "most of it is still a table"


def test_safe_csv__formulas_come_back_from_every_file():
    Path("patients.csv").write_text("Id,=age\np1,=1+1\np2,+x\n")
    Path("conditions.csv").write_text("PATIENT,DESCRIPTION\np1,@flu\np2,-2+3\np2,'=a\n")
    people = read_people("patients.csv", "conditions.csv", **COLUMNS)
    form = form_for(people, "out.csv", like=people.source, safe_csv=True)
    written = write(people, Path("out.csv"), form)
    assert "'@flu" in Path("out.conditions.csv").read_text()
    assert "'=age" in Path("out.csv").read_text()
    assert read_back(Path("out.csv"), written) == people
    Path("one.csv").write_text("age,items\n1,=a;b\n2,@c\n")
    people = read_people("one.csv")
    form = form_for(people, "o.csv", like=people.source, safe_csv=True)
    assert read_back(Path("o.csv"), write(people, Path("o.csv"), form)) == people
    assert "'=a;b" in Path("o.csv").read_text()


def test_read_people__tidies_attributes_and_items_and_keeps_names_of_files(tmp_path):
    persons, items, others = (tmp_path / name for name in ("in.csv", "Drugs.csv", "Tests.csv"))
    persons.write_text("id,Sex,born\n1,F,1980-02-29\n2,f,1984-01-01\n")
    items.write_text("id,item\n1,Aspirin\n1,aspirin\n2,ASPIRIN\n")
    others.write_text("id,item\n2,X-Ray\n")
    tidy, bins = ["Sex=case", "items=case,punctuation"], ["born=decade"]
    people = wh.read_people(persons, [items, others], tidy=tidy, bins=bins)
    assert people.attributes.rows() == [("f", "1980-1989"), ("f", "1980-1989")]
    assert people.items.to_lists() == [["Drugs: aspirin"], ["Drugs: aspirin", "Tests: x ray"]]
    assert [(done.name, done.changed, done.merged) for done in people.tidied] == [
        ("Sex", 1, 1),
        ("items", 3, 2),
    ]


def test_read_people__in_an_encoding_with_decimal_commas(tmp_path):
    persons, items = tmp_path / "in.csv", tmp_path / "drugs.csv"
    persons.write_bytes("id;city;size\n1;Köln;1,80\n2;Łódź;1,75\n".encode("cp1250"))
    items.write_bytes("id;item\n1;Grippe\n2;Fußschmerz\n".encode("cp1250"))
    people = wh.read_people(persons, items, encoding="cp1250", decimal="comma")
    assert people.attributes.rows() == [("Köln", "1.80"), ("Łódź", "1.75")]
    assert people.form.decimal == "comma"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"sheet": 1}, "is not a spreadsheet"),
        ({"tidy": "Sx=case"}, "has no column 'Sx'"),
        ({"decimal": "dot"}, "the decimal mark is"),
        ({"encoding": "klingon"}, "there is no encoding"),
    ],
)
def test_read_people__refuses_what_does_not_fit(wrong, message, tmp_path):
    persons, items = tmp_path / "in.csv", tmp_path / "drugs.csv"
    persons.write_text("id,Sex\n1,f\n2,m\n")
    items.write_text("id,item\n1,a\n")
    with pytest.raises(wh.WithholdError, match=message):
        wh.read_people(persons, items, **wrong)


def test_cells_that_separate_items_in_two_ways_are_refused(tmp_path):
    path = tmp_path / "mixed.csv"
    path.write_text('id,sex,items\n1,m,"flu, hiv"\n2,m,hiv;gout\n3,m,gout;flu\n')
    with pytest.raises(wh.WithholdError, match="looks like several items"):
        wh.read_people(path, record_column="id")
    path.write_text('id,sex,items\n1,m,"flu, mild;gout"\n2,m,hiv;gout\n3,m,gout;flu\n')
    assert "flu, mild" in wh.read_people(path, record_column="id").items.vocabulary
