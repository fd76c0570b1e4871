"""The plain twins of the kernels that choose patterns under requirements beyond k.

A tuple that is moved comes first in its group, also when a move is taken back: the kernels' lists do so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from twins import plain_groups
from twins.plain_patterns import Assignment

NEVER = float("inf")


@dataclass
class Guarded(Assignment):
    """An assignment whose groups must show enough of sensitive columns."""

    values: Sequence[Sequence[int]] = ()
    """By tuple and sensitive column: its value."""
    limits: plain_groups.Limits | None = None
    log: list[tuple[int, int | None]] = field(default_factory=list)

    def place(self, each: int, number: int | None) -> None:
        own = self.of(each)
        if own is not None:
            self.members[own].remove(each)
        if number is not None:
            self.members.setdefault(number, []).insert(0, each)

    def move(self, each: int, number: int | None) -> None:
        self.log.append((each, self.of(each)))
        self.place(each, number)

    def take_back(self, mark: int) -> None:
        while len(self.log) > mark:
            self.place(*self.log.pop())

    def lacks_of(self, tuples: Sequence[int]) -> float:
        counts = [[0] * len(totals) for totals in self.limits.totals]
        for each in tuples:
            for column, value in zip(counts, self.values[each], strict=True):
                column[value] += self.weights[each]
        return plain_groups.shortfall(self.limits, counts)

    def lacks(self, number: int) -> float:
        return self.lacks_of(self.members[number])

    def is_valid(self, number: int) -> bool:
        return self.size(number) >= self.k and self.lacks(number) == 0

    def admits(self, number: int, each: int) -> bool:
        return self.lacks_of([*self.members[number], each]) == 0

    def can_leave(self, each: int) -> bool:
        own = self.of(each)
        rest = [other for other in self.members[own] if other != each]
        return self.size(own) - self.weights[each] >= self.k and self.lacks_of(rest) == 0

    def matching(self, each: int) -> list[int]:
        return [p for p, (_, tuples) in enumerate(self.patterns) if each in tuples]

    def members_cost(self) -> int:
        return sum(self.cost(number) * self.size(number) for number in self.members)

    def cheapest_admitting(self, each: int, other_than: int | None) -> int | None:
        is_open = (p for p in self.matching(each) if p != other_than and self.size(p) > 0)
        return next((p for p in is_open if self.admits(p, each)), None)

    def helps(self, number: int, each: int) -> bool:
        if (lacking := self.lacks(number)) > 0:
            return self.lacks_of([*self.members[number], each]) < lacking
        return self.size(number) < self.k


def assign_valid_groups(state: Guarded) -> None:
    for number in range(len(state.patterns)):
        free = state.free(number)
        if sum(state.weights[each] for each in free) < state.k:
            continue
        state.log.clear()
        for each in free:
            state.move(each, number)
        lacking = state.lacks(number)
        for each in list(state.members[number]):
            if lacking > 0 and state.size(number) - state.weights[each] >= state.k:
                rest = [other for other in state.members[number] if other != each]
                if (without := state.lacks_of(rest)) < lacking:
                    lacking = without
                    state.move(each, None)
        if not state.is_valid(number):
            state.take_back(0)


def assign_the_rest(state: Guarded) -> None:
    last = len(state.patterns) - 1
    for each in range(len(state.weights)):
        if state.of(each) is None:
            found = state.cheapest_admitting(each, last)
            state.place(each, last if found is None else found)
    for sparing in (True, False):
        for group in reversed(range(last)):
            if state.size(last) == 0 or state.is_valid(last):
                break
            for each in list(state.members.get(group, ())):
                if not sparing or (state.helps(last, each) and state.can_leave(each)):
                    state.place(each, last)


def open_guarded(state: Guarded) -> int:
    return sum(_try_to_open(state, number) for number in range(len(state.patterns)))


def settle_guarded(state: Guarded) -> int:
    saved = 0
    for each, weight in enumerate(state.weights):
        own = state.of(each)
        better = state.cheapest_admitting(each, own)
        if better is not None and state.cost(better) < state.cost(own) and state.can_leave(each):
            saved += weight * (state.cost(own) - state.cost(better))
            state.place(each, better)
    for group in reversed(range(len(state.patterns))):
        if state.size(group) > 0:
            state.log.clear()
            if (cost := _close(state, group, NEVER)) < 0:
                saved -= cost
            else:
                state.take_back(0)
    return saved


def _try_to_open(state: Guarded, number: int) -> int:
    cost, tuples = state.patterns[number]
    state.log.clear()
    touched = list(dict.fromkeys(state.of(each) for each in tuples if state.of(each) != number))
    inside = {group: [e for e in tuples if state.of(e) == group] for group in touched}
    if all(state.cost(state.of(each)) <= cost for each in tuples):
        return 0
    gain = 0
    for group in touched:
        if state.cost(group) > cost:
            gain += _take(state, group, number)
    if gain > 0 and not state.is_valid(number):
        gain = _fill_up(state, number, touched, inside, gain)
    if gain > 0 and state.is_valid(number):
        return gain
    state.take_back(0)
    return 0


def _take(state: Guarded, group: int, number: int) -> float:
    mark = len(state.log)
    if mark + 2 * len(state.weights) > 4 * len(state.weights):
        return 0
    saves = state.cost(group) - state.cost(number)
    matching = [e for e in state.members[group] if e in state.patterns[number][1]]
    rows = sum(state.weights[each] for each in matching)
    spare = min(state.size(group) - state.k, rows)
    gained = _take_whole(state, group, number, 0)
    if gained >= spare * saves:
        return gained
    state.take_back(mark)
    spared = 0
    for each in [e for e in state.members[group] if e in state.patterns[number][1]]:
        if state.size(group) > state.k and state.can_leave(each):
            spared += state.weights[each] * saves
            state.move(each, number)
    if gained <= spared:
        return spared
    state.take_back(mark)
    return _take_whole(state, group, number, 0)


def _take_whole(state: Guarded, group: int, number: int, limit: float) -> float:
    gained = 0
    for each in list(state.members[group]):
        if each in state.patterns[number][1]:
            gained += state.weights[each] * (state.cost(group) - state.cost(number))
            state.move(each, number)
    if state.size(group) == 0 or state.is_valid(group):
        return gained
    return gained - _close(state, group, max(gained + limit, 0))


def _close(state: Guarded, group: int, limit: float) -> float:
    cost = 0
    for each in list(state.members[group]):
        other = state.cheapest_admitting(each, group)
        if other is None:
            return NEVER
        cost += state.weights[each] * (state.cost(other) - state.cost(group))
        if cost > limit:
            return NEVER
        state.move(each, other)
    return cost


def _fill_up(state: Guarded, number: int, touched: list[int], inside: dict, gain: float) -> float:
    cost, tuples = state.patterns[number]
    mark, left = len(state.log), gain
    for group in touched:
        if state.cost(group) > cost or state.size(group) <= state.k:
            continue
        for each in list(state.members[group]):
            if left <= 0 or state.is_valid(number):
                break
            if each in tuples and state.helps(number, each) and state.can_leave(each):
                left -= state.weights[each] * (cost - state.cost(group))
                state.move(each, number)
    if left > 0 and state.is_valid(number):
        return left
    state.take_back(mark)
    for group in touched:
        loss = sum(state.weights[e] for e in inside[group]) * (cost - state.cost(group))
        if state.cost(group) > cost or state.size(group) == 0 or loss >= gain:
            continue
        left = gain + _take_whole(state, group, number, gain)
        if left > 0 and state.is_valid(number):
            return left
        state.take_back(mark)
    return 0
