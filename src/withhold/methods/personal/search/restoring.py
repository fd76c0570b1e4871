"""Put back every deletion that can be undone safely, until none can.

Most deletions fixed a rule that has no slack left, and stay. The others are tried, those of short records
first. If a restored item makes a rule unsafe, that rule is the new reason to withhold it. Deletions are tried
a few hundred at a time, on all cores, each as if it alone were undone; then those that are safe are undone
one after the other. Two of them can only do harm together if both records hold both items; only then is the
second tested again. With ``max_known``, records with too many combinations of known items are tested as
strictly as without, so a deletion may stay there that could be undone.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from withhold.counting.closed_walk import new_closed_walk
from withhold.counting.threads import Stop, run_all
from withhold.data.array_types import Longs
from withhold.methods.personal.people import PersonalLayout, Problem
from withhold.methods.personal.search.combinations import new_subset_scratch
from withhold.methods.personal.search.few_people import new_few_scratch
from withhold.methods.personal.search.judge import room_for_rules, rules_found, scratch_for
from withhold.methods.personal.search.owners import Found
from withhold.methods.personal.search.restore import (
    RESTORED,
    Probe,
    Rules,
    Tried,
    put_all_back,
    restore_together,
    try_restoring,
)
from withhold.methods.personal.search.workspace import PersonalWorkspace

AT_ONCE, LATER = 256, 4096
"""Deletions that are tested before any of them is undone, in the first pass (when many can be) and later.
The numbers are fixed, so that ``jobs`` does not change the result."""
SPREAD = 32
"""The deletions of one record are spread over this many batches."""
RELIST_FACTOR = 1.05
"""When there are this many times as many rules, they are listed by item again, so that new ones are tried."""


def restore_people(work: PersonalWorkspace, max_known: int | None, stop: Stop) -> None:
    """Undo deletions wherever nothing breaks."""
    restorer = Restorer(work, max_known, stop)
    returned, at_once = 1, AT_ONCE
    while returned and stop.cause == 0:
        tried = restorer.still_out()
        restorer.list_rules()
        returned = 0
        for start in range(0, len(tried), at_once):
            if stop.cause != 0:
                break
            work.progress("undoing what can be undone", start, len(tried))
            returned += restorer.undo(tried[start : start + at_once])
        at_once = LATER


class Restorer:
    """Deletions by number, the rule that keeps each out, and the rows, once for each thread."""

    def __init__(self, work: PersonalWorkspace, max_known: int | None, stop: Stop) -> None:
        self.work, self.stop, self.jobs = work, stop, work.jobs
        layout, n_items = work.layout.layout, work.layout.layout.n_items
        places, answers = work.log.removals()
        self.row_of, self.positions = work.rows_and_positions(places)
        self.ranks = layout.items[self.positions]
        self.blocked_by = answers.copy()
        self.out = np.ones(len(places), dtype=bool)
        self.now, self.seen_at = 0, np.full(len(places), -1, dtype=np.int32)
        self.returned_at = np.full(n_items, -1, dtype=np.int32)
        reasons = work.log.reasons()
        rank_of_code = np.empty(n_items, dtype=np.int32)
        rank_of_code[layout.code_of_rank] = np.arange(n_items, dtype=np.int32)
        items = rank_of_code[reasons.items]
        event_of = np.repeat(np.arange(len(reasons)), np.diff(reasons.starts))
        # The kernels count from the rarest item on, so each antecedent ascends in rank.
        self.items = items[np.lexsort((items, event_of))]
        self.starts = reasons.starts
        self.consequents = rank_of_code[reasons.consequents]
        self.longest = int(np.diff(layout.offsets).max(initial=0))
        most = n_items if max_known is None else max_known
        self.probes = [
            # A test puts an item back for a moment, so each thread has a copy of its own.
            new_probe(work.layout, work.problem if thread == 0 else _copy(work.problem), most)
            for thread in range(work.jobs)
        ]

    def still_out(self) -> Longs:
        """The deletions that were not undone, those of short records first.

        Those of one record are spread over several batches: in one batch each would be tested twice.
        """
        items = self.work.rows.items
        alive = np.concatenate([[0], np.cumsum(items >= 0)])
        lengths = np.diff(alive[self.work.rows.offsets])
        out = np.flatnonzero(self.out)
        out = out[np.lexsort((self.positions[out], lengths[self.row_of[out]]))]
        place = np.arange(len(out))
        return out[np.lexsort((place, place % SPREAD, place // (SPREAD * AT_ONCE)))]

    def list_rules(self) -> None:
        """List for each item the rules for which occurrences of it stay withheld."""
        numbers = np.flatnonzero(self.out)
        self.n_listed = len(self.consequents)
        pairs = self.ranks[numbers].astype(np.int64) * self.n_listed + self.blocked_by[numbers]
        # np.unique hashes first, and takes several times as long as sorting.
        pairs.sort()
        pairs = pairs[np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)]]
        ranks, self.of_item = np.divmod(pairs, self.n_listed)
        of_each = np.bincount(ranks, minlength=len(self.work.rows.supports))
        self.of_item_starts = np.concatenate([[0], np.cumsum(of_each)])

    def undo(self, numbers: Longs) -> int:
        """Undo those of these deletions that harm nobody; returns how many."""
        if len(self.consequents) > self.n_listed * RELIST_FACTOR:
            self.list_rules()
        n_rules = len(self.consequents)
        parts = [numbers[thread :: self.jobs] for thread in range(self.jobs)]
        tasks = [partial(self._test, thread, part) for thread, part in enumerate(parts)]
        every = self._tried(numbers)
        for thread, (tried, found) in enumerate(run_all(tasks, self.stop, jobs=self.jobs)):
            every.outcomes[thread :: self.jobs] = tried.outcomes
            self._record(parts[thread], n_rules, tried, found)
        found = room_for_rules(1, self.longest)
        restore_together(every, self.probes[0], found, self.stop.flag)
        undone = numbers[every.outcomes == RESTORED]
        for probe in self.probes[1:]:
            put_all_back(self.positions[undone], self.row_of[undone], probe.problem.rows)
        self.out[undone] = False
        self.returned_at[self.ranks[undone]] = self.now
        self.now += 1
        return len(undone)

    def _tried(self, numbers: Longs) -> Tried:
        return Tried(
            self.positions[numbers],
            self.row_of[numbers],
            self.blocked_by[numbers],
            self.seen_at[numbers],
            np.zeros(len(numbers), dtype=np.int8),
        )

    def _test(self, thread: int, numbers: Longs) -> tuple[Tried, Found]:
        """What blocks each of the deletions, were it undone alone, and the rules that are new."""
        of_item = self.of_item_starts, self.of_item
        rules = Rules(self.starts, self.items, self.consequents, *of_item, self.returned_at)
        tried = self._tried(numbers)
        found = room_for_rules(len(numbers), len(numbers) * self.longest)
        try_restoring(tried, self.now, rules, self.probes[thread], found, self.stop.flag)
        return tried, found

    def _record(self, numbers: Longs, n_rules: int, tried: Tried, found: Found) -> None:
        """Record what blocks these deletions, and the new rules."""
        # The thread numbered its rules from ``n_rules`` on; rules of other threads were added since.
        since = len(self.consequents) - n_rules
        blocks = tried.blocked_by
        self.blocked_by[numbers] = np.where(blocks >= n_rules, blocks + since, blocks)
        self.seen_at[numbers] = tried.seen_at
        starts, items, consequents = rules_found(found)
        self.starts = np.concatenate([self.starts, self.starts[-1] + starts[1:]])
        self.items = np.concatenate([self.items, items])
        self.consequents = np.concatenate([self.consequents, consequents])


def new_probe(layout: PersonalLayout, problem: Problem, most: int) -> Probe:
    """What a thread needs; each test changes ``problem`` for a moment."""
    n_items, people = layout.layout.n_items, layout.people
    n_wishing, n_owned = layout.n_wishing, len(people.post_people)
    few = layout.few_wishing
    return Probe(
        most,
        problem,
        new_closed_walk(layout.rows, allowing=not few),
        scratch_for(layout),
        new_subset_scratch(n_items),
        np.zeros((1, 2), dtype=np.int32),
        few,
        new_few_scratch(n_items, n_wishing, n_owned) if few else new_few_scratch(0, 0, 0),
    )


def _copy(problem: Problem) -> Problem:
    rows = problem.rows
    changing = {name: getattr(rows, name).copy() for name in ("items", "supports", "bitmaps")}
    return problem._replace(rows=rows._replace(**changing))
