"""Tables as frames: pandas, polars, pyarrow, and the content of parquet files.

In: a frame. Out: a ``Table`` whose cells are texts and whose columns know what they were; and back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from withhold.data import Table
from withhold.data.table import TEXT, WITHHELD, Column
from withhold.errors import InputError
from withhold.formats import parquet
from withhold.formats.items import check_encodable
from withhold.formats.opening import Opened

if TYPE_CHECKING:
    import polars

RESTORED = frozenset(
    ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64", "Float32", "Float64",
     "Boolean", "Date")
)  # fmt: skip
"""The kinds of columns that are written back as what they were; all others as texts."""
TRUTH = {"true": True, "false": False}


def read_any(native: Any) -> Table:
    """The table of a frame of any make."""
    import narwhals as nw

    from withhold.formats.frames import Frame

    try:
        known = isinstance(nw.from_native(native, pass_through=True), nw.DataFrame | nw.LazyFrame)
    except nw.exceptions.NarwhalsError:
        known = True  # a frame, but one with something wrong, which Frame will report
    if not known:
        raise InputError(
            "neither a path nor a frame",
            value=type(native).__name__,
            remedy="give a path, or a pandas, polars or pyarrow frame",
        )
    frame = Frame(native)
    series = [frame.column(name).alias(name) for name in frame.columns]
    # What pandas cannot say otherwise: a blank among numbers.
    return _table([s.fill_nan(None) if s.dtype.is_float() else s for s in series], None)


def read_parquet(opened: Opened) -> Table:
    """The table in a parquet file."""
    frame = parquet.read_parquet(opened.data, opened.label)
    return _table(frame.get_columns(), opened.label)


def write_frame(table: Table, mark: str) -> polars.DataFrame:
    """The table as a frame of its own kinds; a withheld cell is null, or the mark in a column of texts."""
    import polars as pl

    columns = []
    for column in table.columns:
        texts = pl.Series(column.name, [*column.values, mark or None], dtype=pl.String)
        places = pl.Series((column.codes % len(texts)).astype(np.uint32))
        if column.kind in RESTORED and not (mark and column.withheld.any()):
            columns.append(
                _restored(texts[:-1], column.kind).extend_constant(None, 1).gather(places)
            )
        else:
            columns.append(texts.gather(places))
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


def _table(series: list[polars.Series], path: str | None) -> Table:
    if not series or not len(series[0]):
        raise InputError("holds no rows", path=path, remedy="give at least one row")
    if any(not each.name for each in series):
        raise InputError("has a column without a name", path=path, remedy="name every column")
    table = Table(tuple(coded(each.name, _texts(each, path), str(each.dtype)) for each in series))
    for column in table.columns:
        named = tuple(value for value in column.values if value is not None)
        check_encodable((column.name, *named), path=path)
    return table


def _texts(series: polars.Series, path: str | None) -> polars.Series:
    import polars as pl

    if series.dtype.is_nested() or series.dtype in (pl.Binary, pl.Object):
        raise InputError(
            "holds neither texts nor numbers",
            path=path,
            column=series.name,
            value=str(series.dtype),
            remedy="leave the column out (drop=, --drop), or turn it into text",
        )
    return series.cast(pl.String)


def _restored(texts: polars.Series, kind: str) -> polars.Series:
    """The texts as what they were, or as they are if some of them are that no more (ranges)."""
    import polars as pl

    try:
        if kind == "Boolean":
            return pl.Series(texts.name, [v and TRUTH[v] for v in texts], dtype=pl.Boolean)
        return texts.cast(getattr(pl, kind))
    except (KeyError, pl.exceptions.PolarsError):
        return texts
