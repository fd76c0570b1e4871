"""How the files of released people are read again: all of them together, as they look.

The manifest says which columns hold ids and items, and its word is needed for that; so whatever it leaves
unsaid must not be there: a file of items has these two columns and no other, and no row of it is nobody's.
Which files there are follows from their names.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from withhold.data import People, Records, Source, Table
from withhold.errors import InputError, PolicyError, UndecidedError
from withhold.formats import OF_FILES
from withhold.formats.cells import open_sheet
from withhold.formats.columns import LIST_NAMES, Options, plain
from withhold.formats.forms import PEOPLE, check_separator
from withhold.formats.formulas import escape, holds_formulas, unescaped
from withhold.formats.opening import open_bytes
from withhold.formats.people import read_parts
from withhold.formats.people_items import read_items
from withhold.formats.people_parts import Parts, join, part_pattern
from withhold.formats.table import read_opened
from withhold.formats.texts import text_of
from withhold.publish.manifest import GENUINE, manifest_path, read_internal
from withhold.publish.publishing import internal_of
from withhold.wording import counted

ONLY_PEOPLE = ("items", "person_column")
"""Options of reading that are for people alone."""


def read_people_files(
    path: Path,
    form: Source | None,
    options: Mapping[str, Any],
    *,
    same_bytes: bool,
    safe_csv: bool | None,
) -> tuple[People, People | None]:
    """The people as their manifest says that they are read, and as they look if that may differ."""
    if "format" in options:
        raise PolicyError("--format is for records of items, not for people")
    proposed = form is not None and form.safe_csv
    if options or form is None:
        parts, found = _as_said(path, form, options)
    else:
        parts, found = _as_it_looks(path, form, same_bytes=same_bytes)
    looks = _joined(parts, found)
    if not (proposed if safe_csv is None else safe_csv):
        return looks, None
    pieces: tuple[Records | Table, ...] = (parts.persons, *parts.items.values())
    if any(holds_formulas(each) for each in pieces):
        if safe_csv is None and not same_bytes:
            return looks, None
        raise InputError(
            "holds cells that a spreadsheet may run, so it was not written with --safe-csv",
            path=path,
            remedy=f"use --no-safe-csv, or {GENUINE}",
        )
    persons = unescaped(parts.persons)
    assert isinstance(persons, Table)
    items = {part: unescaped(each) for part, each in parts.items.items()}
    plain = found if form is None or options else form
    named = _joined(Parts(persons, items), plain)  # type: ignore[arg-type]  # records stay records
    return named, None if safe_csv is not None or named == looks else looks


def _joined(parts: Parts, form: Source) -> People:
    people = join(parts, form)
    if people.strangers:
        n = counted(people.strangers, "item")
        problem = f"{n} of its files of items {'is' if people.strangers == 1 else 'are'} nobody's"
        raise InputError(
            problem, path=form.path, remedy="a release has no such items; copy it again"
        )
    return people


def _as_said(path: Path, form: Source | None, options: Mapping[str, Any]) -> tuple[Parts, Source]:
    """The files as the user says, and otherwise as the manifest says, which the user may look up."""
    known: dict[str, Any] = {}
    if form is not None and form.files and not options.get("items"):
        known["items"] = {file.part: file.path for file in form.files}
    known |= options
    reading = Options(
        *("long", check_separator(known.get("separator"))),
        *(known.get("record_column"), known.get("item_column")),
    )
    parts, found = read_parts(path, known.get("items"), reading, known.get("person_column"))
    named = {file.path.name for file in found.files}
    if form is not None and (left := [f.path.name for f in form.files if f.path.name not in named]):
        raise UndecidedError(
            f"{path}: its manifest lists {left[0]} as well, and what is proved of some files says nothing of "
            "all; name every file with --items, or none"
        )
    return parts, found


def _as_it_looks(path: Path, form: Source, *, same_bytes: bool) -> tuple[Parts, Source]:
    """The files as detection finds them, under the columns that the manifest names."""
    id_column, list_column, marked, mark = (
        (
            escape(form.id_column),
            escape(form.list_column),
            tuple(map(escape, form.marked)),
            escape(form.mark),
        )
        if form.safe_csv
        else (form.id_column, form.list_column, form.marked, form.mark)
    )
    opened = open_bytes(path)
    items = {}
    if not list_column and not form.files:
        problem = "names neither files of items nor a column of them"
        raise InputError(problem, path=manifest_path(path), remedy=GENUINE)
    if list_column:
        parts, found = read_parts(
            path, None, Options("long", None, id_column or None, list_column), None
        )
        table, items = parts.persons, dict(parts.items)
        _check_list_column(table, list_column, path)
    else:
        table = read_opened(opened, None)
        assert table.source is not None
        found = replace(table.source, format=PEOPLE, id_column=id_column)
    withheld = mark or ("" if found.container == "text" else None)
    columns = [table.column(name) for name in marked if name in table.names]
    table = table.with_columns(column.with_withheld(withheld) for column in columns)
    _check_form(found, form, same_bytes=same_bytes)
    files = []
    for file in form.files:
        record, item = file.columns
        _check_columns(file.path, record, item)
        records, own = read_items(file.path, Options("long", None, record, item))
        _check_form(own, file, same_bytes=same_bytes)
        items[file.part] = records
        files.append(replace(own, part=file.part))
    return Parts(table, items), replace(found, files=tuple(files))


def _check_list_column(table: Table, list_column: str, path: Path) -> None:
    """Raise if another column may as well hold the items, so that only the manifest knows which does."""
    others = [name for name in table.names if plain(name) in LIST_NAMES and name != list_column]
    if others:
        raise UndecidedError(
            f"{path}: column {others[0]!r} could hold the items as well as {list_column!r}, which its "
            "manifest names; say which it is: --item-column"
        )


def _check_form(found: Source, form: Source, *, same_bytes: bool) -> None:
    """Raise if a file is not of the form that its manifest describes."""
    if not same_bytes:
        return
    separators = [each.separator if each.container == "text" else "" for each in (found, form)]
    same = (found.container, found.compression) == (form.container, form.compression)
    if not same or separators[0] != separators[1]:
        raise UndecidedError(
            f"{form.path}: the file and its manifest do not agree on how it is to be read; {GENUINE}, or say "
            "how it is read (--items, --record-column, --item-column, --separator)"
        )


def _check_columns(path: Path, record: str, item: str) -> None:
    """Refuse a file of items with other columns than the person and the item."""
    opened = open_bytes(path)
    if opened.is_parquet or not _is_csv(opened):
        names = (*read_opened(opened, None, but=(item,)).names, item)
    else:
        names = tuple(open_sheet(text_of(opened), Options()).columns)
    if set(names) != {record, item} or len(names) != 2:
        others = [name for name in names if name not in (record, item)]
        problem = f"has other columns than {record!r} and {item!r}: {', '.join(map(repr, others))}"
        raise InputError(problem, path=path, remedy=GENUINE)


def _is_csv(opened: Any) -> bool:
    return not text_of(opened).data.lstrip().startswith(b"{")


def files_beside(path: Path, form: Source | None) -> list[str]:
    """Warnings about files that look like items of the release and are not proved with it."""
    known = {each.path.name for each in form.files} if form is not None else set()
    pattern = part_pattern(path)
    try:
        there = sorted(os.listdir(path.parent))
    except OSError:
        return []
    others = [name for name in there if pattern.fullmatch(name) and name not in known]
    return [
        f"{name} is beside it but not part of this release, so nothing is proved about the two together"
        for name in others
        if not manifest_path(path.with_name(name)).exists()
    ]


def read_then(path: Path | None) -> dict[str, Any]:
    """How the originals of a release were read, as its internal manifest says; nothing if there is none."""
    internal = None if path is None else read_internal(internal_of(path))
    policy = {} if internal is None else internal["policy"]
    known = (
        *ONLY_PEOPLE,
        "dates",
        "date_column",
        *OF_FILES,
        "record_column",
        "item_column",
        "skip_missing_ids",
        "allow_unknown",
    )
    then = {name: policy.get(name.replace("_", "-")) for name in known}
    return {name: value for name, value in then.items() if value is not None}
