"""The records while occurrences are withheld: what is still published, what goes first, and the log."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from withhold.counting.bits import clear_bits
from withhold.counting.threads import Progress, Stop, available_cores, quiet
from withhold.data import Constraints, Records
from withhold.data.array_types import Ints, Longs
from withhold.methods.personal.known_sets import new_known_walk
from withhold.methods.personal.model import PersonalRhoUncertainty
from withhold.methods.personal.people import lay_out_people, problem_of
from withhold.methods.personal.search.fix import (
    Choice,
    Fixes,
    fix_known_sets,
    fix_rules,
    room_for_fixes,
)
from withhold.methods.rho.search.log import Log


class PersonalWorkspace:
    """Records from which occurrences are withheld; in the layout those become ``~rank``."""

    def __init__(
        self,
        records: Records,
        model: PersonalRhoUncertainty,
        constraints: Constraints,
        *,
        victim: int,
        at_random: bool,
        seed: int,
        jobs: int | None = None,
        progress: Progress = quiet,
    ) -> None:
        kept = np.ones(records.n_occurrences, dtype=bool)
        self.layout = lay_out_people(records, kept, constraints, merged=not model.is_sampled)
        self.rows, self.problem = self.layout.rows, problem_of(self.layout, model.rho)
        state = np.array([np.random.default_rng(seed).integers(1, 2**31 - 2)], dtype=np.int64)
        total = np.array([records.n_occurrences], dtype=np.int64)
        self.choice = Choice(victim, at_random, state, self.rows.supports.copy(), total)
        self.log, self.jobs, self.progress = Log(), jobs or available_cores(), progress

    def too_frequent(self) -> NDArray[np.bool_]:
        """By rank: whether somebody wants the item protected and ∅→e is above ρ."""
        n_rows, problem = len(self.rows.offsets) - 1, self.problem
        likely = self.rows.supports * problem.den > problem.num * n_rows
        unsafe: NDArray[np.bool_] = problem.wishes.anybody & likely
        return unsafe

    def fix_prior(self, stop: Stop) -> int:
        """Make ∅→e safe for every protected item; returns how many occurrences were withheld."""
        consequents = np.flatnonzero(self.too_frequent()).astype(np.int32)
        starts = np.zeros(len(consequents) + 1, dtype=np.int64)
        return self.fix(starts, np.zeros(0, dtype=np.int32), consequents, stop)

    def fix_size(self, size: int, stop: Stop) -> int:
        """Make all rules of ``size`` known items safe."""
        known = new_known_walk(self.problem, size, changing=True)
        n_places = int(self.choice.total[0])
        fixes = room_for_fixes(n_places, n_places * size, known.holders)
        fix_known_sets(size, self.problem, known, self.choice, fixes, stop.flag)
        return self._note(fixes)

    def fix(self, starts: Longs, items: Ints, consequents: Ints, stop: Stop) -> int:
        """Make these rules safe."""
        holders = np.empty(len(self.rows.offsets) - 1, dtype=np.int32)
        fixes = room_for_fixes(int(self.choice.total[0]), len(items), holders)
        fix_rules(starts, items, consequents, self.problem, self.choice, fixes, stop.flag)
        return self._note(fixes)

    def _note(self, fixes: Fixes) -> int:
        n_places, n_rules = (int(count) for count in fixes.count)
        if n_places > 0:
            code_of_rank = self.layout.layout.code_of_rank
            e, joint, support = fixes.numbers[:n_rules].T
            self.log.add(
                self.layout.layout.origin[fixes.positions[:n_places]],
                fixes.answers[:n_places],
                starts=fixes.starts[: n_rules + 1],
                items=code_of_rank[fixes.items[: fixes.starts[n_rules]]],
                consequents=code_of_rank[e],
                joints=joint,
                supports=support,
            )
        return n_places

    def withhold(self, positions: Longs) -> None:
        """Withhold what is published at these positions for lack of time, not because of a rule."""
        rows, ranks = self.rows, self.rows.items[positions]
        row_of = np.searchsorted(rows.offsets, positions, side="right") - 1
        first = len(rows.supports) - len(rows.bitmaps)
        clear_bits(rows.bitmaps, first, ranks, row_of.astype(np.int32))
        rows.items[positions] = ~ranks
        rows.supports[:] -= np.bincount(ranks, minlength=len(rows.supports))
        self.choice.total[0] -= len(positions)
        distinct = np.unique(ranks)
        nothing = np.zeros(len(distinct) + 1, dtype=np.int64)
        self.log.add(
            self.layout.layout.origin[positions],
            np.searchsorted(distinct, ranks),
            starts=nothing,
            items=np.zeros(0, dtype=np.int32),
            consequents=self.layout.layout.code_of_rank[distinct],
            joints=nothing[1:],
            supports=nothing[1:],
        )

    def rows_and_positions(self, places: Longs | Ints) -> tuple[Ints, Ints]:
        """The rows and positions of occurrences in the layout."""
        position_of = np.empty(len(self.rows.items), dtype=np.int32)
        position_of[self.layout.layout.origin] = np.arange(len(position_of), dtype=np.int32)
        positions = position_of[places]
        rows = np.searchsorted(self.rows.offsets, positions, side="right") - 1
        return rows.astype(np.int32), positions

    def kept(self) -> NDArray[np.bool_]:
        """Which occurrences of the records are still published."""
        mask = np.zeros(len(self.rows.items), dtype=bool)
        mask[self.layout.layout.origin[self.rows.items >= 0]] = True
        return mask
