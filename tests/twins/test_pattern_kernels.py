"""The kernels that choose patterns return what their plain twins return."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import examples
from twins import plain_patterns
from withhold.data import Hierarchy, Table
from withhold.data.forest import make_forest
from withhold.data.grouping import group_rows
from withhold.methods.cells.bound import are_patterns, lower_costs
from withhold.methods.cells.nodes import NOBODY, common_node
from withhold.methods.cells.patterns import (
    Known,
    Listing,
    close_groups,
    find_patterns,
    keep_new,
    sort_by,
)
from withhold.methods.cells.prices import take_rows
from withhold.methods.cells.schemes import (
    Grouping,
    group_by_scheme,
    levels_of,
    make_grouping,
    make_ladders,
    make_lattice,
    number_of_schemes,
)
from withhold.methods.cells.search.assignment import (
    assign_cheapest_first,
    assign_leftovers,
    total_cost,
    unassigned,
)
from withhold.methods.cells.search.descents import Match, descend
from withhold.methods.cells.search.improvement import make_attempt, open_better, settle
from withhold.methods.cells.search.scheme_choice import (
    count_alike,
    cover_demands,
    price_schemes,
    scheme_gain,
)

# Leaves at two depths: d is as deep as ab.
TREE = Hierarchy.from_edges(
    [("a", "ab"), ("b", "ab"), ("ab", "abc"), ("c", "abc"), ("abc", "*"), ("d", "*")]
)
letters = st.sampled_from("abcd")
rows_strategy = st.lists(
    st.tuples(letters, letters, st.sampled_from("xyz")), min_size=3, max_size=14
)


class Problem:
    """A table in the kernels' form and in that of the twins."""

    def __init__(self, rows, *, k=2, with_tree=True):
        names = ("p", "q", "r")
        table = Table.from_columns(dict(zip(names, zip(*rows, strict=True), strict=True)))
        forest = make_forest(table, names, {"p": TREE} if with_tree else {})
        tuples = group_rows([forest.nodes[:, j] for j in range(3)], len(rows))
        self.k, self.trees = k, forest.trees
        self.names = (*table.column("p").values, *forest.names[0], "*")
        self.cells = np.ascontiguousarray(forest.nodes[tuples.first_rows])
        self.weights = tuples.sizes
        self.ladders = make_ladders(forest.trees, forest.bounds)
        self.lattice = make_lattice(self.ladders)
        self.n_schemes = number_of_schemes(self.ladders)
        self.prices = np.rint(forest.losses * 60).astype(np.int64)
        self.above = self.ladders.nodes.tolist()
        self.levels = self.ladders.levels.tolist()
        self.plain_cells = [tuple(each) for each in self.cells.tolist()]

    @property
    def counted(self):
        """What the twins are asked with."""
        return self.above, self.levels, self.plain_cells, self.weights.tolist()

    def common(self, one, other):
        return int(common_node(self.trees, one, other))

    def patterns(self):
        every = levels_of(self.lattice, np.arange(self.n_schemes))
        listing = Listing(self.trees, self.ladders, self.cells, self.weights, self.k)
        return find_patterns(listing, every, self.prices, lambda done: None)


def test_ladders__end_at_the_root_and_keep_what_is_high_already():
    problem = Problem([("a", "a", "x"), ("d", "b", "x"), ("c", "c", "y"), ("b", "a", "x")])
    shown = [[problem.names[node] for node in level[:4]] for level in problem.above]
    assert shown == [
        ["a", "b", "c", "d"],
        ["ab", "ab", "c", "d"],
        ["abc", "abc", "abc", "d"],
        ["*", "*", "*", "*"],
    ]


@examples(150)
@given(rows=rows_strategy, with_tree=st.booleans())
def test_count_alike_and_price_schemes(rows, with_tree):
    problem = Problem(rows, with_tree=with_tree)
    counts = np.empty(problem.n_schemes, dtype=np.int64)
    costs = np.empty(problem.n_schemes, dtype=np.int64)
    for row in range(len(problem.cells)):
        count_alike(problem.lattice, problem.cells, problem.weights, row, counts)
        price_schemes(problem.lattice, problem.prices, problem.cells, row, costs)
        assert counts.tolist() == plain_patterns.count_alike(*problem.counted, row)
        prices = problem.prices.tolist()
        expected = plain_patterns.price_schemes(
            problem.above, problem.levels, prices, problem.plain_cells, row
        )
        assert costs.tolist() == expected


