"""Global suppression for ρ-uncertainty (Cao et al.'s SuppressControl): an item goes everywhere or stays.

Removing an item everywhere changes no support of an itemset without it. So every remaining count is true,
what is safe stays safe, and an unsafe rule q→e ends only when an item of q or e goes. Small antecedents come
first; of these, the item goes that is in the most unsafe rules per occurrence. Then items are put back. In
the end each item that is gone is the only removed item of some unsafe rule, so it cannot be put back.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from withhold.counting.layout import Ints
from withhold.counting.threads import Progress, Stop
from withhold.data import Records
from withhold.method import SearchRun
from withhold.methods.rho.model import RhoUncertainty
from withhold.methods.rho.options import RhoSearch
from withhold.methods.rho.search.events import Events, new_events
from withhold.methods.rho.search.giving_up import remove_everywhere
from withhold.methods.rho.search.hitting import RuleList
from withhold.methods.rho.search.log import Log
from withhold.methods.rho.search.unsafe_rules import list_unsafe_closed_sets, list_unsafe_of_size
from withhold.methods.rho.search.workspace import Workspace

SIZES = (1, 2, 3)
"""Of the antecedents whose rules are listed before those of closed sets."""
MOST_RULES = 1 << 20
"""At most this many unsafe rules are listed before items are chosen to end them; then the next are listed."""
Bools = NDArray[np.bool_]


def suppress_everywhere(
    records: Records, model: RhoUncertainty, options: RhoSearch, run: SearchRun, log: Log
) -> Bools:
    """Which occurrences stay: all of an item, or none."""
    finished: list[ItemSearch] = []
    restoring = options.restoring is not False
    with Stop(options.budget) as stop:
        # Choosing among all items, as the paper does, can lose more than choosing among the sensitive ones,
        # even after items are put back. So both are tried, unless nothing is to be put back.
        for only_sensitive in (True, False) if restoring else (False,):
            search = ItemSearch(records, model, stop, run.progress)
            search.suppress(search.sensitive if only_sensitive else np.ones_like(search.alive))
            least = min((other.lost for other in finished), default=records.n_occurrences + 1)
            promising = not restoring or search.give_back(least)
            if promising and stop.cause == 0:
                finished.append(search)
    if not finished:
        everything = np.ones(records.n_occurrences, dtype=bool)
        return remove_everywhere(records, records.codes(model.sensitive), everything, log)
    best = min(finished, key=lambda search: search.lost)
    best.note(log)
    return best.work.kept()


@dataclass
class ItemSearch:
    """The search for the items that go. Items are ranks."""

    records: Records
    model: RhoUncertainty
    stop: Stop
    progress: Progress
    gone: dict[int, tuple[Ints, tuple[int, int, int]]] = field(default_factory=dict)
    """What went, in order, with an unsafe rule that it ended: q, then e, sup(qe) and sup(q)."""

    @cached_property
    def work(self) -> Workspace:
        everything = np.ones(self.records.n_occurrences, dtype=bool)
        return Workspace(self.records, self.model, everything, Log())

    @property
    def sensitive(self) -> Bools:
        """By rank."""
        return self.work.layout.sensitive

    @cached_property
    def alive(self) -> Bools:
        """By rank: what is still there."""
        return np.ones(self.work.layout.n_items, dtype=bool)

    @property
    def lost(self) -> int:
        """How many occurrences are gone."""
        return int(self.work.layout.supports[~self.alive].sum())

    def suppress(self, may_go: Bools) -> None:
        """Take items that may go until no rule is unsafe, or until the time is up."""
        layout = self.work.layout
        # Once a size is safe it stays safe: removing items everywhere changes no count of the others.
        for size in self._sizes():
            while self.stop.cause == 0:
                self.progress("suppressing items", len(self.gone), layout.n_items)
                # If only one item may go, one rule decides.
                most = 1 if np.count_nonzero(may_go) == 1 else MOST_RULES
                rules = RuleList.of(*self._unsafe(size, most))
                if len(rules) == 0:
                    break
                chosen = rules.hitting_set(layout.supports, layout.code_of_rank, may_go)
                for item, rule in chosen.items():
                    self.work.delete(self._positions(item))
                    self.alive[item] = False
                    self.gone[item] = rules.antecedent(rule), rules.numbers(rule)

    def give_back(self, less_than: int) -> bool:
        """Put back what can come back, last removed first; whether fewer than ``less_than`` are gone then.

        A blocked item stays blocked. So the search ends as soon as the blocked items alone are too many.
        """
        at_once = True
        while self.stop.cause == 0:
            free = [x for x in self.gone if not self._is_blocked(x)]
            if self.lost - int(self.work.layout.supports[free].sum()) >= less_than:
                return False
            if not free:
                break
            back = free if at_once else free[-1:]
            may_go = np.zeros_like(self.alive)
            may_go[back] = True
            for item in back:
                self.work.put_back(self._positions(item), item)
                self.alive[item] = True
                del self.gone[item]
            self.suppress(may_go)
            # Trying all at once usually decides nearly all. One tried alone stays, or is blocked for good.
            at_once = at_once and not all(item in self.gone for item in back)
        return True

    def note(self, log: Log) -> None:
        """Log what went, and why."""
        layout = self.work.layout
        rules = [rule for _, rule in sorted(self.gone.items())]
        lengths = [len(antecedent) for antecedent, _ in rules]
        numbers = np.array([numbers for _, numbers in rules], dtype=np.int64).reshape(-1, 3)
        number_of = np.cumsum(~self.alive) - 1
        deleted = np.flatnonzero(self.work.items < 0)
        log.add(
            self.work.place_of[deleted],
            number_of[~self.work.items[deleted]],
            starts=np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]),
            items=layout.code_of_rank[
                np.concatenate([np.zeros(0, np.int32), *(q for q, _ in rules)])
            ],
            consequents=layout.code_of_rank[numbers[:, 0]],
            joints=numbers[:, 1],
            supports=numbers[:, 2],
        )

    def _sizes(self) -> list[int | None]:
        """Of antecedents; None stands for closed sets, which settle all sizes."""
        if self.model.max_known is None:
            return [0, *SIZES, None]
        return list(range(self.model.max_known + 1))

    def _unsafe(self, size: int | None, most: int) -> tuple[Events, Ints]:
        """Unsafe rules of a size, as events; of antecedents with items, at most ``most``."""
        work, stop = self.work, self.stop.flag
        if size is None:
            ranks = np.flatnonzero(self.alive & self.sensitive).astype(np.int32)
            return list_unsafe_closed_sets(work.rows, ranks, work.limits, stop)
        if size == 0:
            return self._unsafe_prior(), np.zeros(0, dtype=np.int32)
        return list_unsafe_of_size(work.rows, self.sensitive, size, work.limits, most, stop)

    def _unsafe_prior(self) -> Events:
        """The rules ∅→e: what is in too many of all records."""
        limits, n_rows = self.work.limits, self.work.layout.n_rows
        joints = np.where(self.alive & self.sensitive, self.work.supports, 0)
        found = np.flatnonzero(limits.with_prior * joints * limits.den > limits.num * n_rows)
        events = new_events(len(found))
        events.counts[1] = len(found)
        for k, rank in enumerate(found):
            events.numbers[k] = rank, joints[rank], n_rows
        return events

    def _positions(self, item: int) -> Ints:
        layout = self.work.layout
        return layout.post_positions[layout.post_offsets[item] : layout.post_offsets[item + 1]]

    def _is_blocked(self, item: int) -> bool:
        """Whether all other items of its rule are present: counts are true, so it would be unsafe again."""
        antecedent, (consequent, _, _) = self.gone[item]
        others = np.append(antecedent, consequent)
        return bool(self.alive[others[others != item]].all())
