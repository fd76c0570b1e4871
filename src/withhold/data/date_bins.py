"""Dates into months, years and longer periods, or into the age on another day; on request.

In: a column of dates as texts. Out: the column with periods, or ranges of ages, as texts, and how to request
the same again, with the order of day and month if the dates of the column determined it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np

from withhold.data.binning import Bins, read_cells
from withhold.data.dates import ORDERS, Order, age, fitting_orders, read_date
from withhold.data.names import is_unknown
from withhold.data.table import WITHHELD, Column, Table, Value
from withhold.data.unknown import missing_column
from withhold.errors import InputError

UNITS: Mapping[str, int] = {"day": 0, "month": 0, "year": 1, "decade": 10}
"""Periods by name, and how many years each spans."""
ORDER = "|".join(ORDERS)
PERIOD = re.compile(rf"({'|'.join(UNITS)}|[1-9]\d{{0,2}}y)(?::({ORDER}))?")
AGE = re.compile(
    rf'age:(?:"((?:[^"]|"")+)"|([^:"]+))(?::(?!{ORDER})((?:edges:)?[^:]+))?(?::({ORDER}))?'
)


@dataclass(frozen=True)
class Periods:
    """Days, months, or a number of years."""

    unit: str
    """``day``, ``month``, ``year``, ``decade``, or a number of years such as ``5y``."""
    order: Order | None = None

    def __str__(self) -> str:
        return self.unit if self.order is None else f"{self.unit}:{self.order}"

    def name(self, day: date) -> str:
        """The period that a day is in.

        >>> [Periods(unit).name(date(1987, 3, 9)) for unit in ("month", "year", "decade", "5y")]
        ['1987-03', '1987', '1980-1989', '1985-1989']
        """
        if self.unit == "day":
            return day.isoformat()
        if self.unit == "month":
            return day.isoformat()[:7]
        years = UNITS.get(self.unit) or int(self.unit[:-1])
        first = day.year // years * years
        return f"{first:04}" if years == 1 else f"{first:04}-{first + years - 1:04}"

    def cut(self, column: Column, table: Table) -> tuple[Column, Periods]:
        """The column with every date replaced by its period."""
        days, order = read_dates(column, table, self.order, str(self), seen=self.name)
        names = {value: self.name(day) for value, day in days.items()}
        return column.mapped(lambda value: names.get(value, value)), replace(self, order=order)


@dataclass(frozen=True)
class Ages:
    """Whole years from the dates of a column to those of another one, or to a day; in ranges."""

    at: str
    """The other column, or a day such as ``2020-01-01``."""
    bins: Bins
    order: Order | None = None

    def __str__(self) -> str:
        at = '"' + self.at.replace('"', '""') + '"' if set(self.at) & set(':"') else self.at
        return f"age:{at}:{self.bins}" + ("" if self.order is None else f":{self.order}")

    def cut(self, column: Column, table: Table) -> tuple[Column, Ages]:
        """The column with every date replaced by the age; if one of the two is missing, that is shown."""
        other = self._other(column, table)
        born, first = read_dates(column, table, self.order, str(self))
        when, second = read_dates(other, table, self.order, str(self))
        pairs = np.stack((column.codes, other.codes), axis=1)
        different, where = np.unique(pairs, axis=0, return_inverse=True)
        labels: list[Value] = []
        for one, two in different.tolist():
            value, day = column.values[one], other.values[two]
            if WITHHELD in (one, two):
                labels.append(None)
            elif value in born and day in when:
                years = age(born[value], when[day])
                if years < 0:
                    raise self._reversed(pairs, (one, two), column, table)
                labels.append(self.bins.name(Decimal(years), whole=self.bins.whole))
            else:
                labels.append(value if is_unknown(value) else day)
        made = Column.of(column.name, labels)
        codes = np.where((pairs == WITHHELD).any(axis=1), WITHHELD, made.codes[where.ravel()])
        order = first or second
        # One order is for both columns; if they differ, each column decides again.
        settled = order if None in (first, second) or first == second else None
        return Column(column.name, codes, made.values), replace(self, order=settled)

    def _other(self, column: Column, table: Table) -> Column:
        """The column of the other dates; a day that is named is the same in every row."""
        if self.at in table.names:
            return table.column(self.at)
        if read_date(self.at, ORDERS[0]) is None or read_date(self.at, ORDERS[1]) is None:
            raise missing_column(
                self.at, table.names, None if table.source is None else table.source.path
            )
        return Column(self.at, np.zeros(len(column.codes), dtype=np.int32), (self.at,))

    def _reversed(
        self, pairs: Any, pair: tuple[int, int], column: Column, table: Table
    ) -> InputError:
        row = int((pairs == np.array(pair)).all(axis=1).argmax()) + 1
        return InputError(
            f"row {row:,}: the date is after {self.at!r}, so there is no age",
            path=None if table.source is None else table.source.path,
            column=column.name,
            remedy="correct the row, or swap the two columns if they are in the wrong order",
        )


def read_dates(
    column: Column,
    table: Table,
    order: Order | None,
    asked: str,
    *,
    seen: Callable[[date], object] = lambda day: day,
) -> tuple[dict[Value, date], Order | None]:
    """The day of each value, and the order of day and month if it was given or only one fits.

    ``seen`` turns a day into what is shown: if that is the same in either order, nobody needs to be asked.
    """
    texts = read_cells(column, table, lambda text: _some_date(text, order), "date")
    if order is not None:
        return texts, order
    orders = fitting_orders(value for value in texts if value)
    path = None if table.source is None else table.source.path
    say = f"say which comes first: {column.name}={asked}:dmy (the day) or {asked}:mdy (the month)"
    if not orders:
        problem = "has dates with the day first and others with the month first"
        remedy = "write all of them as 2026-11-17"
        raise InputError(problem, path=path, column=column.name, remedy=remedy)
    for value in texts if len(orders) > 1 else ():
        assert value is not None  # it was read
        if len({seen(day) for each in orders if (day := read_date(value, each))}) > 1:
            problem = "has dates in which day and month cannot be distinguished"
            raise InputError(problem, path=path, column=column.name, value=value, remedy=say)
    found = {value: read_date(value, orders[0]) for value in texts if value}
    days: dict[Value, date] = {value: day for value, day in found.items() if day is not None}
    return days, orders[0] if len(orders) == 1 else None


def _some_date(text: str, order: Order | None) -> date | None:
    for each in ORDERS if order is None else (order,):
        if (day := read_date(text, each)) is not None:
            return day
    return None
