"""Long tables: one row for each item of a record, with a record and an item column.

From CSV, parquet or a frame. Records are in the order in which they first appear; their rows need not be
adjacent. A row without an item says that the record exists; a row without a record is refused or skipped
(``items.with_id``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from withhold.data import Records, Source
from withhold.data.names import WHITESPACE, clean_all
from withhold.errors import OutputError, option
from withhold.formats.cells import BLANKS, Sheet, csv_lines, open_sheet
from withhold.formats.columns import (
    INNER,
    ITEM_NAMES,
    RECORD_NAMES,
    Columns,
    Options,
    listed,
    long_columns,
    plain,
)  # fmt: skip
from withhold.formats.first_rows import refuse_item_as_header
from withhold.formats.forms import AS_LISTS, unwritable
from withhold.formats.items import id_names, series_codes, series_names, with_id
from withhold.formats.opening import Text
from withhold.formats.repeated_persons import person_columns, several_records
from withhold.formats.rows import Parsed, parsed_from_codes
from withhold.formats.wrong_records import doubtful_records

if TYPE_CHECKING:
    import polars

DEFAULT_COLUMNS = ("record", "item")


def read_text(text: Text, options: Options) -> Parsed:
    """The rows of a long CSV file."""
    sheet = open_sheet(text, options)
    if len(sheet.columns) < 2:
        problem = f"a long table needs a record and an item column, and {listed(sheet.columns)}"
        remedy = f"name the separator with {option('separator')}, or another format"
        raise text.error(problem, remedy)
    record, item = long_columns(sheet.columns, options, text.path)
    _check_header(sheet, record, item, options)
    sheet.load([record, item, *person_columns(sheet.columns, record, item)], exact=True)
    return read_columns(sheet, options)


def read_columns(source: Columns, options: Options) -> Parsed:
    """The rows of a long frame, or of a CSV file."""
    import polars as pl

    record, item = long_columns(source.columns, options, source.path)
    records = id_names(source, record)
    kept = with_id(records, options, source, record, source.line)
    items = series_names(source.column(item), source, item)
    refuse_item_as_header(source, {record: records, item: items})
    if options.format is None:
        _refuse_lists(records, items, source, item)
    named = person_columns(source.columns, record, item)
    doubts = [
        doubt
        for name in named
        for doubt in several_records(source.path, name, source.column(name), records)
    ]
    items = items.fill_null("")
    n_rows = len(records)
    if kept is not None:
        records, items = records.filter(kept), items.filter(kept)
    ids = records.unique(maintain_order=True)
    names = clean_all(ids.to_list(), "record ids", path=source.path)
    row_of = records.cast(pl.Enum(ids)).to_physical().to_numpy().astype(np.int64)
    # A cell of nothing but whitespace is not an item, like an empty one.
    filled = items.str.strip_chars(WHITESPACE) != ""
    codes, vocabulary = series_codes(items.filter(filled))
    row_of = row_of[filled.to_numpy()]
    if (np.diff(row_of) < 0).any():
        order = np.argsort(row_of, kind="stable")
        row_of, codes = row_of[order], codes[order]
    parsed = parsed_from_codes(
        np.bincount(row_of, minlength=len(ids)),
        codes,
        vocabulary,
        record_ids=names,
        columns=(record, item),
        separator=source.separator,
        skipped=n_rows - len(records),
    )
    if not doubts:
        doubts += doubtful_records(source, record, item, parsed)
    return replace(parsed, warnings=tuple(doubts))


def write_text(records: Records, form: Source) -> Iterator[str]:
    """The lines of a long CSV file, each with its end; records without a name are numbered."""
    ids = written_ids(records)
    for name in (*records.occurring, *ids):
        if not name or name != name.strip(BLANKS) or "\r" in name or "\0" in name:
            kind = "record" if name in ids else "item"
            raise unwritable(f"the {kind} {name!r}", "a long CSV file")
    pairs = ((name, item) for name, row in zip(ids, records, strict=True) for item in row or ("",))
    yield from csv_lines(chain([written_columns(records, form)], pairs), form.separator)


def write_frame(records: Records, form: Source) -> polars.DataFrame:
    """The records as record and item columns; a record without items has a row without one."""
    import polars as pl

    ids = written_ids(records)
    if "" in ids or "" in records.vocabulary:
        raise unwritable("an item or a record without a name", "a long table", AS_LISTS)
    record, item = written_columns(records, form)
    lengths = np.maximum(records.lengths, 1)
    items = np.full(int(lengths.sum()), None, dtype=object)
    empty = np.repeat(records.lengths == 0, lengths)
    items[~empty] = np.array(records.vocabulary, dtype=object)[records.items]
    columns = {
        record: np.repeat(np.array(ids, dtype=object), lengths).tolist(),
        item: items.tolist(),
    }
    return pl.DataFrame(columns, schema={record: pl.String, item: pl.String})


def written_columns(_: Records, form: Source) -> tuple[str, ...]:
    """The names of the two columns in a file of this form."""
    return form.columns if len(form.columns) == 2 else DEFAULT_COLUMNS


def written_ids(records: Records) -> tuple[str, ...]:
    """The records' names in a long file: their own, or their numbers from 1."""
    ids = records.record_ids
    if ids is None:
        return tuple(str(number) for number in range(1, len(records) + 1))
    if len(set(ids)) < len(ids):
        problem = "two records have the same id, and a long table would make them one."
        raise OutputError(f"{problem} To fix it: {AS_LISTS}.")
    return ids


def _refuse_lists(
    records: polars.Series, items: polars.Series, source: Columns, column: str
) -> None:
    """Stop if no record has two rows and cells look like lists: one item with commas, or several items."""
    if len(records) < 2 or records.n_unique() < len(records):
        return
    if items.str.contains(f"^{INNER.pattern}").any():
        as_lists = f"say {option('format', 'list')} {option('item_column', column)}"
        split = as_lists if isinstance(source, Sheet) else "split them into lists"
        is_long = option("format", "long")
        raise source.error(
            "no record has a second row, and some cells look like lists of items",
            f"{split} if they are lists; or say {is_long} if each cell is one item",
            column=column,
        )


def _check_header(sheet: Sheet, record: str, item: str, options: Options) -> None:
    """Refuse a file without a header, whose first row would be lost."""
    named = options.record_column is not None or plain(record) in RECORD_NAMES
    if named or options.item_column is not None or plain(item) in ITEM_NAMES:
        return
    place = sheet.columns.index(record)
    if record.isdigit() or any(row[place] == record for _, row in sheet.rows()):
        problem = "the first line looks like a row, not like the names of the columns"
        first = sheet.separator.join(sheet.columns)
        raise sheet.error(problem, "add a first line such as record,item", line=1, value=first)
