"""The audit of a table that is read part by part, from the rows of every group counted over all parts.

In: each part as a table, then the counts of all parts, some shelves of groups at a time. Out: a
``TableAudit``. Its numbers are those of the whole table. What needs all groups at once is left out.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from withhold.auditing.risk.options import PopulationInfo
from withhold.auditing.risk.risks import risks_of_classes
from withhold.data import Table
from withhold.data.breach import SmallGroup
from withhold.data.roles import column_roles, undecided_in_most
from withhold.data.table import WITHHELD, Value
from withhold.errors import PolicyError, option
from withhold.methods.cells.advice import advise
from withhold.methods.cells.audit import TableAudit, size_ranges
from withhold.methods.cells.disclosure import Disclosed, most_disclosed, one_label_warning
from withhold.methods.cells.group_counts import (
    ROWS,
    count_groups,
    group_sizes,
    lacking_groups,
    sensitive_by_group,
    small_group,
)
from withhold.methods.cells.model import KAnonymity
from withhold.methods.cells.options import CellsAudit
from withhold.verdict import Status, Verdict

if TYPE_CHECKING:
    import polars


class AuditByCounts:
    """What is known of a table after some of its parts, and some shelves of its groups."""

    def __init__(self, model: KAnonymity, options: CellsAudit) -> None:
        if options.population is not None:
            raise PolicyError(
                f"{option('population')} compares every group with the population, for which all groups must "
                f"be in memory; leave it out, or say {option('sampling_fraction')}"
            )
        self.model, self.options = model, options
        self.rows = self.withheld = self.at_risk = self.one_label = 0
        self.columns: tuple[str, ...] = ()
        self.roles: Mapping[str, str] = {}
        self.undecided: list[tuple[int, Mapping[str, str]]] = []
        self.sizes: list[np.ndarray] = []
        self.disclosed: list[tuple[Disclosed, ...]] = []
        self.worst: list[SmallGroup] = []

    def count(self, table: Table) -> polars.DataFrame:
        """Count a part; the rows of its groups, by sensitive values and label."""
        publish = self.options.publish
        publish = publish if isinstance(publish, str) else tuple(publish)
        found = column_roles(table, self.model, publish, is_part=True)
        self.columns, self.roles = table.names, found.roles
        self.undecided.append((len(table), found.undecided))
        self.rows += len(table)
        self.withheld += int((table.cells(self.model.quasi_identifiers) == WITHHELD).sum())
        label = self.model.label
        return count_groups(table, self.model, also=() if label is None else (label,))

    def add(self, counts: polars.DataFrame, totals: Sequence[Mapping[Value, int]]) -> None:
        """Add the groups of some shelves, with the counts of all parts."""
        import polars as pl

        model = self.model
        sizes = group_sizes(counts, model)
        if sizes.is_empty():
            return
        self.sizes.append(sizes[ROWS].to_numpy())
        columns = list(sensitive_by_group(counts, model, totals))
        self.disclosed.append(
            tuple(most_disclosed(column, list(groups.values())) for column, groups in columns)
        )
        lacks = lacking_groups(columns, model)
        rows = {tuple(group): number for *group, number in sizes.iter_rows()} if lacks else {}
        small = sizes.filter(pl.col(ROWS) < model.k)
        few = {tuple(group): number for *group, number in small.iter_rows()}
        risky = few | {group: rows[group] for group in lacks}
        self.at_risk += sum(risky.values())
        found = [small_group(model, g, n, "" if g in few else lacks[g]) for g, n in risky.items()]
        self.worst = heapq.nsmallest(
            self.options.show, [*self.worst, *found], key=lambda each: (each.rows, str(each))
        )
        if model.label is not None:
            own = counts.group_by(sizes.columns[:-1]).agg(
                pl.col(ROWS).sum(), pl.col("a0").n_unique().alias("labels")
            )
            self.one_label += int(own.filter(pl.col("labels") == 1)[ROWS].sum())

    def joined(self, verdict: Verdict, *, parts: int, seed: int, seconds: float) -> TableAudit:
        """The audit of all parts together."""
        sizes = np.sort(np.concatenate(self.sizes))
        one_label = None if self.model.label is None else self.one_label
        k = int(sizes[0])
        return TableAudit(
            model=self.model,
            verdict=verdict,
            breaches=tuple(self.worst),
            rows=self.rows,
            columns=len(self.columns),
            groups=len(sizes),
            k=k,
            k_wildcard=None if self.withheld else k,
            sensitive=tuple(_worst_of(each) for each in zip(*self.disclosed, strict=True)),
            rows_at_risk=self.at_risk,
            withheld=self.withheld,
            sizes=size_ranges(sizes),
            known=(),
            one_label_rows=one_label,
            seed=seed,
            seconds=seconds,
            column_roles=self.roles,
            warnings=one_label_warning(one_label, self.rows, self.model),
            undecided=undecided_in_most(self.undecided),
            risks=risks_of_classes(sizes, PopulationInfo.of(self.options)),
            advice=advise(self.model) if verdict.status is Status.BROKEN else (),
            parts=parts,
        )


def _worst_of(found: Sequence[Disclosed]) -> Disclosed:
    """What the worst of all groups discloses, of one column by shelves."""
    return Disclosed(
        found[0].column,
        l=min(each.l for each in found),
        entropy_l=min(each.entropy_l for each in found),
        t=max(each.t for each in found),
        beta=max(each.beta for each in found),
    )
