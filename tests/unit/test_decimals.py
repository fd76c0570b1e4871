"""Decimal commas: found in a column where they are clear, said where they are not."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

import withhold as wh
from withhold.data.decimals import decimals_of
from withhold.data.table import Column
from withhold.errors import InputError, PolicyError
from withhold.formats.column_trees import column_tree, suggest

CLEAR = {
    ("3,5", "4"): ("3.5", "4"),
    ("1,234", "1,5"): ("1.234", "1.5"),
    ("1.234,5", "2"): ("1234.5", "2"),
    ("0,125", "7"): ("0.125", "7"),
    ("-0,5", "?"): ("-0.5", None),
}
UNCLEAR = [("1,234", "2"), ("1,234,567", "2"), ("3,5", "4.5"), ("3,5", "tall"), ("1.234", "3,5")]


@pytest.mark.parametrize("cells", CLEAR)
def test_clear_commas_are_numbers(cells: tuple[str, ...]) -> None:
    wanted = [None if text is None else Decimal(text) for text in CLEAR[cells]]
    assert list(decimals_of(cells).values()) == wanted


@pytest.mark.parametrize("cells", UNCLEAR)
def test_others_are_not(cells: tuple[str, ...]) -> None:
    assert None in decimals_of(cells).values()


def write(folder: Path, text: str) -> Path:
    (path := folder / "data.csv").write_text(text)
    return path


def test_bins_and_hierarchies_find_them(tmp_path: Path) -> None:
    path = write(tmp_path, "size;n\n1,75;1\n1,8;2\n2,05;3\n")
    assert wh.read_table(path, bins={"size": "0.5"}).column("size").values == (
        "[1.5,2.0)",
        "[2.0,2.5)",
    )
    assert wh.read_table(path).rows()[0] == ("1,75", "1")
    column = Column.of("size", ["1,75", "1,8", "2,05"])
    assert column_tree(column, "edges:1.5,2").parent("2,05") == "2 or more"
    many = Column.of("size", [f"{n},5" for n in range(20)])
    assert suggest(many)[0] == "quantiles:8"


def test_those_that_are_not_clear_are_asked_about(tmp_path: Path) -> None:
    path = write(tmp_path, "size;n\n1,234;1\n2,345;2\n")
    with pytest.raises(InputError, match="say decimal='comma' if these are decimal commas"):
        wh.read_table(path, bins={"size": 1})
    table = wh.read_table(path, bins={"size": 1}, decimal="comma")
    assert table.column("size").values == ("[1,2)", "[2,3)")


def test_decimal_comma_makes_numbers_of_whole_columns(tmp_path: Path) -> None:
    path = write(tmp_path, 'pay;code;when\n"1.234,50";A,1;3\n-2,5;7,5;\n;7,6;1.000\n')
    table = wh.read_table(path, decimal="comma")
    assert table.rows() == [("1234.50", "A,1", "3"), ("-2.5", "7,5", ""), ("", "7,6", "1.000")]
    assert table.source is not None
    assert table.source.decimal == "comma"
    assert wh.read_table(path, decimal="point") == wh.read_table(path)
    for wrong in (",", "Comma", "", "commas"):
        with pytest.raises(PolicyError, match="comma or point"):
            wh.read_table(path, decimal=wrong)