numbers = st.integers(0, 9)


@examples(150)
@given(data=st.data(), n_rows=st.integers(1, 4), n_schemes=st.integers(1, 5))
def test_scheme_gain(data, n_rows, n_schemes):
    def drawn(width):
        row = st.lists(numbers, min_size=width, max_size=width)
        return data.draw(st.lists(row, min_size=n_rows, max_size=n_rows))

    counts, costs, sizes = drawn(n_schemes), drawn(n_schemes), [2, 5]
    best = drawn(len(sizes))
    arrays = [np.array(each, dtype=np.int64) for each in (counts, costs, sizes, best)]
    for scheme in range(n_schemes):
        gain, after = plain_patterns.scheme_gain(counts, costs, sizes, best, scheme)
        assert scheme_gain(*arrays, scheme, False) == gain
        assert arrays[3].tolist() == best
        assert scheme_gain(*arrays, scheme, True) == gain
        assert arrays[3].tolist() == after
        best = after


@examples(100)
@given(data=st.data(), n_schemes=st.integers(2, 6))
def test_cover_demands__leaves_nothing_to_gain(data, n_schemes):
    row = st.lists(numbers, min_size=n_schemes, max_size=n_schemes)
    counts, costs = (
        np.array(data.draw(st.lists(row, min_size=3, max_size=3)), dtype=np.int64) for _ in range(2)
    )
    sizes = np.array([1, 4], dtype=np.int64)
    best = np.repeat(costs[:, -1:], 2, axis=1)
    chosen = cover_demands(counts, costs, sizes, best)
    assert len(set(chosen)) == len(chosen)
    for each in range(3):
        for at, size in enumerate(sizes):
            enough = [costs[each, s] for s in range(n_schemes) if counts[each, s] >= size]
            assert best[each, at] == min([*enough, costs[each, -1]])


@examples(150)
@given(rows=rows_strategy, data=st.data(), with_tree=st.booleans())
def test_descend(rows, data, with_tree):
    problem = Problem(rows, with_tree=with_tree)
    row = data.draw(st.integers(0, len(problem.cells) - 1))
    least = data.draw(st.integers(1, len(rows)))
    favours = data.draw(st.permutations([0.7, 1.0, 1.3]))
    match = Match(np.empty(len(problem.cells), dtype=np.int32), np.empty(3, dtype=np.int64))
    prices = problem.prices * 1.0
    favoured = np.array(favours)
    descend(problem.ladders, prices, problem.cells, problem.weights, row, least, favoured, match)
    above, levels, cells, weights = problem.counted
    expected = plain_patterns.descend(
        above, levels, prices.tolist(), cells, weights, row, least, favours
    )
    assert tuple(match.levels.tolist()) == expected


@examples(150)
@given(rows=rows_strategy, k=st.integers(1, 4), data=st.data())
def test_groups_of_a_scheme(rows, k, data):
    problem = Problem(rows)
    number = data.draw(st.integers(0, problem.n_schemes - 1))
    scheme = plain_patterns.schemes(problem.levels)[number]
    levels = levels_of(problem.lattice, np.array([number]))[0]
    assert tuple(levels.tolist()) == scheme
    grouping = make_grouping(problem.cells)
    n_groups = group_by_scheme(problem.ladders, problem.cells, problem.weights, levels, grouping)
    expected = list(
        plain_patterns.group_by_scheme(
            problem.above, problem.plain_cells, problem.weights.tolist(), scheme
        ).values()
    )
    found = [
        (np.flatnonzero(grouping.of_tuple == group).tolist(), int(grouping.sizes[group]))
        for group in range(n_groups)
    ]
    assert found == expected
    close_groups(problem.trees, problem.cells, grouping, k)
    for group, (members, size) in enumerate(expected):
        cells = [problem.plain_cells[each] for each in members]
        closure = plain_patterns.close_groups(problem.common, cells)
        assert tuple(grouping.closures[group].tolist()) == (closure if size >= k else cells[0])


