"""A minimal hitting set: every rule contains one of its items, and no item could be left out."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.counting.layout import Ints, Longs
from withhold.methods.rho.search.events import Events

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class RuleList:
    """Rules q→e in ranks, each as the items of q and then e."""

    starts: Longs
    items: Ints
    supports: Longs
    """sup(qe) and sup(q) of each."""

    @classmethod
    def of(cls, events: Events, antecedents: Ints) -> RuleList:
        """The events that kernels list."""
        n = int(events.counts[1])
        starts = events.starts[: n + 1] + np.arange(n + 1)
        items = np.empty(starts[-1], dtype=np.int32)
        is_consequent = np.zeros(len(items), dtype=bool)
        is_consequent[starts[1:] - 1] = True
        items[is_consequent] = events.numbers[:n, 0]
        items[~is_consequent] = antecedents[: events.starts[n]]
        return cls(starts, items, events.numbers[:n, 1:])

    def __len__(self) -> int:
        return len(self.starts) - 1

    def antecedent(self, rule: int) -> Ints:
        """q."""
        return self.items[self.starts[rule] : self.starts[rule + 1] - 1].copy()

    def numbers(self, rule: int) -> tuple[int, int, int]:
        """e, sup(qe) and sup(q)."""
        joint, support = self.supports[rule].tolist()
        return int(self.items[self.starts[rule + 1] - 1]), joint, support

    def hitting_set(self, prices: Longs, codes: Ints, may_go: Bools) -> dict[int, int]:
        """Items that may go, each with a rule that it alone hits; every rule is hit.

        Greedy: first the item in the most rules not yet hit per unit of its price; ties go to the lower code.
        Each rule must have an item that may go.
        """
        rule_of = np.repeat(np.arange(len(self)), np.diff(self.starts))
        by_item = np.argsort(self.items, kind="stable")
        rules_by_item = rule_of[by_item]
        ends = np.cumsum(np.bincount(self.items, minlength=len(prices)))
        rules_of = {
            item: rules_by_item[ends[item - 1] if item else 0 : ends[item]]
            for item in np.unique(self.items).tolist()
            if may_go[item]
        }
        open_rules = {item: len(rules) for item, rules in rules_of.items()}
        times_hit = np.zeros(len(self), dtype=np.int64)
        heap = [(-n / prices[x], int(codes[x]), x, n) for x, n in open_rules.items()]
        heapq.heapify(heap)
        chosen = []
        while heap:
            _, code, item, n = heapq.heappop(heap)
            rules = rules_of[item]
            now = int(np.count_nonzero(times_hit[rules] == 0))
            if now == n:
                chosen.append(item)
                times_hit[rules] += 1
            elif now > 0:
                heapq.heappush(heap, (-now / prices[item], code, item, now))
        alone = {}
        for item in reversed(chosen):
            rules = rules_of[item]
            only = rules[times_hit[rules] == 1]
            if len(only) == 0:
                times_hit[rules] -= 1
            else:
                alone[item] = int(only[0])
        return dict(reversed(alone.items()))
