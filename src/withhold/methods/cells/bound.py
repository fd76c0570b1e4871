"""A lower bound for tables: what each row must lose, whatever becomes of the others.

The cells that a row shows are a pattern, and at least k rows of the release show the same one. Each of them
was made from an original row that matches it. So no row can cost less than the cheapest pattern that it and
at least k - 1 other original rows match, and the sum of these costs is a bound for every release. It holds
where a withheld cell is a value of its own; l and the like only raise the least loss.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from withhold.counting.jit import kernel
from withhold.data import Table
from withhold.data.grouping import group_rows
from withhold.errors import InputError
from withhold.method import SearchRun
from withhold.methods.cells.model import WILDCARD, KAnonymity
from withhold.methods.cells.options import SETS, CellsSearch
from withhold.methods.cells.schemes import (
    group_by_scheme,
    levels_of,
    make_grouping,
    make_ladders,
    make_lattice,
    number_of_schemes,
)
from withhold.methods.cells.trees import hierarchies_from, make_forest
from withhold.options import Plain
from withhold.telling.facts import Fact

MOST_CELLS = 3 * 10**9
"""Cells of rows that differ, times schemes; where it is more, no bound is given."""
MEANING = "the share of the cells, or of their detail, that every such release must withhold"


@dataclass(frozen=True)
class CellBound:
    """No k-anonymous release by suppression withholds less than this share.

    >>> print(CellBound(share=0.118, generalised=False).sentence())
    No k-anonymous release that only withholds cells can withhold less than 11.8 % of them.
    """

    share: float
    generalised: bool
    """Whether cells can be generalised; the share is then of the detail (NCP)."""

    def sentence(self) -> str:
        """What is true of every release."""
        if self.generalised:
            return (
                "No k-anonymous release that generalises cells along these hierarchies or withholds them can "
                f"lose less than {self.share * 100:.1f} % of their detail (NCP)."
            )
        return (
            "No k-anonymous release that only withholds cells can withhold less than "
            f"{self.share * 100:.1f} % of them."
        )

    def as_dict(self) -> dict[str, Plain]:
        """The bound as plain values."""
        return asdict(self)

    def facts(self) -> list[tuple[str, str]]:
        """What people want to know of it, as pairs of texts."""
        what = "of the detail (NCP)" if self.generalised else "of the cells"
        return [("at least", f"{self.share * 100:.1f} % {what} in every k-anonymous release")]

    def fact(self) -> Fact:
        """The bound as one number among the measures of a release."""
        return Fact("bound.share", "at least", self.share, "share", MEANING)


def bound_cells(
    table: Table, model: KAnonymity, options: CellsSearch, run: SearchRun
) -> CellBound | None:
    """The bound; None if there are too many patterns to look at them all, or it was not asked for.

    Nor is there one for ranges and sets, which are no patterns of a scheme.
    """
    if not options.bound or model.missing == WILDCARD or options.cells == SETS:
        return None
    hierarchies = hierarchies_from(options.hierarchy, table)
    try:
        forest = make_forest(table, model.quasi_identifiers, hierarchies)
    except InputError:
        # Some cells were generalised before, and the table held as it came.
        return None
    ladders = make_ladders(forest.trees, forest.bounds)
    columns = [forest.nodes[:, j] for j in range(forest.nodes.shape[1])]
    tuples = group_rows(columns, len(table))
    cells = np.ascontiguousarray(forest.nodes[tuples.first_rows])
    n_schemes = number_of_schemes(ladders)
    if n_schemes * cells.size > MOST_CELLS:
        return None
    grouping = make_grouping(cells)
    # Nothing kept costs 1 a cell, and every row can be published so.
    best = np.full(len(cells), cells.shape[1], dtype=np.float64)
    lattice = make_lattice(ladders)
    for number in range(n_schemes):
        levels = levels_of(lattice, np.array([number]))[0]
        group_by_scheme(ladders, cells, tuples.sizes, levels, grouping)
        lower_costs(ladders, forest.losses, cells, levels, grouping, model.k, best)
        run.progress("bounding the loss", number, n_schemes)
    total = float((best * tuples.sizes).sum())
    return CellBound(total / max(forest.nodes.size, 1), bool(hierarchies))


@kernel
def lower_costs(ladders, prices, cells, levels, grouping, k, best):
    """Lower the least cost of each tuple to that of its pattern under a scheme, if k rows match that."""
    for each in range(len(cells)):
        if grouping.sizes[grouping.of_tuple[each]] >= k:
            cost = 0.0
            for j in range(len(levels)):
                cost += prices[ladders.nodes[levels[j], cells[each, j]]]
            best[each] = min(best[each], cost)
