"""Reading and writing data: the first step of the road, and the means of the last.

In: a path, standard input, a data frame or any iterable of iterables. Out: ``Records`` that
know where they came from; and back into a file of the same form. One module holds each format,
``detect`` recognises them, ``opening`` and ``saving`` handle bytes; ``data.names`` defines what a name is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from withhold.arguments import checked
from withhold.data import Records, Source
from withhold.data.tidying import tidy_records
from withhold.errors import InputError, option
from withhold.formats.columns import Options
from withhold.formats.consent import only_with_consent
from withhold.formats.detect import text_format
from withhold.formats.encodings import check_encoding
from withhold.formats.forms import (
    FORMATS,
    FRAMES,
    PEOPLE,
    TABLE,
    TRAITS,
    check_format,
    check_separator,
    output_form,
)
from withhold.formats.formulas import unescaped_items
from withhold.formats.frames import Frame, gathered, is_frame, own_index
from withhold.formats.functions import FUNCTIONS
from withhold.formats.items import check_encodable
from withhold.formats.opening import Opened, open_bytes
from withhold.formats.parquet import read_parquet
from withhold.formats.people import read_people
from withhold.formats.people_files import read_people_back
from withhold.formats.readable import Consent, Readable
from withhold.formats.rows import Parsed, named_rows, parsed_from_names, with_clean_names
from withhold.formats.table import read_table, read_table_back
from withhold.formats.texts import how_found, refuse_for_files, text_of
from withhold.formats.writing import Data, as_written, form_for, write
from withhold.phases import phase

__all__ = [
    "FORMATS", "READERS", "Data", "as_written", "form_for", "output_form", "read", "read_back",
    "read_opened", "read_people", "read_table", "reading_of", "write",
]  # fmt: skip

SOMETHING = "give at least one record"
OF_FILES = ("encoding", "sheet", "decimal")
"""Fields of the form of an input file that are options of reading; files that withhold writes are UTF-8."""


@phase("reading")
@checked
def read(
    source: Readable,
    *,
    format: str | None = None,
    separator: str | None = None,
    record_column: str | None = None,
    item_column: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
    tidy: Iterable[str] | str | None = None,
    consent: Consent = None,
    allow_unknown: bool = False,
    skip_missing_ids: bool = False,
) -> Records:
    """The records in a file, a frame or an iterable of iterables.

    Format, separator and columns are detected from the content if they are not given. Repeated items of a
    record are merged and counted; empty records are kept.

    Parameters
    ----------
    source
        A path (``-`` is standard input), a pandas, polars or pyarrow frame, anything else with an Arrow
        stream (a DuckDB relation, a reader of record batches), lists of items, or ``Records``.
    format
        ``basket``, ``long``, ``spmf``, ``one-hot``, ``list`` or ``jsonl``.
    separator
        What separates items or cells: a character, or ``space``, ``comma``, ``semicolon``, ``tab``, ``pipe``.
    record_column, item_column
        The columns that hold the records' ids and the items.
    encoding
        The encoding of a text file, such as ``cp1252``; detected where that is clear. Output is always UTF-8.
    sheet
        The sheet of a spreadsheet: its name, or its number from 1.
    tidy
        ``"items=case,spaces"`` merges spellings of items that differ only in case or spaces (or
        ``punctuation``).
    consent
        A file that lists the records that may be published, the name of a 0/1 column, or row numbers or
        record ids; the others are left out.
    allow_unknown
        Accept a list of consent with records that the data does not have.
    skip_missing_ids
        Leave out rows without a record id, and count them.

    Returns
    -------
    Records
        One for each record of the source, in its order.

    Raises
    ------
    InputError
        With the file, the line and the remedy, if the records cannot be read.

    Examples
    --------
    >>> read([["bread", "beer"], []]).to_lists()
    [['beer', 'bread'], []]
    >>> read([["bread", "beer"], ["tea"]], consent=[2]).to_lists()
    [['tea']]
    """
    options = Options(
        *(check_format(format), check_separator(separator), record_column, item_column),
        skip_missing_ids=skip_missing_ids,
        encoding=check_encoding(encoding),
        sheet=sheet,
    )
    source = gathered(source)
    records = _read_any(source, options)
    if consent is not None:
        records = only_with_consent(records, source, consent, allow_unknown=allow_unknown)
    return tidy_records(records, tidy)


def _read_any(source: Any, options: Options) -> Records:
    if isinstance(source, Records):
        return source
    if isinstance(source, str | os.PathLike):
        return _read_content(open_bytes(Path(source)), options)
    refuse_for_files(options.encoding, options.sheet)
    if is_frame(source):
        records = _records(_read_frame(Frame(source), options)[1], None)
        return replace(records, index=own_index(source, len(records)))
    if not isinstance(source, Iterable) or isinstance(source, bytes | bytearray):
        raise InputError(
            "neither a path nor a frame nor an iterable of records",
            value=type(source).__name__,
            remedy="give a path, a pandas, polars or pyarrow frame, or a list of lists",
        )
    parsed = parsed_from_names(named_rows(source))
    check_encodable(parsed.vocabulary)
    return _records(parsed, None)


def read_back(path: Path, form: Source) -> Data:
    """The data in a file that was written in this form, without guessing anything."""
    if form.format in BACK:
        return BACK[form.format](path, form)
    records = read(path, **reading_of(form))
    return unescaped_items(records) if form.safe_csv else records


def reading_of(form: Source) -> dict[str, Any]:
    """The options of ``read`` that describe this form; for a table, those of ``read_table``.

    For people, the manifest describes the reading: several files, and the names of their columns.
    """
    if form.format == PEOPLE:
        named = {"record_column": form.id_column, "item_column": form.list_column}
        return {name: column for name, column in named.items() if column and not form.files}
    separator = {"separator": form.separator} if form.container == "text" else {}
    named = {name: value for name in OF_FILES if (value := getattr(form, name))}
    if form.format == TABLE:
        return separator | named
    columns = {"record_column": form.columns[0]} if form.columns else {}
    if form.format != "one-hot" and form.columns:
        columns["item_column"] = form.columns[-1]
        if len(form.columns) != 2:
            del columns["record_column"]
    return {"format": form.format, **separator, **columns, **named}


BACK: Mapping[str, Callable[[Path, Source], Data]] = {
    TABLE: read_table_back,
    PEOPLE: read_people_back,
}
"""Formats that do not hold records."""
READERS: Mapping[str, Callable[..., Data]] = {
    "records": read,
    "table": read_table,
    "people": read_people,
}
"""By kind of data."""


def read_opened(opened: Opened, **options: Any) -> Records:
    """The records in a file's content; the options are those of ``read`` that say how to interpret it."""
    return _read_content(opened, Options(**options))


