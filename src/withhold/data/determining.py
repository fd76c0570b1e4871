"""Columns from which a withheld cell can be read off: years of schooling tell the degree.

In: a table, the columns that stay as they are, and those that may lose cells. Out: which of the first tell
which of the second, exactly or nearly. Each column is judged by itself, not together with others.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from withhold.data.table import Column, Table

NEARLY = 0.9
"""From this share of what the most frequent value leaves open on, a column nearly tells another."""


def determining_columns(
    table: Table, kept: Iterable[str], protected: Iterable[str]
) -> dict[str, dict[str, float]]:
    """For each kept column that tells a protected one: which, and in what share of the rows."""
    hidden = [table.column(name) for name in protected]
    found: dict[str, dict[str, float]] = {}
    for column in map(table.column, kept):
        for other in hidden:
            share = 0.0 if other.name == column.name else _told(column, other)
            if share:
                found.setdefault(column.name, {})[other.name] = share
    return found


def _told(column: Column, other: Column) -> float:
    """The share of the rows whose other cell can be told from this one; 0 where that is no news.

    Whoever finds a withheld cell looks at the other rows with the same value of the kept column, and says
    what most of them have. A row that has its value alone is therefore not told.
    """
    shown = (column.codes >= 0) & (other.codes >= 0)
    codes, others = column.codes[shown].astype(np.int64), other.codes[shown].astype(np.int64)
    if not len(codes):
        return 0.0
    width = len(other.values)
    keys, counts = np.unique(codes * width + others, return_counts=True)
    order = np.lexsort((-counts, keys // width))
    keys, counts = keys[order], counts[order]
    owner = keys // width
    first = np.flatnonzero(np.append(True, owner[1:] != owner[:-1]))
    top = counts[first]
    second = np.zeros(len(first), dtype=counts.dtype)
    several = np.append(first[1:], len(owner)) - first > 1
    second[several] = counts[first[several] + 1]
    by_majority = int(np.bincount(others).max())
    if by_majority == len(others):
        return 0.0
    if not second.any() and len(np.unique(keys[first[top > 1]] % width)) > 1:
        return 1.0
    told = int(top[(top > 1) & (top > second)].sum())
    news = (told - by_majority) / (len(others) - by_majority)
    return told / len(others) if news >= NEARLY else 0.0
