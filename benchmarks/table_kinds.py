"""Invented tables of several kinds, each with a label that depends on its columns; all from a seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import withhold as wh

KINDS = {
    "small and wide": (1_259, (2, 3, 4, 5, 6) * 5 + (2, 30), 0.7),
    "long and narrow": (50_000, (2, 5, 12, 80), 0.7),
    "skewed": (10_000, (4, 8, 16, 32, 64, 8), 2.0),
    "many values": (10_000, (500, 200, 100, 50, 2), 0.3),
    "mixed": (20_000, (2, 2, 5, 7, 16, 40, 73, 100), 1.0),
}
"""Rows, how many values each column has, and how steeply their frequencies fall."""
LABEL = "label"
GROUPS = 6


def invented(kind: str, seed: int = 1) -> wh.Table:
    """A table of this kind: people of a few groups, each with habits of its own in every column."""
    import withhold as wh

    rows, widths, steepness = KINDS[kind]
    draw = np.random.default_rng(seed)
    group = draw.integers(0, GROUPS, size=rows)
    columns = {}
    for number, width in enumerate(widths):
        shares = 1.0 / np.arange(1, width + 1) ** steepness
        common = draw.choice(width, size=rows, p=shares / shares.sum())
        habit = draw.permutation(width)[group % width]
        cells = np.where(draw.random(rows) < 0.4, habit, common)
        columns[f"c{number}"] = [str(cell) for cell in cells]
    noisy = draw.random(rows) < 0.15
    label = np.where(noisy, draw.integers(0, 2, size=rows), group % 2)
    columns[LABEL] = [str(each) for each in label]
    return wh.Table.from_columns(columns)
