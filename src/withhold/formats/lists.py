"""Records as lists in a column: in parquet, in data frames, and in the cells of a CSV file.

A frame has one list column, and perhaps one with the records' names. Names may contain anything; an empty
one is refused, and so is a null. A CSV file has a header, then for each record a cell with its items:
``order_id,items`` above ``1,"milk,bread"``; or a single column of lists under its name. The separator within
such a cell is found as in a basket file; releases are written as ``basket``, which every reader understands.
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from withhold.data import Records, Source
from withhold.data.names import WHITESPACE
from withhold.errors import InputError, option
from withhold.formats import basket
from withhold.formats.cells import WHOLE, open_sheet
from withhold.formats.columns import (
    LIST_NAMES,
    Options,
    find_column,
    only_column,
    plain,
    record_column,
)
from withhold.formats.items import item_name, named_records, series_codes, series_names
from withhold.formats.opening import Text
from withhold.formats.repeated_persons import person_columns, several_records
from withhold.formats.rows import Parsed, parsed_from_codes, parsed_from_names

if TYPE_CHECKING:
    import polars

    from withhold.formats.frames import Frame

DEFAULT_ITEMS, DEFAULT_RECORD = "items", "record"
PYTHON = re.compile(r"\s*[\[{(].*[\]})]\s*", re.DOTALL)
"""A list as a program prints it; its quotes and brackets are not part of any name."""
_ITEM = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|-?\d{1,19})"""
LITERAL = re.compile(rf"\s*[\[{{(]\s*(?:{_ITEM}(?:\s*,\s*{_ITEM})*\s*,?)?\s*[\]}})]\s*")
"""A list that can be read unambiguously: of strings and whole numbers separated by commas, as in Python and
JSON. Arrays of numpy have no commas, and Python would join two adjacent strings into one."""


def read_columns(frame: Frame, options: Options) -> Parsed:
    """The rows of a frame with a list column."""
    import polars as pl

    item = _list_column(frame, options)
    lists = frame.column(item)
    if lists.null_count():
        problem = f"row {int(lists.is_null().arg_max() or 0) + 1:,} is blank"
        raise frame.error(problem, "write a record without items as an empty list", column=item)
    if isinstance(lists.dtype, pl.Array):
        lists = lists.arr.to_list()
    record = record_column(frame.columns, options, frame.path, but=item)
    doubts = [
        doubt
        for name in person_columns(frame.columns, record, item)
        for doubt in several_records(frame.path, name, frame.column(name))
    ]
    ids, kept = named_records(frame, record, options)
    rows = np.arange(len(lists))
    if kept is not None:
        rows, lists = rows[kept], lists.filter(kept)
    lengths = lists.list.len()
    # Without the empty lists, each of which older versions of polars turn into a blank.
    flat = lists.filter(lengths > 0).explode()
    names = series_names(flat, frame, item)
    blank = names.is_null() | (names.str.strip_chars(WHITESPACE) == "")
    if blank.any():
        place = int(blank.arg_max() or 0)
        row = rows[np.searchsorted(np.cumsum(lengths.to_numpy()), place, side="right")]
        problem = f"row {row + 1:,} holds a blank item"
        raise frame.error(problem, "leave blanks out of the lists", column=item)
    codes, vocabulary = series_codes(names)
    return parsed_from_codes(
        lengths.to_numpy().astype(np.int64),
        codes,
        vocabulary,
        record_ids=ids,
        columns=(record, item) if record else (item,),
        skipped=len(frame) - len(rows),
        warnings=tuple(doubts),
    )


def write_frame(records: Records, form: Source) -> polars.DataFrame:
    """The records as a list column, after a column of names where they have any."""
    names = dict(zip(("items", "record"), reversed(written_columns(records, form)), strict=False))
    return records.to_polars().rename(names)


def written_columns(records: Records, form: Source) -> tuple[str, ...]:
    """The columns of the file: the items', and before it the records' where they have names."""
    item = form.columns[-1] if form.columns else DEFAULT_ITEMS
    if records.record_ids is None:
        return (item,)
    return (form.columns[0] if len(form.columns) == 2 else DEFAULT_RECORD, item)


