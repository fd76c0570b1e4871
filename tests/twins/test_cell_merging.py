"""The kernels that merge tuples make the same merges, in the same order, as their plain twins.

Costs are rounded to eighths: then all sums are exact, and what costs the same costs exactly the same.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import COSTS, examples
from twins import plain_cells
from withhold.data import Hierarchy, Table
from withhold.data.forest import Forest, make_forest
from withhold.methods.cells.model import KAnonymity
from withhold.methods.cells.nodes import NOBODY
from withhold.methods.cells.search.costs import Costs
from withhold.methods.cells.search.merging import merge_tuples
from withhold.methods.cells.search.partners import (
    make_digits,
    make_keys,
    make_scratch,
    split_columns,
)
from withhold.methods.cells.search.start import Shown, make_costs
from withhold.methods.cells.search.suppressor import make_tuples
from withhold.methods.cells.search.tuples import ACROSS, RISKY, STEPS, Tuples, form_groups

TREE = Hierarchy.from_edges(
    [("a", "ab"), ("b", "ab"), ("ab", "*"), ("c", "cd"), ("d", "cd"), ("cd", "*")]
)


class Problem:
    """A table in the kernels' form, and the same tuples, trees and costs as the twins want them."""

    def __init__(self, rows, cost, *, k, seed, with_tree=True):
        names = [str(j) for j in range(len(rows[0]) - 2)]
        columns = dict(zip([*names, "label", "value"], zip(*rows, strict=True), strict=True))
        table = Table.from_columns(columns)
        model = KAnonymity(2, names, label="label")
        self.forest = make_forest(table, names, {"0": TREE} if with_tree else {})
        shown = Shown.of(table, model, self.forest)
        self.costs = rounded(make_costs(shown, self.forest, cost))
        self.start = make_tuples(self.forest, shown, seed)
        self.tuples, self.trees = self.start.tuples, self.forest.trees
        tuples = self.tuples
        self.twin = plain_cells.Tuples(
            cells=[tuple(cells) for cells in tuples.cells[tuples.places].tolist()],
            classes=tuples.classes.tolist(),
            sizes=tuples.sizes[tuples.places].tolist(),
            k=k,
            draw=seed,
        )
        self.above = {n: None if p == NOBODY else p for n, p in enumerate(self.trees.parents)}
        self.twin_costs = plain_costs(self.costs, self.forest)


def plain_costs(costs: Costs, forest: Forest) -> plain_cells.Costs:
    """The costs as the twins want them."""
    bounds = forest.bounds.tolist()
    return plain_cells.Costs(
        linear=costs.linear.tolist(),
        divergent=float(costs.divergent[0]),
        shares=costs.shares.tolist(),
        weights=costs.weights.tolist(),
        logs=costs.logs.tolist(),
        totals=costs.totals.tolist(),
        values=[
            frozenset(node for node in range(a, b) if forest.trees.leaves[node])
            for a, b in zip(bounds, bounds[1:], strict=False)
        ],
    )


def rounded(costs: Costs) -> Costs:
    """The same costs in eighths; what is more than nothing stays so."""
    eighths = {
        name: np.where(array > 0, np.maximum(np.round(array * 8), 1), np.round(array * 8)) / 8
        for name, array in costs._asdict().items()
    }
    return Costs(**eighths)


def state(tuples: Tuples) -> dict[str, object]:
    """All that the kernels keep about tuples, as the twin has it."""
    alive = np.flatnonzero(tuples.into == NOBODY).tolist()
    places = tuples.places.tolist()
    return {
        "cells": {each: tuple(tuples.cells[places[each]].tolist()) for each in alive},
        "sizes": {each: int(tuples.sizes[places[each]]) for each in alive},
        "into": {e: int(other) for e, other in enumerate(tuples.into) if other != NOBODY},
        "risky": tuples.risky[: tuples.numbers[RISKY]].tolist(),
        "steps": int(tuples.numbers[STEPS]),
        "across": int(tuples.numbers[ACROSS]),
        "groups": {
            tuple(tuples.cells[places[head]].tolist()): (
                members(tuples, head),
                int(tuples.totals[tuples.groups[head]]),
            )
            for head in tuples.heads[tuples.heads != NOBODY].tolist()
        },
    }


def members(tuples: Tuples, head: int) -> list[int]:
    """The tuples of a group, from its first one on."""
    found = []
    while head != NOBODY:
        found.append(head)
        head = int(tuples.following[head])
    return found


