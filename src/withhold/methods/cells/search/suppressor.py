"""Cell suppression for k-anonymity: by patterns, or bottom-up with costs that keep the statistics.

In: a table and the model. Out: a plan of cells to withhold, to generalise where a hierarchy is given, or to
show as ranges and sets (``set_search``).

If a cost gives a pattern a price, patterns are chosen (``pattern_search``). Otherwise, as Kameya and Hayashi
do, rows that agree in all quasi-identifiers and in the label are one tuple, and a tuple of a group that is
too small is merged with the cheapest tuple of its class, until no group is too small. If the model requires
more than k, whole groups are merged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.auditing.risk.risks import refuse_smaller
from withhold.data import Hierarchy, Table
from withhold.data.cell_plan import CellPlan, make_plan, plan_of_nothing
from withhold.data.evidence import Evidence
from withhold.data.forest import Forest, make_forest
from withhold.data.grouping import Groups, group_rows, groups_of, refuse_few_rows
from withhold.data.roles import decided_columns, plain_list
from withhold.data.table import WITHHELD
from withhold.errors import ImpossibleError, PolicyError, option
from withhold.formats.column_trees import hierarchies_from
from withhold.method import SearchRun
from withhold.methods.cells.disclosure import lacking
from withhold.methods.cells.model import WILDCARD, KAnonymity
from withhold.methods.cells.nodes import NOBODY
from withhold.methods.cells.options import SETS, CellsSearch
from withhold.methods.cells.people import presences
from withhold.methods.cells.search.blocks import block_rows, cells_by_blocks
from withhold.methods.cells.search.group_search import cells_by_groups
from withhold.methods.cells.search.merging import merge_tuples
from withhold.methods.cells.search.partners import (
    PAIRS,
    make_digits,
    make_keys,
    make_scratch,
    split_columns,
)
from withhold.methods.cells.search.pattern_search import cells_by_patterns, required_of
from withhold.methods.cells.search.presence_search import shown_cells
from withhold.methods.cells.search.restoring_cells import restore_cells
from withhold.methods.cells.search.set_search import cells_by_sets
from withhold.methods.cells.search.start import (
    Shown,
    final_ids,
    make_costs,
    make_numbers,
    merge_until_done,
)
from withhold.methods.cells.search.tuples import Tuples, form_groups
from withhold.methods.cells.sensitive import Sensitive, sensitive_columns
from withhold.methods.cells.wildcard import fewest_fitting
from withhold.wording import counted

SIZES = 16
"""Keys hold sizes below this, and partners of fewer than twice as many rows are looked up in tables."""
MOST_WITHHELD = 0.05
"""The share of rows withheld as a whole above which merging is tried, too, if more than k is required."""
TABLE_ROOM = 4_000_000
"""About how many entries a table of costs may have, by node and size."""
AT_FIRST_NOBODY = ("into", "groups", "following", "risky_places", "risky")


def suppress_cells(
    table: Table,
    model: KAnonymity,
    evidence: Evidence,
    options: CellsSearch,
    run: SearchRun,
) -> tuple[CellPlan, dict[str, Any]]:
    """A plan after which the model holds, and the options it was made with."""
    refuse_few_rows(len(table), model.k)
    publish = decided_columns(table, model, options.publish)
    refuse_impossible(table, model)
    _refuse_wildcard(model, options)
    hierarchies = hierarchies_from(options.hierarchy, table)
    population = _population(table, model, evidence, options)
    in_force = {
        **({} if options.cells is None else {"cells": options.cells}),
        **({} if options.cells == SETS else {"cost": options.cost}),
        **(
            {}
            if options.cells == SETS
            else {"search": "patterns" if options.by_patterns else "paper"}
        ),
        "hierarchies": sorted(hierarchies),
        "publish": plain_list(publish),
        "seed": run.seed,
    }
    if options.polishes:
        in_force["polish_moves"] = 0
    # Before the trees are made: cells that were generalised before are not leaves.
    if holds_already(table, model, hierarchies) and _are_present(table, model, population):
        return plan_of_nothing(table, model.quasi_identifiers), in_force
    if options.cells == SETS:
        return cells_by_sets(table, model, run), in_force
    forest = make_forest(table, by_difference(table, model), hierarchies)
    if options.by_patterns:
        prices = forest.losses if options.cost == "ham" else forest.information(forest.counts())
        required = required_of(table, model)
        if block_rows(len(table), model, options) is None:
            final, moves = cells_by_patterns(forest, prices, model.k, required, options, run)
            if options.polishes:
                in_force["polish_moves"] = moves
        else:
            final, in_force["blocks"] = cells_by_blocks(
                forest, prices, model, required, options, sensitive_columns(table, model), run
            )
        is_whole = (final == forest.bounds[1:] - 1).all(axis=1)
        is_hard = options.polishes or is_whole.mean() > MOST_WITHHELD
        # If many rows find no pattern, merging is sometimes better. Polishing may have found them one.
        if model.requirements and options.search is None and is_hard:
            merged = cells_by_groups(table, model, forest, options.cost, run)
            if prices[merged].sum() < prices[final].sum():
                final, in_force["search"] = merged, "paper"
    else:
        merge = cells_by_groups if model.requirements else cells_by_tuples
        final = merge(table, model, forest, options.cost, run)
    # With requirements every group must stay as it is.
    if model.missing == WILDCARD and not model.requirements:
        final = restore_cells(forest, final, model.k, run)
    plan = make_plan(table, forest, final)
    if population is not None and not _are_present(plan.apply_to(table), model, population):
        shown = shown_cells(table, model, forest.columns, population)
        final = np.where(shown, forest.nodes, forest.bounds[1:] - 1).astype(np.int32)
        plan = make_plan(table, forest, final)
    return plan, in_force


def _population(
    table: Table, model: KAnonymity, evidence: Evidence, options: CellsSearch
) -> Table | None:
    """The population that presence refers to; raises if no release can keep to the bounds."""
    bounds, population = model.presence_bounds, evidence.population
    if bounds is None or population is None:
        return None
    if options.hierarchy is not None or options.cells == SETS:
        unfit = option("cells", SETS) if options.cells == SETS else option("hierarchy")
        raise PolicyError(
            f"presence cannot be proved for generalised cells; leave {unfit} out with {option('presence')}, "
            f"or make ranges of numbers with {option('bin')}"
        )
    refuse_smaller(len(population), len(table), "row")
    found = presences(table, model.quasi_identifiers, population)
    if found.unmatched_rows:
        raise ImpossibleError(
            f"nobody in the population matches {counted(found.unmatched_rows, 'row')} of the table, so it is "
            "not the population that these people are from"
        )
    mean = Fraction(len(table), len(population))
    if not bounds.allows(mean):
        raise ImpossibleError(
            f"the table has {len(table):,} of {len(population):,} people, which is a mean presence of "
            f"{float(mean):.3f}, whatever is withheld; choose bounds around it instead of {bounds}"
        )
    return population


def _are_present(table: Table, model: KAnonymity, population: Table | None) -> bool:
    """Whether everybody's presence lies within the bounds, if there are any."""
    bounds = model.presence_bounds
    if bounds is None or population is None:
        return True
    found = presences(table, model.quasi_identifiers, population)
    return not found.unmatched_rows and bounds.allows(found.lowest) and bounds.allows(found.highest)


