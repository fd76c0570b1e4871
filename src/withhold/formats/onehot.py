"""One-hot tables: one row for each record, one 0/1 column for each item.

From CSV, parquet or a frame. A first column that is named like an id and holds anything other than
0 and 1 has the records' names. In text an empty cell is 0; in a frame a blank is refused. Only
items that occur are written: an all-zero column would reveal what was withheld.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from withhold.data import Records, Source
from withhold.data.array_types import Bools
from withhold.errors import option
from withhold.formats.cells import BLANKS, Sheet, csv_lines, open_sheet
from withhold.formats.columns import INDEX_NAMES, Columns, Options, find_column, names_record
from withhold.formats.forms import AS_LISTS, unwritable
from withhold.formats.items import named_records
from withhold.formats.opening import Text
from withhold.formats.rows import Parsed, parsed_from_codes

if TYPE_CHECKING:
    import polars

ONES = frozenset(("1", "true", "True", "TRUE", "1.0"))
ZEROS = frozenset(("0", "false", "False", "FALSE", "0.0", ""))
BITS = ONES | ZEROS
DEFAULT_ID = "record"
WHERE = "a one-hot table"


def read_text(text: Text, options: Options) -> Parsed:
    """The rows of a one-hot CSV file."""
    sheet = open_sheet(text, options)
    sheet.load(list(dict.fromkeys(sheet.columns)))
    return read_columns(sheet, options)


def read_columns(source: Columns, options: Options) -> Parsed:
    """The rows of a one-hot frame, or of a CSV file."""
    id_column = _id_column(source, options)
    names = [name for name in source.columns if name != id_column]
    _check_names(names, source)
    ids, kept = named_records(source, id_column, options)
    names.sort()
    marks = (_text_ones if isinstance(source, Sheet) else _frame_ones)(source, names, kept)
    rows = [np.flatnonzero(each) for each in marks]
    row_of = np.concatenate(rows)
    codes = np.repeat(np.arange(len(rows), dtype=np.int32), [len(each) for each in rows])
    return parsed_from_codes(
        np.bincount(row_of, minlength=len(marks[0])),
        codes[np.argsort(row_of, kind="stable")],
        tuple(names),
        record_ids=ids,
        columns=() if id_column is None else (id_column,),
        separator=source.separator,
        skipped=0 if kept is None else len(kept) - int(kept.sum()),
    )


def looks_one_hot(frame: Columns, options: Options) -> bool:
    """Whether all columns, except one with ids, hold nothing but 0 and 1."""
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


def write_text(records: Records, form: Source) -> Iterator[str]:
    """The lines of a one-hot CSV file, each with its end."""
    names, code_of = _written_items(records)
    for name in (*names, *(records.record_ids or ())):
        odd = any(letter in name for letter in "\n\r\0") or name.startswith("\ufeff")
        if odd or name != name.strip(BLANKS):
            raise unwritable(f"{name!r}", "CSV", AS_LISTS)
    _check_written(records, names, form)
    header = [*written_columns(records, form), *names]
    yield from csv_lines(chain([header], _cells(records, len(names), code_of)), form.separator)


def write_frame(records: Records, form: Source) -> polars.DataFrame:
    """The records as one Boolean column for each item that occurs."""
    import polars as pl

    names, code_of = _written_items(records)
    _check_written(records, names, form)
    bits = np.zeros((len(names), len(records)), dtype=bool)
    bits[code_of[records.items], np.repeat(np.arange(len(records)), records.lengths)] = True
    ids = {name: pl.Series(records.record_ids) for name in written_columns(records, form)}
    return pl.DataFrame(ids | dict(zip(names, bits, strict=True)))


def written_columns(records: Records, form: Source) -> tuple[str, ...]:
    """The id column of the file, if the records have names."""
    return () if records.record_ids is None else (form.columns[:1] or (DEFAULT_ID,))


def _id_column(source: Columns, options: Options) -> str | None:
    """The column with the records' names, if there is one."""
    if options.record_column is not None:
        return find_column(options.record_column, source.columns, source.path)
    first = source.columns[0]
    if first in INDEX_NAMES:
        return first
    if not names_record(first):
        return None
    cells = source.column(first)
    is_text = isinstance(source, Sheet)
    holds_bits = cells.is_in(list(BITS)).all() if is_text else _are_bits(cells)
    return None if holds_bits else first


