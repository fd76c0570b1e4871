"""Lists in the cells of a CSV file: a header, then for each record a cell with its items.

``order_id,items`` above ``1,"milk,bread"``; or a single column of lists under its name. What separates the
items within a cell is found as in a basket file. Written as ``basket``, which every reader understands.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import compress

from withhold.errors import InputError, option
from withhold.formats import basket
from withhold.formats.cells import WHOLE, open_sheet
from withhold.formats.columns import LIST_NAMES, RECORD_NAMES, Options, find_column, listed, plain
from withhold.formats.columns import usual_column as usual
from withhold.formats.ids import record_names, with_id
from withhold.formats.opening import Text
from withhold.formats.rows import Parsed

PYTHON = re.compile(r"\s*[\[{(].*[\]})]\s*", re.DOTALL)
"""A list as a program shows it; its quotes and brackets are no part of any name."""


def read_text(text: Text, options: Options) -> Parsed:
    """The rows of a CSV file with a column of lists."""
    sheet = open_sheet(text, options)
    if len(sheet.header) == 1:
        if options.item_column is not None:
            find_column(options.item_column, sheet.header, text.path)
        _, *lines = text.lines()
        cells = [_unquoted(line) for line in lines]
        parsed = _lists(cells, text.path, options.separator)
        quoted = any(cell != line and " " in cell for cell, line in zip(cells, lines, strict=True))
        if parsed.separator == " " and quoted and options.separator is None:
            raise _only_spaces(text.path, sheet.header[0])
        return replace(parsed, columns=tuple(sheet.header))
    item = list_column(sheet.header, options, text.path)
    record = options.record_column and find_column(options.record_column, sheet.header, text.path)
    record = record or usual(sheet.header, RECORD_NAMES, "record_column", text.path, but=item)
    rows = [row for _, row in sheet.rows()]
    cells = [row[sheet.header.index(item)] for row in rows]
    ids = None
    if record:
        named = [row[sheet.header.index(record)] for row in rows]
        kept = with_id(named, options, path=text.path, column=record, line=sheet.line)
        if kept is not None:
            cells, named = list(compress(cells, kept)), list(compress(named, kept))
        ids = record_names(named, text.path)
    parsed = _lists(cells, text.path, None)
    if parsed.separator == " " and any(" " in cell for cell in cells):
        raise _only_spaces(text.path, item)
    return replace(
        parsed,
        record_ids=ids,
        columns=(record, item) if record else (item,),
        separator=sheet.separator,
        skipped=len(rows) - len(cells),
    )


def list_column(header: list[str], options: Options, path: str | None) -> str:
    """The column with the lists."""
    if options.item_column is not None:
        return find_column(options.item_column, header, path)
    found = [name for name in header if plain(name) in LIST_NAMES and name != options.record_column]
    if len(found) != 1:
        problem = f"several columns could hold the lists: {', '.join(map(repr, found))}"
        none = f"no column looks like a column of lists; {listed(header)}"
        remedy = f"name the one you mean with {option('item_column')}"
        raise InputError(problem if found else none, path=path, remedy=remedy)
    return found[0]


def _lists(cells: list[str], path: str, separator: str | None) -> Parsed:
    """The cells as records, each cut as a line of a basket file."""
    for number, cell in enumerate(cells, start=2):
        if "\n" in cell or PYTHON.fullmatch(cell):
            raise InputError(
                "a cell holds a list as a program shows it, or several lines",
                path=path,
                line=None if "\n" in cell else number,
                remedy="write the records as JSON lines or as a parquet list column",
            )
    if not cells:
        raise InputError("holds a header but no records", path=path)
    # The empty first line stands for the header, so that the numbers of the lines are the file's.
    body = Text("\n".join(["", *cells]).encode() + b"\n", path)
    try:
        parsed = basket.read_text(body, Options(separator=separator))
    except InputError as error:
        mixed = "could separate" in error.problem
        remedy = "separate the items of all cells in the same way" if mixed else error.remedy
        raise InputError(error.problem, path=path, line=error.line, remedy=remedy) from None
    return replace(parsed, lengths=parsed.lengths[1:], variant="")


def _only_spaces(path: str, column: str) -> InputError:
    return InputError(
        "spaces could separate the items of a cell, or belong to their names",
        path=path,
        column=column,
        remedy=f"put commas between the items; or say {option('format', 'long')} if each cell is one "
        "item of a record that another column names",
    )


def _unquoted(line: str) -> str:
    """A line that is one cell in quotes, without them."""
    whole = WHOLE.fullmatch(line)
    return whole[1].replace('""', '"') if whole else line