@examples(150)
@given(rows=rows_strategy, k=st.integers(1, 4))
def test_lower_costs(rows, k):
    problem = Problem(rows, k=k)
    prices = problem.prices
    best = np.full(len(problem.cells), 180, dtype=np.int64)
    plain = best.tolist()
    grouping = make_grouping(problem.cells)
    above, _, cells, weights = problem.counted
    for number, scheme in enumerate(plain_patterns.schemes(problem.levels)):
        levels = levels_of(problem.lattice, np.array([number]))[0]
        group_by_scheme(problem.ladders, problem.cells, problem.weights, levels, grouping)
        lower_costs(problem.ladders, prices, problem.cells, levels, grouping, k, best)
        plain = plain_patterns.lower_costs(above, prices.tolist(), cells, weights, scheme, k, plain)
        assert best.tolist() == plain


@examples(150)
@given(rows=rows_strategy, data=st.data())
def test_are_patterns(rows, data):
    problem = Problem(rows)
    number = data.draw(st.integers(0, problem.n_schemes - 1))
    levels = levels_of(problem.lattice, np.array([number]))[0]
    grouping = make_grouping(problem.cells)
    group_by_scheme(problem.ladders, problem.cells, problem.weights, levels, grouping)
    if data.draw(st.booleans()):
        # As if two patterns had one hash.
        moved = data.draw(st.integers(0, len(problem.cells) - 1))
        grouping.of_tuple[moved] = grouping.of_tuple[0]
    groups: dict = {}
    for each, group in enumerate(grouping.of_tuple[: len(problem.cells)].tolist()):
        groups.setdefault(group, []).append(each)
    scheme = plain_patterns.schemes(problem.levels)[number]
    room = np.empty(len(problem.cells), dtype=np.int32)
    found = are_patterns(problem.ladders, problem.cells, levels, grouping, room)
    assert found == plain_patterns.are_patterns(
        problem.above, problem.plain_cells, scheme, groups.values()
    )


@examples(300)
@given(rows=rows_strategy, k=st.integers(2, 5), with_tree=st.booleans(), data=st.data())
def test_take_rows(rows, k, with_tree, data):
    problem = Problem(rows, k=min(k, len(rows)), with_tree=with_tree)
    patterns, n = problem.patterns(), len(problem.weights)
    # All different: of rows that pay the same any may be taken.
    prices = data.draw(st.lists(st.integers(0, 200), min_size=n, max_size=n, unique=True))
    taken, room = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    found = take_rows(patterns, problem.weights, problem.k, np.array(prices), taken, room)
    plain = plain_assignment(problem, patterns)
    total, expected = plain_patterns.take_rows(plain.patterns, plain.weights, problem.k, prices)
    assert found == total
    assert taken.tolist() == expected


@examples(150)
@given(
    closures=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=12),
    k=st.integers(1, 3),
    data=st.data(),
)
def test_keep_new(closures, k, data):
    sizes = data.draw(st.lists(st.integers(1, 4), min_size=len(closures), max_size=len(closures)))
    known = Known(
        np.full(32, NOBODY, dtype=np.int32), np.empty((12, 2), np.int32), np.zeros(1, np.int64)
    )
    nothing = np.empty(0, dtype=np.int32)
    plain: dict = {}
    # Twice: what was found by the first scheme is known to the second.
    for _ in range(2):
        grouping = Grouping(
            nothing,
            nothing.astype(np.uint64),
            np.array(sizes, dtype=np.int64),
            np.array(closures, dtype=np.int32).reshape(-1, 2),
            nothing,
        )
        found = np.empty(len(closures), dtype=np.int32)
        keep_new(grouping, len(closures), k, known, found)
        assert found.tolist() == plain_patterns.keep_new(closures, sizes, k, plain)
    kept = known.closures[: known.count[0]].tolist()
    assert [tuple(each) for each in kept] == list(plain)


@examples(100)
@given(keys=st.lists(st.integers(0, 4), max_size=12))
def test_sort_by(keys):
    values = np.arange(len(keys), dtype=np.int32)
    starts = np.append(0, np.cumsum(np.bincount(keys, minlength=5))).astype(np.int64)
    into = np.empty_like(values)
    sort_by(np.array(keys, dtype=np.int32), values, starts, into)
    assert into.tolist() == plain_patterns.sort_by(keys, values.tolist())


