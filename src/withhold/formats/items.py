"""Names of items and of records: how cells that are not text, or blank, are treated.

Whole numbers become their digits (also ``3.0``, which is what pandas makes of 3 beside a blank);
other fractions, truth values, dates, blanks and nested lists are refused, because their
spelling would be a guess. So are names that are empty or nothing but whitespace. Other strings are taken
as they are: leading zeros survive. ``data.names`` defines which part of them is the name.

Blanks, nulls and what programs write for them (``NA``, ``NULL``, ``nan`` …) all mean "no record id". Rows
without an id are refused, since together they would be one person; ``skip_missing_ids`` leaves them out and
counts them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from withhold.data.array_types import Bools
from withhold.data.names import clean, clean_all, is_missing
from withhold.errors import InputError, option
from withhold.formats.columns import Columns, Options
from withhold.formats.opening import Placed
from withhold.formats.texts import read_clean

if TYPE_CHECKING:
    import polars

REMEDY = "turn the items into strings first"
NO_BLANKS = "leave blanks out of the records"


def item_name(value: Any, *, where: str = "", **place: Any) -> str:
    """The name of an item given as any Python value; ``place`` is for the message."""
    if isinstance(value, str):
        if value and not value.isspace():
            return str(value)
        raise InputError(f"{where}an item has no name", remedy=NO_BLANKS, **place)
    shown = None if value is None else repr(value)
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.number):
        kind = "blank" if value is None else type(value).__name__
        problem = f"{where}an item is neither text nor a whole number but a {kind}"
    elif isinstance(value, int | np.integer):
        return str(int(value))
    else:
        number = float(value.real)
        # Beyond 2**53 one float represents several whole numbers.
        if math.isfinite(number) and number.is_integer() and abs(number) <= 2**53:
            return str(int(value.real))
        problem = f"{where}an item is not a whole number"
    raise InputError(problem, value=shown, remedy=REMEDY, **place)


def read_item_list(path: Path) -> frozenset[str]:
    """The items that a text file lists, one per line; quotes around a line are removed, as in CSV."""
    items = {name for _, name in item_lines(path)}
    if not items:
        raise InputError("lists no item", path=path, remedy="write one item on each line")
    return frozenset(items)


def item_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The items of such a file, each with the number of its line."""
    text = read_clean(path)
    for number, line in enumerate(text.lines(), start=1):
        name = clean(line)
        if name.startswith('"') and name.endswith('"') and len(name) > 1:
            inside = name[1:-1].replace('""', "\0")
            if '"' in inside:
                remedy = 'write one item on each line; a quote inside a quoted item is ""'
                raise text.error("has quotes that cannot be understood", remedy, line=number)
            name = clean(inside.replace("\0", '"'))
        if name:
            yield number, name


def as_listed(item: str) -> str:
    """The item as a line of such a file; one that begins with a quote is put in quotes."""
    return '"' + item.replace('"', '""') + '"' if item.startswith('"') else item


def series_names(series: polars.Series, place: Placed, column: str) -> polars.Series:
    """The names of a polars column of items; blanks stay blank."""
    import polars as pl

    kind = series.dtype
    if kind == pl.String:
        return series
    if kind in (pl.Categorical, pl.Enum, pl.Null) or kind.is_integer():
        return series.cast(pl.String)
    if not kind.is_float():
        problem = "the items are neither text nor whole numbers"
        raise place.error(problem, REMEDY, column=column, value=str(kind))
    values = series.drop_nulls().to_numpy().astype(np.float64)
    odd = ~np.isfinite(values) | (values != np.trunc(values)) | (np.abs(values) > 2**53)
    if odd.any():
        shown = repr(float(values[odd][0]))
        raise place.error("an item is not a whole number", REMEDY, column=column, value=shown)
    return series.cast(pl.Int64).cast(pl.String)


def series_codes(names: polars.Series) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """The codes of a polars column of names without blanks, and its sorted vocabulary."""
    import polars as pl

    vocabulary = names.unique().sort()
    codes = names.cast(pl.Enum(vocabulary)).to_physical().to_numpy()
    return codes.astype(np.int32), tuple(vocabulary.to_list())


def check_encodable(vocabulary: tuple[str, ...], *, path: str | None = None) -> None:
    """Refuse names with half a character (a lone surrogate), which no file can hold."""
    try:
        "".join(vocabulary).encode()
    except UnicodeEncodeError as error:
        problem = "an item holds half a character (a lone surrogate)"
        bad = next(name for name in vocabulary if error.object[error.start] in name)
        remedy = "repair the item's name"
        raise InputError(problem, path=path, value=ascii(bad), remedy=remedy) from None


def with_id(
    ids: polars.Series | Sequence[str | None],
    options: Options,
    place: Placed,
    column: str,
    line: Callable[[int], int | None],
) -> Bools | None:
    """Which rows name a record, or None if all do; the others are an error unless they are to be skipped."""
    import polars as pl

    series = ids if isinstance(ids, pl.Series) else pl.Series(ids, dtype=pl.String)
    spelled = [name for name in series.unique().to_list() if is_missing(name)]
    if not spelled:
        return None
    blanks = series.is_in([name for name in spelled if name is not None])
    without = (blanks | series.is_null()).fill_null(True)
    if options.skip_missing_ids:
        return (~without).to_numpy()
    count, first = int(without.sum()), int(without.arg_max() or 0)
    number = line(first)
    if count == 1:
        problem = (
            f"{'a row' if number else f'row {first + 1:,}'} does not say which record it belongs to"
        )
    else:
        where = "" if number else f" (the first is row {first + 1:,})"
        problem = f"{count:,} rows do not say which record they belong to{where}"
    skip = option("skip_missing_ids", True)
    remedy = f"give every row the id of its record, or leave these rows out with {skip}"
    raise place.error(problem, remedy, line=number, column=column, value=series[first])


def id_names(source: Columns, column: str) -> polars.Series:
    """A column of ids as names; NaN, the missing value of pandas, is a blank."""
    series = source.column(column)
    return series_names(
        series.fill_nan(None) if series.dtype.is_float() else series, source, column
    )


def named_records(
    source: Columns, column: str | None, options: Options
) -> tuple[tuple[str, ...] | None, Bools | None]:
    """The ids in a column, one each, and which rows have one; None for both where there is no column."""
    if column is None:
        return None, None
    ids = id_names(source, column)
    kept = with_id(ids, options, source, column, source.line)
    return record_names(ids if kept is None else ids.filter(kept), source.path), kept


def record_names(given: Sequence[str] | polars.Series, path: str | None) -> tuple[str, ...]:
    """The ids of records by the rule of names; two of the same name are refused."""
    ids = list(given)
    if len(set(ids)) < len(ids):
        first = {name: number for number, name in reversed([*enumerate(ids, start=1)])}
        number, name = next((n, name) for n, name in enumerate(ids, start=1) if first[name] < n)
        raise InputError(
            f"record {number:,} has the same id as one before it",
            path=path,
            value=name,
            remedy="make one record of each person; or give each record an id of its own",
        )
    return clean_all(ids, "record ids", path=path)
