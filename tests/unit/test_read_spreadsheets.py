"""Sheets of Excel and OpenDocument files: which one, what types, and every way in which they are wrong."""

from __future__ import annotations

import io
import sys
import zipfile
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

import withhold as wh
from fuzzed import open_document
from withhold.errors import InputError, OutputError
from withhold.formats import output_form

HEADER = ["id", "name", "age", "size", "born", "seen", "mixed", "flag", "twice", "none"]


def book(folder: Path, name: str = "people.xlsx", **sheets: list[list[Any]]) -> Path:
    """A file with these sheets; a cell that is a tuple is a formula and its value."""
    made = xlsxwriter.Workbook(path := folder / name)
    days = made.add_format({"num_format": "yyyy-mm-dd"})
    moments = made.add_format({"num_format": "yyyy-mm-dd hh:mm"})
    for title, rows in sheets.items():
        sheet = made.add_worksheet(title)
        for at, row in enumerate(rows):
            for place, cell in enumerate(row):
                if isinstance(cell, tuple):
                    sheet.write_formula(at, place, cell[0], None, cell[1])
                elif isinstance(cell, datetime):
                    sheet.write_datetime(at, place, cell, moments)
                elif isinstance(cell, date):
                    sheet.write_datetime(at, place, cell, days)
                elif cell is not None:
                    sheet.write(at, place, cell)
    made.close()
    return path


def rows() -> list[list[Any]]:
    return [
        HEADER,
        *(
            [f"00{n}", "Zoë", n, n / 2, date(2020, 1, n), datetime(2020, 1, n, n, 30), *more]
            for n, more in enumerate(([1, True, ("=C2*2", 2)], ["x", False, ("=C3*2", 4)]), start=1)
        ),
        ["003"],
    ]


def test_types_are_kept(tmp_path: Path) -> None:
    table = wh.read_table(book(tmp_path, Leute=rows()))
    assert table.rows()[:2] == [
        ("001", "Zoë", "1", "0.5", "2020-01-01", "2020-01-01 01:30:00.000", "1", "true", "2", None),
        (
            "002",
            "Zoë",
            "2",
            "1.0",
            "2020-01-02",
            "2020-01-02 02:30:00.000",
            "x",
            "false",
            "4",
            None,
        ),
    ]
    assert table.rows()[2] == ("003", *[None] * 9)
    kinds = [column.kind.partition("(")[0] for column in table.columns]
    texts = "String"
    assert kinds[:4] == [texts, texts, "Int64", "Float64"]
    assert kinds[4:] == ["Date", "Datetime", texts, "Boolean", "Int64", texts]
    assert table.source is not None
    assert (table.source.container, table.source.sheet) == ("spreadsheet", "Leute")


def test_records_are_found_as_in_a_csv_file(tmp_path: Path) -> None:
    long = [["order_id", "product"], [7, "whole milk"], [7, 12], [8, "a,b"], [9, None]]
    records = wh.read(book(tmp_path, orders=long))
    assert records.to_lists() == [["12", "whole milk"], ["a,b"], []]
    assert records.record_ids == ("7", "8", "9")
    lists = [["order_id", "items"], [1, "milk;bread"], [2, "tea"]]
    assert wh.read(book(tmp_path, orders=lists)).to_lists() == [["bread", "milk"], ["tea"]]
    hot = [["id", "milk", "tea"], ["a", 1, 0], ["b", 1, 1]]
    assert wh.read(book(tmp_path, orders=hot)).to_lists() == [["milk"], ["milk", "tea"]]
    agreed = [["order_id", "product", "ok"], [7, "milk", 1], [7, "ale", 1], [8, "tea", 0]]
    assert wh.read(book(tmp_path, orders=agreed), consent="ok").to_lists() == [["ale", "milk"]]


def test_the_sheet_that_is_meant(tmp_path: Path) -> None:
    one, two = [["a"], ["x"]], [["b"], ["y"]]
    path = book(tmp_path, one=one, two=two, three=[])
    for given in ("two", "2", 2):
        assert wh.read_table(path, sheet=given).names == ("b",)
    with pytest.raises(InputError, match="has 2 sheets; its sheets are 'one', 'two', 'three'"):
        wh.read_table(path)
    with pytest.raises(InputError, match=r"has no sheet 'tow'.*say sheet='two'"):
        wh.read_table(path, sheet="tow")
    for wrong in ("0", "4", -1, 4):
        with pytest.raises(InputError, match="a number from 1 to 3"):
            wh.read_table(path, sheet=wrong)
    with pytest.raises(InputError, match="the sheet 'three' is empty"):
        wh.read_table(path, sheet="three")
    # A sheet with the name of a number is meant by its name.
    named = book(tmp_path, **{"2": one, "1": two})
    assert wh.read_table(named, sheet="1").names == ("b",)
    # The only one that holds anything.
    assert wh.read_table(book(tmp_path, one=[], two=two)).names == ("b",)


