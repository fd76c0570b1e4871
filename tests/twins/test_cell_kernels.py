"""The kernels that merge rows return what their plain twins return."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import COSTS, examples
from twins import plain_cells
from withhold.data import Hierarchy, Table
from withhold.data.forest import make_forest
from withhold.data.grouping import group_rows
from withhold.methods.cells.model import KAnonymity
from withhold.methods.cells.nodes import NOBODY, common_node
from withhold.methods.cells.search.costs import cost_of_merge
from withhold.methods.cells.search.merging import merge_tuples
from withhold.methods.cells.search.partners import cheapest_partner, make_scratch
from withhold.methods.cells.search.restoring_cells import (
    FittingTuples,
    count_fitting,
    restore_withheld,
)
from withhold.methods.cells.search.start import PSEUDO_COUNT, Shown, make_costs
from withhold.methods.cells.search.suppressor import make_tuples
from withhold.methods.cells.search.tuples import RISKY, STEPS, form_groups
from withhold.methods.cells.wildcard import fewest_fitting

TREE = Hierarchy.from_edges(
    [("a", "ab"), ("b", "ab"), ("ab", "*"), ("c", "cd"), ("d", "cd"), ("cd", "*")]
)

letters = st.sampled_from("abcd")
rows_strategy = st.lists(
    st.tuples(letters, letters, st.sampled_from("xyz"), st.sampled_from("01")),
    min_size=4,
    max_size=14,
)


class Problem:
    """A table in the kernels' form, and the same rows as the twins want them."""

    def __init__(self, rows, cost, *, k=2, with_tree=True, seed=3):
        names = ("p", "q", "r", "label")
        self.table = Table.from_columns(dict(zip(names, zip(*rows, strict=True), strict=True)))
        self.model = KAnonymity(k, ["p", "q", "r"], label="label")
        self.forest = make_forest(self.table, ["p", "q", "r"], {"p": TREE} if with_tree else {})
        shown = Shown.of(self.table, self.model, self.forest)
        self.costs = make_costs(shown, self.forest, cost)
        self.start = make_tuples(self.forest, shown, seed)
        self.scratch = make_scratch(self.start.tuples, self.forest.bounds)
        self.original = self.rows()
        form_groups(self.start.tuples, k)

    def rows(self):
        cells = self.start.final_cells()
        classes = self.table.column("label").codes
        return [(tuple(map(int, c)), int(own)) for c, own in zip(cells, classes, strict=True)]

    def row_of(self, each):
        tuples = self.start.tuples
        return tuple(map(int, tuples.cells[tuples.places[each], :3])), int(tuples.classes[each])

    def twin_cost(self, each, partner):
        trees, bounds = self.forest.trees, self.forest.bounds
        above = {n: None if p == NOBODY else int(p) for n, p in enumerate(trees.parents)}
        values = [
            frozenset(n for n in range(bounds[j], bounds[j + 1]) if trees.leaves[n])
            for j in range(3)
        ]
        return plain_cells.cost_of_merge(
            self.original,
            self.rows(),
            (self.row_of(each), self.row_of(partner)),
            above,
            values,
            self.costs.linear.tolist(),
            float(self.costs.divergent[0]),
            PSEUDO_COUNT,
        )


@pytest.mark.parametrize("cost", COSTS)
@examples(60)
@given(rows=rows_strategy, steps=st.integers(0, 4), with_tree=st.booleans())
def test_costs__are_those_of_recomputing_everything(cost, rows, steps, with_tree):
    problem = Problem(rows, cost, with_tree=with_tree)
    tuples, trees = problem.start.tuples, problem.forest.trees
    merge_tuples(tuples, trees, problem.costs, problem.scratch, 2, steps)
    alive = [each for each in range(len(tuples.into)) if tuples.into[each] == NOBODY]
    for each in alive:
        costs = {}
        for other in alive:
            if tuples.groups[other] != tuples.groups[each]:
                costs[other] = problem.twin_cost(each, other)
                got = cost_of_merge(tuples, trees, problem.costs, each, other)
                assert got == pytest.approx(costs[other], rel=1e-7, abs=1e-9)
        tuples.numbers[STEPS] += 1
        best, best_cost = cheapest_partner(tuples, trees, problem.costs, problem.scratch, each)
        own = {
            other: c for other, c in costs.items() if tuples.classes[other] == tuples.classes[each]
        }
        if not own:
            assert best == NOBODY
        else:
            assert best_cost == pytest.approx(min(own.values()), rel=1e-7, abs=1e-9)
            assert own[best] == pytest.approx(best_cost, rel=1e-7, abs=1e-9)
            ties = [other for other, c in own.items() if c == own[best]]
            if cost == "ham" and not with_tree:
                assert best == min(ties)


