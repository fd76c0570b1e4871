"""Adversaries drawn at random.

An adversary of size ℓ: a person drawn uniformly among the records with at least ℓ original items, then ℓ
of these items. Persons are not merged here, for they carry the probabilities.
"""

from __future__ import annotations

import numpy as np

from withhold.counting.layout import Ints
from withhold.counting.set_draws import draw_places
from withhold.methods.personal.people import PersonalLayout


def draw_adversaries(
    layout: PersonalLayout, size: int, draws: int, generator: np.random.Generator
) -> tuple[Ints, Ints]:
    """The rows drawn, and for each ``size`` of its original ranks, ascending; none if none is so long."""
    lengths = np.diff(layout.rows.offsets)
    # By record, not by row: the same draws whatever order the layout has.
    row_of_record = np.argsort(layout.layout.record_of_row).astype(np.int32)
    eligible = row_of_record[lengths[row_of_record] >= size]
    if len(eligible) == 0:
        return np.zeros(0, dtype=np.int32), np.zeros((0, size), dtype=np.int32)
    rows = eligible[generator.integers(0, len(eligible), draws)]
    chosen = draw_places(lengths[rows], size, generator)
    ranks = layout.layout.items[layout.rows.offsets[rows][:, None] + chosen]
    return rows, ranks
