"""Whether a table has many of its rows twice, like a file to which an export was appended twice.

In: a table as read, with its identifiers. Out: the reason to stop if many rows repeat another in every column
although a column should distinguish them, or if every row is there equally often. With only a few
categories, many rows are equal by chance, and there is none.
"""

from __future__ import annotations

import numpy as np

from withhold.data.grouping import group_rows
from withhold.data.identifying import FEWEST
from withhold.data.repeats import Repeat
from withhold.data.table import Table
from withhold.wording import counted

SHARE = 10
"""At least one row in this many must repeat another."""
NEARLY = 0.95
"""The share of the repeated rows that a column must distinguish."""


def copied_rows(table: Table) -> list[Repeat]:
    """The reason to stop if many rows are in the table several times."""
    repeated = repeated_rows(table)
    if not repeated:
        return []
    path = "" if table.source is None else f"{table.source.path}: "
    problem = (
        f"{path}{repeated:,} of {counted(len(table), 'row')} repeat another row in every column, as if "
        "part of the file were there twice; k counts rows and not persons, so that k rows may be one person's"
    )
    return [Repeat(problem, "delete the copies")]


def repeated_rows(table: Table) -> int:
    """How many rows repeat another in every column; 0 if these are few, or equal by chance.

    >>> twice = [f"N{n}" for n in range(30)] * 2
    >>> repeated_rows(Table.from_columns({"name": twice, "pay": [name * 2 for name in twice]}))
    30
    """
    n_rows = len(table)
    most = max((int(np.count_nonzero(column.counts)) for column in table.columns), default=0)
    if n_rows < FEWEST or (n_rows - most) * SHARE < n_rows:
        return 0
    codes = [column.codes for column in table.columns]
    groups = group_rows(codes, n_rows)
    repeated = n_rows - len(groups)
    # By chance the numbers of equal rows have no common factor; that many even numbers are no chance.
    if len(groups) >= FEWEST and np.gcd.reduce(groups.sizes) > 1:
        return repeated
    of_several = groups.first_rows[groups.sizes > 1]
    if repeated * SHARE < n_rows or len(of_several) < FEWEST:
        return 0
    for place, column in enumerate(table.columns):
        if 2 * np.count_nonzero(column.counts) < len(groups):
            continue
        told_apart = len(np.unique(column.codes[of_several]))
        # One column alone could repeat by chance with all that it determines: a postcode, with the town.
        rest = [each[of_several] for number, each in enumerate(codes) if number != place]
        others = len(group_rows(rest, len(of_several)))
        if told_apart >= NEARLY * len(of_several) and 2 * others >= len(of_several):
            return repeated
    return 0
