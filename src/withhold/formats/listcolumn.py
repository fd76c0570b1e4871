"""A column of lists: the form in which parquet and data frames hold sets.

In: a frame with one list column, and perhaps one with the records' names. Out: its rows. Names
may hold anything; one that is empty is refused as a null is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from withhold.data import Records, Source
from withhold.data.names import WHITESPACE
from withhold.errors import InputError, option
from withhold.formats.columns import RECORD_NAMES, Options, find_column, usual_column
from withhold.formats.ids import id_names, record_names, with_id
from withhold.formats.items import series_codes, series_names
from withhold.formats.rows import Parsed, parsed_from_codes

if TYPE_CHECKING:
    import polars

    from withhold.formats.frames import Frame

DEFAULT_ITEMS, DEFAULT_RECORD = "items", "record"


def read_columns(frame: Frame, options: Options) -> Parsed:
    """The rows of a frame with a list column."""
    import polars as pl

    path = frame.path
    item = _list_column(frame, options)
    lists = frame.column(item)
    if lists.null_count():
        raise InputError(
            f"row {int(lists.is_null().arg_max() or 0) + 1:,} is blank",
            path=path,
            column=item,
            remedy="write a record without items as an empty list",
        )
    if isinstance(lists.dtype, pl.Array):
        lists = lists.arr.to_list()
    record = options.record_column and find_column(options.record_column, frame.columns, path)
    record = record or usual_column(frame.columns, RECORD_NAMES, "record_column", path, but=item)
    ids: tuple[str, ...] | None = None
    rows = np.arange(len(lists))
    if record:
        named = id_names(frame.column(record), path=path, column=record)
        kept = with_id(named, options, path=path, column=record)
        if kept is not None:
            rows, lists, named = rows[kept], lists.filter(kept), named.filter(kept)
        ids = record_names(named.to_list(), path)
    lengths = lists.list.len()
    # Without the empty lists, which older versions of polars turn into a blank each.
    flat = lists.filter(lengths > 0).explode()
    names = series_names(flat, path=path, column=item)
    blank = names.is_null() | (names.str.strip_chars(WHITESPACE) == "")
    if blank.any():
        place = int(blank.arg_max() or 0)
        row = rows[np.searchsorted(np.cumsum(lengths.to_numpy()), place, side="right")]
        raise InputError(
            f"row {row + 1:,} holds a blank item",
            path=path,
            column=item,
            remedy="leave blanks out of the lists",
        )
    codes, vocabulary = series_codes(names)
    return parsed_from_codes(
        lengths.to_numpy().astype(np.int64),
        codes,
        vocabulary,
        record_ids=ids,
        columns=(record, item) if record else (item,),
        skipped=len(frame) - len(rows),
    )


def write_frame(table: Records, form: Source) -> polars.DataFrame:
    """The table as a list column, after a column of names where the records have any."""
    import polars as pl

    columns: dict[str, polars.Series] = {}
    *record, item = written_columns(table, form)
    if table.record_ids is not None:
        columns[record[0]] = pl.Series(table.record_ids, dtype=pl.String)
    columns[item] = pl.Series(table.to_lists(), dtype=pl.List(pl.String))
    return pl.DataFrame(columns)


def written_columns(table: Records, form: Source) -> tuple[str, ...]:
    """The columns of the file: the items', and before it the records' where they have names."""
    item = form.columns[-1] if form.columns else DEFAULT_ITEMS
    if table.record_ids is None:
        return (item,)
    record = form.columns[0] if len(form.columns) == 2 else DEFAULT_RECORD
    return (record, item)


def _list_column(frame: Frame, options: Options) -> str:
    """The list column that is meant."""
    if options.item_column is not None:
        name = find_column(options.item_column, frame.columns, frame.path)
        if frame.is_list(name):
            return name
        kind = str(frame.column(name).dtype)
        raise InputError("is not a list column", path=frame.path, column=name, value=kind)
    found = [name for name in frame.columns if frame.is_list(name)]
    if len(found) == 1:
        return found[0]
    problem = (
        f"has {len(found)} list columns" if found else f"has no list column; it has {frame.seen()}"
    )
    remedy = f"name the one you mean with {option('item_column')}" if found else None
    shown = f": {', '.join(map(repr, found))}" if found else ""
    raise InputError(problem + shown, path=frame.path, remedy=remedy)
