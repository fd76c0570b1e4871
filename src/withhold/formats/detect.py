"""What kind of text this is, by its content; the name only settles what content leaves open.

In: clean text and what the user said. Out: the name of a format. A text is a basket file unless it
shows otherwise, so every other answer needs a reason that a basket file would hardly give. Where the first
line may be a header and nothing says how to read what is below, the user is asked.
"""

from __future__ import annotations

import re

from withhold.errors import InputError, option
from withhold.formats.cells import SAMPLE, WHOLE, Sheet, holds_list, open_sheet
from withhold.formats.columns import (
    INNER,
    ITEM_NAMES,
    LIST_NAMES,
    RECORD_NAMES,
    Options,
    has_usual_columns,
    listed,
    plain,
)
from withhold.formats.jsonl import looks_like_jsonl
from withhold.formats.onehot import looks_one_hot_text
from withhold.formats.opening import Text
from withhold.formats.spmf import looks_like_spmf

TABLE_ROWS, TABLE_COLUMNS = 50, 3
"""From here on, equal lines under a header are taken for a table of another kind."""
NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)?")
NUMBERS = re.compile(r"[-+.,;|\t ]*\d[-+\d.,;|\t ]*")
NUMBERED = re.compile(r"(.*?)[ _]?\d+")
LABELLED = re.compile(r"[^\s,;|:]+:\s")


def text_format(text: Text, options: Options) -> str:
    """The format of a text: ``basket``, ``long``, ``list``, ``spmf``, ``one-hot`` or ``jsonl``."""
    text = text.head(SAMPLE)
    lines = list(text.lines())
    suffixes = text.name.lower().split(".")[1:]
    if looks_like_jsonl(next((line for line in lines if line.strip()), "")):
        return "jsonl"
    if "jsonl" in suffixes or "ndjson" in suffixes:
        return "jsonl"
    if "spmf" in suffixes or looks_like_spmf(lines):
        return "spmf"
    _refuse_preamble(lines, text.path)
    sheet = open_sheet(text, options)
    rows = _sample(sheet)
    two = len(sheet.header) == 2
    if two and has_usual_columns(sheet.header):
        return "long"
    if looks_one_hot_text(sheet.header, rows, options):
        return "one-hot"
    if _looks_like_lists(sheet, rows, lines, options):
        return "list"
    if options.record_column or options.item_column or has_usual_columns(sheet.header):
        return "long"
    if two and _has_id_column(sheet.header, rows):
        return "long"
    _refuse_table(sheet, rows)
    if options.separator is None:
        _ask_about_quotes(lines, text.path)
    _ask_about_header(sheet, rows, lines)
    _ask_about_ids(sheet, rows)
    return "basket"


def _sample(sheet: Sheet) -> list[list[str]]:
    """The rows below the header; none if the lines are no table."""
    try:
        return [row for _, row in sheet.rows()]
    except InputError:
        return []


def _has_id_column(header: list[str], rows: list[list[str]]) -> bool:
    """Whether the first column is one of repeated ids under a name.

    Every id has a digit and the name has none: a file of two-item baskets would have to begin with
    its only basket of that kind.
    """
    ids = [row[0] for row in rows]
    return (
        len(set(ids)) < len(ids)
        and not any(letter.isdigit() for letter in header[0])
        and all(any(letter.isdigit() for letter in name) for name in ids)
    )


def _looks_like_lists(
    sheet: Sheet, rows: list[list[str]], lines: list[str], options: Options
) -> bool:
    """Whether the first line names a column of lists, alone or beside others.

    Alone, a name such as ``items`` that no line repeats is enough. Beside others, some cell must be a list.
    """
    header = sheet.header
    if options.item_column is not None:
        places = [place for place, name in enumerate(header) if name == options.item_column]
    else:
        places = [place for place, name in enumerate(header) if plain(name) in LIST_NAMES]
    if len(header) == 1:
        words = {word.strip('" ') for line in lines[1:] for word in re.split(r"[,;|\t ]", line)}
        return bool(places) and header[0] not in words and len(lines) > 1
    if len(places) != 1 or any(header[places[0]] == row[places[0]] for row in rows):
        return False
    cells = [row[places[0]] for row in rows]
    if any(INNER.match(cell) for cell in cells):
        return True
    # Spaces alone may separate or belong to names: the reader of lists asks.
    return any(" " in cell for cell in cells) and options.item_column is None


def _refuse_preamble(lines: list[str], path: str) -> None:
    """Stop at a first line that is about the file, not of it."""
    first = lines[0].strip().casefold()
    basket = option("format", "basket")
    if re.fullmatch(r'"?sep=.?"?', first):
        remedy = f"delete it, and say {option('separator')} if need be"
        problem = "the first line tells a spreadsheet what the separator is"
        raise InputError(problem, path=path, line=1, remedy=remedy)
    if first.startswith("# ") and len(lines) > 1 and not lines[1].startswith("#"):
        remedy = f"delete it, or say {basket} if it is a record"
        raise InputError("the first line looks like a comment", path=path, line=1, remedy=remedy)
    filled = [line for line in lines if line.strip()]
    if len(filled) > 1 and all(LABELLED.match(line) for line in filled):
        remedy = f"delete these names, or say {basket} if they belong to the first item"
        problem = "every line begins with a name and a colon"
        raise InputError(problem, path=path, line=1, remedy=remedy)


