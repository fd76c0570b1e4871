"""One rule for names: whitespace around them is never part of one, wherever they come from."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import withhold
from typed import run
from withhold.cli.methods import listed_items
from withhold.data import Constraints, Hierarchy, Records
from withhold.data.names import MISSING, WHITESPACE, clean, nearest
from withhold.data.wishes import parse_wish, write_wish
from withhold.errors import InputError, OutputError, PolicyError
from withhold.formats import read
from withhold.formats.constraints import read_constraints
from withhold.formats.hierarchy import read_hierarchy
from withhold.methods.coherence.model import Coherence
from withhold.methods.rho.model import RhoUncertainty

NBSP = "\u00a0"
CREME, DECOMPOSED = "Cr\u00e8me", "Cre\u0300me"


def files(folder: Path, rows: list[list[str]]) -> list[Path]:
    """The same rows in every format that could hold whitespace around a name."""
    paths = [folder / name for name in ("a.jsonl", "list.parquet", "long.parquet", "hot.parquet")]
    paths[0].write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    pl.DataFrame({"items": rows}).write_parquet(paths[1])
    pairs = [(f"r{number}", item) for number, row in enumerate(rows) for item in row]
    pl.DataFrame(pairs, schema=["tid", "item"], orient="row").write_parquet(paths[2])
    names = sorted({item for row in rows for item in row})
    pl.DataFrame({n: [n in row for row in rows] for n in names}).write_parquet(paths[3])
    text = folder / "a.dat"
    text.write_text("".join("|".join(row) + "\n" for row in rows), encoding="utf-8")
    return [*paths, text]


def test_whitespace_is_what_python_strips():
    assert set(WHITESPACE) == {chr(c) for c in range(0x110000) if chr(c).isspace()}
    assert all(clean(f"{c}a{c}b{c}") == f"a{c}b" for c in WHITESPACE)


def test_every_format_reads_the_same_names(tmp_path):
    for path in files(tmp_path, [["beer", f"ale{NBSP}"], [f"{NBSP}tea", "beer"]]):
        assert read(path).to_lists() == [["ale", "beer"], ["beer", "tea"]], path.name


def test_two_items_that_differ_only_by_whitespace_are_refused(tmp_path):
    for path in files(tmp_path, [["x", "a"], [f"{NBSP}x", "b"]]):
        with pytest.raises(InputError) as caught:
            read(path)
        assert "two items differ only by the whitespace" in str(caught.value), path.name
        assert repr("x") in str(caught.value)
        assert repr(f"{NBSP}x") in str(caught.value)
    for make in (read, Records.from_lists):
        with pytest.raises(InputError, match="whitespace"):
            make([["x"], [" x"]])


@pytest.mark.parametrize("other", ['" x"', '"x "', '"\tx"', ' " x"'])
def test_blanks_inside_quotes_belong_to_the_name(tmp_path, other):
    path = tmp_path / "a.csv"
    for text in (f'a,"x"\na,{other}\n', f"tid,item\n1,x\n2,{other}\n2,a\n"):
        path.write_text(text)
        with pytest.raises(InputError, match="two items differ only by the whitespace"):
            read(path)
        # Alone, a name is what is left without the blanks.
        path.write_text(text.replace('"x"\n', "b\n").replace("1,x", "1,b"))
        assert "x" in read(path).vocabulary
    path.write_text(f"tid,item\nx,a\n{other},b\n")
    with pytest.raises(InputError, match="two record ids differ only by the whitespace"):
        read(path)


def test_blanks_outside_quotes_belong_to_the_separator(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('tid,item\n"1", "x"\n 1,"y"\n"  ",z\n')
    assert read(path, skip_missing_ids=True).to_lists() == [["x", "y"]]
    path.write_text('"x", y\nx, "y","  "\n')
    assert read(path).to_lists() == [["x", "y"], ["x", "y"]]


def test_two_encodings_of_one_name_are_refused_and_neither_is_changed(tmp_path):
    for path in files(tmp_path, [[CREME], [DECOMPOSED]]):
        with pytest.raises(InputError) as caught:
            read(path)
        assert "normalisation" in str(caught.value), path.name
        assert ascii(DECOMPOSED) in str(caught.value)
    assert read([[DECOMPOSED]]).vocabulary == (DECOMPOSED,)


def test_a_sensitive_item_is_protected_whatever_blanks_are_around_it(tmp_path):
    rows = [["beer", " x"], ["beer", " x"], ["ale"]]
    (tmp_path / "list.txt").write_text("x\n")
    for model in (RhoUncertainty("0.5", {" x "}), Coherence("0.5", 2, 1, {f"x{NBSP}"})):
        assert model.sensitive == {"x"}
        assert withhold.verify(rows, model).status.value == "BROKEN"
    assert listed_items(str(tmp_path / "list.txt")) == {"x"}


@pytest.mark.parametrize("name", ["", " ", NBSP])
def test_a_model_refuses_an_item_without_a_name(name):
    with pytest.raises(PolicyError, match="no name"):
        RhoUncertainty("0.5", {"a", name})
    with pytest.raises(PolicyError, match="no name"):
        Coherence("0.5", 2, 1, {"a", name})


def test_names_that_are_empty_are_no_items_in_text_and_refused_elsewhere(tmp_path):
    text = tmp_path / "a.csv"
    text.write_text(f"a,{NBSP},b\n{NBSP}\n", encoding="utf-8")
    assert read(text).to_lists() == [["a", "b"], []]
    text.write_text(f"tid,item\n1,{NBSP}\n1,a\n", encoding="utf-8")
    assert read(text).to_lists() == [["a"]]
    assert read(pl.DataFrame({"tid": [1, 1], "item": [" ", "a"]})).to_lists() == [["a"]]
    for path in files(tmp_path, [["a", NBSP]])[:2]:
        with pytest.raises(InputError, match=r"no name|a blank item"):
            read(path)
    for make in (read, Records.from_lists):
        with pytest.raises(InputError, match="no name"):
            make([["a", " "]])


def test_record_ids_follow_the_same_rule(tmp_path):
    frame = pl.DataFrame({"tid": ["u ", "u ", "v"], "item": ["a", "b", "a"]})
    assert read(frame).record_ids == ("u", "v")
    for columns in (
        {"tid": ["u", "u "], "item": ["a", "b"]},
        {"tid": ["u", "u "], "items": [["a"], ["b"]]},
        {"id": ["u", "u "], "a": [1, 0], "b": [0, 1]},
        {"tid": [CREME, DECOMPOSED], "item": ["a", "b"]},
    ):
        with pytest.raises(InputError, match="two record ids differ only by"):
            read(pl.DataFrame(columns))
    path = tmp_path / "a.jsonl"
    path.write_text('{"record": "u", "items": []}\n{"record": "u\\t", "items": []}\n')
    with pytest.raises(InputError, match="two record ids differ only by"):
        read(path)


def test_consent_constraints_and_hierarchies_follow_the_same_rule(tmp_path):
    table = Records.from_lists([["a"], ["b"]], record_ids=["u", "v"])
    (tmp_path / "yes.txt").write_text(f"{NBSP}u\r\n", encoding="utf-8")
    assert len(read(table, consent=str(tmp_path / "yes.txt"))) == 1
    assert len(read(table, consent=["u "])) == 1
    path = tmp_path / "wishes.parquet"
    pl.DataFrame({"record": [" u", "v"], "item": [f"a{NBSP}", " b"]}).write_parquet(path)
    for made in (read_constraints(path, table), Constraints.of({"u ": [" a"], "v": ["b"]}, table)):
        assert [made.of_record(row) for row in (0, 1)] == [("a",), ("b",)]
    assert Constraints.of(lambda record: [f"{item} " for item in record], table).items == ("a", "b")
    tree = Hierarchy.from_edges([("a ", "letters"), ("b", "letters")])
    assert tree.leaves == ("a", "b")
    with pytest.raises(InputError, match="two nodes differ only"):
        Hierarchy.from_edges([("a", "letters"), ("a ", "letters")])
    (tmp_path / "tree.csv").write_text(f"a{NBSP};letters\nb;letters\n", encoding="utf-8")
    assert read_hierarchy(tmp_path / "tree.csv").leaves == ("a", "b")


# --- items that start with an exclamation mark ---------------------------------------------------


@given(st.text("!\\ab ", min_size=1).map(str.strip).filter(bool), st.booleans())
def test_every_item_can_be_wished_for_and_taken_back(name, back):
    assert parse_wish(write_wish(name, back=back)) == (name, back)


def test_an_item_with_an_exclamation_mark_in_a_file(tmp_path):
    table = Records.from_lists([["!a", "a"], ["!a"]])
    path = tmp_path / "wishes.csv"
    path.write_text("record,item\n*,\\!a\n2,!\\!a\n1,a\n")
    made = read_constraints(path, table)
    assert [made.of_record(row) for row in (0, 1)] == [("!a", "a"), ()]
    assert Constraints.of({"*": ["\\!a"], 1: ["!\\!a"], 0: ["a"]}, table).digest() == made.digest()


def test_a_function_returns_names_not_wishes():
    table = Records.from_lists([["!a"], ["b"]])
    assert Constraints.of(lambda record: record, table).of_record(0) == ("!a",)


@pytest.mark.parametrize(
    ("written", "said"), [("!", "names no item"), (" ! ", "names no item"), ("!!a", r"!\\!a")]
)
def test_wishes_without_a_meaning_come_with_their_line(tmp_path, written, said):
    path = tmp_path / "wishes.csv"
    path.write_text(f"record,item\n1,b\n1,{written}\n")
    with pytest.raises(InputError, match=rf"line 3: .*{said}"):
        read_constraints(path, Records.from_lists([["b"]]))


def test_a_record_called_star_is_not_everybody(tmp_path):
    table = Records.from_lists([["a"], ["b"]], record_ids=["*", "v"])
    (tmp_path / "wishes.csv").write_text("record,item\n*,a\n")
    with pytest.raises(InputError, match="stands for everybody, but"):
        read_constraints(tmp_path / "wishes.csv", table)
    with pytest.raises(InputError, match="stands for everybody, but"):
        Constraints.of({"*": ["a"]}, table)


# --- lists of items ------------------------------------------------------------------------------


def test_a_list_file_may_have_quotes_repetitions_windows_line_ends_and_a_mark(tmp_path):
    path = tmp_path / "list.txt"
    path.write_bytes(
        '\ufeffbeer\r\n"milk, whole"\r\n\r\nbeer\r\n"say ""ah"""\r\n 5" pipe\r\n'.encode()
    )
    assert listed_items(str(path)) == {"beer", "milk, whole", 'say "ah"', '5" pipe'}
    path.write_text('"a" and "b"\n')
    with pytest.raises(InputError, match="line 1: has quotes"):
        listed_items(str(path))


