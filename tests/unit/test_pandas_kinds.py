"""Nullable types of pandas come back from the parquet files of a release."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest

import withhold as wh

NULLABLE = {"zip": "Int32", "ok": "boolean", "word": "string", "size": "Float32", "age": "Int64"}


def nullable_frame():
    cells = {
        "zip": [1, 1, 2, 2],
        "ok": [True, None, False, True],
        "word": ["x", None, "y", "y"],
        "size": [0.5, None, 1.5, 2.5],
        "age": [30, 31, 32, 32],
        "plain": [1, 2, 3, 4],
    }
    return pd.DataFrame(
        {n: pd.array(c, dtype=NULLABLE[n]) if n in NULLABLE else c for n, c in cells.items()},
        index=pd.Index(["Ann", "Bob", "Cem", "Dee"]),
    )


@pytest.mark.parametrize("by_file", [True, False])
def test_nullable_types_of_pandas_come_back(tmp_path, by_file):
    source = nullable_frame()
    if by_file:
        source.reset_index(drop=True).to_parquet(tmp_path / "in.parquet")
        source = tmp_path / "in.parquet"
    model = wh.KAnonymity(2, ["zip", "age"])
    release = wh.anonymize(source, model, publish="all", seed=1)
    release.write(tmp_path / "out.parquet")
    found = pd.read_parquet(tmp_path / "out.parquet")
    assert {name: str(found[name].dtype) for name in NULLABLE} == NULLABLE
    assert str(found["plain"].dtype) == "int64"
    assert found["age"].isna().sum() == release.data.column("age").withheld.sum() > 0
    assert found["word"].isna().tolist() == [False, True, False, False]
    assert b"Ann" not in (tmp_path / "out.parquet").read_bytes()
    # What is no more what it was is what it has become.
    wh.anonymize(wh.read_table(source, bins={"age": 10}), model, publish="all").write(
        tmp_path / "binned.parquet"
    )
    binned = pd.read_parquet(tmp_path / "binned.parquet")
    assert binned["age"].tolist() == ["30-39"] * 4
    assert str(binned["zip"].dtype) == "Int32"


def test_a_note_for_pandas_that_makes_no_sense_is_passed_over(tmp_path):
    path = tmp_path / "in.parquet"
    for note in (
        "{",
        "[]",
        '{"columns": [3]}',
        '{"columns": [{"field_name": 1, "numpy_type": []}]}',
    ):
        pl.DataFrame({"a": [1, 1]}).write_parquet(path, metadata={"pandas": note})
        assert wh.read_table(path).column("a").pandas_kind == ""