def _refuse_table(sheet: Sheet, rows: list[list[str]]) -> None:
    """Stop at a table that is neither long nor one-hot before its cells are taken for items."""
    header = sheet.header
    if len(header) < TABLE_COLUMNS or len(rows) < TABLE_ROWS or sheet.separator == " ":
        return
    cells = {cell for row in rows for cell in row}
    if len(set(header)) == len(header) and cells.isdisjoint(header):
        raise InputError(
            f"looks like a table, not like records of items; {listed(header)}",
            path=sheet.text.path,
            remedy=(
                f"name {option('record_column')} and {option('item_column')}, "
                f"or say {option('format', 'basket')} if each line is a record"
            ),
        )


def _ask_about_header(sheet: Sheet, rows: list[list[str]], lines: list[str]) -> None:
    """Stop where the first line is a header as likely as a record."""
    header = [name for name in sheet.header if name]
    below = {cell for row in rows for cell in row} | {line.strip() for line in lines[1:]}
    if sheet.separator == " " or not header or len(lines) < 2 or not below.isdisjoint(header):
        return
    if not (
        _names_columns(sheet.header)
        or _stands_over_numbers(sheet.header, rows)
        or _stands_over_lists_of_numbers(sheet.header, lines)
    ):
        return
    readings = []
    if len(sheet.header) == 1:
        if INNER.match(lines[0]) or len(lines) < 3:
            return
        readings.append(
            f"say {option('format', 'list')} if the first line is the name of the column"
        )
    elif len(sheet.header) == 2 and rows and not all(map(NUMBERED.fullmatch, sheet.header)):
        record, item = sheet.header
        if any(INNER.match(row[1]) for row in rows):
            readings.append(
                f"say {option('format', 'list')} {option('item_column', item)} if the cells below it are "
                "lists of items"
            )
        readings.append(
            f"say {option('format', 'long')} {option('record_column', record)} "
            f"{option('item_column', item)} if the first line names the columns"
            + (" and each cell is one item" if readings else "")
        )
    else:
        readings.append("delete the first line, and columns that hold no items, if it is a header")
    raise InputError(
        "the first line looks like a header, but could be a record",
        path=sheet.text.path,
        line=1,
        value=sheet.separator.join(sheet.header),
        remedy=f"{'; '.join(readings)}; or {option('format', 'basket')} if every line is a record",
    )


def _ask_about_quotes(lines: list[str], path: str) -> None:
    """Stop where each line is one cell, and cells in quotes look like lists: lists, or names of items?"""
    if not any(map(holds_list, lines)):
        return
    # A cell without quotes may have blanks: in CSV they belong to it.
    if all(WHOLE.fullmatch(line) or not re.search(r'[,;|\t"]', line) for line in lines):
        raise InputError(
            "each line is one cell, and some in quotes look like lists of items",
            path=path,
            remedy=f"say {option('format', 'list')} if they are lists and the first line is the name of the "
            f"column (add one if it is not); or {option('format', 'basket')} if each line in quotes is one "
            "item",
        )


def _names_columns(header: list[str]) -> bool:
    """Whether a cell of the first line is a name that columns usually have."""
    usual = RECORD_NAMES | ITEM_NAMES | LIST_NAMES
    stems = [NUMBERED.fullmatch(name) for name in header]
    numbered = {plain(stem[1]) for stem in stems if stem}
    return any(plain(name) in usual for name in header) or bool(
        numbered & (ITEM_NAMES | LIST_NAMES) and sum(stem is not None for stem in stems) > 1
    )


def _stands_over_numbers(header: list[str], rows: list[list[str]]) -> bool:
    """Whether a name without digits stands over nothing but numbers."""
    if len(header) < 2 or len(rows) < 2:
        return False
    return any(
        name
        and not any(letter.isdigit() for letter in name)
        and all(NUMBER.fullmatch(row[place]) for row in rows)
        for place, name in enumerate(header)
    )


def _stands_over_lists_of_numbers(header: list[str], lines: list[str]) -> bool:
    """Whether a lone name without digits stands over lines of nothing but numbers."""
    filled = [line for line in lines[1:] if line.strip()]
    return (
        len(header) == 1
        and len(filled) > 1
        and not any(letter.isdigit() for letter in header[0])
        and all(NUMBERS.fullmatch(line) for line in filled)
    )


def _ask_about_ids(sheet: Sheet, rows: list[list[str]]) -> None:
    """Stop at pairs of a number and something else, the numbers in runs: a long table without a header."""
    if len(sheet.header) != 2 or len(rows) < 2 or sheet.separator == " ":
        return
    pairs = [sheet.header, *rows]
    ids = [pair[0] for pair in pairs]
    runs = sum(a != b for a, b in zip(ids, ids[1:], strict=False)) + 1
    items = {pair[1] for pair in pairs}
    if (
        all(name.isdigit() for name in ids)
        and not any(name.isdigit() for name in items)
        and runs == len(set(ids)) < len(ids)
    ):
        raise InputError(
            "looks like a long table without a header: a number and an item on each line",
            path=sheet.text.path,
            remedy=(
                "add a first line such as record,item; or say "
                f"{option('format', 'basket')} if the numbers are items, too"
            ),
        )
