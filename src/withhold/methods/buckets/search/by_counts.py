"""Sets of items that stay as they are in every part, since all parts together have k records of each.

A record stays if its items are one of these sets. The other records of its part are grouped among themselves,
so that each of them is one of k there. If these are fewer than k, the part keeps none of the sets, and all of
its records are grouped. So a set may stay only if the parts that keep it have k records of it: they are
counted again until that is true of all sets that stay.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np

from withhold.counting.equal_sets import (
    MOST_DIGESTS,
    DigestRound,
    Digests,
    DigestSums,
    Overview,
    OverviewRound,
    are_among,
    digests_of,
    shelves_for,
)
from withhold.data import Hierarchy, Records
from withhold.data.array_types import Bools, Longs
from withhold.data.plan import fingerprint
from withhold.data.spans import spans, starts_of
from withhold.errors import ImpossibleError
from withhold.formats.item_trees import described_tree
from withhold.methods.buckets.model import Buckets
from withhold.methods.buckets.options import BucketsSearch
from withhold.methods.buckets.search.suppressor import (
    Generalisation,
    GroupedSets,
    already_alike,
    group_similar,
)
from withhold.wording import counted

MOST_KEPT = 1 << 20
"""At most this many sets are sent to every part, 16 MB; if there are more, those with the most records."""
MOST_ROUNDS = 5
"""If the choice of sets has not converged after this many rounds, no set is kept because of other parts."""


def choose_sets(model: Buckets, options: BucketsSearch) -> Generator[Any, Any, KeptSets]:
    """What stays as it is, and the tree for the rest; asks for counts of all parts, and is sent the sums."""
    found: Overview = yield OverviewRound()
    if found.items.records < model.k:
        raise ImpossibleError(
            f"{counted(found.items.records, 'record')} cannot be published in groups of at least "
            f"{model.k:,}; choose a smaller k"
        )
    names = found.names
    tree, _ = described_tree(Records.from_lists([names]), options.hierarchy)
    listed, counts, any_rare = [], [], False
    for shelf in shelves_for(found.sets, MOST_DIGESTS):
        sums: DigestSums = yield DigestRound(model.k, shelf)
        enough = sums.counts >= model.k
        any_rare |= not enough.all()
        listed.append(sums.digests[enough & sums.rare])
        counts.append(sums.counts[enough & sums.rare])
    order = np.argsort(-np.concatenate(counts), kind="stable")
    # If nothing changes, items may be names of inner nodes, as in a release.
    if any_rare or len(order) > MOST_KEPT or any(name not in tree for name in names):
        tree.check_covers(names)
    kept = _in_order(np.concatenate(listed)[order[:MOST_KEPT]])
    for _ in range(MOST_ROUNDS):
        if not len(kept):
            break
        held: KeptSums = yield KeptRound(model.k, kept)
        enough = held.counts >= model.k
        if enough.all():
            return KeptSets(model.k, tree, kept)
        kept = kept[enough]
    return KeptSets(model.k, tree, kept[:0])


@dataclass(frozen=True, eq=False)
class KeptSets:
    """What the parts publish: these sets as they are, and the other records in groups of their own."""

    k: int
    hierarchy: Hierarchy
    digests: Digests
    """Of the sets that stay, ascending."""

    def apply_to(self, records: Records) -> Records:
        """A part with each of its records as it is, or as what its group has in common."""
        stays = are_kept(records, self.k, self.digests) >= 0
        rest = len(records) - int(stays.sum())
        if 0 < rest < self.k:
            raise ImpossibleError(
                f"{counted(rest, 'record')} of a part cannot be published in groups of at least {self.k:,}; "
                "choose a smaller k, or larger parts (--part-records)"
            )
        group_of = np.empty(len(records), dtype=np.int64)
        offsets, nodes = np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32)
        for which, least in ((stays, 1), (~stays, self.k)):
            own = self._grouped(_rows(records, which), least)
            group_of[which] = own[0] + len(offsets) - 1
            offsets = np.concatenate([offsets, offsets[-1] + own[1][1:]])
            nodes = np.concatenate([nodes, own[2]])
        plan = Generalisation(group_of, offsets, nodes, self.hierarchy, fingerprint(records))
        return plan.apply_to(records)

    def _grouped(self, records: Records, least: int) -> GroupedSets:
        as_they_are = already_alike(records, least, self.hierarchy)
        return as_they_are or group_similar(records, least, self.hierarchy)

    def as_dict(self) -> dict[str, Any]:
        """The choice as plain values: digests, since there may be a million sets."""
        tree = ["\n".join(self.hierarchy.names).encode(), self.hierarchy.parents.tobytes()]
        return {
            "sets": len(self.digests),
            "sets_sha256": sha256(self.digests.tobytes()).hexdigest(),
            "hierarchy_sha256": sha256(b"\n".join(tree)).hexdigest(),
        }


@dataclass(frozen=True, eq=False)
class KeptRound:
    """How many records have each of some sets, in the parts that keep them."""

    k: int
    digests: Digests

    def count(self, records: Records) -> KeptSums:
        """Of one part."""
        kept = are_kept(records, self.k, self.digests)
        return KeptSums(np.bincount(kept[kept >= 0], minlength=len(self.digests)))


@dataclass(frozen=True, eq=False)
class KeptSums:
    """For each set the number of records."""

    counts: Longs

    def plus(self, other: KeptSums) -> KeptSums:
        """Of both together."""
        return replace(self, counts=self.counts + other.counts)


def are_kept(records: Records, k: int, digests: Digests) -> Longs:
    """For each record of a part which of the sets it stays as; -1 if it is grouped with others."""
    found = are_among(digests_of(records), digests)
    rest = int((found < 0).sum())
    return np.full(len(records), -1, dtype=np.int64) if 0 < rest < k else found


def _rows(records: Records, which: Bools) -> Records:
    lengths = records.lengths[which]
    items = records.items[spans(records.offsets[:-1][which], lengths)]
    return Records(starts_of(lengths), items, records.vocabulary)


def _in_order(digests: Digests) -> Digests:
    return digests[np.lexsort((digests[:, 1], digests[:, 0]))]
