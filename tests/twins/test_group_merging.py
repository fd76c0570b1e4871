"""The kernels that merge whole groups make the same merges, in the same order, as their plain twins."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import COSTS, examples
from twins import plain_cells, plain_groups
from twins.test_cell_merging import TREE, plain_costs, rounded
from withhold.data import Table
from withhold.data.forest import make_forest
from withhold.methods.cells.model import KAnonymity
from withhold.methods.cells.nodes import NOBODY
from withhold.methods.cells.requirements import (
    Closeness,
    DistinctDiversity,
    Distribution,
    EntropyDiversity,
    Likeness,
    RecursiveDiversity,
)
from withhold.methods.cells.search.group_search import make_groups
from withhold.methods.cells.search.groups import mark_groups, merge_groups
from withhold.methods.cells.search.limits import make_limits, shortfall
from withhold.methods.cells.search.start import Shown, make_costs
from withhold.methods.cells.search.tuples import RISKY
from withhold.methods.cells.sensitive import Sensitive, sensitive_columns

SHARES = [Fraction(1, 10), Fraction(1, 3), Fraction(1, 2), Fraction(999_999_999, 10**9)]
requirements = st.fixed_dictionaries(
    {},
    optional={
        "distinct": st.integers(2, 4),
        "entropy": st.sampled_from([Fraction(2), Fraction(3), Fraction(4), Fraction(5, 2)]),
        "recursive": st.tuples(
            st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(7, 3), Fraction(10**12)]),
            st.integers(2, 4),
        ),
        "t": st.sampled_from(SHARES),
        "beta": st.sampled_from([*SHARES, Fraction(1), Fraction(3), Fraction(10**12)]),
    },
)
MAKE = {
    "distinct": DistinctDiversity,
    "entropy": EntropyDiversity,
    "recursive": lambda both: RecursiveDiversity(*both),
    "t": Closeness,
    "beta": Likeness,
}


def limits_of(sensitive, asked):
    """The requirements as the kernel and as its twin want them, and as the check has them."""
    exact = [MAKE[name](value) for name, value in asked.items()]
    totals = [column.whole.totals for column in sensitive]
    ordered = [column.whole.is_ordered for column in sensitive]
    return make_limits(sensitive, exact), plain_groups.Limits(totals, ordered, **asked), exact


@st.composite
def two_groups(draw):
    """The counts of two groups and of the whole table, in one or two sensitive columns."""
    n_values = draw(st.lists(st.integers(1, 6), min_size=1, max_size=2))
    number = st.sampled_from([0, 0, 1, 1, 2, 3, 4, 6, 8, 40])
    counts = [[draw(st.lists(number, min_size=n, max_size=n)) for n in n_values] for _ in range(3)]
    size = draw(st.integers(1, 9))
    for group in counts:
        for column in group:
            # Every column has all rows of the group.
            column[0] += max(size, *(sum(each) for each in group)) - sum(column)
    return counts


@examples(1000)
@given(counts=two_groups(), asked=requirements, ordered=st.booleans())
def test_shortfall(counts, asked, ordered):
    totals = [
        [sum(there) or 1 for there in zip(*columns, strict=True)]
        for columns in zip(*counts, strict=True)
    ]
    n_rows = max(map(sum, totals))
    for column in totals:
        column[0] += n_rows - sum(column)
    sensitive = [
        Sensitive("", np.zeros(0, dtype=np.int64), Distribution(column, ordered))
        for column in totals
    ]
    limits, twin, exact = limits_of(sensitive, asked)
    flat = np.array([[m for column in group for m in column] for group in counts], dtype=np.int32)
    n = int(sum(counts[0][0]) + sum(counts[1][0]))
    both = plain_groups._added(counts[0], counts[1])
    found = shortfall(limits, flat, 0, 1, n)
    assert found == pytest.approx(plain_groups.shortfall(twin, both), rel=1e-12, abs=1e-15)
    lacks = [
        each.lacks({value: m for value, m in enumerate(there) if m}, column.whole)
        for each in exact
        for there, column in zip(both, sensitive, strict=True)
    ]
    assert (found == 0) == (not any(lacks))


class Problem:
    """A table in the kernels' form, and the same groups as the twins want them."""

    def __init__(self, rows, cost, *, k, seed, asked, with_tree):
        names = [str(j) for j in range(len(rows[0]) - 3)]
        named = [*names, "label", "value", "number"]
        table = Table.from_columns(dict(zip(named, zip(*rows, strict=True), strict=True)))
        columns = {"sensitive_column": ["value", "number"], "ordered": ["number"], "t": "0.5"}
        model = KAnonymity(2, names, label="label", **columns)
        forest = make_forest(table, names, {"0": TREE} if with_tree else {})
        shown = Shown.of(table, model, forest)
        sensitive = sensitive_columns(table, model)
        self.costs = rounded(make_costs(shown, forest, cost))
        self.limits, twin_limits, _ = limits_of(sensitive, asked)
        start = make_groups(forest, shown, sensitive, seed)
        self.groups, self.trees = start.groups, forest.trees
        self.above = {n: None if p == NOBODY else p for n, p in enumerate(self.trees.parents)}
        self.twin_costs = plain_costs(self.costs, forest)
        tuples = plain_cells.Tuples([], [], [], k=k, draw=seed)
        members = []
        for group, cells in enumerate(self.groups.cells.tolist()):
            members.append([])
            for own, size in enumerate(self.groups.classes[group].tolist()):
                if size:
                    members[-1].append(len(tuples.cells))
                    tuples.cells.append(tuple(cells))
                    tuples.classes.append(own)
                    tuples.sizes.append(size)
        split = len(sensitive[0].whole.totals)
        counts = [[there[:split], there[split:]] for there in self.groups.counts[:-1].tolist()]
        self.twin = plain_groups.Groups(tuples, members, counts, twin_limits)

    def state(self):
        alive = sorted(self.groups.alive[: self.groups.numbers[2]].tolist())
        cells = {each: tuple(self.groups.cells[each].tolist()) for each in alive}
        sizes = {each: int(self.groups.sizes[each]) for each in alive}
        risky = self.groups.risky[: self.groups.numbers[RISKY]].tolist()
        into = {e: int(other) for e, other in enumerate(self.groups.into) if other != NOBODY}
        return cells, sizes, risky, into

    def twin_state(self):
        alive = [n for n in range(len(self.twin.members)) if n not in self.twin.into]
        cells = {n: self.twin.tuples.cells[self.twin.members[n][0]] for n in alive}
        return cells, {n: self.twin.size(n) for n in alive}, self.twin.risky, self.twin.into


