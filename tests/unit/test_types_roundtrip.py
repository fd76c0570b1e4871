"""What comes in as a number, a date or a text with leading zeros goes out as that, whatever the file."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import polars as pl
import pytest

import withhold as wh

FRAME = pl.DataFrame(
    {
        "sex": ["f", "f", "m", "m", "x"],
        "zip": ["01234", "00007", "01234", "99999", "00007"],
        "age": [31, 47, None, 8, 90],
        "cost": [0.5, 2.25, 1e-7, None, 3.125],
        "born": [date(1980, 2, 29), None, date(1999, 12, 31), date(2001, 1, 1), date(1950, 5, 5)],
        "alive": [True, False, None, True, True],
        "note": ["", 'say "hi"', "a;b,c", "Zoë", None],
    }
)
CELLS = FRAME.with_columns(pl.col("note").replace("", None))
"""The last row is alone with its sex, which is withheld there and of two others, so that it can hide."""


def put(folder: Path, kind: str) -> Path:
    path = folder / f"in.{kind}"
    match kind:
        case "csv":
            FRAME.write_csv(path)
        case "tsv":
            FRAME.write_csv(path, separator="\t")
        case "jsonl":
            FRAME.write_ndjson(path)
        case "parquet":
            FRAME.write_parquet(path)
        case "xlsx":
            FRAME.write_excel(path)
    return path


def released(source: Path, target: Path) -> Path:
    release = wh.anonymize(
        wh.read_table(source), wh.KAnonymity(k=2, quasi_identifiers=["sex"]), publish="all", seed=1
    )
    release.write(target)  # which proves what it wrote
    return target


@pytest.mark.parametrize(
    ("before", "after"),
    [("csv", "csv"), ("tsv", "tsv"), ("csv", "tsv"), ("xlsx", "csv"), ("parquet", "csv")],
)
def test_texts_stay_the_same_texts(tmp_path: Path, before: str, after: str) -> None:
    out = released(put(tmp_path, before), tmp_path / f"out.{after}")
    mark = "\t" if after == "tsv" else ","
    found = pl.read_csv(out, separator=mark, infer_schema=False).fill_null("")
    wanted = CELLS.with_columns(pl.col("cost").cast(pl.String)).cast(pl.String).fill_null("")
    assert found["sex"].to_list() == ["f", "f", "", "", ""]
    assert found.drop("sex", "cost").equals(wanted.drop("sex", "cost"))
    assert found["cost"].replace("", None).cast(pl.Float64).equals(FRAME["cost"])


@pytest.mark.parametrize("before", ["parquet", "xlsx"])
def test_types_stay_the_same_types(tmp_path: Path, before: str) -> None:
    found = pl.read_parquet(released(put(tmp_path, before), tmp_path / "out.parquet"))
    wanted = FRAME if before == "parquet" else CELLS  # a cell of Excel without text is a blank
    assert found.schema == FRAME.schema
    assert found.drop("sex").equals(wanted.drop("sex"))


def test_json_stays_the_same_json(tmp_path: Path) -> None:
    source = put(tmp_path, "jsonl")
    out = released(source, tmp_path / "out.jsonl")
    before, after = (list(map(json.loads, path.read_text().splitlines())) for path in (source, out))
    assert [row | {"sex": ""} for row in after] == [row | {"sex": ""} for row in before]
    assert [row["sex"] for row in after] == ["f", "f", None, None, None]