def read_text(text: Text, options: Options) -> Parsed:
    """The rows of a CSV file with a column of lists."""
    sheet = open_sheet(text, options)
    if len(sheet.columns) == 1:
        if options.item_column is not None:
            find_column(options.item_column, sheet.columns, text.path)
        _, *lines = text.lines()
        cells = [_unquoted(line) for line in lines]
        parsed = _cut(cells, text.path, options.separator)
        quoted = any(cell != line and " " in cell for cell, line in zip(cells, lines, strict=True))
        if parsed.separator == " " and quoted and options.separator is None:
            raise _only_spaces(text, sheet.columns[0])
        return replace(parsed, columns=tuple(sheet.columns))
    item = _named_list_column(sheet.columns, options, text.path)
    record = record_column(sheet.columns, options, text.path, but=item)
    persons = person_columns(sheet.columns, record, item)
    sheet.load([item, *([record] if record else []), *persons])
    doubts = [
        doubt for name in persons for doubt in several_records(text.path, name, sheet.column(name))
    ]
    ids, kept = named_records(sheet, record, options)
    cells = every = sheet.column(item).to_list()
    if kept is not None:
        cells = list(compress(cells, kept))
    parsed = _cut(cells, text.path, None)
    if parsed.separator == " " and any(" " in cell for cell in cells):
        raise _only_spaces(text, item)
    return replace(
        parsed,
        record_ids=ids,
        columns=(record, item) if record else (item,),
        separator=sheet.separator,
        skipped=len(every) - len(cells),
        warnings=tuple(doubts),
    )


def _list_column(frame: Frame, options: Options) -> str:
    """The list column, named by the user or the only one."""
    if options.item_column is not None:
        name = find_column(options.item_column, frame.columns, frame.path)
        if frame.is_list(name):
            return name
        raise frame.error("is not a list column", column=name, value=str(frame.column(name).dtype))
    found = [name for name in frame.columns if frame.is_list(name)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise frame.error(f"has no list column; it has {frame.seen()}")
    problem = f"has {len(found)} list columns: {', '.join(map(repr, found))}"
    raise frame.error(problem, f"name the one you mean with {option('item_column')}")


def _named_list_column(header: list[str], options: Options, path: str) -> str:
    """The column with the lists, by its name."""
    if options.item_column is not None:
        return find_column(options.item_column, header, path)
    found = [name for name in header if plain(name) in LIST_NAMES and name != options.record_column]
    remedy = f"name the one you mean with {option('item_column')}"
    lists = {"alike": "a column of lists", "holding": "the lists", "remedy": remedy}
    return only_column(found, header, path, **lists)


def _cut(cells: list[str], path: str, separator: str | None) -> Parsed:
    """The cells as records, each cut as a line of a basket file."""
    # The empty first line takes the place of the header, so that line numbers are those of the file.
    body = Text("\n".join(["", *cells]).encode() + b"\n", path)
    shown = [cell for cell in cells if cell.strip()]
    if shown and separator is None and all(map(LITERAL.fullmatch, shown)):
        rows = (_literal(cell, body) for cell in cells)
        return replace(parsed_from_names(rows), separator=",")
    for number, cell in enumerate(cells, start=2):
        if "\n" in cell or PYTHON.fullmatch(cell):
            problem = (
                "a cell holds a list as a program shows it and others do not, or several lines"
            )
            remedy = (
                "write all of them as ['a', 'b'], or as JSON lines, or as a parquet list column"
            )
            raise body.error(problem, remedy, line=None if "\n" in cell else number)
    if not cells:
        raise body.error("holds a header but no records")
    try:
        parsed = basket.read_text(body, Options(separator=separator))
    except InputError as error:
        alike = "separate the items of all cells in the same way"
        advice = alike if "could separate" in error.problem else error.remedy
        raise body.error(error.problem, advice, line=error.line) from None
    return replace(parsed, lengths=parsed.lengths[1:], variant="")


def _literal(cell: str, body: Text) -> list[str]:
    """The items of a list that is written as a program prints it; none if the cell is blank."""
    if not cell.strip():
        return []
    try:
        return [item_name(item) for item in ast.literal_eval(cell.strip())]
    except (ValueError, SyntaxError) as error:
        reason = str(error).partition("\n")[0]
        remedy = "write lists as ['a', 'b'], or the records as JSON lines"
        raise body.error(f"a list cannot be read: {reason}", remedy, value=cell) from None


def _only_spaces(text: Text, column: str) -> InputError:
    problem = "spaces could separate the items of a cell, or belong to their names"
    one = "if each cell is one item of a record that another column names"
    remedy = f"put commas between the items; or say {option('format', 'long')} {one}"
    return text.error(problem, remedy, column=column)


def _unquoted(line: str) -> str:
    """A line that is one cell in quotes, without them."""
    whole = WHOLE.fullmatch(line)
    return whole[1].replace('""', '"') if whole else line
