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
from typing import Any

from withhold.arguments import checked
from withhold.data import Source, Table
from withhold.data.binning import bin_column, parse_bins
from withhold.data.table import Column, Value
from withhold.errors import InputError, OutputError, PolicyError
from withhold.formats import table_frames, table_jsonl
from withhold.formats.cells import BLANKS, open_sheet
from withhold.formats.columns import Options
from withhold.formats.consent import only_rows_with_consent
from withhold.formats.forms import PACKED, check_separator
from withhold.formats.items import check_encodable
from withhold.formats.jsonl import looks_like_jsonl
from withhold.formats.opening import Opened, Text, open_bytes, text_of
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
        table = only_rows_with_consent(table, consent)
    return _prepared(table, tuple(drop), parse_bins(bins))


def read_table_back(path: Path, form: Source) -> Table:
    """The table in a file that was written in this form, with its withheld cells."""
    separator = form.separator if form.container == "text" else None
    table = _read_path(path, separator, container=form.container)
    written = _written_mark(form)
    return table.with_columns(table.column(name).with_withheld(written) for name in form.marked)


def table_form(name: str, like: Source | None = None, mark: str | None = None) -> Source:
    """The form of a file of this name: by its extension, and what that leaves open as in ``like``.

    >>> table_form("out.tsv.gz", None, "*").separator
    '\\t'
    """
    path = Path(name)
    compression = PACKED.get(path.suffix.lower(), "")
    extension = (path.with_suffix("") if compression else path).suffix.lower()
    if like is not None and like.format != TABLE:
        like = None
    container = CONTAINERS.get(extension) or (like.container if like else "text")
    own = like.separator if like is not None and like.container == "text" else None
    usual = "\t" if extension == ".tsv" else ","
    # A .csv file with tabs in it, or a .tsv with commas, would mislead its readers.
    fits = own is not None and not (extension == ".csv" and own == "\t") and extension != ".tsv"
    return Source(
        path,
        TABLE,
        compression=compression,
        container=container,
        separator=(own or usual) if fits else usual,
        mark=check_mark(mark),
    )


def write_table(table: Table, path: Path, form: Source) -> Source:
    """Write the whole table, and return the form it has there, with its SHA-256."""
    if not len(table):
        raise OutputError("a table without rows cannot be written, as no reader would take it.")
    refuse_ambiguous(table, form, tuple(c.name for c in table.columns if c.withheld.any()))
    marked = tuple(column.name for column in table.columns if column.withheld.any())
    form = replace(form, path=path, columns=table.names, marked=marked)
    written = as_written_table(table, form)
    if form.container == "parquet":
        frame = table_frames.write_frame(written, form.mark)
        digest = save_frame(frame, path, form.compression)
    else:
        lines = table_jsonl.lines if form.container == "jsonl" else _csv
        digest = save_lines(lines(written, form), path, form.compression)
    return replace(form, sha256=digest)


def as_written_table(table: Table, form: Source) -> Table:
    """The table as a reader of this form finds it: CSV has no null, and no blanks around a cell."""
    if form.container != "text":
        return table
    return table.with_columns(column.mapped(_as_text, column.kind) for column in table.columns)


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
                f"cell; mark withheld cells with something else (mark=, --mark), such as "
                f"{_free_mark(column.values)!r}"
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


def _read_path(path: Path, separator: str | None, *, container: str | None = None) -> Table:
    opened = open_bytes(path)
    if opened.is_parquet:
        table = table_frames.read_parquet(opened)
        found, between = "parquet", " "
    else:
        text = text_of(opened)
        if (container or _text_container(text)) == "jsonl":
            table, found, between = table_jsonl.read_text(text), "jsonl", " "
        else:
            table, between = _read_csv(text, separator)
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


def _read_csv(text: Text, separator: str | None) -> tuple[Table, str]:
    sheet = open_sheet(text, Options(separator=separator))
    if "" in sheet.header or len(set(sheet.header)) < len(sheet.header):
        raise InputError(
            "the first line does not name every column once",
            path=text.path,
            line=1,
            value=sheet.separator.join(sheet.header),
            remedy="begin with a line of column names, each different from the others",
        )
    cells = sheet.columns(range(len(sheet.header)))
    columns = (
        table_frames.coded(name, series) for name, series in zip(sheet.header, cells, strict=True)
    )
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
                "cannot hold. To mend it: write .jsonl or .parquet instead."
            )
    # A line with nothing in it is no row to most readers, so a lone blank is put in quotes.
    blank = "" if len(table.columns) == 1 else None
    frame = pl.DataFrame(
        [
            pl.Series(
                column.name,
                [value or blank for value in column.values] + [form.mark or blank],
                dtype=pl.String,
            ).gather(pl.Series(_last_for_withheld(column)))
            for column in table.columns
        ]
    )
    yield frame.write_csv(separator=form.separator, quote_style="necessary")


def _last_for_withheld(column: Column) -> Any:
    return (column.codes % (len(column.values) + 1)).astype("uint32")


def _as_text(value: Value) -> Value:
    return "" if value is None else value.strip(BLANKS)


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
