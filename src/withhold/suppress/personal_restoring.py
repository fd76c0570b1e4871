"""Put back every deletion that can be undone safely, until none can.

Most deletions answered a rule that is still as tight as can be, and stay. For the others it is found out,
shortest record first, whether anything breaks; what breaks is the new reason to keep it out. They are looked
at a few hundred at a time, on all cores, each as if it came back alone. Two of them can only do harm
together if both records hold both items; so most need no second look.
With ``max_known`` the look is as strict as without, so a few that could return stay out.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.kernels.bits import set_bit
from withhold.kernels.layout import Ints, Longs
from withhold.kernels.people import Rows
from withhold.kernels.personal_judge import room_for_rules, scratch_for
from withhold.kernels.personal_restore import SAFE, look_at
from withhold.kernels.threads import Progress, Stop, available_cores, quiet, run_all
from withhold.suppress.personal_workspace import PersonalWorkspace

AT_ONCE, LATER = 256, 4096
"""Deletions that are looked at before any of them is undone, when many can be and when few can: fixed
numbers, so that jobs change nothing."""
DEALT = 32
"""Batches among which neighbours are dealt out."""
LEARNT = 2048
"""After so many new rules they are listed anew, so that others are held up by them at once."""


def restore_people(
    work: PersonalWorkspace, stop: Stop, *, jobs: int | None = None, progress: Progress = quiet
) -> None:
    """Undo deletions wherever nothing breaks."""
    restorer = Restorer(work, stop, jobs or available_cores())
    returned, at_once = 1, AT_ONCE
    while returned and stop.reason == 0:
        tried = restorer.still_out()
        restorer.list_rules()
        returned, done = 0, 0
        waiting = tried[:0]
        while (done < len(tried) or len(waiting)) and stop.reason == 0:
            progress("undoing what can be undone", done, len(tried))
            more = at_once - len(waiting)
            undone, waiting = restorer.undo(np.concatenate([waiting, tried[done : done + more]]))
            done += more
            returned += undone
        at_once = LATER


class Restorer:
    """Deletions by number, the rule that keeps each out, and the rows, once for each thread."""

    def __init__(self, work: PersonalWorkspace, stop: Stop, jobs: int) -> None:
        self.work, self.stop, self.jobs = work, stop, jobs
        places, answers = work.log.removals()
        self.rows, self.ranks = work.rows_and_ranks(places)
        self.positions = work.positions_of(places)
        self.blocked_by = answers.copy()
        self.out = np.ones(len(places), dtype=bool)
        reasons = work.log.reasons()
        rank_of_code = np.empty(work.layout.layout.n_items, dtype=np.int32)
        rank_of_code[work.layout.layout.code_of_rank] = np.arange(len(rank_of_code), dtype=np.int32)
        items = rank_of_code[reasons.items]
        event_of = np.repeat(np.arange(len(reasons)), np.diff(reasons.starts))
        # The kernels count from the rarest item on, so each antecedent ascends in rank.
        self.items = items[np.lexsort((items, event_of))]
        self.starts, self.consequents = reasons.starts, rank_of_code[reasons.consequents]
        # To look, an item is put back for a moment: not where another thread looks, too.
        self.copies = [_copy(work.rows) for _ in range(jobs)]
        self.scratch = [scratch_for(work.layout) for _ in range(jobs)]

    def still_out(self) -> Longs:
        """The deletions that were not undone, those of short records first.

        Those of one record are dealt out to several batches: together they would have to wait for each other.
        """
        items = self.work.rows.items
        alive = np.zeros(len(items) + 1, dtype=np.int64)
        np.cumsum(items >= 0, out=alive[1:])
        lengths = np.diff(alive[self.work.rows.offsets])
        out = np.flatnonzero(self.out)
        out = out[np.lexsort((self.positions[out], lengths[self.rows[out]]))]
        place = np.arange(len(out))
        return out[np.lexsort((place, place % DEALT, place // (DEALT * AT_ONCE)))]

    def list_rules(self) -> None:
        """List for each item the rules that keep occurrences of it out."""
        numbers = np.flatnonzero(self.out)
        self.n_listed = len(self.consequents)
        pairs = np.stack([self.ranks[numbers], self.blocked_by[numbers]], axis=1)
        pairs = np.unique(pairs.astype(np.int64), axis=0)
        n_items = len(self.work.rows.supports)
        self.item_starts = np.zeros(n_items + 1, dtype=np.int64)
        np.cumsum(np.bincount(pairs[:, 0], minlength=n_items), out=self.item_starts[1:])
        self.item_rules = np.ascontiguousarray(pairs[:, 1])

    def undo(self, numbers: Longs) -> tuple[int, Longs]:
        """Undo those of a few deletions that harm nobody.

        Returns how many, and those that were safe before others were undone and have to be looked at again.
        """
        parts = [numbers[thread :: self.jobs] for thread in range(self.jobs)]
        looks = [partial(self._look, thread, part) for thread, part in enumerate(parts)]
        if len(self.consequents) - self.n_listed > LEARNT:
            self.list_rules()
        safe = np.zeros(len(numbers), dtype=bool)
        for thread, seen in enumerate(run_all(looks, self.stop, jobs=self.jobs)):
            safe[thread :: self.jobs] = self._learn(parts[thread], *seen)
        undone: list[tuple[int, int]] = []
        waiting = []
        for number in numbers[safe] if self.stop.reason == 0 else ():
            if self._too_frequent(number):
                continue
            if self._harms_with(number, undone):
                waiting.append(number)
            else:
                self._put_back(number)
                undone.append((int(self.ranks[number]), int(self.rows[number])))
        return len(undone), np.array(waiting, dtype=np.int64)

    def _too_frequent(self, number: int) -> bool:
        """Whether one more makes an item that somebody fears likely without any knowledge."""
        work, rank = self.work, self.ranks[number]
        one_more = int(work.rows.supports[rank]) + 1
        return bool(work.fears.anybody[rank]) and (
            one_more * work.den > work.num * (len(work.rows.offsets) - 1)
        )

    def _harms_with(self, number: int, undone: list[tuple[int, int]]) -> bool:
        """Whether a rule can be harmed by this deletion together with one of those undone.

        Such a rule holds both items, and both records hold it. For one item in two records it holds
        something else as well: how often the item is there at all is looked at for itself.
        """
        rank, row = int(self.ranks[number]), int(self.rows[number])
        record = self._record(row)
        for each, other in undone:
            if each == rank:
                if record & self._record(other):
                    return True
            elif each in record and (other == row or rank in self._record(other)):
                return True
        return False

    def _put_back(self, number: int) -> None:
        position, row, rank = self.positions[number], self.rows[number], self.ranks[number]
        for rows in (self.work.rows, *self.copies):
            rows.items[position] = rank
            rows.supports[rank] += 1
            set_bit(rows.bitmaps, len(rows.supports) - len(rows.bitmaps), rank, row)
        self.out[number] = False

    def _record(self, row: int) -> frozenset[int]:
        """The items that a record shows now."""
        rows = self.work.rows
        items = rows.items[rows.offsets[row] : rows.offsets[row + 1]]
        return frozenset(items[items >= 0].tolist())

    def _learn(
        self,
        numbers: Longs,
        known: int,
        blocks: Ints,
        new: tuple[Longs, Ints, Ints],
        outcomes: NDArray[np.int8],
    ) -> NDArray[np.bool_]:
        """Take over what blocks these deletions; returns which are not blocked."""
        # New rules were numbered after those ``known`` then; others have come in since.
        since = len(self.consequents) - known
        self.blocked_by[numbers] = np.where(blocks >= known, blocks + since, blocks)
        self.starts = np.concatenate([self.starts, self.starts[-1] + new[0][1:]])
        self.items = np.concatenate([self.items, new[1]])
        self.consequents = np.concatenate([self.consequents, new[2]])
        safe: NDArray[np.bool_] = outcomes == SAFE
        return safe

    def _look(
        self, thread: int, numbers: Longs
    ) -> tuple[int, Ints, tuple[Longs, Ints, Ints], NDArray[np.int8]]:
        """What blocks each of the deletions, were it undone alone; as ``_learn`` takes it."""
        work, known = self.work, len(self.consequents)
        blocks = self.blocked_by[numbers]
        outcomes = np.zeros(len(numbers), dtype=np.int8)
        new = look_at(
            self.positions[numbers],
            self.rows[numbers],
            blocks,
            self.item_starts,
            self.item_rules,
            self.starts,
            self.items,
            self.consequents,
            self.copies[thread],
            work.people,
            work.fears,
            work.num,
            work.den,
            self.stop.flag,
            self.scratch[thread],
            room_for_rules(1, work.layout.layout.n_items),
            outcomes,
        )
        return known, blocks, new, outcomes


def _copy(rows: Rows) -> Any:
    return rows._replace(
        items=rows.items.copy(), supports=rows.supports.copy(), bitmaps=rows.bitmaps.copy()
    )
