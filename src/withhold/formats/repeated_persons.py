"""Whether persons have several records, judged by a column other than the record ids.

In: the columns of a file by name, and which of them define the records. Out: a warning if a column of
persons' ids has fewer of them than there are records; of a table, the reasons to stop. A promise is about
records, so it protects a person only if each person has one; an order is not a person.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from withhold.data.array_types import Ints
from withhold.data.identifying import ANSWERS, FEWEST, looks_identifying, too_many
from withhold.data.person_names import may_name_kinds, names_persons
from withhold.data.repeats import Repeat
from withhold.data.table import Column, Table
from withhold.errors import DoubtWarning, option

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


def several_records(
    path: str | None, name: str, persons: polars.Series, records: polars.Series | None = None
) -> tuple[str, ...]:
    """What is warned of if a column says that a person has several records.

    Without ``records``, each row is one.
    """
    filled = persons.is_not_null() & (persons.cast(str).str.strip_chars() != "")
    different = persons.filter(filled).unique().cast(str).to_list()
    found = len(different)
    n_records = int(filled.sum()) if records is None else records.filter(filled).n_unique()
    if not _repeat(name, different, n_records):
        return ()
    place = f"{path}: " if path else ""
    problem = (
        f"{place}each record is taken for a person, but column {name!r} names {found:,} persons in "
        f"{n_records:,} records, and whoever has several is not protected as one; make one record of "
        f"each person{'' if records is None else ': ' + option('record_column', name)}"
    )
    warn(problem)
    return (problem,)


def several_rows(table: Table, drop: Collection[str] = ()) -> list[Repeat]:
    """Why a person may have several rows, judged by ids, and by columns that are about to be dropped."""
    named = person_columns(table.names)
    others = [name for name in drop if name in table.names and name not in named]
    found = []
    for name in named:
        counts = _counts(table.column(name))
        if _repeat(name, counts, sum(counts.values())):
            found.append(_several(table, name, counts, "names"))
    reasons = looks_identifying(table, others)
    for name in others:
        counts = _counts(table.column(name))
        # Few persons share a name, while a ward has many rows.
        if not 2 * len(counts) <= sum(counts.values()) <= ROWS_OF_A_PERSON * len(counts):
            continue
        settled = _settled_by(table, table.column(name), drop)
        if reasons.get(name, "").startswith(PEOPLE):
            told = "looks like an identifier: if it stands for persons, it names"
            found.append(_several(table, name, counts, told, settled))
        elif settled:
            told = "settles all quasi-identifiers, as a person's id does: it names"
            found.append(_several(table, name, counts, told, settled, is_noted=False))
    return found


def _counts(column: Column) -> dict[str, int]:
    pairs = zip(column.values, column.counts.tolist(), strict=True)
    return {value: count for value, count in pairs if value and count}


def _several(
    table: Table,
    name: str,
    counts: Mapping[str, int],
    told: str,
    columns: frozenset[str] | None = None,
    *,
    is_noted: bool = True,
) -> Repeat:
    path = "" if table.source is None else f"{table.source.path}: "
    problem = (
        f"{path}each row is taken for a person, but column {name!r} {told} {len(counts):,} persons in "
        f"{sum(counts.values()):,} rows, and whoever has several counts as several, so that k rows may be "
        "one person's"
    )
    return Repeat(problem, "keep one row of each person", columns, is_noted)


def _settled_by(table: Table, column: Column, drop: Collection[str]) -> frozenset[str]:
    """The other columns that are equal in all rows with one value of this, if those say different things.

    A postcode settles the town and the land, but the town settles the land, too. What settles age and sex, of
    which neither settles the other, is a person.
    """
    filled = [code for code, value in enumerate(column.values) if value and column.counts[code]]
    if len(filled) < FEWEST:
        return frozenset()
    rows = np.isin(column.codes, filled)
    of_row = column.codes[rows]
    first = np.unique(of_row, return_index=True)[1]
    rest = [
        other for other in table.columns if other.name != column.name and other.name not in drop
    ]
    settled = {
        each.name: codes[first] for each in rest if settles(of_row, codes := each.codes[rows])
    }
    different = any(
        not settles(one, other) and not settles(other, one)
        for one, other in combinations(settled.values(), 2)
    )
    return frozenset(settled) if different else frozenset()


def settles(codes: Ints, others: Ints) -> bool:
    """Whether rows that agree in the first codes agree in the others."""
    codes = codes - codes.min(initial=0)  # a withheld cell has -1
    of_code = np.zeros(int(codes.max(initial=0)) + 1, dtype=others.dtype)
    of_code[codes] = others
    return bool((of_code[codes] == others).all())


def _repeat(name: str, persons: Collection[str], n_records: int) -> bool:
    """Whether these are persons, several of them, and some have more than one record."""
    if not 1 < len(persons) < n_records:
        return False
    if may_name_kinds(name):
        return too_many(len(persons), n_records)
    return not all(value.strip().casefold() in ANSWERS for value in persons)


def warn(text: str) -> None:
    """Warn the custodian; on the command line, the word *warning* comes first."""
    warnings.warn(text, DoubtWarning, stacklevel=2)
