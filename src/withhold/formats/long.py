"""Long tables: one row for each item of a record, with a record and an item column.

From CSV, parquet or a frame. Records stand in the order in which they first appear; their rows need
not be neighbours. A row without an item says that the record exists; a row without a record is refused
or skipped (``ids``).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from withhold.data import Records, Source
from withhold.data.names import WHITESPACE, clean_all
from withhold.errors import InputError, OutputError, option
from withhold.formats.cells import BLANKS, Sheet, csv_lines, open_sheet
from withhold.formats.columns import (
    INNER,
    ITEM_NAMES,
    RECORD_NAMES,
    Options,
    listed,
    long_columns,
    plain,
)
from withhold.formats.ids import Mask, id_names, with_id
from withhold.formats.items import series_codes, series_names
from withhold.formats.opening import Text
from withhold.formats.rows import Parsed, parsed_from_codes

if TYPE_CHECKING:
    import polars

    from withhold.formats.frames import Frame

DEFAULT_COLUMNS = ("record", "item")


def read_text(text: Text, options: Options) -> Parsed:
    """The rows of a long CSV file."""
    sheet = open_sheet(text, options)
    if len(sheet.header) < 2:
        raise InputError(
            f"a long table needs a record and an item column, and {listed(sheet.header)}",
            path=text.path,
            remedy=f"name the separator with {option('separator')}, or another format",
        )
    record, item = long_columns(sheet.header, options, text.path)
    _check_header(sheet, record, item, options)
    places = sheet.header.index(record), sheet.header.index(item)
    records, items = sheet.columns(places, exact=True)
    kept = with_id(records, options, path=text.path, column=record, line=sheet.line)
    if options.format is None:
        remedy = f"{option('format', 'list')} {option('item_column', item)}"
        refuse_lists(records, items, path=text.path, column=item, as_lists=f"say {remedy}")
    return _pair(records, items, kept, (record, item), path=text.path, separator=sheet.separator)


def read_columns(frame: Frame, options: Options) -> Parsed:
    """The rows of a long frame."""
    record, item = long_columns(frame.columns, options, frame.path)
    records = id_names(frame.column(record), path=frame.path, column=record)
    kept = with_id(records, options, path=frame.path, column=record)
    items = series_names(frame.column(item), path=frame.path, column=item)
    if options.format is None:
        as_lists = "split them into lists"
        refuse_lists(records, items, path=frame.path, column=item, as_lists=as_lists)
    return _pair(records, items.fill_null(""), kept, (record, item), path=frame.path)


def refuse_lists(
    records: polars.Series, items: polars.Series, *, path: str | None, column: str, as_lists: str
) -> None:
    """Stop where no record has two rows and cells look like lists: one item with commas, or several?"""
    if len(records) < 2 or records.n_unique() < len(records):
        return
    if items.str.contains(f"^{INNER.pattern}").any():
        raise InputError(
            "no record has a second row, and some cells look like lists of items",
            path=path,
            column=column,
            remedy=f"{as_lists} if they are lists; or say {option('format', 'long')} if each cell is one "
            "item",
        )


def write_text(table: Records, form: Source) -> Iterator[str]:
    """The lines of a long CSV file, each with its end; records without a name are numbered."""
    ids = written_ids(table)
    names = (name for name, n in zip(table.vocabulary, table.supports, strict=True) if n)
    for name in (*names, *ids):
        if not name or name != name.strip(BLANKS) or "\r" in name or "\0" in name:
            kind = "record" if name in ids else "item"
            raise OutputError(
                f"the {kind} {name!r} cannot be written to a long CSV file. "
                "To fix it: write .jsonl or .parquet instead."
            )
    pairs = ((name, item) for name, row in zip(ids, table, strict=True) for item in row or ("",))
    yield from csv_lines(chain([written_columns(form)], pairs), form.separator)


def write_frame(table: Records, form: Source) -> polars.DataFrame:
    """The table as record and item columns; a record without items has a row without one."""
    import polars as pl

    ids = np.array(written_ids(table), dtype=object)
    if "" in ids or "" in table.vocabulary:
        raise OutputError(
            "an item or a record without a name cannot be written to a long table. "
            "To fix it: write .jsonl, or a parquet list column."
        )
    lengths = np.maximum(table.lengths, 1)
    places = np.repeat(np.cumsum(lengths) - lengths, table.lengths)
    within = np.arange(table.n_occurrences) - np.repeat(table.offsets[:-1], table.lengths)
    items = np.full(int(lengths.sum()), None, dtype=object)
    items[places + within] = np.array(table.vocabulary, dtype=object)[table.items]
    record, item = written_columns(form)
    columns = {record: np.repeat(ids, lengths).tolist(), item: items.tolist()}
    return pl.DataFrame(columns, schema={record: pl.String, item: pl.String})


def written_columns(form: Source) -> tuple[str, str]:
    """The names of the two columns in a file of this form."""
    return (form.columns[0], form.columns[1]) if len(form.columns) == 2 else DEFAULT_COLUMNS


def written_ids(table: Records) -> tuple[str, ...]:
    """The records' names in a long file: their own, or their numbers from 1."""
    ids = table.record_ids
    if ids is None:
        return tuple(str(number) for number in range(1, len(table) + 1))
    if len(set(ids)) < len(ids):
        raise OutputError(
            "two records have the same id, and a long table would make them one. "
            "To fix it: write .jsonl, or a parquet list column."
        )
    return ids


def _check_header(sheet: Sheet, record: str, item: str, options: Options) -> None:
    """Refuse a file without a header, whose first row would be lost."""
    named = options.record_column is not None or plain(record) in RECORD_NAMES
    if named or options.item_column is not None or plain(item) in ITEM_NAMES:
        return
    place = sheet.header.index(record)
    recurs = any(row[place] == record for _, row in sheet.rows())
    if recurs or record.isdigit():
        raise InputError(
            "the first line looks like a row, not like the names of the columns",
            path=sheet.text.path,
            line=1,
            value=sheet.separator.join(sheet.header),
            remedy="add a first line such as record,item",
        )


def _pair(
    records: polars.Series,
    items: polars.Series,
    kept: Mask | None,
    columns: tuple[str, str],
    *,
    path: str | None,
    separator: str = " ",
) -> Parsed:
    """The rows of two columns of names, in the order of the records' first appearance."""
    import polars as pl

    skipped = 0
    if kept is not None:
        skipped = len(records) - int(kept.sum())
        records, items = records.filter(kept), items.filter(kept)
    ids = records.unique(maintain_order=True)
    names = clean_all(ids.to_list(), "record ids", path=path)
    row_of = records.cast(pl.Enum(ids)).to_physical().to_numpy().astype(np.int64)
    # A cell of nothing but whitespace is no item, as an empty one.
    filled = items.str.strip_chars(WHITESPACE) != ""
    codes, vocabulary = series_codes(items.filter(filled))
    row_of = row_of[filled.to_numpy()]
    if (np.diff(row_of) < 0).any():
        order = np.argsort(row_of, kind="stable")
        row_of, codes = row_of[order], codes[order]
    return parsed_from_codes(
        np.bincount(row_of, minlength=len(ids)),
        codes,
        vocabulary,
        record_ids=names,
        columns=columns,
        separator=separator,
        skipped=skipped,
    )
