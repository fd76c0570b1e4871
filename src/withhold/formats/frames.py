"""Data frames of every make, through narwhals.

In: a pandas, polars or pyarrow frame, or the content of a parquet file. Out: its columns as polars
columns, of the few kinds that can be items, and what kind of table it is. The three readings of
columns live with their formats: ``listcolumn``, ``long``, ``onehot``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from withhold.errors import InputError
from withhold.formats import listcolumn, long, onehot
from withhold.formats.columns import Options, find_column, has_usual_columns
from withhold.formats.items import item_name
from withhold.formats.rows import Parsed

if TYPE_CHECKING:
    import narwhals
    import polars

READERS: dict[str, Callable[[Frame, Options], Parsed]]
LISTS = (list, tuple, set, frozenset, np.ndarray)
SUPPORTED = "a list column, record and item columns, or one 0/1 column per item"


class Frame:
    """A table whose columns can be asked for as polars columns, by name."""

    def __init__(self, native: Any, path: str | None = None) -> None:
        import narwhals as nw

        self.path = path
        try:
            frame = nw.from_native(native)
            self._frame: narwhals.DataFrame[Any] = (
                frame.collect() if isinstance(frame, nw.LazyFrame) else frame
            )
        except Exception as error:
            # A lazy frame runs somebody's whole query here, so anything can come out of it.
            reason = " ".join(str(error).split())
            raise InputError(f"the frame cannot be used: {reason}", path=path) from error
        self.columns = [str(name) for name in self._frame.columns]
        self._native_names = dict(zip(self.columns, self._frame.columns, strict=True))
        if len(self._native_names) < len(self.columns):
            raise InputError("has two columns of the same name", path=path)
        self._ready: dict[str, polars.Series] = {}

    def __len__(self) -> int:
        return len(self._frame)

    def column(self, name: str) -> polars.Series:
        """The column as a polars column; lists hold strings or whole numbers."""
        if name not in self._ready:
            self._ready[name] = self._convert(name)
        return self._ready[name]

    def native(self, name: str) -> Any:
        """The column as the frame's own library has it."""
        return self._frame.get_column(self._native_names[name]).to_native()

    def is_list(self, name: str) -> bool:
        """Whether the column holds a collection in each row."""
        import polars as pl

        return isinstance(self.column(name).dtype, pl.List | pl.Array)

    def seen(self) -> str:
        """The columns and their kinds, in words."""
        kinds = [f"{name!r} ({self.column(name).dtype})" for name in self.columns[:8]]
        more = f" and {len(self.columns) - 8} more" if self.columns[8:] else ""
        return ", ".join(kinds) + more if kinds else "no columns"

    def _convert(self, name: str) -> polars.Series:
        import polars as pl

        series = self._frame.get_column(self._native_names[name])
        if series.implementation.is_polars() or series.implementation.is_pyarrow():
            return series.to_polars()
        values = [None if _is_blank(value) else value for value in series.to_list()]
        if any(isinstance(value, LISTS) for value in values):
            return pl.Series(name, self._lists(name, values), dtype=pl.List(pl.String))
        if series.dtype.is_float():
            # A float column's own blanks are NaN, and are reported as such where they matter.
            return pl.Series(name, series.to_numpy())
        try:
            return pl.Series(name, values)
        except (TypeError, OverflowError, pl.exceptions.PolarsError):
            names = [v if v is None else item_name(v, path=self.path, column=name) for v in values]
            return pl.Series(name, names, dtype=pl.String)

    def _lists(self, name: str, values: list[Any]) -> list[list[str] | None]:
        """The rows of a column of Python collections, as lists of names."""
        rows: list[list[str] | None] = []
        for number, row in enumerate(values, start=1):
            if row is not None and not isinstance(row, LISTS):
                raise InputError(
                    f"row {number:,} is not a list of items",
                    path=self.path,
                    column=name,
                    value=repr(row),
                    remedy="give every row a list, if need be an empty one",
                )
            where = f"in row {number:,} "
            rows.append(
                None
                if row is None
                else [item_name(v, path=self.path, column=name, where=where) for v in row]
            )
        return rows


def read_frame(frame: Frame, options: Options) -> tuple[str, Parsed]:
    """The format of a frame and its rows."""
    if not len(frame):
        raise InputError("holds no records", path=frame.path, remedy="give at least one record")
    form = options.format or _kind(frame, options)
    if form not in READERS:
        shown = ", ".join(READERS)
        remedy = f"use one of: {shown}"
        raise InputError(f"a frame cannot be read as {form!r}", path=frame.path, remedy=remedy)
    return form, READERS[form](frame, options)


def own_index(native: Any, n_rows: int) -> tuple[Any, ...] | None:
    """The labels of a pandas frame with a row for each record, unless they only number the rows."""
    index = getattr(native, "index", None)
    if index is None or not hasattr(native, "iloc") or len(index) != n_rows:
        return None
    labels = tuple(index.tolist())
    return None if labels == tuple(range(n_rows)) else labels


def _kind(frame: Frame, options: Options) -> str:
    """The format that fits the frame's columns."""
    for name in (options.record_column, options.item_column):
        if name is not None:
            find_column(name, frame.columns, frame.path)
    if options.item_column is not None:
        return "list" if frame.is_list(options.item_column) else "long"
    if any(frame.is_list(name) for name in frame.columns):
        return "list"
    two = len(frame.columns) == 2
    if two and has_usual_columns(frame.columns):
        return "long"
    if onehot.looks_one_hot(frame, options):
        return "one-hot"
    if options.record_column is not None or has_usual_columns(frame.columns):
        return "long"
    if two and frame.column(frame.columns[0]).n_unique() < len(frame):
        return "long"
    raise InputError(
        f"does not look like records of items; it has {frame.seen()}",
        path=frame.path,
        remedy=f"give {SUPPORTED}",
    )


def _is_blank(value: Any) -> bool:
    """Whether a value is one of the many blanks of pandas."""
    if isinstance(value, float):
        return value != value
    return value is None or type(value).__name__ in ("NAType", "NaTType")


READERS = {
    "list": listcolumn.read_columns,
    "long": long.read_columns,
    "one-hot": onehot.read_columns,
}
