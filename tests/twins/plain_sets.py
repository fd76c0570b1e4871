"""The plain twins of the kernels that group rows whose cells become ranges and sets.

A column is a pair: the place of each of its values, and what one more value of a set costs, 0 for ranges.
Rows are tuples of such values. ``right`` says whether rows may be a group, besides their number.
"""

from __future__ import annotations

from dataclasses import dataclass, field

UNIT = 1 << 24
ALONE = 3
TOGETHER = 6


def width(column, values) -> int:
    """The cost of a cell that shows these values."""
    places, step = column
    there = {places[value] for value in values}
    if step == 0:
        return min(max(there) - min(there), UNIT)
    if len(there) > 1 and min(there) < ALONE:
        return UNIT
    return (len(there) - 1) * step


def cost(columns, cells, rows) -> int:
    """The cost of a row in a group with these rows."""
    return sum(width(column, {cells[row][j] for row in rows}) for j, column in enumerate(columns))


def split_rows(columns, cells, k, right, rows) -> list[list[int]]:
    """The groups that rows are split into."""
    own = cost(columns, cells, rows) * len(rows)
    best, saved = None, 0
    for j, (_, step) in enumerate(columns):
        values = [cells[row][j] for row in rows]
        if len(set(values)) < 2:
            continue

        def key(row, j=j, step=step, values=values):
            value = cells[row][j]
            return (-values.count(value) if step else 0, value)

        ordered = sorted(rows, key=key)
        for cut in range(len(rows) - k, k - 1, -1):
            parts = ordered[:cut], ordered[cut:]
            gain = own - sum(cost(columns, cells, part) * len(part) for part in parts)
            if gain > saved and all(map(right, parts)):
                best, saved = parts, gain
    if best is None:
        return [rows]
    return [group for part in best for group in split_rows(columns, cells, k, right, part)]


@dataclass
class Grouped:
    """Rows in groups: the newest row of a group is first. Groups without rows are free."""

    columns: list
    cells: list
    k: int
    right: object
    groups: list[list[int]] = field(default_factory=list)
    free: list[int] = field(default_factory=list)

    def cost(self, rows) -> int:
        return cost(self.columns, self.cells, rows)

    def group_of(self, row) -> int:
        return next(number for number, rows in enumerate(self.groups) if row in rows)

    def total(self) -> int:
        return sum(self.cost(rows) * len(rows) for rows in self.groups if rows)


def fill_groups(columns, cells, k, right, of_row, most) -> Grouped:
    found = Grouped(columns, cells, k, right, [[] for _ in range(most)])
    for row, group in enumerate(of_row):
        found.groups[group].insert(0, row)
    found.free = [number for number, rows in enumerate(found.groups) if not rows]
    return found


def neighbours(state, runs, run_of, window, row) -> list[int]:
    """The groups around a row, in order."""
    first = max(run_of[row] - window, 0)
    return [state.group_of(each) for each in runs[first : run_of[row] + window + 1]]


def move_rows(state, runs, run_of, window, first, end) -> int:
    at_first = state.total()
    for group in range(first, end):
        for row in list(state.groups[group]):
            rows = state.groups[group]
            if len(rows) <= state.k:
                break
            left = [other for other in rows if other != row]
            spared = state.cost(rows) * len(rows) - state.cost(left) * len(left)
            if spared <= 0 or not state.right(left):
                continue
            best, saved = None, 0
            for target in neighbours(state, runs, run_of, window, row):
                if target != group:
                    now = state.groups[target]
                    then = [row, *now]
                    gain = spared + state.cost(now) * len(now) - state.cost(then) * len(then)
                    if gain > saved and state.right(then):
                        best, saved = target, gain
            if best is not None:
                rows.remove(row)
                state.groups[best].insert(0, row)
    return at_first - state.total()


def split_again(state, runs, run_of, window, room, first, end) -> int:
    at_first = state.total()
    for group in range(first, end):
        own = state.groups[group]
        if not 0 < len(own) <= (room + 1) // 2 or state.cost(own) == 0:
            continue
        around = dict.fromkeys(
            target for row in own for target in neighbours(state, runs, run_of, window, row)
        )
        around.pop(group, None)
        near = sorted(around, key=lambda target: state.cost(own + state.groups[target]))
        used, pool = [group], list(own)
        for target in near[:TOGETHER]:
            if len(pool) + len(state.groups[target]) <= room:
                used.append(target)
                pool += state.groups[target]
        before = sum(state.cost(state.groups[each]) * len(state.groups[each]) for each in used)
        parts = split_rows(state.columns, state.cells, state.k, state.right, pool)
        if sum(state.cost(part) * len(part) for part in parts) < before:
            _regroup(state, parts)
    return at_first - state.total()


def _regroup(state, parts) -> None:
    for part in parts:
        for row in part:
            group = state.group_of(row)
            state.groups[group].remove(row)
            if not state.groups[group]:
                state.free.append(group)
    for part in parts:
        group = state.free.pop()
        state.groups[group] = part[::-1]
