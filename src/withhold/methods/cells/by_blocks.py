"""A table that is read part by part, released in blocks of rows from all parts.

Parts are surveyed first: which values their columns have, and a sample of the rows. From all surveys follow
one numbering of the values and the bounds of blocks. Then the rows of each part are dealt to blocks, and each
block is searched on its own. Nothing here reads or writes files; ``group_counts`` proves the result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from withhold.data import Table
from withhold.data.array_types import Ints, Longs
from withhold.data.cell_plan import KEPT, CellPlan, fingerprint
from withhold.data.forest import Forest, make_forest
from withhold.data.repeats import Repeat, refuse_repeats
from withhold.data.roles import column_roles, refuse_undecided, undecided_in_most
from withhold.data.table import WITHHELD, Column, Value
from withhold.errors import InputError
from withhold.method import SearchRun
from withhold.methods.cells.model import WILDCARD, KAnonymity
from withhold.methods.cells.options import SETS, CellsSearch
from withhold.methods.cells.search.blocks import (
    BLOCK_ROWS,
    counts_are_valid,
    cut_keys,
    join_blocks,
    sort_keys,
)
from withhold.methods.cells.search.limits import make_limits, refuse_too_many
from withhold.methods.cells.search.pattern_search import Required, cells_by_patterns
from withhold.methods.cells.search.suppressor import refuse_unreachable
from withhold.methods.cells.sensitive import Sensitive, sensitive_values

SAMPLED = 20_000
"""Rows of a part from which the bounds of blocks are found."""


@dataclass(frozen=True)
class PartSurvey:
    """What one part contributes to the counts of the whole table."""

    rows: int
    names: tuple[str, ...]
    """The names of all its columns."""
    columns: tuple[Column, ...]
    """The distinct values of quasi-identifiers, then of sensitive columns, in the order of their codes."""
    counts: tuple[Longs, ...]
    """By column and value: how many rows."""
    sample: Ints
    """The codes of a sample of rows."""
    undecided: Mapping[str, str]
    """Columns that may identify people, as far as this part shows, each with the reason."""
    repeats: tuple[Repeat, ...]
    """Why its rows may not be persons, where that would stop a release."""


@dataclass(frozen=True)
class WholeTable:
    """What is known about the table before any block is searched."""

    rows: int
    columns: tuple[Column, ...]
    """The distinct values of quasi-identifiers, then of sensitive columns, over all parts."""
    counts: tuple[Longs, ...]
    bounds: Longs
    """The keys at which the blocks begin, except the first."""
    sensitive: tuple[Sensitive, ...]
    """By sensitive column: the number of each value, and how often each occurs."""

    @property
    def widths(self) -> list[int]:
        """By column: how many values it has."""
        return [len(column.values) for column in self.columns]


@dataclass(frozen=True)
class Dealt:
    """The rows of one part, dealt to blocks."""

    codes: Ints
    """By row and column, in the numbering of the whole table."""
    of_row: Longs
    """The block of each row."""
    sizes: Longs
    """By block: how many rows."""
    counts: tuple[Longs, ...]
    """By sensitive column, block and value: how many rows."""


def not_by_blocks(model: KAnonymity, options: CellsSearch, given: Mapping[str, object]) -> str:
    """Why a table cannot be released by parts: what needs all rows at once."""
    if model.presence is not None:
        return "--presence compares everybody in the table with the population"
    if model.missing == WILDCARD:
        return "with --missing wildcard a row counts rows of all blocks that fit it"
    if options.hierarchy is not None:
        return "with --hierarchy trees are built from the whole table"
    if options.cells == SETS:
        return "--cells sets has a search of its own, over the whole table"
    if not options.by_patterns:
        return "--search paper and the costs mar and hybrid weigh each cell against all others"
    if options.polishes:
        return "polishing improves a release as a whole"
    return ""


def survey_part(
    table: Table, model: KAnonymity, options: CellsSearch, seed: int
) -> tuple[PartSurvey, Ints]:
    """What a part contributes to the counts of the whole, and the codes of its rows."""
    publish = options.publish
    publish = publish if isinstance(publish, str) else tuple(publish)
    undecided = column_roles(table, model, publish, is_part=True).undecided
    names = (*model.quasi_identifiers, *model.sensitive_column)
    codes = table.cells(names)
    columns = [table.column(name) for name in names]
    each_once = tuple(
        Column(
            column.name, np.arange(len(column.values), dtype=np.int32), column.values, column.kind
        )
        for column in columns
    )
    draw = np.random.default_rng(seed)
    rows = draw.choice(len(table), size=min(SAMPLED, len(table)), replace=False)
    counts = tuple(column.counts for column in columns)
    repeats = tuple(each for each in table.repeats or () if each.stops(model.quasi_identifiers))
    found = PartSurvey(len(table), table.names, each_once, counts, codes[rows], undecided, repeats)
    return found, codes


def join_surveys(
    surveys: Sequence[PartSurvey], model: KAnonymity, options: CellsSearch
) -> WholeTable:
    """One numbering of all values, and the bounds of blocks; refuses what no release can satisfy."""
    refuse_undecided(undecided_in_most([(each.rows, each.undecided) for each in surveys]))
    if 2 * sum(each.rows for each in surveys if each.repeats) >= sum(each.rows for each in surveys):
        repeats = [found for each in surveys for found in each.repeats]
        refuse_repeats(repeats, model.quasi_identifiers, options.publish)
    columns, counts = [], []
    for place in range(len(surveys[0].columns)):
        found: dict[Value, int] = {}
        for survey in surveys:
            _check_kind(surveys[0].columns[place], survey.columns[place])
            own = zip(survey.columns[place].values, survey.counts[place].tolist(), strict=True)
            for value, rows in own:
                found[value] = found.get(value, 0) + rows
        column = Column.of(surveys[0].columns[place].name, found, surveys[0].columns[place].kind)
        columns.append(replace(column, codes=np.arange(len(found), dtype=np.int32)))
        counts.append(np.array([found[value] for value in column.values], dtype=np.int64))
    n_rows, n_known = sum(survey.rows for survey in surveys), len(model.quasi_identifiers)
    sensitive = tuple(
        sensitive_values(column.name, column.values, own, model)
        for column, own in zip(columns[n_known:], counts[n_known:], strict=True)
    )
    refuse_unreachable(n_rows, model, sensitive)
    whole = WholeTable(
        n_rows, tuple(columns), tuple(counts), np.empty(0, dtype=np.int64), sensitive
    )
    keys = [_keys(numbered(s.sample, s, whole), whole, model) for s in surveys]
    # A part of more rows counts for more, however many of them were sampled.
    weights = [np.full(len(s.sample), max(s.rows // len(s.sample), 1)) for s in surveys]
    n_blocks = max(round(n_rows / (options.block_rows or BLOCK_ROWS)), 1)
    bounds = cut_keys(np.concatenate(keys), n_blocks, np.concatenate(weights))
    return replace(whole, bounds=bounds)


def numbered(codes: Ints, survey: PartSurvey, whole: WholeTable) -> Ints:
    """The codes of a part in the numbering of the whole table."""
    new = []
    for own, column in zip(survey.columns, whole.columns, strict=True):
        code_of = {value: code for code, value in enumerate(column.values)}
        new.append(np.array([code_of[value] for value in own.values], dtype=np.int32))
    return np.stack([each[codes[:, j]] for j, each in enumerate(new)], axis=1)


def deal(codes: Ints, survey: PartSurvey, whole: WholeTable, model: KAnonymity) -> Dealt:
    """The rows of a part, each in the block where its key belongs."""
    codes = numbered(codes, survey, whole)
    of_row = np.searchsorted(whole.bounds, _keys(codes, whole, model), side="right")
    n_blocks, n_known = len(whole.bounds) + 1, len(model.quasi_identifiers)
    counts = []
    for place, column in enumerate(whole.sensitive):
        n_values = len(column.whole.totals)
        places = of_row * n_values + column.values[codes[:, n_known + place]]
        counts.append(np.bincount(places, minlength=n_blocks * n_values).reshape(n_blocks, -1))
    return Dealt(codes, of_row, np.bincount(of_row, minlength=n_blocks), tuple(counts))


def valid_blocks(
    sizes: Longs, counts: Sequence[Longs], whole: WholeTable, model: KAnonymity
) -> list[tuple[int, int]]:
    """The blocks of all parts together, each joined to its neighbours if it could not be released alone."""

    def is_valid(first: int, end: int) -> bool:
        found = [each[first:end].sum(axis=0) for each in counts]
        return counts_are_valid(int(sizes[first:end].sum()), found, model, whole.sensitive)

    return join_blocks(sizes.tolist(), is_valid)


def search_block(
    codes: Ints, whole: WholeTable, model: KAnonymity, options: CellsSearch, run: SearchRun
) -> NDArray[np.bool_]:
    """By row and quasi-identifier: whether the cell is shown."""
    forest = _forest(whole, model)
    n_known = len(model.quasi_identifiers)
    nodes = (codes[:, :n_known] + forest.bounds[:-1]).astype(np.int32)
    prices = forest.losses
    if options.cost == "info":
        counts = np.zeros(len(forest.losses), dtype=np.int64)
        for start, own in zip(forest.bounds[:-1].tolist(), whole.counts[:n_known], strict=True):
            counts[start : start + len(own)] = own
        prices = forest.information(counts)
    refuse_too_many(whole.sensitive, len(codes) // model.k)
    limits = make_limits(whole.sensitive, model.requirements)
    values = np.empty((len(codes), len(whole.sensitive)), dtype=np.int32)
    for place, column in enumerate(whole.sensitive):
        values[:, place] = column.values[codes[:, n_known + place]] + limits.starts[place]
    block, required = replace(forest, nodes=nodes), Required(limits, values)
    final, _ = cells_by_patterns(block, prices, model.k, required, options, run)
    return np.equal(final, nodes)


def plan_part(table: Table, model: KAnonymity, shown: NDArray[np.bool_]) -> CellPlan:
    """The plan that leaves a part with the cells that are shown."""
    cells = np.where(shown, KEPT, WITHHELD).astype(np.int32)
    nothing: tuple[tuple[()], ...] = ((),) * len(model.quasi_identifiers)
    return CellPlan(model.quasi_identifiers, cells, nothing, nothing, fingerprint(table))


def _forest(whole: WholeTable, model: KAnonymity) -> Forest:
    names = model.quasi_identifiers
    nobody = np.empty(0, dtype=np.int32)
    table = Table(tuple(replace(c, codes=nobody) for c in whole.columns[: len(names)]))
    return make_forest(table, names, {})


def _keys(codes: Ints, whole: WholeTable, model: KAnonymity) -> Longs:
    n_known = len(model.quasi_identifiers)
    return sort_keys(codes[:, :n_known], whole.widths[:n_known])


def _check_kind(first: Column, other: Column) -> None:
    """Refuse a column of numbers in one part and of texts in another: released parts show their types."""
    if first.kind != other.kind:
        raise InputError(
            f"is {first.kind} in some files and {other.kind} in others",
            column=first.name,
            remedy="give all files the same types of columns",
        )
