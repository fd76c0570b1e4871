"""JSON lines: each line an array of items, or an object with the items and the record's name.

Names may hold commas, quotes and line ends; one that is empty is refused as a null is. A line is a record;
an empty record is ``[]``, and an empty line is an error, unless it is the last.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import compress
from typing import Any

from withhold.data import Records, Source
from withhold.errors import InputError, option
from withhold.formats.columns import Options
from withhold.formats.ids import record_names, with_id
from withhold.formats.items import check_encodable, item_name
from withhold.formats.opening import Text
from withhold.formats.rows import Parsed, parsed_from_names

DEFAULT_ITEMS, DEFAULT_RECORD = "items", "record"


def read_text(text: Text, options: Options) -> Parsed:
    """The rows of a file of JSON lines."""
    item = options.item_column or DEFAULT_ITEMS
    record = options.record_column or DEFAULT_RECORD
    rows: list[list[str]] = []
    has_ids = False
    ids: list[str | None] = []
    data = Text(text.data.rstrip(b"\n \t"), text.path)
    for number, line in enumerate(data.lines(), start=1):
        value = _loaded(line, number, text.path)
        if isinstance(value, dict):
            ids.append(_id_of(value, record, number, text.path))
            has_ids = has_ids or record in value
            value = _items_of(value, item, number, text.path)
        else:
            ids.append(None)
        rows.append([_name(each, number, text.path) for each in value])
    if options.record_column is not None and not has_ids:
        raise InputError(f"no record has a {record!r}", path=text.path)
    objects = data.data.lstrip().startswith(b"{")
    columns = ((record, item) if has_ids else (item,)) if objects else ()
    if not has_ids:
        parsed = parsed_from_names(rows, columns=columns)
        check_encodable(parsed.vocabulary, path=text.path)
        return parsed
    kept = with_id(ids, options, path=text.path, column=record, line=lambda row: row + 1)
    n_read = len(rows)
    if kept is not None:
        rows, ids = list(compress(rows, kept)), list(compress(ids, kept))
    names = record_names([name for name in ids if name is not None], text.path)
    parsed = parsed_from_names(rows, record_ids=names, columns=columns, skipped=n_read - len(rows))
    check_encodable((*parsed.vocabulary, *names), path=text.path)
    return parsed


def write_text(table: Records, form: Source) -> Iterator[str]:
    """The lines of the file, each with its end: arrays, or objects where records have names."""
    columns = written_columns(table, form)
    ids = table.record_ids
    for number, row in enumerate(table.to_lists()):
        value: Any = row
        if ids is not None:
            value = {columns[0]: ids[number], columns[1]: row}
        elif columns:
            value = {columns[0]: row}
        yield json.dumps(value, ensure_ascii=False) + "\n"


def written_columns(table: Records, form: Source) -> tuple[str, ...]:
    """The keys of the objects in the file; none where it holds arrays."""
    item = form.columns[-1] if form.columns else DEFAULT_ITEMS
    if table.record_ids is None:
        return (item,) if form.columns else ()
    return (form.columns[0] if len(form.columns) == 2 else DEFAULT_RECORD, item)


def looks_like_jsonl(line: str) -> bool:
    """Whether a line is a JSON array or object."""
    if not line.lstrip().startswith(("[", "{")):
        return False
    try:
        return isinstance(json.loads(line), list | dict)
    except (ValueError, RecursionError):
        return False


def _loaded(line: str, number: int, path: str) -> Any:
    """The array or object on a line."""
    reason = "an array of items or an object is expected"
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        value, reason = None, str(error) if line.strip() else "the line is empty"
    if isinstance(value, list | dict):
        return value
    raise InputError(
        f"is not a line of JSON: {reason}",
        path=path,
        line=number,
        value=line,
        remedy='write each record as ["item", "item"] on a line of its own, an empty one as []',
    )


def _items_of(value: dict[str, Any], item: str, number: int, path: str) -> list[Any]:
    """The items of a record that is written as an object."""
    found = value.get(item)
    if isinstance(found, list):
        return found
    raise InputError(
        f"the object has no list under {item!r}; its keys are {', '.join(map(repr, value))}",
        path=path,
        line=number,
        remedy="name the key with " + option("item_column"),
    )


def _id_of(value: dict[str, Any], record: str, number: int, path: str) -> str | None:
    """The id of a record; None where it has none."""
    found = value.get(record)
    if found is None or isinstance(found, str):
        return found
    return item_name(found, path=path, line=number, column=record)


def _name(value: Any, number: int, path: str) -> str:
    if type(value) is str and value and not value.isspace():
        return value
    return item_name(value, path=path, line=number)
