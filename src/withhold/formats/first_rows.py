"""Names of columns that look like a row: the file may have no header, and its first row would be published.

In: a table or the columns of items, as read. Out: an error if their names look like data. A name that its own
column repeats is data in most files, but questions, years and codes can be named by numbers that occur below
them. So dates over dates and e-mail addresses are refused at once, all else only if most columns agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from withhold.data.identifying import DATE, SHARE
from withhold.data.identifying_items import EMAIL
from withhold.data.table import Column, Table
from withhold.errors import InputError
from withhold.formats.columns import Columns, plain
from withhold.formats.frames import Frame
from withhold.formats.header_names import ALONE, BESIDE
from withhold.wording import listing

if TYPE_CHECKING:
    import polars

NUMBER = re.compile(r"[-+]?\d+([.,]\d+)*")
DECIMAL = re.compile(r"[-+]?(\d{1,3}([.,]\d{3})*|\d+)[.,]\d+")
LOOKED_AT = 500
"""Different values of a column that are compared with its name."""
PLAIN_NUMBER = re.compile(r"[-+]?\d+([.,]\d+)?")
USUAL = ALONE | BESIDE
FEWEST_REPEATED = 2
"""At least this many columns must repeat their names; a single column must do so this often."""


class _Signs(NamedTuple):
    """Places of columns, from 1, by how their names look."""

    mails: list[int]
    dates: list[int]
    """Dates over dates."""
    decimals: list[int]
    """A decimal number over decimal numbers."""
    repeated: list[int]
    """One of the column's own values."""
    numbers: list[int]
    """A number over numbers that is none of the column's values."""
    judged: int
    """Columns with more than one value."""

    @property
    def are_data(self) -> bool:
        """Whether the names are a row rather than a header."""
        fits = len(self.repeated) + len(self.numbers)
        most = len(self.repeated) >= FEWEST_REPEATED and 2 * fits >= self.judged
        only = len(self.repeated) == self.judged == 1
        return bool(self.mails or self.dates or self.decimals) or most or only

    @property
    def words(self) -> str:
        """What is wrong with which columns; none of the names, which may be somebody's data."""
        said = (
            (self.mails, "e-mail address"),
            (self.dates, "date, as its cells"),
            (self.decimals, "number, as its cells"),
            (self.repeated, "value that occurs below it"),
        )
        return "; ".join(
            f"the name of column{'' if len(places) == 1 else 's'} {listing(list(map(str, places)))} is "
            f"a{'n' if what[0] == 'e' else ''} {what}"
            for places, what in said
            if places
        )


def refuse_row_as_header(table: Table) -> None:
    """Stop if the names of the columns look like the first row of a file without a header."""
    signs = _signs(table.columns)
    if not signs.are_data:
        return
    form = table.source
    if form is None:
        what = "the names of the columns look like a row"
        remedy = "name the columns where the frame is read, in pandas with header=None and names="
    else:
        what = "the first line looks like a row, not like the names of the columns"
        remedy = (
            "add a first line that names each column; if this is that line, rename these columns"
        )
    is_text = form is not None and form.container == "text"
    path = None if form is None else form.path
    problem = f"{what}: {signs.words}"
    raise InputError(problem, path=path, line=1 if is_text else None, remedy=remedy)


def refuse_item_as_header(source: Columns, named: Mapping[str, polars.Series]) -> None:
    """Stop if the record or the item column is called by one of its own values, and by no usual name."""
    for name, cells in named.items():
        if plain(name) not in USUAL and (cells == name).any():
            raise source.error(
                "the first line looks like a row, not like the names of the columns: the name of this column "
                "is also one of its values",
                "add a first line such as record,item; if this is that line, rename the column",
                line=None if isinstance(source, Frame) else 1,
                column=name,
            )


def _signs(columns: Sequence[Column]) -> _Signs:
    """How the names of the columns look, each beside the values below it."""
    signs = _Signs([], [], [], [], [], 0)
    is_numbering = _is_numbering([column.name for column in columns])
    judged = 0
    for place, column in enumerate(columns, start=1):
        counts = column.counts.tolist()
        values = [value for value, n in zip(column.values, counts, strict=True) if value and n]
        name = column.name.strip()
        if EMAIL.fullmatch(name):
            signs.mails.append(place)
        if len(values) < 2:
            continue  # a checkbox, for example: cells repeat the column's name where it was ticked
        judged += 1
        tried = values[:: max(1, len(values) // LOOKED_AT)]
        is_number = NUMBER.fullmatch(name) is not None
        if _alike(DATE, name, tried):
            signs.dates.append(place)
        elif is_number and is_numbering:
            continue
        elif _alike(DECIMAL, name, tried):
            signs.decimals.append(place)
        elif name in values:
            signs.repeated.append(place)
        elif _alike(NUMBER, name, tried):
            signs.numbers.append(place)
    if _is_repeated_header([columns[place - 1] for place in signs.repeated]):
        signs.repeated.clear()
    return signs._replace(judged=judged)


def _is_repeated_header(columns: Sequence[Column]) -> bool:
    """Whether the names occur below only as whole rows, as in files joined with their headers."""
    found = sum(column.codes == column.values.index(column.name.strip()) for column in columns)
    if len(columns) < FEWEST_REPEATED:
        return int(np.sum(found)) < FEWEST_REPEATED
    return not np.any((found > 0) & (found < len(columns)))


def _alike(pattern: re.Pattern[str], name: str, values: Sequence[str]) -> bool:
    """Whether a name and most values look like this."""
    return bool(pattern.fullmatch(name)) and (
        sum(bool(pattern.fullmatch(value.strip())) for value in values) >= SHARE * len(values)
    )


def _is_numbering(names: Iterable[str]) -> bool:
    """Whether the numbers among the names number the columns, as years and questions do.

    >>> _is_numbering(["country", "2019", "2021", "2022"]), _is_numbering(["0", "1"])
    (True, True)
    >>> _is_numbering(["1940", "20144", "w"])
    False
    """
    found = [float(name.replace(",", ".")) for name in names if PLAIN_NUMBER.fullmatch(name)]
    steps = [after - before for before, after in pairwise(found)]
    return all(step > 0 for step in steps) and (len(steps) > 1 or steps == [1])
