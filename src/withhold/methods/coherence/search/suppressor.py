"""Item suppression for (h,k,p)-coherence and k^m-anonymity (Xu et al. 2008); out comes a plan.

First the items go that are moles by themselves, as they must; if itemsets are to be kept, also the items that
are in no nugget. Then, as long as there are moles, the item goes that is in the most moles for each nugget
(or occurrence) that is lost with it. In the end, in reverse order, each item is put back that brings back no
mole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.counting.threads import Progress, Stop
from withhold.data import Records
from withhold.data.array_types import Bools
from withhold.data.evidence import Evidence
from withhold.data.plan import fingerprint
from withhold.errors import ImpossibleError
from withhold.exact import decimal_text
from withhold.method import SearchRun
from withhold.methods.coherence.cohorts import DONE, run_to_end
from withhold.methods.coherence.model import Coherent
from withhold.methods.coherence.mole import Mole
from withhold.methods.coherence.mole_survey import single_moles, store_breaches
from withhold.methods.coherence.options import CoherenceSearch
from withhold.methods.coherence.plan import ItemPlan, SuppressedItem
from withhold.methods.coherence.search.already_coherent import already_coherent
from withhold.methods.coherence.search.borders import Border, mole_border, nugget_border
from withhold.methods.coherence.search.first_mole import any_mole
from withhold.methods.coherence.search.listed_nuggets import ListedNuggets, list_nuggets
from withhold.methods.coherence.search.mole_counts import (
    AllMoleCounter,
    ChosenItems,
    MinimalMoleCounter,
    NuggetCounter,
    SetCounter,
    items_for_moles,
)
from withhold.methods.coherence.search.mole_pairs import MolePairs, list_mole_pairs
from withhold.wording import counted

AnyCounter = SetCounter | Border | MolePairs | ListedNuggets
KEEPS = ("itemsets", "items", "best")
NUGGETS_PER_RECORD = 1000
"""By default a nugget is in at least one in this many records, and in at least k."""


def suppress_coherence(
    records: Records,
    model: Coherent,
    evidence: Evidence,
    options: CoherenceSearch,
    run: SearchRun,
) -> tuple[ItemPlan, dict[str, Any]]:
    """A plan after which the model holds, and the options in force. Nothing is drawn at random."""
    least = options.nugget_support or max(model.k, -(-len(records) // NUGGETS_PER_RECORD))
    refuse_impossible(records, model)
    in_force: dict[str, Any] = {
        "keep": options.keep,
        "nugget_support": least,
        "counting": options.counting,
        "restoring": options.restoring,
        "seed": run.seed,
    }
    with Stop() as stop:
        search = Search(records, model, least, options.counting, stop, run.jobs, run.progress)
        # Restoring puts back whatever need not go. Without it, data that already holds needs this test.
        if not options.restoring and search.finds_nothing():
            return search.plan_of_nothing(), in_force
        plans = {
            way: search.plan(way, restoring=options.restoring)
            for way in (KEEPS[:2] if options.keep == "best" else (options.keep,))
        }
    if options.keep == "best":
        in_force["nuggets_kept"] = {way: plan.nuggets_kept for way, plan in plans.items()}
        in_force["occurrences_lost"] = {way: plan.removed for way, plan in plans.items()}
    # Of equally good ones the first, which is the paper's.
    best = min(plans, key=lambda way: (-plans[way].nuggets_kept, plans[way].removed))
    return plans[best], in_force


def refuse_impossible(records: Records, model: Coherent) -> None:
    """Raise if a private item is in too many records, or if there are too few records."""
    private = records.codes(model.private)
    supports = records.supports
    listed = {records.vocabulary[code]: int(supports[code]) for code in private.tolist()}
    refuse_counts(len(records), listed, model)


def refuse_counts(n_records: int, private: Mapping[str, int], model: Coherent) -> None:
    """The same for ``n_records`` records, with how many of them hold each private item."""
    if 0 < n_records < model.k:
        raise ImpossibleError(
            f"the data has {counted(n_records, 'record')}, fewer than k = {model.k:,}: nobody can hide "
            "among so few"
        )
    name, most = min(private.items(), key=lambda each: (-each[1], each[0]), default=("", 0))
    if most * model.h.denominator > model.h.numerator * n_records:
        raise ImpossibleError(
            f"the private item {name!r} is in {most:,} of {n_records:,} "
            f"records, more than h = {decimal_text(model.h)} allows: it can be inferred of "
            "everybody, whatever public items go. Allow a larger h, or leave the item out of the data"
        )


@dataclass
class Search:
    """The search for the items to withhold. Items are codes; ``alive`` are the public ones that are left."""

    records: Records
    model: Coherent
    nugget_support: int
    counting: str
    stop: Stop
    jobs: int | None
    progress: Progress

    @cached_property
    def supports(self) -> NDArray[np.int64]:
        """By code."""
        return self.records.supports

    def public(self) -> Bools:
        """By code: whether it is a public item that occurs."""
        occurs: Bools = self.supports > 0
        occurs[self.records.codes(self.model.private)] = False
        return occurs

    @cached_property
    def nuggets(self) -> NuggetCounter | ListedNuggets:
        """What is to be kept: listed, or only counted if there are too many."""
        what = self.records, self.model.private, self.nugget_support
        return list_nuggets(*what, self.jobs) or NuggetCounter(*what, self.stop, self.jobs)

    @cached_property
    def pairs(self) -> MolePairs | None:
        """The moles of two items, if no larger ones matter and there is room for them."""
        if self.model.p != 2 or self.counting == "borders":
            return None
        alive = self.public()
        alive[[*self.single_moles]] = False
        return list_mole_pairs(self.records, self.model, alive, self.stop, self.jobs)

    def plan(self, keep: str, *, restoring: bool) -> ItemPlan:
        """The items to withhold if this is to be kept."""
        nuggets, alive = self.nuggets, self.public()
        before = nuggets.count_all(alive)
        gone: dict[int, SuppressedItem] = {}
        for code, mole in self.single_moles.items():
            alive[code] = False
            gone[code] = self._item(code, mole=mole)
        forced = frozenset(gone)
        if keep == "itemsets":
            for code in self.in_no_nugget(alive):
                alive[code] = False
                gone[code] = self._item(code)
        for code, moles, lost in self.greedily(alive, nuggets, keep):
            gone[code] = self._item(code, moles=moles, nuggets=lost)
        restored = self.restore([c for c in gone if c not in forced], alive) if restoring else []
        return ItemPlan(
            tuple(each for code, each in gone.items() if code not in restored),
            tuple(self.records.vocabulary[code] for code in restored),
            self.nugget_support,
            before,
            nuggets.count_all(alive),
            fingerprint(self.records),
        )

    def finds_nothing(self) -> bool:
        """Whether no item need be withheld."""
        if self.single_moles:
            return False
        # A stop of its own, because it is set at the first find and must not end the search.
        with Stop() as stop:
            return already_coherent(
                self.records, self.model, stop, jobs=self.jobs, progress=self.progress
            )

    def plan_of_nothing(self) -> ItemPlan:
        """The plan for records for which the model holds as they are."""
        all_of_them = self.nuggets.count_all(self.public())
        least, rows = self.nugget_support, fingerprint(self.records)
        return ItemPlan((), (), least, all_of_them, all_of_them, rows)

    @cached_property
    def single_moles(self) -> dict[int, Mole]:
        """The items that are moles by themselves, by code."""
        if self.model.h >= 1:
            rare = np.flatnonzero(self.public() & (self.supports < self.model.k)).tolist()
            names = self.records.vocabulary
            return {code: Mole((names[code],), int(self.supports[code])) for code in rare}
        chosen = ChosenItems(self.records, self.model, np.ones(self.records.n_items, dtype=bool))
        names = self.records.vocabulary
        found = {}
        for rank, (_, support, private, joint) in single_moles(chosen.rows, chosen.limits).items():
            code = int(chosen.codes[rank])
            follows = None if private < 0 else names[chosen.codes[private]]
            found[code] = Mole((names[code],), support, follows, joint)
        return dict(sorted(found.items()))

    def in_no_nugget(self, alive: Bools) -> list[int]:
        """The items that too few records hold to be in a nugget, rarest first."""
        rare = np.flatnonzero(alive & (self.supports < self.nugget_support))
        return sorted(rare.tolist(), key=lambda code: (self.supports[code], code))

    def greedily(
        self, alive: Bools, nuggets: NuggetCounter | ListedNuggets, keep: str
    ) -> Iterator[tuple[int, int, int]]:
        """Take items out of ``alive`` until there is no mole; each with its moles and nuggets."""
        mole_counter, nugget_counter = self.counters(alive, nuggets, keep)
        moles = mole_counter.count_each(alive)
        lost = dict.fromkeys(np.flatnonzero(alive).tolist(), 0) | nugget_counter.count_each(alive)
        prices = dict(enumerate(self.supports.tolist())) if keep == "items" else lost
        total = len(moles)
        while moles:
            self.progress("suppressing items", total - len(moles), total)
            worst = most_worthwhile(moles, prices)
            yield worst, moles[worst], lost[worst]
            for counter, counts in ((mole_counter, moles), (nugget_counter, lost)):
                for other, shared in counter.count_shared(worst, alive).items():
                    counts[other] -= shared
            alive[worst] = False
            moles = {code: many for code, many in moles.items() if many and code != worst}

    def counters(
        self, alive: Bools, nuggets: NuggetCounter | ListedNuggets, keep: str
    ) -> tuple[AnyCounter, AnyCounter]:
        """What counts moles and nuggets, in the chosen way."""
        if self.counting == "borders":
            private = np.zeros_like(alive)
            private[self.records.codes(self.model.private)] = True
            return (
                mole_border(self.records, self.model, alive),
                nugget_border(self.records, self.nugget_support, alive | private),
            )
        if self.pairs is not None:
            return self.pairs, nuggets
        chosen = items_for_moles(self.records, self.model, alive)
        store = store_breaches(chosen.rows, chosen.limits, chosen.alive(alive), self.stop)
        if keep == "items":
            return MinimalMoleCounter(chosen, store, self.stop), nuggets
        return AllMoleCounter(chosen, store, self.stop, self.jobs), nuggets

    def restore(self, codes: list[int], alive: Bools) -> list[int]:
        """Put back into ``alive``, last first, the items that bring back no mole; which these are.

        One pass is enough: what brings back a mole now also does with more items.
        """
        if self.pairs is not None:
            return self.pairs.restore(codes, alive)
        wanted = alive.copy()
        wanted[codes] = True
        chosen = items_for_moles(self.records, self.model, wanted)
        problem = chosen.rows.problem(chosen.limits, self.stop)
        back = []
        for number, code in enumerate(reversed(codes)):
            self.progress("restoring items", number, len(codes))
            root, living = chosen.rank_of_code[[code]], chosen.alive(alive)
            tour = chosen.rows.tour(root, living, chosen.limits.largest, after=False)
            if run_to_end(any_mole, problem, tour) == DONE:
                alive[code] = True
                back.append(code)
        return back

    def _item(
        self, code: int, *, mole: Mole | None = None, moles: int = 0, nuggets: int = 0
    ) -> SuppressedItem:
        name, support = self.records.vocabulary[code], int(self.supports[code])
        return SuppressedItem(name, support, mole, moles, nuggets)


def most_worthwhile(moles: Mapping[int, int], prices: Mapping[int, int]) -> int:
    """The item with the most moles for its price; ties go to the lowest.

    >>> most_worthwhile({0: 3, 1: 8, 2: 4}, {0: 1, 1: 2, 2: 1})
    1
    """
    best = -1
    for item in sorted(moles):
        # In whole numbers: a/b > c/d as a·d > c·b; an item that costs nothing is the most worthwhile.
        if best < 0 or moles[item] * prices[best] > moles[best] * prices[item]:
            best = item
    return best
