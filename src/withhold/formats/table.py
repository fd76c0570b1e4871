"""Tables of named columns: reading them, and writing them back in the form they came in.

In: a path, standard input or a frame. Out: a ``Table`` whose cells are texts, exactly as in the file (leading
zeros survive; in CSV, blanks around a cell do not count, but a proof sees them); and back into a file.

A withheld cell is written as an empty field (null in parquet and JSON), or as a mark. It must differ from a
blank of the original, so a mark is required if a column has blanks of its own that look the same.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from withhold.arguments import checked
from withhold.data import Source, Table
from withhold.data.decimals import COMMA, check_decimal, with_decimal_points
from withhold.data.preparing import Widths, parse_bins, prepare
from withhold.data.table import Column, Value
from withhold.data.tidying import tidy_table
from withhold.errors import InputError, OutputError, PolicyError, option
from withhold.formats import jsonl, table_frames
from withhold.formats.cells import BLANKS, open_sheet
from withhold.formats.columns import Options
from withhold.formats.consent import only_rows_with_consent
from withhold.formats.encodings import check_encoding
from withhold.formats.first_rows import refuse_row_as_header
from withhold.formats.forms import FOR_TABLES, TABLE, check_extension, check_separator, split_name
from withhold.formats.formulas import changed, escape, unescape
from withhold.formats.frames import gathered
from withhold.formats.items import check_encodable
from withhold.formats.opening import Opened, Text, open_bytes
from withhold.formats.parquet import pandas_schema
from withhold.formats.readable import Consent, ReadableTable
from withhold.formats.repeated_persons import several_rows
from withhold.formats.saving import save_frame, save_lines
from withhold.formats.table_repeats import warn_of, with_repeats
from withhold.formats.texts import how_found, refuse_for_files, text_of
from withhold.phases import phase

CONTAINERS = {
    **dict.fromkeys((*FOR_TABLES, ".data"), "text"),
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}


@phase("reading")
@checked
def read_table(
    source: ReadableTable,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
    decimal: str | None = None,
    drop: Iterable[str] = (),
    bins: Mapping[str, Widths] | Iterable[str] | str = (),
    tidy: Iterable[str] | str | None = None,
    consent: Consent = None,
    allow_unknown: bool = False,
) -> Table:
    """The table in a file or a frame, with its cells as text.

    Parameters
    ----------
    source
        A path (``-`` is standard input), a pandas, polars or pyarrow frame, anything else with an Arrow
        stream (a DuckDB relation, a reader of record batches), or a ``Table``.
    separator
        What separates the cells of a CSV file; detected if not given.
    encoding, sheet
        As for ``read``.
    decimal
        ``comma`` if numbers are written as ``1.234,5``: they become ``1234.5``, in the release too. ``point``
        (the default) leaves every cell as it is.
    drop
        Columns to leave out, such as people's names and numbers.
    bins
        Which columns of numbers or dates become ranges: ``{"age": 5}`` (the width), ``{"age": [18, 65]}``
        (edges), ``{"income": "quantiles:10"}``, ``{"born": "year"}`` (or ``month``, ``decade``, ``5y``),
        ``{"born": "age:admitted:5"}`` (the age at another column's date), or as text ``"age=5"``. Columns
        that are not named are not binned.
    tidy
        In which columns to merge spellings of values that differ only in ``case``, ``spaces`` or
        ``punctuation``: ``"Gender=case,spaces"``, or ``"all=spaces"``. This happens before binning.
    consent
        A file that lists the numbers of the rows with consent, such numbers, or the name of a 0/1 column; the
        other rows, and that column, are left out.
    allow_unknown
        Accept a list of consent with rows that the table does not have.

    Returns
    -------
    Table
        The columns as they are written; withheld cells are marked as such.

    Raises
    ------
    InputError
        With the file, the line and the remedy, if the table cannot be read.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"name": ["Ann", "Bob"], "age": [31, 47]})
    >>> read_table(frame, drop=["name"], bins={"age": 10}).rows()
    [('30-39',), ('40-49',)]
    """
    source = source if isinstance(source, Table) else gathered(source)
    if isinstance(source, Table):
        table = source
    elif isinstance(source, str | os.PathLike):
        encoding, separator = check_encoding(encoding), check_separator(separator)
        opened = open_bytes(Path(source))
        table = read_opened(opened, separator, encoding=encoding, sheet=sheet)
    else:
        refuse_for_files(encoding, sheet)
        table = table_frames.read_any(source)
    if not isinstance(source, Table):
        refuse_row_as_header(table)
    if check_decimal(decimal) == COMMA:
        table = with_decimal_points(table)
    if consent is not None:
        table = only_rows_with_consent(table, consent, allow_unknown=allow_unknown)
    drop = tuple(drop)
    table = with_repeats(table, drop)
    return prepare(tidy_table(table, tidy), drop, parse_bins(bins))


def read_published_table(
    path: Path,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
    decimal: str | None = None,
) -> Table:
    """The table in a file that was published: what it shows was decided before, so that nothing is asked."""
    encoding, separator = check_encoding(encoding), check_separator(separator)
    table = read_opened(open_bytes(path), separator, encoding=encoding, sheet=sheet)
    if check_decimal(decimal) == COMMA:
        table = with_decimal_points(table)
    # Equal rows are what a release is made of.
    warn_of(several_rows(table))
    return table


def read_table_back(path: Path, form: Source) -> Table:
    """The table in a file that was written in this form, with its withheld cells."""
    separator = form.separator if form.container == "text" else None
    but = (form.list_column,) if form.list_column and form.container != "text" else ()
    how: dict[str, Any] = {"container": form.container, "safe": form.safe_csv, "but": but}
    table = read_opened(open_bytes(path), separator, **how)
    written = _written_mark(form)
    return table.with_columns(table.column(name).with_withheld(written) for name in form.marked)


def table_form(name: str, like: Source | None = None, mark: str | None = None) -> Source:
    """The form of a file of this name: by its extension, and what that leaves open as in ``like``."""
    if like is not None and like.format != TABLE:
        like = None
    is_text = like is not None and like.container == "text"
    check_extension(name, like.path.name if like is not None and is_text else None, table=True)
    extension, compression = split_name(name)
    container = CONTAINERS.get(extension) or (like.container if like else "text")
    # A sheet is read, never written.
    container = "text" if container == "spreadsheet" else container
    own = like.separator if like is not None and like.container == "text" else None
    usual = "\t" if extension == ".tsv" else ","
    # A .csv file separated by tabs, or a .tsv by commas, would mislead its readers.
    fits = own is not None and not (extension == ".csv" and own == "\t") and extension != ".tsv"
    return Source(
        Path(name),
        TABLE,
        compression=compression,
        container=container,
        separator=(own or usual) if fits else usual,
        mark=check_mark(mark),
    )


def write_table(table: Table, path: Path, form: Source, file: BinaryIO | None = None) -> Source:
    """Write the whole table, and return the form it has there, with its SHA-256."""
    if not len(table):
        raise OutputError("a table without rows cannot be written, as no reader would take it.")
    marked = mark_columns(table, form)
    form = replace(form, path=path, columns=table.names, marked=marked)
    written = as_written_table(table, form)
    if form.container == "parquet":
        frame = table_frames.write_frame(written, form.mark)
        digest = save_frame(frame, path, form.compression, file, pandas_schema(frame, written))
    else:
        lines = jsonl.write_table_text if form.container == "jsonl" else _csv
        digest = save_lines(lines(written, form), path, form.compression, file)
    return replace(form, sha256=digest)


def mark_columns(table: Table, form: Source) -> tuple[str, ...]:
    """The columns with withheld cells; refuses a form in which those look like values."""
    marked = tuple(column.name for column in table.columns if column.withheld.any())
    refuse_ambiguous(table, form, marked)
    return marked


def as_written_table(table: Table, form: Source) -> Table:
    """The table as a reader of this form finds it: CSV has no null, and blanks around a cell do not count."""
    as_found = _as_text_column if form.container == "text" else Column.exact
    return table.with_columns(map(as_found, table.columns))


def refuse_ambiguous(table: Table, form: Source, columns: Sequence[str]) -> None:
    """Refuse a form in which a withheld cell of these columns looks like an existing value."""
    written = _written_mark(form)
    for name in columns:
        column = as_written_table(replace(table, columns=(table.column(name),)), form).columns[0]
        there = dict(zip(column.values, column.counts.tolist(), strict=True))
        if there.get(written, 0):
            shown = f"the value {written!r}" if written else "blanks"
            usual = ("*", "?", "withheld", "∅", "*" * 9)
            free = option("mark", next(mark for mark in usual if mark not in there))
            raise PolicyError(
                f"column {name!r} has {shown} of its own, indistinguishable from a withheld cell; "
                f"mark withheld cells with something else, such as {free}"
            )


def check_mark(mark: str | None) -> str:
    """The mark itself, if a file can hold it."""
    mark = mark or ""
    if mark != mark.strip(BLANKS) or not mark.isprintable():
        raise PolicyError("a mark is a short text without blanks around it, such as '*'")
    return mark


def _written_mark(form: Source) -> Value:
    return form.mark or ("" if form.container == "text" else None)


def read_opened(
    opened: Opened,
    separator: str | None,
    *,
    container: str | None = None,
    safe: bool = False,
    but: Collection[str] = (),
    encoding: str | None = None,
    sheet: str | int | None = None,
) -> Table:
    """The table in a file that was opened, without the columns ``but``, which hold no cells."""
    found, between = "parquet", " "
    how: dict[str, Any] = {}
    if opened.is_parquet:
        refuse_for_files(encoding, sheet, opened.label)
        table = table_frames.read_parquet(opened, but)
    elif opened.is_spreadsheet:
        refuse_for_files(encoding, None, opened.label)
        name, table = table_frames.read_sheet_table(opened, sheet)
        found, how = "spreadsheet", {"sheet": name}
    else:
        text = text_of(opened, encoding, sheet)
        how = how_found(text)
        found = container or text_container(text)
        if found == "jsonl":
            table = jsonl.read_table_text(text, but)
        else:
            table, between = _read_csv(text, separator, safe=safe)
            found = "text"
    if container is not None and container != found:
        raise InputError(f"is not a {container} file", path=opened.label)
    source = opened.source(TABLE, container=found, separator=between, columns=table.names, **how)
    return replace(table, source=source)


def text_container(text: Text) -> str:
    """Whether a text is JSON lines or CSV."""
    first = next((line for line in text.head(20).lines() if line.strip()), "")
    is_object = first.lstrip().startswith("{") and jsonl.looks_like_jsonl(first)
    return "jsonl" if is_object else "text"


def _read_csv(text: Text, separator: str | None, *, safe: bool) -> tuple[Table, str]:
    sheet = open_sheet(text, Options(separator=separator))
    header = sheet.columns
    if header[-1] == "" and len(header) > 1 and not any(sheet.cells([len(header) - 1])[0]):
        header = header[:-1]  # every line ends with a separator
    if "" in header or len(set(header)) < len(header):
        problem = "the first line does not name every column once"
        remedy = "begin with a line of column names, each different from the others"
        raise text.error(problem, remedy, line=1, value=sheet.separator.join(header))
    around = sheet.may_be_padded
    cells = sheet.cells(range(len(header)), padded=around, exact=not around)
    if safe:
        header, cells = list(map(unescape, header)), [changed(each, unescape) for each in cells]
    columns = []
    for name, series in zip(header, cells, strict=True):
        # A column remembers the blanks around its cells, but they are not part of the cells.
        stripped = series.str.strip_chars(BLANKS)
        padded = series.alias(name) if (stripped != series).any() else None
        columns.append(replace(table_frames.coded(name, stripped), padded=padded))
    table = Table(tuple(columns))
    check_encodable(table.names, path=text.path)
    return table, sheet.separator


def _csv(table: Table, form: Source) -> Iterable[str]:
    """The table as CSV text; polars writes it, a column at a time."""
    import polars as pl

    for column in table.columns:
        if any(bad in value for value in column.values for bad in "\r\0" if value):
            raise OutputError(
                f"a value of {column.name!r} holds a carriage return or a NUL, which a CSV file "
                "cannot hold. To fix it: write .jsonl or .parquet instead."
            )
    # Most readers skip an empty line, so the blank of a single column is put in quotes.
    blank = "" if len(table.columns) == 1 else None
    columns = []
    for column in table.columns:
        values = [value or blank for value in column.values] + [form.mark or blank]
        cells = column.in_words(values)
        if column.padded is not None:
            shown = pl.when((column.padded != "").fill_null(value=False))
            cells = pl.select(shown.then(column.padded).otherwise(cells)).to_series()
        if form.safe_csv:
            cells = changed(cells, escape)
        columns.append(cells.alias(escape(column.name) if form.safe_csv else column.name))
    yield pl.DataFrame(columns).write_csv(separator=form.separator, quote_style="necessary")


def _as_text_column(column: Column) -> Column:
    """The column as a CSV file has it: no null, no types, and blanks around a cell do not count."""
    plain = column.mapped(lambda value: "" if value is None else value.strip(BLANKS), column.kind)
    if column.padded is not None:
        return replace(plain, padded=column.padded)
    at_the_edge = [code for code, v in enumerate(column.values) if v and v != v.strip(BLANKS)]
    if not np.isin(column.codes, at_the_edge).any():
        return plain
    return replace(plain, padded=column.in_words([*(v or "" for v in column.values), None]))
