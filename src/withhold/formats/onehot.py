"""One-hot tables: one row for each record, one 0/1 column for each item.

From CSV, parquet or a frame. A first column that is named like an id and holds something else than
0 and 1 holds the records' names. In text an empty cell is 0; in a frame a blank is refused. Only
items that occur are written: an all-zero column would tell what was withheld.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from withhold.data import Records, Source
from withhold.data.names import is_missing
from withhold.errors import InputError, OutputError, option
from withhold.formats.cells import BLANKS, csv_lines, open_sheet
from withhold.formats.columns import INDEX_NAMES, Options, find_column, names_record
from withhold.formats.ids import id_names, record_names, with_id
from withhold.formats.opening import Text
from withhold.formats.rows import Parsed, parsed_from_codes

if TYPE_CHECKING:
    import polars

    from withhold.formats.frames import Frame

ONES = frozenset(("1", "true", "True", "TRUE", "1.0"))
ZEROS = frozenset(("0", "false", "False", "FALSE", "0.0", ""))
BITS = ONES | ZEROS
DEFAULT_ID = "record"


def read_text(text: Text, options: Options) -> Parsed:
    """The rows of a one-hot CSV file."""
    sheet = open_sheet(text, options)
    header, path = sheet.header, text.path
    first = (row[:1] for _, row in sheet.rows())
    id_column = _id_column(header, options, path, lambda: not all(c[0] in BITS for c in first))
    places = [place for place, name in enumerate(header) if name != id_column]
    _check_names([header[place] for place in places], path)
    lengths: list[int] = []
    columns: list[int] = []
    ids: list[str] = []
    skipped = 0
    if id_column is not None:
        id_place = header.index(id_column)
        named = [row[id_place] for _, row in sheet.rows()]
        with_id(named, options, path=path, column=id_column, line=sheet.line)
    for line, row in sheet.rows():
        if id_column is not None:
            if is_missing(row[id_place]):
                skipped += 1
                continue
            ids.append(row[id_place])
        ones = [place for place in places if row[place] not in ZEROS]
        for place in ones:
            if row[place] not in ONES:
                raise _not_a_bit(row[place], path, line, header[place])
        columns += ones
        lengths.append(len(ones))
    if not lengths:
        raise InputError("holds a header but no records", path=path)
    vocabulary = tuple(sorted(header[place] for place in places))
    code_of = np.full(len(header), -1, dtype=np.int32)
    code_of[places] = np.searchsorted(
        np.array(vocabulary, dtype=object), np.array([header[p] for p in places], dtype=object)
    )
    return parsed_from_codes(
        np.asarray(lengths, dtype=np.int64),
        code_of[np.asarray(columns, dtype=np.int64)],
        vocabulary,
        record_ids=None if id_column is None else record_names(ids, path),
        columns=() if id_column is None else (id_column,),
        separator=sheet.separator,
        skipped=skipped,
    )


def read_columns(frame: Frame, options: Options) -> Parsed:
    """The rows of a one-hot frame."""
    path = frame.path
    id_column = _id_column(
        frame.columns, options, path, lambda: not _are_bits(frame.column(frame.columns[0]))
    )
    names = [name for name in frame.columns if name != id_column]
    _check_names(names, path)
    vocabulary = tuple(sorted(names))
    ids: tuple[str, ...] | None = None
    kept = None
    if id_column is not None:
        named = id_names(frame.column(id_column), path=path, column=id_column)
        kept = with_id(named, options, path=path, column=id_column)
        ids = record_names(named.to_list() if kept is None else named.filter(kept).to_list(), path)
    n_rows = len(frame) if kept is None else int(kept.sum())
    rows = [_rows_with(frame.column(name), path, name) for name in vocabulary]
    if kept is not None:
        place = np.cumsum(kept) - 1
        rows = [place[each[kept[each]]] for each in rows]
    row_of = np.concatenate(rows)
    codes = np.repeat(np.arange(len(rows), dtype=np.int32), [len(each) for each in rows])
    order = np.argsort(row_of, kind="stable")
    return parsed_from_codes(
        np.bincount(row_of, minlength=n_rows),
        codes[order],
        vocabulary,
        record_ids=ids,
        columns=() if id_column is None else (id_column,),
        skipped=len(frame) - n_rows,
    )


def looks_one_hot(frame: Frame, options: Options) -> bool:
    """Whether all columns, but for one with ids, hold nothing but 0 and 1."""
    names = frame.columns
    if options.record_column is not None:
        names = [name for name in names if name != options.record_column]
    elif names and names_record(names[0]):
        names = names[1:]
    return bool(names) and all(_are_bits(frame.column(name)) for name in names)


def looks_one_hot_text(header: Sequence[str], rows: Iterable[list[str]], options: Options) -> bool:
    """Whether some lines look like a one-hot table: names above nothing but 0 and 1."""
    if all(name in BITS for name in header) or len(header) < 2:
        return False
    ids = options.record_column or (header[0] if names_record(header[0]) else None)
    places = [place for place, name in enumerate(header) if name != ids]
    checked = [all(row[place] in BITS for place in places) for row in rows]
    return bool(checked) and all(checked)


def write_text(table: Records, form: Source) -> Iterator[str]:
    """The lines of a one-hot CSV file, each with its end."""
    names, code_of = _written_items(table)
    for name in (*names, *(table.record_ids or ())):
        odd = any(letter in name for letter in "\n\r\0") or name.startswith("\ufeff")
        if odd or name != name.strip(BLANKS):
            raise _unwritable(f"{name!r}", "CSV")
    _check_written(table, names, form)
    header = [*written_columns(table, form), *names]
    yield from csv_lines(chain([header], _cells(table, len(names), code_of)), form.separator)


def write_frame(table: Records, form: Source) -> polars.DataFrame:
    """The table as one Boolean column for each item that occurs."""
    import polars as pl

    names, code_of = _written_items(table)
    _check_written(table, names, form)
    bits = np.zeros((len(names), len(table)), dtype=bool)
    bits[code_of[table.items], np.repeat(np.arange(len(table)), table.lengths)] = True
    ids = {name: pl.Series(table.record_ids) for name in written_columns(table, form)}
    return pl.DataFrame(ids | dict(zip(names, bits, strict=True)))


def written_columns(table: Records, form: Source) -> tuple[str, ...]:
    """The id column of the file, if the records have names."""
    return () if table.record_ids is None else (form.columns[:1] or (DEFAULT_ID,))


def _id_column(
    header: Sequence[str], options: Options, path: str | None, holds_names: Callable[[], bool]
) -> str | None:
    """The column with the records' names, if there is one."""
    if options.record_column is not None:
        return find_column(options.record_column, header, path)
    if header[0] in INDEX_NAMES or (names_record(header[0]) and holds_names()):
        return header[0]
    return None


