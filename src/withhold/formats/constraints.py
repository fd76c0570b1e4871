"""Constraint files: who wants what protected, as ``record,item`` pairs in CSV or parquet.

A record is its number, from 1, or its own id where the data has ids; ``*`` is everybody. An item that
starts with ``!`` is withdrawn for one record; see ``data.wishes``. In: a path and the records. Out:
``Constraints``. Files are coded piece by piece, so that tens of millions of pairs are never all in memory as
texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from withhold.data import wishes
from withhold.data.array_types import Ints
from withhold.data.constraints import Constraints
from withhold.data.names import clean
from withhold.data.records import Records
from withhold.data.tidying import tidied_name
from withhold.data.unknown import did_you_mean, how_to_allow, near_spellings
from withhold.data.wishes import Categories
from withhold.errors import InputError
from withhold.formats.cells import Sheet, open_sheet
from withhold.formats.columns import (
    ITEM_NAMES,
    LIST_NAMES,
    OTHER_ITEMS,
    OTHER_RECORDS,
    RECORD_NAMES,
    Options,
    long_columns,
    plain,
)
from withhold.formats.header_names import OF_ITEMS, OF_RECORDS
from withhold.formats.items import series_names
from withhold.formats.opening import Opened, Text, open_bytes
from withhold.formats.parquet import parquet_pieces
from withhold.formats.texts import text_of

if TYPE_CHECKING:
    import polars

PIECE_BYTES = 16 * 2**20
PIECE_ROWS = 2**20
"""How much of a file is turned into texts at a time."""

OF_CONSTRAINTS = (
    RECORD_NAMES | OTHER_RECORDS | OF_RECORDS,
    ITEM_NAMES | OTHER_ITEMS | OF_ITEMS | LIST_NAMES,
)
"""What the record and the item column of a file without other columns may be called."""

Pieces = Iterator[tuple["polars.Series", "polars.Series"]]
"""The record and the item column, a piece at a time."""


def read_constraints(
    path: str | Path,
    records: Records,
    *,
    hierarchy: Categories | None = None,
    allow_unknown: bool = False,
) -> Constraints:
    """The constraints of a file for the records of ``records``.

    A record that the data does not have is refused with its line, unless ``allow_unknown``. A hierarchy
    without any item of the data belongs to another file, and is refused.
    """
    if hierarchy is not None and not any(name in hierarchy for name in records.vocabulary):
        remedy = "name the hierarchy that belongs to this file"
        raise InputError("the hierarchy knows none of the items of the data", remedy=remedy)
    opened = open_bytes(Path(path))
    return _Coded(records, opened, allow_unknown=allow_unknown).constraints(hierarchy)


def _who_and_what(header: Sequence[str], path: str | None) -> tuple[str, str]:
    """The record and the item column; options that name columns are about the data, not about this file."""
    try:
        return long_columns(header, Options(), path)
    except InputError as error:
        remedy = "call its columns record and item"
        raise InputError(error.problem, path=path, remedy=remedy) from None


def _refuse_headless(sheet: Sheet) -> None:
    """Stop if the first line does not name the columns: it may be a wish, and would protect nobody."""
    names = {plain(name) for name in sheet.columns}
    if names & OF_CONSTRAINTS[0] and names & OF_CONSTRAINTS[1]:
        return
    raise sheet.text.error(
        "the first line does not name the columns, so it may be somebody's wish",
        "let the first line be record,item",
        line=1,
        value=sheet.separator.join(sheet.columns),
    )


def _pieces(opened: Opened) -> Pieces:
    """The two columns of a file."""
    if opened.is_parquet:
        yield from _parquet_pieces(opened.data, opened.label)
        return
    sheet = open_sheet(text_of(opened), Options())
    if len(sheet.columns) == 2:
        _refuse_headless(sheet)
    columns = _who_and_what(sheet.columns, sheet.path)
    places = [sheet.columns.index(name) for name in columns]
    yield from (_parsed_pieces if sheet.is_quoted else _plain_pieces)(sheet, places)


def _plain_pieces(sheet: Sheet, places: Sequence[int]) -> Pieces:
    data = sheet.text.data
    last = len(data)
    # Not stripped, because that would copy a large file once more.
    while data[last - 1 : last] == b"\n":
        last -= 1
    at = data.find(b"\n", 0, last) + 1
    if at == 0:
        # If there is only a header, the slow reader reports what is wrong with it.
        sheet.cells(places)
        return
    header = data[:at]
    while at < last:
        end = data.find(b"\n", at + PIECE_BYTES, last) + 1 or last
        piece = Sheet(Text(header + data[at:end], sheet.text.path), sheet.separator, sheet.columns)
        try:
            records, items = piece.cells(places)
        except InputError:
            # Counted from the start of the file, so that the line number is the file's.
            records, items = sheet.cells(places)
            end = last
        yield records, items
        at = end


def _parsed_pieces(sheet: Sheet, places: Sequence[int]) -> Pieces:
    import polars as pl

    rows = sheet.rows()
    piece = list(islice(rows, PIECE_ROWS))
    if not piece:
        sheet.cells(places)
    while piece:
        texts = ([cells[place] for _, cells in piece] for place in places)
        record, item = (pl.Series(each, dtype=pl.String) for each in texts)
        yield record, item
        piece = list(islice(rows, PIECE_ROWS))


def _parquet_pieces(data: bytes, path: str) -> Pieces:
    place = Text(b"", path)
    for frame in parquet_pieces(data, path, lambda header: _who_and_what(header, path), PIECE_ROWS):
        record, item = (series_names(frame[n], place, n).fill_null("") for n in frame.columns)
        yield record, item


class _Coded:
    """The pairs of a file as numbers: the row of each, and a number for the spelling of its item."""

    def __init__(self, records: Records, opened: Opened, *, allow_unknown: bool) -> None:
        self._records, self._path = records, opened.label
        self._allow_unknown = allow_unknown
        self._strangers: dict[str, None] = {}
        self._named: set[str] = set()
        self._row_of: dict[str, int] = {name: row for row, name in enumerate(records.record_names)}
        # The wishes of people who are not published need no protection.
        self._row_of |= dict.fromkeys(records.left_out, wishes.NOT_PUBLISHED)
        self._number_of: dict[str, int] = {}
        self._wishes: list[tuple[str, bool]] = []
        self._known = frozenset(records.vocabulary)
        self._line = 2
        none = np.zeros(0, dtype=np.int32)
        coded = [(none, none)]
        for ids, names in _pieces(opened):
            coded.append(self._code(ids, names))
            self._line += len(ids)
        self.rows: Ints = np.concatenate([rows for rows, _ in coded])
        self.items: Ints = np.concatenate([items for _, items in coded])

    def _code(self, records: polars.Series, names: polars.Series) -> tuple[Ints, Ints]:
        import polars as pl

        written = records.unique(maintain_order=True)
        named = [clean(name) for name in written.to_list()]
        if wishes.EVERYBODY in named and self._row_of.get(wishes.EVERYBODY) != wishes.ALL:
            wishes.refuse_ambiguous_star(self._row_of, self._path)
            self._row_of[wishes.EVERYBODY] = wishes.ALL
        known = [self._row_of.get(name, wishes.UNKNOWN) for name in named]
        places = records.cast(pl.Enum(written)).to_physical().to_numpy()
        rows = np.array(known, dtype=np.int32)[places]
        self._named.update(named)
        if wishes.UNKNOWN in known:
            self._meet_strangers(named, known, records, rows)
        spelt = names.unique(maintain_order=True)
        places = names.cast(pl.Enum(spelt)).to_physical().to_numpy()
        numbers = np.array(
            [self._number(text, places, code) for code, text in enumerate(spelt.to_list())],
            dtype=np.int32,
        )
        back = np.array([self._wishes[number][1] for number in numbers], dtype=bool)
        wrong = (rows == wishes.ALL) & back[places]
        if wrong.any():
            line = self._line + int(np.argmax(wrong))
            problem = "takes an item back for everybody"
            raise InputError(problem, path=self._path, line=line, remedy="name one record")
        return rows, numbers[places]

    def _meet_strangers(
        self, named: list[str], known: list[int], records: polars.Series, rows: Ints
    ) -> None:
        """Note the names that no record has; refuse them if that was not allowed."""
        strangers = [name for name, row in zip(named, known, strict=True) if row == wishes.UNKNOWN]
        self._strangers |= dict.fromkeys(strangers)
        if self._allow_unknown:
            return
        first = int(np.argmax(rows == wishes.UNKNOWN))
        value, ids = str(records[first]), self._records.record_ids
        own = "the ids of the records" if ids else f"the numbers 1 to {len(self._records):,}"
        near = did_you_mean(value, near_spellings([clean(value)], ids or ())[0])
        raise InputError(
            f"names a record that the data does not have{near}",
            path=self._path,
            line=self._line + first,
            value=value,
            remedy=f"use {own}, or * for everybody, or {how_to_allow()}",
        )

    def _number(self, text: str, places: NDArray[np.uint32], code: int) -> int:
        """The number of an item's spelling; anything that is not an item is refused with its line."""
        if text not in self._number_of:
            try:
                name, is_back = wishes.parse_wish(text)
                tidied = tidied_name(name, self._records.tidied)
                # A category has its name in the hierarchy.
                self._wishes.append((tidied if tidied in self._known else name, is_back))
            except InputError as error:
                line = self._line + int(np.argmax(places == code))
                problem, remedy = error.problem, error.remedy
                raise InputError(problem, path=self._path, line=line, remedy=remedy) from None
            self._number_of[text] = len(self._number_of)
        return self._number_of[text]

    def constraints(self, hierarchy: Categories | None) -> Constraints:
        """The constraints, with categories replaced by their items, and ``*`` by all records."""
        back = np.array([is_back for _, is_back in self._wishes], dtype=bool)
        leaves = [wishes.expanded(name, hierarchy) for name, _ in self._wishes]
        vocabulary = tuple(sorted({leaf for each in leaves for leaf in each}))
        code_of = {name: code for code, name in enumerate(vocabulary)}
        shared = {
            leaf
            for number in np.unique(self.items[self.rows == wishes.ALL])
            for leaf in leaves[number]
        }
        rows, items = self.rows, self.items
        if (rows < 0).any():
            rows, items = rows[rows >= 0], items[rows >= 0]
        if any(len(each) != 1 for each in leaves):
            rows, items, leaf = _expand(rows, items, leaves, code_of)
        else:
            leaf = np.array([code_of[each[0]] for each in leaves], dtype=np.int32)[items]
        constraints = Constraints.from_codes(
            rows,
            leaf,
            vocabulary,
            n_records=len(self._records),
            back=back[items] if back.any() else None,
            everybody=shared,
            written=(items, [name for name, _ in self._wishes]),
            vocabulary=self._records.vocabulary,
            categories=wishes.category_names(hierarchy),
        )
        strangers = wishes.unknown_records(
            self._strangers, self._named, self._records.record_ids or ()
        )
        return replace(constraints, unknown=(*strangers, *constraints.unknown))


def _expand(
    rows: Ints, items: Ints, leaves: list[list[str]], code_of: dict[str, int]
) -> tuple[Ints, Ints, Ints]:
    """Rows, items and the codes of leaves; an item may represent several leaves."""
    counts = np.array([len(each) for each in leaves], dtype=np.int64)
    flat = np.array([code_of[leaf] for each in leaves for leaf in each], dtype=np.int32)
    starts = np.cumsum(counts) - counts
    repeat = counts[items]
    places = np.repeat(starts[items] - (np.cumsum(repeat) - repeat), repeat)
    places += np.arange(len(places))
    return np.repeat(rows, repeat), np.repeat(items, repeat), flat[places]
