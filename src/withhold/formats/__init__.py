"""Reading and writing tables: the first step of the road, and the means of the last.

In: a path, standard input, a data frame or any iterable of iterables. Out: ``Records`` that
know where they came from; and back into a file of the same form. One module holds each format,
``detect`` tells them apart, ``opening`` and ``saving`` deal with bytes.

What a name is, ``data.names`` says, for all of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from withhold.arguments import checked
from withhold.data import Records, Source, Table
from withhold.data.names import clean, is_missing
from withhold.errors import InputError, OutputError, option
from withhold.formats import basket, jsonl, listcolumn, listtext, long, onehot, spmf
from withhold.formats.columns import Options
from withhold.formats.consent import only_with_consent
from withhold.formats.detect import text_format
from withhold.formats.forms import FORMATS, check_format, check_separator, output_form
from withhold.formats.formulas import check_safe_csv, escape, escaped_items, unescaped_items
from withhold.formats.items import check_encodable, item_name
from withhold.formats.opening import Opened, Text, open_bytes, text_of
from withhold.formats.parquet import read_parquet
from withhold.formats.rows import Parsed, parsed_from_names, with_clean_names
from withhold.formats.saving import save_frame, save_lines
from withhold.formats.table import (
    TABLE,
    as_written_table,
    read_table,
    read_table_back,
    table_form,
    write_table,
)

__all__ = [
    "FORMATS",
    "Data",
    "as_written",
    "form_for",
    "output_form",
    "read",
    "read_back",
    "read_table",
    "reading_of",
    "write",
]

NOT_A_NAME = "blank, has whitespace around it, or stands for a missing value"

Data = Records | Table
"""What can be read, published and proved: records of items, or a table of named columns."""

TEXT_READERS: dict[str, Callable[[Text, Options], Parsed]] = {
    "basket": basket.read_text,
    "long": long.read_text,
    "spmf": spmf.read_text,
    "one-hot": onehot.read_text,
    "jsonl": jsonl.read_text,
    "list": listtext.read_text,
}
TEXT_WRITERS: dict[str, Callable[[Records, Source], Iterator[str]]] = {
    "basket": basket.write_text,
    "long": long.write_text,
    "spmf": spmf.write_text,
    "one-hot": onehot.write_text,
    "jsonl": jsonl.write_text,
}
FRAME_WRITERS: dict[str, Callable[[Records, Source], Any]] = {
    "long": long.write_frame,
    "one-hot": onehot.write_frame,
    "list": listcolumn.write_frame,
}


@checked
def read(
    source: Any,
    *,
    format: str | None = None,
    separator: str | None = None,
    record_column: str | None = None,
    item_column: str | None = None,
    consent: Any = None,
    allow_unknown: bool = False,
    skip_missing_ids: bool = False,
) -> Records:
    """The table in a file (``-`` is standard input), a frame or an iterable of iterables.

    Format, separator and columns are found by content where they are not given. Repeated items of a
    record are merged and counted; empty records are kept. ``consent``: a file that lists the records that
    may be published, the name of a 0/1 column, or row numbers or record ids; the others are left out. A
    name on the list that no record has is an error, unless ``allow_unknown``. ``skip_missing_ids`` leaves
    out rows that do not say which record they belong to, and counts them.

    >>> read([["bread", "beer"], []]).to_lists()
    [['beer', 'bread'], []]
    >>> read([["bread", "beer"], ["tea"]], consent=[2]).to_lists()
    [['tea']]
    """
    options = Options(
        check_format(format),
        check_separator(separator),
        record_column,
        item_column,
        skip_missing_ids,
    )
    table = _read_any(source, options)
    if consent is None:
        return table
    return only_with_consent(table, source, consent, allow_unknown=allow_unknown)


def _read_any(source: Any, options: Options) -> Records:
    if isinstance(source, Records):
        return source
    if isinstance(source, str | os.PathLike):
        return _read_path(Path(source), options)
    if _is_frame(source):
        from withhold.formats.frames import Frame, own_index, read_frame

        table = _table(read_frame(Frame(source), options)[1], None)
        return replace(table, index=own_index(source, len(table)))
    if not isinstance(source, Iterable) or isinstance(source, bytes | bytearray):
        raise InputError(
            "neither a path nor a frame nor an iterable of records",
            value=type(source).__name__,
            remedy="give a path, a pandas, polars or pyarrow frame, or a list of lists",
        )
    parsed = parsed_from_names(_named_rows(source))
    check_encodable(parsed.vocabulary)
    return _table(parsed, None)


def read_back(path: Path, form: Source) -> Data:
    """The data in a file that was written in this form, without guessing anything."""
    if form.format == TABLE:
        return read_table_back(path, form)
    table = read(path, **reading_of(form))
    return unescaped_items(table) if form.safe_csv else table


def reading_of(form: Source) -> dict[str, Any]:
    """The options of ``read`` that describe this form; of a table, those of ``read_table``."""
    if form.format == TABLE:
        return {"separator": form.separator} if form.container == "text" else {}
    record, item = _named_columns(form)
    named = {
        "format": form.format,
        "separator": form.separator if form.container == "text" else None,
        "record_column": record,
        "item_column": item,
    }
    return {name: value for name, value in named.items() if value is not None}


def form_for(
    data: Data,
    name: str,
    *,
    like: Source | None,
    format: str | None = None,
    mark: str | None = None,
    safe_csv: bool = False,
) -> Source:
    """The form in which data is written to a file of this name."""
    if isinstance(data, Table):
        if format is not None:
            raise InputError("a table is written as its file's name says; leave the format out")
        form = table_form(name, like, mark)
    else:
        form = output_form(name, like, format)
    if not safe_csv:
        return form
    check_safe_csv(form)
    return replace(form, safe_csv=True)


def write(
    table: Data,
    path: Path,
    form: Source | None = None,
    *,
    like: Source | None = None,
    format: str | None = None,
    file: BinaryIO | None = None,
) -> Source:
    """Write the whole table to ``path``, and return the form it has there, with its SHA-256.

    It gets its name when it is whole; a ``file`` that is open there already is written as it is.

    Without a ``form``, it follows from the path's name, from ``like`` (or the table's own source)
    and from ``format``, as ``output_form`` says.
    """
    form = form or form_for(table, path.name, like=like or table.source, format=format)
    if isinstance(table, Table):
        return write_table(table, path, form, file)
    if not len(table):
        raise OutputError("a table without records cannot be written, as no reader would take it.")
    _check_names(table, form)
    if form.safe_csv:
        table = escaped_items(table)
    form = replace(form, path=path, **_details(table, form))
    if form.safe_csv:
        form = replace(form, columns=tuple(map(escape, form.columns)))
    if form.container == "parquet":
        frame = FRAME_WRITERS[form.format](table, form)
        digest = save_frame(frame, path, form.compression, file)
    else:
        lines = TEXT_WRITERS[form.format](table, form)
        digest = save_lines(lines, path, form.compression, file)
    return replace(form, sha256=digest)


def as_written(table: Data, form: Source) -> Data:
    """The data as a reader of this form finds it.

    Basket and SPMF files have no place for record ids; a long file numbers records without one.
    """
    if isinstance(table, Table):
        return as_written_table(table, form)
    if form.format in ("basket", "spmf"):
        return replace(table, record_ids=None)
    if form.format == "long":
        return replace(table, record_ids=long.written_ids(table))
    return table


def _check_names(table: Records, form: Source) -> None:
    """Refuse names that no reader would find again; tables that were read have none."""
    occurring = (table.vocabulary[code] for code in np.flatnonzero(table.supports))
    if odd := [name for name in occurring if name != clean(name) or not name]:
        raise OutputError(f"the item {odd[0]!r} cannot be written, as its name is {NOT_A_NAME}.")
    if form.format in ("basket", "spmf"):
        return
    if odd := [name for name in table.record_ids or () if name != clean(name) or is_missing(name)]:
        raise OutputError(f"the record id {odd[0]!r} cannot be written, as it is {NOT_A_NAME}.")


def _read_path(path: Path, options: Options) -> Records:
    opened = open_bytes(path)
    if opened.is_parquet:
        format, parsed = _read_parquet(opened, options)
    else:
        text = text_of(opened)
        format = options.format or text_format(text, options)
        named = options.record_column or options.item_column
        if named and format in ("basket", "spmf"):
            remedy = f"leave {option('record_column')} and {option('item_column')} out"
            problem = f"a {format} file has no columns"
            raise InputError(problem, path=text.path, value=named, remedy=remedy)
        parsed = TEXT_READERS[format](text, options)
    container = "parquet" if opened.is_parquet else "jsonl" if format == "jsonl" else "text"
    source = Source(
        path,
        format,
        compression=opened.compression,
        container=container,
        separator=parsed.separator,
        columns=parsed.columns,
        sha256=opened.digest.hexdigest(),
        variant=parsed.variant,
    )
    return _table(parsed, source)


def _read_parquet(opened: Opened, options: Options) -> tuple[str, Parsed]:
    from withhold.formats.frames import Frame, read_frame

    frame = read_parquet(opened.data, opened.label)
    return read_frame(Frame(frame, opened.label), options)


def _table(parsed: Parsed, source: Source | None) -> Records:
    path = None if source is None else str(source.path)
    if not len(parsed.lengths):
        raise InputError("holds no records", path=path, remedy="give at least one record")
    parsed = with_clean_names(parsed, path=path)
    return Records(
        parsed.offsets,
        parsed.items,
        parsed.vocabulary,
        parsed.record_ids,
        parsed.repeated,
        source,
        skipped_rows=parsed.skipped,
    )


def _named_rows(rows: Iterable[Any]) -> Iterator[list[str]]:
    """Records given as Python values, item by item as strings."""
    for number, row in enumerate(rows, start=1):
        if isinstance(row, str | bytes) or not isinstance(row, Iterable):
            raise InputError(
                f"record {number:,} is not a collection of items",
                value=repr(row),
                remedy="pass each record as a list or set of items",
            )
        yield [item_name(item, where=f"in record {number:,} ") for item in row]


def _is_frame(source: Any) -> bool:
    """Whether narwhals knows what to do with it, without importing any frame library."""
    if isinstance(source, list | tuple | set | frozenset):
        return False
    import narwhals as nw

    try:
        wrapped = nw.from_native(source, pass_through=True)
    except nw.exceptions.NarwhalsError:
        return True  # a frame, but one with something wrong, which its reader will report
    return isinstance(wrapped, nw.DataFrame | nw.LazyFrame)


def _details(table: Records, form: Source) -> dict[str, Any]:
    """What of the form depends on the table."""
    if form.format == "long":
        return {"columns": long.written_columns(form)}
    if form.format == "spmf":
        return {"variant": spmf.written_variant(table, form)}
    columns = {
        "one-hot": onehot.written_columns,
        "list": listcolumn.written_columns,
        "jsonl": jsonl.written_columns,
    }.get(form.format)
    return {"columns": columns(table, form)} if columns else {}


def _named_columns(form: Source) -> tuple[str | None, str | None]:
    """The record and the item column of a form, as far as it has them."""
    if form.format == "one-hot":
        return (form.columns[0] if form.columns else None), None
    record = form.columns[0] if len(form.columns) == 2 else None
    return record, (form.columns[-1] if form.columns else None)
