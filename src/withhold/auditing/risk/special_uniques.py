"""Special uniques (SUDA): rows that a few columns suffice to single out, and the columns that do it.

A *minimal sample unique* of a row is a set of columns in which no other row has its values, while in each
smaller part of the set some other has. Being unique passes on to larger sets, so a set is minimal where
the row is unique in none of the sets with one column less. Scores are those of Elliot and others: a set of s
columns counts Π (columns - i) for i from s to the largest size looked for, and a row the sum over its sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod

import numpy as np

from withhold.data.array_types import Bools, Ints
from withhold.data.grouping import group_rows

ROWS_TO_GROUP = 30_000_000
"""At most this many different rows are grouped, over all sets of columns: some seconds."""


@dataclass(frozen=True)
class SpecialRow:
    """A row that is easy to single out; its number is from 1 on."""

    row: int
    score: int
    columns: tuple[tuple[str, ...], ...]
    """Its minimal sample uniques, by the columns they need; of a record by its items."""


@dataclass(frozen=True)
class SpecialUniques:
    """Rows that are unique in at most ``largest`` columns."""

    largest: int
    """The most columns that were combined; fewer than asked for if there are too many sets of columns."""
    asked: int
    rows: int
    by_size: tuple[int, ...]
    """Rows whose smallest set has 1, 2, … columns."""
    shares: tuple[tuple[str, float], ...]
    """Of each column, the share of all scores that comes from sets with it; the largest first."""
    worst: tuple[SpecialRow, ...]
    unit: str = "column"
    """What singles a row out: columns, or items of a record."""

    @property
    def is_complete(self) -> bool:
        """Whether all requested sizes were checked."""
        return self.largest == self.asked


def find_special_uniques(
    names: Sequence[str], columns: Sequence[Ints], *, asked: int, show: int
) -> SpecialUniques:
    """The special uniques of rows with these codes; the ``show`` of the highest score with their columns."""
    # Rows that agree in all columns are counted as one.
    alike = group_rows(columns, len(columns[0]))
    columns = [codes[alike.first_rows] for codes in columns]
    n_rows = len(alike)
    asked = min(asked, len(names))
    largest = _affordable(len(names), n_rows, asked)
    scores = np.zeros(n_rows, dtype=np.int64)
    smallest = np.zeros(n_rows, dtype=np.int64)
    weight_of = [0] * len(names)
    minimal: dict[tuple[int, ...], Bools] = {}
    unique: dict[tuple[int, ...], Bools] = {(): np.zeros(n_rows, dtype=np.bool_)}
    for size in range(1, largest + 1):
        score = score_of(size, len(names), largest)
        now: dict[tuple[int, ...], Bools] = {}
        for chosen in combinations(range(len(names)), size):
            groups = group_rows([columns[place] for place in chosen], n_rows)
            held = np.bincount(groups.of_row, weights=alike.sizes)
            now[chosen] = held[groups.of_row] == 1
            found = now[chosen].copy()
            for part in combinations(chosen, size - 1):
                found &= ~unique[part]
            if not found.any():
                continue
            minimal[chosen] = found
            scores[found] += score
            smallest[found & (smallest == 0)] = size
            for place in chosen:
                weight_of[place] += score * int(found.sum())
        unique = now
    total = max(int(scores.sum()), 1)
    shares = sorted(
        ((name, weight / total) for name, weight in zip(names, weight_of, strict=True)),
        key=lambda each: -each[1],
    )
    worst = np.lexsort((alike.first_rows, -scores))[:show]
    return SpecialUniques(
        largest,
        asked,
        int((scores > 0).sum()),
        tuple(int((smallest == size).sum()) for size in range(1, largest + 1)),
        tuple(shares),
        tuple(
            SpecialRow(
                int(alike.first_rows[row]) + 1,
                int(scores[row]),
                tuple(
                    tuple(names[place] for place in chosen)
                    for chosen, found in minimal.items()
                    if found[row]
                ),
            )
            for row in worst
            if scores[row]
        ),
    )


def score_of(size: int, n_columns: int, largest: int) -> int:
    """The score of a minimal sample unique; never nothing.

    >>> score_of(1, n_columns=4, largest=3), score_of(2, n_columns=4, largest=3)
    (6, 2)
    """
    return prod(n_columns - i for i in range(size, min(largest, n_columns - 1) + 1))


def _affordable(n_columns: int, n_rows: int, asked: int) -> int:
    """The largest size up to which all sets of columns can be checked; at least 1."""
    size, sets = 1, n_columns
    while size < asked and (sets + comb(n_columns, size + 1)) * n_rows <= ROWS_TO_GROUP:
        size += 1
        sets += comb(n_columns, size)
    return size
