"""Records, or a table of columns, summarised in a handful of numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from withhold.arguments import checked
from withhold.data.hints import Hint, hints_of_column, hints_of_items
from withhold.data.identifying import determining_columns, looks_identifying
from withhold.data.people import People
from withhold.data.records import Records
from withhold.data.table import Column, Table

MOST_CELLS = 500_000_000
"""The most rows times pairs of columns that are compared; about a minute."""


@dataclass(frozen=True)
class Profile:
    """Rows, items, lengths and the most frequent items of records."""

    records: int
    items: int
    occurrences: int
    empty_records: int
    repeated: int
    skipped_rows: int
    """Rows that were left out because they name no record."""
    mean_length: float
    median_length: float
    longest: int
    lengths: tuple[tuple[int, int, int], ...]
    """Bins of the length distribution: from, to (both included), records."""
    top: tuple[tuple[str, int], ...]
    """The most frequent items with the number of records that hold them."""
    format: str
    """The format found, in words."""
    hints: tuple[Hint, ...] = ()
    """What to see to before publishing."""


def profile(records: Records, *, top: int = 10) -> Profile:
    """The profile of ``records``."""
    lengths = records.lengths
    supports = records.supports
    order = np.lexsort((np.arange(records.n_items), -supports))[:top]
    return Profile(
        records=len(records),
        items=int((supports > 0).sum()),
        occurrences=records.n_occurrences,
        empty_records=int((lengths == 0).sum()),
        repeated=records.repeated,
        skipped_rows=records.skipped_rows,
        mean_length=float(lengths.mean()) if len(records) else 0.0,
        median_length=float(np.median(lengths)) if len(records) else 0.0,
        longest=int(lengths.max(initial=0)),
        lengths=length_bins(np.bincount(lengths)),
        top=tuple(
            (records.vocabulary[code], int(supports[code])) for code in order if supports[code]
        ),
        format=_describe(records),
        hints=hints_of_items(records),
    )


def length_bins(counts: np.ndarray) -> tuple[tuple[int, int, int], ...]:
    """How many records have each length: single lengths up to 10, then ranges that double.

    Short records matter most, and tails are long.
    """
    longest = max(len(counts) - 1, 0)
    bins = [(edge, edge) for edge in range(min(longest, 10) + 1)]
    start = 11
    while start <= longest:
        end = (start - 1) * 2
        bins.append((start, min(end, longest)))
        start = end + 1
    return tuple((low, high, int(counts[low : high + 1].sum())) for low, high in bins)


SEPARATOR_NAMES = {" ": "space", ",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe"}
"""The names that ``--separator`` accepts."""


def _describe(records: Records) -> str:
    source = records.source
    if source is None:
        return "in memory"
    parts = [source.format]
    if source.format == "basket":
        parts.append(f"separated by {SEPARATOR_NAMES.get(source.separator, source.separator)}")
    elif source.columns:
        parts.append(f"columns {', '.join(source.columns)}")
    if source.container == "parquet":
        parts.append("parquet")
    if source.compression:
        parts.append(source.compression)
    return ", ".join(parts)


@dataclass(frozen=True)
class ColumnProfile:
    """One column."""

    name: str
    kind: str
    different: int
    """How many different values there are."""
    blank: int
    """How many cells are blank."""
    alone: int
    """How many rows have a value that no other row has."""
    top: tuple[tuple[str, int], ...]
    """The most frequent values with the number of their rows."""
    looks: str
    """Why it may identify people, and a release would stop; empty if nothing was found."""
    tells: tuple[str, ...]
    """The columns whose values can be inferred from it: if one is a quasi-identifier, a release stops."""


@dataclass(frozen=True)
class TableProfile:
    """Rows, columns and their values."""

    rows: int
    columns: tuple[ColumnProfile, ...]
    format: str
    hints: tuple[Hint, ...] = ()
    """What to see to before publishing."""


def profile_table(table: Table, *, top: int = 3) -> TableProfile:
    """The profile of ``table``."""
    looks = looks_identifying(table, table.names)
    others = [name for name in table.names if name not in looks]
    few = len(table) * len(others) ** 2 <= MOST_CELLS
    telling = determining_columns(table, others, others) if few else {}
    columns = tuple(
        _profile(column, looks.get(column.name, ""), tuple(telling.get(column.name, ())), top)
        for column in table.columns
    )
    hints = (
        hints_of_column(column, looks.get(column.name, ""), telling.get(column.name, {}))
        for column in table.columns
    )
    format = "" if table.source is None else table.source.format
    return TableProfile(
        len(table), columns, format, tuple(each for found in hints for each in found)
    )


@dataclass(frozen=True)
class PeopleProfile:
    """Persons with their attributes, and their items."""

    persons: TableProfile
    items: Profile
    items_of_nobody: int
    """Rows of items that were left out."""
    warnings: tuple[str, ...]

    @property
    def hints(self) -> tuple[Hint, ...]:
        """What to see to before publishing."""
        return (*self.persons.hints, *self.items.hints)


def profile_people(people: People, *, top: int = 10) -> PeopleProfile:
    """The profile of ``people``."""
    items, form = profile(people.items, top=top), people.form
    if form is not None:
        files = ", ".join(each.path.name or each.part for each in form.files)
        items = replace(items, format=files or f"column {form.list_column}")
    persons = profile_table(people.attributes, top=top)
    return PeopleProfile(persons, items, people.strangers, people.warnings)


@checked
def inspect(
    data: Records | Table | People, *, top: int = 10
) -> Profile | TableProfile | PeopleProfile:
    """A profile of records, a table or people, with hints on what to fix before publishing.

    Parameters
    ----------
    data
        What ``read``, ``read_table`` or ``read_people`` returned.
    top
        How many of the most frequent items, or values of each column, to list.

    Returns
    -------
    Profile, TableProfile or PeopleProfile
        Its ``hints`` say what to tidy, bin or drop, and how.

    Raises
    ------
    PolicyError
        If the data was not read yet.

    Examples
    --------
    >>> from withhold import Table
    >>> table = Table.from_columns({"sex": ["Male", "male", "Female", "Male"]})
    >>> [(hint.column, hint.remedy) for hint in inspect(table).hints if hint.kind == "spellings"]
    [('sex', '--tidy sex=case')]
    """
    if isinstance(data, People):
        return profile_people(data, top=top)
    return profile_table(data, top=top) if isinstance(data, Table) else profile(data, top=top)


def _profile(column: Column, looks: str, tells: tuple[str, ...], top: int) -> ColumnProfile:
    counts = column.counts
    order = np.lexsort((np.arange(len(counts)), -counts))[:top]
    blank = sum(int(n) for value, n in zip(column.values, counts, strict=True) if not value)
    return ColumnProfile(
        column.name,
        column.kind,
        int((counts > 0).sum()),
        blank,
        int((counts == 1).sum()),
        tuple((column.values[code] or "", int(counts[code])) for code in order if counts[code]),
        looks,
        tells,
    )