def twin_state(twin: plain_cells.Tuples) -> dict[str, object]:
    """The same of the twin."""
    return {
        "cells": {each: twin.cells[each] for each in twin.alive},
        "sizes": {each: twin.sizes[each] for each in twin.alive},
        "into": twin.into,
        "risky": twin.risky,
        "steps": twin.steps,
        "across": twin.across,
        "groups": {
            cells: (
                group,
                sum(twin.sizes[each] for each in group),
            )
            for cells, group in twin.groups.items()
            if group
        },
    }


@st.composite
def tables(draw):
    """Up to ten different rows, some of them often; from seven columns on keys do not show them all."""
    n_columns = draw(st.sampled_from([1, 2, 3, 7]))
    letters = st.sampled_from("abcd")
    columns = st.tuples(*[letters] * min(n_columns, 2))
    rest = st.tuples(*[st.sampled_from("xy")] * (n_columns - 2))
    rows = draw(
        st.lists(
            st.tuples(columns, rest, st.sampled_from("01"), st.sampled_from("pqr")),
            min_size=3,
            max_size=10,
        )
    )
    times = draw(
        st.lists(
            st.sampled_from([1, 1, 1, 2, 3, 15, 17, 33]), min_size=len(rows), max_size=len(rows)
        )
    )
    return [
        (*first, *others, label, value)
        for (first, others, label, value), many in zip(rows, times, strict=True)
        for _ in range(many)
    ]


def many_rows(seed):
    """More tuples than a scan looks at together, in more columns than keys show; some are large."""
    generator = Random(seed)
    n_columns = generator.choice([2, 4, 7, 9])
    return [
        row
        for _ in range(30)
        for row in [
            (
                generator.choice("abcd"),
                *(generator.choice("xyyy") for _ in range(n_columns - 1)),
                generator.choice("0001"),
                generator.choice("pqr"),
            )
        ]
        * generator.choice([1, 1, 1, 2, 3, 16, 18, 31, 32, 33, 40])
    ]


@examples(100)
@given(rows=tables(), k=st.integers(1, 20))
def test_form_groups(rows, k):
    problem = Problem(rows, "ham", k=k, seed=0)
    plain_cells.form_groups(problem.twin)
    form_groups(problem.tuples, k)
    assert state(problem.tuples) == twin_state(problem.twin)


@pytest.mark.parametrize("cost", COSTS)
@examples(120)
@given(
    rows=st.one_of(tables(), st.integers(0, 2**32).map(many_rows)),
    k=st.integers(2, 40),
    seed=st.integers(0, 2**63),
    steps=st.sampled_from([1, 2, 4, 8]),
    with_tree=st.booleans(),
)
def test_merge_tuples(cost, rows, k, seed, steps, with_tree):
    problem = Problem(rows, cost, k=min(k, len(rows)), seed=seed, with_tree=with_tree)
    plain_cells.form_groups(problem.twin)
    form_groups(problem.tuples, problem.twin.k)
    scratch = make_scratch(problem.tuples, problem.forest.bounds)
    expected = plain_cells.merge_tuples(problem.twin, problem.above, problem.twin_costs, steps)
    left = merge_tuples(
        problem.tuples, problem.trees, problem.costs, scratch, problem.twin.k, steps
    )
    assert left == expected
    assert state(problem.tuples) == twin_state(problem.twin)


@examples(200)
@given(
    n_nodes=st.lists(st.sampled_from([1, 2, 3, 40, 1025]), min_size=1, max_size=8),
    n_sizes=st.integers(2, 16),
    data=st.data(),
)
def test_make_keys(n_nodes, n_sizes, data):
    bounds = np.concatenate([[0], np.cumsum(n_nodes)])
    ends = split_columns(bounds, n_sizes)
    node = [st.integers(int(a), int(b) - 1) for a, b in zip(bounds, bounds[1:], strict=False)]
    rows = data.draw(st.lists(st.tuples(st.tuples(*node), st.integers(1, 40)), min_size=1))
    columns = [
        [(int(bounds[column]), n_nodes[column]) for column in range(a, b)]
        for a, b in zip(ends, ends[1:], strict=False)
    ]
    expected = plain_cells.make_keys(*zip(*rows, strict=True), columns, n_sizes)
    cells, sizes = (np.array(part) for part in zip(*rows, strict=True))
    keys = make_keys(
        cells.astype(np.uint32),
        sizes.astype(np.int32),
        *make_digits(bounds, ends, n_sizes),
        n_sizes,
    )
    assert keys.tolist() == expected
