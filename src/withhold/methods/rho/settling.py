"""What is chosen once for all parts of a release: the groups of public items, or the items to remove
everywhere.

Both are chosen from all parts before any part is searched. Then each part is made safe and proved on its
own, under the same names.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from withhold.by_parts import Settled
from withhold.counting.rounds import ItemRound, ItemSums
from withhold.counting.threads import Stop, quiet
from withhold.data import Hierarchy, Records
from withhold.data.cut import groups_of, public_tree
from withhold.data.groups import Groups, refuse_given
from withhold.data.kept_items import KeptItems
from withhold.formats.item_trees import described_tree
from withhold.methods.rho.generalising import asked_cut
from withhold.methods.rho.model import RhoUncertainty
from withhold.methods.rho.options import RhoSearch
from withhold.methods.rho.search.counts import ItemSearch

MOST_ROUNDS = 5
"""The number of rounds after which items that some part could restore stay withheld."""


def settle_rho(model: RhoUncertainty, options: RhoSearch) -> Generator[Any, Any, Settled] | None:
    """What all parts have in common; nothing where each part may choose on its own."""
    refuse_given(model.groups)
    if options.hierarchy is not None:
        return _settle_groups(model, options)
    return _settle_items(model, options) if options.keep == "counts" else None


@dataclass(frozen=True)
class UnderGroups:
    """Public items are published as these groups."""

    groups: Groups
    hierarchy: Hierarchy
    """The tree whose nodes the groups are."""

    def apply_to(self, records: Records) -> Records:
        """A part under the names of the groups."""
        return self.groups.generalise(records)

    def as_dict(self) -> dict[str, Any]:
        """The groups as plain values."""
        return {"groups": self.groups.as_dict()}


def _settle_groups(model: RhoUncertainty, options: RhoSearch) -> Generator[Any, Any, Settled]:
    """The groups of a cut of the tree over the items of all parts."""
    found: ItemSums = yield ItemRound()
    names = sorted(found.supports)
    tree, _ = described_tree(
        Records.from_lists([names]), options.hierarchy, set_aside=model.sensitive
    )
    public = public_tree(tree, names, model.sensitive)
    groups = groups_of(public, asked_cut(tree, public, options.cut))
    return Settled(
        model.under(groups), {"hierarchy": None, "cut": None}, UnderGroups(groups, public)
    )


@dataclass(frozen=True)
class NeededRound:
    """Which of the items that may go must go from a part."""

    model: RhoUncertainty
    may_go: frozenset[str]
    restoring: bool

    def count(self, records: Records) -> NeededItems:
        """The needed items of one part."""
        with Stop(None) as stop:
            search = ItemSearch(records, self.model, stop, quiet)
            ranks = search.work.layout.code_of_rank
            named = np.array([name in self.may_go for name in records.vocabulary], dtype=bool)
            search.suppress(named[ranks])
            if self.restoring:
                search.give_back(records.n_occurrences + 1)
        gone = ranks[np.flatnonzero(~search.alive)]
        return NeededItems(frozenset(records.vocabulary[code] for code in gone.tolist()))


@dataclass(frozen=True)
class NeededItems:
    """The items that some part has to lose."""

    names: frozenset[str]

    def plus(self, other: NeededItems) -> NeededItems:
        """The needed items of both together."""
        return NeededItems(self.names | other.names)


def _settle_items(model: RhoUncertainty, options: RhoSearch) -> Generator[Any, Any, Settled]:
    """The items to remove everywhere, so that every part is safe and every remaining count is true.

    Removing what one part has to lose makes no other part unsafe: the supports of what is left do not change.
    So everything that some part has to lose is removed. Then each part reports again which of these items it
    has to lose, until all of them are needed.
    """
    found: ItemSums = yield ItemRound()
    everything = frozenset(found.supports)
    restoring = options.restoring is not False
    answers = []
    # As for records in memory: the simplest answer is sometimes the better one.
    for may_go in (everything & model.sensitive, everything) if restoring else (everything,):
        gone = may_go
        for _ in range(MOST_ROUNDS if restoring else 1):
            needed: NeededItems = yield NeededRound(model, gone, restoring)
            gone, before = needed.names, gone
            if gone == before:
                break
        answers.append(gone)
    best = min(answers, key=lambda items: sum(found.supports[name] for name in items))
    return Settled(model, {}, KeptItems(everything - best), final=True)
