"""Data frames of every library, through narwhals.

In: a pandas, polars or pyarrow frame, or the content of a parquet file. Out: its columns as polars
columns, of the few kinds that can be items, and what kind of table it is. The readings of
columns live with their formats: ``lists``, ``long``, ``onehot``.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from withhold.errors import InputError, option
from withhold.formats import onehot
from withhold.formats.columns import (
    Columns,
    Options,
    ask_about_persons,
    find_column,
    has_usual_columns,
)
from withhold.formats.databases import queried
from withhold.formats.items import item_name

if TYPE_CHECKING:
    import narwhals
    import polars

LISTS = (list, tuple, set, frozenset, np.ndarray)
SUPPORTED = "a list column, record and item columns, or one 0/1 column per item"


def is_frame(source: Any) -> bool:
    """Whether narwhals supports the object; imports no frame library."""
    if isinstance(source, list | tuple | set | frozenset):
        return False
    import narwhals as nw

    try:
        wrapped = nw.from_native(source, pass_through=True)
    except nw.exceptions.NarwhalsError:
        return True  # a frame, but one with something wrong, which its reader will report
    return isinstance(wrapped, nw.DataFrame | nw.LazyFrame)


def gathered(source: Any) -> Any:
    """An Arrow stream or a query as a frame, since it may run only once; anything else as it is.

    Frames that narwhals supports are not converted, so that a release has their types.
    """
    source = queried(source)
    if isinstance(source, str | os.PathLike | list | tuple | set | frozenset):
        return source
    import narwhals as nw
    import polars as pl

    try:
        known = nw.from_native(source, pass_through=True, allow_series=True)
    except nw.exceptions.NarwhalsError:
        return source  # a frame with something wrong, which its reader will report
    is_dataset = type(source).__module__.startswith("pyarrow") and hasattr(source, "to_table")
    is_stream = hasattr(source, "__arrow_c_stream__")
    try:
        if isinstance(known, nw.DataFrame | nw.Series):
            return source
        if is_stream or is_dataset:
            return pl.DataFrame(source if is_stream else source.to_table())
        return known.collect().to_native() if isinstance(known, nw.LazyFrame) else source
    except Exception as error:  # the user's whole query runs here
        raise _unusable(error) from error


def _unusable(error: Exception, path: str | None = None) -> InputError:
    reason = " ".join(str(error).split())
    return InputError(f"the frame cannot be used: {reason}", path=path)


class Frame(Columns):
    """A table whose columns are available by name as polars columns."""

    separator = " "

    def __init__(self, native: Any, path: str | None = None) -> None:
        import narwhals as nw

        self.path = path
        try:
            frame = nw.from_native(native)
            self._frame: narwhals.DataFrame[Any] = (
                frame.collect() if isinstance(frame, nw.LazyFrame) else frame
            )
        except Exception as error:
            # A lazy frame runs the user's whole query here, so any exception is possible.
            raise _unusable(error, path) from error
        self.columns = [str(name) for name in self._frame.columns]
        self._native_names = dict(zip(self.columns, self._frame.columns, strict=True))
        if len(self._native_names) < len(self.columns):
            raise self.error("has two columns of the same name")
        self._ready: dict[str, polars.Series] = {}

    def __len__(self) -> int:
        return len(self._frame)

    def line(self, row: int) -> None:
        """A frame has no lines."""

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

    def kind(self, options: Options) -> str:
        """The format that fits the columns: ``list``, ``long`` or ``one-hot``."""
        for name in (options.record_column, options.item_column):
            if name is not None:
                find_column(name, self.columns, self.path)
        if options.item_column is not None:
            return "list" if self.is_list(options.item_column) else "long"
        if any(self.is_list(name) for name in self.columns):
            return "list"
        two, usual = len(self.columns) == 2, has_usual_columns(self.columns)
        if two and usual:
            return "long"
        if onehot.looks_one_hot(self, options):
            return "one-hot"
        if options.record_column is None and usual:
            ask_about_persons(self, lambda name: self.column(name).to_list())
        if options.record_column is not None or usual:
            return "long"
        if two and self.column(self.columns[0]).n_unique() < len(self):
            return "long"
        problem = f"does not look like records of items; it has {self.seen()}"
        named = f"{option('record_column')} and {option('item_column')}"
        raise self.error(problem, f"give {SUPPORTED}; or name the two columns with {named}")

    def _convert(self, name: str) -> polars.Series:
        import polars as pl

        series = self._frame.get_column(self._native_names[name])
        if series.implementation.is_polars() or series.implementation.is_pyarrow():
            return series.to_polars()
        values = [None if _is_blank(value) else value for value in series.to_list()]
        if any(isinstance(value, LISTS) for value in values):
            rows = [self._list(name, row, number) for number, row in enumerate(values, start=1)]
            return pl.Series(name, rows, dtype=pl.List(pl.String))
        if series.dtype.is_float():
            # The blanks of a float column are NaN, and are reported as such if they matter.
            return pl.Series(name, series.to_numpy())
        try:
            return pl.Series(name, values)
        except (TypeError, OverflowError, pl.exceptions.PolarsError):
            names = [v if v is None else item_name(v, path=self.path, column=name) for v in values]
            return pl.Series(name, names, dtype=pl.String)

    def _list(self, name: str, row: Any, number: int) -> list[str] | None:
        """A Python collection in a cell as a list of names."""
        if row is None:
            return None
        if not isinstance(row, LISTS):
            remedy = "give every row a list, if need be an empty one"
            problem = f"row {number:,} is not a list of items"
            raise self.error(problem, remedy, column=name, value=repr(row))
        where = f"in row {number:,} "
        return [item_name(v, path=self.path, column=name, where=where) for v in row]


def own_index(native: Any, n_rows: int) -> tuple[Any, ...] | None:
    """The labels of a pandas frame with a row for each record, unless they only number the rows."""
    index = getattr(native, "index", None)
    if index is None or not hasattr(native, "iloc") or len(index) != n_rows:
        return None
    labels = tuple(index.tolist())
    return None if labels == tuple(range(n_rows)) else labels


def _is_blank(value: Any) -> bool:
    """Whether a value is one of the many blanks of pandas."""
    if isinstance(value, float):
        return value != value
    return value is None or type(value).__name__ in ("NAType", "NaTType")
