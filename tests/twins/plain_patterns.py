"""The plain twins of the kernels that choose patterns for the rows of a table.

``above[level][node]`` is what a node becomes at a level; cells are tuples of nodes, one a column. A pattern
is a pair of its cost and the tuples that match it; patterns are numbered by rising cost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import log

Cells = tuple[int, ...]
Above = Sequence[Sequence[int]]
Scheme = tuple[int, ...]


def schemes(levels: Sequence[int]) -> list[Scheme]:
    """All schemes as they are numbered: the first column's level changes fastest."""
    return [each[::-1] for each in product(*(range(n) for n in reversed(levels)))]


def pattern(above: Above, cells: Cells, scheme: Scheme) -> Cells:
    return tuple(above[level][node] for level, node in zip(scheme, cells, strict=True))


def count_alike(above, levels, cells, weights, row) -> list[int]:
    return [
        sum(
            weight
            for other, weight in zip(cells, weights, strict=True)
            if pattern(above, other, scheme) == pattern(above, cells[row], scheme)
        )
        for scheme in schemes(levels)
    ]


def price_schemes(above, levels, prices, cells, row) -> list[int]:
    return [
        sum(prices[node] for node in pattern(above, cells[row], scheme))
        for scheme in schemes(levels)
    ]


def count_reached(counts, sizes) -> list[int]:
    return [sum(count >= size for size in sizes) for count in counts]


def cover_demands(counts, costs, sizes, worth) -> tuple[list[int], list[list[int]]]:
    """The schemes that are chosen, and by row and size what the cheapest of them costs that is large enough.

    ``counts`` and ``costs`` are by row and scheme.
    """
    n_schemes = len(costs[0])

    def bests(chosen: Sequence[int]) -> list[list[int]]:
        last = n_schemes - 1
        return [
            [
                min([costs[row][last], *(costs[row][s] for s in chosen if counts[row][s] >= size)])
                for size in sizes
            ]
            for row in range(len(costs))
        ]

    def total(chosen: Sequence[int]) -> int:
        return sum(map(sum, bests(chosen)))

    chosen = [n_schemes - 1]
    while True:
        now = total(chosen)
        gains = [now - total([*chosen, s]) for s in range(n_schemes)]
        if max(gains) <= (total([]) - now) // worth:
            return chosen, bests(chosen)
        chosen.append(gains.index(max(gains)))


def descend(above, levels, prices, cells, weights, row, least, favours) -> Scheme:
    scheme = [n - 1 for n in levels]

    def rows_of(tried: Sequence[int]) -> int:
        mine = pattern(above, cells[row], tuple(tried))
        pairs = zip(cells, weights, strict=True)
        return sum(w for other, w in pairs if pattern(above, other, tuple(tried)) == mine)

    while True:
        worth = {}
        for j, level in enumerate(scheme):
            tried = [*scheme[:j], level - 1, *scheme[j + 1 :]]
            if level > 0 and rows_of(tried) >= least:
                now, then = (above[at][cells[row][j]] for at in (level, level - 1))
                lost = log(rows_of(scheme) / rows_of(tried)) + 1e-9
                worth[j] = favours[j] * (prices[now] - prices[then] + 1) / lost
        if not worth:
            return tuple(scheme)
        scheme[max(worth, key=worth.__getitem__)] -= 1


def group_by_scheme(above, cells, weights, scheme) -> dict[Cells, tuple[list[int], int]]:
    """By pattern: its tuples, and how many rows they are."""
    groups: dict[Cells, list[int]] = {}
    for each, own in enumerate(cells):
        groups.setdefault(pattern(above, own, scheme), []).append(each)
    return {
        cells: (members, sum(weights[each] for each in members))
        for cells, members in groups.items()
    }


def close_groups(common: Callable[[int, int], int], cells: Sequence[Cells]) -> Cells:
    """The lowest nodes that cells share."""
    closure = list(cells[0])
    for other in cells[1:]:
        closure = [common(one, another) for one, another in zip(closure, other, strict=True)]
    return tuple(closure)


