"""What the groups of a table disclose about sensitive columns: for the audit, which the check does not use.

In: the groups of a table and the model. Out: which groups break a requirement, and for each sensitive column
the ℓ, t and β that the table actually has.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, fsum, lgamma, log
from typing import NamedTuple

import numpy as np

from withhold.data import Table
from withhold.data.array_types import Floats, Longs
from withhold.data.grouping import Groups, distinct_per_group, group_rows, groups_of
from withhold.data.roles import PUBLISHED, roles_of
from withhold.data.sensitive_values import SHOWN, nearly_equal, says_nothing
from withhold.data.table import WITHHELD
from withhold.errors import option
from withhold.exact import decimal_text
from withhold.methods.cells.model import VALUE, WILDCARD, KAnonymity
from withhold.methods.cells.requirements import distance, parse_diversity
from withhold.methods.cells.sensitive import Sensitive, sensitive_columns
from withhold.wording import counted, listing, percent

COLUMNS_SHOWN = 3
"""Columns named by a warning."""
BY_CHANCE = 0.001
"""Groups with one value that are less probable than this are not explained by chance."""


@dataclass(frozen=True)
class Disclosed:
    """What the worst group of a table discloses about one sensitive column."""

    column: str
    l: int  # noqa: E741
    """The fewest different values of a group."""
    entropy_l: float
    """The smallest effective number of values of a group: the exponential of its entropy."""
    t: float
    """The largest distance between the frequencies of a group and of the whole table."""
    beta: float
    """The most by which a value is more frequent in a group, as a share of its frequency in the table."""


def disclosed(table: Table, model: KAnonymity, groups: Groups) -> tuple[Disclosed, ...]:
    """What the groups disclose, by sensitive column."""
    columns = sensitive_columns(table, model)
    return tuple(most_disclosed(column, _counts(column, groups)) for column in columns)


def lacking(table: Table, model: KAnonymity, groups: Groups) -> dict[int, str]:
    """The requirements on sensitive columns that each group breaks; only for groups that break any."""
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


def disclosure_warnings(table: Table, model: KAnonymity) -> tuple[str, ...]:
    """Warnings although the model holds: small groups, and what groups disclose about other columns."""
    groups = groups_of(table, model.quasi_identifiers)
    found = _small_groups(table, model, groups) if model.missing == WILDCARD else ()
    of_label = one_label_warning(one_label_rows(table, model, groups), len(table), model)
    of_columns = _alike_warning(alike_groups(table, model, groups))
    unclear = _unclear_values(table, model, groups)
    return (*found, *of_label, *of_columns, *_without_effect(table, model), *unclear)


def _without_effect(table: Table, model: KAnonymity) -> Iterator[str]:
    """Columns of which no group of k rows could break the beta that was asked for."""
    if model.beta is None:
        return
    for column in sensitive_columns(table, model):
        # The worst group holds all rows of the rarest value, and no others unless those are fewer than k.
        most = Fraction(len(table), max(min(column.whole.totals), model.k))
        if most <= 1 + model.beta:
            yield (
                f"beta {decimal_text(model.beta)} promises nothing about {column.name}: in no group could a "
                f"value be more than {float(most):.1f} times as frequent as in the table; 1 means at most "
                "twice as frequent"
            )


class Alike(NamedTuple):
    """The groups whose rows all have the same value in a column that is published unchanged."""

    column: str
    groups: int
    rows: int


def alike_groups(table: Table, model: KAnonymity, groups: Groups) -> list[Alike]:
    """What groups of k rows or more reveal of columns that no role protects, most rows first.

    A value that half of all rows have, or a blank, reveals little and does not count. A column is left out if
    random values would make as many groups alike with a probability above one in a thousand.
    """
    order = np.argsort(groups.of_row, kind="stable")
    starts = np.concatenate([[0], np.cumsum(groups.sizes)[:-1]])
    large = groups.sizes >= max(model.k, 2)
    found = []
    for name in (name for name, role in roles_of(table, model).items() if role == PUBLISHED):
        column = table.column(name)
        codes = column.codes[order]
        first = np.minimum.reduceat(codes, starts)
        alike = large & (first == np.maximum.reduceat(codes, starts)) & (first != WITHHELD)
        is_rare = 2 * column.counts < len(table)
        reveals = is_rare & [bool(value) for value in column.values]
        alike[alike] = reveals[first[alike]]
        shares = column.counts[reveals] / len(table)
        if alike.any() and not _may_be_chance(groups.sizes[large], groups.sizes[alike], shares):
            found.append(Alike(name, int(alike.sum()), int(groups.sizes[alike].sum())))
    return sorted(found, key=lambda each: -each.rows)


def _may_be_chance(sizes: Longs, alike: Longs, shares: Floats) -> bool:
    """Whether this many groups of these sizes may be alike by chance, with values of these shares."""
    each, times = np.unique(sizes[sizes >= alike.min()], return_counts=True)
    mean = fsum(n * (shares**size).sum() for size, n in zip(each, times, strict=True))
    # For n rare events, mean**n / n! is never below the probability of n or more.
    return mean > 0 and len(alike) * log(mean) - lgamma(len(alike) + 1) > log(BY_CHANCE)


def _alike_warning(found: Sequence[Alike]) -> tuple[str, ...]:
    if not found:
        return ()
    groups = [
        f"in {counted(each.groups, 'group')} of {counted(each.rows, 'row')} everybody has the same "
        f"{each.column}"
        for each in found[:COLUMNS_SHOWN]
    ]
    more = f" (and so on, for {len(found):,} columns)" if len(found) > COLUMNS_SHOWN else ""
    protects = option("sensitive_column", found[0].column)
    return (
        f"{listing(groups)}{more}: whoever finds the group of a person knows it. To fix it: {protects} with "
        f"{option('l', 2)} protects a column",
    )


def _unclear_values(table: Table, model: KAnonymity, groups: Groups) -> Iterator[str]:
    """Warnings about sensitive columns: values that may mean the same, and values that mean "unknown"."""
    for column in map(table.column, model.sensitive_column):
        if pairs := nearly_equal(column):
            shown = ", ".join(f"{one!r} and {other!r}" for one, other in pairs[:SHOWN])
            more = f" and {len(pairs) - SHOWN:,} more" if len(pairs) > SHOWN else ""
            yield (
                f"values of {column.name} that hardly differ count as different values: {shown}{more}. "
                "To fix it: correct the file if they mean the same"
            )
        silent = [n for n, value in enumerate(column.values) if says_nothing(value)]
        is_silent = np.isin(column.codes, silent)
        if model.l is None or not is_silent.any():
            continue
        # Known values only: all unknown ones count as one value, which is then subtracted.
        values = distinct_per_group(groups, np.where(is_silent, WITHHELD, column.codes))
        values -= np.bincount(groups.of_row[is_silent], minlength=len(groups)) > 0
        least = ceil(parse_diversity(model.l).l)
        if few := int((values < least).sum()):
            shown = ", ".join(repr(column.values[n] or "") for n in silent[:SHOWN])
            yield (
                f"{column.name} has values that say nothing ({shown}) and count as values: {few:,} of "
                f"{counted(len(groups), 'group')} {'has' if few == 1 else 'have'} fewer than {least:,} "
                "others. To fix it: leave such rows out, or ask for a larger l"
            )


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
    """What groups disclose, given how many of their rows have each value."""
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
