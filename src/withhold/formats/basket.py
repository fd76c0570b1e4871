"""Baskets: one line, one record; its items stand between separators.

The format of FIMI's ``.dat`` files and of most exports. Runs of spaces are one separator; around
other separators blanks do not count. Nothing between two separators, or after the last one, is no
item, since exports often end each line with a separator. An empty line is an empty record. Items
in double quotes may hold the separator.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, pairwise

import numpy as np
from numpy.typing import NDArray

from withhold.data import Records, Source
from withhold.errors import InputError, OutputError, option
from withhold.formats.cells import guard_blanks, unguarded
from withhold.formats.coding import code_lines
from withhold.formats.columns import Options
from withhold.formats.forms import separator_name
from withhold.formats.opening import Text, line_number
from withhold.formats.rows import Parsed, parsed_from_names

SEPARATORS = (",", ";", "\t", "|")
"""Separators that show themselves; a space may also stand inside an item's name."""
BLANKS = " \t"
QUOTED = re.compile(rb'(?m)(?:^|(?<=[,;\t| ]))"(?:[^"\n]|"")*"(?=[,;\t| \n]|\Z)')
"""An item in quotes: what is inside says nothing about the separator."""
NUMBERS = re.compile(r"[0-9]+(?: +[0-9]+)+")
ROWS_AT_ONCE = 8192
"""When writing, so that the names of a large table are never all in memory."""


def read_text(text: Text, options: Options) -> Parsed:
    """The rows of a basket file."""
    separator = options.separator or find_separator(text.data, text.path)
    variant = "quoted" if b'"' in text.data and QUOTED.search(text.data) else ""
    coded = None if b'"' in text.data else code_lines(text.closed(), ord(separator))
    if coded is not None and any(name.isspace() for name in coded[2]):
        coded = None  # A no-break space alone is no item; the plain way leaves it out.
    if coded is None:
        rows = ([name for name in row if not name.isspace()] for row in read_rows(text, separator))
        parsed = parsed_from_names(rows, separator=separator, variant=variant)
    else:
        lengths, items, vocabulary, repeated = coded
        parsed = Parsed(lengths, items, vocabulary, repeated, separator=separator)
    if options.separator is None and separator != " " and not variant:
        row = _row_with_spaces(parsed.lengths, parsed.items, parsed.vocabulary)
        if row is not None:
            raise _mixed(row + 1, separator, " ", text.path)
    return parsed


def read_rows(text: Text, separator: str) -> Iterator[list[str]]:
    """The records as lists of names, quotes and all: the plain form of ``coding.code_lines``."""
    is_quoted = b'"' in text.data
    if is_quoted:
        # Blanks inside quotes are part of the item: two items may differ by them, which is refused later.
        text = replace(text, data=guard_blanks(text.data, separator))
        cells = _quoted_cells(text, separator)
    else:
        cells = (line.split(separator) for line in text.lines())
    for row in cells:
        stripped = (unguarded(cell) if is_quoted else cell.strip(BLANKS) for cell in row)
        yield [item for item in stripped if item]


def find_separator(data: bytes, path: str | None = None) -> str:
    """The separator of a basket file, or an error where two are in use.

    A comma, semicolon, tab or bar separates wherever it occurs, and spaces then belong to items;
    without any of them, spaces separate. Two of them in one file cannot be decided here.
    """
    if b'"' in data:
        data = QUOTED.sub(lambda quoted: b"q" * len(quoted[0]), data)
    places = {mark: data.find(mark.encode()) for mark in SEPARATORS}
    found = sorted((place, mark) for mark, place in places.items() if place >= 0)
    if not found:
        return " "
    if len(found) > 1:
        (_, mark), (position, other) = found[:2]
        raise _mixed(line_number(data, position), mark, other, path)
    return found[0][1]


def write_text(table: Records, form: Source) -> Iterator[str]:
    """The lines of a basket file, each with its end."""
    spelled = _spelled(table, form, careful=False)
    if not _may_quote(form):
        # Many lines at a time: a generator of single ones takes longer than the rest of the work.
        plainly = _lines(table, spelled, form.separator)
        while block := "".join(islice(plainly, ROWS_AT_ONCE)):
            yield block
        return
    lines = list(_lines(table, spelled, form.separator))
    if not _shows_separator(table, lines, form.separator):
        # Say, "whole milk" alone on its line: without quotes it would be read as two items.
        lines = list(_lines(table, _spelled(table, form, careful=True), form.separator))
    yield from lines


