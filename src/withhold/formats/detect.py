"""What kind of text this is, by its content; the name only settles what content leaves open.

In: clean text and what the user said. Out: the name of a format. A text is a basket file unless it
shows otherwise, so every other answer needs a reason that a basket file would hardly give.
"""

from __future__ import annotations

from withhold.errors import InputError, option
from withhold.formats.cells import SAMPLE, Sheet, open_sheet
from withhold.formats.columns import Options, has_usual_columns, listed
from withhold.formats.jsonl import looks_like_jsonl
from withhold.formats.onehot import looks_one_hot_text
from withhold.formats.opening import Text
from withhold.formats.spmf import looks_like_spmf

TABLE_ROWS, TABLE_COLUMNS = 50, 3
"""From here on, equal lines under a header are taken for a table of another kind."""


def text_format(text: Text, options: Options) -> str:
    """The format of a text: ``basket``, ``long``, ``spmf``, ``one-hot`` or ``jsonl``.

    >>> text_format(Text(b"1 2 3\\n", "a.dat"), Options())
    'basket'
    >>> text_format(Text(b"order_id,product\\n1,beer\\n", "a.csv"), Options())
    'long'
    """
    text = text.head(SAMPLE)
    lines = list(text.lines())
    suffixes = text.name.lower().split(".")[1:]
    if looks_like_jsonl(next((line for line in lines if line.strip()), "")):
        return "jsonl"
    if "jsonl" in suffixes or "ndjson" in suffixes:
        return "jsonl"
    if "spmf" in suffixes or looks_like_spmf(lines):
        return "spmf"
    sheet = open_sheet(text, options)
    rows = _sample(sheet)
    two = len(sheet.header) == 2
    if two and has_usual_columns(sheet.header):
        return "long"
    if looks_one_hot_text(sheet.header, rows, options):
        return "one-hot"
    if options.record_column or options.item_column or has_usual_columns(sheet.header):
        return "long"
    if two and _has_id_column(sheet.header, rows):
        return "long"
    _refuse_table(sheet, rows)
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
