"""Constraint files: who fears what, as ``record,item`` pairs in CSV or parquet.

A record is its number, from 1, or its own id where the table has ids; ``*`` is everybody. An item that
starts with ``!`` is taken back for one record. In: a path and the table. Out: ``Constraints``.
Files are coded piece by piece, so that tens of millions of pairs never stand in memory as texts.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from withhold.data.constraints import (
    EVERYBODY,
    TAKEN_BACK,
    Categories,
    Constraints,
    expanded,
)
from withhold.data.transactions import Transactions
from withhold.errors import InputError
from withhold.formats.cells import Sheet, open_sheet
from withhold.formats.columns import Options, long_columns
from withhold.formats.items import series_names
from withhold.formats.opening import Opened, Text, open_bytes, text_of

if TYPE_CHECKING:
    import polars

ALL, UNKNOWN, NOT_PUBLISHED = -1, -2, -3
"""In place of a row: everybody; nobody; somebody who was left out."""
PIECE_BYTES = 16 * 2**20
PIECE_ROWS = 2**20
"""How much of a file is turned into texts at a time."""

Ints = NDArray[np.int32]
Pieces = Iterator[tuple["polars.Series", "polars.Series"]]
"""The record and the item column, a piece at a time."""


def read_constraints(
    path: str | Path, table: Transactions, *, hierarchy: Categories | None = None
) -> Constraints:
    """The constraints of a file for the records of ``table``; unknown records are refused with their line."""
    coded = _Coded(table, open_bytes(Path(path)))
    return coded.constraints(hierarchy)


def _who_and_what(header: Sequence[str], path: str | None) -> tuple[str, str]:
    """The record and the item column; options that name columns are about the data, not about this file."""
    try:
        return long_columns(header, Options(), path)
    except InputError as error:
        remedy = "call its columns record and item"
        raise InputError(error.problem, path=path, remedy=remedy) from None


def _pieces(opened: Opened) -> Pieces:
    """The two columns of a file."""
    if opened.is_parquet:
        yield from _parquet_pieces(opened.data, opened.label)
        return
    sheet = open_sheet(text_of(opened), Options())
    columns = _who_and_what(sheet.header, sheet.text.path)
    places = [sheet.header.index(name) for name in columns]
    yield from (_parsed_pieces if sheet.is_quoted else _plain_pieces)(sheet, places)


def _plain_pieces(sheet: Sheet, places: Sequence[int]) -> Pieces:
    data = sheet.text.data
    last = len(data)
    # Not stripped: that would be another copy of a large file.
    while data[last - 1 : last] == b"\n":
        last -= 1
    at = data.find(b"\n", 0, last) + 1
    if at == 0:
        # The slow reader says what is wrong with a header alone.
        sheet.columns(places)
        return
    header = data[:at]
    while at < last:
        end = data.find(b"\n", at + PIECE_BYTES, last) + 1 or last
        piece = Sheet(Text(header + data[at:end], sheet.text.path), sheet.separator, sheet.header)
        try:
            records, items = piece.columns(places)
        except InputError:
            # Of the whole file, so that the line is the file's.
            records, items = sheet.columns(places)
            end = last
        yield records, items
        at = end


def _parsed_pieces(sheet: Sheet, places: Sequence[int]) -> Pieces:
    import polars as pl

    rows = sheet.rows()
    piece = list(islice(rows, PIECE_ROWS))
    if not piece:
        sheet.columns(places)
    while piece:
        record, item = (
            pl.Series([cells[place] for _, cells in piece], dtype=pl.String) for place in places
        )
        yield record, item
        piece = list(islice(rows, PIECE_ROWS))


def _parquet_pieces(data: bytes, path: str) -> Pieces:
    import polars as pl

    try:
        scan = pl.scan_parquet(io.BytesIO(data))
        record, item = _who_and_what(scan.collect_schema().names(), path)
        n_rows = int(scan.select(pl.len()).collect().item())
        for start in range(0, n_rows, PIECE_ROWS):
            frame = scan.select(record, item).slice(start, PIECE_ROWS).collect()
            yield (
                series_names(frame[record], path=path, column=record).fill_null(""),
                series_names(frame[item], path=path, column=item).fill_null(""),
            )
    except (pl.exceptions.PolarsError, OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"is a broken parquet file: {reason}", path=path) from None


class _Coded:
    """The pairs of a file as numbers: the row of each, and the number of its item as it is spelt."""

    def __init__(self, table: Transactions, opened: Opened) -> None:
        self._table, self._path = table, opened.label
        self._row_of: dict[str, int] = {name: row for row, name in enumerate(table.record_names)}
        self._row_of.setdefault(EVERYBODY, ALL)
        # What those feared who are not published needs no protection.
        self._row_of |= dict.fromkeys(table.left_out, NOT_PUBLISHED)
        self._number_of: dict[str, int] = {}
        self._line = 2
        rows, items = [], []
        for records, names in _pieces(opened):
            piece = self._code(records, names)
            rows.append(piece[0])
            items.append(piece[1])
            self._line += len(records)
        none = np.zeros(0, dtype=np.int32)
        self.rows: Ints = np.concatenate([none, *rows])
        self.items: Ints = np.concatenate([none, *items])

    def _code(self, records: polars.Series, names: polars.Series) -> tuple[Ints, Ints]:
        import polars as pl

        written = records.unique(maintain_order=True)
        known = [self._row_of.get(name, UNKNOWN) for name in written.to_list()]
        places = records.cast(pl.Enum(written)).to_physical().to_numpy()
        rows = np.array(known, dtype=np.int32)[places]
        if UNKNOWN in known:
            first = int(np.argmax(rows == UNKNOWN))
            n = len(self._table)
            own = "the ids of the records" if self._table.record_ids else f"the numbers 1 to {n:,}"
            raise InputError(
                "names a record that the table does not have",
                path=self._path,
                line=self._line + first,
                value=str(records[first]),
                remedy=f"use {own}, or * for everybody",
            )
        spelt = names.unique(maintain_order=True)
        texts = spelt.to_list()
        numbers = [self._number_of.setdefault(name, len(self._number_of)) for name in texts]
        places = names.cast(pl.Enum(spelt)).to_physical().to_numpy()
        back = np.array([name.startswith(TAKEN_BACK) for name in texts], dtype=bool)
        empty = np.array([name.strip(TAKEN_BACK) == "" for name in texts], dtype=bool)
        for wrong, problem, remedy in (
            ((rows == ALL) & back[places], "takes an item back for everybody", "name one record"),
            (empty[places], "names no item", "name the item that is feared"),
        ):
            if wrong.any():
                line = self._line + int(np.argmax(wrong))
                raise InputError(problem, path=self._path, line=line, remedy=remedy)
        return rows, np.array(numbers, dtype=np.int32)[places]

    def constraints(self, hierarchy: Categories | None) -> Constraints:
        """Categories become their items, and everybody's items everybody's."""
        names = list(self._number_of)
        back = np.array([name.startswith(TAKEN_BACK) for name in names], dtype=bool)
        leaves = [expanded(name.removeprefix(TAKEN_BACK), hierarchy) for name in names]
        vocabulary = tuple(sorted({leaf for each in leaves for leaf in each}))
        code_of = {name: code for code, name in enumerate(vocabulary)}
        shared = {
            leaf for number in np.unique(self.items[self.rows == ALL]) for leaf in leaves[number]
        }
        rows, items = self.rows, self.items
        if (rows < 0).any():
            rows, items = rows[rows >= 0], items[rows >= 0]
        if any(len(each) != 1 for each in leaves):
            rows, items, leaf = _expand(rows, items, leaves, code_of)
        else:
            leaf = np.array([code_of[each[0]] for each in leaves], dtype=np.int32)[items]
        return Constraints.from_codes(
            rows,
            leaf,
            vocabulary,
            n_records=len(self._table),
            back=back[items] if back.any() else None,
            everybody=shared,
        )


def _expand(
    rows: Ints, items: Ints, leaves: list[list[str]], code_of: dict[str, int]
) -> tuple[Ints, Ints, Ints]:
    """Rows, items and the codes of leaves, where an item may stand for several."""
    counts = np.array([len(each) for each in leaves], dtype=np.int64)
    flat = np.array([code_of[leaf] for each in leaves for leaf in each], dtype=np.int32)
    starts = np.cumsum(counts) - counts
    repeat = counts[items]
    places = np.repeat(starts[items] - (np.cumsum(repeat) - repeat), repeat)
    places += np.arange(len(places))
    return np.repeat(rows, repeat), np.repeat(items, repeat), flat[places]
