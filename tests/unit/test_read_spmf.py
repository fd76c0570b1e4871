"""SPMF: sequences, transactions, names, and what does not belong there."""

from __future__ import annotations

from pathlib import Path

import pytest

from reading import in_file
from withhold.errors import InputError

table_of, _ = in_file("a.txt")


def test_sequences_unite_their_itemsets(tmp_path: Path) -> None:
    table = table_of(tmp_path, "1 -1 1 2 3 -1 1 3 -1 -2\n1 4 -1 -2\n-2\n\n")
    assert table.to_lists() == [["1", "2", "3"], ["1", "4"], []]
    assert table.repeated == 3
    assert table.source is not None
    assert (table.source.format, table.source.variant) == ("spmf", "sequences")


def test_transactions_with_names(tmp_path: Path) -> None:
    text = "@CONVERTED_FROM_TEXT\n@ITEM=1=apple\n@ITEM=3=a = b \n@ITEM=-1=|\n% note\n1 3 4\n\n4\n"
    table = table_of(tmp_path, text)
    assert table.to_lists() == [["4", "a = b", "apple"], [], ["4"]]
    assert table.source is not None
    assert table.source.variant == "transactions"


def test_sequences_with_names(tmp_path: Path) -> None:
    text = "@CONVERTED_FROM_TEXT\n@ITEM=1=apple\n@ITEM=2=pear\n1 -1 2 -1 -2\n2 -1 -2\n"
    table = table_of(tmp_path, text)
    assert table.to_lists() == [["apple", "pear"], ["pear"]]
    assert table.source is not None
    assert table.source.variant == "sequences"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("1 -1 -2\n2 -1\n", 2, "has no end"),
        ("1 -1 -2\n2 -3 -1 -2\n", 2, "number from 0 up"),
        ("1 -1 -2\nx -1 -2\n", 2, "number from 0 up"),
        ("1:5 -1 -2\n", 1, "number from 0 up"),
        ("@CONVERTED_FROM_TEXT\n@ITEM=1\n1\n", 2, "does not give one item its name"),
        ("@ITEM=1=a\n@ITEM=1=b\n1\n", 2, "does not give one item its name"),
        ("@ITEM=1=a\n@ITEM=2=a\n1 2\n", None, "shares its name"),
        ("@ITEM=1=2\n1 2\n", None, "shares its name"),
        ("@CONVERTED_FROM_TEXT\n@ITEM=1=a\n", None, "holds no records"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, line: int | None, words: str) -> None:
    with pytest.raises(InputError) as caught:
        table_of(tmp_path, text, format="spmf")
    assert words in str(caught.value)
    assert caught.value.line == line
