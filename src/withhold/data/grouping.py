"""Rows with equal cells in some columns, numbered as groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.data.array_types import Longs
from withhold.data.table import Table
from withhold.errors import ImpossibleError
from withhold.wording import counted

ROOM = 2**62
"""Keys stay below this, so that they are exact."""


@dataclass(frozen=True)
class Groups:
    """The groups of a table's rows."""

    of_row: Longs
    """The number of each row's group."""
    first_rows: Longs
    """The first row of each group."""
    sizes: Longs
    """How many rows each group has."""

    def __len__(self) -> int:
        return len(self.sizes)


def group_rows(columns: Sequence[NDArray[np.int32]], n_rows: int) -> Groups:
    """The groups of rows whose codes agree in all columns; with no columns, one group of all."""
    keys = np.zeros(n_rows, dtype=np.int64)
    span = 1
    for codes in columns:
        # Codes begin at -1, the withheld cell's.
        base = int(codes.max(initial=-1)) + 2
        if span * base >= ROOM:
            distinct, keys = np.unique(keys, return_inverse=True)
            span = len(distinct)
        keys = keys * base + (codes.astype(np.int64) + 1)
        span *= base
    _, first, of_row, sizes = np.unique(
        keys, return_index=True, return_inverse=True, return_counts=True
    )
    return Groups(of_row.astype(np.int64), first.astype(np.int64), sizes.astype(np.int64))


def groups_of(table: Table, names: Sequence[str]) -> Groups:
    """The groups of rows that agree in these columns, a withheld cell being a value of its own."""
    return group_rows([table.column(name).codes for name in names], len(table))


def refuse_few_rows(n_rows: int, k: int) -> None:
    """Raise at once if there are not even k rows."""
    if n_rows < k:
        raise ImpossibleError(
            f"the table has {counted(n_rows, 'row')}, and groups of {k:,} are asked for; choose a smaller k"
        )


def distinct_per_group(groups: Groups, codes: NDArray[np.int32]) -> Longs:
    """How many different codes each group holds."""
    pairs = group_rows([groups.of_row.astype(np.int32), codes], len(groups.of_row))
    owners = groups.of_row[pairs.first_rows]
    return np.bincount(owners, minlength=len(groups)).astype(np.int64)
