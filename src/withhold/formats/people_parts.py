"""Persons and items as files hold them, and side by side.

In: a table of persons and records of items under the persons' ids, or ``People``. Out: the other of the two.
If items come from several files, each item begins with the name of its file and a colon
(``drugs: aspirin``). Nothing here reads or writes files.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from withhold.data import People, Records, Source, Table
from withhold.data.names import clean_all, is_missing
from withhold.data.records import offsets_of
from withhold.data.table import Column
from withhold.describing import MARK
from withhold.errors import InputError, PolicyError, option
from withhold.formats.few_known import few_known
from withhold.formats.forms import PACKED
from withhold.formats.list_cells import joined_cells, split_cells
from withhold.wording import counted

PROPER = re.compile(r"[^./\\:\x00-\x1f]+")
"""Allowed names for a file of items: the name becomes part of a file's name and of items."""


class Parts(NamedTuple):
    """Persons and their items as files hold them."""

    persons: Table
    """With the column of ids and, in CSV, the column of items, where there is one."""
    items: Mapping[str, Records]
    """By file, under the persons' ids; a list column as the only one, a record for each person."""


def part_path(path: Path, part: str) -> Path:
    """``published.csv`` → ``published.drugs.csv``, the file for the items of a release of this name.

    >>> part_path(Path("published.csv.gz"), "drugs").name
    'published.drugs.csv.gz'
    """
    stem, ending = _split(path.name)
    return path.with_name(f"{stem}.{part}{ending}")


def part_pattern(path: Path) -> re.Pattern[str]:
    """The names that ``part_path`` gives."""
    stem, ending = _split(path.name)
    return re.compile(f"{re.escape(stem)}\\.({PROPER.pattern}){re.escape(ending)}")


def prefixes(form: Source | None) -> tuple[str, ...]:
    """The prefixes of items that come from several files."""
    files = () if form is None or len(form.files) < 2 else form.files
    return tuple(f"{file.part}{MARK}" for file in files)


def part_of(path: Path, persons: Path | None) -> str:
    """The name of a file of items: the file's own without its extension, or the one that a release gives it.

    >>> part_of(Path("in/drugs.csv"), None), part_of(Path("out.drugs.csv"), Path("out.csv"))
    ('drugs', 'drugs')
    """
    released = None if persons is None else part_pattern(persons).fullmatch(path.name)
    return released[1] if released else _split(path.name)[0].replace(".", "-")


def _split(name: str) -> tuple[str, str]:
    """A file's name without its extension, and the extension with the compression after it."""
    path = Path(name)
    packing = path.suffix if path.suffix.lower() in PACKED else ""
    path = path.with_suffix("") if packing else path
    return path.stem, path.suffix + packing


def check_parts(names: Sequence[str]) -> None:
    """Refuse names that cannot be part of a file's name, or that are given twice."""
    for name in names:
        if PROPER.fullmatch(name) is None or name != name.strip():
            raise PolicyError(
                f"items cannot be called {name!r}; give them a name without dots, colons and slashes: "
                f"{option('items', 'NAME=FILE')}"
            )
    # Some file systems do not distinguish upper and lower case.
    folded = [name.casefold() for name in names]
    if twice := [name for name in names if folded.count(name.casefold()) > 1]:
        raise PolicyError(
            f"two files of items are called {twice[0]!r}; give each a unique name: "
            f"{option('items', 'NAME=FILE')}"
        )


def join(parts: Parts, form: Source, *, allow_strangers: bool = True) -> People:
    """Persons and items side by side, in the order of the persons.

    Unless ``allow_strangers``, a file most of whose items belong to nobody is refused.
    """
    table = parts.persons
    if not form.files:
        return _with_lists(parts, form)
    ids = person_ids(table, form.id_column)
    row_of = {name: row for row, name in enumerate(ids)}
    rows, names, strangers, warnings = [], [], 0, []
    starts = prefixes(form) or ("",)
    for file, prefix in zip(form.files, starts, strict=True):
        records = parts.items[file.part]
        owners = np.array([row_of.get(name, -1) for name in records.record_ids or ()], np.int64)
        if (found_few := few_known(owners, records, ids, file, form)) is not None:
            found_few.refuse(allowed=allow_strangers)
            warnings.append(found_few.sentence())
        rows.append(np.repeat(owners, records.lengths))
        names.append([prefix + name for name in records.vocabulary])
    vocabulary = sorted({name for each in names for name in each})
    place = {name: code for code, name in enumerate(vocabulary)}
    codes = [
        np.array([place[name] for name in each] or [0], np.int32)[parts.items[file.part].items]
        for each, file in zip(names, form.files, strict=True)
    ]
    owner, code = np.concatenate(rows), np.concatenate(codes)
    strangers = int((owner < 0).sum())
    owner, code = owner[owner >= 0], code[owner >= 0]
    order = np.argsort(owner, kind="stable")
    lengths = np.bincount(owner, minlength=len(ids)).astype(np.int64)
    items = Records.from_codes(lengths, code[order], tuple(vocabulary))
    # Items that only unknown people have are left out.
    items = items.without_items(np.flatnonzero(items.supports == 0))
    found = parts.items.values()
    items = replace(
        items,
        repeated=sum(each.repeated for each in found),
        skipped_rows=sum(each.skipped_rows for each in found),
    )
    attributes = without_columns(table, form.id_column)
    return People(attributes, items, ids, form, strangers, warnings=tuple(warnings))


