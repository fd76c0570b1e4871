"""The items of people: files or frames in which a column names the person.

In: what the user named. Out: records under the persons' ids, and the form in which they came. Only the
persons' and the items' columns are read, and the column of dates if dates were requested.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from withhold.data import Records, Source
from withhold.errors import InputError, PolicyError, option
from withhold.formats import jsonl, lists, long
from withhold.formats.cells import open_sheet
from withhold.formats.columns import Columns, Options, long_columns
from withhold.formats.databases import is_query
from withhold.formats.dated_rows import DatedRows
from withhold.formats.frames import Frame, gathered, is_frame
from withhold.formats.opening import Opened, Placed, Text, open_bytes
from withhold.formats.parquet import read_parquet
from withhold.formats.people_parts import check_parts, part_of
from withhold.formats.rows import Parsed, with_clean_names
from withhold.formats.table import text_container
from withhold.formats.texts import how_found, text_of

ONE_FILE = "items"
"""The name for items that come from a frame."""


def named_items(items: Any, persons: Path | None = None) -> dict[str, Any]:
    """The files or frames of items, each by its name."""
    if items is None:
        return {}
    if isinstance(items, Mapping):
        check_parts([str(name) for name in items])
        return {str(name): source for name, source in items.items()}
    several = list(items) if isinstance(items, list | tuple) else [items]
    names, sources = [], []
    for number, each in enumerate(several, start=1):
        name = ONE_FILE if len(several) == 1 else f"{ONE_FILE}{number}"
        if isinstance(each, str | os.PathLike):
            text = os.fspath(each)
            before, equals, file = text.partition("=")
            if is_query(text) or is_query(file):
                names.append(name if is_query(text) else before)
                sources.append(text if is_query(text) else file)
                continue
            name = before
            if not equals or os.path.isfile(text):
                name, file = part_of(Path(text), persons), text
            if not file.strip() or file == "-":
                raise PolicyError(
                    f"{option('items', text)} names no file; give {option('items', 'NAME=FILE')}"
                )
            each = Path(file)
            if each.is_dir():
                remedy = "name a file of items; several are named one by one"
                raise InputError("is a directory", path=each, remedy=remedy)
        names.append(name)
        sources.append(each)
    if not several:
        raise PolicyError("no file of items is named; leave items out, or name one")
    paths = [each.resolve() for each in (*sources, persons) if isinstance(each, Path)]
    if twice := [path for path in paths if paths.count(path) > 1]:
        raise PolicyError(f"{twice[0].name} is given twice; name each file once")
    check_parts(names)
    return dict(zip(names, sources, strict=True))


def read_items(source: Any, options: Options) -> tuple[Records, Source]:
    """The items of a file or a frame under the persons' ids, and in what form they came."""
    found: dict[str, Any] = {}
    if isinstance(source, Path):
        opened = open_bytes(source)
        if opened.is_parquet:
            frame = Frame(read_parquet(opened.data, opened.label), opened.label)
            format, parsed, container = *_of_frame(frame, options), "parquet"
        else:
            text = said_text(opened, options)
            container = "spreadsheet" if text.sheet else text_container(text)
            format = "jsonl" if container == "jsonl" else "long"
            if format == "jsonl":
                _refuse_dates(options, text)
            parsed = jsonl.read_text(text, options) if format == "jsonl" else _long(text, options)
            found = how_found(text)
        columns, separator = parsed.columns, parsed.separator
        form = opened.source(
            format, container=container, separator=separator, columns=columns, **found
        )
    elif is_frame(source := gathered(source)):
        frame = Frame(source)
        format, parsed = _of_frame(frame, options)
        form = Source(Path(), format, container="frame", columns=parsed.columns)
    else:
        problem, shown = "items are neither a path nor a frame", type(source).__name__
        raise InputError(problem, value=shown, remedy="give a path or a frame, or a list of them")
    place = str(form.path) if form.sha256 else None
    if parsed.record_ids is None:
        problem = "the items have no ids of persons"
        raise InputError(problem, path=place, remedy=f"name the column: {option('record_column')}")
    parsed = with_clean_names(parsed, path=place)
    records = Records(
        *(parsed.offsets, parsed.items, parsed.vocabulary, parsed.record_ids, parsed.repeated),
        skipped_rows=parsed.skipped,
    )
    return records, form


def _of_frame(frame: Frame, options: Options) -> tuple[str, Parsed]:
    """The items in a frame: a row for each, or a list for each person."""
    if any(frame.is_list(name) for name in frame.columns):
        _refuse_dates(options, frame)
        return "list", lists.read_columns(frame, options)
    return "long", long.read_columns(_dated(frame, options), options)


def _dated(source: Columns, options: Options) -> Columns:
    """The rows, followed by those of dated items if dates were requested."""
    return source if options.dates is None else DatedRows(source, options)


def _refuse_dates(options: Options, place: Placed) -> None:
    if options.dates is not None:
        problem = "has lists of items, and no place for their dates"
        remedy = f"give a row for each item, or leave {option('dates')} out"
        raise place.error(problem, remedy)


def _long(text: Text, options: Options) -> Parsed:
    """The items of a CSV file; a file with only a header has no items."""
    if len(list(islice((line for line in text.head(2).lines() if line.strip()), 2))) == 1:
        sheet = open_sheet(text, options)
        columns = long_columns(sheet.columns, options, text.path)
        none = np.zeros(0, np.int64)
        return Parsed(none, none.astype(np.int32), (), 0, (), sheet.separator, columns)
    if options.dates is not None:
        return long.read_columns(DatedRows(open_sheet(text, options), options), options)
    return long.read_text(text, options)


def how_said(opened: Opened, options: Options) -> dict[str, Any]:
    """The options that apply to this kind of file: the encoding to texts, the sheet to spreadsheets."""
    if opened.is_spreadsheet:
        return {"sheet": options.sheet}
    return {} if opened.is_parquet else {"encoding": options.encoding}


def said_text(opened: Opened, options: Options) -> Text:
    """The text in a file, in the encoding or from the sheet that the user named."""
    return text_of(opened, **how_said(opened, options))
