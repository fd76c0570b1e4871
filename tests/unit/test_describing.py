"""Codes with their descriptions: people read words, models and JSON keep the codes."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner

from withhold.cli.app import VERBS, app
from withhold.describing import described, describing
from withhold.errors import InputError, PolicyError
from withhold.formats.descriptions import read_descriptions

for _each in VERBS:
    import_module(f"withhold.cli.{_each}")


def run(*args: object):
    return CliRunner().invoke(app, [str(each) for each in args])


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    pairs = [(1, "E11"), (1, "F32"), (2, "E11"), (2, "F32"), (3, "I10"), (3, "J45"), (4, "I10")]
    words = {"E11": "Diabetes", "F32": "Depression", "I10": "High blood pressure"}
    rows = [f"{record},{code},{words.get(code, '')}" for record, code in pairs * 1]
    Path("v.csv").write_text("\n".join(["record,item,words", *rows]) + "\n")
    Path("codes.csv").write_text(
        "code,text\nF32,Depression\nE11,Diabetes\nI10,Diabetes\nX,Unused\n"
    )


RHO = ("--rho", "0.4", "--sensitive", "F32,")


def test_audit__shows_words_and_keeps_codes():
    plain = json.loads(run("audit", "v.csv", *RHO, "--json").stdout)
    text = run("audit", "v.csv", *RHO, "--describe", "item=words").stdout
    assert "{Diabetes (E11)}" in text
    assert "→ Depression (F32)" in text
    told = json.loads(run("audit", "v.csv", *RHO, "--describe", "codes.csv", "--json").stdout)
    assert told.pop("descriptions") == {"E11": "Diabetes", "F32": "Depression"}
    for each in (plain, told):
        each["check"].pop("seconds")
        each.pop("seconds")
    assert told == plain


def test_one_description_of_two_codes__stays_apart():
    text = run("inspect", "v.csv", "--describe", "codes.csv").stdout
    assert "Diabetes (E11)" in text
    assert "Diabetes (I10)" in text
    assert "J45" in text


def test_release__is_the_same_and_its_report_has_words():
    for name, more in (("a.csv", ()), ("b.csv", ("--describe", "codes.csv"))):
        made = run("anonymize", "v.csv", *RHO, "--seed", 1, "-o", name, "--report", *more)
        assert made.exit_code == 0, made.output
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()
    assert "Depression (F32)" in Path("b.csv.report.html").read_text()
    assert "Depression" not in Path("a.csv.report.html").read_text()
    assert "Depression" not in Path("b.csv.manifest.json").read_text()
    overwritten = run(
        "anonymize", "v.csv", *RHO, "--describe", "codes.csv", "-o", "codes.csv", "--force"
    )
    assert overwritten.exit_code != 0
    assert Path("codes.csv").read_text().startswith("code,text")


def test_suggestions__look_at_descriptions():
    Path("n.csv").write_text("record,item\n1,4711\n1,0815\n2,4711\n")
    Path("n-codes.csv").write_text("code,text\n4711,HIV self-test\n")
    found = run("inspect", "n.csv", "--suggest-sensitive", "--describe", "n-codes.csv")
    assert found.stdout == "4711\n"
    assert "HIV self-test (4711)" in found.stderr


def test_mistakes__are_said():
    for wanted, code, message in (
        ("nowhere.csv", 3, "does not exist"),
        ("item=wrods", 3, "name 'words'"),
        ("one.csv", 3, "descriptions need two"),
        ("item=words,record=words", 2, "one column of codes"),
    ):
        Path("one.csv").write_text("code\nE11\n")
        refused = run("audit", "v.csv", *RHO, "--describe", wanted)
        assert (refused.exit_code, message in refused.output) == (code, True), refused.output
    with pytest.raises(PolicyError, match="give a file"):
        read_descriptions("item=words", "-")
    with pytest.raises(InputError):
        read_descriptions("one.csv", None)


def test_several_descriptions__the_most_frequent_wins():
    Path("many.csv").write_text("c,t\nA,two\nA,one\nA,two\nB,b\nB,a\n,x\nC,\n")
    assert read_descriptions("many.csv", None) == {"A": "two", "B": "a"}
    with describing({"A": "two"}):
        assert described("A") == "two (A)"
    assert described("A") == "A"