def keep_new(closures: Sequence[Cells], sizes: Sequence[int], k: int, known: dict) -> list[int]:
    """The number of each closure that is large enough and new, which is then known; -1 for the others."""
    numbers = []
    for closure, size in zip(closures, sizes, strict=True):
        new = size >= k and closure not in known
        numbers.append(known.setdefault(closure, len(known)) if new else -1)
    return numbers


def count_patterns(above, cells, weights, scheme, candidates) -> list[int]:
    """For each of these tuples: how many rows share its pattern."""
    groups = group_by_scheme(above, cells, weights, scheme)
    return [groups[pattern(above, cells[each], scheme)][1] for each in candidates]


def lower_costs(above, prices, cells, weights, scheme, k, best) -> list[float]:
    groups = group_by_scheme(above, cells, weights, scheme)
    after = list(best)
    for cells_shown, (members, size) in groups.items():
        if size >= k:
            cost = sum(prices[node] for node in cells_shown)
            for each in members:
                after[each] = min(after[each], cost)
    return after


def are_patterns(above, cells, scheme, groups) -> bool:
    """Whether the tuples of each group share their pattern."""
    return all(
        len({pattern(above, cells[each], scheme) for each in group}) == 1 for group in groups
    )


def take_rows(patterns, weights, k, prices) -> tuple[int, list[int]]:
    """What patterns gain at most, each from at least k rows; and how many rows each tuple gives."""
    total, taken = 0, [0] * len(weights)
    for cost, tuples in patterns:
        paying = [each for each in tuples if prices[each] > cost]
        # Row by row, those that pay most first; equal ones as they are listed.
        rows = [each for each in tuples for _ in range(weights[each])]
        rows.sort(key=lambda each: -prices[each])
        chosen = rows[: max(k, sum(weights[each] for each in paying))]
        gain = sum(prices[each] - cost for each in chosen)
        if paying and gain > 0:
            total += gain
            for each in chosen:
                taken[each] += 1
    return total, taken


def match_new(of_tuple, numbers) -> list[tuple[int, int]]:
    """The tuples of groups that have a number, with the number."""
    return [(each, numbers[g]) for each, g in enumerate(of_tuple) if numbers[g] != -1]


def list_tuples(rank, matches) -> list[int]:
    """The tuples of the patterns, in the order of these."""
    return [each for each, _ in sorted(matches, key=lambda match: rank[match[1]])]


def list_patterns_of(tuples_of: Sequence[Sequence[int]]) -> list[int]:
    """The patterns of the tuples, in the order of these."""
    pairs = [(each, p) for p, tuples in enumerate(tuples_of) for each in tuples]
    return [p for _, p in sorted(pairs)]


@dataclass
class Assignment:
    """Which tuple is under which pattern."""

    patterns: Sequence[tuple[int, Sequence[int]]]
    weights: Sequence[int]
    k: int
    members: dict[int, list[int]] = field(default_factory=dict)
    """By pattern: its tuples, the last that came first."""
    turn: int = 0
    """Attempts so far, and by pattern the last one to open it and the last that changed its group."""
    tried: dict[int, int] = field(default_factory=dict)
    changed: dict[int, int] = field(default_factory=dict)

    def of(self, each: int) -> int | None:
        found = (p for p, members in self.members.items() if each in members)
        return next(found, None)

    def cost(self, number: int) -> int:
        return self.patterns[number][0]

    def size(self, number: int) -> int:
        return sum(self.weights[each] for each in self.members.get(number, ()))

    def move(self, each: int, number: int) -> None:
        own = self.of(each)
        if own is not None:
            self.members[own].remove(each)
        self.members.setdefault(number, []).insert(0, each)

    def cheapest_open(self, each: int, other_than: int | None) -> int | None:
        matching = (p for p, (_, tuples) in enumerate(self.patterns) if each in tuples)
        return next((p for p in matching if p != other_than and self.size(p) > 0), None)

    def free(self, number: int) -> list[int]:
        return [each for each in self.patterns[number][1] if self.of(each) is None]


