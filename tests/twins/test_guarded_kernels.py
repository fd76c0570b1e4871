"""The kernels that choose patterns under requirements beyond k return what their plain twins return."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tables import examples
from twins import plain_guarded, plain_ruin
from twins.test_group_merging import limits_of, requirements
from twins.test_pattern_kernels import TREE, plain_assignment, same
from withhold.data import Table
from withhold.data.forest import make_forest
from withhold.data.grouping import group_rows
from withhold.methods.cells.model import KAnonymity
from withhold.methods.cells.patterns import Listing, find_patterns
from withhold.methods.cells.schemes import levels_of, make_ladders, make_lattice, number_of_schemes
from withhold.methods.cells.search.assignment import total_cost
from withhold.methods.cells.search.guarded import FREE, make_guarded
from withhold.methods.cells.search.guarded_improvement import (
    assign_the_rest,
    assign_valid_groups,
    open_guarded,
    settle_guarded,
)
from withhold.methods.cells.search.ruin import make_ruin, place_all, polish_groups
from withhold.methods.cells.sensitive import sensitive_columns

letters = st.sampled_from("abcd")
rows_strategy = st.lists(
    st.tuples(letters, st.sampled_from("xyz"), st.sampled_from("uvw"), st.sampled_from("12")),
    min_size=4,
    max_size=16,
)


class Problem:
    """A table with two sensitive columns in the kernels' form and in that of the twins."""

    def __init__(self, rows, *, k, asked, with_tree):
        names = ("p", "q", "value", "number")
        table = Table.from_columns(dict(zip(names, zip(*rows, strict=True), strict=True)))
        also = {"sensitive_column": names[2:], "ordered": ["number"], "t": "0.5"}
        sensitive = sensitive_columns(table, KAnonymity(2, names[:2], **also))
        forest = make_forest(table, names[:2], {"p": TREE} if with_tree else {})
        limits, twin_limits, _ = limits_of(sensitive, asked)
        values = np.stack([column.values for column in sensitive], axis=1).astype(np.int32)
        tuples = group_rows([*forest.nodes.T, *values.T], len(rows))
        cells = np.ascontiguousarray(forest.nodes[tuples.first_rows])
        values = values[tuples.first_rows]
        prices = np.rint(forest.losses * 60).astype(np.int64)
        ladders = make_ladders(forest.trees, forest.bounds)
        schemes = levels_of(make_lattice(ladders), np.arange(number_of_schemes(ladders)))
        self.k, self.weights = k, tuples.sizes
        listing = Listing(forest.trees, ladders, cells, tuples.sizes, k)
        self.patterns = find_patterns(listing, schemes, prices, lambda done: None)
        shifted = values + limits.starts[:-1].astype(np.int32)
        self.state = make_guarded(self.patterns, tuples.sizes, limits, shifted, k)
        plain = plain_assignment(self, self.patterns)
        self.twin = plain_guarded.Guarded(
            plain.patterns, plain.weights, k, values=values.tolist(), limits=twin_limits
        )
        self.limits = limits

    def check(self):
        """The same groups, in the same order, and their values counted."""
        state = self.state
        assert same(state.assigned, self.twin)
        for number, members in self.twin.members.items():
            each, listed = int(state.assigned.heads[number]), []
            while each >= 0:
                listed.append(each)
                each = int(state.assigned.following[each])
            assert listed == members
            expected = np.zeros(len(self.limits.totals), dtype=np.int64)
            for each in members:
                np.add.at(expected, state.values[each], self.weights[each])
            if members:
                assert state.counts[state.slots[number]].tolist() == expected.tolist()
        n_open = int((state.assigned.sizes > 0).sum())
        assert state.numbers[FREE] == len(state.free) - n_open


@examples(400)
@given(
    rows=rows_strategy,
    k=st.integers(2, 4),
    asked=requirements,
    with_tree=st.booleans(),
)
def test_guarded_assignment_and_improvement(rows, k, asked, with_tree):
    problem = Problem(rows, k=k, asked=asked, with_tree=with_tree)
    state, twin, patterns = problem.state, problem.twin, problem.patterns
    assign_valid_groups(state)
    plain_guarded.assign_valid_groups(twin)
    problem.check()
    assign_the_rest(state)
    plain_guarded.assign_the_rest(twin)
    problem.check()
    possible = twin.lacks_of(range(len(twin.weights))) == 0
    for _ in range(2):
        before = total_cost(patterns, state.assigned)
        saved = open_guarded(state, 0, len(patterns.costs))
        assert saved == plain_guarded.open_guarded(twin)
        problem.check()
        settled = settle_guarded(state)
        assert settled == plain_guarded.settle_guarded(twin)
        problem.check()
        assert total_cost(patterns, state.assigned) == before - saved - settled
        if possible:
            assert all(twin.is_valid(p) for p in twin.members if twin.members[p])


@examples(300)
@given(
    rows=rows_strategy,
    asked=requirements,
    with_tree=st.booleans(),
    seed=st.integers(0, 9),
    n_moves=st.integers(1, 12),
)
def test_polish_groups(rows, asked, with_tree, seed, n_moves):
    problem = Problem(rows, k=2, asked=asked, with_tree=with_tree)
    state, twin, patterns = problem.state, problem.twin, problem.patterns
    if twin.lacks_of(range(len(twin.weights))) > 0:
        return
    everyone = [len(patterns.costs) - 1] * len(twin.weights)
    place_all(state, np.array(everyone, dtype=np.int64))
    plain_ruin.place_all(twin, everyone)
    problem.check()
    # From nothing kept, so that there is something to gain.
    before = total_cost(patterns, state.assigned)
    ruin = make_ruin(state, seed)
    dice = plain_ruin.Dice(int(ruin.numbers[0]))
    saved = polish_groups(state, ruin, n_moves)
    assert saved == plain_ruin.polish_groups(twin, dice, n_moves)
    problem.check()
    assert saved >= 0
    assert total_cost(patterns, state.assigned) == before - saved
    assert all(twin.is_valid(p) for p in twin.members if twin.members[p])
