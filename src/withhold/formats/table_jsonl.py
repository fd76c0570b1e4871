"""Tables as JSON lines: an object for each row, its keys the columns.

Numbers are kept as they are spelt (1.10 stays 1.10), and a key that an object lacks is a null.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from withhold.data import Source, Table
from withhold.data.table import TEXT, Column, Value
from withhold.errors import InputError
from withhold.formats.items import check_encodable
from withhold.formats.opening import Text

NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")


class Spelt(str):
    """A number as it is spelt in the file."""

    __slots__ = ()


def read_text(text: Text) -> Table:
    """The table in a file of JSON lines."""
    cells: dict[str, list[Value]] = {}
    kinds: dict[str, set[str]] = {}
    n_rows = 0
    data = Text(text.data.rstrip(b"\n \t"), text.path)
    for number, line in enumerate(data.lines(), start=1):
        for name, value in _loaded(line, number, text.path).items():
            column = cells.setdefault(name, [])
            column += [None] * (n_rows - len(column))
            kind, spelt = _cell(value, name, number, text.path)
            column.append(spelt)
            kinds.setdefault(name, set()).add(kind)
        n_rows += 1
    columns = []
    for name, column in cells.items():
        column += [None] * (n_rows - len(column))
        columns.append(Column.of(name, column, _kind(kinds[name] - {""}, name, text.path)))
        check_encodable((name, *filter(None, columns[-1].values)), path=text.path)
    if not columns:
        raise InputError("holds no columns", path=text.path, remedy='write {"column": "cell", …}')
    return Table(tuple(columns))


def lines(table: Table, form: Source) -> Iterator[str]:
    """The lines of the file, each with its end; a withheld cell is null or the mark."""
    withheld = json.dumps(form.mark, ensure_ascii=False) if form.mark else "null"
    spelt = []
    for column in table.columns:
        # A column of numbers with a mark in it would be of two kinds, so it becomes one of texts.
        mixed = bool(form.mark) and bool(column.withheld.any())
        plain = (
            column.kind != TEXT and not mixed and all(map(_is_literal, filter(None, column.values)))
        )
        key = json.dumps(column.name, ensure_ascii=False) + ": "
        texts = [
            key + ("null" if v is None else v if plain else json.dumps(v, ensure_ascii=False))
            for v in column.values
        ]
        spelt.append([(*texts, key + withheld)[code] for code in column.codes.tolist()])
    for row in zip(*spelt, strict=True):
        yield "{" + ", ".join(row) + "}\n"


def _is_literal(value: str) -> bool:
    return value in ("true", "false") or NUMBER.fullmatch(value) is not None


def _loaded(line: str, number: int, path: str) -> dict[str, Any]:
    reason = "an object is expected"
    try:
        value = json.loads(line, parse_int=Spelt, parse_float=Spelt, parse_constant=Spelt)
    except (ValueError, RecursionError) as error:
        value, reason = None, str(error) if line.strip() else "the line is empty"
    if isinstance(value, dict):
        return value
    raise InputError(
        f"is not a row: {reason}",
        path=path,
        line=number,
        value=line,
        remedy='write each row as {"column": "cell", …} on a line of its own',
    )


def _cell(value: Any, name: str, number: int, path: str) -> tuple[str, Value]:
    """What kind of cell it is, and its text."""
    if value is None:
        return "", None
    if isinstance(value, Spelt):
        whole = value.lstrip("-").isdigit()
        return ("Int64" if whole else "Float64"), str(value)
    if isinstance(value, bool):
        return "Boolean", "true" if value else "false"
    if isinstance(value, str):
        return TEXT, value
    raise InputError(
        "a cell is neither text nor a number",
        path=path,
        line=number,
        column=name,
        value=json.dumps(value),
        remedy="leave the column out (drop=, --drop), or write one value in each cell",
    )


def _kind(kinds: set[str], name: str, path: str) -> str:
    if len(kinds) <= 1:
        return next(iter(kinds), TEXT)
    if kinds == {"Int64", "Float64"}:
        return "Float64"
    raise InputError(
        "holds texts in some rows and numbers or truth values in others",
        path=path,
        column=name,
        remedy="write all cells of a column in the same way",
    )
