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


LISTS = [["asthma", "007"], ["flu"], [], ["flu", "hiv"], ["asthma"]]
"""The items of the persons; one looks like a number."""


def put_people(folder: Path, kind: str, *, apart: bool) -> tuple[Path, Path | None]:
    """The same people in two files, or in one with a column of lists."""
    if apart:
        rows = [(f"p{n}", item) for n, items in enumerate(LISTS) for item in items]
        items = pl.DataFrame(rows, schema=["id", "item"], orient="row")
        persons = FRAME.clone().insert_column(
            0, pl.Series("id", [f"p{n}" for n in range(len(LISTS))])
        )
    else:
        items = None
        lists = [";".join(items) for items in LISTS] if kind in ("csv", "tsv", "xlsx") else LISTS
        persons = FRAME.with_columns(items=pl.Series(lists))
    paths = []
    for name, frame in (("persons", persons), ("codes", items)):
        if frame is None:
            continue
        paths.append(path := folder / f"{name}.{kind}")
        match kind:
            case "csv" | "tsv":
                frame.write_csv(path, separator="," if kind == "csv" else "\t")
            case "jsonl":
                frame.write_ndjson(path)
            case "parquet":
                frame.write_parquet(path)
            case "xlsx":
                frame.write_excel(path)
    return paths[0], paths[1] if apart else None


def released_people(folder: Path, kind: str, target: str, *, apart: bool) -> Path:
    persons, items = put_people(folder, kind, apart=apart)
    people = wh.read_people(persons, items, item_column="item" if apart else "items")
    model = wh.PeopleUncertainty("0.9", ["hiv"], k=2, quasi_identifiers=["sex"], max_known=0)
    release = wh.anonymize(people, model, publish="all", seed=1)
    release.write(folder / target)  # which proves what it wrote
    return folder / target


def released_lists(path: Path, ids: list[str]) -> list[list[str]]:
    """The items of a file of items, by person."""
    mark = "\t" if path.suffix == ".tsv" else ","
    frame = (
        pl.read_parquet(path)
        if path.suffix == ".parquet"
        else pl.read_csv(path, separator=mark, infer_schema=False)
    )
    rows = [(str(owner), item) for owner, item in frame.iter_rows()]
    return [[item for owner, item in rows if owner == each] for each in ids]


@pytest.mark.parametrize("apart", [True, False])
@pytest.mark.parametrize("kind", ["csv", "tsv", "xlsx"])
def test_people__texts_stay_the_same_texts(tmp_path: Path, kind: str, apart: bool) -> None:
    after = "tsv" if kind == "tsv" else "csv"
    out = released_people(tmp_path, kind, f"out.{after}", apart=apart)
    mark = "\t" if after == "tsv" else ","
    found = pl.read_csv(out, separator=mark, infer_schema=False).fill_null("")
    wanted = CELLS.with_columns(pl.col("cost").cast(pl.String)).cast(pl.String).fill_null("")
    kept = [name for name in FRAME.columns if name not in ("sex", "cost")]
    assert found.select(kept).equals(wanted.select(kept))
    assert found["cost"].replace("", None).cast(pl.Float64).equals(FRAME["cost"])
    if apart:
        lists = released_lists(tmp_path / f"out.codes.{after}", found["id"].to_list())
    else:
        lists = [cell.split(";") if cell else [] for cell in found["items"].to_list()]
    assert [sorted(each) for each in lists] == [sorted(each) for each in LISTS]


@pytest.mark.parametrize("apart", [True, False])
def test_people__types_stay_the_same_types(tmp_path: Path, apart: bool) -> None:
    out = released_people(tmp_path, "parquet", "out.parquet", apart=apart)
    found = pl.read_parquet(out)
    assert found.select(FRAME.columns).schema == FRAME.schema
    kept = FRAME.drop("sex")
    assert found.select(kept.columns).equals(kept)
    if apart:
        lists = released_lists(tmp_path / "out.codes.parquet", found["id"].cast(str).to_list())
    else:
        assert found.schema["items"] == pl.List(pl.String)
        lists = found["items"].to_list()
    assert [sorted(each) for each in lists] == [sorted(each) for each in LISTS]


def test_people__json_stays_the_same_json(tmp_path: Path) -> None:
    out = released_people(tmp_path, "jsonl", "out.jsonl", apart=False)
    texts = ((tmp_path / "persons.jsonl").read_text(), out.read_text())
    before, after = (list(map(json.loads, text.splitlines())) for text in texts)
    same = {"sex": ""}
    assert [row | same | {"items": sorted(row["items"])} for row in after] == [
        row | same | {"items": sorted(row["items"])} for row in before
    ]


def test_people__blank_ids_of_a_spreadsheet_are_said(tmp_path: Path) -> None:
    frame = pl.DataFrame({"id": ["a", None], "sex": ["f", "m"], "items": ["flu;hiv", "flu"]})
    frame.write_excel(path := tmp_path / "persons.xlsx")
    with pytest.raises(wh.WithholdError, match="1 person has no id"):
        wh.read_people(path, record_column="id")
    kept = wh.read_people(path, record_column="id", skip_missing_ids=True)
    assert kept.items.to_lists() == [["flu", "hiv"]]