def assign_cheapest_first(assigned: Assignment) -> None:
    def rows(number: int) -> int:
        return sum(assigned.weights[each] for each in assigned.free(number))

    while True:
        enough = [p for p in range(len(assigned.patterns)) if rows(p) >= assigned.k]
        if not enough:
            return
        best = min(enough, key=lambda p: (assigned.cost(p), -rows(p), p))
        for each in assigned.free(best):
            assigned.move(each, best)


def assign_leftovers(assigned: Assignment) -> None:
    last = len(assigned.patterns) - 1
    for each in range(len(assigned.weights)):
        if assigned.of(each) is None:
            found = assigned.cheapest_open(each, last)
            assigned.move(each, last if found is None else found)
    for group in reversed(range(last)):
        for each in list(assigned.members.get(group, ())):
            left = assigned.size(group) - assigned.weights[each]
            if 0 < assigned.size(last) < assigned.k <= left:
                assigned.move(each, last)
    for group in reversed(range(last)):
        if 0 < assigned.size(last) < assigned.k:
            for each in list(assigned.members.get(group, ())):
                assigned.move(each, last)


def open_better(assigned: Assignment) -> int:
    saved = 0
    for number in range(len(assigned.patterns)):
        if _is_worth_trying(assigned, number):
            assigned.turn += 1
            saved += _try_to_open(assigned, number)
            assigned.tried[number] = assigned.turn
    return saved


def _is_worth_trying(assigned: Assignment, number: int) -> bool:
    """Whether a group of its tuples has changed since, and what it saves is more than others must lose."""
    cost, tuples = assigned.patterns[number]
    groups = [(assigned.weights[each], assigned.of(each)) for each in tuples]
    if all(assigned.changed.get(g, 0) <= assigned.tried.get(number, -1) for _, g in groups):
        return False
    gain = sum(w * max(assigned.cost(g) - cost, 0) for w, g in groups)
    rows = assigned.size(number) + sum(w for w, g in groups if assigned.cost(g) > cost)
    others = [assigned.cost(g) for _, g in groups if g != number and assigned.cost(g) <= cost]
    if gain == 0 or rows >= assigned.k:
        return gain > 0
    return bool(others) and gain > (assigned.k - rows) * (cost - max(others))


def settle(assigned: Assignment) -> int:
    saved = 0
    assigned.turn += 1
    for each, weight in enumerate(assigned.weights):
        own, better = assigned.of(each), assigned.cheapest_open(each, None)
        gain = weight * (assigned.cost(own) - assigned.cost(better))
        if assigned.size(own) - weight >= assigned.k and gain > 0:
            assigned.move(each, better)
            assigned.changed[own] = assigned.changed[better] = assigned.turn
            saved += gain
    for group in reversed(range(len(assigned.patterns))):
        if assigned.size(group) > 0 and _cost_of_closing(assigned, group, (), 0) < 0:
            before = _members(assigned)
            saved -= _close(assigned, group)
            _note_moves(assigned, before)
    return saved


def _members(assigned: Assignment) -> dict[int, list[int]]:
    return {number: list(members) for number, members in assigned.members.items()}


def _note_moves(assigned: Assignment, before: Mapping[int, list[int]]) -> None:
    """Note which groups are no longer what they were."""
    for number, members in assigned.members.items():
        if sorted(members) != sorted(before.get(number, ())):
            assigned.changed[number] = assigned.turn


