"""Cells that spreadsheets run: a warning, and on request a quote before them that verify understands."""

from __future__ import annotations

import csv
import hashlib
import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import withhold as wh
from tables import examples
from typed import run
from withhold.errors import PolicyError
from withhold.formats.formulas import escape, is_formula, unescape

ROWS = [["=cmd!x", "beer"], ["'=cmd!x", "=cmd!x"], ["-5", "beer"], ["+a", "beer", "tea"]]
MODEL = wh.RhoUncertainty("1/2", {"=cmd!x"})
TABLE = {
    "q": ["=1+1", "=1+1", "'=1+1", "'=1+1"],
    "@col": ["-1", "-x", "\t=y", " =z"],
    "n": ["-1.5", "-", "a=b", "'tis"],
}


def written(path) -> list[list[str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="\t" if str(path).endswith("tsv") else ","))


@examples(300)
@given(st.text("'=+-@\t 1ax.,", max_size=6), st.text("'=+-@\t 1ax.,", max_size=6))
def test_escape__can_be_undone_and_makes_every_cell_safe(one, other):
    assert unescape(escape(one)) == one
    assert not is_formula(escape(one))
    assert (escape(one) == escape(other)) == (one == other)


@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.csv.gz"])
def test_table__is_made_safe_and_proved(tmp_path, name):
    release = wh.anonymize(pl.DataFrame(TABLE), wh.KAnonymity(2, ["q"]), publish="all")
    published = release.write(tmp_path / name, safe_csv=True)
    assert published.warnings == ()
    manifest = json.loads(published.manifest.read_text())
    assert manifest["output"]["safe_csv"] is True
    assert run("verify", published.path).exit_code == 0
    if name.endswith("gz"):
        return
    rows = written(published.path)
    assert not any(is_formula(cell) for row in rows for cell in row)
    assert rows[0] == ["q", "'@col", "n"]
    assert [row[0] for row in rows[1:]] == ["'=1+1", "'=1+1", "''=1+1", "''=1+1"]
    assert [row[2] for row in rows[1:]] == ["-1.5", "-", "a=b", "'tis"]


def test_table__without_the_option_is_warned_about(tmp_path):
    release = wh.anonymize(pl.DataFrame(TABLE), wh.KAnonymity(2, ["q"]), publish="all")
    published = release.write(tmp_path / "out.csv")
    # A column's name, two cells of q, and all but the number of the second column.
    assert published.warnings[0].startswith("6 cells begin with =, +, -, @ or a tab")
    manifest = json.loads(published.manifest.read_text())
    assert manifest["warnings"] == list(published.warnings)
    assert release.write(tmp_path / "out.parquet").warnings == ()
    plain = wh.anonymize(pl.DataFrame({"q": ["a", "a"], "n": ["-1", "2"]}), wh.KAnonymity(2, ["q"]))
    assert plain.write(tmp_path / "plain.csv").warnings == ()


