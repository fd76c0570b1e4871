"""How the columns of tables and people are prepared: options that several methods share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from withhold.options import Option


@dataclass(frozen=True, kw_only=True)
class TableReading:
    """How the columns of a table are prepared; read once, whatever is varied."""

    drop: Annotated[
        Sequence[str],
        Option(
            "Columns to leave out, such as names, with commas between.",
            kind="columns",
            varies=False,
        ),
    ] = ()
    bin: Annotated[
        Sequence[str],
        Option(
            "age=5: ranges of that width; age=18,65: cut at these edges; income=quantiles:10; for dates "
            "born=month, year, decade or 5y; born=age:admitted:5: the age at another column's date, five "
            "years wide. May be repeated.",
            kind="repeated",
            varies=False,
        ),
    ] = ()
    mark: Annotated[
        str | None,
        Option(
            "What stands for a withheld cell; an empty field or null if not given.", varies=False
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class PeopleReading(TableReading):
    """The same for people, whose items may be in other files."""

    items: Annotated[
        Sequence[str],
        Option(
            "A file with the items of the persons in DATA, one a row; may be repeated, and named: NAME=FILE. "
            "Of several, each item begins with the name of its file. If not given, DATA has a column of "
            "items (--item-column).",
            kind="files",
            varies=False,
        ),
    ] = ()
    person_column: Annotated[
        str | None,
        Option(
            "The column of DATA that holds the persons' ids, if its name differs from that in the items.",
            varies=False,
        ),
    ] = None
    dates: Annotated[
        str | None,
        Option(
            "Publish when persons had their items, as asthma@2015-2019 beside asthma: month, year, decade or "
            "a number of years such as 5y. If not given, dates of items are left out.",
            varies=False,
        ),
    ] = None
    date_column: Annotated[
        str | None,
        Option("The column of the items that holds their dates.", varies=False),
    ] = None
