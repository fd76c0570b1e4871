"""The role of every column: what stops a release, what settles it, and where the roles are listed."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path

import polars as pl
import pytest

import withhold as wh
from typed import run
from withhold.data import Table
from withhold.data.column_lists import join_columns, split_columns, split_pairs
from withhold.data.identifying import looks_identifying
from withhold.data.roles import column_roles
from withhold.errors import InputError, PolicyError

N = 60
AGES = [str(20 + i % 4) for i in range(N)]
COLUMNS = {
    "age": AGES,
    "income": ["high" if i % 3 else "low" for i in range(N)],
    "team": [("clerk", "cook", "nurse")[i % 3] for i in range(N)],
}
GIVEN = ["Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana", "Ines", "Jon", "Kai", "Lea"]
IDENTIFYING = {
    "FIRST": [GIVEN[i % 12] for i in range(N)],
    "LastName": [f"{GIVEN[i % 12]}son{i % 7}" for i in range(N)],
    "seen": [str(date(2020, 1, 1) + timedelta(days=i % 9)) for i in range(N)],
    "at": [f"{1 + i % 28}.{1 + i % 12}.2021 10:{i % 60:02d}" for i in range(N)],
    "us": [f"Mar {1 + i % 28}, 2021" for i in range(N)],
    "remark": [f"came back after {i} days with a cough" for i in range(N)],
    "contact": [f"p{i % 3}@example.org" for i in range(N)],
    "call": [f"+49 30 12345{i % 8:02d}" for i in range(N)],
    "ring": [f"(555) 116-45{i % 8:02d}" for i in range(N)],
    "dial": [f"555-116-45{i % 8:02d}" for i in range(N)],
    "cell": [f"1.555.116.45{i % 8:02d} ext. {i % 3}" for i in range(N)],
    "paper": [f"AB{1234567 + i % 20}" for i in range(N)],
    "host": [f"10.0.0.{i % 5}" for i in range(N)],
    "key": [f"{i % 4:08x}-0000-4000-8000-000000000000" for i in range(N)],
    "lat": [f"52.{500 + i % 9}00" for i in range(N)],
    "where": [f"52.{500 + i % 9}, 13.{400 + i % 9}" for i in range(N)],
    "weight": [str(1000 + i // 2 * 7 + i % 2) for i in range(N)],
    "patient_id": [str(100 + i % 25) for i in range(N)],
}
HARMLESS = {
    "workclass": [("Private", "State-gov", "Self-emp-not-inc")[i % 3] for i in range(N)],
    "country": [("United-States", "Mexico", "Trinadad&Tobago")[i % 3] for i in range(N)],
    "hours": [str(30 + i % 11) for i in range(N)],
    "gain": ["0"] * (N - 3) + ["2174", "99999", "14084"],
    "year": [str(1990 + i % 12) for i in range(N)],
    "first": [("yes", "no")[i % 2] for i in range(N)],
    "one day": ["2021-05-01"] * N,
    "range": [("100000-149999", "150000-199999")[i % 2] for i in range(N)],
    "answer": [
        ("I do not agree with this at all", "I do agree with this")[i % 2] for i in range(N)
    ],
}
MODEL = wh.KAnonymity(3, ["age"], label="income")
OPTIONS = (
    *("--model", "k-anonymity", "--k", "3", "--quasi-identifiers", "age", "--label", "income"),
    *("-o", "out.csv"),
)


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(COLUMNS | {k: IDENTIFYING[k] for k in ("FIRST", "seen", "remark")}).write_csv(
        "people.csv"
    )
    return tmp_path


@pytest.mark.parametrize("name", IDENTIFYING)
def test_column__that_may_identify_people_is_found(name):
    assert looks_identifying(Table.from_columns({name: IDENTIFYING[name]}), [name])


@pytest.mark.parametrize(
    "name",
    [
        *(
            "name",
            "Patient",
            "patient_id",
            "patient_name",
            "surname",
            "first_name",
            "Customer",
            "id",
        ),
        *("e-mail", "contact_email", "phone", "Vorname", "Prénom", "Patienten-Nr", "IBAN", "Kunde"),
    ],
)
def test_column__of_persons_stops_however_few_they_are(name):
    few = [("u", "v", "w")[i % 3] for i in range(300)]
    assert looks_identifying(Table.from_columns({name: few}), [name])
    assert not looks_identifying(Table.from_columns({name: ["u"] * 300}), [name])
    assert not looks_identifying(Table.from_columns({name: ["Yes", "no", ""] * 100}), [name])


@pytest.mark.parametrize("name", ["member", "account", "card", "product name", "ward_id", "record"])
def test_column__whose_name_may_mean_kinds_needs_many_values(name):
    few = [("gold", "silver", "x")[i % 3] for i in range(300)]
    assert not looks_identifying(Table.from_columns({name: few}), [name])


def test_patients__who_came_often_are_not_published(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [("ab"[i % 2], ("HIV", "flu", "cold")[i % 3], f"P{i % 18}") for i in range(300)]
    pl.DataFrame(rows, ["ward", "diagnosis", "name"], orient="row").write_csv("visits.csv")
    asked = ("--model", "k-anonymity", "--k", 5, "--quasi-identifiers", "ward", "-o", "out.csv")
    asked = (*asked, "--sensitive-column", "diagnosis", "--l", 2)
    done = run("anonymize", "visits.csv", *asked)
    assert done.exit_code == 2
    assert "'name' has the name of a column of people's names, and 18" in done.stderr
    assert "name has the name" in run("inspect", "visits.csv", "--table").stdout
    assert run("anonymize", "visits.csv", *asked, "--publish", "name").exit_code == 0


@pytest.mark.parametrize("name", HARMLESS)
def test_column__that_is_a_category_or_an_amount_is_let_through(name):
    assert not looks_identifying(Table.from_columns({name: HARMLESS[name]}), [name])


def test_column__of_dates_is_found_by_its_type():
    days = [date(2020, 1, 1 + i % 9) for i in range(N)]
    frame = pl.DataFrame({"day": days, "moment": pl.Series(days).cast(pl.Datetime)})
    table = wh.read_table(frame)
    assert set(looks_identifying(table, table.names)) == {"day", "moment"}


def test_adult__stops_for_what_singles_out_not_for_a_label(real_data):
    table = wh.read_table(real_data / "adult.csv.gz")
    known = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex"]
    # Income has no role either, and does not stop.
    model = wh.KAnonymity(5, [*known, "native-country"])
    undecided = column_roles(table, model).undecided
    amounts = {
        "capital-gain": "has values that fewer than 5 rows share, in 68 rows",
        "capital-loss": "has values that fewer than 5 rows share, in 90 rows",
        "hours-per-week": "has values that fewer than 5 rows share, in 44 rows",
    }
    assert undecided == amounts | {
        "relationship": "has the name of something that others may know of a person",
        "fnlwgt": "has 28,523 different values in 48,842 rows",
        "education-num": "reveals the value of 'education'",
    }
    both = wh.KAnonymity(5, [*known, "education-num"])
    by_name = {"native-country", "relationship"}
    assert set(column_roles(table, both).undecided) == {"fnlwgt", *by_name, *amounts}
    one = wh.KAnonymity(5, ["sex"])
    stopped = {*known, *by_name, "education-num", "fnlwgt", *amounts} - {"sex"}
    assert set(column_roles(table, one).undecided) == stopped


def test_anonymize__stops_and_names_all_columns_with_the_options_to_paste(here):
    done = run("anonymize", "people.csv", *OPTIONS)
    assert done.exit_code == 2
    for said in (
        "3 columns may identify people",
        "'FIRST' has the name of a column of people's names, and 12 different values",
        "'seen' holds dates",
        "'remark' holds free text",
        "--drop FIRST,seen,remark",
        "--publish FIRST,seen,remark",
    ):
        assert said in done.stderr
    assert not Path("out.csv").exists()
    assert run("anonymize", "people.csv", *OPTIONS, "--drop", "FIRST,seen,remark").exit_code == 0


def test_anonymize__says_the_role_of_every_column_everywhere(here):
    settled = ("--drop", "FIRST", "--publish", "seen", "--publish", "remark")
    done = run("anonymize", "people.csv", *OPTIONS, *settled, "--report", "--json")
    assert done.exit_code == 0, done.output
    roles = {
        "age": "quasi-identifier",
        "income": "label",
        "team": "published",
        "seen": "published",
        "remark": "published",
        "FIRST": "dropped",
    }
    assert json.loads(done.stdout)["column_roles"] == roles
    manifest = json.loads(Path("out.csv.manifest.json").read_text())
    # That there was another column is nothing that strangers need to know.
    assert manifest["column_roles"] == {n: role for n, role in roles.items() if n != "FIRST"}
    internal = json.loads(Path("out.csv.internal.json").read_text())
    assert internal["column_roles"] == roles
    assert internal["options"]["publish"] == ["seen", "remark"]
    page = Path("out.csv.report.html").read_text()
    assert "What became of each column" in page
    assert "holds free text" in page
    text = run("anonymize", "people.csv", *OPTIONS, *settled, "--force").stdout
    assert "published as is    team, seen, remark" in text
    assert "dropped            FIRST" in text


def test_report__for_strangers_names_no_column_that_was_left_out(here):
    settled = ("--drop", "FIRST,remark", "--publish", "seen", "--report", "--edition", "external")
    assert run("anonymize", "people.csv", *OPTIONS, *settled).exit_code == 0
    page = Path("out.csv.report.html").read_text()
    assert "Columns of the file" in page
    assert "FIRST" not in page
    assert "holds dates" not in page


def test_report__for_custodians_lists_every_column_once_and_begins_with_plain_numbers(here):
    settled = ("--drop", "FIRST,remark", "--publish", "seen", "--report")
    assert run("anonymize", "people.csv", *OPTIONS, *settled).exit_code == 0
    page = Path("out.csv.report.html").read_text()
    assert "All columns" in page
    assert "Columns of the file" not in page
    tiles = page.partition('class="tiles"')[2].partition("</dl>")[0]
    assert "cells changed" in tiles
    assert "divergence" not in tiles
    # An option that was not used has no empty cell.
    assert "<td></td>" not in page.partition("How it was made")[2]


def test_audit__does_not_stop_but_says_what_would(here):
    given = [option for option in OPTIONS if option not in ("-o", "out.csv")]
    done = run("audit", "people.csv", *given)
    assert done.exit_code == 0
    assert "a release stops until" in done.stdout
    assert "seen holds dates" in done.stdout
    found = json.loads(run("audit", "people.csv", *given, "--publish", "seen", "--json").stdout)
    assert set(found["undecided_columns"]) == {"FIRST", "remark"}
    assert found["column_roles"]["seen"] == "published"


def test_inspect__says_which_columns_would_stop_a_release(here):
    text = run("inspect", "people.csv", "--table").stdout
    assert "a release stops until" in text
    for reason in ("FIRST has the name", "seen holds dates", "remark holds free text"):
        assert reason in text


def test_python__stops_too(here):
    table = wh.read_table("people.csv", drop=["FIRST"])
    with pytest.raises(PolicyError, match=r"2 columns may identify people(.|\n)*publish="):
        wh.anonymize(table, MODEL)
    with pytest.raises(PolicyError, match="1 column may identify"):
        wh.sweep(table, MODEL, vary={"k": [2, 3]}, publish=["seen"])
    for publish in (["seen", "remark"], "all"):
        release = wh.anonymize(table, MODEL, publish=publish)
        assert release.data.names == table.names
    assert wh.audit(table, MODEL).undecided.keys() == {"seen", "remark"}
    with pytest.raises(PolicyError, match="or 'all', not 'seen'"):
        wh.anonymize(table, MODEL, publish="seen")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--drop", "First"), 3, "has no column 'First'"),
        (("--drop", "First"), 3, "name 'FIRST'"),
        (("--publish", "SEEN,remark"), 3, "name 'seen'"),
        (("--drop", "age"), 2, "column 'age' is named twice: it is left out"),
        (("--drop", "income"), 2, "column 'income' is named twice"),
        (("--drop", "seen", "--publish", "seen"), 2, "in both --drop and --publish"),
        (("--publish", "age"), 2, "in both --publish and --quasi-identifiers"),
        (("--publish", ""), 2, "--publish is empty"),
        (("--publish", " , "), 2, "--publish is empty"),
        (("--drop", ""), 2, "--drop is empty"),
        (("--publish", "all", "--publish", "seen"), 2, "--publish all is every column"),
        (("--publish", '"seen'), 2, "cannot be read"),
    ],
)
def test_options__that_contradict_each_other_or_the_table(here, arguments, code, message):
    done = run("anonymize", "people.csv", *OPTIONS, *arguments)
    assert done.exit_code == code, done.output
    assert message in done.stderr.replace("\n", " ")
    assert not Path("out.csv").exists()


@pytest.mark.parametrize("role", [("--label", "name"), ("--sensitive-column", "name", "--l", 2)])
def test_column__of_names_stops_as_label_and_as_sensitive_column(tmp_path, monkeypatch, role):
    monkeypatch.chdir(tmp_path)
    names = [f"{GIVEN[i % 12]} {GIVEN[i % 7]}son" for i in range(N)]
    pl.DataFrame({"team": COLUMNS["team"], "name": names}).write_csv("people.csv")
    asked = ("--model", "k-anonymity", "--k", 3, "--quasi-identifiers", "team", *role)
    done = run("anonymize", "people.csv", *asked, "-o", "out.csv")
    assert done.exit_code == 2
    shown_as = "the label" if "--label" in role else "a sensitive column"
    assert f"'name' holds names of people, and is published as {shown_as}" in done.stderr
    assert not Path("out.csv").exists()
    done = run("anonymize", "people.csv", *asked, "--publish", "name", "-o", "out.csv")
    assert done.exit_code == 0, done.output


NAMED = {"quasi_identifiers": ["team"], "sensitive_column": "name"}


@pytest.mark.parametrize(
    "model",
    [wh.PeopleUncertainty("0.5", k=3, max_known=1, **NAMED), wh.PeopleApart("0.5", **NAMED)],
)
def test_sensitive_column__of_peoples_names_stops(model):
    names = [f"{GIVEN[i % 12]} {GIVEN[i % 7]}son" for i in range(N)]
    frame = pl.DataFrame({"team": COLUMNS["team"], "name": names, "items": [["flu"]] * N})
    people = wh.read_people(frame)
    with pytest.raises(PolicyError, match="'name' holds names of people, and is published as a"):
        wh.anonymize(people, model)
    assert len(wh.anonymize(people, model, publish=["name"]).data) == N


def test_label__that_tells_a_quasi_identifier_is_warned_about(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"age": AGES, "income": [f"i{age}" for age in AGES]}).write_csv("p.csv")
    done = run("anonymize", "p.csv", *OPTIONS)
    assert done.exit_code == 0
    assert "'income' is never changed and reveals the value of 'age'" in done.stderr


def test_commas_in_names__are_quoted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"income, yearly": AGES, "a,b": COLUMNS["team"], "seen, last": IDENTIFYING["seen"]}
    pl.DataFrame(COLUMNS | names | {"all": COLUMNS["team"]}).write_csv("people.csv")
    Path("tree.csv").write_text("20;x;*\n21;x;*\n22;y;*\n23;y;*\n")
    quoted = ("--quasi-identifiers", 'age,"income, yearly"', "--drop", '"a,b"', "--k", 20)
    common = (
        "--model",
        "k-anonymity",
        "--label",
        "income",
        "--publish",
        '"seen, last"',
        "-o",
        "o.csv",
    )
    tree = ("--hierarchy", '"income, yearly"=tree.csv,age=tree.csv')
    done = run("anonymize", "people.csv", *quoted, *common, *tree)
    assert done.exit_code == 0, done.output
    assert wh.read_table("o.csv").names == (*COLUMNS, "income, yearly", "seen, last", "all")
    binned = run(
        "anonymize", "people.csv", *quoted, *common, "--bin", '"income, yearly"=2', "--force"
    )
    assert binned.exit_code == 0, binned.output
    assert "20-21" in Path("o.csv").read_text()
    ambiguous = run(
        "anonymize", "people.csv", *quoted, *common[:4], "--publish", "all", "-o", "o2.csv"
    )
    assert ambiguous.exit_code == 2
    assert "could mean two things" in ambiguous.stderr


def test_policy_file__holds_lists_of_columns(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"income, yearly": AGES, "seen, last": IDENTIFYING["seen"], "all": IDENTIFYING["at"]}
    pl.DataFrame(COLUMNS | names).write_csv("people.csv")
    Path("policy.toml").write_text(
        'model = "k-anonymity"\nk = 3\nquasi-identifiers = ["age", "income, yearly"]\n'
        'publish = ["seen, last", "all"]\ndrop = ["team"]\n'
    )
    done = run("anonymize", "people.csv", "--policy", "policy.toml", "-o", "o.csv")
    assert done.exit_code == 0, done.output
    internal = json.loads(Path("o.csv.internal.json").read_text())
    assert internal["options"]["publish"] == ["seen, last", "all"]
    text = Path("policy.toml").read_text()
    Path("policy.toml").write_text(text.replace('"seen, last", ', ""))
    done = run("anonymize", "people.csv", "--policy", "policy.toml", "-o", "o2.csv")
    assert done.exit_code == 2  # the column of that name, not all of them
    assert "'seen, last' holds dates" in done.stderr
    Path("policy.toml").write_text(text.replace('["team"]', "[]"))
    done = run("anonymize", "people.csv", "--policy", "policy.toml", "-o", "o2.csv")
    assert done.exit_code == 2
    assert "--drop is empty" in done.stderr


def test_vary__leaves_out_what_is_read_once(here):
    done = run("sweep", "people.csv", "--model", "k-anonymity", "--vary", "drop=team,seen")
    assert done.exit_code == 2
    assert "the data are read once, so drop cannot be varied" in done.stderr


def test_lists_of_columns__come_back_as_they_went():
    names = ("a", "b, c", 'd "e"', "f=g", "h")
    assert split_columns(join_columns(names)) == names
    assert split_pairs('"b, c"=x.csv, "f=g"="y,z.csv",h=/a/b=c.csv', "pairs") == {
        "b, c": "x.csv",
        "f=g": "y,z.csv",
        "h": "/a/b=c.csv",
    }
    assert split_pairs('"b, c=x.csv"', "pairs") == {"b, c": "x.csv"}
    for wrong in ("zip", "zip=", "=a.csv", "a=b.csv,zip", '"a=b'):
        with pytest.raises(PolicyError, match="COLUMN=FILE"):
            split_pairs(wrong, "hierarchies")
    with pytest.raises(PolicyError, match="named twice"):
        split_pairs("a=b,a=c", "hierarchies")


def test_publish__of_an_unknown_column_names_the_nearest():
    table = Table.from_columns(COLUMNS)
    with pytest.raises(InputError, match="name 'team'"):
        column_roles(table, MODEL, publish=["TEAM"])


def test_columns_to_decide_about__are_settled_in_the_words_of_python():
    table = wh.read_table(pl.DataFrame({"name": [f"n{n}" for n in range(40)], "age": [1, 2] * 20}))
    with pytest.raises(PolicyError, match=r"drop=\['name'\] .*\n +publish=\['name'\]") as raised:
        wh.anonymize(table, wh.KAnonymity(2, ["age"]))
    assert "--" not in str(raised.value)


def test_a_frame_that_cannot_be_read__has_options_to_name():
    frame = pl.DataFrame({"a": [1.5, 2.5], "b": ["x", "y"], "c": ["x", "y"]})
    with pytest.raises(InputError, match="name the two columns with record_column and item_column"):
        wh.read(frame)


NAMES = [f"{first} {last}" for first in ("Anna", "Ben", "Carla") for last in ("Meyer", "Weber")]
USUAL = [
    "Anna",
    "Ben",
    "Hans",
    "David",
    "Julia",
    "Peter",
    "Sarah",
    "Thomas",
    "Eva",
    "Karl",
    "Zinedine",
]
PLACES = "New York,Los Angeles,San Jose,Saint Paul,Virginia Beach,Carson City,Jackson,Charlotte"
JOBS = "Head Nurse,Registered Nurse,Truck Driver,Mechanical Engineer,Software Engineer,Head Cook"


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (NAMES, True),
        ([f"{name.split()[1]}, {name.split()[0]}" for name in NAMES], True),
        (USUAL, True),
        (NAMES[:4], False),
        (PLACES.split(","), False),
        (JOBS.split(","), False),
        ([job.upper() for job in JOBS.split(",")], False),
        (["Anna", "Victoria", "Florence", "Charlotte", "Paris", "Berlin"], False),
    ],
)
def test_names__that_repeat_are_found_by_known_given_names(values, found):
    column = [values[i * i % 97 % len(values)] for i in range(2_000)]
    table = Table.from_columns({"q1": column})
    assert looks_identifying(table, ["q1"]) == ({"q1": "holds names of people"} if found else {})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("called Mrs Wagner, tel. 0171 3829291", True),
        ("Telefon: 030/1234567", True),
        ("back on Monday +49 171 3829291", True),
        ("ask (555) 116-4567", True),
        ("mail to anna.meyer@example.org", True),
        ("seen on 01.02.2020 10:30", False),
        ("mobile since 2020", False),
        ("part 0171 3829291", False),
        ("react@17.0.2", False),
        ("room +3, 12.50", False),
    ],
)
def test_cells__with_an_address_or_a_number_of_somebody(text, found):
    cells = [text if i % 100 == 7 else ("ok", "late")[i % 2] for i in range(2_000)]
    reason = looks_identifying(Table.from_columns({"remark": cells}), ["remark"])
    told = "holds e-mail addresses or telephone numbers, in 1 of 3 different values"
    assert reason == ({"remark": told} if found else {})


def test_label__and_sensitive_columns_that_others_know_stop():
    rows = 400
    columns = {
        "sex": ["fm"[i % 2] for i in range(rows)],
        "age": [str(20 + i % 37) for i in range(rows)],
        "illness": ["gout" if i == 7 else f"flu {i % 3}" for i in range(rows)],
        "income": [("low", "high")[i % 3 // 2] for i in range(rows)],
    }
    table = Table.from_columns(columns)
    as_label = wh.KAnonymity(5, ["sex"], label="age")
    as_secret = wh.KAnonymity(5, ["sex"], sensitive_column=["illness"], l=2)
    found = column_roles(table, as_label).undecided
    assert found["age"] == (
        "has the name of something that others may know of a person, and is published as the label"
    )
    assert column_roles(table, as_secret).undecided["illness"] == (
        "has values that fewer than 5 rows share, in 1 row, and is published as a sensitive column"
    )
    settled = {"publish": ["age", "illness"]}
    assert wh.anonymize(table, as_label, **settled).verdict
    assert not column_roles(
        table, wh.KAnonymity(5, ["sex", "age"], label="income")
    ).undecided.keys() & {"income"}


def test_k__above_the_rows_is_said_before_columns_are(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(COLUMNS).write_csv("table.csv")
    asked = (
        "--model",
        "k-anonymity",
        "--quasi-identifiers",
        "team",
        "--label",
        "age",
        "-o",
        "o.csv",
    )
    done = run("anonymize", "table.csv", *asked, "--k", "61")
    assert done.exit_code == 4
    assert "the table has 60 rows, and groups of 61 are asked for" in done.stderr
    assert run("anonymize", "table.csv", *asked, "--k", "60").exit_code == 2


def test_sensitive__is_for_items_and_the_message_says_what_is_for_columns(tmp_path):
    asked = (
        "--model",
        "k-anonymity",
        "--k",
        "5",
        "--quasi-identifiers",
        "age",
        "--sensitive",
        "ill",
    )
    done = run("anonymize", "table.csv", *asked, "-o", str(tmp_path / "o.csv"))
    assert done.exit_code == 2
    assert "not to k-anonymity; for a column: --sensitive-column ill with --l 2" in done.stderr