def _may_quote(form: Source) -> bool:
    """Whether items may be quoted: who reads space-separated files seldom expects it."""
    return form.separator != " " or form.variant == "quoted"


def _row_with_spaces(
    lengths: NDArray[np.int64], items: NDArray[np.int32], vocabulary: tuple[str, ...]
) -> int | None:
    """The first row, from 0, whose items are lists themselves, separated by spaces, if any is.

    Numbers with spaces between them are a list, not a name. Names may hold spaces; but if more
    lines are one such name than hold the separator, the spaces are what separates.
    """
    spaced = np.array([" " in name for name in vocabulary], dtype=bool)
    if not spaced.any():
        return None
    lists = np.array([bool(NUMBERS.fullmatch(name)) for name in vocabulary], dtype=bool)
    alone = np.flatnonzero(lengths == 1)
    starts = np.cumsum(lengths) - lengths
    alone = alone[spaced[items[starts[alone]]]]
    if lists.any():
        first = int(np.flatnonzero(lists[items])[0])
        return int(np.searchsorted(starts + lengths, first, side="right"))
    return int(alone[0]) if len(alone) > np.count_nonzero(lengths > 1) else None


def _mixed(line: int, first: str, second: str, path: str | None) -> InputError:
    return InputError(
        f"both {_shown(first)} and {_shown(second)} could separate the items",
        path=path,
        line=line,
        remedy=f"say which one does, with {option('separator', separator_name(first))}",
    )


def _shown(mark: str) -> str:
    return {" ": "a space", "\t": "a tab"}.get(mark, repr(mark))


def _quoted_cells(text: Text, separator: str) -> Iterator[list[str]]:
    """The cells of each line, by the rules of CSV; a quoted item ends on its own line."""
    reader = csv.reader(text.lines(), delimiter=separator, skipinitialspace=True, strict=True)
    n_read = 0
    try:
        for row in reader:
            if reader.line_num > n_read + 1:
                raise csv.Error("the quotes around an item are not closed")
            yield row
            n_read += 1
    except csv.Error as error:
        raise InputError(
            f"has quotes that cannot be understood: {error}",
            path=text.path,
            line=n_read + 1,
            remedy='close each quoted item, and write a quote inside it as ""',
        ) from None


def _spelled(table: Records, form: Source, *, careful: bool) -> list[str]:
    """How each item is written; items that do not occur are not looked at."""
    separator, may_quote = form.separator, _may_quote(form)
    spelled = []
    for name, occurs in zip(table.vocabulary, table.supports.tolist(), strict=True):
        quotes = '"' in name or separator in name or (careful and any(c in name for c in " ,;\t|"))
        bad = not name or name != name.strip(BLANKS) or any(c in name for c in "\n\r\0")
        if occurs and (bad or name.startswith("\ufeff") or (quotes and not may_quote)):
            raise OutputError(
                f"the item {name!r} cannot be written to a basket file separated by "
                f"{_shown(separator)}. To fix it: write .jsonl or .parquet instead."
            )
        spelled.append('"' + name.replace('"', '""') + '"' if quotes and may_quote else name)
    return spelled


def _lines(table: Records, spelled: list[str], separator: str) -> Iterator[str]:
    name_of = np.array(spelled, dtype=object)
    for first in range(0, len(table), ROWS_AT_ONCE):
        bounds = table.offsets[first : first + ROWS_AT_ONCE + 1].tolist()
        names = name_of[table.items[bounds[0] : bounds[-1]]].tolist()
        for start, end in pairwise(bounds):
            yield separator.join(names[start - bounds[0] : end - bounds[0]]) + "\n"


def _shows_separator(table: Records, lines: list[str], separator: str) -> bool:
    """Whether a reader would find the separator by itself."""
    try:
        found = find_separator("".join(lines).encode())
    except InputError:
        return False
    spaces = _row_with_spaces(table.lengths, table.items, table.vocabulary)
    return found == separator and spaces is None
