"""Advice: every number is that of the release that its own command makes; the sample, the limit, mistakes."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

import withhold as wh
from typed import run
from withhold.advising import measuring
from withhold.data.survey import survey
from withhold.datasets import hospital as invented_hospital
from withhold.errors import InputError, PolicyError
from withhold.formats import write

CALM = ("--limit-seconds", "900", "--json")
"""Long enough for a machine that has to compile first."""


@pytest.fixture
def shop(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    records, sensitive = wh.pharmacy(120, seed=3)
    write(records, Path("b.dat"))
    Path("list.txt").write_text("\n".join(sorted(sensitive)) + "\n")
    write(survey(80, seed=2), Path("t.csv"))


def costs_of_commands(advice: dict) -> list[float]:
    """What the commands themselves lose, one release each."""
    found = []
    for number, choice in enumerate(advice["choices"]):
        words = shlex.split(choice["command"])
        words[words.index("-o") + 1] = f"{number}-{words[words.index('-o') + 1]}"
        made = run(*words[1:], "--seed", advice["seed"], "--json")
        assert made.exit_code == 0, made.output
        loss = json.loads(made.stdout)["loss"]
        found.append(
            loss["share"] if choice["of"] == "cells" else loss.get("occurrences", loss.get("share"))
        )
    return found


def test_records__cost_what_the_commands_cost(shop):
    advice = json.loads(run("advise", "b.dat", "--sensitive", "list.txt", *CALM).stdout)
    assert (advice["sampled"], advice["of"], advice["assumed"]) == (120, 120, [])
    assert {choice["model"] for choice in advice["choices"]} == {"rho", "coherence", "km", "apart"}
    assert [choice["cost"] for choice in advice["choices"]] == costs_of_commands(advice)


def test_table__costs_what_the_commands_cost(shop):
    advice = json.loads(run("advise", "t.csv", "--table", *CALM).stdout)
    assert {choice["knows"] for choice in advice["choices"]} == {
        *("everything", "age, sex, zip and education")
    }
    advice["choices"] = [choice for choice in advice["choices"] if choice["knows"] == "everything"]
    assert [choice["cost"] for choice in advice["choices"]] == costs_of_commands(advice)
    costs = [choice["cost"] for choice in advice["choices"]]
    assert costs == sorted(costs)
    asked = json.loads(
        run("advise", "t.csv", "--table", "--quasi-identifiers", "sex,zip", "--json").stdout
    )
    assert {choice["knows"] for choice in asked["choices"]} == {"sex and zip"}
    # The commands run: what would stop them is dropped.
    (dropped,) = asked["assumed"]
    assert dropped.startswith("dropped in the commands that would stop otherwise: ")
    for choice in asked["choices"][:2]:
        words = shlex.split(choice["command"])[1:]
        assert run(*words, "--quiet", "--force").exit_code == 0, words


def test_text__says_loudly_what_nobody_said(shop):
    text = run("advise", "b.dat").stdout
    assert "WARNING: no sensitive items were given" in text
    assert "first  withhold inspect b.dat --suggest-sensitive > suggested.txt" in text
    assert "if attackers know" in text
    assert text == run("advise", "b.dat").stdout
    assert "1.  any items of a record: rho, no sensitive item above 50% certainty" in text
    assert "buckets: needs a hierarchy of the items (--hierarchy)" in text
    plain = wh.advise([["bread", "tea"], ["tea"]] * 4)
    assert plain.not_measured[0].startswith("rho, coherence, apart: need the sensitive items")
    assert {choice.model for choice in plain.choices} == {"km"}
    assert "Only promises that need no list" in plain.assumed[0]


def test_sample__is_drawn_by_the_seed_and_said(monkeypatch):
    monkeypatch.setattr(measuring, "MOST", 50)
    records, sensitive = wh.pharmacy(200, seed=3)
    first, again, other = (wh.advise(records, sensitive=sensitive, seed=s) for s in (1, 1, 2))
    assert first == again
    assert (first.sampled, first.of) == (50, 200)
    assert first.assumed[0].startswith("a sample of 50 of 200")
    assert [c.cost for c in first.choices] != [c.cost for c in other.choices]


def test_limit__leaves_choices_out():
    found = wh.advise([["bread", "tea"], ["tea"]] * 4, limit_seconds=1e-9)
    assert all(
        choice.problem == "not measured: the time limit was reached" for choice in found.choices
    )
    assert all(choice.cost is None for choice in found.choices)
    with pytest.raises(PolicyError, match="above 0"):
        wh.advise([["tea"]], limit_seconds=0)


def test_dates_and_impossible_choices():
    table = wh.Table.from_columns(
        {
            "born": [f"19{40 + n}-03-0{1 + n % 9}" for n in range(30)],
            "note": [f"patient {n} came in the morning of that day" for n in range(30)],
            "sick": ["yes", "no", "no"] * 10,
        }
    )
    found = wh.advise(table)
    assert found.assumed[1:] == (
        *("dropped, because they may identify people: note", "in ranges: born (5y)"),
    )
    impossible = [choice for choice in found.choices if choice.problem]
    assert {choice.problem.partition(",")[0] for choice in impossible} == {"the table has 30 rows"}
    assert len(impossible) == len(found.choices) // 4


def test_consent__is_in_the_commands_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"Ann Roe{n},{20 + n % 30},{'mf'[n % 2]},{int(n % 5 > 0)}" for n in range(120)]
    Path("t.csv").write_text("name,age,sex,ok\n" + "\n".join(rows) + "\n")
    asked = ("t.csv", "--table", "--consent", "ok", "--drop", "name", "--json")
    choice, *_ = json.loads(run("advise", *asked).stdout)["choices"]
    words = shlex.split(choice["command"])
    assert words.count("ok") == words.count("name") == 1
    assert run(*words[1:]).exit_code == 0


def test_people__of_a_list_of_consent_who_are_not_there_are_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text("id,age\n" + "".join(f"{n},{20 + n % 3}\n" for n in range(40)))
    Path("c.csv").write_text("id,diagnosis\n" + "".join(f"{n},hiv\n" for n in range(40)))
    Path("ok.txt").write_text("\n".join(map(str, [*range(30), "abc"])) + "\n")
    asked = ("p.csv", "--items", "c.csv", "--sensitive", "hiv", "--consent", "ok.txt")
    told = run("advise", *asked, "--limit-seconds", "1e-9")
    assert (told.exit_code, "1 of 31 records with consent never occurs" in told.stderr) == (0, True)


def test_mistakes__are_said(shop):
    for words, code, message in (
        (("b.dat", "--quasi-identifiers", "age"), 2, "for a table"),
        (("t.csv", "--table", "--sensitive", "tea,"), 2, "for records"),
        (("t.csv", "--table", "--quasi-identifiers", "aeg"), 3, "name 'age'"),
        (("b.dat", "--sensitive", "nothing-of-the-kind,"), 3, "never occurs"),
        (("t.csv", "--table", "--record-column", "x"), 2, "not for a table"),
        (("nowhere.dat",), 3, "does not exist"),
    ):
        refused = run("advise", *words)
        assert (refused.exit_code, message in refused.output) == (code, True), refused.output
    names = wh.Table.from_columns({"email": [f"a{n}@b.org" for n in range(30)]})
    with pytest.raises(InputError, match="nothing is left to advise on"):
        wh.advise(names)


def test_commands__read_the_file_as_it_was_read(shop):
    Path("c.dat").write_text("Tea;condom\ntea;CONDOM\n" * 4)
    found = json.loads(
        run(
            *("advise", "c.dat", "--separator", "semicolon", "--tidy", "items=case", "--json"),
            *("--sensitive", "Condom,"),
        ).stdout
    )
    assert found["choices"][0]["command"] == (
        "withhold anonymize c.dat --separator semicolon --tidy items=case --rho 0.5 --sensitive Condom, "
        "-o published.dat"
    )
    assert found["choices"][0]["of_sensitive"] == 0.5


PEOPLE = ("patients.csv", "--items", "conditions.csv", "--item-column", "DESCRIPTION")


@pytest.fixture
def hospital(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    invented_hospital(150, seed=3).write(tmp_path)


def test_people__cost_what_the_commands_cost(hospital):
    found = json.loads(run("advise", *PEOPLE, "--sensitive", "sensitive.txt", *CALM).stdout)
    assert (found["sampled"], found["of"], found["what"]) == (150, 150, "person")
    assert found["assumed"] == [
        "nobody said what attackers may know of a person; all columns stand for it",
        "in ranges: BIRTHDATE (5y), POSTCODE (quantiles:10)",
    ]
    assert [(choice["model"], choice["knows"]) for choice in found["choices"]] == [
        ("people", "everything, no item"),
        ("people", "everything and at most 1 item"),
        ("people", "everything and at most 2 items"),
        ("people", "everything and any items"),
        ("apart", "everything and all items that are not sensitive"),
    ]
    assert_costs_are_those_of_commands(found)
    sensitive = [choice["of_sensitive"] for choice in found["choices"]]
    assert sensitive[0] < sensitive[1] < sensitive[3]


def assert_costs_are_those_of_commands(found: dict) -> None:
    for number, choice in enumerate(found["choices"]):
        made = run(
            *shlex.split(choice["command"])[1:-1],
            f"{number}.csv",
            *("--seed", found["seed"], "--json"),
        )
        assert made.exit_code == 0, made.output
        loss = json.loads(made.stdout)["loss"]
        whole = loss["cell_share"] if choice["of"] == "cells" else loss["share"]
        assert (choice["cost"], choice["of_sensitive"]) == (whole, loss["sensitive_share"])
        assert choice["misplaced"] == loss.get("misplaced")


def test_people__what_neighbours_know_is_a_choice_of_its_own(hospital):
    text = Path("patients.csv").read_text()
    Path("patients.csv").write_text(text.replace("BIRTHDATE", "SEEN", 1))
    found = json.loads(run("advise", *PEOPLE, "--sensitive", "sensitive.txt", *CALM).stdout)
    few = "SEX, POSTCODE, MARITAL and OCCUPATION"
    assert [choice["knows"].startswith(few) for choice in found["choices"]] == [
        *[False] * 4,
        *[True] * 4,
        False,
    ]
    assert "--drop SEEN" in found["choices"][4]["command"]
    assert "--bin SEEN" not in found["choices"][4]["command"]
    found["choices"] = found["choices"][4:6]
    assert_costs_are_those_of_commands(found)


def test_people__in_python_as_on_the_command_line(hospital):
    people = wh.read_people("patients.csv", "conditions.csv", item_column="DESCRIPTION")
    sensitive = Path("sensitive.txt").read_text().splitlines()
    found = wh.advise(
        people, sensitive=sensitive, quasi_identifiers=["SEX", "MARITAL"], limit_seconds=900
    )
    typed = ("--sensitive", "sensitive.txt", "--quasi-identifiers", "SEX,MARITAL", *CALM)
    told = json.loads(run("advise", *PEOPLE, *typed).stdout)
    assert [choice.cost for choice in found.choices] == [c["cost"] for c in told["choices"]]
    assert found.choices[1].command == (
        "withhold anonymize patients.csv --items conditions=conditions.csv --record-column PATIENT "
        "--item-column DESCRIPTION --model people --rho 0.5 --k 5 --max-known 1 --quasi-identifiers "
        "SEX,MARITAL --sensitive LIST --drop BIRTHDATE,POSTCODE,OCCUPATION -o published.csv"
    )


def test_people__columns_that_nobody_knows_are_left_out(hospital):
    typed = ("--sensitive", "sensitive.txt", "--quasi-identifiers", "SEX,MARITAL")
    found = json.loads(run("advise", *PEOPLE, *typed, *CALM).stdout)
    assert found["assumed"] == [
        "dropped, because they are not named as known to others: BIRTHDATE, POSTCODE and OCCUPATION"
    ]
    assert_costs_are_those_of_commands(found)


def test_people__columns_are_prepared_as_somebody_says(hospital):
    typed = (
        "--sensitive",
        "sensitive.txt",
        "--bin",
        "BIRTHDATE=decade",
        "--drop",
        "POSTCODE,OCCUPATION",
    )
    found = json.loads(run("advise", *PEOPLE, *typed, *CALM).stdout)
    assert found["assumed"] == [
        "nobody said what attackers may know of a person; all columns stand for it"
    ]
    for choice in found["choices"]:
        assert "--bin BIRTHDATE=decade --drop POSTCODE,OCCUPATION" in choice["command"]
        assert "quantiles" not in choice["command"]
    assert_costs_are_those_of_commands(found)


def test_table__columns_are_prepared_as_somebody_says(shop):
    typed = ("--bin", "age=18,65", "--drop", "name", "--quasi-identifiers", "age,sex")
    found = json.loads(run("advise", "t.csv", "--table", *typed, *CALM).stdout)
    assert all("--bin age=18,65" in choice["command"] for choice in found["choices"])
    assert all("--drop name" in choice["command"] for choice in found["choices"])
    table = wh.read_table("t.csv", drop=["name"], bins={"age": [18, 65]})
    again = wh.advise(table, quasi_identifiers=["age", "sex"], limit_seconds=900)
    assert [each.cost for each in again.choices] == [each["cost"] for each in found["choices"]]
    refused = run("advise", "b.dat", "--bin", "age=5")
    assert (refused.exit_code, "records have none" in refused.output) == (2, True)
    refused = run("advise", "t.csv", "--table", "--bin", "age=5", "--drop", "age")
    assert (refused.exit_code, "to be dropped and binned" in refused.output) == (2, True)


def test_people__without_a_list_and_in_one_file(hospital):
    people = wh.read_people("patients.csv", "conditions.csv", item_column="DESCRIPTION")
    frame = people.to_polars().select("SEX", "MARITAL", "items")
    frame.write_parquet("one.parquet")
    text = run("advise", "one.parquet", "--people", "--limit-seconds", "0.000001").stdout
    assert "WARNING: no sensitive items were given" in text
    first = "withhold inspect one.parquet --people --suggest-sensitive"
    assert f"first  {first} > suggested.txt" in text
    assert run(*first.split()[1:]).exit_code == 0
    assert text.count("not measured: the time limit was reached") == 5


def test_people__mistakes_are_said(hospital):
    bread = wh.People(wh.Table.from_columns({"sex": ["f"]}), wh.Records.from_lists([["bread"]]))
    with pytest.raises(InputError, match="no sensitive items were given"):
        wh.advise(bread)
    for words, code, message in (
        (("patients.csv", "--table", "--items", "conditions.csv"), 2, "--table does not fit"),
        (("patients.csv", "--person-column", "PATIENT"), 2, "requires --people or --items"),
        ((*PEOPLE, "--format", "long"), 2, "not for people"),
        ((*PEOPLE, "--sensitive", "nothing-of-the-kind,"), 3, "never occurs"),
        ((*PEOPLE, "--quasi-identifiers", "SXE"), 3, "name 'SEX'"),
    ):
        refused = run("advise", *words)
        assert (refused.exit_code, message in refused.output) == (code, True), refused.output
