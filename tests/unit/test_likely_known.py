"""Columns that others may know of a person: which stop a release that nobody gave them a role in."""

from __future__ import annotations

import random
from pathlib import Path

import polars as pl
import pytest

import withhold as wh
from typed import run
from withhold.data import Table
from withhold.data.likely_known import likely_known
from withhold.data.roles import column_roles
from withhold.errors import PolicyError

N = 400
CHANCE = random.Random(3)
SEX = ["fm"[i % 2] for i in range(N)]
LABEL = [CHANCE.choice(["low", "low", "high"]) for _ in range(N)]


def reasons(k: int = 5, known: tuple[str, ...] = ("sex",), **columns: list[str]) -> dict[str, str]:
    """What is said of these columns beside the sex."""
    table = Table.from_columns({"sex": SEX} | columns)
    return likely_known(table, [name for name in table.names if name not in known], known, k)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "age",
            "Age_at_admission",
            "BIRTHDATE",
            "birthYear",
            "zip-code",
            "POSTCODE",
            "city",
            "State",
        ),
        *(
            "relationship",
            "relationship_to_head",
            "family",
            "familySize",
            "Household",
            "n_children",
        ),
        *("Verwandtschaftsverhältnis", "Familienstand", "Zivilstand", "haushaltsgröße", "Kinder"),
        *("état civil", "situation_familiale", "ménage", "parenté", "estado_civil", "parentesco"),
        *(
            "hogar",
            "stato civile",
            "famiglia",
            "parentela",
            "família",
            "agregado_familiar",
            "filhos",
        ),
        *("home country", "maritalStatus", "Occupation", "race", "Geschlecht", "Wohnort", "país"),
    ],
)
def test_name__of_what_others_know_stops(name):
    assert "others may know" in reasons(**{name: LABEL})[name]
    assert not reasons(**{name: ["the same"] * N})


@pytest.mark.parametrize(
    "name",
    [
        "income",
        "page",
        "status",
        "statement",
        "package",
        "outcome",
        "product family",
        "home",
        "mari",
    ],
)
def test_name__of_anything_else_does_not(name):
    assert not reasons(**{name: LABEL})


def test_years__of_birth_stop_and_a_few_do_not():
    assert reasons(y=[str(1930 + i % 70) for i in range(N)]) == {"y": "holds years"}
    assert not reasons(y=[str(2020 + i % 4) for i in range(N)])


def test_rare_values__are_counted_against_k():
    stage = ["early"] * (N - 4) + ["late"] * 4
    said = "has values that fewer than 5 rows share, in 4 rows"
    assert reasons(stage=stage) == {"stage": said}
    assert not reasons(stage=stage, k=4)
    # A blank is nothing that somebody knows.
    assert not reasons(stage=["early"] * (N - 4) + [""] * 4, k=5)
    # Without a k, persons with equal cells are two at least.
    assert reasons(stage=["early"] * (N - 1) + ["late"], k=1)


def test_many_values__stop_if_they_make_rows_unique_among_the_quasi_identifiers():
    ward = [f"w{i % 40}" for i in range(N)]
    home = [f"h{(i * 7 + i // 40) % 30}" for i in range(N)]
    known = ("sex", "home")
    table = Table.from_columns({"sex": SEX, "home": home, "ward": ward})
    found = likely_known(table, ["ward"], known, 5)
    keys = list(zip(SEX, home, ward, strict=True))
    before = list(zip(SEX, home, strict=True))
    unique = sum(keys.count(key) == 1 and before.count(key[:2]) >= 5 for key in keys)
    assert 20 * unique >= N
    said = f"makes {unique:,} of {N} rows unique, known with the quasi-identifiers"
    assert found == {"ward": said}
    # Known of nobody's home, the same column makes hardly anybody unique.
    assert not likely_known(table, ["ward"], ("sex",), 5)


def test_label__of_few_values_passes_however_fine_the_quasi_identifiers_are():
    home = [f"h{i % 60}" for i in range(N)]
    assert not reasons(known=("sex", "home"), home=home, label=LABEL)


