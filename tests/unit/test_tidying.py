"""One spelling: what becomes of values, what the road does with it, and the hints that ask for it."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from itertools import combinations
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import withhold as wh
from tables import examples
from typed import run
from withhold.data.hints import abbreviations, spelling_groups
from withhold.data.names import is_unknown
from withhold.data.profile import profile, profile_table
from withhold.data.table import Table
from withhold.data.tidy_ways import WAYS, merging_ways, tidy_text
from withhold.data.tidying import parse_tidy
from withhold.errors import InputError, PolicyError

words = st.text(st.sampled_from("aAbB .-/1ß\t"), min_size=1, max_size=6)
some_ways = st.sets(st.sampled_from(sorted(WAYS)), min_size=1)


def naive(value: str, ways: set[str]) -> str:
    """The same, written in another way."""
    value = re.sub(r"^\s+|\s+$", "", value) if ways else value
    if "punctuation" in ways and not re.search(r"\d", value) and not is_unknown(value):
        stripped = re.sub(r"\s+", " ", re.sub(r"[.\-/]", " ", value)).strip()
        value = stripped or value
    if "spaces" in ways:
        value = re.sub(r"\s+", " ", value).strip()
    return value.casefold() if "case" in ways else value


@examples(500)
@given(words, some_ways)
def test_tidy_text__is_what_it_says_and_done_once(value, ways):
    assert tidy_text(value, ways) == naive(value, ways)
    assert tidy_text(tidy_text(value, ways), ways) == tidy_text(value, ways)


def test_case__leaves_no_blanks_around_a_value(tmp_path: Path):
    (file := tmp_path / "people.csv").write_text('Sex,n\n"Male ",1\nmale,2\n" MALE",3\nfemale,4\n')
    table = wh.read_table(file, tidy="Sex=case")
    assert table.column("Sex").cells().tolist() == ["male", "male", "male", "female"]
    assert (table.tidied[0].changed, table.tidied[0].merged) == (2, 2)


@examples(300)
@given(st.lists(st.lists(words.filter(str.strip), max_size=5), min_size=1, max_size=6), some_ways)
def test_records__merge_what_becomes_one(rows, ways):
    rows = [[item.strip() for item in row] for row in rows]
    try:
        records = wh.read(rows)
    except InputError:  # names that differ by what nobody sees
        return
    made = wh.read(rows, tidy="items=" + ",".join(ways))
    assert made.to_lists() == [sorted({naive(item, ways) for item in row}) for row in rows]
    (done,) = made.tidied
    different = {item for row in records.to_lists() for item in row}
    assert done.changed == sum(
        naive(item, ways) != item for row in records.to_lists() for item in row
    )
    assert done.merged == len(different) - len({naive(item, ways) for item in different})


@examples(300)
@given(st.lists(words, min_size=1, max_size=8), some_ways)
def test_table__cells_and_counts(cells, ways):
    cells = [*cells, "", None]
    table = Table.from_columns({"a": cells, "b": cells})
    made = wh.read_table(table, tidy=["a=" + ",".join(ways)])
    new = [value and naive(value, ways) for value in cells]
    assert made.column("a").cells().tolist() == new
    assert made.column("b").cells().tolist() == cells
    (done,) = made.tidied
    assert done.changed == sum(one != other for one, other in zip(cells, new, strict=True))
    assert done.merged == len(set(cells)) - len(set(new))


@examples(300)
@given(st.lists(words, min_size=1, max_size=12))
def test_spelling_groups__are_the_pairs_that_tidying_makes_one(cells):
    counts = Counter(cells)
    groups, ways = spelling_groups(counts)
    every = set(WAYS)
    wanted = {
        frozenset(pair)
        for pair in combinations(counts, 2)
        if naive(pair[0], every) == naive(pair[1], every)
        and not any(is_unknown(value) for value in pair)
    }
    found = {frozenset(p) for group in groups for p in combinations([v for v, _ in group], 2)}
    assert found == wanted
    for group in groups:
        assert len({naive(value, set(ways)) for value, _ in group}) == 1
        assert [count for _, count in group] == sorted((counts[v] for v, _ in group), reverse=True)
    # None of the ways is asked for in vain.
    for fewer in combinations(ways, max(len(ways) - 1, 0)):
        if groups:
            assert any(len({naive(v, set(fewer)) for v, _ in group}) > 1 for group in groups)


@pytest.mark.parametrize(
    ("counts", "found"),
    [
        ({"A": 5, "AB": 2, "B": 3, "0": 2}, []),  # blood groups
        ({"IN": 5, "Indiana": 2, "CA": 3}, [("IN", "Indiana")]),
        ({"Jan.": 1, "January": 4, "Feb": 2, "February": 1}, [("Feb", "February"), ("Jan.", "January")]),
        ({"UK": 1, "United Kingdom": 3}, [("UK", "United Kingdom")]),
        ({"yes": 3, "no": 2, "not sure": 1, "y": 1}, [("no", "not sure")]),
        ({"E11": 3, "E110": 2}, []),
        ({"m": 1, "man": 1, "male": 5, "Make": 1}, [("m", "male")]),
        ({f"name{chr(97 + n % 26)}{chr(97 + n // 26)}": 1 for n in range(300)} | {"nam": 1}, []),
    ],
)  # fmt: skip
def test_abbreviations__by_hand(counts, found):
    assert abbreviations(counts) == found


def hints_of(**columns):
    return {(h.column, h.kind): h for h in profile_table(Table.from_columns(columns)).hints}


def test_hints__of_a_table_by_hand():
    rows = 100
    numbers = random.Random(4)
    found = hints_of(
        sex=["Male", "male", "M", "Female", "female "] * 20,
        zip=[f"{n % 10}" for n in range(rows)],
        town=[f"town {n % 10 // 2}" for n in range(rows)],
        pay=[str(5000 + 7 * n) if n < 40 else "0" for n in range(rows)],
        born=[f"19{50 + n % 40}-01-02" for n in range(rows)],
        eye=[numbers.choice("abc") for _ in range(rows)],
    )
    assert set(found) == {
        *(("sex", "spellings"), ("sex", "abbreviations"), ("zip", "determines")),
        *(("pay", "near-unique"), ("born", "dates")),
    }
    sex = found["sex", "spellings"]
    assert sex.remedy == "--tidy sex=case"
    assert (sex.numbers["values"], sex.numbers["become"], sex.numbers["rows"]) == (4, 2, 40)
    assert found["sex", "abbreviations"].numbers["pairs"] == [["M", "Male"]]
    assert found["zip", "determines"].numbers == {"determines": "town", "share": 1.0}
    assert "--drop zip" in found["zip", "determines"].remedy
    assert found["pay", "near-unique"].numbers == {"rows": 100, "alone": 40}
    assert "--bin pay=quantiles:10" in found["pay", "near-unique"].remedy
    assert found["born", "dates"].numbers == {"different": 40, "alone": 0}
    assert "--bin born=year" in found["born", "dates"].remedy


def test_hints__names_are_quoted_for_the_shell():
    found = hints_of(**{"sex, as told": ["Male", "male"]})
    assert found["sex, as told", "spellings"].remedy == "--tidy '\"sex, as told\"=case'"
    assert parse_tidy('"sex, as told"=case') == {"sex, as told": ("case",)}


def test_hints__of_items_by_hand():
    records = wh.read([["Beer", "beer", "tea"], ["beer"], ["black  tea", "black tea"], ["TEA."]])
    (hint,) = profile(records).hints
    assert hint.remedy == "--tidy items=case,punctuation"
    assert (hint.numbers["values"], hint.numbers["become"], hint.numbers["records"]) == (6, 3, 3)
    assert wh.inspect(wh.read([["beer"], ["tea"]])).hints == ()
    tidied = wh.read(records, tidy=hint.remedy.removeprefix("--tidy "))
    assert wh.inspect(tidied).hints == ()


def test_typed_columns__stay_what_they_are():
    frame = pl.DataFrame({"x": [1.5, float("nan")], "w": ["A", "a"]})
    made = wh.read_table(frame, tidy="all=case")
    assert [str(each) for each in made.tidied] == ["w=case"]
    assert made.to_polars().schema["x"] == pl.Float64
    assert made.to_polars()["w"].to_list() == ["a", "a"]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("sex", "COLUMN=case,spaces"),
        ("=case", "COLUMN=case,spaces"),
        ("sex=caes", "did you mean 'case'"),
        ("sex=", "is not one of"),
        (["sex=case", "sex=spaces"], "tidied twice"),
        ([5], "not 5"),
    ],
)
def test_parse__refuses_what_nobody_can_mean(written, message):
    with pytest.raises(PolicyError, match=message):
        parse_tidy(written)


def test_names__that_are_not_there():
    table = Table.from_columns({"sex": ["M"], "all": ["x"]})
    with pytest.raises(InputError, match=r"has no column 'sxe'.*name 'sex'"):
        wh.read_table(table, tidy="sxe=case")
    with pytest.raises(PolicyError, match="could mean two things"):
        wh.read_table(table, tidy="all=case")
    assert wh.read_table(table, tidy='"all"=case').rows() == [("M", "x")]
    with pytest.raises(PolicyError, match="write items=case"):
        wh.read([["a"]], tidy="sex=case")


@pytest.fixture
def files(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [["Bread", "beer", "CONDOM"], ["beer", "condom"], ["bread", "Coffee"], ["coffee"]] * 5
    Path("b.dat").write_text("\n".join(",".join(row) for row in rows) + "\n")
    people = [("Male", "male", "female", "Female ")[n % 4] for n in range(40)]
    table = "\n".join(f"{sex},{n % 3}" for n, sex in enumerate(people))
    Path("p.csv").write_text(f"sex,zip\n{table}\n")
    Path("wishes.csv").write_text("record,item\n1,Condom\n2,CONDOM\n*,Coffee\n")


RHO = ("--rho", "0.5", "--sensitive", "Condom,", "--seed", 1)


def test_road__lists_are_tidied_like_the_data(files):
    tidy = ("--tidy", "items=case")
    made = run("anonymize", "b.dat", *RHO, *tidy, "-o", "out.dat")
    assert made.exit_code == 0, made.output
    assert "tidied items (case): 15 occurrences changed, 3 spellings fewer" in made.output
    manifest, internal = (
        json.loads(Path(f"out.dat.{name}.json").read_text()) for name in ("manifest", "internal")
    )
    assert manifest["tidied"] == ["items=case"]
    assert manifest["model"]["sensitive"] == ["condom"]
    assert internal["input"]["tidied"] == [{"tidy": "items=case", "changed": 15, "merged": 3}]
    assert "CONDOM" not in Path("out.dat").read_text()
    assert run("verify", "out.dat").exit_code == 0
    assert run("verify", "out.dat", *RHO[:4], *tidy).exit_code == 0
    idle = run("verify", "out.dat", *tidy)
    assert idle.exit_code == 2
    assert "a release is read as it is" in idle.output
    side = json.loads(run("compare", "b.dat", "out.dat", "--json").stdout)
    release = wh.anonymize(
        wh.read("b.dat", tidy="items=case"), wh.RhoUncertainty("0.5", {"CONDOM"}), seed=1
    )
    withheld = side["releases"][0]["facts"]["occurrences.all.removed"]
    assert withheld == release.loss.removed
    again = run("anonymize", "b.dat", "--policy", "out.dat.internal.json", "-o", "again.dat")
    assert again.exit_code == 0, again.output
    assert Path("again.dat").read_bytes() == Path("out.dat").read_bytes()
    assert run("audit", "b.dat", *RHO[:4], *tidy).exit_code == 1
    swept = run("sweep", "b.dat", *RHO[2:], *tidy, "--vary", "rho=0.3,0.5")
    assert swept.exit_code == 0, swept.output
    assert "warning" not in swept.output


def test_road__of_a_table(files):
    asked = ("--model", "k-anonymity", "--k", 3, "--quasi-identifiers", "sex,zip")
    made = run("anonymize", "p.csv", *asked, "--tidy", "all=case,spaces", "-o", "out.csv")
    assert made.exit_code == 0, made.output
    assert "tidied sex (spaces, case): 20 cells changed, 2 spellings fewer" in made.output
    assert {line.split(",")[0] for line in Path("out.csv").read_text().split()[1:]} <= {
        *("male", "female", "")
    }
    assert json.loads(Path("out.csv.manifest.json").read_text())["tidied"] == ["sex=spaces,case"]
    assert run("verify", "out.csv").exit_code == 0
    side = json.loads(run("compare", "p.csv", "out.csv", "--json").stdout)
    assert side["releases"][0]["facts"]["loss.share"] == 0
    present = ("--presence", "0.1,0.9", "--population", "all.csv")
    Path("all.csv").write_text(Path("p.csv").read_text() + "MALE,0\nFEMALE,1\nmale,2\n" * 9)
    shown = run("anonymize", "p.csv", *asked, *present, "--tidy", "sex=case,spaces", "-o", "q.csv")
    assert shown.exit_code == 0, shown.output
    proof = next(line for line in shown.output.splitlines() if "to prove it again" in line)
    assert "--tidy sex=spaces,case" in proof
    assert run("verify", *proof.partition("withhold verify ")[2].split()).exit_code == 0


def test_road__of_personal_wishes(files):
    asked = ("--model", "personal-rho", "--rho", "0.5", "--constraints", "wishes.csv")
    made = run("anonymize", "b.dat", *asked, "--tidy", "items=case", "-o", "out.dat", "--seed", 1)
    assert made.exit_code == 0, made.output
    assert "warning" not in made.output
    proof = next(line for line in made.output.splitlines() if "to prove it again" in line)
    assert "--tidy items=case" in proof
    assert run("verify", *proof.partition("withhold verify ")[2].split()).exit_code == 0


def test_inspect__shows_hints_and_that_they_help(files):
    text = run("inspect", "p.csv", "--table").stdout
    assert "--tidy sex=case" in text
    found = json.loads(run("inspect", "p.csv", "--table", "--json").stdout)["hints"]
    assert [hint["kind"] for hint in found] == ["spellings"]
    assert run("inspect", "p.csv", "--table", "--tidy", "sex=case,spaces", "--json").stdout.count(
        '"hints": []'
    )
    assert "--tidy items=case" in run("inspect", "b.dat").stdout
    misspelt = run("inspect", "b.dat", "--tidy", "itmes=case")
    assert misspelt.exit_code == 2
    assert "items=case" in misspelt.output


def test_merging_ways__are_the_fewest_that_cure():
    assert merging_ways([("HIV", "hiv"), ("Pill", "PILL")]) == ("case",)
    assert merging_ways([("HIV  test", "HIV test")]) == ("spaces",)
    assert merging_ways([("self-test", "self test")]) == ("punctuation",)
    assert merging_ways([("self-test", "Self test"), ("a  b", "a b")]) == ("case", "punctuation")
    assert merging_ways([("selftest", "self test")]) == ()


def test_remedy__proposes_only_what_cures(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for other, cure in (
        ("HIV  test", "items=spaces"),
        ("HIV-test", "items=punctuation"),
        ("HIVtest", ""),
    ):
        Path("in.csv").write_text(f"tea,HIV test\nmilk,{other}\n" * 4)
        done = run("audit", "in.csv", "--rho", "0.5", "--sensitive", "HIV test,")
        assert done.exit_code == 3
        assert f"{other!r} (4)" in done.stderr
        assert ("--tidy" in done.stderr, cure in done.stderr) == (bool(cure), True)
        if cure:
            again = run(
                "audit", "in.csv", "--rho", "0.5", "--sensitive", "HIV test,", "--tidy", cure
            )
            assert again.exit_code in (0, 1), again.stderr
