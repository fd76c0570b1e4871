"""People in one file: persons with a column that holds the items of each.

In: a path or a frame. Out: the persons, and their items as a list column or, in CSV, still as cells.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from withhold.data import Records, Source, Table
from withhold.data.array_types import Bools
from withhold.data.names import is_missing
from withhold.errors import InputError, PolicyError, option
from withhold.formats import jsonl, lists, table_frames
from withhold.formats.cells import open_sheet
from withhold.formats.columns import LIST_NAMES, Options, find_column, only_column, plain
from withhold.formats.forms import PEOPLE
from withhold.formats.frames import Frame, is_frame, own_index
from withhold.formats.opening import Opened, open_bytes
from withhold.formats.parquet import read_parquet
from withhold.formats.people_items import how_said, said_text
from withhold.formats.people_parts import Parts
from withhold.formats.rows import Parsed, with_clean_names
from withhold.formats.table import read_opened, text_container

NO_ITEMS = "name the files of items, or the column that holds the items of each person: {}, {}"


def read_one_file(
    persons: Any, options: Options, person_column: str | None
) -> tuple[Parts, Source]:
    """Persons and their items, which are in a column of the same file."""
    parsed = None
    if isinstance(persons, str | os.PathLike):
        opened = open_bytes(Path(persons))
        column, parsed = _lists_of(opened, options)
        but = () if parsed is None else (column,)
        table = read_opened(opened, options.separator, but=but, **how_said(opened, options))
        assert table.source is not None
        form = replace(table.source, format=PEOPLE)
    elif isinstance(persons, Table) or not is_frame(persons):
        problem = "neither a path nor a frame" if not isinstance(persons, Table) else "has no items"
        raise InputError(problem, value=type(persons).__name__, remedy=_no_items())
    else:
        frame = Frame(persons)
        column, parsed = _list_column(frame, options)
        table = table_frames.read_any(persons, but=(column,))
        table = replace(table, index=own_index(persons, len(frame)))
        form = Source(Path(), PEOPLE, container="frame", columns=table.names)
    named = person_column or options.record_column
    if named is not None:
        named = find_column(named, table.names, str(form.path) if form.sha256 else None)
        if named == column:
            raise PolicyError(f"column {named!r} cannot hold both the ids and the items")
    form = replace(form, id_column=named or "", list_column=column)
    items = {}
    if parsed is not None:
        parsed = with_clean_names(parsed, path=str(form.path) if form.sha256 else None)
        items[column] = Records(
            *(parsed.offsets, parsed.items, parsed.vocabulary, None, parsed.repeated)
        )
    if named is not None and options.skip_missing_ids:
        missing = without_id(table, named)
        table = table.only_records(~missing)
        items = {name: each.only_records(~missing) for name, each in items.items()}
    return Parts(table, items), form


def _lists_of(opened: Opened, options: Options) -> tuple[str, Parsed | None]:
    """The column that holds the items of a file, and the items if it holds lists."""
    if opened.is_parquet:
        return _list_column(Frame(read_parquet(opened.data, opened.label), opened.label), options)
    text = said_text(opened, options)
    if text_container(text) == "jsonl":
        column = options.item_column or jsonl.list_key(text, _no_items())
        return column, jsonl.read_text(text, Options(item_column=column))
    header = open_sheet(text, options).columns
    if options.item_column is not None:
        return find_column(options.item_column, header, text.path), None
    found = [name for name in header if plain(name) in LIST_NAMES]
    items = {"alike": "one of items", "holding": "the items", "remedy": _no_items()}
    return only_column(found, header, text.path, **items), None


def _list_column(frame: Frame, options: Options) -> tuple[str, Parsed]:
    """The list column of a frame, and its items, a record for each row."""
    import polars as pl

    found = [name for name in frame.columns if frame.is_list(name)]
    if options.item_column is not None:
        name = find_column(options.item_column, frame.columns, frame.path)
    elif len(found) == 1:
        name = found[0]
    else:
        several = f"has {len(found)} list columns: {', '.join(map(repr, found))}"
        problem = several if found else f"has no list column; it has {frame.seen()}"
        raise frame.error(problem, _no_items())
    if not frame.is_list(name):
        raise frame.error("is not a list column", column=name, value=str(frame.column(name).dtype))
    alone = Frame(pl.DataFrame({name: frame.column(name)}), frame.path)
    return name, lists.read_columns(alone, Options(item_column=name))


def _no_items() -> str:
    return NO_ITEMS.format(option("items"), option("item_column"))


def without_id(table: Table, column: str) -> Bools:
    """Which rows have no person's id."""
    cells = [cell or "" for cell in table.column(column).cells().tolist()]
    return np.fromiter(map(is_missing, cells), dtype=bool, count=len(cells))
