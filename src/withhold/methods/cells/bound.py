"""A lower bound for tables: what each row must lose, whatever happens to the others.

The cells that a row shows are a pattern, and at least k rows of the release show the same one. Each of them
was made from an original row that matches it. So no row can cost less than the cheapest pattern that it and
at least k - 1 other original rows match, and the sum of these costs is a bound for every release. It holds
if a withheld cell is a value of its own; l and the like only raise the least loss. ``prices`` raises it.

Costs are whole numbers of 2^-28, rounded down.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from dataclasses import asdict, dataclass
from math import floor

import numpy as np
from numpy.typing import NDArray

from withhold.counting.jit import kernel
from withhold.data import Table
from withhold.data.array_types import Ints, Longs
from withhold.data.forest import make_forest
from withhold.data.grouping import group_rows
from withhold.errors import InputError
from withhold.formats.column_trees import hierarchies_from
from withhold.method import SearchRun
from withhold.methods.cells.model import WILDCARD, KAnonymity
from withhold.methods.cells.nodes import NOBODY, Trees
from withhold.methods.cells.options import SETS, CellsSearch
from withhold.methods.cells.patterns import Listing, Patterns
from withhold.methods.cells.prices import raise_bound
from withhold.methods.cells.schemes import (
    Ladders,
    change_codes,
    find_key,
    group_with,
    levels_of,
    make_grouping,
    make_ladders,
    make_lattice,
    number_of_schemes,
)
from withhold.options import Plain
from withhold.telling.facts import Fact
from withhold.wording import percent

MOST_CELLS = 3 * 10**9
"""Cells of distinct rows times schemes; above, no bound is given."""
MOST_MATCHES = 40_000_000
"""Pairs of a distinct row and a pattern that it matches; above, the bound is not raised."""
UNIT = 2**28
"""A cost of 1 as a whole number."""
MEANING = "the share of the cells, or of their detail, that every such release must withhold"


@dataclass(frozen=True)
class CellBound:
    """No k-anonymous release by suppression withholds less than this share.

    >>> print(CellBound(share=0.118, generalised=False).sentence())
    No k-anonymous release that only withholds cells can withhold less than 11.8% of them.
    """

    share: float
    generalised: bool
    """Whether cells can be generalised; the share is then of the detail (NCP)."""
    rounds: int = 0
    """The number of rounds in which it was raised."""

    @property
    def percent(self) -> str:
        """The share in percent, rounded down, so that it stays true."""
        return percent(floor(self.share * 1000 + 1e-9) / 1000)

    def sentence(self) -> str:
        """What is true of every release."""
        if self.generalised:
            return (
                "No k-anonymous release that generalises cells along these hierarchies or withholds them can "
                f"lose less than {self.percent} of their detail (NCP)."
            )
        return (
            "No k-anonymous release that only withholds cells can withhold less than "
            f"{self.percent} of them."
        )

    def as_dict(self) -> dict[str, Plain]:
        """The bound as plain values."""
        return asdict(self)

    def facts(self) -> list[tuple[str, str]]:
        """What people want to know of it, as pairs of texts."""
        what = "of the detail (NCP)" if self.generalised else "of the cells"
        return [("at least", f"{self.percent} {what} in every k-anonymous release")]

    def fact(self) -> Fact:
        """The bound as one number among the measures of a release."""
        return Fact("bound.share", "at least", self.share, "share", MEANING)


def bound_cells(
    table: Table, model: KAnonymity, options: CellsSearch, run: SearchRun
) -> CellBound | None:
    """The bound; None if there are too many patterns to try them all, or it was not requested.

    There is none for ranges and sets either, since they are not patterns of a scheme.
    """
    if not options.bound or model.missing == WILDCARD or options.cells == SETS:
        return None
    hierarchies = hierarchies_from(options.hierarchy, table)
    try:
        forest = make_forest(table, model.quasi_identifiers, hierarchies)
    except InputError:
        # Some cells were generalised before, and the table satisfied the model unchanged.
        return None
    ladders = make_ladders(forest.trees, forest.bounds)
    columns = [forest.nodes[:, j] for j in range(forest.nodes.shape[1])]
    tuples = group_rows(columns, len(table))
    cells = np.ascontiguousarray(forest.nodes[tuples.first_rows])
    if number_of_schemes(ladders) * cells.size > MOST_CELLS:
        return None
    costs = whole_costs(forest.losses)
    total = None
    if options.bound_rounds:
        listed = list_patterns(forest.trees, ladders, cells, tuples.sizes, costs, model.k, run)
        if listed is not None:
            total = raise_bound(listed, tuples.sizes, model.k, options.bound_rounds, run)
    rounds = 0 if total is None else options.bound_rounds or 0
    if total is None:
        total = _by_rows(ladders, cells, tuples.sizes, costs, model.k, run)
    # What was withheld before is not a loss.
    total -= int((costs[cells].sum(axis=1) * tuples.sizes).sum())
    if not hierarchies:
        total = -(-total // UNIT) * UNIT
    return CellBound(total / (UNIT * max(forest.nodes.size, 1)), bool(hierarchies), rounds)


def whole_costs(losses: NDArray[np.float64]) -> Longs:
    """The costs of nodes as whole numbers, never above the true costs, whatever rounding happened before."""
    is_exact = (losses == 0) | (losses == 1)
    return np.where(is_exact, losses * UNIT, np.floor(losses * UNIT) - 1).astype(np.int64)


def _by_rows(
    ladders: Ladders, cells: Ints, weights: Longs, costs: Longs, k: int, run: SearchRun
) -> int:
    """The sum of what each row must lose.

    Cheap schemes come first. A tuple is settled if its least cost does not exceed the least cost of a scheme:
    it is still counted, but its pattern no longer matters. The first few schemes settle most tuples.
    """
    grouping = make_grouping(cells)
    # A withheld cell costs 1, and every row can be published with all cells withheld.
    best = np.full(len(cells), cells.shape[1] * UNIT, dtype=np.int64)
    lattice, n_schemes = make_lattice(ladders), number_of_schemes(ladders)
    every = levels_of(lattice, np.arange(n_schemes))
    least = _least_costs(ladders, costs)[every, np.arange(cells.shape[1])].sum(axis=1)
    order = np.argsort(least, kind="stable")
    candidates = np.arange(len(cells))
    before = np.zeros(cells.shape[1], dtype=np.int64)
    grouping.sums[:] = ladders.codes[0, cells].sum(axis=1)
    for number, scheme in enumerate(order):
        candidates = candidates[best[candidates] > least[scheme]]
        if not len(candidates):
            break
        levels = every[scheme]
        count_patterns(ladders, weights, before, levels, grouping, candidates)
        lower_costs(ladders, costs, cells, levels, grouping, k, best, candidates)
        before = levels
        run.progress("bounding the loss", number, n_schemes)
    return int((best * weights).sum())


def _least_costs(ladders: Ladders, costs: Longs) -> Longs:
    """By level and column: what the cheapest of its nodes costs there."""
    least = np.full((len(ladders.nodes), int(ladders.columns.max()) + 1), UNIT, dtype=np.int64)
    for level, nodes in enumerate(ladders.nodes):
        np.minimum.at(least[level], ladders.columns, costs[nodes])
    return least


def list_patterns(
    trees: Trees,
    ladders: Ladders,
    cells: Ints,
    weights: Longs,
    costs: Longs,
    k: int,
    run: SearchRun,
) -> Patterns | None:
    """All patterns that at least k rows match; None if there are too many.

    They are distinguished by hashes. If two of a scheme have the same hash, there is no list, since a bound
    must not depend on luck.
    """
    lattice, n_schemes = make_lattice(ladders), number_of_schemes(ladders)
    listing = Listing(trees, ladders, cells, weights, k)
    firsts = np.empty(len(cells), dtype=np.int32)
    for number in range(n_schemes):
        levels = levels_of(lattice, np.array([number]))[0]
        listing.add(levels)
        if not are_patterns(ladders, cells, levels, listing.grouping, firsts):
            return None
        if listing.n_matches > MOST_MATCHES:
            return None
        run.progress("listing patterns", number, n_schemes)
    return listing.patterns(costs)


@kernel
def are_patterns(ladders, cells, levels, grouping, firsts):
    """Whether all tuples of each group share their pattern under a scheme; ``firsts`` is scratch space."""
    for each in range(len(cells)):
        firsts[grouping.of_tuple[each]] = each
    for each in range(len(cells)):
        first = firsts[grouping.of_tuple[each]]
        for j in range(len(levels)):
            mine = ladders.nodes[levels[j], cells[each, j]]
            if mine != ladders.nodes[levels[j], cells[first, j]]:
                return False
    return True


@kernel
def count_patterns(ladders, weights, before, levels, grouping, candidates):
    """Count the rows that match the patterns of some tuples, the candidates, under a scheme.

    The sums of the codes are those of the scheme ``before``, and become those of this one. Into ``grouping``:
    the group of each candidate, and the sizes of the groups.
    """
    for j in range(len(levels)):
        if levels[j] != before[j]:
            change_codes(ladders, j, before[j], levels[j], grouping)
    n_slots = 4
    while n_slots < 2 * len(candidates):
        n_slots *= 2
    mask = n_slots - 1
    for slot in range(n_slots):
        grouping.slots[slot] = NOBODY
    n_groups = 0
    for each in candidates:
        group = group_with(grouping, grouping.sums[each], mask, n_groups)
        n_groups += group == n_groups
        grouping.of_tuple[each] = group
    for each in range(len(grouping.sums)):
        group = grouping.slots[find_key(grouping, grouping.sums[each], mask)]
        if group != NOBODY:
            grouping.sizes[group] += weights[each]


@kernel
def lower_costs(ladders, prices, cells, levels, grouping, k, best, candidates):
    """Lower the least cost of each candidate to that of its pattern under a scheme, if k rows match that."""
    for each in candidates:
        if grouping.sizes[grouping.of_tuple[each]] >= k:
            cost = 0
            for j in range(len(levels)):
                cost += prices[ladders.nodes[levels[j], cells[each, j]]]
            best[each] = min(best[each], cost)