def test_sheets_that_are_no_tables(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a header but no rows"):
        wh.read_table(book(tmp_path, s=[["a", "b"]]))
    for header in (["a", "a"], ["a", None, "c"]):
        with pytest.raises(InputError, match="does not name every column once"):
            wh.read_table(book(tmp_path, s=[header, [1, 2, 3]]))


def test_content_decides_not_the_name(tmp_path: Path) -> None:
    real = book(tmp_path, "really.csv", s=[["a"], ["x"]])
    assert wh.read_table(real).names == ("a",)
    (text := tmp_path / "text.xlsx").write_bytes(b"a,b\n1,2\n")
    assert wh.read_table(text).names == ("a", "b")
    with pytest.raises(InputError, match=r"is not a spreadsheet.*leave sheet out"):
        wh.read_table(text, sheet="s")
    with pytest.raises(InputError, match="leave encoding out"):
        wh.read_table(real, encoding="cp1252")
    with pytest.raises(InputError, match="leave encoding out"):
        wh.read(real, encoding="cp1252")
    with pytest.raises(InputError, match="is not a spreadsheet"):
        wh.read([["a"]], sheet=1)


def test_open_document(tmp_path: Path) -> None:
    (path := tmp_path / "people.ods").write_bytes(open_document())
    assert wh.read(path).to_lists() == [["asthma", "flu"], ["Zoë"]]
    assert wh.read_table(path).rows()[0] == ("1", "asthma")


def archive(**parts: str) -> bytes:
    with zipfile.ZipFile(made := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as new:
        for name, content in parts.items():
            new.writestr(name, content)
    return made.getvalue()


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
BROKEN = {
    "a zip archive": (archive(notes="x"), "is a zip archive"),
    "no archive": (b"PK\x03\x04rest", "broken spreadsheet or zip archive"),
    "no workbook": (archive(**{"xl/workbook.xml": "<"}), "broken spreadsheet"),
    "a password": (OLE + b"\0" * 600 + "EncryptedPackage".encode("utf-16-le"), "by a password"),
    "an old one": (OLE + b"x" * 600, "broken spreadsheet"),
    # calamine would look for the end of it without end
    "an open document that is cut": (
        archive(**{"content.xml": "<office:document-content>"}),
        "broken",
    ),
    "a bomb": (archive(**{"xl/workbook.xml": "x" * 300 * 2**20}), "250-fold"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_spreadsheets_are_one_clear_error(tmp_path: Path, kind: str) -> None:
    data, words = BROKEN[kind]
    (path := tmp_path / "a.xlsx").write_bytes(data)
    for reader in (wh.read, wh.read_table):
        with pytest.raises(InputError, match=f"{words}.*To fix it: "):
            reader(path)


def test_without_fastexcel_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = book(tmp_path, s=[["a"], ["x"]])
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    with pytest.raises(InputError, match=r"pip install 'withhold\[excel\]'"):
        wh.read_table(path)


def test_a_release_is_written_as_text_or_parquet(tmp_path: Path) -> None:
    table = wh.read_table(book(tmp_path, s=[["sex", "day"], *[["f", date(2020, 1, 2)]] * 4]))
    release = wh.anonymize(table, wh.KAnonymity(k=2, quasi_identifiers=["sex", "day"]))
    for name, kind in {"out.csv": "String", "out.parquet": "Date", "out": "String"}.items():
        release.write(tmp_path / name)
        read = wh.read_table(tmp_path / name)
        assert (read.rows(), read.column("day").kind) == ([("f", "2020-01-02")] * 4, kind)
    with pytest.raises(OutputError, match=r"write out\.csv"):
        release.write(tmp_path / "out.xlsx")
    records = wh.read(book(tmp_path, s=[["order_id", "product"], [1, "milk"], [2, "tea"]]))
    assert output_form("out", records.source).container == "text"
