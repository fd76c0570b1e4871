"""Constraint files: who fears what, as ``record,item`` pairs in CSV or parquet.

A record is its number, from 1, or its own id where the table has ids; ``*`` is everybody. An item that
starts with ``!`` is taken back for one record; ``data.wishes`` says how. In: a path and the table. Out:
``Constraints``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from withhold.data.constraints import Categories, Constraints, expanded
from withhold.data.names import clean
from withhold.data.transactions import Transactions
from withhold.data.unknown import Unknown, how_to_allow
from withhold.data.wishes import EVERYBODY, parse_wish, refuse_ambiguous_star
from withhold.errors import InputError
from withhold.formats.cells import open_sheet
from withhold.formats.columns import Options, long_columns
from withhold.formats.items import series_names
from withhold.formats.opening import open_bytes, text_of
from withhold.formats.parquet import read_parquet

if TYPE_CHECKING:
    import polars

ALL, UNKNOWN, NOT_PUBLISHED = -1, -2, -3
"""In place of a row: everybody; nobody; somebody who was left out."""


def read_constraints(
    path: str | Path,
    table: Transactions,
    *,
    hierarchy: Categories | None = None,
    allow_unknown: bool = False,
) -> Constraints:
    """The constraints of a file for the records of ``table``.

    A record that the table does not have is refused with its line, unless ``allow_unknown``. A hierarchy
    that knows no item of the table is another file's, and refused.
    """
    if hierarchy is not None and not any(name in hierarchy for name in table.vocabulary):
        raise InputError(
            "the hierarchy knows none of the items of the data",
            remedy="name the hierarchy that belongs to this file",
        )
    opened = open_bytes(Path(path))
    if opened.is_parquet:
        records, items = _parquet_columns(opened.data, opened.label)
    else:
        text = text_of(opened)
        sheet = open_sheet(text, Options())
        columns = _who_and_what(sheet.header, text.path)
        places = [sheet.header.index(name) for name in columns]
        records, items = sheet.columns(places)
    return _from_columns(
        records, items, table, opened.label, hierarchy, allow_unknown=allow_unknown
    )


def _who_and_what(header: Sequence[str], path: str | None) -> tuple[str, str]:
    """The record and the item column; options that name columns are about the data, not about this file."""
    try:
        return long_columns(header, Options(), path)
    except InputError as error:
        remedy = "call its columns record and item"
        raise InputError(error.problem, path=path, remedy=remedy) from None


def _parquet_columns(data: bytes, path: str) -> tuple[polars.Series, polars.Series]:
    frame = read_parquet(data, path)
    record, item = _who_and_what(frame.columns, path)
    return (
        series_names(frame[record], path=path, column=record).fill_null(""),
        series_names(frame[item], path=path, column=item).fill_null(""),
    )


def _from_columns(
    records: polars.Series,
    items: polars.Series,
    table: Transactions,
    path: str,
    hierarchy: Categories | None,
    *,
    allow_unknown: bool,
) -> Constraints:
    import polars as pl

    number_of = {name: row for row, name in enumerate(table.record_names)}
    # What those feared who are not published needs no protection.
    number_of |= dict.fromkeys(table.left_out, NOT_PUBLISHED)
    written = records.unique(maintain_order=True)
    named = [clean(name) for name in written.to_list()]
    if EVERYBODY in named:
        refuse_ambiguous_star(number_of, path)
        number_of[EVERYBODY] = ALL
    known = np.array([number_of.get(name, UNKNOWN) for name in named], dtype=np.int64)
    rows = known[records.cast(pl.Enum(written)).to_physical().to_numpy()]
    strangers = [name for name, row in zip(written.to_list(), known, strict=True) if row == UNKNOWN]
    if strangers and (not allow_unknown or len(strangers) == len(known)):
        first = int(np.argmax(rows == UNKNOWN))
        own = "the ids of the records" if table.record_ids else f"the numbers 1 to {len(table):,}"
        raise InputError(
            "names a record that the table does not have",
            path=path,
            line=first + 2,
            value=str(records[first]),
            remedy=f"use {own}, or * for everybody, or {how_to_allow()}",
        )
    spelt = items.unique(maintain_order=True)
    code_of_row = items.cast(pl.Enum(spelt)).to_physical().to_numpy()
    wishes = []
    for code, name in enumerate(spelt.to_list()):
        try:
            wishes.append(parse_wish(name))
        except InputError as error:
            line = int(np.argmax(code_of_row == code)) + 2
            raise InputError(error.problem, path=path, line=line, remedy=error.remedy) from None
    back = np.array([is_back for _, is_back in wishes], dtype=bool)[code_of_row]
    wrong = (rows == ALL) & back
    if wrong.any():
        raise InputError(
            "takes an item back for everybody",
            path=path,
            line=int(np.argmax(wrong)) + 2,
            remedy="name one record",
        )
    leaves = [expanded(name, hierarchy) for name, _ in wishes]
    vocabulary = tuple(sorted({leaf for each in leaves for leaf in each}))
    code_of = {name: code for code, name in enumerate(vocabulary)}
    codes = [np.array([code_of[leaf] for leaf in each], dtype=np.int64) for each in leaves]
    counts = np.array([len(each) for each in codes])
    flat = np.concatenate(codes)
    starts = np.cumsum(counts) - counts
    repeat = counts[code_of_row]
    pairs = np.repeat(starts[code_of_row], repeat)
    pairs += np.arange(len(pairs)) - np.repeat(np.cumsum(repeat) - repeat, repeat)
    row_of, taken = np.repeat(rows, repeat), np.repeat(back, repeat)
    mine, shared = row_of >= 0, row_of == ALL
    constraints = Constraints.from_codes(
        row_of[mine],
        flat[pairs][mine],
        vocabulary,
        n_records=len(table),
        back=taken[mine],
        everybody={vocabulary[code] for code in np.unique(flat[pairs][shared])},
    )
    if not strangers:
        return constraints
    missing = Unknown("records in the constraints", tuple(strangers), len(known), allowed=True)
    return replace(constraints, unknown=(missing,))