def _are_bits(series: polars.Series) -> bool:
    """Whether a column holds truth values, or numbers that are 0 or 1."""
    import polars as pl

    if series.null_count():
        return False
    return series.dtype == pl.Boolean or (
        series.dtype.is_numeric() and bool(((series == 0) | (series == 1)).all())
    )


def _text_ones(sheet: Columns, names: list[str], kept: Bools | None) -> list[Bools]:
    """For each item, which rows have it; the first cell of the file that is neither 0 nor 1 is refused."""
    import polars as pl

    # All columns at once: each call of polars has a large overhead.
    cells = pl.DataFrame({name: sheet.column(name) for name in names})
    cells = cells if kept is None else cells.filter(kept)
    bad = cells.select(~pl.all().is_in(list(BITS)))
    anywhere = bad.select(pl.any_horizontal(pl.all())).to_series()
    if anywhere.any():
        row = int(anywhere.arg_max() or 0)
        column = next(name for name in sheet.columns if name in bad.columns and bad[name][row])
        line = sheet.line(row if kept is None else int(np.flatnonzero(kept)[row]))
        remedy = f"give 0 or 1, or name the id column with {option('record_column')}"
        problem, value = "a cell holds neither 0 nor 1", cells[column][row]
        raise sheet.error(problem, remedy, line=line, column=column, value=value)
    return [each.to_numpy() for each in cells.select(pl.all().is_in(list(ONES))).get_columns()]


def _frame_ones(frame: Columns, names: list[str], kept: Bools | None) -> list[Bools]:
    """For each item, which rows have it; a cell that is neither 0 nor 1 is refused."""
    ones = []
    for name in names:
        series = frame.column(name)
        if not _are_bits(series):
            for number, value in enumerate(series.to_list(), start=1):
                if value not in (0, 1):
                    shown = "a blank" if value is None else repr(value)
                    naming = f"name the id column with {option('record_column')}"
                    problem = f"row {number:,} holds neither 0 nor 1 but {shown}"
                    remedy = f"give 0 or 1 in every cell, or {naming}"
                    raise frame.error(problem, remedy, column=name)
            raise frame.error("holds text, not 0 and 1", column=name)
        marks = series.to_numpy() != 0
        ones.append(marks if kept is None else marks[kept])
    return ones


def _check_names(names: Sequence[str], source: Columns) -> None:
    """Refuse items without a name, and two of the same name."""
    if not names:
        raise source.error("has no column for any item")
    seen: set[str] = set()
    for place, name in enumerate(names, start=1):
        if not name or name in seen:
            unnamed = f"the item column number {place} has no name"
            raise source.error(f"has two columns {name!r}" if name else unnamed)
        seen.add(name)


def _written_items(records: Records) -> tuple[list[str], NDArray[np.int64]]:
    """The items that occur, and for each code its place among them."""
    return records.occurring, np.cumsum(records.supports > 0) - 1


def _cells(records: Records, n_columns: int, code_of: NDArray[np.int64]) -> Iterator[list[str]]:
    """The cells of each row, after the record's name where it has one."""
    for row, (start, end) in enumerate(pairwise(records.offsets.tolist())):
        cells = ["0"] * n_columns
        for code in code_of[records.items[start:end]].tolist():
            cells[code] = "1"
        yield cells if records.record_ids is None else [records.record_ids[row], *cells]


def _check_written(records: Records, names: list[str], form: Source) -> None:
    """Refuse records whose one-hot form would be read back differently."""
    ids, id_column = records.record_ids, written_columns(records, form)
    where = WHERE
    if not names:
        what = "a table without any item"
    elif "" in names:
        what = "an item without a name"
    elif ids is None and names[0] in INDEX_NAMES:
        what, where = f"the item {names[0]!r}", "the first column of a one-hot table"
    elif ids is not None and id_column[0] in names:
        what = f"an item with the id column's name {id_column[0]!r}"
    elif ids is not None and (len(set(ids)) < len(ids) or all(name in BITS for name in ids)):
        what = "records with ids such as these"
    else:
        return
    raise unwritable(what, where, AS_LISTS)