@examples(150)
@given(rows=rows_strategy, k=st.integers(1, 4), with_tree=st.booleans())
def test_patterns__are_all_sets_of_enough_rows_that_share_their_cells(rows, k, with_tree):
    problem = Problem(rows, k=k, with_tree=with_tree)
    patterns = problem.patterns()
    found = set()
    for number, cost in enumerate(patterns.costs.tolist()):
        span = slice(patterns.starts[number], patterns.starts[number + 1])
        found.add((cost, tuple(patterns.tuples[span].tolist())))
    expected = set()
    for scheme in plain_patterns.schemes(problem.levels):
        groups = plain_patterns.group_by_scheme(
            problem.above, problem.plain_cells, problem.weights.tolist(), scheme
        )
        for members, size in groups.values():
            if size >= k:
                cells = [problem.plain_cells[each] for each in members]
                closure = plain_patterns.close_groups(problem.common, cells)
                cost = int(problem.prices[list(closure)].sum())
                expected.add((cost, tuple(members)))
    assert found == expected
    assert len(found) == len(patterns.costs)
    assert patterns.costs.tolist() == sorted(patterns.costs.tolist())
    for each in range(len(problem.cells)):
        span = slice(patterns.tuple_starts[each], patterns.tuple_starts[each + 1])
        mine = patterns.of_tuple[span].tolist()
        assert mine == sorted(mine)
        assert all(
            each in patterns.tuples[patterns.starts[p] : patterns.starts[p + 1]] for p in mine
        )


def plain_assignment(problem, patterns):
    listed = [
        (
            int(cost),
            patterns.tuples[patterns.starts[p] : patterns.starts[p + 1]].tolist(),
        )
        for p, cost in enumerate(patterns.costs)
    ]
    return plain_patterns.Assignment(listed, problem.weights.tolist(), problem.k)


def same(assigned, plain):
    of_tuple = [plain.of(each) for each in range(len(plain.weights))]
    return assigned.of_tuple.tolist() == [
        -1 if own is None else own for own in of_tuple
    ] and assigned.sizes.tolist() == [plain.size(p) for p in range(len(plain.patterns))]


@examples(300)
@given(rows=rows_strategy, k=st.integers(1, 4), with_tree=st.booleans(), data=st.data())
def test_assignment_and_improvement(rows, k, with_tree, data):
    k = min(k, len(rows))
    problem = Problem(rows, k=k, with_tree=with_tree)
    patterns = problem.patterns()
    n = len(patterns.costs)
    assigned, plain = unassigned(patterns, problem.weights), plain_assignment(problem, patterns)
    room = np.empty(n, dtype=np.int64)
    assign_cheapest_first(patterns, assigned, k, room, room.copy())
    plain_patterns.assign_cheapest_first(plain)
    assert same(assigned, plain)
    assign_leftovers(patterns, assigned, k)
    plain_patterns.assign_leftovers(plain)
    assert same(assigned, plain)
    attempt = make_attempt(patterns, len(problem.weights))
    for _ in range(3):
        before = total_cost(patterns, assigned)
        saved = open_better(patterns, assigned, attempt, k, 0, n)
        assert saved == plain_patterns.open_better(plain)
        assert same(assigned, plain)
        assert total_cost(patterns, assigned) == before - saved
        saved += settle(patterns, assigned, attempt, k)
        plain_patterns.settle(plain)
        assert same(assigned, plain)
        assert total_cost(patterns, assigned) == before - saved
        in_use = assigned.sizes[assigned.sizes > 0]
        assert in_use.min() >= k
        assert in_use.sum() == len(rows)


@pytest.mark.parametrize("with_tree", [False, True])
def test_improvement__is_seen_by_this_test(with_tree):
    """Rows for which cheapest first is not best, so that opening patterns has something to do."""
    draw = np.random.default_rng(5)
    gained = 0
    for _ in range(40):
        rows = [tuple(each) for each in draw.choice(list("abcd"), size=(40, 3))]
        problem = Problem(rows, k=3, with_tree=with_tree)
        patterns = problem.patterns()
        assigned, plain = unassigned(patterns, problem.weights), None
        room = np.empty(len(patterns.costs), dtype=np.int64)
        assign_cheapest_first(patterns, assigned, 3, room, room.copy())
        assign_leftovers(patterns, assigned, 3)
        attempt = make_attempt(patterns, len(problem.weights))
        plain = plain_assignment(problem, patterns)
        plain_patterns.assign_cheapest_first(plain)
        plain_patterns.assign_leftovers(plain)
        saved = open_better(patterns, assigned, attempt, 3, 0, len(patterns.costs))
        assert saved == plain_patterns.open_better(plain)
        saved += settle(patterns, assigned, attempt, 3)
        plain_patterns.settle(plain)
        assert same(assigned, plain)
        gained += saved
    assert gained > 0