def _try_to_open(assigned: Assignment, number: int) -> int:
    cost, tuples = assigned.patterns[number]
    matching: dict[int, list[int]] = {}
    for each in tuples:
        if assigned.of(each) != number:
            matching.setdefault(assigned.of(each), []).append(each)
    rows_of = {g: sum(assigned.weights[e] for e in found) for g, found in matching.items()}
    gain, rows, gives = 0, assigned.size(number), {}
    for group in matching:
        each = assigned.cost(group) - cost
        if each <= 0:
            continue
        left, spare = assigned.size(group) - rows_of[group], assigned.size(group) - assigned.k
        gives[group], taken, gained = "all", rows_of[group], rows_of[group] * each
        if 0 < left < assigned.k:
            closing = _cost_of_closing(assigned, group, tuples, gained - spare * each)
            gives[group], gained = "close", gained - closing
            if gained <= spare * each:
                gives[group], taken, gained = "spare", spare, spare * each
        gain, rows = gain + gained, rows + taken
    if gain > 0 and rows < assigned.k:
        gain -= _fill_up(assigned, number, rows_of, gives, assigned.k - rows, gain)
    return _open(assigned, number, gives, list(matching)) if gain > 0 else 0


def _cost_of_closing(assigned, group, staying, limit) -> float:
    cost = 0.0
    for each in assigned.members[group]:
        if cost > limit:
            break
        if each not in staying:
            other = assigned.cheapest_open(each, group)
            if other is None:
                return float("inf")
            cost += assigned.weights[each] * (assigned.cost(other) - assigned.cost(group))
    return cost


def _fill_up(
    assigned: Assignment,
    number: int,
    rows_of: Mapping[int, int],
    gives: dict[int, str],
    lacking: int,
    limit: int,
) -> float:
    cost, tuples = assigned.patterns[number]
    cheaper = [group for group in rows_of if group not in gives]
    joining, cost_of_joining = None, limit + 1
    for group in cheaper:
        loss = rows_of[group] * (cost - assigned.cost(group))
        if rows_of[group] < lacking:
            continue
        left = assigned.size(group) - rows_of[group]
        if 0 < left < assigned.k and loss < cost_of_joining:
            loss += _cost_of_closing(assigned, group, tuples, cost_of_joining - loss)
        if loss < cost_of_joining:
            joining, cost_of_joining = group, loss
    cost_of_sparing, sparing = 0, []
    for group in sorted(cheaper, reverse=True):
        if lacking <= 0 or cost_of_sparing >= cost_of_joining:
            break
        if assigned.size(group) > assigned.k:
            sparing.append(group)
            given = min(lacking, assigned.size(group) - assigned.k, rows_of[group])
            cost_of_sparing += given * (cost - assigned.cost(group))
            lacking -= given
    if lacking <= 0 and cost_of_sparing <= cost_of_joining:
        gives.update(dict.fromkeys(sparing, "spare"))
        return cost_of_sparing
    if joining is not None:
        left = assigned.size(joining) - rows_of[joining]
        gives[joining] = "close" if left < assigned.k else "all"
    return cost_of_joining


def _open(assigned: Assignment, number: int, gives: Mapping[int, str], touched: list[int]) -> int:
    cost, tuples = assigned.patterns[number]
    before, saved = _members(assigned), 0
    for each in tuples:
        group = assigned.of(each)
        if group == number or group not in gives:
            continue
        if gives[group] == "spare":
            filled = assigned.cost(group) <= cost and assigned.size(number) >= assigned.k
            if filled or assigned.size(group) - assigned.weights[each] < assigned.k:
                continue
        saved += assigned.weights[each] * (assigned.cost(group) - cost)
        assigned.move(each, number)
    for group in touched:
        if gives.get(group) == "close":
            saved -= _close(assigned, group)
    if saved > 0 and assigned.size(number) >= assigned.k:
        _note_moves(assigned, before)
        return saved
    assigned.members.clear()
    assigned.members.update(before)
    return 0


def _close(assigned: Assignment, group: int) -> float:
    cost = 0
    for each in list(assigned.members[group]):
        other = assigned.cheapest_open(each, group)
        if other is None:
            return float("inf")
        cost += assigned.weights[each] * (assigned.cost(other) - assigned.cost(group))
        assigned.move(each, other)
    return cost
