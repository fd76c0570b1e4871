"""Whether the rows of a table are persons: copies of rows, and several rows of one person.

In: a table as read, and the columns that are about to be dropped. Out: the same table, which knows the
reasons why they are not; a release stops at them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from withhold.data import Table
from withhold.data.repeats import Repeat
from withhold.formats.repeated_persons import several_rows, warn
from withhold.formats.repeated_rows import copied_rows


def with_repeats(table: Table, drop: Collection[str] = ()) -> Table:
    """The table, with the reasons why its rows may not be persons; warns of those worth a warning."""
    found = repeats_in(table, drop)
    warn_of(found)
    return replace(table, repeats=found)


def repeats_in(table: Table, drop: Collection[str] = ()) -> tuple[Repeat, ...]:
    """Why the rows of a table, some columns of which are about to be dropped, may not be persons."""
    before = copied_rows(table) if table.repeats is None else table.repeats
    return tuple(dict.fromkeys((*before, *several_rows(table, drop))))


def warn_of(found: Iterable[Repeat]) -> None:
    """Warn of those that are worth a warning."""
    for each in found:
        if each.is_noted:
            warn(each.problem)
