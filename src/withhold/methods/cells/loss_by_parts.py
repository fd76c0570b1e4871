"""What a released table lost against its original, both read part by part: measures that are sums over rows.

In: the two tables, the rows of one part at a time. Out: those measures of a release that are sums. Measures
that need all rows at once (divergence, correlations, count queries, classifiers) are left out.
"""

from __future__ import annotations

from withhold.data import Table
from withhold.methods.cells.audit import TableAudit
from withhold.methods.cells.loss import (
    ColumnLoss,
    TableLoss,
    as_seen,
    changed_cells,
    refuse_other_rows,
)
from withhold.methods.cells.model import KAnonymity
from withhold.methods.cells.utility import TableUtility, as_measured
from withhold.telling.facts import Measured


class LossByParts:
    """The cells and rows that were changed in some parts."""

    left_out = (
        "The divergence of the values, correlations, count queries and what can be learnt from the release "
        "need all rows at once, and are left out, too."
    )

    def __init__(self, model: KAnonymity) -> None:
        self.names = model.quasi_identifiers
        self.rows = self.touched = 0
        self.by_column = [ColumnLoss(name, 0, 0) for name in self.names]

    def add(self, original: Table, published: Table) -> None:
        """Compare the rows of a part."""
        refuse_other_rows(original, published)
        seen = {name: as_seen(original.column(name), published.column(name)) for name in self.names}
        touched, by_column = changed_cells(original, seen)
        self.rows += len(original)
        self.touched += touched
        self.by_column = [
            before + own for before, own in zip(self.by_column, by_column, strict=True)
        ]

    def joined(self, after: TableAudit) -> Measured:
        """The measures of all parts; ``after`` is the audit of the release."""
        withheld = sum(each.withheld for each in self.by_column)
        other = sum(each.generalised for each in self.by_column)
        total = self.rows * len(self.names)
        loss = TableLoss(
            withheld=withheld,
            generalised=other,
            total=total,
            rows_touched=self.touched,
            rows=self.rows,
            kl=None,
            groups=after.groups,
            smallest_group=after.k,
            by_column=tuple(self.by_column),
            # The loss of detail of a generalised cell depends on all values of its column.
            ncp=None if other else withheld / max(total, 1),
        )
        found = TableUtility(
            loss, correlations=None, naive_bayes=None, tree=None, leak=None, queries=None
        )
        return as_measured(found)
