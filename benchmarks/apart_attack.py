"""Naive Bayes against sensitive items apart: what somebody learns from all groups about one (Kifer 2009).

From the lists of all groups the attacker learns how often each public item and cell goes with each sensitive
item, every record of a group counting for its share. In each group, and for each item of its list, they name
the record whose public items and cells fit best.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from typing import Any

SURE = 0.9
"""From so high a posterior on, the attacker is called sure."""


def attack(original: Any, published: Any, model: Any) -> dict[str, float]:
    """How often the attacker names a record that holds the item, and how often chance would."""
    from withhold.methods.apart.check import PublishedGroups

    groups = PublishedGroups(published.items, model.secrets)
    members: dict[int, list[int]] = defaultdict(list)
    for row, group in enumerate(groups.group_of.tolist()):
        if group >= 0:
            members[group].append(row)
    lists = list(groups.lists())
    known = _known(published, groups)
    frequent = Counter(each for row in known for each in row)
    going_with: dict[str, Counter[Hashable]] = defaultdict(Counter)
    held: Counter[str] = Counter()
    for group, entry in lists:
        share = entry.held / entry.size
        for row in members[group]:
            held[entry.item] += share  # type: ignore[assignment]  # shares add up to counts
            for each in known[row]:
                going_with[entry.item][each] += share  # type: ignore[assignment]
    truth = [frozenset(row) for row in original.items]
    right, sure, right_if_sure, chance = 0, 0, 0, 0.0
    for group, entry in lists:
        scores = []
        for row in members[group]:
            score = 0.0
            for each in known[row]:
                prior = frequent[each] / len(known)
                seen = (going_with[entry.item][each] + prior) / (held[entry.item] + 1)
                score += math.log(seen / prior)
            scores.append(score)
        best = max(range(len(scores)), key=scores.__getitem__)
        posterior = 1 / sum(math.exp(score - scores[best]) for score in scores)
        is_right = entry.item in truth[members[group][best]]
        right += is_right
        chance += entry.held / entry.size
        sure += posterior > SURE
        right_if_sure += is_right and posterior > SURE
    n = max(len(lists), 1)
    return {
        "right": right / n,
        "chance": chance / n,
        "sure": sure / n,
        "right_if_sure": right_if_sure / max(sure, 1),
    }


def _known(published: Any, groups: Any) -> Sequence[Sequence[Hashable]]:
    """The public items and the cells of each record, which everybody may read."""
    told = groups.is_tag | groups.is_entry
    rows = published.attributes.rows()
    items, offsets = published.items.items, published.items.offsets
    found: list[Sequence[Hashable]] = []
    for row, cells in enumerate(rows):
        own = [c for c in items[offsets[row] : offsets[row + 1]].tolist() if not told[c]]
        found.append([*own, *enumerate(cells)])
    return found
