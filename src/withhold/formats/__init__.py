"""Reading and writing data: the first step of the road, and the means of the last.

In: a path, standard input, a data frame or any iterable of iterables. Out: ``Records`` that
know where they came from; and back into a file of the same form. One module holds each format,
``detect`` recognises them, ``opening`` and ``saving`` handle bytes; ``data.names`` defines what a name is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from withhold.arguments import checked
from withhold.data import Records, Source, Table
from withhold.data.names import clean, is_missing
from withhold.errors import InputError, OutputError, option
from withhold.formats import basket, jsonl, lists, long, onehot, spmf
from withhold.formats.columns import Options
from withhold.formats.consent import only_with_consent
from withhold.formats.detect import text_format
from withhold.formats.forms import (
    FORMATS,
    FRAMES,
    TABLE,
    TRAITS,
    check_format,
    check_separator,
    output_form,
)
from withhold.formats.formulas import check_safe_csv, escape, renamed, unescaped_items
from withhold.formats.frames import Frame, is_frame, own_index
from withhold.formats.items import check_encodable, item_name
from withhold.formats.opening import Opened, Text, open_bytes, text_of
from withhold.formats.parquet import read_parquet
from withhold.formats.readable import Consent, Readable
from withhold.formats.rows import Parsed, parsed_from_names, with_clean_names
from withhold.formats.saving import save_frame, save_lines
from withhold.formats.table import (
    as_written_table,
    read_table,
    read_table_back,
    table_form,
    write_table,
)  # fmt: skip

if TYPE_CHECKING:
    import polars

__all__ = [
    "FORMATS", "Data", "as_written", "form_for", "output_form", "read", "read_back", "read_opened",
    "read_table", "reading_of", "write",
]  # fmt: skip

NOT_A_NAME = "blank, has whitespace around it, or stands for a missing value"
SOMETHING = "give at least one record"

Data = Records | Table
"""What can be read, published and proved: records of items, or a table of named columns."""


class Format(NamedTuple):
    """What a format can do; None where it cannot."""

    read_text: Callable[[Text, Options], Parsed]
    write_text: Callable[[Records, Source], Iterator[str]] | None
    read_frame: Callable[[Frame, Options], Parsed] | None = None
    write_frame: Callable[[Records, Source], polars.DataFrame] | None = None
    columns: Callable[[Records, Source], tuple[str, ...]] | None = None
    """The columns that a file of some records has."""


FUNCTIONS = {
    "basket": Format(basket.read_text, basket.write_text),
    "long": Format(
        long.read_text, long.write_text, long.read_columns, long.write_frame, long.written_columns
    ),
    "spmf": Format(spmf.read_text, spmf.write_text),
    "one-hot": Format(
        *(onehot.read_text, onehot.write_text, onehot.read_columns, onehot.write_frame),
        onehot.written_columns,
    ),
    "list": Format(
        lists.read_text, None, lists.read_columns, lists.write_frame, lists.written_columns
    ),
    "jsonl": Format(jsonl.read_text, jsonl.write_text, columns=jsonl.written_columns),
}
"""The formats of ``FORMATS``, and their functions."""


@checked
def read(
    source: Readable,
    *,
    format: str | None = None,
    separator: str | None = None,
    record_column: str | None = None,
    item_column: str | None = None,
    consent: Consent = None,
    allow_unknown: bool = False,
    skip_missing_ids: bool = False,
) -> Records:
    """The records in a file, a frame or an iterable of iterables.

    Format, separator and columns are found by content where they are not given. Repeated items of a
    record are merged and counted; empty records are kept.

    Parameters
    ----------
    source
        A path (``-`` is standard input), a pandas, polars or pyarrow frame, lists of items, or ``Records``.
    format
        ``basket``, ``long``, ``spmf``, ``one-hot``, ``list`` or ``jsonl``.
    separator
        Between items or cells: the character, or ``space``, ``comma``, ``semicolon``, ``tab``, ``pipe``.
    record_column, item_column
        The columns that hold the records' ids and the items.
    consent
        A file that lists the records that may be published, the name of a 0/1 column, or row numbers or
        record ids; the others are left out.
    allow_unknown
        Whether the list of consent may name records that the data do not have.
    skip_missing_ids
        Leave out rows that do not say which record they belong to, and count them.

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
    )
    records = _read_any(source, options)
    if consent is None:
        return records
    return only_with_consent(records, source, consent, allow_unknown=allow_unknown)


def _read_any(source: Any, options: Options) -> Records:
    if isinstance(source, Records):
        return source
    if isinstance(source, str | os.PathLike):
        return _read_content(open_bytes(Path(source)), options)
    if is_frame(source):
        records = _records(_read_frame(Frame(source), options)[1], None)
        return replace(records, index=own_index(source, len(records)))
    if not isinstance(source, Iterable) or isinstance(source, bytes | bytearray):
        raise InputError(
            "neither a path nor a frame nor an iterable of records",
            value=type(source).__name__,
            remedy="give a path, a pandas, polars or pyarrow frame, or a list of lists",
        )
    parsed = parsed_from_names(_named_rows(source))
    check_encodable(parsed.vocabulary)
    return _records(parsed, None)


