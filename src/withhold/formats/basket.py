"""Baskets: one record per line, its items between separators.

The format of FIMI's ``.dat`` files and of most exports. Runs of spaces are one separator; around
other separators blanks do not count. An empty field, between two separators or after the last one,
is not an item, since exports often end each line with a separator. An empty line is an empty
record. Items in double quotes may contain the separator.
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from withhold.data import Records, Source
from withhold.data.names import has_whitespace
from withhold.errors import InputError, option
from withhold.formats.cells import BLANKS, guard_blanks, unguarded
from withhold.formats.coding import Coded, code_with_numpy
from withhold.formats.columns import Options
from withhold.formats.forms import separator_name, unwritable
from withhold.formats.opening import Text, line_number
from withhold.formats.rows import Parsed, parsed_from_names

LARGE = 1 << 27
"""The size of a text, in bytes, from which loading the kernels (half a second) pays off."""

SEPARATORS = (",", ";", "\t", "|")
"""Separators that are unambiguous; a space may also be part of an item's name."""
QUOTED = re.compile(rb'(?m)(?:^|(?<=[,;\t| ]))"(?:[^"\n]|"")*"(?=[,;\t| \n]|\Z)')
"""An item in quotes: what is inside says nothing about the separator."""
NUMBERS = re.compile(r"[0-9]+(?: +[0-9]+)+")
ROWS_AT_ONCE = 8192
"""Rows written at a time, so that the names of a large table are never all in memory."""


def code_lines(data: bytes, separator: int) -> Coded | None:
    """The result of ``code_with_numpy``; for short items, by the kernels if they are loaded anyway."""
    if len(data) >= LARGE or "withhold.counting.jit" in sys.modules:
        from withhold.formats.compiled import code_short_items

        if (coded := code_short_items(data, separator)) is not None:
            return coded
    return code_with_numpy(data, separator)


def read_text(text: Text, options: Options) -> Parsed:
    """The rows of a basket file."""
    separator = options.separator or find_separator(text.data, text.path)
    variant = "quoted" if b'"' in text.data and QUOTED.search(text.data) else ""
    coded = None if b'"' in text.data else code_lines(text.closed(), ord(separator))
    if coded is not None and _has_blank_item(coded[2]):
        coded = None  # A no-break space alone is not an item; the plain reader leaves it out.
    if coded is None:
        rows = ([name for name in row if not name.isspace()] for row in read_rows(text, separator))
        parsed = parsed_from_names(rows, separator=separator, variant=variant)
    else:
        parsed = Parsed(*coded, separator=separator)
    if options.separator is None and separator != " " and not variant:
        row = _row_with_spaces(parsed.lengths, parsed.items, parsed.vocabulary)
        if row is not None:
            raise _mixed(row + 1, separator, " ", text.path)
    return parsed


def read_rows(text: Text, separator: str) -> Iterator[list[str]]:
    """The records as lists of names, quotes and all: the plain form of ``code_lines``."""
    if b'"' not in text.data:
        for line in text.lines():
            cells = (cell.strip(BLANKS) for cell in line.split(separator))
            yield [item for item in cells if item]
        return
    # Blanks inside quotes are part of the item: two items may differ by them, which is refused later.
    text = replace(text, data=guard_blanks(text.data, separator))
    reader = csv.reader(text.lines(), delimiter=separator, skipinitialspace=True, strict=True)
    n_read = 0
    try:
        for row in reader:
            if reader.line_num > n_read + 1:
                raise csv.Error("the quotes around an item are not closed")
            yield [item for item in map(unguarded, row) if item]
            n_read += 1
    except csv.Error as error:
        problem = f"has quotes that cannot be understood: {error}"
        remedy = 'close each quoted item, and write a quote inside it as ""'
        raise text.error(problem, remedy, line=n_read + 1) from None


def find_separator(data: bytes, path: str | None = None) -> str:
    """The separator of a basket file, or an error if two are in use.

    A comma, semicolon, tab or bar separates wherever it occurs, and spaces then belong to items;
    without any of them, spaces separate. Two of them in one file cannot be decided here.
    """
    if b'"' in data:
        data = QUOTED.sub(lambda quoted: b"q" * len(quoted[0]), data)
    places = {mark: data.find(mark.encode()) for mark in SEPARATORS}
    found = sorted((place, mark) for mark, place in places.items() if place >= 0)
    if len(found) > 1:
        (_, mark), (position, other) = found[:2]
        raise _mixed(line_number(data, position), mark, other, path)
    return found[0][1] if found else " "


def write_text(records: Records, form: Source) -> Iterator[str]:
    """The lines of a basket file, each with its end."""
    spelled = _spelled(records, form, careful=False)
    if not _may_quote(form):
        yield from _blocks(records, spelled, form.separator)
        return
    lines = list(_lines(records, spelled, form.separator))
    if not _shows_separator(records, lines, form.separator):
        # For example "whole milk" alone on its line: without quotes it would be read as two items.
        lines = list(_lines(records, _spelled(records, form, careful=True), form.separator))
    yield from lines


