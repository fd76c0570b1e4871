"""Put back every deletion that can be undone safely, until none can.

Most deletions answered a rule that is still as tight as can be, and stay. For the others it is found out,
shortest record first, whether anything breaks; what breaks is the new reason to keep it out. They are looked
at a few hundred at a time, on all cores, each as if it came back alone; then those that are safe come back
one after the other. Two of them can only do harm together if both records hold both items; only then is
the second looked at again.
With ``max_known``, records with too many combinations of known items are looked at as strictly as without,
so there a deletion may stay that could be undone.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.counting.layout import Ints, Longs
from withhold.counting.threads import Progress, Stop, available_cores, quiet, run_all
from withhold.methods.personal.people import Rows
from withhold.methods.personal.search.judge import room_for_rules, scratch_for
from withhold.methods.personal.search.restore import (
    BACK,
    Rules,
    look_at,
    put_all_back,
    put_back_together,
)
from withhold.methods.personal.search.subsets import room_for_subsets
from withhold.methods.personal.search.workspace import PersonalWorkspace

AT_ONCE, LATER = 256, 4096
"""Deletions that are looked at before any of them is undone, when many can be and when few can: fixed
numbers, so that jobs change nothing."""
DEALT = 32
"""Batches among which neighbours are dealt out."""
LEARNT = 1.05
"""When there are so many times as many rules they are listed anew, so that others are held up by them."""


def restore_people(
    work: PersonalWorkspace,
    max_known: int | None,
    stop: Stop,
    *,
    jobs: int | None = None,
    progress: Progress = quiet,
) -> None:
    """Undo deletions wherever nothing breaks."""
    restorer = Restorer(work, max_known, stop, jobs or available_cores())
    returned, at_once = 1, AT_ONCE
    while returned and stop.reason == 0:
        tried = restorer.still_out()
        restorer.list_rules()
        returned = 0
        for start in range(0, len(tried), at_once):
            if stop.reason != 0:
                break
            progress("undoing what can be undone", start, len(tried))
            returned += restorer.undo(tried[start : start + at_once])
        at_once = LATER


class Restorer:
    """Deletions by number, the rule that keeps each out, and the rows, once for each thread."""

    def __init__(
        self, work: PersonalWorkspace, max_known: int | None, stop: Stop, jobs: int
    ) -> None:
        self.work, self.stop, self.jobs = work, stop, jobs
        n_items = work.layout.layout.n_items
        self.most = n_items if max_known is None else max_known
        places, answers = work.log.removals()
        self.row_of, self.ranks = work.rows_and_ranks(places)
        self.positions = work.positions_of(places)
        self.blocked_by = answers.copy()
        self.out = np.ones(len(places), dtype=bool)
        self.now, self.seen_at = 0, np.full(len(places), -1, dtype=np.int32)
        self.returned_at = np.full(n_items, -1, dtype=np.int32)
        reasons = work.log.reasons()
        rank_of_code = np.empty(n_items, dtype=np.int32)
        rank_of_code[work.layout.layout.code_of_rank] = np.arange(len(rank_of_code), dtype=np.int32)
        items = rank_of_code[reasons.items]
        event_of = np.repeat(np.arange(len(reasons)), np.diff(reasons.starts))
        # The kernels count from the rarest item on, so each antecedent ascends in rank.
        self.items = Growing(items[np.lexsort((items, event_of))])
        self.starts = Growing(reasons.starts)
        self.consequents = Growing(rank_of_code[reasons.consequents])
        # To look, an item is put back for a moment: not where another thread looks, too.
        self.tables = [work.rows, *(_copy(work.rows) for _ in range(jobs - 1))]
        self.scratch = [scratch_for(work.layout) for _ in range(jobs)]
        self.room = [room_for_subsets(n_items) for _ in range(jobs)]

    def still_out(self) -> Longs:
        """The deletions that were not undone, those of short records first.

        In the first pass those of one record are dealt out to several batches: together each would be looked
        at twice.
        """
        items = self.work.rows.items
        alive = np.zeros(len(items) + 1, dtype=np.int64)
        np.cumsum(items >= 0, out=alive[1:])
        lengths = np.diff(alive[self.work.rows.offsets])
        out = np.flatnonzero(self.out)
        out = out[np.lexsort((self.positions[out], lengths[self.row_of[out]]))]
        place = np.arange(len(out))
        return out[np.lexsort((place, place % DEALT, place // (DEALT * AT_ONCE)))]

    def list_rules(self) -> None:
        """List for each item the rules that keep occurrences of it out."""
        numbers = np.flatnonzero(self.out)
        self.n_listed = self.consequents.size
        pairs = self.ranks[numbers].astype(np.int64) * self.n_listed + self.blocked_by[numbers]
        # Sorted by hand: np.unique hashes first, and takes several times as long.
        pairs.sort()
        pairs = pairs[np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)]]
        ranks, self.of_item = np.divmod(pairs, self.n_listed)
        n_items = len(self.work.rows.supports)
        self.of_item_starts = np.zeros(n_items + 1, dtype=np.int64)
        np.cumsum(np.bincount(ranks, minlength=n_items), out=self.of_item_starts[1:])

    def undo(self, numbers: Longs) -> int:
        """Undo those of a few deletions that harm nobody; returns how many."""
        if self.consequents.size > self.n_listed * LEARNT:
            self.list_rules()
        parts = [numbers[thread :: self.jobs] for thread in range(self.jobs)]
        looks = [partial(self._look, thread, part) for thread, part in enumerate(parts)]
        outcomes = np.zeros(len(numbers), dtype=np.int8)
        for thread, seen in enumerate(run_all(looks, self.stop, jobs=self.jobs)):
            outcomes[thread :: self.jobs] = self._learn(parts[thread], *seen)
        put_back_together(
            self.positions[numbers], self.row_of[numbers], *self._room_of(0), outcomes
        )
        undone = numbers[outcomes == BACK]
        for table in self.tables[1:]:
            put_all_back(self.positions[undone], self.row_of[undone], table)
        self.out[undone] = False
        self.returned_at[self.ranks[undone]] = self.now
        self.now += 1
        return len(undone)

    def _room_of(self, thread: int) -> tuple[Any, ...]:
        """What the kernels want of a thread, in their order."""
        work = self.work
        return (
            self.most,
            self.tables[thread],
            work.people,
            work.fears,
            work.num,
            work.den,
            self.stop.flag,
            self.scratch[thread],
            self.room[thread],
            room_for_rules(1, work.layout.layout.n_items),
        )

    def _learn(
        self,
        numbers: Longs,
        n_before: int,
        blocks: Ints,
        seen_at: Ints,
        new: tuple[Longs, Ints, Ints],
        outcomes: NDArray[np.int8],
    ) -> NDArray[np.int8]:
        """Take over what blocks these deletions; returns the outcomes."""
        # New rules were numbered from there on; those of other threads have come in since.
        since = self.consequents.size - n_before
        self.blocked_by[numbers] = np.where(blocks >= n_before, blocks + since, blocks)
        self.seen_at[numbers] = seen_at
        self.starts.extend(self.starts.array[-1] + new[0][1:])
        self.items.extend(new[1])
        self.consequents.extend(new[2])
        return outcomes

    def _look(
        self, thread: int, numbers: Longs
    ) -> tuple[int, Ints, Ints, tuple[Longs, Ints, Ints], NDArray[np.int8]]:
        """What blocks each of the deletions, were it undone alone; as ``_learn`` takes it."""
        rules = Rules(
            self.starts.array,
            self.items.array,
            self.consequents.array,
            self.of_item_starts,
            self.of_item,
        )
        blocks, seen_at = self.blocked_by[numbers], self.seen_at[numbers]
        outcomes = np.zeros(len(numbers), dtype=np.int8)
        new = look_at(
            self.positions[numbers],
            self.row_of[numbers],
            blocks,
            seen_at,
            self.returned_at,
            self.now,
            rules,
            *self._room_of(thread),
            outcomes,
        )
        return len(rules.consequents), blocks, seen_at, new, outcomes


class Growing:
    """An array to which much is added, a little at a time."""

    def __init__(self, array: NDArray[Any]) -> None:
        self._room, self.size = array, len(array)

    @property
    def array(self) -> NDArray[Any]:
        """What it holds by now."""
        return self._room[: self.size]

    def extend(self, more: NDArray[Any]) -> None:
        """Add these at the end."""
        if self.size + len(more) > len(self._room):
            larger = np.empty(2 * (self.size + len(more)), dtype=self._room.dtype)
            larger[: self.size] = self.array
            self._room = larger
        self._room[self.size : self.size + len(more)] = more
        self.size += len(more)


def _copy(rows: Rows) -> Any:
    return rows._replace(
        items=rows.items.copy(), supports=rows.supports.copy(), bitmaps=rows.bitmaps.copy()
    )