def cells_by_tuples(
    table: Table, model: KAnonymity, forest: Forest, cost: str, run: SearchRun
) -> NDArray[np.int32]:
    """By row and column: the nodes after merging tuples until no group is too small."""
    shown = Shown.of(table, model, forest)
    start = make_tuples(forest, shown, run.seed)
    form_groups(start.tuples, model.k)
    scratch = make_scratch(start.tuples, forest.bounds)
    rest = (forest.trees, make_costs(shown, forest, cost), scratch, model.k)
    merge_until_done(partial(merge_tuples, start.tuples, *rest), start.tuples.numbers, run)
    return start.final_cells()


def holds_already(table: Table, model: KAnonymity, hierarchies: Mapping[str, Hierarchy]) -> bool:
    """Whether the model holds, and every value is one that its column can have."""
    for name, tree in hierarchies.items():
        if name not in model.quasi_identifiers:
            return False
        values = np.array([value or "" for value in table.column(name).values], dtype=object)
        if not all(value in tree for value in values[table.column(name).counts > 0]):
            return False
    groups = groups_of(table, model.quasi_identifiers)
    fewest = int(groups.sizes.min())
    if model.missing == WILDCARD:
        cells = table.cells(model.quasi_identifiers)[groups.first_rows]
        stop = np.zeros(1, dtype=np.int64)
        fewest = fewest_fitting(cells, groups.sizes, np.int32(WITHHELD), stop)
    return fewest >= model.k and not lacking(table, model, groups)


