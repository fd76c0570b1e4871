"""SuppressControl (Cao, Karras, Raïssi, Tan 2010), *Global* in Jia and others: items go from everywhere.

Unsafe rules are listed by the size of their antecedent, the smallest first. The item goes that is in most of
them for each of its occurrences, until every rule has lost an item; then come the rules of the next size.
Taking an item from everywhere changes no other count, so what is safe stays safe.

Antecedents of up to two items are counted size by size. All larger ones are settled together: if q→e is
unsafe, so is the rule whose antecedent is all that the records with q and e have in common, and of these
there are far fewer. Nothing of the package's own search or check is used.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import combinations, pairwise

import numpy as np

import withhold as wh

SMALL = (0, 1, 2)
"""Sizes of antecedents that are counted one by one."""


@dataclass
class SuppressControl:
    """Records of item numbers, one after the other, as far as their items are still there."""

    items: np.ndarray
    """Of each record ascending."""
    row_of: np.ndarray
    """The record of each of the items."""
    n_records: int
    sensitive: np.ndarray
    """By item: whether it is."""
    rho: Fraction

    @classmethod
    def of(cls, records: wh.Records, model: wh.RhoUncertainty) -> SuppressControl:
        """All records; items are their codes."""
        rows = np.repeat(np.arange(len(records)), records.lengths)
        order = np.lexsort((records.items, rows))
        sensitive = np.zeros(records.n_items, dtype=bool)
        sensitive[records.codes(model.sensitive)] = True
        items = records.items[order].astype(np.int64)
        return cls(items, rows[order], len(records), sensitive, model.rho)

    def search(self) -> list[int]:
        """The items that must go, in the order in which they do."""
        gone: list[int] = []
        for size in SMALL:
            rules = self._unsafe_of_size(size)
            gone += self._take(rules.ravel(), np.full(len(rules), size + 1))
        while found := list(self._unsafe_closed()):
            gone += self._take(np.concatenate(found), [len(rule) for rule in found])
        return gone

    def _take(self, rules: np.ndarray, lengths: Sequence[int] | np.ndarray) -> list[int]:
        """Take items until each of these rules, given by its items, has lost one."""
        chosen = choose(rules, lengths, np.bincount(self.items, minlength=len(self.sensitive)))
        stays = ~np.isin(self.items, chosen)
        self.items, self.row_of = self.items[stays], self.row_of[stays]
        return chosen

    def _unsafe_of_size(self, size: int) -> np.ndarray:
        """The unsafe rules with so many items in the antecedent, a row of items for each."""
        n = len(self.sensitive)
        keys, joints = self._counted(size + 1, only_sensitive=True)
        sets = np.stack([keys // n**place % n for place in range(size + 1)], axis=1)
        below, supports = np.array([0]), np.array([self.n_records])
        if size:
            below, supports = self._counted(size, only_sensitive=False)
        found = []
        for place in range(size + 1):
            of = self.sensitive[sets[:, place]]
            rest = np.delete(sets[of], place, axis=1)
            antecedents = rest @ n ** np.arange(size)
            n_held = supports[np.searchsorted(below, antecedents)]
            unsafe = joints[of] * self.rho.denominator > n_held * self.rho.numerator
            found.append(sets[of][unsafe])
        return np.concatenate(found)

    def _counted(self, size: int, *, only_sensitive: bool) -> tuple[np.ndarray, np.ndarray]:
        """All sets of so many items that a record holds, each as one number, and how many records do.

        With ``only_sensitive``: those that have a sensitive item.
        """
        lengths = np.bincount(self.row_of, minlength=self.n_records)
        length_of = lengths[self.row_of]
        found = [np.zeros(0, dtype=np.int64)]
        for length in range(size, lengths.max(initial=0) + 1):
            alike = self.items[length_of == length].reshape(-1, length).astype(np.int64)
            if len(alike):
                places = np.array(list(combinations(range(length), size)))
                keys = sum(alike[:, places[:, k]] * len(self.sensitive) ** k for k in range(size))
                has_one = self.sensitive[alike][:, places].any(axis=2)
                found.append(keys[has_one] if only_sensitive else np.ravel(keys))
        return np.unique(np.concatenate(found), return_counts=True)

    def _unsafe_closed(self) -> Iterator[list[int]]:
        """Unsafe rules whose antecedents are all that some records with the sensitive item have in common."""
        rows: dict[int, set[int]] = {}
        holders: dict[int, list[int]] = {}
        for row, item in zip(self.row_of.tolist(), self.items.tolist(), strict=True):
            rows.setdefault(row, set()).add(item)
            holders.setdefault(item, []).append(row)
        marks = {item: sum(1 << row for row in held) for item, held in holders.items()}
        for item in np.flatnonzero(self.sensitive).tolist():
            own = {frozenset(rows[row] - {item}) for row in holders.get(item, ())}
            for antecedent in intersections(own) - {frozenset()}:
                held = reduce(int.__and__, (marks[each] for each in antecedent))
                if (held & marks[item]).bit_count() > self.rho * held.bit_count():
                    yield [*sorted(antecedent), item]


def suppress_globally(records: wh.Records, model: wh.RhoUncertainty) -> wh.Records:
    """The records without the items that must go, which keeps ρ-uncertainty."""
    return records.without_items(np.array(SuppressControl.of(records, model).search(), dtype=int))


def intersections(sets: Iterable[frozenset[int]]) -> set[frozenset[int]]:
    """The sets, and what any of them have in common."""
    found: set[frozenset[int]] = set()
    for each in sets:
        found |= {each & other for other in found} | {each}
    return found


def choose(
    rules: np.ndarray, lengths: Sequence[int] | np.ndarray, supports: np.ndarray
) -> list[int]:
    """Items so that each rule holds one; next comes that in most rules left for each occurrence of it."""
    rule_of = np.repeat(np.arange(len(lengths)), lengths)
    order = np.argsort(rules, kind="stable")
    bounds = np.searchsorted(rules[order], np.arange(len(supports) + 1))
    rules_of = [rule_of[order[start:end]] for start, end in pairwise(bounds)]
    is_left = np.ones(len(lengths), dtype=bool)
    queue = [(-len(own) / supports[x], x) for x, own in enumerate(rules_of) if len(own)]
    heapq.heapify(queue)
    chosen = []
    while queue:
        payoff, item = heapq.heappop(queue)
        # It can only have fallen since: rules lose an item, none is added.
        now = -np.count_nonzero(is_left[rules_of[item]]) / supports[item]
        if now == payoff:
            chosen.append(item)
            is_left[rules_of[item]] = False
        elif now:
            heapq.heappush(queue, (now, item))
    return chosen
