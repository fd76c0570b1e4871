"""Whether persons have several records, judged by a column other than the record ids.

In: the columns of a file by name, and which of them define the records. Out: a warning if a column of
persons' ids has fewer of them than there are records. A promise is about records, so it protects a person
only if each person has one; an order is not a person.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from withhold.data.identifying import ANSWERS, looks_identifying, too_many
from withhold.data.person_names import may_name_kinds, names_persons
from withhold.data.table import Table
from withhold.errors import AssumedWarning, option

if TYPE_CHECKING:
    import polars

ROWS_OF_A_PERSON = 10
"""A column that was left out holds persons if each value has at most this many rows on average."""
PEOPLE = (
    "has the name of an identifier",
    "holds e-mail",
    "holds names of people",
    "holds document",
    "holds UUIDs",
)
"""How the reasons begin for leaving out a column that identifies persons."""


def person_columns(header: Iterable[str], *but: str | None) -> list[str]:
    """The columns that are named like ids of persons, except those in ``but``."""
    return [name for name in header if name not in but and names_persons(name)]


def warn_of_several_records(
    path: str | None, name: str, persons: polars.Series, records: polars.Series | None = None
) -> None:
    """Warn if a column says that a person has several records; without ``records``, each row is one."""
    filled = persons.is_not_null() & (persons.cast(str).str.strip_chars() != "")
    different = persons.filter(filled).unique().cast(str).to_list()
    found = len(different)
    n_records = int(filled.sum()) if records is None else records.filter(filled).n_unique()
    if _repeat(name, different, n_records):
        _warn(
            path,
            f"each record is taken for a person, but column {name!r} names {found:,} persons in "
            f"{n_records:,} records, and whoever has several is not protected as one; make one record of "
            f"each person{'' if records is None else ': ' + option('record_column', name)}",
        )


def warn_of_several_rows(table: Table, drop: Collection[str] = ()) -> None:
    """Warn if a column of a table, also one that is left out, says that a person has several rows."""
    named = person_columns(table.names)
    others = [name for name in drop if name in table.names and name not in named]
    reasons = looks_identifying(table, others)
    for name in (*named, *(each for each, why in reasons.items() if why.startswith(PEOPLE))):
        column = table.column(name)
        pairs = zip(column.values, column.counts.tolist(), strict=True)
        counts = {value: count for value, count in pairs if value and count}
        n_rows = sum(counts.values())
        if name in named:
            repeats, names = _repeat(name, counts, n_rows), "names"
        else:
            # Few persons share a name, while a ward has many rows.
            repeats = 2 * len(counts) <= n_rows <= ROWS_OF_A_PERSON * len(counts)
            names = "looks like an identifier: if it stands for persons, it names"
        if repeats:
            path = None if table.source is None else str(table.source.path)
            _warn(
                path,
                f"each row is taken for a person, but column {name!r} {names} {len(counts):,} persons in "
                f"{n_rows:,} rows, and whoever has several counts as several, so that k rows may be one "
                "person's; keep one row of each person",
            )


def _repeat(name: str, persons: Collection[str], n_records: int) -> bool:
    """Whether these are persons, several of them, and some have more than one record."""
    if not 1 < len(persons) < n_records:
        return False
    if may_name_kinds(name):
        return too_many(len(persons), n_records)
    return not all(value.strip().casefold() in ANSWERS for value in persons)


def _warn(path: str | None, text: str) -> None:
    warnings.warn(f"{path}: {text}" if path else text, AssumedWarning, stacklevel=2)
