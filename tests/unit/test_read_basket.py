"""Basket files: separators, quotes, and what is refused instead of guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from reading import in_file

baskets, refused = in_file("a.txt")


@pytest.mark.parametrize(
    ("text", "separator", "rows"),
    [
        ("1 2 3\n1 4\n", " ", [["1", "2", "3"], ["1", "4"]]),
        ("1  2   3 \n 1\n", " ", [["1", "2", "3"], ["1"]]),
        ("beer,whole milk\nwhole milk\n", ",", [["beer", "whole milk"], ["whole milk"]]),
        ("beer;ale;\nale\n", ";", [["ale", "beer"], ["ale"]]),
        ("beer\twhole milk\nale\n", "\t", [["beer", "whole milk"], ["ale"]]),
        ("beer | ale\n", "|", [["ale", "beer"]]),
        ("a,,b,\n,\n", ",", [["a", "b"], []]),
        ("007,7,07\n", ",", [["007", "07", "7"]]),
        ("beer\nale\n", " ", [["beer"], ["ale"]]),
        ("a,b\n\n\nc,d\n", ",", [["a", "b"], [], [], ["c", "d"]]),
        ("é,z\nZ,a\n", ",", [["z", "é"], ["Z", "a"]]),
    ],
)
def test_separators_are_found(
    tmp_path: Path, text: str, separator: str, rows: list[list[str]]
) -> None:
    table = baskets(tmp_path, text)
    assert table.to_lists() == rows
    assert table.source is not None
    assert (table.source.format, table.source.separator) == ("basket", separator)


@pytest.mark.parametrize(
    ("text", "line", "marks"),
    [
        ("a,b\nc;d\n", 2, ("','", "';'")),
        ("beer , ale;\n", 1, ("','", "';'")),
        ("a,b\nc,d\ne|f,g\n", 3, ("','", "'|'")),
        ("a\tb\nmilk, whole\tbeer\n", 2, ("a tab", "','")),
        ("1,2\n3 4 5\n", 2, ("','", "a space")),
        ("1 2 3\n4,5\n", 1, ("','", "a space")),
        ("1 2,3\n", 1, ("','", "a space")),
        ("beer ale\nbeer bread\nale bread\nale,bread\n", 1, ("','", "a space")),
    ],
)
def test_mixed_separators_name_the_line(
    tmp_path: Path, text: str, line: int, marks: tuple[str, str]
) -> None:
    error = refused(tmp_path, text)
    assert error.line == line
    assert all(mark in str(error) for mark in marks)
    assert "with separator=" in str(error)


def test_an_explicit_separator_wins(tmp_path: Path) -> None:
    text = "a,b;c\nd e\n"
    assert baskets(tmp_path, text, separator=",").to_lists() == [["a", "b;c"], ["d e"]]
    assert baskets(tmp_path, text, separator=";").to_lists() == [["a,b", "c"], ["d e"]]
    assert baskets(tmp_path, text, separator="space").to_lists() == [["a,b;c"], ["d", "e"]]
    assert baskets(tmp_path, "a:b\n", separator=":").to_lists() == [["a", "b"]]
    assert baskets(tmp_path, "a\tb c\n", separator="\\t").to_lists() == [["a", "b c"]]


def test_repetitions_are_merged_and_counted(tmp_path: Path) -> None:
    table = baskets(tmp_path, "b a b\na a a\nb\n")
    assert table.to_lists() == [["a", "b"], ["a"], ["b"]]
    assert table.repeated == 3


def test_quoted_items_may_hold_separators(tmp_path: Path) -> None:
    text = '"milk, whole",bread\n\n"say ""ah""", ale\n5" pipe,bread\n'
    table = baskets(tmp_path, text)
    assert table.to_lists() == [
        ["bread", "milk, whole"],
        [],
        ["ale", 'say "ah"'],
        ['5" pipe', "bread"],
    ]
    assert table.source is not None
    assert (table.source.separator, table.source.variant) == (",", "quoted")


def test_quoted_items_say_nothing_about_the_separator(tmp_path: Path) -> None:
    table = baskets(tmp_path, '"a;b,c|d";beer\n"x,y"\n')
    assert table.to_lists() == [["a;b,c|d", "beer"], ["x,y"]]
    assert baskets(tmp_path, '"whole milk"  beer\n').to_lists() == [["beer", "whole milk"]]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('a,b\n"c,d\ne,f\n', 2),
        ('a,b\nc,"d', 2),
        ('a,b\n"c"d,e\n', 2),
        ('"c,d\n"e,f\n', 1),
        ('a,b\na,"b\nc",d\n', 2),
    ],
)
def test_quotes_that_do_not_close_name_the_line(tmp_path: Path, text: str, line: int) -> None:
    error = refused(tmp_path, text)
    assert error.line == line
    assert "quotes" in str(error)


def test_items_longer_than_words_take_the_plain_road(tmp_path: Path) -> None:
    long = "x" * 5000
    table = baskets(tmp_path, f"{long},a\na,{long}y\n")
    assert table.to_lists() == [["a", long], ["a", long + "y"]]


def test_columns_mean_nothing_in_a_basket_file(tmp_path: Path) -> None:
    error = refused(tmp_path, "a b\n", format="basket", item_column="a")
    assert "has no columns" in str(error)
