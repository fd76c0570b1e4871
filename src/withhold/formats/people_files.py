"""People in files: the form in which they are written, and reading them back.

In: ``People`` and a file's name. Out: one file, or one of persons and others of items beside it, with a
common id; and back, without guessing anything. ``people_parts`` decides what goes where.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from withhold.data import People, Records, Source, Table
from withhold.errors import OutputError
from withhold.formats import jsonl, table_frames
from withhold.formats.columns import Options
from withhold.formats.forms import PEOPLE, TABLE, check_extension
from withhold.formats.formulas import unescaped_items
from withhold.formats.list_cells import BETWEEN
from withhold.formats.people_items import read_items
from withhold.formats.people_lists import read_one_file
from withhold.formats.people_parts import Parts, join, part_path, split
from withhold.formats.saving import save_frame, save_lines
from withhold.formats.table import (
    as_written_table,
    mark_columns,
    read_table_back,
    table_form,
    write_table,
)

PART, ITEM_COLUMN = "items", "item"
"""The names of columns and files for people in memory, who have none."""


def people_form(people: People, name: str, mark: str | None = None) -> Source:
    """The form of a file of this name: items in their own files or in a list column, as in the input."""
    came = people.form or Source(
        *(Path(), PEOPLE),
        container="frame",
        files=(Source(Path(), "long", container="frame", part=PART),),
    )
    like = None if came.container == "frame" else replace(came, format=TABLE)
    is_text = like is not None and like.container == "text"
    check_extension(name, came.path.name if is_text else None, table=True)
    form = replace(table_form(name, like, mark), format=PEOPLE)
    id_column, list_column = people.columns_besides
    if not came.files:
        id_column = id_column if people.ids is not None else ""
        between = came.variant or BETWEEN[0]
        return replace(form, id_column=id_column, list_column=list_column, variant=between)
    format = "jsonl" if form.container == "jsonl" else "long"
    files = [
        Source(
            *(part_path(Path(name), file.part), format, form.compression, form.container),
            separator=form.separator if form.container == "text" else " ",
            columns=file.columns if len(file.columns) == 2 else (id_column, ITEM_COLUMN),
            part=file.part,
        )
        for file in came.files
    ]
    return replace(form, id_column=id_column, files=tuple(files))


def write_persons(
    people: People, parts: Parts, path: Path, form: Source, file: BinaryIO | None
) -> Source:
    """Write the file of persons, with their items if those are in a column of it; returns its form."""
    table = parts.persons
    if not form.list_column or form.container == "text":
        return replace(write_table(table, path, form, file), format=PEOPLE)
    marked = mark_columns(table, form)
    form = replace(form, path=path, columns=(*table.names, form.list_column), marked=marked)
    written = as_written_table(table, form)
    if form.container == "parquet":
        import polars as pl

        rows = pl.Series(form.list_column, people.items.to_lists(), dtype=pl.List(pl.String))
        frame = table_frames.write_frame(written, form.mark).with_columns(rows)
        digest = save_frame(frame, path, form.compression, file)
    else:
        digest = save_lines(_json_lines(written, people.items, form), path, form.compression, file)
    return replace(form, sha256=digest)


def _json_lines(table: Table, items: Records, form: Source) -> Iterator[str]:
    """The lines of the table, each with a list of items at its end."""
    key = json.dumps(form.list_column, ensure_ascii=False)
    for line, row in zip(jsonl.write_table_text(table, form), items.to_lists(), strict=True):
        yield f"{line[:-2]}, {key}: {json.dumps(row, ensure_ascii=False)}}}\n"


def as_written_people(people: People, form: Source) -> People:
    """The people as a reader of this form finds them: without ids if it has no place for them."""
    ids = people.ids if form.id_column else None
    if form.id_column and ids is None:
        ids = tuple(str(number) for number in range(1, len(people) + 1))
    return replace(people, attributes=as_written_table(people.attributes, form), ids=ids)


def read_people_back(path: Path, form: Source) -> People:
    """The people in files that were written in this form, with their withheld cells."""
    persons = read_table_back(path, form)
    items = {}
    if form.list_column and form.container != "text":
        items[form.list_column] = _lists_back(path, form)
    for file in form.files:
        items[file.part] = read_items_back(file)
    return join(Parts(persons, items), form)


def read_items_back(file: Source) -> Records:
    """The items in a file that was written in this form."""
    separator = file.separator if file.container == "text" else None
    record, item = file.columns
    records, found = read_items(file.path, Options("long", separator, record, item))
    if (found.format, found.container) != (file.format, file.container):
        raise OutputError(f"{file.path.name} is not a {file.container} file of items")
    return unescaped_items(records) if file.safe_csv else records


def _lists_back(path: Path, form: Source) -> Records:
    parts, _ = read_one_file(path, Options(item_column=form.list_column), None)
    (items,) = parts.items.values()
    return items


def split_for(people: People, form: Source) -> Parts:
    """The people as the files of this form hold them."""
    if not len(people):
        raise OutputError("a file without persons cannot be written, as no reader would take it.")
    return split(people, form)
