"""All risks of a file in one frozen value, and the search for people of a population who are like a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from withhold.auditing.risk.classes import Risk, counted_risk, prosecutor_risk, sampled_risk
from withhold.auditing.risk.options import PopulationInfo
from withhold.auditing.risk.population import PopulationUniques, estimate_uniques
from withhold.auditing.risk.special_records import find_special_records
from withhold.auditing.risk.special_uniques import SpecialUniques, find_special_uniques
from withhold.data import Records, Table
from withhold.data.array_types import Bools, Ints, Longs
from withhold.data.equal_rows import equal_rows
from withhold.data.grouping import Groups, group_rows, groups_of
from withhold.data.ranges import read_cell
from withhold.data.table import WITHHELD, Column
from withhold.errors import PolicyError, option
from withhold.formats import read, read_table
from withhold.wording import counted

MOST_COMPARISONS = 10**11
"""The most cells that are compared to count the people inside ranges and sets: some minutes."""


@dataclass(frozen=True)
class CountedUniques:
    """What a population file says about the rows that are unique in the data."""

    population: int
    """People in the file."""
    uniques: int
    """Rows that are unique in the data and in the population."""
    missing: int
    """Rows that nobody in the population file resembles; they count as if only those of the data did."""


@dataclass(frozen=True)
class ColumnRisk:
    """What a quasi-identifier contributes: what would be left of the risk without it."""

    name: str
    uniques_without: int
    """Rows that would be unique without the column."""
    mean_without: Fraction
    """The prosecutor's mean risk without it."""


@dataclass(frozen=True)
class Risks:
    """The risks of re-identification of a file."""

    rows: int
    classes: int
    uniques: int
    """Rows that are alone in their class."""
    prosecutor: Risk
    journalist: Risk | None
    """None if nothing is known about the population."""
    marketer: Fraction | float
    """The share of rows that somebody who tries all links correctly; against the population, if known."""
    population: PopulationUniques | CountedUniques | None
    columns: tuple[ColumnRisk, ...] = ()
    """Of a table: the quasi-identifiers, what contributes most first."""
    special: SpecialUniques | None = None
    """What a few columns, or a few items, single out."""

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values; exact shares as numbers."""
        plain: dict[str, Any] = _plain(self)
        return plain


def risks_of_classes(
    sizes: Longs, known: PopulationInfo, people: Longs | None = None, n_people: int = 0
) -> Risks:
    """The risks of classes of these sizes; ``people``: how many of a population of ``n_people`` fit each."""
    prosecutor, journalist = prosecutor_risk(sizes), None
    population: PopulationUniques | CountedUniques | None = None
    if people is not None:
        alike = np.maximum(people, sizes)
        journalist = counted_risk(sizes, alike)
        uniques = int(((sizes == 1) & (people == 1)).sum())
        population = CountedUniques(n_people, uniques, int(sizes[people == 0].sum()))
    elif known.fraction is not None:
        journalist = sampled_risk(sizes, known.fraction)
        population = estimate_uniques(sizes, float(known.fraction))
    return Risks(
        rows=int(sizes.sum()),
        classes=len(sizes),
        uniques=int((sizes == 1).sum()),
        prosecutor=prosecutor,
        journalist=journalist,
        marketer=(journalist or prosecutor).mean,
        population=population,
    )


def risks_of_records(
    records: Records, known: PopulationInfo, *, unique_size: int, show: int
) -> Risks:
    """The risks of records; those with the same items are a class."""
    numbers, first = equal_rows(records)
    sizes = np.bincount(numbers).astype(np.int64)
    if known.file is None:
        found = risks_of_classes(sizes, known)
    else:
        everybody = read(known.file)
        refuse_smaller(len(everybody), len(records), "record")
        counts: dict[frozenset[str], int] = {}
        there, first_there = equal_rows(everybody)
        for row, count in zip(first_there, np.bincount(there), strict=True):
            counts[frozenset(everybody.record(int(row)))] = int(count)
        people = [counts.get(frozenset(records.record(int(row))), 0) for row in first]
        alike = np.array(people, dtype=np.int64)
        found = risks_of_classes(sizes, known, alike, len(everybody))
    special = find_special_records(records, asked=unique_size, show=show)
    return replace(found, special=special)


def risks_of_table(
    table: Table, names: Sequence[str], known: PopulationInfo, *, unique_size: int, show: int
) -> Risks:
    """The risks of a table; rows with the same quasi-identifiers are a class, a withheld cell being a value.

    Somebody of the population file is like a class if they have the values that it shows.
    """
    groups = groups_of(table, names)
    if known.file is None:
        found = risks_of_classes(groups.sizes, known)
    else:
        decimal = None if table.source is None else table.source.decimal or None
        tidy = [str(each) for each in table.tidied]
        everybody = read_table(known.file, bins=table.binned, tidy=tidy, decimal=decimal)
        refuse_smaller(len(everybody), len(table), "row")
        people = people_like(table, groups, everybody, names)
        found = risks_of_classes(groups.sizes, known, people, len(everybody))
    codes = [table.column(name).codes for name in names]
    special = find_special_uniques(names, codes, asked=unique_size, show=show)
    columns = _columns(names, [each[groups.first_rows] for each in codes], groups.sizes)
    return replace(found, columns=columns, special=special)


def refuse_smaller(people: int, rows: int, what: str) -> None:
    """Refuse a population that has fewer people than the data: the whole is never less than a part."""
    if people < rows:
        raise PolicyError(
            f"the population has {counted(people, what)} and the data {rows:,}; name the file with everybody "
            f"in it as {option('population')}, and not the other way round"
        )


def people_like(table: Table, groups: Groups, everybody: Table, names: Sequence[str]) -> Longs:
    """For each group, how many rows of ``everybody`` have the values that it shows."""
    cells = table.cells(names)[groups.first_rows]
    if any(read_cell(value) is not None for name in names for value in table.column(name).values):
        return _people_inside(table, cells, everybody, names)
    codes = [
        _common_codes(table.column(name).values, everybody.column(name), cells[:, place])
        for place, name in enumerate(names)
    ]
    shown = cells != WITHHELD
    patterns = group_rows([*shown.T.astype(np.int32)], len(cells))
    people = np.zeros(len(cells), dtype=np.int64)
    for number, first in enumerate(patterns.first_rows):
        here = np.flatnonzero(patterns.of_row == number)
        columns = [
            np.concatenate([ours[here], theirs])
            for (ours, theirs), visible in zip(codes, shown[first], strict=True)
            if visible
        ]
        both = group_rows(columns, len(here) + len(everybody)).of_row
        theirs = np.bincount(both[len(here) :], minlength=both.max() + 1)
        people[here] = theirs[both[: len(here)]]
    return people


def _people_inside(table: Table, cells: Ints, everybody: Table, names: Sequence[str]) -> Longs:
    """The same for a table with ranges and sets, which match everything inside."""
    people = groups_of(everybody, names)
    if len(people) * cells.size > MOST_COMPARISONS:
        raise PolicyError(
            f"{counted(len(people), 'different row')} of a population are too many to look for in "
            f"{counted(len(cells), 'group')} of ranges and sets; leave {option('population')} out"
        )
    theirs = everybody.cells(names)[people.first_rows].T
    inside = [_inside(table.column(name), everybody.column(name)) for name in names]
    found = np.empty(len(cells), dtype=np.int64)
    for number, group in enumerate(cells):
        fits = np.ones(len(people), dtype=np.bool_)
        for shown, code, codes in zip(inside, group, theirs, strict=True):
            fits &= shown[code][codes]
        found[number] = people.sizes[fits].sum()
    return found


def _inside(column: Column, theirs: Column) -> Bools:
    """By published code, last a withheld cell's, and by value of the population: whether that fits."""
    rows = []
    for text in column.values:
        cell = read_cell(text)
        if cell is None:
            rows.append([(value or "") == (text or "") for value in theirs.values])
        else:
            rows.append([value is not None and value in cell for value in theirs.values])
    fits = np.array(rows, dtype=np.bool_).reshape(len(rows), len(theirs.values))
    # The last column: a cell that the population withholds fits nothing that is shown.
    fits = np.column_stack([fits, np.zeros(len(rows), dtype=np.bool_)])
    return np.vstack([fits, np.ones((1, fits.shape[1]), dtype=np.bool_)])


