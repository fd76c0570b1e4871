"""JSON lines, of records and of tables.

Records: each line an array of items, or an object with the items and the record's name. Names may hold
commas, quotes and line ends; one that is empty is refused as a null is. A line is a record; an empty one is
``[]``, and an empty line is an error, unless it is the last.

Tables: an object for each row, its keys the columns. Numbers are kept as they are spelt (1.10 stays 1.10),
and a key that an object lacks is a null.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from itertools import compress
from typing import Any

from withhold.data import Records, Source, Table
from withhold.data.table import TEXT, Column, Value
from withhold.errors import option
from withhold.formats import lists
from withhold.formats.columns import Options
from withhold.formats.items import check_encodable, item_name, record_names, with_id
from withhold.formats.opening import Text
from withhold.formats.repeated_persons import person_columns, several_records
from withhold.formats.rows import Parsed, parsed_from_names

NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")


class Spelt(str):
    """A number as it is spelt in the file."""

    __slots__ = ()


def read_text(text: Text, options: Options) -> Parsed:
    """The rows of a file of JSON lines."""
    import polars as pl

    item = options.item_column or lists.DEFAULT_ITEMS
    record = options.record_column or lists.DEFAULT_RECORD
    rows: list[list[str]] = []
    persons: dict[str, list[str | None]] = {}
    ids: list[str | None] = []
    has_ids = False
    for number, value in _loaded(text, list | dict, "a line of JSON", ARRAY, RECORD_REMEDY):
        name = None
        if isinstance(value, dict):
            has_ids = has_ids or record in value
            name = value.get(record)
            if name is not None and not isinstance(name, str):
                name = item_name(name, path=text.path, line=number, column=record)
            found = value.get(item)
            if not isinstance(found, list):
                keys = ", ".join(map(repr, value))
                problem = f"the object has no list under {item!r}; its keys are {keys}"
                raise text.error(problem, f"name the key with {option('item_column')}", line=number)
            for key in person_columns(value, record, item):
                own = value[key]
                if isinstance(own, str | int):
                    persons.setdefault(key, []).append(str(own))
            value = found
        ids.append(name)
        rows.append([_name(each, number, text.path) for each in value])
    if options.record_column is not None and not has_ids:
        raise text.error(f"no record has a {record!r}")
    names, n_read = None, len(rows)
    if has_ids:
        kept = with_id(ids, options, text, record, lambda row: row + 1)
        if kept is not None:
            rows, ids = list(compress(rows, kept)), list(compress(ids, kept))
        names = record_names([name for name in ids if name is not None], text.path)
    doubts = [
        doubt
        for key, found in persons.items()
        for doubt in several_records(text.path, key, pl.Series(found))
    ]
    is_objects = text.data.lstrip().startswith(b"{")
    columns = ((record, item) if has_ids else (item,)) if is_objects else ()
    parsed = parsed_from_names(
        rows,
        record_ids=names,
        columns=columns,
        skipped=n_read - len(rows),
        warnings=tuple(doubts),
    )
    check_encodable((*parsed.vocabulary, *(names or ())), path=text.path)
    return parsed


def write_text(records: Records, form: Source) -> Iterator[str]:
    """The lines of the file, each with its end: arrays, or objects where records have names."""
    columns = written_columns(records, form)
    ids = records.record_ids
    for number, row in enumerate(records.to_lists()):
        value: Any = row
        if ids is not None:
            value = {columns[0]: ids[number], columns[1]: row}
        elif columns:
            value = {columns[0]: row}
        yield json.dumps(value, ensure_ascii=False) + "\n"


def written_columns(records: Records, form: Source) -> tuple[str, ...]:
    """The keys of the objects in the file; none where it holds arrays."""
    arrays = records.record_ids is None and not form.columns
    return () if arrays else lists.written_columns(records, form)


def looks_like_jsonl(line: str) -> bool:
    """Whether a line is a JSON array or object."""
    if not line.lstrip().startswith(("[", "{")):
        return False
    try:
        return isinstance(json.loads(line), list | dict)
    except (ValueError, RecursionError):
        return False


def list_key(text: Text, remedy: str) -> str:
    """The one key of the objects under which there are lists."""
    found: dict[str, None] = {}
    for _, row in _loaded(text, dict, "a row", "an object", ROW_REMEDY):
        found |= dict.fromkeys(name for name, value in row.items() if isinstance(value, list))
    if len(found) != 1:
        several = f"several keys hold lists: {', '.join(map(repr, found))}"
        raise text.error(several if found else "no key holds lists", remedy)
    return next(iter(found))


def read_table_text(text: Text, but: Collection[str] = ()) -> Table:
    """The table in a file of JSON lines, without the keys ``but``."""
    cells: dict[str, list[Value]] = {}
    kinds: dict[str, set[str]] = {}
    n_rows = 0
    spelling = dict.fromkeys(("parse_int", "parse_float", "parse_constant"), Spelt)
    for number, row in _loaded(text, dict, "a row", "an object", ROW_REMEDY, **spelling):
        for name, value in row.items():
            if name in but:
                continue
            column = cells.setdefault(name, [])
            column += [None] * (n_rows - len(column))
            kind, spelt = _cell(value, name, number, text)
            column.append(spelt)
            kinds.setdefault(name, set()).add(kind)
        n_rows += 1
    columns = []
    for name, column in cells.items():
        column += [None] * (n_rows - len(column))
        columns.append(Column.of(name, column, _kind(kinds[name] - {""}, name, text)))
        check_encodable((name, *filter(None, columns[-1].values)), path=text.path)
    if not columns:
        raise text.error("holds no columns", 'write {"column": "cell", …}')
    return Table(tuple(columns))


def write_table_text(table: Table, form: Source) -> Iterator[str]:
    """The lines of the file, each with its end; a withheld cell is null or the mark."""
    withheld = json.dumps(form.mark, ensure_ascii=False) if form.mark else "null"
    spelt = []
    for column in table.columns:
        # A column of numbers with a mark in it would be of two kinds, so it becomes one of texts.
        mixed = bool(form.mark) and bool(column.withheld.any())
        literal = all(map(_is_literal, filter(None, column.values)))
        plain = column.kind != TEXT and not mixed and literal
        key = json.dumps(column.name, ensure_ascii=False) + ": "
        texts = [
            key + ("null" if v is None else v if plain else json.dumps(v, ensure_ascii=False))
            for v in column.values
        ]
        spelt.append([(*texts, key + withheld)[code] for code in column.codes.tolist()])
    for row in zip(*spelt, strict=True):
        yield "{" + ", ".join(row) + "}\n"


ARRAY = "an array of items or an object"
RECORD_REMEDY = 'write each record as ["item", "item"] on a line of its own, an empty one as []'
ROW_REMEDY = 'write each row as {"column": "cell", …} on a line of its own'


def _loaded(
    text: Text, kind: Any, what: str, expected: str, remedy: str, **parsers: Any
) -> Iterator[tuple[int, Any]]:
    """The value on each line, with the line's number; a value of another kind is refused."""
    for number, line in enumerate(Text(text.data.rstrip(b"\n \t"), text.path).lines(), start=1):
        reason = f"{expected} is expected"
        try:
            value = json.loads(line, **parsers)
        except (ValueError, RecursionError) as error:
            value, reason = None, str(error) if line.strip() else "the line is empty"
        if not isinstance(value, kind):
            raise text.error(f"is not {what}: {reason}", remedy, line=number, value=line)
        yield number, value


def _name(value: Any, number: int, path: str) -> str:
    if type(value) is str and value and not value.isspace():
        return value
    return item_name(value, path=path, line=number)


def _is_literal(value: str) -> bool:
    return value in ("true", "false") or NUMBER.fullmatch(value) is not None


def _cell(value: Any, name: str, number: int, text: Text) -> tuple[str, Value]:
    """What kind of cell it is, and its text."""
    if value is None:
        return "", None
    if isinstance(value, Spelt):
        return ("Int64" if value.lstrip("-").isdigit() else "Float64"), str(value)
    if isinstance(value, bool):
        return "Boolean", "true" if value else "false"
    if isinstance(value, str):
        return TEXT, value
    remedy = "leave the column out (drop=, --drop), or write one value in each cell"
    problem, shown = "a cell is neither text nor a number", json.dumps(value)
    raise text.error(problem, remedy, line=number, column=name, value=shown)


def _kind(kinds: set[str], name: str, text: Text) -> str:
    if len(kinds) <= 1:
        return next(iter(kinds), TEXT)
    if kinds == {"Int64", "Float64"}:
        return "Float64"
    problem = "holds texts in some rows and numbers or truth values in others"
    raise text.error(problem, "write all cells of a column in the same way", column=name)
