"""Record ids: which rows have one, and what becomes of those that do not.

Blanks, nulls and what programs write for them (``NA``, ``NULL``, ``nan`` …) all mean "no id". Rows without an
id are refused, since together they would be one person; ``skip_missing_ids`` leaves them out and counts them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from withhold.data.names import clean_all, is_missing
from withhold.errors import InputError, option
from withhold.formats.columns import Options, check_ids
from withhold.formats.items import series_names

if TYPE_CHECKING:
    import polars

Mask = NDArray[np.bool_]
Place = Callable[[int], int | None]
"""From a row, counted from 0, to its line in the file; None where there are no lines."""


def with_id(
    ids: polars.Series | Sequence[str | None],
    options: Options,
    *,
    path: str | None,
    column: str | None,
    line: Place = lambda _: None,
) -> Mask | None:
    """Which rows name a record, or None if all do; the others are an error unless they are to be skipped."""
    import polars as pl

    series = ids if isinstance(ids, pl.Series) else pl.Series(ids, dtype=pl.String)
    spelled = [name for name in series.unique().to_list() if is_missing(name)]
    if not spelled:
        return None
    without = (
        series.is_in([name for name in spelled if name is not None]) | series.is_null()
    ).fill_null(True)
    if options.skip_missing_ids:
        return (~without).to_numpy()
    count, first = int(without.sum()), int(without.arg_max() or 0)
    number, shown = line(first), series[first]
    where = "" if number is not None or count == 1 else f" (the first is row {first + 1:,})"
    one = "a row does" if number is not None else f"row {first + 1:,} does"
    rows = one if count == 1 else f"{count:,} rows do"
    raise InputError(
        f"{rows} not say which record{' it belongs' if count == 1 else ' they belong'} to{where}",
        path=path,
        line=number,
        column=column,
        value=shown,
        remedy="give every row the id of its record, or leave these rows out with "
        + option("skip_missing_ids", True),
    )


def id_names(series: polars.Series, *, path: str | None, column: str) -> polars.Series:
    """A polars column of ids as names; what pandas can only say as NaN is a blank."""
    filled = series.fill_nan(None) if series.dtype.is_float() else series
    return series_names(filled, path=path, column=column)


def record_names(ids: Sequence[str], path: str | None) -> tuple[str, ...]:
    """The ids of records, one each, by the rule of names."""
    check_ids(ids, path)
    return clean_all(ids, "record ids", path=path)
