"""From data to files: the form that a file's name and the input give, the bytes, and what comes back.

In: records, a table or people, and a path. Out: the file, or for people perhaps several, and the form that
they have there. ``publish`` makes the drafts and renames them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from withhold.atomic import Draft
from withhold.data import People, Records, Source, Table
from withhold.data.names import clean, has_whitespace, is_missing
from withhold.errors import InputError, OutputError
from withhold.formats import long, spmf
from withhold.formats.forms import TRAITS, output_form, split_name
from withhold.formats.formulas import check_safe_csv, escape, renamed
from withhold.formats.functions import FUNCTIONS
from withhold.formats.people_files import (
    as_written_people,
    people_form,
    split_for,
    write_persons,
)
from withhold.formats.people_parts import part_path
from withhold.formats.saving import save_frame, save_lines
from withhold.formats.table import as_written_table, table_form, write_table

Data = Records | Table | People
"""What can be read, published and proved."""
NOT_A_NAME = "blank, has whitespace around it, or stands for a missing value"


class Kind(NamedTuple):
    """How one kind of data is written."""

    form: Callable[[Any, str, Source | None, str | None], Source]
    """(data, name, the form to imitate, mark) → the form of a file of this name."""
    write: Callable[[Any, Path, Source, BinaryIO | None, Sequence[Draft]], Source]
    """(data, path, form, the open file, the open files of items) → the form with digests."""
    as_written: Callable[[Any, Source], Any]
    """(data, form) → the data as a reader of this form finds them."""


def form_for(
    data: Data,
    name: str,
    *,
    like: Source | None,
    format: str | None = None,
    mark: str | None = None,
    safe_csv: bool = False,
) -> Source:
    """The form in which data is written to a file of this name."""
    if format is not None and data.kind != Records.kind:
        what = "a table is" if data.kind == Table.kind else "people are"
        raise InputError(f"{what} written as its file's name says; leave the format out")
    form = (
        output_form(name, like, format) if format else KINDS[data.kind].form(data, name, like, mark)
    )
    for each in (form, *form.files) if safe_csv else ():
        check_safe_csv(each)
    files = tuple(replace(each, safe_csv=safe_csv) for each in form.files)
    return replace(form, safe_csv=safe_csv, files=files)


def write(
    data: Data,
    path: Path,
    form: Source | None = None,
    *,
    like: Source | None = None,
    format: str | None = None,
    file: BinaryIO | None = None,
    others: Sequence[Draft] = (),
) -> Source:
    """Write all of the data to ``path``, and return the form it has there, with its SHA-256.

    The file gets its name when it is complete; a ``file`` that is already open there is written directly, and
    so are ``others`` for the files of items.

    Without a ``form``, it follows from the path's name, from ``like`` (or the data's own source)
    and from ``format``, as ``output_form`` says.
    """
    form = form or form_for(data, path.name, like=like or data.source, format=format)
    return KINDS[data.kind].write(data, path, form, file, others)


def pieces(data: Data, form: Source) -> list[tuple[Records | Table, Source]]:
    """What each file of this form holds."""
    if not isinstance(data, People):
        return [(data, form)]
    parts = split_for(data, form)
    return [(parts.persons, form), *((parts.items[each.part], each) for each in form.files)]


def as_written(data: Data, form: Source) -> Data:
    """The data as a reader of this form finds it."""
    found: Data = KINDS[data.kind].as_written(data, form)
    return found


def _records_form(records: Records, name: str, like: Source | None) -> Source:
    """The form of a file of records; CSV is long for a frame with ids, which have no place in baskets."""
    is_long = like is None and records.record_ids is not None
    separated = split_name(name)[0] in (".csv", ".tsv")
    return output_form(name, like, "long" if is_long and separated else None)


def _write_records(
    records: Records, path: Path, form: Source, file: BinaryIO | None, _: Sequence[Draft] = ()
) -> Source:
    if not len(records):
        raise OutputError("a table without records cannot be written, as no reader would take it.")
    return _write_rows(records, path, form, file)


def _write_rows(records: Records, path: Path, form: Source, file: BinaryIO | None) -> Source:
    _check_names(records, form)
    if form.safe_csv:
        records = renamed(records, escape)
    into = FUNCTIONS[form.format]
    if into.columns is not None:
        columns = into.columns(records, form)
        form = replace(form, columns=tuple(map(escape, columns)) if form.safe_csv else columns)
    elif form.format == "spmf":
        form = replace(form, variant=spmf.written_variant(records, form))
    form = replace(form, path=path)
    if form.container == "parquet":
        assert into.write_frame is not None  # the form was checked to be writable
        digest = save_frame(into.write_frame(records, form), path, form.compression, file)
    else:
        assert into.write_text is not None
        digest = save_lines(into.write_text(records, form), path, form.compression, file)
    return replace(form, sha256=digest)


def _write_people(
    people: People, path: Path, form: Source, file: BinaryIO | None, others: Sequence[Draft]
) -> Source:
    parts = split_for(people, form)
    written = write_persons(people, parts, path, form, file)
    drafts: Sequence[Draft | None] = others or [None] * len(form.files)
    files = []
    for each, draft in zip(form.files, drafts, strict=True):
        where = part_path(path, each.part) if draft is None else draft.path
        open_file = None if draft is None else cast(BinaryIO, draft)
        files.append(_write_rows(parts.items[each.part], where, each, open_file))
    return replace(written, files=tuple(files))


def _records_as_written(records: Records, form: Source) -> Records:
    """The records as read back: files without columns have no record ids; a long file numbers its records."""
    if not TRAITS[form.format].has_columns:
        return replace(records, record_ids=None)
    if form.format == "long":
        return replace(records, record_ids=long.written_ids(records))
    return records


def _check_names(records: Records, form: Source) -> None:
    """Refuse names that would not be read back; records that were read from a file have none."""
    names = records.occurring
    suspect = has_whitespace("".join(names)) or "" in names
    if suspect and (odd := [name for name in names if name != clean(name) or not name]):
        raise OutputError(f"the item {odd[0]!r} cannot be written, as its name is {NOT_A_NAME}.")
    if not TRAITS[form.format].has_columns:
        return
    ids = records.record_ids or ()
    if odd := [name for name in ids if name != clean(name) or is_missing(name)]:
        raise OutputError(f"the record id {odd[0]!r} cannot be written, as it is {NOT_A_NAME}.")


KINDS: Mapping[str, Kind] = {
    Records.kind: Kind(
        lambda records, name, like, mark: _records_form(records, name, like),
        _write_records,
        _records_as_written,
    ),
    Table.kind: Kind(
        lambda _, name, like, mark: table_form(name, like, mark),
        lambda table, path, form, file, _: write_table(table, path, form, file),
        as_written_table,
    ),
    People.kind: Kind(
        lambda people, name, like, mark: people_form(people, name, mark),
        _write_people,
        as_written_people,
    ),
}
