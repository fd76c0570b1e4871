"""Bottom-up cell suppression for k-anonymity (Kameya and Hayashi), with costs that keep the statistics.

In: a table and the model. Out: a plan of cells to withhold, or to generalise where a hierarchy is given. Rows
that agree in all quasi-identifiers and in the label are one tuple; a tuple of a group that is too small is
merged with the tuple of its class for which that costs least, until no group is too small.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.data import Hierarchy, Table
from withhold.data.evidence import Evidence
from withhold.data.grouping import Groups, distinct_per_group, group_rows, groups_of
from withhold.data.roles import column_roles, refuse_undecided
from withhold.data.table import WITHHELD
from withhold.errors import ImpossibleError
from withhold.method import SearchRun
from withhold.methods.cells.model import KAnonymity
from withhold.methods.cells.options import CellsSearch
from withhold.methods.cells.plan import CellPlan, make_plan, plan_of_nothing
from withhold.methods.cells.search.costs import Costs
from withhold.methods.cells.search.merging import GroupScratch, merge_groups, merge_tuples
from withhold.methods.cells.search.partners import (
    PAIRS,
    make_digits,
    make_keys,
    make_scratch,
    split_columns,
)
from withhold.methods.cells.search.tuples import NOBODY, RISKY, Tuples, form_groups
from withhold.methods.cells.trees import Forest, hierarchies_from, make_forest
from withhold.wording import counted

COSTS = ("hybrid", "mar", "info", "ham")
PSEUDO_COUNT = 0.1
"""α: added to every count, so that a value that nobody shows any more has no infinite divergence."""
BALANCE = 100
"""λ: what a percent of under-representation weighs against the cells themselves (hybrid)."""
SIZES = 16
"""Keys show sizes below that, and partners of fewer than twice as many rows are looked up in tables."""
TABLE_ROOM = 4_000_000
STEPS_AT_A_TIME = 500
AT_FIRST_NOBODY = ("into", "groups", "following", "risky_places", "risky")


def suppress_cells(
    table: Table,
    model: KAnonymity,
    evidence: Evidence,
    options: CellsSearch,
    run: SearchRun,
) -> tuple[CellPlan, dict[str, Any]]:
    """A plan after which the model holds, and the options it was made with.

    Columns that may identify people must have been named in ``publish``, or the model, or be gone.
    """
    publish = options.publish
    publish = publish if isinstance(publish, str) else tuple(publish)
    refuse_undecided(column_roles(table, model, publish).undecided)
    refuse_impossible(table, model)
    hierarchies = hierarchies_from(options.hierarchy, table)
    in_force = {
        "cost": options.cost,
        "hierarchies": sorted(hierarchies),
        "publish": publish if isinstance(publish, str) else list(publish),
        "seed": run.seed,
    }
    # Before the trees: what was generalised before is no leaf of them.
    if holds_already(table, model, hierarchies):
        return plan_of_nothing(table, model.quasi_identifiers), in_force
    forest = make_forest(table, by_difference(table, model), hierarchies)
    start = make_tuples(table, model, forest, run.seed)
    costs = make_costs(start, forest, options.cost, len(table))
    tuples, trees = start.tuples, forest.trees
    form_groups(tuples, model.k, model.l or 1)
    merge: Callable[[], int]
    if model.l is None:
        scratch = make_scratch(tuples, forest.bounds)
        merge = partial(merge_tuples, tuples, trees, costs, scratch, model.k, STEPS_AT_A_TIME)
    else:
        room, limits = make_group_scratch(tuples), (model.k, model.l)
        merge = partial(merge_groups, tuples, trees, costs, room, *limits, STEPS_AT_A_TIME)
    at_first = int(tuples.numbers[RISKY])
    left = at_first
    while left:
        # A few hundred steps at a time, so that Ctrl-C and the progress bar get their turn.
        run.progress("merging rows", max(at_first - left, 0), at_first)
        left = merge()
    return make_plan(table, forest, start.final_cells()), in_force


def holds_already(table: Table, model: KAnonymity, hierarchies: Mapping[str, Hierarchy]) -> bool:
    """Whether no group is too small, and every value is one that its column can have."""
    for name, tree in hierarchies.items():
        if name not in model.quasi_identifiers:
            return False
        values = np.array([value or "" for value in table.column(name).values], dtype=object)
        if not all(value in tree for value in values[table.column(name).counts > 0]):
            return False
    groups = groups_of(table, model.quasi_identifiers)
    if (groups.sizes < model.k).any():
        return False
    if model.l is None or model.sensitive_column is None:
        return True
    different = distinct_per_group(groups, table.column(model.sensitive_column).codes)
    return bool((different >= model.l).all())


def by_difference(table: Table, model: KAnonymity) -> list[str]:
    """The quasi-identifiers, those first in which two rows are most often different.

    A search over candidates looks at these first, and at the others only where the sum so far allows. It
    takes two columns at a time: of the first few, one with many values and one with few.
    """
    alike = {}
    for name in model.quasi_identifiers:
        counts = np.append(table.column(name).counts, table.column(name).withheld.sum())
        alike[name] = float(((counts / max(len(table), 1)) ** 2).sum())
    names = sorted(model.quasi_identifiers, key=lambda name: alike[name])
    first = sorted(names[: 2 * PAIRS], key=lambda name: len(table.column(name).values))
    pairs = [name for pair in zip(reversed(first), first, strict=True) for name in pair]
    return pairs[: len(first)] + names[2 * PAIRS :]


def refuse_impossible(table: Table, model: KAnonymity) -> None:
    """Say so at once if no release of the table can satisfy the model."""
    if len(table) < model.k:
        raise ImpossibleError(
            f"the table has {counted(len(table), 'row')}, and groups of {model.k:,} are asked for; "
            "choose a smaller k"
        )
    if model.l is not None and model.sensitive_column is not None:
        there = int((table.column(model.sensitive_column).counts > 0).sum())
        if there < model.l:
            raise ImpossibleError(
                f"column {model.sensitive_column!r} has {counted(there, 'different value')}, and every group "
                f"should have {model.l:,}; choose a smaller l"
            )


@dataclass(frozen=True)
class TableTuples:
    """The tuples of a table as the kernels want them, and which rows are whose."""

    tuples: Tuples
    of_row: NDArray[np.int64]
    """The tuple of each row."""

    def final_cells(self) -> NDArray[np.int32]:
        """The cells that each row has in the end."""
        into = self.tuples.into
        last = np.where(into == NOBODY, np.arange(len(into)), into)
        while (last != last[last]).any():
            last = last[last]
        cells: NDArray[np.int32] = self.tuples.cells[self.tuples.places[last]].astype(np.int32)
        return cells[self.of_row]


def make_tuples(table: Table, model: KAnonymity, forest: Forest, seed: int) -> TableTuples:
    """The different tuples of the table, in the order of their cells."""
    classes = _codes(table, model.label)
    values = _codes(table, model.sensitive_column if model.l is not None else None)
    columns = [forest.nodes[:, j] for j in range(forest.nodes.shape[1])]
    found: Groups = group_rows([*columns, classes, values], len(table))
    n = len(found)
    own = classes[found.first_rows]
    n_classes = int(classes.max()) + 1
    by_class = np.argsort(own, kind="stable").astype(np.int32)
    places = np.empty(n, dtype=np.int32)
    places[by_class] = np.arange(n, dtype=np.int32)
    counts = np.bincount(own, minlength=n_classes)
    ends = np.cumsum(counts).astype(np.int64)
    n_slots = 1 << max(4, int(4 * n - 1).bit_length())
    n_nodes = len(forest.trees.parents)
    keys = classes[:, None].astype(np.int64) * n_nodes + forest.nodes
    exact = np.bincount(keys.ravel(), minlength=n_classes * n_nodes).reshape(n_classes, n_nodes)
    exact[:, ~forest.trees.leaves] = 0
    cells = forest.nodes[found.first_rows[by_class]].astype(np.uint32)
    sizes = found.sizes[by_class].astype(np.int32)
    n_sizes = max(2, min(SIZES, TABLE_ROOM // n_nodes))
    digits, origin = make_digits(forest.bounds, split_columns(forest.bounds, n_sizes), n_sizes)
    return TableTuples(
        Tuples(
            cells=cells,
            sizes=sizes,
            keys=make_keys(cells, sizes, digits, origin, n_sizes),
            digits=digits,
            origin=origin,
            n_sizes=np.array([n_sizes], dtype=np.int64),
            ids=by_class,
            places=places,
            classes=own.astype(np.int32),
            values=values[found.first_rows].astype(np.int32),
            **{name: np.full(n, NOBODY, dtype=np.int32) for name in AT_FIRST_NOBODY},
            starts=(ends - counts).astype(np.int64),
            ends=ends,
            heads=np.full(n_slots, NOBODY, dtype=np.int32),
            used=np.zeros(n_slots, dtype=np.bool_),
            totals=np.zeros(n_slots, dtype=np.int64),
            varieties=np.zeros(n_slots, dtype=np.int64),
            exact=exact,
            shown=np.add.reduceat(exact, forest.bounds[:-1], axis=1),
            # Seeds beyond 64 bits are cut; the draw mixes what is left.
            numbers=np.array([0, seed % 2**64, 0, 0], dtype=np.uint64).astype(np.int64),
        ),
        found.of_row,
    )


def make_costs(start: TableTuples, forest: Forest, cost: str, n_rows: int) -> Costs:
    """The numbers behind a cost, from the tuples as they are at first."""
    exact, shown = start.tuples.exact, start.tuples.shown
    trees = forest.trees
    n_values = np.bincount(trees.columns[trees.leaves], minlength=shown.shape[1])
    spread = PSEUDO_COUNT * n_values.astype(np.float64)
    shares = (exact + PSEUDO_COUNT) / (shown + spread)[:, trees.columns]
    shares[:, ~trees.leaves] = 0.0
    sizes = start.tuples.sizes[start.tuples.places]
    weights = np.bincount(start.tuples.classes, weights=sizes, minlength=len(exact)) / n_rows
    linear = {
        "ham": forest.losses,
        "hybrid": forest.losses,
        "info": forest.information(exact.sum(axis=0)),
        "mar": np.zeros(len(forest.losses)),
    }[cost]
    divergent = {"mar": 1.0, "hybrid": float(BALANCE * n_rows)}.get(cost, 0.0)
    # Without a divergence there is nothing to look up but the number of columns.
    n_totals = int(shown.max(initial=0)) + 1 if divergent else 1
    return Costs(
        linear=linear,
        divergent=np.array([divergent]),
        shares=np.ascontiguousarray(shares),
        weights=weights,
        logs=np.log(np.arange(int(exact.max(initial=0)) + 1) + PSEUDO_COUNT),
        totals=np.log(np.arange(n_totals) + spread[:, None]),
    )


def make_group_scratch(tuples: Tuples) -> GroupScratch:
    """Room for merging groups."""
    has = np.zeros(int(tuples.values.max(initial=0)) + 1, dtype=np.int64)
    mine, theirs = np.zeros_like(tuples.starts), np.zeros_like(tuples.starts)
    return GroupScratch(has, mine, theirs, merged=tuples.cells[0].copy())


def _codes(table: Table, name: str | None) -> NDArray[np.int32]:
    """A column's codes from 0 on, a withheld cell's after all others; all 0 without a column."""
    if name is None:
        return np.zeros(len(table), dtype=np.int32)
    column = table.column(name)
    return np.where(column.codes == WITHHELD, len(column.values), column.codes).astype(np.int32)
