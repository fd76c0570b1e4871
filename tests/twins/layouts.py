"""Tables in the form of the kernels, and the same as sets and lists for the twins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from tables import Rows
from withhold.counting.bits import make_bitmaps
from withhold.counting.layout import Layout, lay_out
from withhold.data import Records


def laid_out(rows: Rows, sensitive: frozenset[str]) -> tuple[Layout, list[frozenset[int]]]:
    """The layout and the same rows as sets of ranks."""
    table = Records.from_lists(rows)
    layout = lay_out(table, table.codes(sensitive))
    return layout, [frozenset(row) for row in lists(layout.offsets, layout.items)]


def sensitive_ranks(layout: Layout) -> frozenset[int]:
    return frozenset(layout.sensitive_ranks().tolist())


def all_bitmaps(layout: Layout) -> np.ndarray:
    """Bitmaps of every item, where the layout would make them of frequent ones only."""
    return make_bitmaps(layout.post_offsets, layout.post_rows, 0, layout.n_rows)


def rows_in(bitmaps: np.ndarray) -> list[set[int]]:
    """The rows whose bits are set, item by item."""
    return [
        {64 * n + bit for n, word in enumerate(words) for bit in range(64) if int(word) >> bit & 1}
        for words in bitmaps
    ]


def arrays(sets: Sequence[Iterable[int]]) -> tuple[np.ndarray, np.ndarray]:
    """The sets as offsets and ascending items."""
    offsets = np.cumsum([0, *(len(list(each)) for each in sets)]).astype(np.int64)
    return offsets, np.array([x for each in sets for x in sorted(each)], dtype=np.int32)


def frozen_arrays(sets: Sequence[Iterable[int]]) -> tuple[np.ndarray, np.ndarray]:
    """As ``arrays``, not writeable, as those of records are: for others numba compiles a kernel again."""
    made = arrays(sets)
    for array in made:
        array.flags.writeable = False
    return made


def lists(offsets: np.ndarray, items: np.ndarray) -> list[list[int]]:
    """The parts of an array that offsets mark."""
    ends = offsets.tolist()
    return [items[a:b].tolist() for a, b in zip(ends, ends[1:], strict=False)]


def left_in(offsets: np.ndarray, items: np.ndarray) -> list[frozenset[int]]:
    """The rows without what was deleted, which is negative."""
    return [frozenset(x for x in row if x >= 0) for row in lists(offsets, items)]