@pytest.mark.parametrize("name", ["out.csv", "long.csv"])
def test_records__are_made_safe_and_the_same_items_are_protected(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    source = Path("in.csv")
    if name == "long.csv":
        pairs = [f"{number},{item}" for number, row in enumerate(ROWS, 1) for item in row]
        source.write_text("\n".join(["record,item", *pairs]) + "\n")
    else:
        source.write_text("\n".join(",".join(row) for row in ROWS) + "\n")
    given = ("--rho", "1/2", "--sensitive", "=cmd!x,", "--allow-unknown", "-o", name)
    loud = run("anonymize", source, *given)
    assert loud.exit_code == 0, loud.output
    assert "a spreadsheet may run such a cell" in loud.stderr
    done = run("anonymize", source, *given, "--safe-csv", "--force", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["warnings"] == []
    assert not any(is_formula(cell) for row in written(name) for cell in row)
    assert "''=cmd!x" in Path(name).read_text()
    assert run("verify", name).exit_code == 0
    # Put back what was withheld: the item is found under the name that it has in the file.
    text = Path(name).read_text()
    broken = (
        "'=cmd!x,beer\n" * 5
        if name == "out.csv"
        else "".join(f"{n},'=cmd!x\n{n},gin\n" for n in range(90, 95))
    )
    Path(name).write_text(text + broken)
    found = run("verify", name, "--json")
    assert found.exit_code == 1
    assert json.loads(found.stdout)["verdict"] == "BROKEN"


@pytest.mark.parametrize("name", ["out.jsonl", "out.parquet", "out.dat", "out.spmf"])
def test_other_formats__refuse_the_option(tmp_path, name):
    path = tmp_path / "in.dat"
    path.write_text("\n".join(" ".join(row) for row in ROWS) + "\n")
    given = ("--rho", "1/2", "--sensitive", "tea,", "--safe-csv", "-o", tmp_path / name)
    done = run("anonymize", path, *given)
    assert done.exit_code == 2, done.output
    assert "--safe-csv" in done.stderr
    release = wh.anonymize(ROWS, MODEL, allow_unknown=True)
    with pytest.raises(PolicyError, match="CSV or TSV"):
        release.write(tmp_path / name, safe_csv=True)


def test_one_hot__warns_and_refuses_the_option(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("=a,b,c\n1,0,1\n0,1,1\n1,1,0\n")
    release = wh.anonymize(path, wh.RhoUncertainty("0.9", {"c"}))
    assert release.write(tmp_path / "out.csv").warnings[-1].startswith("1 cell begins")
    with pytest.raises(PolicyError):
        release.write(tmp_path / "safe.csv", safe_csv=True)


HELD = "'=x,beer\n'=x,beer\n'=x,beer\ntea,beer\nmilk,tea\nsoap\nsoap\n"
"""With the quotes a part of the names, '=x and beer give each other away; without, =x is of no interest."""
SENSITIVE = ("--rho", "0.6", "--sensitive", "'=x,milk")


def forged(path: Path, text: str, **output) -> None:
    """A file with a manifest that was made for another and describes this one."""
    release = wh.anonymize([["a", "b"], ["a"], ["b"]], wh.RhoUncertainty("1/2", {"b"}))
    release.write(path.with_name("other.csv"))
    manifest = json.loads(path.with_name("other.csv.manifest.json").read_text())
    path.write_text(text)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    manifest["output"] |= {"sha256": digest, "separator": ",", **output}
    path.with_name(path.name + ".manifest.json").write_text(json.dumps(manifest))


def test_verify__a_manifest_alone_does_not_take_quotes_off_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    forged(Path("sx.csv"), HELD, safe_csv=True)
    result = run("verify", "sx.csv", *SENSITIVE)
    assert result.exit_code == 5, result.output
    assert "withhold verify sx.csv --safe-csv   (as the manifest says: HOLDS)" in result.output
    assert "withhold verify sx.csv --no-safe-csv   (as the file looks: BROKEN)" in result.output
    assert run("verify", "sx.csv", *SENSITIVE, "--no-safe-csv").exit_code == 1
    assert run("verify", "sx.csv", *SENSITIVE, "--safe-csv").exit_code == 0


def test_verify__changed_bytes_are_read_in_both_ways_as_well(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    forged(Path("sx.csv"), HELD, safe_csv=True, sha256="0" * 64)
    assert run("verify", "sx.csv", *SENSITIVE).exit_code == 5
    assert run("verify", "sx.csv", *SENSITIVE, "--format", "basket").exit_code == 5


def test_verify__a_file_with_formulas_was_not_made_safe(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    forged(Path("sx.csv"), "'=x,beer\n=x,beer\ntea\n", safe_csv=True)
    result = run("verify", "sx.csv", *SENSITIVE)
    assert result.exit_code == 3
    assert "was not written with --safe-csv" in result.output


def test_verify__a_stated_safe_csv_needs_no_manifest(tmp_path):
    (tmp_path / "sx.csv").write_text(HELD)
    assert run("verify", tmp_path / "sx.csv", *SENSITIVE).exit_code == 1
    assert run("verify", tmp_path / "sx.csv", *SENSITIVE, "--safe-csv").exit_code == 0


def test_compare__the_original_says_whether_quotes_belong_to_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("=x,beer\n'tis,beer\ntea\n")
    release = wh.anonymize(wh.read("in.csv"), wh.RhoUncertainty("0.9", {"tea"}))
    release.write("out.csv", safe_csv=True)
    result = run("compare", "in.csv", "out.csv", "--json")
    assert result.exit_code == 0, result.output
    Path("raw.csv").write_text("'=x,beer\n'tis,beer\ntea\n")
    assert run("compare", "raw.csv", "out.csv", "--json").exit_code == 0
    Path("both.csv").write_text("'=x,beer\n=x,beer\n'tis,beer\ntea\n")
    result = run("compare", "both.csv", "out.csv")
    assert result.exit_code == 5
    assert "--no-safe-csv" in result.output
    assert run("compare", "both.csv", "out.csv", "--safe-csv").exit_code == 0


def test_verify__a_mark_for_a_column_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    release = wh.anonymize(pl.DataFrame({"q": ["a", "a", "b", "b"]}), wh.KAnonymity(2, ["q"]))
    release.write("out.csv")
    manifest = json.loads(Path("out.csv.manifest.json").read_text())
    manifest["output"] |= {"marked": ["zz"], "mark": "*"}
    Path("out.csv.manifest.json").write_text(json.dumps(manifest))
    result = run("verify", "out.csv")
    assert result.exit_code == 5
    assert "its manifest does not fit the file" in result.output
    assert "'zz'" in result.output
    assert result.output.count("withhold verify out.csv") == 1