rows = st.integers(1, 3).flatmap(
    lambda width: st.lists(
        st.tuples(
            *[st.sampled_from("abcd")] * width,
            st.sampled_from("01"),
            st.sampled_from(["p", "q", "r", ""]),
            st.sampled_from(["1", "2", "10"]),
        ),
        min_size=2,
        max_size=20,
    )
)


@examples(100)
@given(rows=rows, k=st.integers(2, 5), asked=requirements)
def test_mark_groups(rows, k, asked):
    problem = Problem(rows, "ham", k=k, seed=0, asked=asked, with_tree=False)
    plain_groups.mark_groups(problem.twin)
    mark_groups(problem.groups, problem.limits, k)
    assert problem.state() == problem.twin_state()


@pytest.mark.parametrize("cost", COSTS)
@examples(150)
@given(
    rows=rows,
    k=st.integers(2, 6),
    asked=requirements,
    seed=st.integers(0, 2**63),
    steps=st.sampled_from([1, 2, 4, 30]),
    with_tree=st.booleans(),
)
def test_merge_groups(cost, rows, k, asked, seed, steps, with_tree):
    problem = Problem(rows, cost, k=k, seed=seed, asked=asked, with_tree=with_tree)
    plain_groups.mark_groups(problem.twin)
    mark_groups(problem.groups, problem.limits, k)
    expected = plain_groups.merge_groups(problem.twin, problem.above, problem.twin_costs, steps)
    found = merge_groups(problem.groups, problem.trees, problem.costs, problem.limits, k, steps)
    assert found == expected
    assert problem.state() == problem.twin_state()
