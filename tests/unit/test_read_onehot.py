"""One-hot tables in text: cells, ids, and cells that are neither 0 nor 1."""

from __future__ import annotations

from pathlib import Path

import pytest

from reading import in_file

table_of, refused = in_file("a.csv")


def test_columns_become_items(tmp_path: Path) -> None:
    table = table_of(tmp_path, "pear, beer ,ale,never\n1,true,0,0\n,False,TRUE,0\n0,0,0,\n\n\n")
    assert table.to_lists() == [["beer", "pear"], ["ale"], []]
    assert table.vocabulary == ("ale", "beer", "never", "pear")
    assert table.record_ids is None


def test_a_first_column_named_like_an_id(tmp_path: Path) -> None:
    table = table_of(tmp_path, "Customer ID,b,a\nx7,1,0\nx8,0,1\n")
    assert table.record_ids == ("x7", "x8")
    assert table.to_lists() == [["b"], ["a"]]
    assert table.source is not None
    assert table.source.columns == ("Customer ID",)


def test_an_id_name_over_bits_is_an_item(tmp_path: Path) -> None:
    table = table_of(tmp_path, "id,b\n1,0\n1,1\n")
    assert table.to_lists() == [["id"], ["b", "id"]]


def test_the_index_of_a_frame_is_no_item(tmp_path: Path) -> None:
    assert table_of(tmp_path, ",b,a\n0,1,0\n1,0,1\n").record_ids == ("0", "1")


def test_a_named_id_column_may_stand_anywhere(tmp_path: Path) -> None:
    table = table_of(tmp_path, "b,who,a\n1,ann,0\n0,bob,1\n", record_column="who")
    assert table.record_ids == ("ann", "bob")
    assert table.to_lists() == [["b"], ["a"]]


def test_another_value_names_line_column_and_value(tmp_path: Path) -> None:
    lines = "b,a\n" + "1,0\n" * 300 + "1,2\n"
    error = refused(tmp_path, lines)
    assert (error.line, error.column, error.value) == (302, "a", "2")
    assert "neither 0 nor 1" in str(error)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name,b\nann,1\n", "neither 0 nor 1"),
        ("b,a\n1,x\n", "neither 0 nor 1"),
        ("b,b\n1,0\n", "two columns 'b'"),
        ("b,,a\n1,0,0\n", "number 2 has no name"),
        ("b,a\n1\n", "1 cell where"),
        ("b,a\n", "no records"),
        ("id,b,a\nx,1,0\nx,0,0\n", "same id"),
        ("id\nx\n", "no column for any item"),
    ],
)
def test_what_is_no_one_hot_table(tmp_path: Path, text: str, words: str) -> None:
    assert words in str(refused(tmp_path, text, format="one-hot"))


def test_a_missing_id_column(tmp_path: Path) -> None:
    error = refused(tmp_path, "b,a\n1,0\n", format="one-hot", record_column="id")
    assert "has no column 'id'" in str(error)