def read_back(path: Path, form: Source) -> Data:
    """The data in a file that was written in this form, without guessing anything."""
    if form.format == TABLE:
        return read_table_back(path, form)
    records = read(path, **reading_of(form))
    return unescaped_items(records) if form.safe_csv else records


def reading_of(form: Source) -> dict[str, Any]:
    """The options of ``read`` that describe this form; of a table, those of ``read_table``."""
    separator = {"separator": form.separator} if form.container == "text" else {}
    if form.format == TABLE:
        return separator
    columns = {"record_column": form.columns[0]} if form.columns else {}
    if form.format != "one-hot" and form.columns:
        columns["item_column"] = form.columns[-1]
        if len(form.columns) != 2:
            del columns["record_column"]
    return {"format": form.format, **separator, **columns}


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
    if safe_csv:
        check_safe_csv(form)
    return replace(form, safe_csv=safe_csv)


def write(
    data: Data,
    path: Path,
    form: Source | None = None,
    *,
    like: Source | None = None,
    format: str | None = None,
    file: BinaryIO | None = None,
) -> Source:
    """Write all of the data to ``path``, and return the form it has there, with its SHA-256.

    It gets its name when it is whole; a ``file`` that is open there already is written as it is.

    Without a ``form``, it follows from the path's name, from ``like`` (or the data's own source)
    and from ``format``, as ``output_form`` says.
    """
    form = form or form_for(data, path.name, like=like or data.source, format=format)
    if isinstance(data, Table):
        return write_table(data, path, form, file)
    if not len(data):
        raise OutputError("a table without records cannot be written, as no reader would take it.")
    _check_names(data, form)
    if form.safe_csv:
        data = renamed(data, escape)
    into = FUNCTIONS[form.format]
    if into.columns is not None:
        columns = into.columns(data, form)
        form = replace(form, columns=tuple(map(escape, columns)) if form.safe_csv else columns)
    elif form.format == "spmf":
        form = replace(form, variant=spmf.written_variant(data, form))
    form = replace(form, path=path)
    if form.container == "parquet":
        assert into.write_frame is not None  # a form says what can be written
        digest = save_frame(into.write_frame(data, form), path, form.compression, file)
    else:
        assert into.write_text is not None
        digest = save_lines(into.write_text(data, form), path, form.compression, file)
    return replace(form, sha256=digest)


def as_written(data: Data, form: Source) -> Data:
    """The data as a reader of this form finds it.

    Basket and SPMF files have no place for record ids; a long file numbers records without one.
    """
    if isinstance(data, Table):
        return as_written_table(data, form)
    if not TRAITS[form.format].has_columns:
        return replace(data, record_ids=None)
    if form.format == "long":
        return replace(data, record_ids=long.written_ids(data))
    return data


def _check_names(records: Records, form: Source) -> None:
    """Refuse names that no reader would find again; records that were read have none."""
    if odd := [name for name in records.occurring if name != clean(name) or not name]:
        raise OutputError(f"the item {odd[0]!r} cannot be written, as its name is {NOT_A_NAME}.")
    if not TRAITS[form.format].has_columns:
        return
    ids = records.record_ids or ()
    if odd := [name for name in ids if name != clean(name) or is_missing(name)]:
        raise OutputError(f"the record id {odd[0]!r} cannot be written, as it is {NOT_A_NAME}.")


def read_opened(opened: Opened, **options: Any) -> Records:
    """The records in a file's content; the options are those of ``read`` that say how to understand it."""
    return _read_content(opened, Options(**options))


def _read_content(opened: Opened, options: Options) -> Records:
    if opened.is_parquet:
        frame = Frame(read_parquet(opened.data, opened.label), opened.label)
        format, parsed = _read_frame(frame, options)
    else:
        text = text_of(opened)
        format = options.format or text_format(text, options)
        named = options.record_column or options.item_column
        if named and not TRAITS[format].has_columns:
            remedy = f"leave {option('record_column')} and {option('item_column')} out"
            raise text.error(f"a {format} file has no columns", remedy, value=named)
        parsed = FUNCTIONS[format].read_text(text, options)
    source = Source(
        opened.path,
        format,
        compression=opened.compression,
        container="parquet" if opened.is_parquet else "jsonl" if format == "jsonl" else "text",
        separator=parsed.separator,
        columns=parsed.columns,
        sha256=opened.digest.hexdigest(),
        variant=parsed.variant,
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
    )


def _named_rows(rows: Iterable[Any]) -> Iterator[list[str]]:
    """Records given as Python values, item by item as strings."""
    for number, row in enumerate(rows, start=1):
        if isinstance(row, str | bytes) or not isinstance(row, Iterable):
            problem = f"record {number:,} is not a collection of items"
            remedy = "pass each record as a list or set of items"
            raise InputError(problem, value=repr(row), remedy=remedy)
        yield [item_name(item, where=f"in record {number:,} ") for item in row]