@examples(60)
@given(rows=rows_strategy, cost=st.sampled_from(COSTS), steps=st.integers(0, 5))
def test_bookkeeping__is_what_the_rows_say(rows, cost, steps):
    problem = Problem(rows, cost, k=3)
    tuples, trees = problem.start.tuples, problem.forest.trees
    merge_tuples(tuples, trees, problem.costs, problem.scratch, 3, steps)
    now = problem.rows()
    nodes = np.array([cells for cells, _ in now])
    classes = np.array([own for _, own in now])
    for node in np.flatnonzero(trees.leaves):
        for own in set(classes.tolist()):
            here = nodes[classes == own] == node
            assert tuples.exact[own, node] == here.sum()
    sizes = {}
    for cells, _ in now:
        sizes[cells] = sizes.get(cells, 0) + 1
    risky = {problem.row_of(each)[0] for each in tuples.risky[: tuples.numbers[RISKY]]}
    assert risky == {cells for cells, size in sizes.items() if size < 3}


@examples(100)
@given(a=letters, b=letters)
def test_common_node__is_the_lowest(a, b):
    problem = Problem(
        [("a", "a", "x", "0"), ("b", "b", "x", "0"), ("c", "c", "x", "1"), ("d", "d", "x", "1")],
        "ham",
    )
    forest = problem.forest
    values = problem.table.column("p").values
    node = common_node(forest.trees, values.index(a), values.index(b))
    names = (*values, *forest.names[0], "*")
    assert names[node] == TREE.lowest_common_ancestor(a, b)


@examples(100)
@given(st.lists(st.tuples(*[st.integers(-1, 2)] * 3), min_size=1, max_size=12))
def test_fewest_fitting(rows):
    cells = np.array(rows, dtype=np.int32)
    groups = group_rows([cells[:, j] for j in range(3)], len(cells))
    got = fewest_fitting(
        cells[groups.first_rows], groups.sizes, np.int32(-1), np.zeros(1, dtype=np.int64)
    )
    assert got == plain_cells.fewest_fitting(rows, -1)


@examples(300)
@given(
    drawn=st.lists(
        st.tuples(
            st.tuples(*[st.tuples(st.integers(0, 2), st.booleans())] * 3),
            st.sampled_from([1, 1, 2, 3]),
        ),
        min_size=1,
        max_size=10,
    ),
    k=st.integers(1, 5),
)
def test_count_fitting_and_restore_withheld(drawn, k):
    roots = (3, 3, 3)
    originals = [tuple(value for value, _ in cells) for cells, _ in drawn]
    rows = [tuple(3 if hidden else value for value, hidden in cells) for cells, _ in drawn]
    sizes = [size for _, size in drawn]
    arrays = (np.array(part, dtype=np.int32) for part in (rows, originals))
    room = np.array(sizes, dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
    tuples = FittingTuples(*arrays, *room, np.array(roots, dtype=np.int32))
    count_fitting(tuples)
    fitting = plain_cells.count_fitting(rows, sizes, roots)
    assert tuples.fitting.tolist() == fitting
    # As a search has it: every row is fitted by k rows before anything is restored.
    k = min(k, *fitting)
    given = restore_withheld(tuples, 0, len(rows), k)
    expected = plain_cells.restore_withheld(rows, originals, sizes, roots, k)
    assert list(map(tuple, tuples.cells.tolist())) == expected
    changed = sum(
        a != b
        for one, other in zip(rows, expected, strict=True)
        for a, b in zip(one, other, strict=True)
    )
    assert given == changed
    assert tuples.fitting.tolist() == plain_cells.count_fitting(expected, sizes, roots)