def _may_quote(form: Source) -> bool:
    """Whether items may be quoted: readers of space-separated files rarely expect quotes."""
    return form.separator != " " or form.variant == "quoted"


def _has_blank_item(vocabulary: tuple[str, ...]) -> bool:
    return has_whitespace("".join(vocabulary)) and any(map(str.isspace, vocabulary))


def _row_with_spaces(
    lengths: NDArray[np.int64], items: NDArray[np.int32], vocabulary: tuple[str, ...]
) -> int | None:
    """The first row, from 0, whose items are themselves lists separated by spaces, if there is one.

    Numbers with spaces between them are a list, not a name. Names may contain spaces; but if more
    lines are one such name than contain the separator, spaces are the real separator.
    """
    spaced = np.array([" " in name for name in vocabulary], dtype=bool)
    if not spaced.any():
        return None
    lists = np.array([bool(NUMBERS.fullmatch(name)) for name in vocabulary], dtype=bool)
    starts = np.cumsum(lengths) - lengths
    if lists.any():
        first = int(np.flatnonzero(lists[items])[0])
        return int(np.searchsorted(starts + lengths, first, side="right"))
    alone = np.flatnonzero(lengths == 1)
    alone = alone[spaced[items[starts[alone]]]]
    return int(alone[0]) if len(alone) > np.count_nonzero(lengths > 1) else None


def _mixed(line: int, first: str, second: str, path: str | None) -> InputError:
    problem = f"both {_shown(first)} and {_shown(second)} could separate the items"
    remedy = f"say which one does, with {option('separator', separator_name(first))}"
    return InputError(problem, path=path, line=line, remedy=remedy)


def _shown(mark: str) -> str:
    return {" ": "a space", "\t": "a tab"}.get(mark, repr(mark))


def _spelled(records: Records, form: Source, *, careful: bool) -> list[str]:
    """How each item is written; items that do not occur are ignored."""
    separator, may_quote = form.separator, _may_quote(form)
    # Check all names at once: most files have nothing to quote or to refuse.
    names = "".join(records.vocabulary)
    plain = names.isascii() and names.isprintable() and "" not in records.vocabulary
    if plain and not any(mark in names for mark in (*' ",;|', separator)):
        return list(records.vocabulary)
    spelled = []
    for name, occurs in zip(records.vocabulary, records.supports.tolist(), strict=True):
        quotes = '"' in name or separator in name or (careful and any(c in name for c in " ,;\t|"))
        bad = not name or name != name.strip(BLANKS) or any(c in name for c in "\n\r\0")
        if occurs and (bad or name.startswith("\ufeff") or (quotes and not may_quote)):
            where = f"a basket file separated by {_shown(separator)}"
            raise unwritable(f"the item {name!r}", where)
        spelled.append('"' + name.replace('"', '""') + '"' if quotes and may_quote else name)
    return spelled


def _blocks(records: Records, spelled: list[str], separator: str) -> Iterator[str]:
    """The lines in blocks, each joined in one call: joining line by line takes twice as long."""
    if "withhold.counting.jit" in sys.modules:
        from withhold.formats.joining import joined_lines

        yield from joined_lines(records, spelled, separator)
        return
    followed = np.array([name + separator for name in spelled], dtype=object)
    last = np.array([name + "\n" for name in spelled], dtype=object)
    for first in range(0, len(records), ROWS_AT_ONCE):
        offsets = records.offsets[first : first + ROWS_AT_ONCE + 1]
        items = records.items[offsets[0] : offsets[-1]]
        filled = np.diff(offsets) > 0
        ends = offsets[1:][filled] - offsets[0] - 1
        pieces = followed[items]
        pieces[ends] = last[items[ends]]
        # A record without items is an empty line, in front of what follows it.
        empty = np.flatnonzero(~filled)
        yield "".join(np.insert(pieces, offsets[empty] - offsets[0], "\n").tolist())


def _lines(records: Records, spelled: list[str], separator: str) -> Iterator[str]:
    name_of = np.array(spelled, dtype=object)
    for first in range(0, len(records), ROWS_AT_ONCE):
        bounds = records.offsets[first : first + ROWS_AT_ONCE + 1].tolist()
        names = name_of[records.items[bounds[0] : bounds[-1]]].tolist()
        for start, end in pairwise(bounds):
            yield separator.join(names[start - bounds[0] : end - bounds[0]]) + "\n"


def _shows_separator(records: Records, lines: list[str], separator: str) -> bool:
    """Whether a reader would find the separator by itself."""
    try:
        found = find_separator("".join(lines).encode())
    except InputError:
        return False
    spaces = _row_with_spaces(records.lengths, records.items, records.vocabulary)
    return found == separator and spaces is None
