"""Rows of items with their dates, on request: such a row holds ``asthma`` and also ``asthma@2015-2019``.

In: the columns of a file or frame with a row for each item of a person. Out: the same columns without the
dates, and with further rows for the dated items. A row without a date has the item alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING

from withhold.data.date_bins import PERIOD, Periods
from withhold.data.dated_items import BETWEEN, undated
from withhold.data.dates import ORDERS, fitting_orders, read_date
from withhold.data.names import clean, is_unknown
from withhold.data.tree_building import some
from withhold.errors import InputError, PolicyError, option
from withhold.formats.columns import Columns, Options, find_column, long_columns, only_column, plain
from withhold.formats.items import series_names

if TYPE_CHECKING:
    import polars

NOUNS = (
    "date",
    "datetime",
    "day",
    "month",
    "onset",
    "recorded",
    "start",
    "started",
    "timestamp",
    "year",
)
DATE_NAMES = frozenset(
    (*NOUNS, *(f"{noun}{ending}" for noun in (*NOUNS, "admission", "diagnosis", "event", "prescription")
               for ending in ("date", "time", "on", "at")))
)  # fmt: skip
"""What a column of dates is usually called."""
COARSE = re.compile(r"(\d{4})(?:-(\d{2}))?", re.ASCII)
"""A date that is only a year, or a year and a month."""


def parse_dates(written: str | None) -> Periods | None:
    """The length of the periods that replace dates: month, year, decade, or a number of years.

    >>> print(parse_dates("5y"), parse_dates("year:dmy"), parse_dates(None))
    5y year:dmy None
    """
    if written is None:
        return None
    found = PERIOD.fullmatch(written.strip())
    if found is None or found[1] == "day":
        problem = "a day reveals too much" if found else f"{written!r} is no period"
        raise PolicyError(
            f"{option('dates')}: {problem}; say month, year, decade or a number of years such as 5y, and "
            "5y:dmy or 5y:mdy where the order of day and month is open"
        )
    return Periods(found[1], found[2])  # type: ignore[arg-type]  # the pattern allows only valid orders


class DatedRows(Columns):
    """The record and item columns of a source, its rows first and then the dated ones."""

    separator = " "

    def __init__(self, source: Columns, options: Options) -> None:
        import polars as pl

        self.path, self._source, self.separator = source.path, source, source.separator
        record, item = long_columns(source.columns, options, source.path)
        self.columns = [record, item]
        column = _date_column(source, options, (record, item))
        names = series_names(source.column(item), source, item)
        self._refuse_dated(names, item)
        assert options.dates is not None
        period_of = _periods(source, column, options.dates)
        cells = [period_of.get(text) for text in _texts(source, column)]
        rows = [
            row for row, (name, period) in enumerate(zip(names, cells, strict=True))
            if period is not None and name and clean(name)
        ]  # fmt: skip
        dated = [f"{clean(names[row])}{BETWEEN}{cells[row]}" for row in rows]
        self._rows = [*range(len(names)), *rows]
        records = source.column(record)
        self._ready = {
            record: pl.concat([records, records.gather(rows)]),
            item: pl.concat([names, pl.Series(item, dated, dtype=pl.String)]),
        }

    def column(self, name: str) -> polars.Series:
        """The cells of a column."""
        return self._ready[name]

    def line(self, row: int) -> int | None:
        """The line of the row, or of the one that has the date."""
        return self._source.line(self._rows[row])

    def _refuse_dated(self, names: polars.Series, column: str) -> None:
        if taken := sorted(n for n in names.unique().drop_nulls() if undated(clean(n)) is not None):
            raise self.error(
                f"some items look as if they had a date already: {some(taken)}",
                f"rename them, or leave {option('dates')} out",
                column=column,
            )


def _date_column(source: Columns, options: Options, others: tuple[str, str]) -> str:
    """The column of dates: the one the user named, or the one with a usual name."""
    header = source.columns
    if options.date_column is not None:
        found = [find_column(options.date_column, header, source.path)]
    else:
        found = [name for name in header if plain(name) in DATE_NAMES and name not in others]
    if found and found[0] in others:
        raise source.error(
            f"column {found[0]!r} holds the {'persons' if found[0] == others[0] else 'items'}, not dates",
            f"name another column with {option('date_column')}",
        )
    remedy = f"name the one you mean with {option('date_column')}"
    dates = {"alike": "that of the dates", "holding": "the dates", "remedy": remedy}
    return only_column(found, header, source.path, **dates)


def _texts(source: Columns, column: str) -> list[str | None]:
    """The cells of the column as texts; dates of a frame in ISO 8601."""
    import polars as pl

    series = source.column(column)
    texts: list[str | None] = series.cast(pl.String, strict=False).to_list()
    return texts


def _periods(source: Columns, column: str, dates: Periods) -> Mapping[str | None, str]:
    """The period of each text that is a date; refuses what is neither a date nor blank."""
    texts = _texts(source, column)
    known = {text: text.strip() for text in texts if text is not None and not is_unknown(text)}
    found: dict[str | None, str] = {}
    days = {}
    for text, bare in known.items():
        if coarse := COARSE.fullmatch(bare):
            found[text] = _of_coarse(source, column, dates, texts.index(text), coarse)
        elif any(read_date(bare, order) is not None for order in ORDERS):
            days[text] = bare
        else:
            raise _at(source, column, texts.index(text), bare, "is not a date",
                      "correct the cell, write it as 2026-11-17, or leave it empty")  # fmt: skip
    orders = [dates.order] if dates.order else fitting_orders(days.values())
    if not orders:
        problem = "has dates with the day first and others with the month first"
        raise source.error(problem, "write all of them as 2026-11-17", column=column)
    for text, bare in days.items():
        names = {dates.name(day) for order in orders if (day := read_date(bare, order)) is not None}
        if len(names) != 1:
            unit = dates.unit
            problem = (
                "could have the day or the month first" if names else "is not a date in that order"
            )
            either = (option("dates", f"{unit}:{order}") for order in ORDERS)
            remedy = f"say which comes first: {' or '.join(either)}"
            raise _at(source, column, texts.index(text), bare, problem, remedy)
        found[text] = names.pop()
    return found


def _of_coarse(source: Columns, column: str, dates: Periods, row: int, found: re.Match[str]) -> str:
    """The period of a year or a month; refused if it is coarser than the requested period."""
    year, month = int(found[1]), int(found[2] or 1)
    if not year or not 1 <= month <= 12:
        raise _at(
            source, column, row, found[0], "is not a date", "correct the cell, or leave it empty"
        )
    if dates.unit == "month" and found[2] is None:
        remedy = f"ask for periods that the data can tell: {option('dates', 'year')}"
        raise _at(source, column, row, found[0], "is a year without a month", remedy)
    return dates.name(date(year, month, 1))


def _at(
    source: Columns, column: str, row: int, value: str, problem: str, remedy: str
) -> InputError:
    """What is wrong with a cell; by its row if there are no lines."""
    line = source.line(row)
    told = problem if line is not None else f"row {row + 1:,}: {problem}"
    return source.error(told, remedy, line=line, column=column, value=value)
