"""Cells to withhold by choosing patterns: the search for every cost that prices a pattern.

A release assigns every row to a pattern that it matches, and at least k rows to each pattern in use. Schemes
are learned from a sample, their patterns are listed, rows are assigned to the cheapest ones first, and the
assignment is improved until a pass over all patterns gains next to nothing. Finally each group is published
as the lowest nodes that its own rows share. Costs are whole numbers, so that ties are ties on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from withhold.counting.threads import Progress
from withhold.data import Table
from withhold.data.array_types import Ints, Longs
from withhold.data.forest import Forest
from withhold.data.grouping import group_rows
from withhold.method import SearchRun
from withhold.methods.cells.model import KAnonymity
from withhold.methods.cells.options import CellsSearch
from withhold.methods.cells.patterns import (
    Listing,
    Patterns,
    close_groups,
    find_patterns,
)
from withhold.methods.cells.schemes import (
    Ladders,
    grouping_of,
    levels_of,
    make_ladders,
    make_lattice,
    number_of_schemes,
)
from withhold.methods.cells.search.assignment import (
    Assignment,
    assign_cheapest_first,
    assign_leftovers,
    total_cost,
    unassigned,
)
from withhold.methods.cells.search.descents import draw_schemes
from withhold.methods.cells.search.guarded import make_guarded
from withhold.methods.cells.search.guarded_improvement import (
    assign_the_rest,
    assign_valid_groups,
    open_guarded,
    settle_guarded,
)
from withhold.methods.cells.search.improvement import make_attempt, open_better, settle
from withhold.methods.cells.search.limits import Limits, make_limits, refuse_too_many
from withhold.methods.cells.search.polishing import polish
from withhold.methods.cells.search.ruin import place_all
from withhold.methods.cells.search.scheme_choice import choose_schemes
from withhold.methods.cells.sensitive import sensitive_columns

UNIT = 2**28
"""A cost of 1 as a whole number."""
ENOUGH = 10_000
"""A pass that gains less than one part in this many is the last one."""
MOST_PASSES = 30
MOST_SCHEMES = 20_000
"""Above, schemes are found by descents instead of trying all."""
MOST_MATCHES = 40_000_000
"""Pairs of a tuple and a pattern that it matches; a limit of memory, some 20 bytes each."""
COSTLIEST = (0.5, 0.2)
"""Further schemes are drawn for the costliest rows: first this share of them, then that."""
AT_A_TIME = 20_000
"""Patterns between two chances to stop."""


class Required(NamedTuple):
    """What groups must show of sensitive columns; there are none of these if only k is required."""

    limits: Limits
    values: Ints
    """By row and sensitive column: the number of its value among those of all columns."""


def required_of(table: Table, model: KAnonymity) -> Required:
    """What the model requires of groups beyond k, in the form that the search uses."""
    sensitive = sensitive_columns(table, model)
    refuse_too_many(sensitive, len(table) // model.k)
    limits = make_limits(sensitive, model.requirements)
    values = np.empty((len(table), len(sensitive)), dtype=np.int32)
    for number, column in enumerate(sensitive):
        values[:, number] = column.values + limits.starts[number]
    return Required(limits, values)


def cells_by_patterns(
    forest: Forest,
    prices: NDArray[np.float64],
    k: int,
    required: Required,
    options: CellsSearch,
    run: SearchRun,
) -> tuple[Ints, int]:
    """By row and column: the node that is published; and how many moves of polishing were made."""
    seed, progress = run.seed, run.progress
    columns = [forest.nodes[:, j] for j in range(forest.nodes.shape[1])]
    # Rows with different sensitive values are different tuples, so that they can go to different groups.
    tuples = group_rows([*columns, *required.values.T], len(forest.nodes))
    owners, weights = split_tuples(tuples.sizes, k)
    cells = np.ascontiguousarray(forest.nodes[tuples.first_rows[owners]])
    whole = np.rint((prices - prices.min()) * UNIT).astype(np.int64)
    ladders = make_ladders(forest.trees, forest.bounds)

    def listed(schemes: Longs) -> tuple[Listing, Patterns]:
        def report(done: int) -> None:
            progress("listing patterns", done, len(schemes))

        listing = Listing(forest.trees, ladders, cells, weights, k)
        return listing, find_patterns(listing, schemes, whole, report)

    if number_of_schemes(ladders) <= MOST_SCHEMES:
        schemes = choose_schemes(make_lattice(ladders), cells, weights, whole, k, seed)
    else:
        schemes = _drawn_schemes(ladders, cells, weights, whole, k, seed, listed)
    listing, patterns = listed(schemes)
    values = required.values[tuples.first_rows[owners]]
    if required.values.shape[1]:
        state = make_guarded(patterns, weights, required.limits, values, k)
        assign_valid_groups(state)
        assign_the_rest(state)
        assigned = state.assigned
        opening, settling = partial(open_guarded, state), partial(settle_guarded, state)
    else:
        assigned = assign_rows(patterns, weights, k)
        attempt = make_attempt(patterns, len(assigned.weights))
        opening = partial(open_better, patterns, assigned, attempt, k)
        settling = partial(settle, patterns, assigned, attempt, k)
    improve(patterns, assigned, opening, settling, progress)
    final, moves = closures_of(forest, ladders, cells, assigned), 0
    if options.polishes:
        found = listing.order[assigned.of_tuple]
        patterns = _all_patterns(listing, whole, progress)
        state = make_guarded(patterns, weights, required.limits, values, k)
        place_all(state, np.argsort(listing.order)[found])
        assigned = state.assigned
        opening, settling = partial(open_guarded, state), partial(settle_guarded, state)
        improve(patterns, assigned, opening, settling, progress)
        moves = polish(state, options, seed, progress)
        polished = closures_of(forest, ladders, cells, assigned)
        # The search compared prices of patterns. A group is published as what its rows share, which may be
        # more detailed, so whether polishing helped is decided on that.
        if (whole[polished].sum(axis=1) @ weights) < (whole[final].sum(axis=1) @ weights):
            final = polished
    parts = np.empty(len(forest.nodes), dtype=np.int64)
    parts[np.argsort(tuples.of_row, kind="stable")] = np.repeat(np.arange(len(weights)), weights)
    return final[parts], moves


def _all_patterns(listing: Listing, prices: Longs, progress: Progress) -> Patterns:
    """The patterns of all schemes, or as many as memory allows, in addition to those already listed."""
    n_schemes = number_of_schemes(listing.ladders)
    if n_schemes <= MOST_SCHEMES:
        every = levels_of(make_lattice(listing.ladders), np.arange(n_schemes))
        for done, levels in enumerate(every):
            if listing.n_matches > MOST_MATCHES:
                break
            listing.add(levels)
            progress("listing patterns", done, n_schemes)
    return listing.patterns(prices)


def split_tuples(sizes: Longs, k: int) -> tuple[Longs, Longs]:
    """Split tuples of more than k rows: by part its tuple, and its rows.

    Parts can then help other groups to reach k. All but the largest have 1, 2, 4 … rows, so that any number
    of rows below k can be given away.

    >>> owners, rows = split_tuples(np.array([3, 12]), 5)
    >>> owners.tolist(), rows.tolist()
    ([0, 1, 1, 1, 1], [3, 8, 1, 2, 1])
    """
    spare = np.clip(sizes - k, 0, k - 1)
    parts = [sizes - spare]
    step = 1
    while spare.any():
        given = np.minimum(spare, step)
        parts.append(given)
        spare = spare - given
        step *= 2
    rows = np.stack(parts, axis=1).ravel()
    owners = np.repeat(np.arange(len(sizes)), len(parts))
    return owners[rows > 0], rows[rows > 0]


def _drawn_schemes(
    ladders: Ladders,
    cells: Ints,
    weights: Longs,
    prices: Longs,
    k: int,
    seed: int,
    listed: Callable[[Longs], tuple[Listing, Patterns]],
) -> Longs:
    """Schemes found by descents: first for rows drawn from all, then for those that still cost most."""
    draw = np.random.default_rng(seed)
    most = max(50, MOST_MATCHES // len(cells))
    schemes = draw_schemes(ladders, cells, weights, prices, k, draw, weights)[: most // 2]
    for share in COSTLIEST:
        _, patterns = listed(schemes)
        costs = patterns.costs[assign_rows(patterns, weights, k).of_tuple]
        chances = weights * (costs >= np.quantile(costs, 1 - share))
        more = draw_schemes(ladders, cells, weights, prices, k, draw, chances)
        schemes = np.unique(np.concatenate((schemes, more[: most // 4])), axis=0)
    return schemes


def assign_rows(patterns: Patterns, weights: Longs, k: int) -> Assignment:
    """Every tuple under a pattern, the cheapest patterns first."""
    assigned = unassigned(patterns, weights)
    n = len(patterns.costs)
    assign_cheapest_first(
        patterns, assigned, k, np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    )
    assign_leftovers(patterns, assigned, k)
    return assigned


def improve(
    patterns: Patterns,
    assigned: Assignment,
    opening: Callable[[int, int], int],
    settling: Callable[[], int],
    progress: Progress,
) -> None:
    """Improve an assignment until a pass gains next to nothing."""
    n = len(patterns.costs)
    for turn in range(MOST_PASSES):
        before, saved = total_cost(patterns, assigned), 0
        for first in range(0, n, AT_A_TIME):
            saved += opening(first, min(first + AT_A_TIME, n))
            progress(f"improving, pass {turn + 1}", first, n)
        saved += settling()
        if saved * ENOUGH < before:
            break


def closures_of(forest: Forest, ladders: Ladders, cells: Ints, assigned: Assignment) -> Ints:
    """By tuple and column: the lowest node that all tuples of its group share."""
    of_tuple = assigned.of_tuple
    closures = np.empty((len(assigned.sizes), cells.shape[1]), dtype=np.int32)
    closures[of_tuple] = cells
    grouping = grouping_of(assigned.sizes, closures, of_tuple)
    close_groups(forest.trees, ladders, ladders.levels - 1, cells, grouping, 1)
    found: Ints = closures[of_tuple]
    return found