def _common_codes(values: Sequence[str | None], column: Any, ours: Any) -> tuple[Any, Any]:
    """The cells of both tables in common codes; values that only the population has are -1."""
    code_of = {value or "": code for code, value in enumerate(values)}
    new = [code_of.get(value or "", WITHHELD) for value in column.values]
    same = np.array([code_of[value or ""] for value in values] + [WITHHELD], dtype=np.int32)
    return same[ours], np.array([*new, WITHHELD], dtype=np.int32)[column.codes]


def _columns(names: Sequence[str], codes: Sequence[Any], sizes: Longs) -> tuple[ColumnRisk, ...]:
    """The quasi-identifiers of classes, first the one without which the mean risk would be least."""
    found = []
    for place, name in enumerate(names):
        rest = [each for other, each in enumerate(codes) if other != place]
        merged = np.bincount(group_rows(rest, len(sizes)).of_row, weights=sizes)
        mean = Fraction(len(merged), max(int(sizes.sum()), 1))
        found.append(ColumnRisk(name, int((merged == 1).sum()), mean))
    return tuple(sorted(found, key=lambda each: each.mean_without))


def _fields(value: Any) -> dict[str, Any]:
    return {each.name: getattr(value, each.name) for each in fields(value)}


def _plain(value: Any) -> Any:
    """Frozen values as dictionaries and lists, exact shares as numbers."""
    if is_dataclass(value):
        derived = {name: getattr(value, name) for name in ("share",) if hasattr(value, name)}
        if isinstance(value, PopulationUniques):
            derived["uniques"] = value.uniques
        members = {**_fields(value), **derived}
        return {name: _plain(member) for name, member in members.items()}
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return float(value) if isinstance(value, Fraction) else value
