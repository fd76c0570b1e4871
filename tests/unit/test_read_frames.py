"""Frames of every make, iterables, and the parquet files that hold the same columns."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from withhold.data import Records
from withhold.errors import InputError
from withhold.formats import FORMATS, read, read_table
from withhold.formats.forms import FRAMES

Make = Callable[[dict[str, list[Any]]], Any]
MAKES: dict[str, Make] = {
    "pandas": pd.DataFrame,
    "polars": lambda columns: pl.DataFrame(columns, strict=False),
    "lazy polars": lambda columns: pl.LazyFrame(columns, strict=False),
    "pyarrow": pa.table,
}


@pytest.fixture(params=MAKES)
def make(request: pytest.FixtureRequest) -> Make:
    return MAKES[request.param]


def refused(source: Any, **options: str) -> InputError:
    with pytest.raises(InputError) as caught:
        read(source, **options)
    return caught.value


def test_list_column(make: Make) -> None:
    table = read(make({"items": [["b", " a", "b"], [], ["c\u00a0d\u00a0", "007"]]}))
    assert table.to_lists() == [["a", "b"], [], ["007", "c\u00a0d"]]
    assert (table.repeated, table.record_ids, table.source) == (1, None, None)


def test_list_column_of_numbers_and_ids(make: Make) -> None:
    table = read(make({"user": [7, 9], "bought": [[3, 20], [3]], "age": [30, 40]}))
    assert table.to_lists() == [["20", "3"], ["3"]]
    assert table.record_ids == ("7", "9")


def test_the_list_column_that_is_meant(make: Make) -> None:
    frame = make({"a": [["x"]], "b": [["y"]]})
    assert read(frame, item_column="b").to_lists() == [["y"]]
    assert "2 list columns: 'a', 'b'" in str(refused(frame))


def test_long_columns(make: Make) -> None:
    table = read(make({"order": [2, 1, 2, 3], "product": ["b", "007", "a", None]}))
    assert table.to_lists() == [["a", "b"], ["007"], []]
    assert table.record_ids == ("2", "1", "3")


def test_long_columns_by_name(make: Make) -> None:
    frame = make({"who": ["x", "y", "x"], "what": [3, 4, 5], "when": [1, 2, 3]})
    table = read(frame, record_column="who", item_column="what")
    assert (table.record_ids, table.to_lists()) == (("x", "y"), [["3", "5"], ["4"]])
    assert "no column 'wat'" in str(refused(frame, record_column="who", item_column="wat"))


def test_one_hot_columns(make: Make) -> None:
    table = read(make({"id": ["x", "y", "z"], "b": [True, False, False], "a": [1, 0, 1]}))
    assert table.to_lists() == [["a", "b"], [], ["a"]]
    assert table.record_ids == ("x", "y", "z")
    assert read(make({"b": [1.0, 0.0], "a": [0.0, 1.0]})).to_lists() == [["b"], ["a"]]


def test_whole_floats_are_numbers(make: Make) -> None:
    assert read(make({"tid": [1.0, 1.0], "item": [7.0, 8.0]})).to_lists() == [["7", "8"]]
    assert read(make({"items": [[7.0, 8.0]]})).to_lists() == [["7", "8"]]


@pytest.mark.parametrize("bad", [1.5, float("nan"), float("inf"), 2.0**60])
def test_other_floats_are_refused(make: Make, bad: float) -> None:
    error = refused(make({"tid": [1, 1], "item": [7.0, bad]}))
    assert (error.column, error.value) == ("item", repr(bad))
    assert "not a whole number" in str(error)
    assert "whole number" in str(refused(make({"items": [[7.0], [bad]]})))


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 2.0])
def test_one_hot_numbers_other_than_bits(make: Make, bad: float) -> None:
    error = refused(make({"b": [1.0, 0.0], "a": [0.0, bad]}), format="one-hot")
    assert error.column == "a"
    assert "row 2 holds neither 0 nor 1" in str(error)
    assert "does not look like records" in str(refused(make({"c": [3, 4], "b": [1.0, bad]})))


def test_blanks_are_refused_where_they_would_be_a_guess(make: Make) -> None:
    assert "row 2 is blank" in str(refused(make({"items": [["a"], None]})))
    inner = refused(make({"items": [["a"], ["b", None]]}))
    assert "row 2" in str(inner)
    assert "blank" in str(inner)
    assert "row 2 does not say" in str(refused(make({"tid": ["x", None], "item": ["a", "b"]})))
    one_hot = refused(make({"a": [True, None], "b": [True, True]}), format="one-hot")
    assert "row 2" in str(one_hot)


def test_nested_lists_and_other_values_are_refused(make: Make) -> None:
    assert "items" in str(refused(make({"items": [[["a"]], [["b"]]]})))
    day = datetime.date(2020, 1, 2)
    assert "item" in str(refused(make({"tid": [1, 1], "item": [day, day]})))
    assert "item" in str(refused(make({"tid": [1, 1], "item": [True, False]})))


def test_a_frame_of_another_kind_says_what_was_seen(make: Make) -> None:
    error = refused(make({"age": [31, 42], "city": ["u", "v"]}))
    assert "'age'" in str(error)
    assert "'city'" in str(error)
    assert "does not look like records of items" in str(error)


def test_a_frame_without_rows_or_columns(make: Make) -> None:
    assert "no records" in str(refused(make({"items": []})))
    assert "no records" in str(refused(make({})))


@pytest.mark.parametrize("format", [name for name in FORMATS if name not in FRAMES])
def test_text_formats_are_not_for_frames(make: Make, format: str) -> None:
    assert "cannot be read as" in str(refused(make({"items": [["a"]]}), format=format))


def test_pandas_collections_of_every_kind() -> None:
    rows = [["b", "a"], ("c",), {"d"}, frozenset(), np.array(["e", "f"]), np.array([1, 2])]
    table = read(pd.DataFrame({"items": rows}))
    assert table.to_lists() == [["a", "b"], ["c"], ["d"], [], ["e", "f"], ["1", "2"]]
    error = refused(pd.DataFrame({"items": [["a"], "b"]}))
    assert "row 2 is not a list of items" in str(error)


def test_pandas_categories_numbers_and_blanks() -> None:
    frame = pd.DataFrame(
        {
            "tid": pd.Categorical(["x", "y", "x"]),
            "item": pd.array([3, None, 4], dtype="Int64"),
        }
    )
    table = read(frame)
    assert (table.record_ids, table.to_lists()) == (("x", "y"), [["3", "4"], []])
    mixed = pd.DataFrame({"tid": [1, 1, 2], "item": ["a", 7, np.nan]})
    assert read(mixed).to_lists() == [["7", "a"], []]


def test_pandas_columns_that_are_numbers() -> None:
    assert read(pd.DataFrame({0: [1, 0], 7: [1, 1]})).to_lists() == [["0", "7"], ["7"]]
    assert "unique column" in str(refused(pd.DataFrame([[1, 2]], columns=["a", "a"])))
    assert "two columns" in str(refused(pd.DataFrame([[1, 0]], columns=["1", 1])))


def test_polars_arrays_and_categories() -> None:
    array = pl.Series([["a", "b"], ["c", "a"]], dtype=pl.Array(pl.String, 2))
    assert read(pl.DataFrame({"items": array})).to_lists() == [["a", "b"], ["a", "c"]]
    lists = pl.Series([["b", "a"], []], dtype=pl.List(pl.Categorical))
    assert read(pl.DataFrame({"items": lists})).to_lists() == [["a", "b"], []]


def test_a_lazy_frame_that_fails_is_our_error() -> None:
    frame = pl.LazyFrame({"a": [1]}).select("b")
    assert "the frame cannot be used" in str(refused(frame))


def test_iterables_of_iterables() -> None:
    rows = (row for row in [["b", 7, np.int64(3), 4.0], (), {"a"}, np.array([1, 2])])
    assert read(rows).to_lists() == [["3", "4", "7", "b"], [], ["a"], ["1", "2"]]
    assert read(pl.Series([["a"], []])).to_lists() == [["a"], []]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([["a"], "bc"], "record 2 is not a collection"),
        ([["a"], 3], "record 2 is not a collection"),
        ([["a"], [None]], "in record 2 an item is neither"),
        ([["a"], [["b"]]], "in record 2 an item is neither"),
        ([[float("nan")]], "not a whole number"),
        ([[True]], "neither text nor a whole number but a bool"),
        ([[b"a"]], "but a bytes"),
        ([["\ud800"]], "half a character"),
        ([], "no records"),
        (3, "neither a path nor a frame"),
        (b"abc", "neither a path nor a frame"),
    ],
)
def test_iterables_that_are_no_records(rows: Any, words: str) -> None:
    assert words in str(refused(rows))


def test_a_table_is_returned_as_it_is() -> None:
    table = Records.from_lists([["a"]], record_ids=["x"])
    assert read(table) is table


def test_parquet_from_another_writer(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"user": ["x", "y"], "items": [["b", "a"], []]}), path)
    table = read(path)
    assert (table.record_ids, table.to_lists()) == (("x", "y"), [["a", "b"], []])
    assert table.source is not None
    assert table.source.columns == ("user", "items")


def test_parquet_errors_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"items": [["a"], [None]]}).write_parquet(path)
    error = refused(path)
    assert str(error).startswith(f"{path}, column 'items': row 2 holds a blank item")
    pl.DataFrame({"id": ["x", "x"], "items": [["a"], ["b"]]}).write_parquet(path)
    assert "same id" in str(refused(path))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert "broken parquet" in str(refused(path))


VISITS = pa.table({"record": [1, 1, 2], "item": ["a", "b", "c"], "ok": [1, 1, 0]})


class Stream:
    """What any library may offer: nothing but the protocol."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return VISITS.__arrow_c_stream__(requested_schema)


STREAMS: dict[str, Callable[[], Any]] = {
    "the protocol alone": Stream,
    "a reader of batches": VISITS.to_reader,
    "a dataset": lambda: ds.dataset(VISITS),
    "a scanner": lambda: ds.dataset(VISITS).scanner(),
    "DuckDB": lambda: duckdb.connect().from_arrow(VISITS).filter("record > 0"),
    "lazy polars": lambda: pl.DataFrame(VISITS).lazy().filter(pl.col("record") > 0),
}


@pytest.mark.parametrize("name", STREAMS)
def test_arrow_streams_are_read_once(name: str) -> None:
    records = read(STREAMS[name](), consent="ok")
    assert records.to_lists() == [["a", "b"]]
    assert records.without_consent == 1
    assert read_table(STREAMS[name]()).rows()[2] == ("2", "c", "0")


def test_streams_that_break_are_refused() -> None:
    class Broken:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            raise OSError("the connection is gone")

    for reader in (read, read_table):
        with pytest.raises(InputError, match="cannot be used: the connection is gone"):
            reader(Broken())


def test_a_series_of_lists_is_still_a_list_of_records() -> None:
    assert read(pl.Series([["b", "a"], []])).to_lists() == [["a", "b"], []]
