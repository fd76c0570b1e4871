"""People: persons with attributes in one file and their items in others, or all in one file.

In: a path, standard input or a frame of persons, and files or frames of items in which a column names the
person; or one of persons with a column of lists. Out: ``People``, in the order of the persons. Of a file of
items only the persons' and the items' columns are read, and the dates of items where these are asked for.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from withhold.arguments import checked
from withhold.data import People, Source, Table
from withhold.data.date_bins import Periods
from withhold.data.decimals import COMMA, check_decimal, with_decimal_points
from withhold.data.preparing import Widths, parse_bins, prepare
from withhold.data.tidying import tidy_people
from withhold.errors import PolicyError, option
from withhold.formats import table_frames
from withhold.formats.columns import (
    Options,
    find_column,
    names_record,
    only_column,
)
from withhold.formats.consent import only_people_with_consent
from withhold.formats.dated_rows import parse_dates
from withhold.formats.encodings import check_encoding
from withhold.formats.first_rows import refuse_row_as_header
from withhold.formats.forms import PEOPLE, check_separator
from withhold.formats.frames import gathered
from withhold.formats.items import check_encodable
from withhold.formats.opening import open_bytes
from withhold.formats.people_items import how_said, named_items, read_items
from withhold.formats.people_lists import read_one_file, without_id
from withhold.formats.people_parts import Parts, join, prefixes, without_columns
from withhold.formats.readable import Consent, ReadableItems, ReadableTable
from withhold.formats.table import read_opened
from withhold.formats.texts import refuse_for_files
from withhold.phases import phase


@phase("reading")
@checked
def read_people(
    persons: ReadableTable,
    items: ReadableItems = None,
    *,
    record_column: str | None = None,
    item_column: str | None = None,
    person_column: str | None = None,
    dates: str | None = None,
    date_column: str | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
    decimal: str | None = None,
    drop: Iterable[str] = (),
    bins: Mapping[str, Widths] | Iterable[str] | str = (),
    tidy: Iterable[str] | str | None = None,
    consent: Consent = None,
    allow_unknown: bool = False,
    skip_missing_ids: bool = False,
) -> People:
    """Persons with their attributes and their items.

    Persons without items are kept. Rows of items that belong to nobody are left out and counted.

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
    dates, date_column
        The periods into which the dates of items are put: ``month``, ``year``, ``decade`` or ``5y``; and the
        column of ``items`` that holds the dates. Each item then also appears with its period,
        ``asthma@2015-2019`` beside ``asthma``. Without ``dates``, dates are left out.
    separator
        What separates the cells of CSV files; detected if not given.
    encoding, sheet
        The encoding of every text file and the sheet of every spreadsheet, as in ``read_table``.
    decimal, drop, bins
        How numbers of ``persons`` are written, which of its columns to leave out, and which to turn into
        ranges, as in ``read_table``.
    tidy
        Columns of ``persons`` that get one spelling, as in ``read_table``, and ``"items=case"`` for items.
    consent
        A file that lists the ids of the persons who consented (row numbers, if persons have no ids), such a
        list, or the name of a 0/1 column of ``persons``; the others are left out.
    allow_unknown
        Accept a list of consent with persons that the data does not have, and items most of which belong to
        nobody.
    skip_missing_ids
        Leave out rows without a person's id, and count them.

    Returns
    -------
    People
        The persons' attributes as a table, and their items.

    Raises
    ------
    InputError
        With the file and the remedy, if the persons cannot be read, or most items are not theirs.

    Examples
    --------
    >>> import polars as pl
    >>> patients = pl.DataFrame({"id": ["p1", "p2"], "born": [1980, 1975]})
    >>> conditions = pl.DataFrame({"id": ["p2", "p2", "p9"], "item": ["asthma", "flu", "flu"]})
    >>> people = read_people(patients, conditions)
    >>> people.items.to_lists(), people.attributes.rows(), people.strangers
    ([[], ['asthma', 'flu']], [('1980',), ('1975',)], 1)
    """
    periods = _wanted_dates(persons, items, dates, date_column)
    if isinstance(persons, People):
        if items is not None:
            raise PolicyError("items are given, and the people have theirs already; leave them out")
        people = persons
    else:
        options = Options(
            *("long", check_separator(separator), record_column, item_column),
            skip_missing_ids=skip_missing_ids,
            encoding=check_encoding(encoding),
            sheet=sheet,
            dates=periods,
            date_column=date_column,
        )
        parts, form = read_parts(gathered(persons), items, options, person_column)
        refuse_row_as_header(parts.persons)
        _refuse_unused(form, options)
        people = join(parts, form, allow_strangers=allow_unknown)
    if check_decimal(decimal) == COMMA:
        came = None if people.form is None else replace(people.form, decimal=COMMA)
        people = replace(people, attributes=with_decimal_points(people.attributes), form=came)
    if consent is not None:
        people = only_people_with_consent(people, consent, allow_unknown=allow_unknown)
    id_column = people.form.id_column if people.form is not None else ""
    drop = tuple(drop)
    if id_column and id_column in drop:
        raise PolicyError(
            f"column {id_column!r} names the persons, who are renumbered; leave it out of {option('drop')}"
        )
    people = tidy_people(people, tidy, prefixes(people.form))
    if periods is not None and people.items.tidied:
        raise PolicyError(
            f"{option('tidy')} cannot change items that have dates, since both must have the same name; tidy "
            f"the items first, or leave {option('dates')} out"
        )
    return replace(people, attributes=prepare(people.attributes, drop, parse_bins(bins)))


def _wanted_dates(
    persons: Any, items: Any, dates: str | None, date_column: str | None
) -> Periods | None:
    """The periods into which dates of items are put; refused if the items cannot have dates."""
    periods = parse_dates(dates)
    if periods is None and date_column is not None:
        raise PolicyError(
            f"{option('date_column')} says where the dates of items are, and they are left out; say what "
            f"they become: {option('dates', '5y')}"
        )
    if periods is not None and (items is None or isinstance(persons, People)):
        raise PolicyError(
            f"{option('dates')} is for items with a row and a date each; name their file or frame with "
            f"{option('items')}"
        )
    return periods


def read_parts(
    persons: Any, items: Any, options: Options, person_column: str | None
) -> tuple[Parts, Source]:
    """Persons and items as their files hold them, and the form of the files."""
    path = Path(persons) if isinstance(persons, str | os.PathLike) else None
    named = named_items(items, path)
    if not named:
        return read_one_file(persons, options, person_column)
    found = {part: read_items(source, options) for part, source in named.items()}
    table = _read_persons(persons, options)
    files = tuple(replace(form, part=part) for part, (_, form) in found.items())
    column = _id_column(table, person_column, [form.columns[0] for form in files])
    table = _with_ids(table, column, options)
    form = table.source or Source(Path(), PEOPLE, container="frame", columns=table.names)
    form = replace(form, format=PEOPLE, id_column=column, files=files)
    return Parts(table, {part: records for part, (records, _) in found.items()}), form


def _read_persons(persons: Any, options: Options) -> Table:
    if isinstance(persons, Table):
        return persons
    if isinstance(persons, str | os.PathLike):
        opened = open_bytes(Path(persons))
        return read_opened(opened, options.separator, **how_said(opened, options))
    return table_frames.read_any(persons)


def _refuse_unused(form: Source, options: Options) -> None:
    """Refuse an encoding if no file is a text, and a sheet if none is a spreadsheet."""
    found = {each.container for each in (form, *form.files)}
    refuse_for_files(
        None if found & {"text", "jsonl"} else options.encoding,
        None if "spreadsheet" in found else options.sheet,
        str(form.path) if form.sha256 else None,
    )


def _id_column(table: Table, named: str | None, others: list[str]) -> str:
    """The column of the persons' ids: as named by the user, as in the items, or by a usual name."""
    path = None if table.source is None else str(table.source.path)
    if named is not None:
        return find_column(named, table.names, path)
    if same := [name for name in others if name in table.names]:
        return same[0]
    usual = [name for name in table.names if names_record(name, in_any_language=True)]
    remedy = f"name the one you mean with {option('person_column')}"
    ids = {"alike": "that of the persons' ids", "holding": "the persons' ids", "remedy": remedy}
    return only_column(usual, table.names, path, **ids)


def _with_ids(table: Table, column: str, options: Options) -> Table:
    """The rows of persons with an id, if the others are to be skipped."""
    without_columns(table, column)
    check_encodable(tuple(filter(None, table.column(column).values)))
    return table.only_records(~without_id(table, column)) if options.skip_missing_ids else table
