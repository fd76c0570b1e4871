"""Numbers as texts: exact decimals, with a point or, as most of Europe writes them, with a comma.

In: cells as texts. Out: numbers, or texts with a point. Whether ``1,234`` is a little more than one or more
than a thousand cannot be seen in one cell: its comma is a decimal one if the user says so, or if another cell
of the column has one that can be nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from functools import partial

from withhold.data.names import is_unknown
from withhold.data.table import Column, Table, Value
from withhold.errors import PolicyError

LARGEST = Decimal(10) ** 15
"""Numbers beyond this are codes, not quantities, and their ranges would not be exact."""
COMMA, POINT = DECIMALS = ("comma", "point")
WITH_COMMA = re.compile(r"[-+]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?", re.ASCII)
"""A number whose decimals follow a comma; points may separate its thousands."""
CLEAR = re.compile(r"[-+]?(0,\d+|\d{4,},\d+|\d+,(\d{1,2}|\d{4,})|\d{1,3}(\.\d{3})+,\d+)", re.ASCII)
"""One in which the comma cannot separate thousands."""


def exact_decimal(text: str) -> Decimal | None:
    """The number that a text represents; None if it is none, or too large to be a quantity."""
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number) < LARGEST else None


def decimals_of(values: Iterable[str]) -> dict[str, Decimal | None]:
    """The number that each text of a column represents, with decimal commas if they are clear; None if none.

    >>> decimals_of(["2", "3,5"])["3,5"], decimals_of(["2", "3,500"])["3,500"]
    (Decimal('3.5'), None)
    """
    found = {value: exact_decimal(value) for value in values}
    # Values that mean "missing" say nothing about commas.
    told = [value for value in found if not is_unknown(value)]
    if not has_decimal_commas(told):
        return found
    return {value: exact_decimal(_with_point(value)) for value in found}


def has_decimal_commas(values: Iterable[str]) -> bool:
    """Whether texts are all numbers, at least one with a comma that cannot separate thousands."""
    clear = False
    for value in values:
        if not WITH_COMMA.fullmatch(value) or ("." in value and "," not in value):
            return False
        clear = clear or CLEAR.fullmatch(value) is not None
    return clear


def check_decimal(decimal: str | None) -> str | None:
    """The decimal mark; refuses anything but the two that are known."""
    if decimal not in (None, COMMA, POINT):
        raise PolicyError(f"the decimal mark is {COMMA} or {POINT}, not {decimal!r}")
    return decimal


def with_decimal_points(table: Table) -> Table:
    """The table with points in all columns of numbers with decimal commas, and none between thousands.

    >>> table = Table.from_columns({"height": ["1,8", "1.234,5", ""], "name": ["a,b", "1,8", ""]})
    >>> with_decimal_points(table).rows()
    [('1.8', 'a,b'), ('1234.5', '1,8'), ('', '')]
    """
    columns = []
    for column in table.columns:
        told = [v for v in column.values if v and not is_unknown(v)]
        if any("," in value for value in told) and all(map(WITH_COMMA.fullmatch, told)):
            new: dict[Value, str] = {value: _with_point(value) for value in told}
            column = column.mapped(partial(_changed, new))
        columns.append(column)
    source = None if table.source is None else replace(table.source, decimal=COMMA)
    return replace(table, columns=tuple(columns), source=source)


def comma_columns(table: Table) -> list[str]:
    """The columns that look like numbers with decimal commas."""
    return [column.name for column in table.columns if _looks_decimal(column)]


def _looks_decimal(column: Column) -> bool:
    return has_decimal_commas(v for v in column.values if v and not is_unknown(v))


def _changed(new: Mapping[Value, str], value: Value) -> Value:
    return new.get(value, value)


def _with_point(value: str) -> str:
    return value.replace(".", "").replace(",", ".")