def _with_lists(parts: Parts, form: Source) -> People:
    """Persons whose items are in a column of their own table."""
    table = parts.persons
    ids = person_ids(table, form.id_column) if form.id_column else None
    if form.list_column in table.names:
        # A blank cell of a spreadsheet is not a string.
        cells = [cell or "" for cell in table.column(form.list_column).cells().tolist()]
        items, between = split_cells(cells, form)
        form = replace(form, variant=between)
    else:
        (items,) = parts.items.values()
    names = [name for name in (form.id_column, form.list_column) if name in table.names]
    return People(without_columns(table, *names), replace(items, record_ids=None), ids, form)


def without_columns(table: Table, *names: str) -> Table:
    """The table without these columns, which are not attributes."""
    others = tuple(each for each in table.columns if each.name not in names)
    if not others:
        path = None if table.source is None else table.source.path
        raise InputError(
            "has no attributes of persons", path=path, remedy="name the file of persons"
        )
    return replace(table, columns=others)


def person_ids(table: Table, column: str) -> tuple[str, ...]:
    """The persons' ids, one each."""
    path = None if table.source is None else str(table.source.path)
    cells = [cell or "" for cell in table.column(column).cells().tolist()]
    place: dict[str, Any] = {"path": path, "column": column}
    if missing := sum(map(is_missing, cells)):
        raise InputError(
            f"{counted(missing, 'person')} {'has' if missing == 1 else 'have'} no id",
            **place,
            remedy="give every person an id, or leave these rows out with "
            f"{option('skip_missing_ids', True)}",
        )
    ids = clean_all(cells, "ids of persons", path=path) if len(set(cells)) == len(cells) else cells
    if (n := len(ids) - len(set(ids))) > 0:
        first = Counter(ids).most_common(1)[0][0]
        raise InputError(
            f"{counted(n, 'row')} {'has' if n == 1 else 'have'} the id of another person",
            **place,
            value=first,
            remedy="name the file with one row for each person first, and those with a row for each item "
            f"with {option('items')}; or name the column of the persons' ids: {option('person_column')}",
        )
    return tuple(ids)


def split(people: People, form: Source) -> Parts:
    """Persons and items as a file of this form has them."""
    table, items = people.attributes, people.items
    ids = people.ids or tuple(str(number) for number in range(1, len(people) + 1))
    if form.id_column:
        table = replace(table, columns=(Column.of(form.id_column, ids), *table.columns))
    if not form.files:
        if form.container != "text":
            return Parts(table, {form.list_column: items})
        cells = joined_cells(items, form)
        return Parts(
            replace(table, columns=(*table.columns, Column.of(form.list_column, cells))), {}
        )
    named = replace(items, record_ids=ids, index=None, left_out=())
    if len(form.files) == 1:
        return Parts(table, {form.files[0].part: _occurring(named, form.files[0])})
    found, known = {}, 0
    for file, prefix in zip(form.files, prefixes(form), strict=True):
        codes = [code for code, name in enumerate(items.vocabulary) if name.startswith(prefix)]
        known += len(codes)
        others = np.setdiff1d(np.arange(items.n_items), codes)
        own = named.without_items(others)
        own = replace(own, vocabulary=tuple(name.removeprefix(prefix) for name in own.vocabulary))
        found[file.part] = _occurring(own, file)
    if known < items.n_items:
        names = ", ".join(file.part for file in form.files)
        raise PolicyError(f"some items do not begin with the name of a file of items: {names}")
    return Parts(table, found)


def _occurring(records: Records, file: Source) -> Records:
    """The records as a file has them: persons without items are named only by the file of persons."""
    if file.format == "jsonl":
        return records
    kept = records.lengths > 0
    return replace(
        records,
        offsets=offsets_of(records.lengths[kept]),
        record_ids=tuple(np.array(records.record_ids, dtype=object)[kept]),
    )
