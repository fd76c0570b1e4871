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
            "Columns to leave out, such as names.",
            kind="columns",
            varies=False,
        ),
    ] = ()
    bin: Annotated[
        Sequence[str],
        Option(
            "Coarser values: age=5 (width), age=18,65 (edges), income=quantiles:10, born=year. May be "
            "repeated.",
            kind="repeated",
            varies=False,
        ),
    ] = ()
    mark: Annotated[
        str | None,
        Option("Text of a withheld cell (default: empty).", varies=False),
    ] = None


@dataclass(frozen=True, kw_only=True)
class PeopleReading(TableReading):
    """The same for people, whose items may be in other files."""

    items: Annotated[
        Sequence[str],
        Option(
            "The persons' items, one per row: FILE or NAME=FILE, may be repeated. If not given, DATA "
            "has a column of items (--item-column).",
            kind="files",
            varies=False,
        ),
    ] = ()
    person_column: Annotated[
        str | None,
        Option(
            "Column of DATA with the persons' ids, if named otherwise in the items.",
            varies=False,
        ),
    ] = None
    dates: Annotated[
        str | None,
        Option(
            "Publish dates of items, as asthma@2015-2019: by month, year, decade or 5y; else left out.",
            varies=False,
        ),
    ] = None
    date_column: Annotated[
        str | None,
        Option("Column of the items that holds their dates.", varies=False),
    ] = None