def _are_bits(series: polars.Series) -> bool:
    """Whether a column holds truth values, or numbers that are 0 or 1."""
    import polars as pl

    if series.null_count():
        return False
    return series.dtype == pl.Boolean or (
        series.dtype.is_numeric() and bool(((series == 0) | (series == 1)).all())
    )


def _rows_with(series: polars.Series, path: str | None, name: str) -> NDArray[np.int64]:
    """The rows in which a 0/1 column is 1."""
    if _are_bits(series):
        return np.flatnonzero(series.to_numpy())
    for number, value in enumerate(series.to_list(), start=1):
        if value not in (0, 1):
            shown = "a blank" if value is None else repr(value)
            raise InputError(
                f"row {number:,} holds neither 0 nor 1 but {shown}",
                path=path,
                column=name,
                remedy=f"give 0 or 1 in every cell, or name the id column with {option('record_column')}",
            )
    raise InputError("holds text, not 0 and 1", path=path, column=name)


def _not_a_bit(value: str, path: str, line: int, column: str) -> InputError:
    return InputError(
        "a cell holds neither 0 nor 1",
        path=path,
        line=line,
        column=column,
        value=value,
        remedy=f"give 0 or 1, or name the id column with {option('record_column')}",
    )


def _check_names(names: Sequence[str], path: str | None) -> None:
    """Refuse items without a name, and two of the same name."""
    if not names:
        raise InputError("has no column for any item", path=path)
    seen: set[str] = set()
    for place, name in enumerate(names, start=1):
        if not name or name in seen:
            unnamed = f"the item column number {place} has no name"
            raise InputError(f"has two columns {name!r}" if name else unnamed, path=path)
        seen.add(name)


def _written_items(table: Records) -> tuple[list[str], NDArray[np.int64]]:
    """The items that occur, and by code the place of each among them."""
    occurring = table.supports > 0
    names = [name for name, occurs in zip(table.vocabulary, occurring, strict=True) if occurs]
    return names, np.cumsum(occurring) - 1


def _cells(table: Records, n_columns: int, code_of: NDArray[np.int64]) -> Iterator[list[str]]:
    """The cells of each row, after the record's name where it has one."""
    for row, (start, end) in enumerate(pairwise(table.offsets.tolist())):
        cells = ["0"] * n_columns
        for code in code_of[table.items[start:end]].tolist():
            cells[code] = "1"
        yield cells if table.record_ids is None else [table.record_ids[row], *cells]


def _check_written(table: Records, names: list[str], form: Source) -> None:
    """Refuse a table whose one-hot form would be read back differently."""
    ids, id_column = table.record_ids, written_columns(table, form)
    if not names:
        raise _unwritable("a table without any item", "a one-hot table")
    if "" in names:
        raise _unwritable("an item without a name", "a one-hot table")
    if ids is None and names[0] in INDEX_NAMES:
        raise _unwritable(f"the item {names[0]!r}", "the first column of a one-hot table")
    if ids is None:
        return
    if id_column[0] in names:
        raise _unwritable(f"an item with the id column's name {id_column[0]!r}", "a one-hot table")
    if len(set(ids)) < len(ids) or all(name in BITS for name in ids):
        raise _unwritable("records with ids such as these", "a one-hot table")


def _unwritable(what: str, where: str) -> OutputError:
    return OutputError(
        f"{what} cannot be written to {where}. To fix it: write .jsonl, or a parquet list column."
    )
