"""A table under the knife: the layout, a copy of its items that may be deleted from, and the log."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from withhold.counting.bits import clear_bits, set_bit
from withhold.counting.layout import Ints, Longs, lay_out
from withhold.counting.supports import IndexedRows
from withhold.data import Records
from withhold.methods.rho.model import RhoUncertainty
from withhold.methods.rho.search.events import Events
from withhold.methods.rho.search.log import Log

AT_ONCE = 1 << 16
"""Positions numbered at a time, so that all their numbers never stand in memory twice."""


class Workspace:
    """The occurrences at ``kept`` places of a table, laid out; the rank r becomes ~r where it is deleted."""

    def __init__(
        self, records: Records, model: RhoUncertainty, kept: NDArray[np.bool_], log: Log
    ) -> None:
        self.n_places = len(kept)
        self.layout = lay_out(records, records.codes(model.sensitive), kept)
        self.place_of: Ints = self.layout.origin
        """For each position its place in the records' ``items``."""
        self.rows: IndexedRows = self.layout.rows(with_bitmaps=True)._replace(
            items=self.layout.items.copy()
        )
        self.limits = model.limits
        self.log = log
        self.rank_of_code = np.empty(records.n_items, dtype=np.int32)
        self.rank_of_code[self.layout.code_of_rank] = np.arange(records.n_items, dtype=np.int32)

    @property
    def items(self) -> Ints:
        items: Ints = self.rows.items
        return items

    @property
    def supports(self) -> Longs:
        supports: Longs = self.rows.supports
        return supports

    def rows_of(self, positions: Ints) -> Ints:
        """The rows in which positions lie."""
        if len(positions) < len(self.items) // 32:
            rows = np.searchsorted(self.layout.offsets, positions, side="right") - 1
            return rows.astype(np.int32)
        every_row = np.arange(self.layout.n_rows, dtype=np.int32)
        return np.repeat(every_row, np.diff(self.layout.offsets))[positions]

    def row_lengths(self) -> Ints:
        """How many items each row still holds."""
        before = np.zeros(len(self.items) + 1, dtype=np.int32)
        np.cumsum(self.items >= 0, out=before[1:])
        return np.diff(before[self.layout.offsets])

    def delete(self, positions: Ints) -> None:
        """Delete at these positions; logging is the caller's."""
        ranks = self.items[positions]
        first = self.layout.n_items - len(self.rows.bitmaps)
        clear_bits(self.rows.bitmaps, first, ranks, self.rows_of(positions))
        self.items[positions] = ~ranks
        self.rows.supports[:] -= np.bincount(ranks, minlength=self.layout.n_items)

    def put_back(self, positions: Ints, rank: int) -> None:
        """Undo the deletion of this item at these positions."""
        first = self.layout.n_items - len(self.rows.bitmaps)
        for row in self.rows_of(positions):
            set_bit(self.rows.bitmaps, first, rank, row)
        self.items[positions] = rank
        self.supports[rank] += len(positions)

    def note(self, events: Events, antecedents: Ints) -> Ints:
        """Log deletions as the kernels return them; returns the ranks that were deleted, by event."""
        n_deleted, n_events = events.counts.tolist()
        code_of_rank = self.layout.code_of_rank
        starts = events.starts[: n_events + 1]
        numbers = events.numbers[:n_events]
        if n_deleted > 0:
            self.log.add(
                self.place_of[events.positions[:n_deleted]],
                events.answers[:n_deleted],
                starts=starts,
                items=code_of_rank[antecedents[: starts[-1]]],
                consequents=code_of_rank[numbers[:, 0]],
                joints=numbers[:, 1],
                supports=numbers[:, 2],
            )
        deleted: Ints = numbers[:, 0].astype(np.int32)
        return deleted

    def positions_of(self, places: Ints | Longs) -> Ints:
        """The positions of places of the records; -1 where a place is not in the workspace."""
        position_of = np.full(self.n_places, -1, dtype=np.int32)
        for start in range(0, len(self.place_of), AT_ONCE):
            some = self.place_of[start : start + AT_ONCE]
            position_of[some] = np.arange(start, start + len(some), dtype=np.int32)
        return position_of[places]

    def kept(self) -> NDArray[np.bool_]:
        """Which places of the records are still there."""
        mask = np.zeros(self.n_places, dtype=bool)
        mask[self.place_of[self.items >= 0]] = True
        return mask