def _read_content(opened: Opened, options: Options) -> Records:
    container, found = "parquet", None
    if opened.is_parquet:
        refuse_for_files(options.encoding, options.sheet, opened.label)
        frame = Frame(read_parquet(opened.data, opened.label), opened.label)
        format, parsed = _read_frame(frame, options)
    else:
        found = text = text_of(opened, options.encoding, options.sheet)
        format = options.format or text_format(text, options)
        container = "spreadsheet" if text.sheet else "jsonl" if format == "jsonl" else "text"
        named = options.record_column or options.item_column
        if named and not TRAITS[format].has_columns:
            remedy = f"leave {option('record_column')} and {option('item_column')} out"
            raise text.error(f"a {format} file has no columns", remedy, value=named)
        parsed = FUNCTIONS[format].read_text(text, options)
    source = opened.source(
        format,
        container=container,
        separator=parsed.separator,
        columns=parsed.columns,
        variant=parsed.variant,
        **how_found(found),
    )
    return _records(parsed, source)


def _read_frame(frame: Frame, options: Options) -> tuple[str, Parsed]:
    """The format of a frame and its rows."""
    if not len(frame):
        raise frame.error("holds no records", SOMETHING)
    format = options.format or frame.kind(options)
    reader = FUNCTIONS[format].read_frame
    if reader is None:
        remedy = f"use one of: {', '.join(sorted(FRAMES))}"
        raise frame.error(f"a frame cannot be read as {format!r}", remedy)
    return format, reader(frame, options)


def _records(parsed: Parsed, source: Source | None) -> Records:
    path = None if source is None else str(source.path)
    if not len(parsed.lengths):
        raise InputError("holds no records", path=path, remedy=SOMETHING)
    parsed = with_clean_names(parsed, path=path)
    return Records(
        *(parsed.offsets, parsed.items, parsed.vocabulary, parsed.record_ids, parsed.repeated),
        source=source,
        skipped_rows=parsed.skipped,
        warnings=parsed.warnings,
    )
