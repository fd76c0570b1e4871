"""Items that might be sensitive: what is proposed, what is not, and that nothing is applied."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import withhold as wh
from typed import run
from withhold.data.pharmacy import SENSITIVE
from withhold.data.suggesting import starter_list, suggest_sensitive
from withhold.formats.items import as_listed, read_item_list

STI, DRUGS, MENTAL = "sexually transmitted infections", "alcohol and drugs", "mental health"
VIOLENCE, BIRTH = "violence and abuse", "pregnancy and birth"


def proposed(*items: str, **meaning: str) -> dict[str, str]:
    found = suggest_sensitive(wh.read([items]), meaning=meaning)
    return {each.item: each.why for each in found}


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("F32.1", MENTAL), ("F10", DRUGS), ("B20", "HIV"), ("B24", "HIV"),
        ("B25.9", None), ("A49.9", None), ("A50", STI), ("A64", STI),
        ("A65", None), ("O80", BIRTH), ("O9A.2", BIRTH), ("Z21", "HIV"),
        ("Z33.1", BIRTH), ("Z00.0", None), ("N46", "fertility"), ("N97.9", "fertility"),
        ("E11.9", None), ("I10", None), ("ICD-10: F20.0", MENTAL), ("F20 Schizophrenia", MENTAL),
        ("X71.XXA", "self-harm"), ("Y09", VIOLENCE), ("K7031", DRUGS),
    ],
)  # fmt: skip
def test_codes__by_hand(code, why):
    assert proposed(code, "J45", "M54.5").get(code) == why


def test_codes__lie_in_their_ranges_by_brute_force():
    blocks = [f"{a}{b}{c}" for a in "ABEFGKNOQRTXYZ" for b in "0123456789" for c in "0123456789A"]
    ranges = [term for term in starter_list() if term.kind == "code"]
    for block in blocks:
        wanted = set()
        for term in ranges:
            ends = (
                (term.pattern.split("-") * 2)[:2]
                if "-" not in term.pattern
                else term.pattern.split("-")
            )
            inside = blocks[blocks.index(ends[0]) : blocks.index(ends[1]) + 1]
            wanted |= {term.why} if block in inside else set()
        found = proposed(block)
        assert set(found.values()) == wanted, block


@pytest.mark.parametrize(
    ("item", "why"),
    [
        ("HIV self-test", "HIV"), ("Major depressive disorder", MENTAL), ("NORMAL PREGNANCY", BIRTH),
        ("suicidal_ideation", "self-harm"), ("alcohol wipes", None), ("alcohol dependence", DRUGS),
        ("behiver", None), ("grapes", None), ("rape", VIOLENCE), ("steak", None), ("std", STI),
        ("stdout", None), ("Viral sinusitis", None), ("Chlamydiae", STI),
    ],
)  # fmt: skip
def test_words__by_hand(item, why):
    assert proposed(item).get(item) == why


def test_codes_of_other_things__are_no_diagnoses():
    # A shop's article numbers look like ICD-10 here and there.
    assert proposed("F32", "10-A", "4711", "bread") == {}
    assert proposed("F32", "10-A", "4711", "bread", F32="Depression") == {"F32": MENTAL}


def test_pharmacy__most_of_what_is_sensitive_is_proposed_and_nothing_else():
    records, sensitive = wh.pharmacy(500)
    found = {each.item for each in suggest_sensitive(records)}
    assert found <= {*sensitive, "condoms", "prenatal-vitamins"}
    assert len(found & SENSITIVE) >= 6
    assert random.Random(1).sample(sorted(found), 1)[0] in records.vocabulary


def test_inspect__prints_a_list_that_can_be_redirected(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("v.csv").write_text("record,item\n1,F32.1\n1,I10\n2,F32.1\n2,B20\n3,I10\n3,J45\n")
    shown = run("inspect", "v.csv", "--suggest-sensitive")
    assert (shown.exit_code, shown.stdout) == (0, "F32.1\nB20\n")
    assert MENTAL in shown.stderr
    Path("quoted.txt").write_text(as_listed('"a"') + "\n")
    assert read_item_list(Path("quoted.txt")) == {'"a"'}
    assert "a proposal" in shown.stderr
    Path("sensitive.txt").write_text(shown.stdout)
    assert run("audit", "v.csv", "--rho", "0.5", "--sensitive", "sensitive.txt").exit_code in (0, 1)
    found = json.loads(run("inspect", "v.csv", "--suggest-sensitive", "--json").stdout)
    assert found["suggested"][0] == {
        "item": "F32.1", "records": 2, "why": MENTAL, "matched": "F20-F99",
    }  # fmt: skip
    nothing = run("inspect", "v.csv", "--suggest-sensitive", "--table")
    assert nothing.exit_code == 2
    Path("n.csv").write_text("record,item\n1,bread\n2,tea\n")
    none = run("inspect", "n.csv", "--suggest-sensitive")
    assert (none.exit_code, none.stdout.strip()) == (0, "")
    assert "knows none of the items" in none.stderr
