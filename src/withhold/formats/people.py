"""People: persons with attributes in one file and their items in others, or all in one file.

In: a path, standard input or a frame of persons, and files or frames of items in which a column names the
person; or one of persons with a column of lists. Out: ``People``, in the order of the persons. Of a file of
items only the persons' and the items' columns are read: dates of items are left out.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from withhold.arguments import checked
from withhold.data import People, Records, Source, Table
from withhold.data.binning import Widths
from withhold.data.names import is_missing
from withhold.errors import InputError, PolicyError, option
from withhold.formats import jsonl, lists, long, table_frames
from withhold.formats.cells import open_sheet
from withhold.formats.columns import (
    LIST_NAMES,
    Options,
    find_column,
    listed,
    long_columns,
    names_record,
    plain,
)
from withhold.formats.consent import only_people_with_consent
from withhold.formats.forms import PEOPLE, check_separator
from withhold.formats.frames import Frame, is_frame, own_index
from withhold.formats.items import check_encodable
from withhold.formats.opening import Opened, Text, open_bytes, text_of
from withhold.formats.parquet import read_parquet
from withhold.formats.people_parts import Parts, check_parts, join, part_of, without_columns
from withhold.formats.readable import Consent, ReadableItems, ReadableTable
from withhold.formats.rows import Parsed, with_clean_names
from withhold.formats.table import prepared, read_opened, text_container

ONE_FILE = "items"
"""What items are called that come from a frame."""
NO_ITEMS = "name the files of items, or the column that holds the items of each person: {}, {}"


@checked
def read_people(
    persons: ReadableTable,
    items: ReadableItems = None,
    *,
    record_column: str | None = None,
    item_column: str | None = None,
    person_column: str | None = None,
    separator: str | None = None,
    drop: Iterable[str] = (),
    bins: Mapping[str, Widths] | Iterable[str] | str = (),
    consent: Consent = None,
    allow_unknown: bool = False,
    skip_missing_ids: bool = False,
) -> People:
    """Persons with their attributes and their items.

    Persons without items stay. Rows of items that belong to nobody are left out and counted.

    Parameters
    ----------
    persons
        A path (``-`` is standard input) or a frame with a row for each person, or ``People``.
    items
        A path or a frame with a row for each item of a person, several of them in a list (a path also as
        ``NAME=FILE``), or by name in a mapping. Without it, a column of ``persons`` holds the items: lists in
        frames, parquet and JSON lines, in CSV ``asthma;flu``.
    record_column, item_column
        The columns of ``items`` that hold the persons' ids and the items; without ``items``, those of
        ``persons``.
    person_column
        The column of ``persons`` that holds the ids, if it has another name than in ``items``.
    separator
        Between the cells of CSV files; found by content where it is not given.
    drop, bins
        Columns of ``persons`` to leave out, and to turn into ranges, as in ``read_table``.
    consent
        A file that lists the persons' ids (or row numbers, where they have none) that agreed, such a list, or
        the name of a 0/1 column of ``persons``; the others are left out.
    allow_unknown
        Whether the list of consent may name persons that the data do not have.
    skip_missing_ids
        Leave out rows that do not say who they belong to, and count them.

    Raises
    ------
    InputError
        With the file and the remedy, if the persons cannot be read, or no item is one of theirs.

    Examples
    --------
    >>> import polars as pl
    >>> patients = pl.DataFrame({"id": ["p1", "p2"], "born": [1980, 1975]})
    >>> conditions = pl.DataFrame({"id": ["p2", "p2", "p9"], "item": ["asthma", "flu", "flu"]})
    >>> people = read_people(patients, conditions)
    >>> people.items.to_lists(), people.attributes.rows(), people.strangers
    ([[], ['asthma', 'flu']], [('1980',), ('1975',)], 1)
    """
    if isinstance(persons, People):
        if items is not None:
            raise PolicyError("items are given, and the people have theirs already; leave them out")
        people = persons
    else:
        options = Options(
            *("long", check_separator(separator), record_column, item_column),
            skip_missing_ids=skip_missing_ids,
        )
        parts, form = read_parts(persons, items, options, person_column)
        people = join(parts, form)
    if consent is not None:
        people = only_people_with_consent(people, consent, allow_unknown=allow_unknown)
    id_column = people.form.id_column if people.form is not None else ""
    drop = tuple(drop)
    if id_column and id_column in drop:
        raise PolicyError(
            f"column {id_column!r} names the persons, who are numbered anew; leave it out of {option('drop')}"
        )
    attributes = prepared(people.attributes, drop, bins)
    return replace(people, attributes=attributes)


def read_parts(
    persons: Any, items: Any, options: Options, person_column: str | None
) -> tuple[Parts, Source]:
    """Persons and items as their files hold them, and in what form that is."""
    path = Path(persons) if isinstance(persons, str | os.PathLike) else None
    named = named_items(items, path)
    if not named:
        return _one_file(persons, options, person_column)
    found = {part: read_items(source, options) for part, source in named.items()}
    table = _read_persons(persons, options.separator)
    files = tuple(replace(form, part=part) for part, (_, form) in found.items())
    column = _id_column(table, person_column, [form.columns[0] for form in files])
    table = _with_ids(table, column, options)
    form = table.source or Source(Path(), PEOPLE, container="frame", columns=table.names)
    form = replace(form, format=PEOPLE, id_column=column, files=files)
    return Parts(table, {part: records for part, (records, _) in found.items()}), form


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
            name, equals, file = text.partition("=")
            if not equals or os.path.isfile(text):
                name, file = part_of(Path(text), persons), text
            if not file.strip() or file == "-":
                raise PolicyError(
                    f"{option('items', text)} names no file; give {option('items', 'NAME=FILE')}"
                )
            each = Path(file)
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
    if isinstance(source, Path):
        opened = open_bytes(source)
        if opened.is_parquet:
            frame = Frame(read_parquet(opened.data, opened.label), opened.label)
            format, parsed, container = *_of_frame(frame, options), "parquet"
        else:
            text = text_of(opened)
            container = text_container(text)
            format = "jsonl" if container == "jsonl" else "long"
            parsed = jsonl.read_text(text, options) if format == "jsonl" else _long(text, options)
        form = Source(
            source,
            format,
            compression=opened.compression,
            container=container,
            separator=parsed.separator,
            columns=parsed.columns,
            sha256=opened.digest.hexdigest(),
        )
    elif is_frame(source):
        frame = Frame(source)
        format, parsed = _of_frame(frame, options)
        form = Source(Path(), format, container="frame", columns=parsed.columns)
    else:
        problem, shown = "items are neither a path nor a frame", type(source).__name__
        raise InputError(problem, value=shown, remedy="give a path or a frame, or a list of them")
    place = str(form.path) if form.sha256 else None
    if parsed.record_ids is None:
        problem = "the items do not say whose they are"
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
        return "list", lists.read_columns(frame, options)
    return "long", long.read_columns(frame, options)


def _long(text: Text, options: Options) -> Parsed:
    """The items of a CSV file; one that holds a header alone is a file without items."""
    if len(list(islice((line for line in text.head(2).lines() if line.strip()), 2))) == 1:
        sheet = open_sheet(text, options)
        columns = long_columns(sheet.columns, options, text.path)
        none = np.zeros(0, np.int64)
        return Parsed(none, none.astype(np.int32), (), 0, (), sheet.separator, columns)
    return long.read_text(text, options)


def _read_persons(persons: Any, separator: str | None) -> Table:
    if isinstance(persons, Table):
        return persons
    if isinstance(persons, str | os.PathLike):
        return read_opened(open_bytes(Path(persons)), separator)
    return table_frames.read_any(persons)


def _one_file(persons: Any, options: Options, person_column: str | None) -> tuple[Parts, Source]:
    """Persons whose items are in a column of their own."""
    parsed = None
    if isinstance(persons, str | os.PathLike):
        opened = open_bytes(Path(persons))
        column, parsed = _lists_of(opened, options)
        but = () if parsed is None else (column,)
        table = read_opened(opened, options.separator, but=but)
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
        missing = _missing(table, named)
        table = table.only_records(~missing)
        items = {name: each.only_records(~missing) for name, each in items.items()}
    return Parts(table, items), form


def _lists_of(opened: Opened, options: Options) -> tuple[str, Parsed | None]:
    """The column that holds the items of a file, and the items where it holds lists."""
    if opened.is_parquet:
        return _list_column(Frame(read_parquet(opened.data, opened.label), opened.label), options)
    text = text_of(opened)
    if text_container(text) == "jsonl":
        column = options.item_column or jsonl.list_key(text, _no_items())
        return column, jsonl.read_text(text, Options(item_column=column))
    header = open_sheet(text, options).columns
    if options.item_column is not None:
        return find_column(options.item_column, header, text.path), None
    found = [name for name in header if plain(name) in LIST_NAMES]
    if len(found) != 1:
        none = f"no column looks like one of items; {listed(header)}"
        several = f"several columns could hold the items: {', '.join(map(repr, found))}"
        raise text.error(several if found else none, _no_items())
    return found[0], None


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


def _id_column(table: Table, named: str | None, others: list[str]) -> str:
    """The column of the persons' ids: as said, as in the items, or by its usual name."""
    path = None if table.source is None else str(table.source.path)
    if named is not None:
        return find_column(named, table.names, path)
    if same := [name for name in others if name in table.names]:
        return same[0]
    usual = [name for name in table.names if names_record(name)]
    if len(usual) != 1:
        none = f"no column looks like that of the persons' ids; {listed(table.names)}"
        several = f"several columns could hold the persons' ids: {', '.join(map(repr, usual))}"
        remedy = f"name the one you mean with {option('person_column')}"
        raise InputError(several if usual else none, path=path, remedy=remedy)
    return usual[0]


def _missing(table: Table, column: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
    cells = table.column(column).cells("").tolist()
    return np.fromiter(map(is_missing, cells), dtype=bool, count=len(cells))


def _with_ids(table: Table, column: str, options: Options) -> Table:
    """The rows of persons with an id, where the others are to be skipped."""
    without_columns(table, column)
    check_encodable(tuple(filter(None, table.column(column).values)))
    return table.only_records(~_missing(table, column)) if options.skip_missing_ids else table
