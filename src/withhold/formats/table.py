"""Tables of named columns: reading them, and writing them back in the form they came in.

In: a path, standard input or a frame. Out: a ``Table`` whose cells are texts, exactly as they stand in the
file (leading zeros survive; in CSV, blanks around a cell do not count); and back into a file.

A withheld cell is written as an empty field (null in parquet and JSON), or as a mark. It must be told from a
blank of the original, so where a column has blanks of its own that look the same, a mark is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from withhold.arguments import checked
from withhold.data import Source, Table
from withhold.data.binning import bin_column, parse_bins
from withhold.data.table import Column, Value
from withhold.errors import InputError, OutputError, PolicyError, option
from withhold.formats import table_frames, table_jsonl
from withhold.formats.cells import BLANKS, open_sheet
from withhold.formats.columns import Options
from withhold.formats.consent import only_rows_with_consent
from withhold.formats.extensions import check_extension, split_name
from withhold.formats.forms import check_separator
from withhold.formats.formulas import escape, escaped_cells, unescape, unescaped_cells
from withhold.formats.items import check_encodable
from withhold.formats.jsonl import looks_like_jsonl
from withhold.formats.opening import Opened, Text, open_bytes, text_of
from withhold.formats.pandas_kinds import pandas_schema
from withhold.formats.saving import save_frame, save_lines

TABLE = "table"
CONTAINERS = {
    ".csv": "text",
    ".tsv": "text",
    ".txt": "text",
    ".data": "text",
    ".dat": "text",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}


@checked
def read_table(
    source: Any,
    *,
    separator: str | None = None,
    drop: Iterable[str] = (),
    bins: Mapping[str, Any] | Iterable[str] | str = (),
    consent: Any = None,
    allow_unknown: bool = False,
) -> Table:
    """The table in a file (``-`` is standard input) or a frame, its cells as texts.

    ``drop`` names columns to leave out, such as names and numbers of people. ``bins`` says which columns
    of numbers become ranges: ``{"age": 5}`` (so wide), ``{"age": [18, 65]}`` (edges), or as text
    ``"age=5"``. Nothing is binned that is not named. ``consent``: a file that lists the row numbers that
    agreed, such numbers, or the name of a 0/1 column; the other rows, and that column, are left out.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"name": ["Ann", "Bob"], "age": [31, 47]})
    >>> read_table(frame, drop=["name"], bins={"age": 10}).rows()
    [('30-39',), ('40-49',)]
    """
    if isinstance(source, Table):
        table = source
    elif isinstance(source, str | os.PathLike):
        table = _read_path(Path(source), check_separator(separator))
    else:
        table = table_frames.read_any(source)
    if consent is not None:
        table = only_rows_with_consent(table, consent, allow_unknown=allow_unknown)
    return _prepared(table, tuple(drop), parse_bins(bins))


def read_table_back(path: Path, form: Source) -> Table:
    """The table in a file that was written in this form, with its withheld cells."""
    separator = form.separator if form.container == "text" else None
    table = _read_path(path, separator, container=form.container, safe=form.safe_csv)
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
    own = like.separator if like is not None and like.container == "text" else None
    usual = "\t" if extension == ".tsv" else ","
    # A .csv file with tabs in it, or a .tsv with commas, would mislead its readers.
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
    refuse_ambiguous(table, form, tuple(c.name for c in table.columns if c.withheld.any()))
    marked = tuple(column.name for column in table.columns if column.withheld.any())
    form = replace(form, path=path, columns=table.names, marked=marked)
    written = as_written_table(table, form)
    if form.container == "parquet":
        frame = table_frames.write_frame(written, form.mark)
        digest = save_frame(
            frame, path, form.compression, file, schema=pandas_schema(frame, written)
        )
    else:
        lines = table_jsonl.lines if form.container == "jsonl" else _csv
        digest = save_lines(lines(written, form), path, form.compression, file)
    return replace(form, sha256=digest)


def as_written_table(table: Table, form: Source) -> Table:
    """The table as a reader of this form finds it: CSV has no null, and blanks around a cell do not count."""
    as_found = _as_text_column if form.container == "text" else _as_exact_column
    return table.with_columns(map(as_found, table.columns))


def refuse_ambiguous(table: Table, form: Source, columns: Sequence[str]) -> None:
    """Refuse a form in which a withheld cell of these columns looks like a value that is there."""
    written = _written_mark(form)
    for name in columns:
        column = as_written_table(replace(table, columns=(table.column(name),)), form).columns[0]
        there = dict(zip(column.values, column.counts.tolist(), strict=True))
        if there.get(written, 0):
            shown = f"the value {written!r}" if written else "blanks"
            raise PolicyError(
                f"column {name!r} has {shown} of its own, which nobody could tell from a withheld "
                f"cell; mark withheld cells with something else, such as "
                + option("mark", _free_mark(column.values))
            )


def check_mark(mark: str | None) -> str:
    """The mark itself, if a file can hold it."""
    mark = mark or ""
    if mark != mark.strip(BLANKS) or not mark.isprintable():
        raise PolicyError("a mark is a short text without blanks around it, such as '*'")
    return mark


def _free_mark(values: Iterable[Value]) -> str:
    there = set(values)
    return next(mark for mark in ("*", "?", "withheld", "∅", "*" * 9) if mark not in there)


def _written_mark(form: Source) -> Value:
    return form.mark or ("" if form.container == "text" else None)


def _read_path(
    path: Path, separator: str | None, *, container: str | None = None, safe: bool = False
) -> Table:
    opened = open_bytes(path)
    if opened.is_parquet:
        table = table_frames.read_parquet(opened)
        found, between = "parquet", " "
    else:
        text = text_of(opened)
        if (container or _text_container(text)) == "jsonl":
            table, found, between = table_jsonl.read_text(text), "jsonl", " "
        else:
            table, between = _read_csv(text, separator, safe=safe)
            found = "text"
    if container is not None and container != found:
        raise InputError(f"is not a {container} file", path=opened.label)
    return replace(table, source=_source(opened, found, between, table.names))


def _source(opened: Opened, container: str, separator: str, names: tuple[str, ...]) -> Source:
    return Source(
        opened.path,
        TABLE,
        compression=opened.compression,
        container=container,
        separator=separator,
        columns=names,
        sha256=opened.digest.hexdigest(),
    )


def _text_container(text: Text) -> str:
    first = next((line for line in text.head(20).lines() if line.strip()), "")
    return "jsonl" if first.lstrip().startswith("{") and looks_like_jsonl(first) else "text"


def _read_csv(text: Text, separator: str | None, *, safe: bool) -> tuple[Table, str]:
    sheet = open_sheet(text, Options(separator=separator))
    if "" in sheet.header or len(set(sheet.header)) < len(sheet.header):
        raise InputError(
            "the first line does not name every column once",
            path=text.path,
            line=1,
            value=sheet.separator.join(sheet.header),
            remedy="begin with a line of column names, each different from the others",
        )
    cells = sheet.columns(range(len(sheet.header)), padded=sheet.may_be_padded)
    header = sheet.header
    if safe:
        header, cells = list(map(unescape, header)), list(map(unescaped_cells, cells))
    columns = (_text_column(name, series) for name, series in zip(header, cells, strict=True))
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
    # A line with nothing in it is no row to most readers, so a lone blank is put in quotes.
    blank = "" if len(table.columns) == 1 else None
    columns = []
    for column in table.columns:
        values = [value or blank for value in column.values] + [form.mark or blank]
        texts = pl.Series(column.name, values, dtype=pl.String)
        cells = texts.gather((column.codes % len(texts)).astype("uint32"))
        if column.padded is not None:
            shown = pl.when((column.padded != "").fill_null(value=False))
            cells = pl.select(shown.then(column.padded).otherwise(cells)).to_series()
        if form.safe_csv:
            cells = escaped_cells(cells)
        columns.append(cells.alias(escape(column.name) if form.safe_csv else column.name))
    yield pl.DataFrame(columns).write_csv(separator=form.separator, quote_style="necessary")


def _text_column(name: str, cells: Any) -> Column:
    """A column of a CSV file: without the blanks around its cells, which it remembers."""
    stripped = cells.str.strip_chars(BLANKS)
    column = table_frames.coded(name, stripped)
    return replace(column, padded=cells.alias(name)) if (stripped != cells).any() else column


def _as_text_column(column: Column) -> Column:
    """The column as a CSV file has it: no null, no types, and blanks around a cell do not count."""
    import polars as pl

    plain = column.mapped(lambda value: "" if value is None else value.strip(BLANKS), column.kind)
    if column.padded is not None:
        return replace(plain, padded=column.padded)
    at_the_edge = [code for code, v in enumerate(column.values) if v and v != v.strip(BLANKS)]
    if not np.isin(column.codes, at_the_edge).any():
        return plain
    texts = pl.Series(column.name, [*(v or "" for v in column.values), None], dtype=pl.String)
    padded = texts.gather((column.codes % len(texts)).astype("uint32"))
    return replace(plain, padded=padded)


def _as_exact_column(column: Column) -> Column:
    """The column as a file has it in which blanks around a cell count."""
    if column.padded is None:
        return column
    column_with_blanks = table_frames.coded(column.name, column.padded)
    if not column.withheld.any():
        return column_with_blanks
    return column_with_blanks.with_withheld(None)


def _prepared(table: Table, drop: tuple[str, ...], bins: Mapping[str, Any]) -> Table:
    """The table without what is dropped, numbers in ranges where that was asked for."""
    for name in (*drop, *bins):
        table.column(name)
    if both := [name for name in bins if name in drop]:
        raise PolicyError(f"column {both[0]!r} is to be dropped and binned; say one of the two")
    if len(set(drop)) == len(table.columns):
        raise PolicyError("nothing is left of the table when all its columns are dropped")
    path = None if table.source is None else table.source.path
    change: Callable[[Column], Column] = lambda column: (  # noqa: E731
        bin_column(column, bins[column.name], path=path) if column.name in bins else column
    )
    return replace(
        table,
        columns=tuple(change(column) for column in table.columns if column.name not in drop),
        dropped=(*table.dropped, *(name for name in table.names if name in drop)),
        binned=(*table.binned, *(f"{name}={bins[name]}" for name in bins)),
    )
