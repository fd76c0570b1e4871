"""What is in a table, in a handful of numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from withhold.data.records import Records


@dataclass(frozen=True)
class Profile:
    """Rows, items, lengths and the most frequent items of a table."""

    records: int
    items: int
    occurrences: int
    empty_records: int
    repeated: int
    skipped_rows: int
    """Rows that were left out because they name no record."""
    mean_length: float
    median_length: float
    longest: int
    lengths: tuple[tuple[int, int, int], ...]
    """Bins of the length distribution: from, to (both included), records."""
    top: tuple[tuple[str, int], ...]
    """The most frequent items with the number of records that hold them."""
    format: str
    """The format found, in words."""


def profile(table: Records, *, top: int = 10) -> Profile:
    """The profile of ``table``."""
    lengths = table.lengths
    supports = table.supports
    order = np.lexsort((np.arange(table.n_items), -supports))[:top]
    return Profile(
        records=len(table),
        items=int((supports > 0).sum()),
        occurrences=table.n_occurrences,
        empty_records=int((lengths == 0).sum()),
        repeated=table.repeated,
        skipped_rows=table.skipped_rows,
        mean_length=float(lengths.mean()) if len(table) else 0.0,
        median_length=float(np.median(lengths)) if len(table) else 0.0,
        longest=int(lengths.max(initial=0)),
        lengths=length_bins(lengths),
        top=tuple(
            (table.vocabulary[code], int(supports[code])) for code in order if supports[code]
        ),
        format=_describe(table),
    )


def length_bins(lengths: np.ndarray) -> tuple[tuple[int, int, int], ...]:
    """Single lengths up to 10, then ranges that double: short records matter most, tails are long."""
    longest = int(lengths.max(initial=0))
    edges = list(range(0, min(longest, 10) + 1))
    bins = [(edge, edge) for edge in edges]
    start = 11
    while start <= longest:
        end = (start - 1) * 2
        bins.append((start, min(end, longest)))
        start = end + 1
    counts = np.bincount(lengths, minlength=longest + 1)
    return tuple((low, high, int(counts[low : high + 1].sum())) for low, high in bins)


SEPARATOR_NAMES = {" ": "space", ",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}


def _describe(table: Records) -> str:
    source = table.source
    if source is None:
        return "in memory"
    parts = [source.format]
    if source.format == "basket":
        parts.append(f"separated by {SEPARATOR_NAMES.get(source.separator, source.separator)}")
    elif source.columns:
        parts.append(f"columns {', '.join(source.columns)}")
    if source.container == "parquet":
        parts.append("parquet")
    if source.compression:
        parts.append(source.compression)
    return ", ".join(parts)
