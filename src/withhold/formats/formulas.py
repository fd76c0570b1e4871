"""Cells that spreadsheets run: a CSV cell that begins with =, +, -, @ or a tab is a formula to them.

In: data and the form they are written in. Out: how many such cells there are, and the data with a quote
before each of them, as OWASP recommends; and back. A cell with quotes before such a character gets one
more, so that nothing is lost and no two cells become equal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from withhold.data import Records, Source, Table
from withhold.errors import PolicyError, option
from withhold.formats.forms import TRAITS
from withhold.formats.rows import ranks_of
from withhold.wording import counted

if TYPE_CHECKING:
    import polars

RUN = re.compile(r"[\t\r]|[ \t]*[=+@-]")
NUMBER = re.compile(r"[ \t]*-(\d+([.,]\d+)*|[.,]\d+)([eE][+-]?\d+)?%?[ \t]*")
QUOTE = "'"


def is_formula(cell: str) -> bool:
    """Whether a spreadsheet may run the cell."""
    return bool(RUN.match(cell)) and len(cell.strip()) > 1 and NUMBER.fullmatch(cell) is None


def escape(cell: str) -> str:
    """The cell with a quote before it if it is a formula, or one with quotes before it."""
    return QUOTE + cell if is_formula(cell.lstrip(QUOTE)) else cell


def unescape(cell: str) -> str:
    """The cell that ``escape`` was given."""
    return cell[1:] if cell.startswith(QUOTE) and is_formula(cell.lstrip(QUOTE)) else cell


def check_safe_csv(form: Source) -> None:
    """Refuse to make cells safe in a file that spreadsheets do not open as CSV."""
    if is_csv(form) and TRAITS[form.format].escapable:
        return
    what = form.container if form.container != "text" else form.format
    raise PolicyError(
        f"safe_csv (--safe-csv) is for tables, long files and baskets as CSV or TSV; {form.path.name} is "
        f"a {what} file; leave the option out, or name the output .csv"
    )


def is_csv(form: Source) -> bool:
    """Whether the file has cells with separators between them that a spreadsheet knows."""
    return form.container == "text" and TRAITS[form.format].separated and form.separator != " "


def formula_cells(data: Records | Table, form: Source) -> int:
    """How many cells of the file a spreadsheet may run."""
    if not is_csv(form):
        return 0
    if isinstance(data, Table):
        return _in_table(data) + (data.n_withheld if is_formula(form.mark) else 0)
    counts = np.minimum(data.supports, 1) if form.format == "one-hot" else data.supports
    n_cells = sum(map(is_formula, form.columns)) + _formulas(data.vocabulary, counts)
    if data.record_ids is None or not TRAITS[form.format].has_columns:
        return n_cells
    each = np.maximum(data.lengths, 1) if form.format == "long" else np.ones_like(data.lengths)
    return n_cells + _formulas(data.record_ids, each)


def _in_table(table: Table) -> int:
    n_cells = sum(map(is_formula, table.names))
    for column in table.columns:
        if column.padded is None:
            n_cells += _formulas(column.values, column.counts)
        else:
            texts, counts = column.padded.drop_nulls().value_counts().get_columns()
            n_cells += _formulas(texts.to_list(), counts.to_numpy())
    return n_cells


def _formulas(texts: Sequence[str | None], counts: NDArray[Any]) -> int:
    """How many cells are formulas, given the number of cells of each text."""
    pairs = zip(texts, counts.tolist(), strict=True)
    return sum(n for text, n in pairs if text and is_formula(text))


def formula_warnings(pieces: Iterable[tuple[Records | Table, Source]]) -> tuple[str, ...]:
    """Warnings about files with such cells that were not made safe."""
    n_cells = sum(0 if form.safe_csv else formula_cells(data, form) for data, form in pieces)
    if not n_cells:
        return ()
    cells = f"{counted(n_cells, 'cell')} {'begins' if n_cells == 1 else 'begin'}"
    return (
        f"{cells} with =, +, -, @ or a tab, and a spreadsheet may run such a cell as a formula; "
        f"write it with a quote before it: {option('safe_csv', True)}",
    )


def holds_formulas(data: Records | Table) -> bool:
    """Whether a name or a value is a formula, as no cell of a safe file is."""
    names: Iterable[str | None]
    if isinstance(data, Table):
        names = (*data.names, *(value for column in data.columns for value in column.values))
    else:
        names = (*data.vocabulary, *(data.record_ids or ()))
    return any(name and is_formula(name) for name in names)


def unescaped_items(records: Records) -> Records:
    """The records with names as they were before they were made safe."""
    return renamed(records, unescape)


def unescaped(data: Records | Table) -> Records | Table:
    """The data of a safe file that was read as an ordinary one."""
    if isinstance(data, Records):
        return unescaped_items(data)
    columns = (
        replace(column.mapped(lambda cell: cell and unescape(cell)), name=unescape(column.name))
        for column in data.columns
    )
    return replace(data, columns=tuple(columns))


def changed(cells: polars.Series, change: Callable[[str], str]) -> polars.Series:
    """A column of texts, each ``escape``d or ``unescape``d."""
    values = cells.drop_nulls().unique().to_list()
    new = {value: other for value in values if (other := change(value)) != value}
    return cells.replace(new) if new else cells


def renamed(records: Records, change: Callable[[str], str]) -> Records:
    """The records, each name ``escape``d or ``unescape``d."""
    names = [change(name) for name in records.vocabulary]
    ids = records.record_ids
    ids = None if ids is None else tuple(map(change, ids))
    if tuple(names) == records.vocabulary:
        return replace(records, record_ids=ids)
    # A vocabulary is sorted, and the new names need not be in the order of the old ones.
    order = sorted(range(len(names)), key=names.__getitem__)
    vocabulary = tuple(names[place] for place in order)
    codes = ranks_of(order)[records.items]
    new = Records.from_codes(
        records.lengths, codes, vocabulary, record_ids=ids, source=records.source
    )
    return replace(new, repeated=records.repeated, without_consent=records.without_consent)
