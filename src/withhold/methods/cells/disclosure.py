"""What the groups of a table disclose about sensitive columns: for the audit, which the check does not use.

In: the groups of a table and the model. Out: which groups break a requirement, and for each sensitive column
the ℓ, the t and the β that the table has as it is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import exp, fsum, log

import numpy as np

from withhold.data import Table
from withhold.data.grouping import Groups, distinct_per_group, group_rows, groups_of
from withhold.errors import option
from withhold.methods.cells.model import VALUE, WILDCARD, KAnonymity
from withhold.methods.cells.requirements import distance
from withhold.methods.cells.sensitive import Sensitive, sensitive_columns
from withhold.wording import counted, percent


@dataclass(frozen=True)
class Disclosed:
    """What the worst group of a table discloses about one sensitive column."""

    column: str
    l: int  # noqa: E741
    """The fewest different values of a group."""
    entropy_l: float
    """The fewest equally frequent values that are as even as those of a group."""
    t: float
    """The largest distance between the frequencies of a group and of the whole table."""
    beta: float
    """The most by which a value is more frequent in a group, as a share of its frequency in the table."""


def disclosed(table: Table, model: KAnonymity, groups: Groups) -> tuple[Disclosed, ...]:
    """What the groups disclose, by sensitive column."""
    columns = sensitive_columns(table, model)
    return tuple(most_disclosed(column, _counts(column, groups)) for column in columns)


def lacking(table: Table, model: KAnonymity, groups: Groups) -> dict[int, str]:
    """What is wrong with the sensitive columns, for each group where something is."""
    found: dict[int, str] = {}
    for column in sensitive_columns(table, model):
        for group, counts in enumerate(_counts(column, groups)):
            for requirement in model.requirements:
                if lacks := requirement.lacks(counts, column.whole):
                    found.setdefault(group, f"{column.name} has {lacks}")
    return found


def one_label_rows(table: Table, model: KAnonymity, groups: Groups) -> int | None:
    """How many rows are in groups in which all have the same label; None without a label."""
    if model.label is None:
        return None
    labels = distinct_per_group(groups, table.column(model.label).codes)
    return int(groups.sizes[labels == 1].sum())


def given_away(table: Table, model: KAnonymity) -> tuple[str, ...]:
    """What to warn of although the model holds: small groups, and groups that give the label away."""
    groups = groups_of(table, model.quasi_identifiers)
    found = _small_groups(table, model, groups) if model.missing == WILDCARD else ()
    return (*found, *one_label_warning(one_label_rows(table, model, groups), len(table), model))


def _small_groups(table: Table, model: KAnonymity, groups: Groups) -> tuple[str, ...]:
    small = int(groups.sizes[groups.sizes < model.k].sum())
    if not small:
        return ()
    return (
        f"{_share(small, len(table))} look like fewer than {model.k:,} rows: only withheld cells, which may "
        f"stand for anything, hide them. To fix it: {option('missing', VALUE)}",
    )


def _share(rows: int, total: int) -> str:
    return f"{rows:,} of {counted(total, 'row')} ({percent(rows / total)})"


def one_label_warning(alike: int | None, total: int, model: KAnonymity) -> tuple[str, ...]:
    """The warning about rows in groups in which all have the same label."""
    if not alike or model.label in model.sensitive_column:
        return ()
    rows = _share(alike, total)
    return (
        f"{rows} are in groups with a single {model.label}: whoever finds the group of a person knows it. To "
        f"fix it: {option('l', 2)} or {option('t', '0.3')} protects the label; {option('cost', 'ham')} "
        f"or no {option('label')} makes fewer such groups than the costs hybrid and mar",
    )


def _counts(column: Sensitive, groups: Groups) -> list[dict[int, int]]:
    """How many rows of each group have each value."""
    columns = [groups.of_row.astype(np.int32), column.values.astype(np.int32)]
    pairs = group_rows(columns, len(column.values))
    found: list[dict[int, int]] = [{} for _ in range(len(groups))]
    owners, values = groups.of_row[pairs.first_rows], column.values[pairs.first_rows]
    for group, value, rows in zip(
        owners.tolist(), values.tolist(), pairs.sizes.tolist(), strict=True
    ):
        found[group][value] = rows
    return found


def most_disclosed(column: Sensitive, every: Collection[Mapping[int, int]]) -> Disclosed:
    """What groups disclose of which it is known how many rows have each value."""
    totals, n_rows = column.whole.totals, sum(column.whole.totals)
    times = Fraction(1)
    entropy = log(len(totals))
    for counts in every:
        n = sum(counts.values())
        entropy = min(entropy, -fsum(m / n * log(m / n) for m in counts.values()))
        times = max(times, *(Fraction(m * n_rows, n * totals[v]) for v, m in counts.items()))
    return Disclosed(
        column.name,
        l=min(map(len, every)),
        entropy_l=exp(entropy),
        t=float(max(distance(counts, column.whole) for counts in every)),
        beta=float(times - 1),
    )