def by_difference(table: Table, model: KAnonymity) -> list[str]:
    """The quasi-identifiers, those first in which two rows are most often different.

    The search for partners (``partners``) tests these first, and the others only if the cost so far allows.
    It takes the first few in pairs, so one with many values is paired with one with few.
    """
    alike = {}
    for name in model.quasi_identifiers:
        counts = np.append(table.column(name).counts, table.column(name).withheld.sum())
        alike[name] = float(((counts / max(len(table), 1)) ** 2).sum())
    names = sorted(model.quasi_identifiers, key=lambda name: alike[name])
    first = sorted(names[: 2 * PAIRS], key=lambda name: len(table.column(name).values))
    pairs = [name for pair in zip(reversed(first), first, strict=True) for name in pair]
    return pairs[: len(first)] + names[2 * PAIRS :]


def _refuse_wildcard(model: KAnonymity, options: CellsSearch) -> None:
    """Refuse options that assume that a withheld cell is a value of its own."""
    if model.missing != WILDCARD:
        return
    if options.cells == SETS:
        raise PolicyError(
            f"{option('cells', SETS)} makes groups of rows that look exactly alike, and withheld cells that "
            f"fit anything would save nothing; leave {option('missing', WILDCARD)} out"
        )
    if options.bound_rounds is not None:
        raise PolicyError(
            f"there is no bound where a withheld cell fits anything; leave {option('bound_rounds')} out"
        )
    if options.polishes:
        raise PolicyError(
            "polishing is for releases in which a withheld cell is a value of its own; leave it out with "
            f"{option('missing', WILDCARD)}"
        )


def refuse_impossible(table: Table, model: KAnonymity) -> None:
    """Raise at once if no release of the table can satisfy the model."""
    refuse_unreachable(len(table), model, sensitive_columns(table, model))


def refuse_unreachable(n_rows: int, model: KAnonymity, sensitive: Iterable[Sensitive]) -> None:
    """Raise if no release of so many rows with these sensitive columns can satisfy the model."""
    refuse_few_rows(n_rows, model.k)
    for column in sensitive:
        for requirement in model.requirements:
            # What holds for all groups holds for their union.
            if lacks := requirement.lacks(dict(enumerate(column.whole.totals)), column.whole):
                raise ImpossibleError(
                    f"column {column.name!r} has {lacks} in the whole table, and no group can do better than "
                    "all; choose a smaller l"
                )


@dataclass(frozen=True)
class TableTuples:
    """The tuples of a table as the kernels want them, and the tuple of each row."""

    tuples: Tuples
    of_row: NDArray[np.int64]
    """The tuple of each row."""

    def final_cells(self) -> NDArray[np.int32]:
        """The cells that each row has in the end."""
        last = final_ids(self.tuples.into)
        cells: NDArray[np.int32] = self.tuples.cells[self.tuples.places[last]].astype(np.int32)
        return cells[self.of_row]


def make_tuples(forest: Forest, shown: Shown, seed: int) -> TableTuples:
    """The different tuples of the table, in the order of their cells."""
    classes = shown.classes
    columns = [forest.nodes[:, j] for j in range(forest.nodes.shape[1])]
    found: Groups = group_rows([*columns, classes], len(classes))
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
            **{name: np.full(n, NOBODY, dtype=np.int32) for name in AT_FIRST_NOBODY},
            starts=(ends - counts).astype(np.int64),
            ends=ends,
            heads=np.full(n_slots, NOBODY, dtype=np.int32),
            used=np.zeros(n_slots, dtype=np.bool_),
            totals=np.zeros(n_slots, dtype=np.int64),
            exact=shown.exact,
            shown=shown.by_column,
            numbers=make_numbers(0, seed, 0, 0),
        ),
        found.of_row,
    )
