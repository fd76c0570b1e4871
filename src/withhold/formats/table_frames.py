"""Tables as frames: pandas, polars, pyarrow, and the content of parquet files.

In: a frame. Out: a ``Table`` whose cells are texts and whose columns remember their types; and back.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from withhold.data import Table
from withhold.data.native import Native, as_polars, make_of, n_different
from withhold.data.table import TEXT, WITHHELD, Column
from withhold.errors import InputError
from withhold.formats import parquet
from withhold.formats.frames import Frame, is_frame, own_index
from withhold.formats.items import check_encodable
from withhold.formats.opening import Opened
from withhold.formats.spreadsheets import read_sheet

if TYPE_CHECKING:
    import polars


def read_any(native: Any, but: Collection[str] = ()) -> Table:
    """The table of a frame of any library, without the columns ``but``."""
    if not is_frame(native):
        problem, shown = "neither a path nor a frame", type(native).__name__
        remedy = "give a path, a pandas, polars or pyarrow frame, or an Arrow stream"
        raise InputError(problem, value=shown, remedy=remedy)
    frame = Frame(native)
    natives = {name: _native(frame, name) for name in frame.columns if name not in but}
    series = [
        (frame.column(name) if own is None else as_polars(own)).alias(name)
        for name, own in natives.items()
    ]
    return replace(_table(series, None, natives), index=own_index(native, len(frame)))


def _native(frame: Frame, name: str) -> Native:
    """The column as its own frame has it, if polars can convert it to texts; else None."""
    native = frame.native(name)
    if make_of(native) == "pandas":
        # The caller may change the frame later, and what was proved must not change.
        native = native.copy().reset_index(drop=True)
    elif make_of(native) not in ("polars", "pyarrow"):
        return None
    try:
        as_polars(native)
    except Exception:  # each library has its own error for a column of several types
        return None
    return native


def read_parquet(opened: Opened, but: Collection[str] = ()) -> Table:
    """The table in a parquet file, without the columns ``but``."""
    frame = parquet.read_parquet(opened.data, opened.label).drop(but)
    table = _table(frame.get_columns(), opened.label, dict(frame.to_dict()))
    kinds = parquet.pandas_kinds(parquet.parquet_notes(opened.data, opened.label))
    return table.with_columns(
        replace(column, pandas_kind=kinds.get(column.name, "")) for column in table.columns
    )


def read_sheet_table(opened: Opened, sheet: str | int | None) -> tuple[str, Table]:
    """The name of a sheet of a spreadsheet, and the table in it."""
    name, frame = read_sheet(opened, sheet)
    return name, _table(frame.get_columns(), opened.label, dict(frame.to_dict()))


def write_frame(table: Table, mark: str) -> polars.DataFrame:
    """The table as a frame with its own types; a withheld cell is null, or the mark in a column of texts."""
    import polars as pl

    columns = []
    for column in table.columns:
        if mark and column.withheld.any():
            columns.append(column.in_words([*column.values, mark]))
        else:
            columns.append(column.to_polars())
    return pl.DataFrame(columns)


def coded(name: str, texts: polars.Series, kind: str = TEXT) -> Column:
    """A column of texts, coded; a null is a value of its own."""
    import polars as pl

    blank = texts.is_null()
    values = texts.drop_nulls().unique().sort()
    codes = texts.cast(pl.Enum(values)).to_physical()
    if not blank.any():
        return Column(name, codes.to_numpy().astype(np.int32), tuple(values.to_list()), kind)
    shifted = codes.cast(pl.Int64).fill_null(WITHHELD).to_numpy() + 1
    return Column(name, shifted.astype(np.int32), (None, *values.to_list()), kind)


def _table(series: list[polars.Series], path: str | None, natives: Mapping[str, Native]) -> Table:
    if not series or not len(series[0]):
        raise InputError("holds no rows", path=path, remedy="give at least one row")
    if any(not each.name for each in series):
        raise InputError("has a column without a name", path=path, remedy="name every column")
    columns = []
    for each in series:
        column = coded(each.name, _texts(each, path), str(each.dtype))
        native = natives[each.name]
        n_texts = len(column.values) - (None in column.values)
        # If several values have the same text, only the text was considered.
        if native is not None and n_different(native) > n_texts:
            native = None
        kind = str(native.dtype) if native is not None and make_of(native) == "pandas" else ""
        columns.append(replace(column, native=native, pandas_kind=kind))
    table = Table(tuple(columns))
    for column in table.columns:
        named = tuple(value for value in column.values if value is not None)
        check_encodable((column.name, *named), path=path)
    return table


def _texts(series: polars.Series, path: str | None) -> polars.Series:
    import polars as pl

    if series.dtype.is_nested() or series.dtype in (pl.Binary, pl.Object):
        problem, where = "holds neither texts nor numbers", series.name
        remedy = "leave the column out (drop=, --drop), or turn it into text"
        shown = str(series.dtype)
        raise InputError(problem, path=path, column=where, value=shown, remedy=remedy)
    if isinstance(series.dtype, pl.Duration):
        return series.dt.to_string("iso")
    return series.cast(pl.String)
