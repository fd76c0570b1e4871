"""Pairs of deletions that can be undone together although neither can alone.

Let putting e back into record r break Q→f. Only a second return that adds a record with Q and without f can
help: of an item g of Q into a record s that holds the rest of Q and not f. If Q→e breaks, for e itself, then
s must lack e; so nothing that breaks when g comes back into s has e in its antecedent, and r cannot help s in
turn. Hence both are blocked by rules with their own item in the antecedent, and each helps the other's rule.
That leaves few pairs, which are tried one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from withhold.counting.layout import Ints, Longs
from withhold.counting.threads import Stop
from withhold.methods.rho.search.room import Rules
from withhold.methods.rho.search.workspace import Workspace

MOST_TRIES = 1_000_000
"""Pairs of which it is seen whether they can help each other, in each round."""
MOST_TRIALS = 32
"""Pairs that are tried in each round: a fixed number, so that the same are tried everywhere.

Each takes about two milliseconds on bms-webview-1, where 2,000 kept at most 11 of 150,000 occurrences more.
"""


@dataclass(frozen=True)
class Blocked:
    """A deletion, and a rule that its return would break."""

    number: int
    row: int
    item: int
    record: Ints
    """The record's places in the table: items, negative where one is deleted."""
    antecedent: frozenset[int]
    consequent: int

    @cached_property
    def held(self) -> frozenset[int]:
        """What the record held when somebody first asked."""
        return frozenset(self.record[self.record >= 0].tolist())

    def helps(self, other: Blocked) -> bool:
        """Whether the return adds a record with the other's antecedent and without its consequent."""
        return (
            self.item in other.antecedent
            and other.consequent not in self.held
            and other.antecedent - {self.item} <= self.held
        )


def restore_pairs(
    work: Workspace,
    positions: Ints,
    blocked: list[Blocked],
    is_safe: Callable[[int], bool],
    stop: Stop,
) -> Longs:
    """Undo pairs of the deletions ``blocked`` wherever nothing breaks; returns the numbers undone.

    ``is_safe(number)`` says whether this deletion could be undone in the table as it is.
    """
    undone: set[int] = set()
    trials = 0
    for one, two in helpful_pairs(blocked):
        if one.number in undone or two.number in undone:
            continue
        if trials == MOST_TRIALS or stop.reason != 0:
            break
        trials += 1
        # Safe iff neither breaks anything when the other is there.
        if _safe_after(work, positions, one, two, is_safe) and _safe_after(
            work, positions, two, one, is_safe
        ):
            for each in (one, two):
                work.put_back(positions[[each.number]], each.item)
                undone.add(each.number)
    return np.array(sorted(undone), dtype=np.int64)


def _safe_after(
    work: Workspace,
    positions: Ints,
    first: Blocked,
    then: Blocked,
    is_safe: Callable[[int], bool],
) -> bool:
    place = positions[[first.number]]
    work.put_back(place, first.item)
    safe = is_safe(then.number)
    work.delete(place)
    return safe


def helpful_pairs(blocked: list[Blocked]) -> Iterator[tuple[Blocked, Blocked]]:
    """The pairs of which each helps the other, in order."""
    items = frozenset(each.item for each in blocked)
    of_items: dict[tuple[int, int], list[Blocked]] = {}
    for each in blocked:
        for other in each.antecedent & items:
            of_items.setdefault((each.item, other), []).append(each)
    tries = 0
    for one in blocked:
        for item in sorted(one.antecedent & items):
            for two in of_items.get((item, one.item), ()):
                tries += 1
                if tries > MOST_TRIES:
                    return
                new = two.number > one.number and two.row != one.row
                if new and two.helps(one) and one.helps(two):
                    yield one, two


def describe(
    work: Workspace, numbers: Longs, rows: Ints, ranks: Ints, rules: Rules, blocked_by: list[int]
) -> list[Blocked]:
    """These deletions with the rules that block them."""
    offsets = work.layout.offsets
    found = []
    for number, rule in zip(numbers.tolist(), blocked_by, strict=True):
        row, rank = int(rows[number]), int(ranks[number])
        record = work.items[offsets[row] : offsets[row + 1]]
        antecedent = rules.items[rules.starts[rule] : rules.starts[rule + 1]]
        consequent = int(rules.consequents[rule])
        found.append(Blocked(number, row, rank, record, frozenset(antecedent.tolist()), consequent))
    return found
