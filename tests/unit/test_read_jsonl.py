"""JSON lines: arrays, objects, and lines that are neither."""

from __future__ import annotations

from pathlib import Path

import pytest

from reading import in_file
from withhold.errors import InputError

table_of, _ = in_file("a.jsonl")


def test_arrays(tmp_path: Path) -> None:
    table = table_of(tmp_path, '["b", 7, " a ", 7.0]\n[]\n["\\u00e9"]\n\n\n')
    assert table.to_lists() == [["7", "a", "b"], [], ["é"]]
    assert table.repeated == 1
    assert table.record_ids is None
    assert table.source is not None
    assert (table.source.container, table.source.columns) == ("jsonl", ())


def test_objects_with_ids(tmp_path: Path) -> None:
    text = '{"record": 7, "items": ["b"], "more": 1}\n{"items": [], "record": "08"}\n'
    table = table_of(tmp_path, text)
    assert table.record_ids == ("7", "08")
    assert table.to_lists() == [["b"], []]
    assert table.source is not None
    assert table.source.columns == ("record", "items")


def test_keys_by_name(tmp_path: Path) -> None:
    text = '{"who": "ann", "bought": ["b"]}\n'
    table = table_of(tmp_path, text, item_column="bought", record_column="who")
    assert (table.record_ids, table.to_lists()) == (("ann",), [["b"]])
    assert table_of(tmp_path, text, item_column="bought").record_ids is None


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('["a"]\n["b"\n', 2, "is not a line of JSON"),
        ('["a"]\n"b"\n', 2, "an array of items or an object"),
        ('["a"]\n\n["b"]\n', 2, "the line is empty"),
        ('["a", null]\n', 1, "a blank"),
        ('["a"]\n[["b"]]\n', 2, "but a list"),
        ('["a", true]\n', 1, "but a bool"),
        ('["a", 1.5]\n', 1, "not a whole number"),
        ('["a", NaN]\n', 1, "not a whole number"),
        ('["a", Infinity]\n', 1, "not a whole number"),
        ('{"things": ["a"]}\n', 1, "no list under 'items'; its keys are 'things'"),
        ('{"items": "a"}\n', 1, "no list under 'items'"),
        ('{"items": [], "record": 1}\n{"items": []}\n', 2, "a row does not say which record"),
        ('{"items": [], "record": 1}\n{"items": [], "record": "1"}\n', None, "same id"),
        ('["\\ud800"]\n', None, "half a character"),
        ("[" * 100_000 + "\n", 1, "is not a line of JSON"),
    ],
)
def test_bad_lines(tmp_path: Path, text: str, line: int | None, words: str) -> None:
    with pytest.raises(InputError) as caught:
        table_of(tmp_path, text)
    assert words in str(caught.value)
    assert caught.value.line == line


def test_a_record_key_that_nobody_has(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no record has a 'who'"):
        table_of(tmp_path, '{"items": []}\n', record_column="who")
