"""The mark that a file shows for a withheld cell: tables may have one, records of items may not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from withhold.data.people import People
from withhold.data.records import Records
from withhold.data.table import Table
from withhold.errors import PolicyError


def with_marks(table: Table, model: Any, mark: str | None) -> Table:
    """The table in which quasi-identifiers that show the mark count as withheld, if there is a mark."""
    return table if mark is None else table.with_marks(mark, model.quasi_identifiers)


def people_with_marks(people: People, model: Any, mark: str | None) -> People:
    """The people; cells that the model may withhold count as withheld if they show the mark."""
    if mark is None:
        return people
    return replace(people, attributes=people.attributes.with_marks(mark, model.withheld_columns))


def without_marks(records: Records, model: Any, mark: str | None) -> Records:
    """The records themselves; refuses a mark."""
    if mark is not None:
        raise PolicyError(f"a mark is for the cells of a table; {model.name} is about records")
    return records
