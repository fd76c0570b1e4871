"""The kernels that group rows for ranges and sets return what their plain twins return."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tables import examples
from twins import plain_sets
from withhold.data import Table
from withhold.methods.cells.nodes import NOBODY
from withhold.methods.cells.requirements import DistinctDiversity, Distribution
from withhold.methods.cells.search.limits import make_limits
from withhold.methods.cells.search.moving import make_move_scratch, move_rows
from withhold.methods.cells.search.row_groups import (
    FREE,
    RowGroups,
    fill_groups,
    find_neighbours,
    make_groups,
)
from withhold.methods.cells.search.set_search import draw_order
from withhold.methods.cells.search.splitting import DONE, Rows, make_split_scratch, split_rows
from withhold.methods.cells.search.splitting_again import make_nearest, split_again
from withhold.methods.cells.sensitive import Sensitive
from withhold.methods.cells.set_columns import make_axes, set_columns

NUMBERS = ["1", "2", "2.0", "3", "7", "20", "", "?"]
WORDS = ["a", "b", "c", "d", "", None]
drawn_rows = st.lists(
    st.tuples(
        st.sampled_from(NUMBERS), st.sampled_from(WORDS), st.sampled_from(WORDS), st.integers(0, 2)
    ),
    min_size=6,
    max_size=26,
)


class Problem:
    """Rows in the kernels' form and in that of the twins."""

    def __init__(self, drawn, k, diverse):
        names = ("n", "w", "v")
        table = Table.from_columns(
            {name: [row[place] for row in drawn] for place, name in enumerate(names)}
        )
        self.axes, cells = make_axes(set_columns(table, names))
        kept = sorted({row[3] for row in drawn})
        secret = np.array([kept.index(row[3]) for row in drawn], dtype=np.int64)
        totals = tuple(np.bincount(secret).tolist())
        column = [Sensitive("secret", secret, Distribution(totals))] if diverse else []
        needed = min(diverse or 0, len(totals))
        limits = make_limits(column, [DistinctDiversity(needed)] if diverse else [])
        shown = secret[:, None] if diverse else np.empty((len(drawn), 0), dtype=np.int64)
        self.rows = Rows(self.axes, cells, np.ascontiguousarray(shown), limits, k)
        self.k, self.n = k, len(drawn)
        places = self.axes.places.tolist()
        self.columns = [(places, step) for step in self.axes.steps.tolist()]
        self.cells = [tuple(row) for row in cells.tolist()]
        self.right = lambda rows: len({int(secret[row]) for row in rows}) >= needed

    def split(self):
        """The groups of the kernel, in their order."""
        room = make_split_scratch(self.rows, self.n)
        # A few at a time, to go on where it stopped.
        while split_rows(self.rows, room, 2):
            pass
        cuts = room.cuts[: room.numbers[DONE]].tolist()
        rows = room.rows[: self.n].tolist()
        return [rows[start:end] for start, end in zip([0, *cuts], cuts, strict=False)]

    def twin_split(self):
        every = list(range(self.n))
        return plain_sets.split_rows(self.columns, self.cells, self.k, self.right, every)

    def grouped(self):
        """The same groups in both forms."""
        of_row = np.zeros(self.n, dtype=np.int64)
        for number, rows in enumerate(self.twin_split()):
            of_row[rows] = number
        groups = make_groups(self.rows, of_row)
        what = (self.columns, self.cells, self.k, self.right, of_row.tolist())
        return groups, plain_sets.fill_groups(*what, len(groups.sizes))


def lists_of(groups: RowGroups) -> list[list[int]]:
    """The rows of each group, in the order of the list."""
    found = []
    for head in groups.heads.tolist():
        rows = []
        while head != NOBODY:
            rows.append(head)
            head = int(groups.following[head])
        found.append(rows)
    return found


def assert_same(problem, groups, twin):
    assert lists_of(groups) == twin.groups
    assert groups.sizes.tolist() == [len(rows) for rows in twin.groups]
    assert groups.free[: groups.numbers[FREE]].tolist() == twin.free
    shown = [cost for cost, rows in zip(groups.costs.tolist(), twin.groups, strict=True) if rows]
    assert shown == [twin.cost(rows) for rows in twin.groups if rows]
    for row, group in enumerate(groups.of_row.tolist()):
        assert row in twin.groups[group]


problems = st.builds(Problem, drawn_rows, st.integers(2, 4), st.sampled_from([None, None, 2]))


@examples(300)
@given(problem=problems)
def test_split_rows__as_its_twin(problem):
    assert problem.split() == problem.twin_split()


@examples(300)
@given(problem=problems)
def test_fill_groups__as_its_twin(problem):
    groups, twin = problem.grouped()
    assert fill_groups.__name__ == plain_sets.fill_groups.__name__
    assert_same(problem, groups, twin)


@examples(400)
@given(problem=problems, window=st.integers(1, 4), seed=st.integers(0, 5), rounds=st.integers(1, 3))
def test_improving__as_its_twins(problem, window, seed, rounds):
    groups, twin = problem.grouped()
    draw = np.random.default_rng(seed)
    moving, nearest = make_move_scratch(problem.rows), make_nearest()
    splitting = make_split_scratch(problem.rows, 14)
    last = len(groups.sizes)
    for _ in range(rounds):
        near = find_neighbours(groups, draw_order(problem.rows, draw), window)
        runs, run_of = near.runs.tolist(), near.of_row.tolist()
        saved = move_rows(problem.rows, groups, near, moving, 0, last)
        assert saved == plain_sets.move_rows(twin, runs, run_of, window, 0, last)
        assert_same(problem, groups, twin)
        saved = split_again(problem.rows, groups, near, nearest, splitting, 0, last)
        assert saved == plain_sets.split_again(twin, runs, run_of, window, 14, 0, last)
        assert_same(problem, groups, twin)
    assert not moving.tallies.any()
    sizes = Counter(groups.of_row.tolist())
    assert min(sizes.values()) >= min(problem.k, problem.n)
