"""Codes with their descriptions: people read words, models and JSON keep the codes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from typed import run
from withhold.data import Records
from withhold.data.suggesting import suggest_sensitive
from withhold.describing import described, describing
from withhold.errors import InputError, PolicyError
from withhold.formats.columns import Options
from withhold.formats.descriptions import read_descriptions


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
        each.pop("seconds_waited")
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


PEOPLE = ("p.csv", "--items", "conditions.csv", "--items", "drugs.csv", "--item-column", "code")
ATTRIBUTES = ("--quasi-identifiers", "sex", "--sensitive", "conditions: F32,")
LINKED = ("--model", "people", "--rho", "0.4", "--k", "2", "--max-known", "1", *ATTRIBUTES)
CODES = re.compile(r"(?:conditions|drugs): [A-Z]\d\d")
WORDS = {"conditions": {"F32": "Depression", "E11": "Diabetes"}, "drugs": {"F32": "Fluoxetine"}}


@pytest.fixture
def people() -> None:
    Path("p.csv").write_text("id,sex\n" + "".join(f"p{n},{'fm'[n % 2]}\n" for n in range(12)))
    for part, codes in {"conditions": ("F32", "E11"), "drugs": ("F32",)}.items():
        rows = [
            f"p{n},{code},{WORDS[part][code]}"
            for n in range(12)
            for place, code in enumerate(codes)
            if (n + place) % 3 == 0
        ]
        Path(f"{part}.csv").write_text("\n".join(["id,code,words", *rows]) + "\n")
    Path("both.csv").write_text(
        "code,text\nE11,Diabetes\nconditions: F32,Depression\ndrugs: F32,Fluoxetine\n"
    )


@pytest.mark.parametrize("wanted", ["code=words", "both.csv"])
@pytest.mark.parametrize(
    "words",
    [
        ("inspect", *PEOPLE),
        ("inspect", *PEOPLE, "--suggest-sensitive"),
        ("audit", *PEOPLE, *LINKED),
        ("audit", *PEOPLE, "--model", "people-apart", "--rho", "0.4", *ATTRIBUTES),
    ],
    ids=["inspect", "suggestions", "audit", "audit of apart"],
)
def test_items_of_several_files__are_shown_with_their_words(people, words, wanted):
    shown = run(*words, "--describe", wanted)
    text = shown.stderr if "--suggest-sensitive" in words else shown.output
    assert "Depression (conditions: F32)" in text, shown.output
    assert len(CODES.findall(text)) == len(re.findall(r"[a-z]+ \((?:conditions|drugs): ", text))
    assert "Depression (drugs: F32)" not in text


def test_items_of_several_files__in_reports_verdicts_and_json(people):
    made = run("anonymize", *PEOPLE, *LINKED, "-o", "o.csv", "--report", "--describe", "code=words")
    assert made.exit_code == 0, made.output
    page = Path("o.csv.report.html").read_text()
    assert "Depression (conditions: F32)" in page
    assert len(CODES.findall(page)) == len(re.findall(r"[a-z]+ \((?:conditions|drugs): ", page))
    assert "Depression" not in Path("o.csv.manifest.json").read_text()
    other = (*LINKED[:3], "0.1", *LINKED[4:-1], "conditions: E11,", "--describe", "both.csv")
    broken = run("verify", "o.csv", *other).output
    assert "Diabetes (conditions: E11)" in broken
    told = json.loads(run("audit", *PEOPLE, *LINKED, "--describe", "both.csv", "--json").stdout)
    assert told["descriptions"]["conditions: F32"] == "Depression"


def test_columns_of_descriptions__are_those_of_the_files_of_items(people):
    assert read_descriptions("code=words", "p.csv", ["conditions.csv"]) == WORDS["conditions"]
    Path("drugs.csv").write_text("id,code\np1,F32\n")
    found = read_descriptions("code=words", "p.csv", ["conditions.csv", "drugs.csv"])
    assert found == {"conditions: F32": "Depression", "conditions: E11": "Diabetes"}
    refused = run("inspect", *PEOPLE, "--describe", "code=wrods")
    assert (refused.exit_code, "name 'words'" in refused.output) == (3, True), refused.output
    Path("latin.csv").write_bytes("id;code;words\np1;F32;Dépression\n".encode("cp1252"))
    how = Options(separator=";", encoding="cp1252")
    assert read_descriptions("code=words", "p.csv", ["latin.csv"], how) == {"F32": "Dépression"}


def test_suggestions__know_codes_after_the_name_of_their_file():
    records = Records.from_lists([["conditions: F32", "conditions: E11"], ["conditions: I10"]])
    assert [each.item for each in suggest_sensitive(records)] == ["conditions: F32"]