def test_categories__stop_together_if_few_rows_share_them():
    answers = {f"q{n}": [CHANCE.choice("yn") for _ in range(N)] for n in range(9)}
    found = reasons(**answers)
    assert set(found) == set(answers)
    assert "the other columns without a role" in found["q0"]
    assert not reasons(**{name: answers[name] for name in ("q0", "q1", "q2", "q3")})


def test_published_columns__are_not_asked_about():
    table = Table.from_columns({"sex": SEX, "age": LABEL, "zip": LABEL})
    model = wh.KAnonymity(5, ["sex"])
    assert set(column_roles(table, model).undecided) == {"age", "zip"}
    assert set(column_roles(table, model, publish=["zip"]).undecided) == {"age"}
    assert not column_roles(table, model, publish="all").undecided


def test_apart__promises_the_same_whatever_is_known_of_attributes():
    table = Table.from_columns({"sex": SEX, "age": LABEL})
    model = wh.PeopleApart("0.5", {"hiv"}, quasi_identifiers=["sex"])
    assert not column_roles(table, model).undecided


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    ages = [str(20 + i // 2 % 50) for i in range(N)]
    pl.DataFrame({"id": range(N), "sex": SEX, "age": ages}).write_csv("persons.csv")
    items = [("hiv" if i % 20 == 0 else "flu") for i in range(N)]
    pl.DataFrame({"id": range(N), "item": items}).write_csv("items.csv")
    # Not every row is there equally often, as in a file that was doubled.
    pl.DataFrame({"sex": SEX, "age": ["21", *ages[1:]]}).write_csv("table.csv")
    return tmp_path


OF_TABLE = ("table.csv", "--model", "k-anonymity", "--k", "5", "--quasi-identifiers", "sex")
OF_PEOPLE = (
    *("persons.csv", "--items", "items.csv", "--model", "people", "--k", "5", "--rho", "0.5"),
    *("--quasi-identifiers", "sex", "--sensitive", "hiv,"),
)


@pytest.mark.parametrize("asked", [OF_TABLE, OF_PEOPLE])
def test_anonymize__stops_until_somebody_says_what_becomes_of_the_age(files, asked):
    varied = [each for each in asked if each not in ("--k", "5")]
    for words in (("anonymize", *asked, "-o", "out.csv"), ("sweep", *varied, "--vary", "k=5,6")):
        done = run(*words)
        assert done.exit_code == 2, done.output
        assert "'age' has the name of something that others may know" in done.stderr
    assert not Path("out.csv").exists()
    for settled in (("--publish", "age"), ("--publish", "all"), ("--drop", "age")):
        assert run("anonymize", *asked, *settled, "-o", "out.csv", "--force").exit_code == 0


def test_python__stops_too(files):
    people = wh.read_people("persons.csv", "items.csv")
    model = wh.PeopleUncertainty("0.5", {"hiv"}, k=5, quasi_identifiers=["sex"])
    with pytest.raises(PolicyError, match="'age' has the name"):
        wh.anonymize(people, model)
    with pytest.raises(PolicyError, match="'age' has the name"):
        wh.anonymize(wh.read_table("table.csv"), wh.KAnonymity(5, ["sex"]))


def test_inspect__says_so_beforehand(files):
    text = run("inspect", "persons.csv", "--table").stdout
    assert "a release stops for them, too\n  sex, age" in text


def test_many_columns__with_one_reason_are_told_in_one_line(files):
    answers = {f"q{n}": [CHANCE.choice("yn") for _ in range(N)] for n in range(120)}
    pl.DataFrame({"sex": SEX} | answers).write_csv("table.csv")
    done = run("anonymize", *OF_TABLE, "-o", "out.csv")
    assert done.exit_code == 2
    assert "'q0', 'q1', 'q2' and 117 more, each: makes" in done.stderr
    assert "--publish all" in done.stderr
    assert "q3" not in done.stderr


def test_parts__stop_too(files):
    folder = files / "parts"
    folder.mkdir()
    table = pl.read_csv("table.csv")
    table[: N // 2].write_csv(folder / "1.csv")
    table[N // 2 :].write_csv(folder / "2.csv")
    done = run("anonymize", str(folder), *OF_TABLE[1:], "-o", "published")
    assert done.exit_code == 2, done.output
    assert "'age' has the name" in done.stderr
