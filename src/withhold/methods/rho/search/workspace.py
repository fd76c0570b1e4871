"""A table under the knife: the layout, a copy of its items that may be deleted from, and the log."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from withhold.counting.bits import clear_bits, set_bit
from withhold.counting.layout import Ints, Longs, lay_out
from withhold.data import Records
from withhold.methods.rho.model import RhoUncertainty
from withhold.methods.rho.search.log import Log

AT_ONCE = 1 << 16
"""Positions numbered at a time, so that all their numbers never stand in memory twice."""


class Workspace:
    """The occurrences at ``kept`` places of a table, laid out; deleted ones become -1."""

    def __init__(
        self, table: Records, model: RhoUncertainty, kept: NDArray[np.bool_], log: Log
    ) -> None:
        self.n_places = len(kept)
        self.layout = lay_out(table, table.codes(model.sensitive), kept)
        self.place_of: Ints = self.layout.origin
        """For each position its place in the table's ``items``."""
        self.items: Ints = self.layout.items.copy()
        self.supports: Longs = self.layout.supports.copy()
        self.bitmaps = self.layout.bitmaps()
        self.num, self.den = model.rho.numerator, model.rho.denominator
        self.with_prior = not model.ignore_prior
        self.log = log
        self.rank_of_code = np.empty(table.n_items, dtype=np.int32)
        self.rank_of_code[self.layout.code_of_rank] = np.arange(table.n_items, dtype=np.int32)

    def rows_of(self, positions: Ints) -> Ints:
        """The rows in which positions lie."""
        rows = np.searchsorted(self.layout.offsets, positions, side="right") - 1
        return rows.astype(np.int32)

    def row_lengths(self) -> Ints:
        """How many items each row still holds."""
        before = np.zeros(len(self.items) + 1, dtype=np.int32)
        np.cumsum(self.items >= 0, out=before[1:])
        return np.diff(before[self.layout.offsets])

    def delete(self, positions: Ints) -> None:
        """Delete at these positions; logging is the caller's."""
        layout = self.layout
        ranks = self.items[positions]
        first = layout.n_items - len(self.bitmaps)
        clear_bits(self.bitmaps, first, ranks, self.rows_of(positions))
        self.items[positions] = -1
        self.supports -= np.bincount(ranks, minlength=layout.n_items)

    def put_back(self, positions: Ints, rank: int) -> None:
        """Undo the deletion of this item at these positions."""
        first = self.layout.n_items - len(self.bitmaps)
        for row in self.rows_of(positions):
            set_bit(self.bitmaps, first, rank, row)
        self.items[positions] = rank
        self.supports[rank] += len(positions)

    def note(
        self, positions: Ints, answers: Ints, starts: Longs, ranks: Ints, numbers: Longs
    ) -> None:
        """Log deletions as the kernels return them: reasons in ranks, numbers (e, joint, support)."""
        if len(positions) == 0:
            return
        code_of_rank = self.layout.code_of_rank
        table = numbers.reshape(-1, 3)
        self.log.add(
            self.place_of[positions],
            answers.astype(np.int64),
            starts=starts,
            items=code_of_rank[ranks],
            consequents=code_of_rank[table[:, 0]],
            joints=table[:, 1],
            supports=table[:, 2],
        )

    def positions_of(self, places: Ints | Longs) -> Ints:
        """The positions of places of the table; -1 where a place is not in the workspace."""
        position_of = np.full(self.n_places, -1, dtype=np.int32)
        for start in range(0, len(self.place_of), AT_ONCE):
            some = self.place_of[start : start + AT_ONCE]
            position_of[some] = np.arange(start, start + len(some), dtype=np.int32)
        return position_of[places]

    def kept(self) -> NDArray[np.bool_]:
        """Which places of the table are still there."""
        mask = np.zeros(self.n_places, dtype=bool)
        mask[self.place_of[self.items >= 0]] = True
        return mask
