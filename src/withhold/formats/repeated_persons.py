"""Whether persons have several records: what a column beside the records' own says about it.

In: the columns of a file by name, and which of them make the records. Out: a warning where a column of
persons' ids has fewer of them than there are records. A promise is about records, so it protects a person
only if a person has one; an order is not a person.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from withhold.data.identifying import ANSWERS, too_many
from withhold.data.table import Table
from withhold.errors import AssumedWarning, option
from withhold.formats.columns import plain

if TYPE_CHECKING:
    import polars

PERSONS = (
    "account", "client", "customer", "employee", "member", "participant", "patient", "person", "respondent",
    "student", "subject", "user",
)  # fmt: skip
PERSON_NAMES = frozenset(
    {
        noun + ending
        for noun in PERSONS
        for ending in ("", "id", "no", "nr", "number", "key", "code")
    }
    | {"email", "mail", "mrn", "pid", "ssn"}
)
"""Names of columns that hold an id of each person."""
KINDS = frozenset({"account", "member", "subject", "user"})
"""Of these, a few values are kinds, such as gold members, rather than persons."""


def person_columns(header: Iterable[str], *but: str | None) -> list[str]:
    """The columns that are called like ids of persons, without those named."""
    return [name for name in header if name not in but and plain(name) in PERSON_NAMES]


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


def warn_of_several_rows(table: Table) -> None:
    """Warn if a column of a table says that a person has several rows."""
    for name in person_columns(table.names):
        column = table.column(name)
        pairs = zip(column.values, column.counts.tolist(), strict=True)
        counts = {value: count for value, count in pairs if value and count}
        n_rows = sum(counts.values())
        if _repeat(name, counts, n_rows):
            path = None if table.source is None else str(table.source.path)
            _warn(
                path,
                f"each row is taken for a person, but column {name!r} names {len(counts):,} persons in "
                f"{n_rows:,} rows, and whoever has several counts as several, so that k rows may be one "
                "person's; keep one row of each person",
            )


def _repeat(name: str, persons: Collection[str], n_records: int) -> bool:
    """Whether these are persons, several of them, and some have more than one record."""
    if not 1 < len(persons) < n_records:
        return False
    if plain(name) in KINDS:
        return too_many(len(persons), n_records)
    return not all(value.strip().casefold() in ANSWERS for value in persons)


def _warn(path: str | None, text: str) -> None:
    warnings.warn(f"{path}: {text}" if path else text, AssumedWarning, stacklevel=2)
