"""Originals under the knife: what is still published, how victims are chosen, and the log."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from withhold.counting.bits import clear_bits
from withhold.counting.layout import Ints, Longs
from withhold.counting.threads import Stop
from withhold.data import Records
from withhold.methods.personal.model import PersonalRhoUncertainty
from withhold.methods.personal.people import lay_out_people
from withhold.methods.personal.search.fix import Choice, fix_known_sets, fix_rules
from withhold.methods.rho.search.log import Log


class PersonalWorkspace:
    """A table from which occurrences are withheld; in the layout those become ``~rank``."""

    def __init__(
        self,
        table: Records,
        model: PersonalRhoUncertainty,
        *,
        victim: int,
        at_random: bool,
        seed: int,
    ) -> None:
        assert model.constraints is not None
        kept = np.ones(table.n_occurrences, dtype=bool)
        self.layout = lay_out_people(table, kept, model.constraints, merged=not model.is_sampled)
        self.rows, self.people, self.fears = self.layout.rows, self.layout.people, self.layout.fears
        self.num, self.den = model.rho.numerator, model.rho.denominator
        state = np.random.default_rng(seed).integers(1, 2**31 - 2)
        self.choice = Choice(
            victim,
            at_random,
            np.array([state], dtype=np.int64),
            self.rows.supports.copy(),
            np.array([table.n_occurrences], dtype=np.int64),
        )
        self.log = Log()

    def fix_prior(self, stop: Stop) -> int:
        """Make ∅→e safe for every item that somebody fears; returns how many were withheld."""
        n_rows = len(self.rows.offsets) - 1
        unsafe = self.fears.anybody & (self.rows.supports * self.den > self.num * n_rows)
        feared = np.flatnonzero(unsafe).astype(np.int32)
        starts = np.zeros(len(feared) + 1, dtype=np.int64)
        return self.fix(starts, np.zeros(0, dtype=np.int32), feared, stop)

    def fix_size(self, size: int, stop: Stop) -> int:
        """Make all rules of so many known items safe."""
        return self._note(
            *fix_known_sets(
                size,
                self.rows,
                self.people,
                self.fears,
                self.num,
                self.den,
                self.choice,
                stop.flag,
            )
        )

    def fix(self, starts: Longs, items: Ints, consequents: Ints, stop: Stop) -> int:
        """Make these rules safe."""
        return self._note(
            *fix_rules(
                starts,
                items,
                consequents,
                self.rows,
                self.num,
                self.den,
                self.choice,
                stop.flag,
            )
        )

    def _note(
        self, positions: Ints, answers: Ints, starts: Longs, ranks: Ints, numbers: Longs
    ) -> int:
        if len(positions) > 0:
            code_of_rank = self.layout.layout.code_of_rank
            table = numbers.reshape(-1, 3)
            self.log.add(
                self.layout.layout.origin[positions],
                answers,
                starts=starts,
                items=code_of_rank[ranks],
                consequents=code_of_rank[table[:, 0]],
                joints=table[:, 1],
                supports=table[:, 2],
            )
        return len(positions)

    def withhold(self, positions: Longs) -> None:
        """Withhold what is published at these positions, for want of time and not for a rule."""
        rows, ranks = self.rows, self.rows.items[positions]
        row_of = np.searchsorted(rows.offsets, positions, side="right") - 1
        first = len(rows.supports) - len(rows.bitmaps)
        clear_bits(rows.bitmaps, first, ranks, row_of.astype(np.int32))
        rows.items[positions] = ~ranks
        rows.supports[:] -= np.bincount(ranks, minlength=len(rows.supports))
        self.choice.total[0] -= len(positions)
        distinct = np.unique(ranks)
        self.log.add(
            self.layout.layout.origin[positions],
            np.searchsorted(distinct, ranks),
            starts=np.zeros(len(distinct) + 1, dtype=np.int64),
            items=np.zeros(0, dtype=np.int32),
            consequents=self.layout.layout.code_of_rank[distinct],
            joints=np.zeros(len(distinct), dtype=np.int64),
            supports=np.zeros(len(distinct), dtype=np.int64),
        )

    def positions_of(self, places: Longs | Ints) -> Ints:
        """Where occurrences of the table stand in the layout."""
        position_of = np.empty(len(self.rows.items), dtype=np.int32)
        position_of[self.layout.layout.origin] = np.arange(len(position_of), dtype=np.int32)
        return position_of[places]

    def rows_and_ranks(self, places: Longs | Ints) -> tuple[Ints, Ints]:
        """Where occurrences of the table stand in the layout: their rows and their items."""
        positions = self.positions_of(places)
        rows = np.searchsorted(self.rows.offsets, positions, side="right") - 1
        return rows.astype(np.int32), self.layout.layout.items[positions]

    def kept(self) -> NDArray[np.bool_]:
        """Which places of the table are still published."""
        mask = np.zeros(len(self.rows.items), dtype=bool)
        mask[self.layout.layout.origin[self.rows.items >= 0]] = True
        return mask