def test_an_item_that_is_also_a_file_says_which_was_taken(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("condom").write_text("beer\n")
    assert listed_items("condom") == {"beer"}
    assert "read from the file condom" in capsys.readouterr().err
    assert listed_items("condom,") == {"condom"}
    assert capsys.readouterr().err == ""


# --- rows without a record id --------------------------------------------------------------------

BLANKS = [*sorted(MISSING), " ", NBSP, " NA ", "Na", "NAN", "Null", "None", "#N/A", r"\N"]


@pytest.mark.parametrize("blank", BLANKS)
def test_rows_without_an_id_are_refused_or_skipped(tmp_path, blank):
    path = tmp_path / "a.csv"
    path.write_text(f"tid,item\n1,a\n{blank},b\n2,a\n{blank},c\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read(path)
    assert "line 3, column 'tid': 2 rows do not say which record they belong to" in str(
        caught.value
    )
    assert "skip_missing_ids=True" in str(caught.value)
    table = read(path, skip_missing_ids=True)
    assert (table.record_ids, table.skipped_rows) == (("1", "2"), 2)
    assert table.vocabulary == ("a",)


@pytest.mark.parametrize("blank", [None, float("nan"), pd.NA, pd.NaT, "NA", ""])
def test_blanks_of_every_frame_are_one_thing(blank):
    rows = [("u", "a"), (blank, "b"), ("v", "c")]
    frame = pd.DataFrame(rows, columns=["tid", "item"], dtype=object)
    with pytest.raises(InputError, match="row 2 does not say"):
        read(frame)
    table = read(frame, skip_missing_ids=True)
    assert (table.record_ids, table.skipped_rows) == (("u", "v"), 1)


def test_numbers_beside_nan_are_ids():
    frame = pd.DataFrame({"tid": [1.0, float("nan"), 2.0], "item": ["a", "b", "c"]})
    with pytest.raises(InputError, match="row 2 does not say"):
        read(frame)
    assert read(frame, skip_missing_ids=True).record_ids == ("1", "2")


def test_records_without_an_id_in_the_other_formats(tmp_path):
    json_lines = tmp_path / "a.jsonl"
    json_lines.write_text(
        '{"record": "u", "items": ["a"]}\n{"record": null, "items": ["b"]}\n{"items": ["c"]}\n'
    )
    one_hot = tmp_path / "a.csv"
    one_hot.write_text("id,a,b\nu,1,0\nNa,1,1\nNull,0,1\n")
    lists = pl.DataFrame({"id": ["u", "none", "NAN"], "items": [["a"], ["b"], ["c"]]})
    bits = pl.DataFrame({"id": ["u", None, "nan"], "a": [1, 0, 1], "b": [0, 1, 1]})
    for source in (json_lines, one_hot, lists, bits):
        with pytest.raises(InputError, match="2 rows do not say"):
            read(source)
        table = read(source, skip_missing_ids=True)
        assert (table.to_lists(), table.record_ids, table.skipped_rows) == ([["a"]], ("u",), 2)


def test_skipped_rows_are_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("tid,item\n1,a\nNA,b\n2,a\n3,c\n")
    options = ["a.csv", "--rho", "0.9", "--sensitive", "c"]
    refused = run("audit", *options)
    assert refused.exit_code == 3
    assert "leave these rows out with --skip-missing-ids" in refused.stderr
    told = run("audit", *options, "--skip-missing-ids")
    assert "1 row without a record id was left out" in told.stderr
    seen = run("inspect", "a.csv", "--skip-missing-ids")
    assert "rows without a record id, left out  1" in seen.stdout
    as_json = run("inspect", "a.csv", "--skip-missing-ids", "--json")
    assert json.loads(as_json.stdout)["skipped_rows"] == 1
    table = run("inspect", "a.csv", "--table", "--skip-missing-ids")
    assert table.exit_code == 2


def test_nothing_left_is_an_error(tmp_path):
    (tmp_path / "a.csv").write_text("tid,item\nNA,b\n")
    with pytest.raises(InputError, match="no records"):
        read(tmp_path / "a.csv", skip_missing_ids=True)


def test_consent_by_column_with_skipped_rows(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("tid,item,ok\n1,a,1\nNA,b,0\n2,a,0\n1,c,1\n")
    table = read(path, consent="ok", skip_missing_ids=True)
    assert table.record_ids == ("1",)
    frame = pl.DataFrame(
        {"tid": [1.0, 1.0, None, 2.0], "item": ["a", "b", "c", "d"], "ok": [1, 1, 0, 0]}
    )
    assert read(frame, consent="ok", item_column="item", skip_missing_ids=True).record_ids == ("1",)


def test_a_release_never_writes_an_id_that_means_none(tmp_path):
    table = Records.from_lists([["a"]] * 2, record_ids=["NA", "u"])
    with pytest.raises(OutputError, match="the record id 'NA'"):
        withhold.formats.write(table, tmp_path / "a.jsonl")


# --- suggestions and spellings -------------------------------------------------------------------


def test_suggestions_do_not_mind_the_case():
    header = ["PATIENT", "Drug"]
    frame = pl.DataFrame({name: ["x", "y"] for name in header})
    with pytest.raises(InputError, match="name 'PATIENT', if that"):
        read(frame, record_column="patient")
    with pytest.raises(InputError, match="name 'Drug', if that"):
        read(frame, record_column="PATIENT", item_column="drgu")
    assert nearest("CONDOMS", ["beer", "condom"]) == "condom"


def test_messages_spell_options_as_they_were_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("a,b;c\nd,e\n")
    assert "with --separator comma." in run("inspect", "a.csv").stderr
    with pytest.raises(InputError, match="with separator='comma'"):
        read("a.csv")
