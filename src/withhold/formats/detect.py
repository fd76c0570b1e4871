"""The format of a text, detected by its content; the file name only settles what the content leaves open.

In: clean text and the user's options. Out: the name of a format. A text is taken for a basket file by
default, so any other format needs evidence that is unlikely in a basket file. If the first line may be a
header and nothing shows how to read what is below, the user is asked.
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
    ask_about_persons,
    has_usual_columns,
    listed,
    plain,
)  # fmt: skip
from withhold.formats.forms import OF_ONE_FORMAT
from withhold.formats.header_names import are_names_of_columns
from withhold.formats.jsonl import looks_like_jsonl
from withhold.formats.onehot import looks_one_hot_text
from withhold.formats.opening import Text
from withhold.formats.spmf import looks_like_spmf

LOOKS_LIKE_TABLE = "looks like a table, not like records of items"
TABLE_ROWS, TABLE_COLUMNS = 50, 3
"""From this number on, lines of equal length under a header are taken for another kind of table."""
NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)?")
NUMBERS = re.compile(r"[-+.,;|\t ]*\d[-+\d.,;|\t ]*")
NUMBERED = re.compile(r"(.*?)[ _]?\d+")
BETWEEN = re.compile(r"[,;|\t ]")
LABELLED = re.compile(r"[^\s,;|:]+:\s")


def text_format(text: Text, options: Options) -> str:
    """The format of a text, one of ``FORMATS``."""
    text = text.head(SAMPLE)
    lines = list(text.lines())
    named = _format_named(text.name)
    first = next((line for line in lines if line.strip()), "")
    if looks_like_jsonl(first):
        return "jsonl"
    if named:
        return named
    if looks_like_spmf(lines):
        return "spmf"
    _refuse_preamble(lines, text)
    sheet = open_sheet(text, options)
    try:
        rows = [row for _, row in sheet.rows()]
    except InputError:
        rows = []  # the lines are not a table
    two = len(sheet.columns) == 2
    usual = has_usual_columns(sheet.columns, in_any_language=len(rows) > 1)
    if two and usual:
        return "long"
    if looks_one_hot_text(sheet.columns, rows, options):
        return "one-hot"
    if _looks_like_lists(sheet, rows, lines, options):
        return "list"
    if options.record_column or options.item_column:
        return "long"
    if usual:
        ask_about_persons(sheet, lambda name: [row[sheet.columns.index(name)] for row in rows])
        return "long"
    if two and _has_id_column(sheet.columns, rows):
        return "long"
    _refuse_table(sheet, rows)
    if options.separator is None:
        _ask_about_quotes(lines, text)
    _ask_about_header(sheet, rows, lines)
    _ask_about_ids(sheet, rows)
    return "basket"


def _format_named(name: str) -> str | None:
    """The format indicated by the last extension of the name that indicates one: ``a.spmf.txt``."""
    extensions = (f".{part}" for part in reversed(name.lower().split(".")[1:]))
    return next((OF_ONE_FORMAT[each] for each in extensions if each in OF_ONE_FORMAT), None)


def _has_id_column(header: list[str], rows: list[list[str]]) -> bool:
    """Whether the first column holds repeated ids under a name.

    Every id has a digit and the name has none. A file of two-item baskets would look like this only if
    its first basket were the only one without a digit there.
    """
    ids = [row[0] for row in rows]
    return len(set(ids)) < len(ids) and not _has_digit(header[0]) and all(map(_has_digit, ids))


def _has_digit(name: str) -> bool:
    return any(letter.isdigit() for letter in name)


def _looks_like_lists(
    sheet: Sheet, rows: list[list[str]], lines: list[str], options: Options
) -> bool:
    """Whether the first line names a column of lists, alone or beside others.

    Alone, a name such as ``items`` that no line repeats is enough. Beside others, some cell must be a list.
    """
    header, wanted = sheet.columns, options.item_column
    is_meant = (plain(name) in LIST_NAMES if wanted is None else name == wanted for name in header)
    places = [place for place, meant in enumerate(is_meant) if meant]
    if len(header) == 1:
        words = {word.strip('" ') for line in lines[1:] for word in re.split(r"[,;|\t ]", line)}
        return bool(places) and header[0] not in words and len(lines) > 1
    if len(places) != 1 or any(header[places[0]] == row[places[0]] for row in rows):
        return False
    cells = [row[places[0]] for row in rows]
    # Spaces alone may separate or belong to names: the reader of lists asks.
    return any(map(INNER.match, cells)) or (wanted is None and any(" " in cell for cell in cells))


def _refuse_preamble(lines: list[str], text: Text) -> None:
    """Stop at a first line that describes the file and is not part of the data."""
    first = lines[0].strip().casefold()
    filled = [line for line in lines if line.strip()]
    basket = option("format", "basket")
    if re.fullmatch(r'"?sep=.?"?', first):
        problem = "the first line declares the separator for a spreadsheet"
        remedy = f"delete it, and say {option('separator')} if need be"
    elif first.startswith("# ") and len(lines) > 1 and not lines[1].startswith("#"):
        problem = "the first line looks like a comment"
        remedy = f"delete it, or say {basket} if it is a record"
    elif len(filled) > 1 and all(map(LABELLED.match, filled)):
        problem = "every line begins with a name and a colon"
        remedy = f"delete these names, or say {basket} if they belong to the first item"
    else:
        return
    raise text.error(problem, remedy, line=1)


def _refuse_table(sheet: Sheet, rows: list[list[str]]) -> None:
    """Stop at a table that is neither long nor one-hot before its cells are taken for items."""
    header = sheet.columns
    if len(header) < TABLE_COLUMNS or len(rows) < TABLE_ROWS or sheet.separator == " ":
        return
    cells = {cell for row in rows for cell in row}
    if len(set(header)) == len(header) and cells.isdisjoint(header):
        problem = f"{LOOKS_LIKE_TABLE}; {listed(header)}"
        typed = option("table").startswith("--")
        table = (
            "use --table (inspect, advise) or --model k-anonymity" if typed else "use read_table"
        )
        columns = f"name {option('record_column')} and {option('item_column')} if it lists items"
        remedy = (
            f"{table} if it is a table; {columns}; or say {option('format', 'basket')} if each line is a "
            "record"
        )
        raise sheet.error(problem, remedy)


def _ask_about_header(sheet: Sheet, rows: list[list[str]], lines: list[str]) -> None:
    """Stop if the first line may as well be a header as a record."""
    header = [name for name in sheet.columns if name]
    below = {cell for row in rows for cell in row} | {line.strip() for line in lines[1:]}
    if not header or len(lines) < 2 or not below.isdisjoint(header):
        return
    looks_like_one = sheet.separator != " " and (
        _names_columns(sheet.columns) or _stands_over_numbers(sheet.columns, rows, lines)
    )
    if not looks_like_one and not _is_all_names(lines):
        return
    as_list, as_long = option("format", "list"), option("format", "long")
    readings = []
    if len(sheet.columns) == 1:
        if INNER.match(lines[0]) or len(lines) < 3:
            return
        readings.append(f"say {as_list} if the first line is the name of the column")
    elif len(sheet.columns) == 2 and rows and not all(map(NUMBERED.fullmatch, sheet.columns)):
        record, item = sheet.columns
        named = option("item_column", item)
        if any(INNER.match(row[1]) for row in rows):
            readings.append(f"say {as_list} {named} if the cells below it are lists of items")
        readings.append(
            f"say {as_long} {option('record_column', record)} {named} if the first line names the columns"
            + (" and each cell is one item" if readings else "")
        )
    else:
        readings.append("delete the first line, and columns that hold no items, if it is a header")
    raise sheet.error(
        "the first line looks like a header, but could be a record",
        f"{'; '.join(readings)}; or {option('format', 'basket')} if every line is a record",
        line=1,
        value=sheet.separator.join(sheet.columns),
    )


def _ask_about_quotes(lines: list[str], text: Text) -> None:
    """Stop if each line is one cell and quoted cells look like lists: they may be lists or names of items."""
    if not any(map(holds_list, lines)):
        return
    # A cell without quotes may have blanks: in CSV they belong to it.
    if all(WHOLE.fullmatch(line) or not re.search(r'[,;|\t"]', line) for line in lines):
        raise text.error(
            "each line is one cell, and some in quotes look like lists of items",
            f"say {option('format', 'list')} if they are lists and the first line is the name of the column "
            f"(add one if it is not); or {option('format', 'basket')} if each line in quotes is one item",
        )


def _names_columns(header: list[str]) -> bool:
    """Whether a cell of the first line is a name that columns usually have."""
    usual = RECORD_NAMES | ITEM_NAMES | LIST_NAMES
    stems = [stem[1] for name in header if (stem := NUMBERED.fullmatch(name))]
    numbered = {plain(stem) for stem in stems} & (ITEM_NAMES | LIST_NAMES)
    return any(plain(name) in usual for name in header) or (bool(numbered) and len(stems) > 1)


def _is_all_names(lines: list[str]) -> bool:
    """Whether the first line has names of columns only, and no line below has one of them."""
    words = [{plain(word) for word in BETWEEN.split(line)} - {""} for line in lines]
    return are_names_of_columns(sorted(words[0])) and all(map(words[0].isdisjoint, words[1:]))


def _stands_over_numbers(header: list[str], rows: list[list[str]], lines: list[str]) -> bool:
    """Whether a name without digits is above numbers only, or if it is alone, above lines of numbers."""
    if len(header) == 1:
        filled = [line for line in lines[1:] if line.strip()]
        numbers = all(map(NUMBERS.fullmatch, filled))
        return len(filled) > 1 and not _has_digit(header[0]) and numbers
    return len(rows) > 1 and any(
        name and not _has_digit(name) and all(NUMBER.fullmatch(row[place]) for row in rows)
        for place, name in enumerate(header)
    )


def _ask_about_ids(sheet: Sheet, rows: list[list[str]]) -> None:
    """Stop at pairs of a number and something else, the numbers in runs: a long table without a header."""
    if len(sheet.columns) != 2 or len(rows) < 2 or sheet.separator == " ":
        return
    ids, items = zip(sheet.columns, *rows, strict=True)
    runs = sum(a != b for a, b in zip(ids, ids[1:], strict=False)) + 1
    numbered = all(map(str.isdigit, ids)) and not any(map(str.isdigit, items))
    if numbered and runs == len(set(ids)) < len(ids):
        basket = f"say {option('format', 'basket')} if the numbers are items, too"
        raise sheet.error(
            "looks like a long table without a header: a number and an item on each line",
            f"add a first line such as record,item; or {basket}",
        )
