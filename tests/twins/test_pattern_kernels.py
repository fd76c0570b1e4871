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
from withhold.methods.cells.bound import are_patterns, count_patterns, lower_costs
from withhold.methods.cells.nodes import NOBODY, common_node
from withhold.methods.cells.patterns import (
    Known,
    Listing,
    Matches,
    close_groups,
    find_patterns,
    keep_new,
    list_patterns_of,
    list_tuples,
    match_new,
)
from withhold.methods.cells.prices import take_rows
from withhold.methods.cells.schemes import (
    codes_of,
    group_by_scheme,
    grouping_of,
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
from withhold.methods.cells.search.improvement import STAMP, make_attempt, open_better, settle
from withhold.methods.cells.search.scheme_choice import (
    Demands,
    count_alike,
    count_reached,
    cover_demands,
    price_schemes,
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
    by_column = np.ascontiguousarray(problem.cells.T)
    steps, lowest = (np.empty(n, np.uint32) for n in (len(problem.prices), len(problem.cells)))
    for row in range(len(problem.cells)):
        count_alike(problem.lattice, by_column, problem.weights, row, steps, lowest, counts)
        price_schemes(problem.lattice, problem.prices, problem.cells, row, costs)
        assert counts.tolist() == plain_patterns.count_alike(*problem.counted, row)
        prices = problem.prices.tolist()
        expected = plain_patterns.price_schemes(
            problem.above, problem.levels, prices, problem.plain_cells, row
        )
        assert costs.tolist() == expected


numbers = st.integers(0, 9)


@examples(150)
@given(counts=st.lists(numbers, min_size=1, max_size=6))
def test_count_reached(counts):
    reached = np.full((len(counts), 2), 9, dtype=np.int8)
    count_reached(np.array(counts), np.array([2, 3, 7]), reached, 1)
    assert reached[:, 1].tolist() == plain_patterns.count_reached(counts, [2, 3, 7])
    assert (reached[:, 0] == 9).all()


@examples(200)
@given(data=st.data(), n_rows=st.integers(1, 4), n_schemes=st.integers(1, 6))
def test_cover_demands(data, n_rows, n_schemes):
    row = st.lists(numbers, min_size=n_schemes, max_size=n_schemes)
    counts, costs = (data.draw(st.lists(row, min_size=n_rows, max_size=n_rows)) for _ in range(2))
    sizes, worth = [1, 4], data.draw(st.sampled_from([2, 5, 2**62]))
    demands = Demands(
        reached=np.array([plain_patterns.count_reached(each, sizes) for each in counts], np.int8).T,
        costs=np.array(costs, dtype=np.int32).T,
        best=np.repeat(np.array(costs, dtype=np.int64)[:, -1:], 2, axis=1),
        served=np.tile(np.arange(n_rows, dtype=np.int16), (n_schemes, 1)),
        n_served=np.full(n_schemes, n_rows, dtype=np.int64),
    )
    demands = demands._replace(
        reached=np.ascontiguousarray(demands.reached), costs=np.ascontiguousarray(demands.costs)
    )
    chosen, room = np.empty(n_schemes, dtype=np.int64), np.empty(n_schemes, dtype=np.int64)
    n = cover_demands(demands, worth, room, room.copy(), chosen)
    expected, best = plain_patterns.cover_demands(counts, costs, sizes, worth)
    assert chosen[:n].tolist() == expected
    assert demands.best.tolist() == best


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
    close_groups(problem.trees, problem.ladders, levels, problem.cells, grouping, k)
    for group, (members, size) in enumerate(expected):
        cells = [problem.plain_cells[each] for each in members]
        closure = plain_patterns.close_groups(problem.common, cells)
        assert tuple(grouping.closures[group].tolist()) == (closure if size >= k else cells[0])


@examples(150)
@given(rows=rows_strategy, k=st.integers(1, 4), drawn=st.randoms(use_true_random=False))
def test_count_patterns_lower_costs(rows, k, drawn):
    problem = Problem(rows, k=k)
    prices = problem.prices
    best = np.full(len(problem.cells), 180, dtype=np.int64)
    plain = best.tolist()
    grouping = make_grouping(problem.cells)
    above, _, cells, weights = problem.counted
    before = np.zeros(len(problem.levels), dtype=np.int64)
    grouping.sums[:] = problem.ladders.codes[0, problem.cells].sum(axis=1)
    for number, scheme in enumerate(plain_patterns.schemes(problem.levels)):
        levels = levels_of(problem.lattice, np.array([number]))[0]
        some = [each for each in range(len(cells)) if drawn.random() < 0.6]
        candidates = np.array(some, dtype=np.int64)
        count_patterns(problem.ladders, problem.weights, before, levels, grouping, candidates)
        found = grouping.sizes[grouping.of_tuple[candidates]].tolist()
        assert found == plain_patterns.count_patterns(above, cells, weights, scheme, some)
        asked = (problem.cells, levels, grouping, k, best, candidates)
        lower_costs(problem.ladders, prices, *asked)
        lowered = plain_patterns.lower_costs(
            above, prices.tolist(), cells, weights, scheme, k, plain
        )
        plain = [lowered[each] if each in some else plain[each] for each in range(len(cells))]
        assert best.tolist() == plain
        before = levels


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
        grouping = grouping_of(
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
@given(groups=st.lists(st.integers(0, 3), max_size=12), numbers=st.lists(numbers, min_size=4))
def test_match_new(groups, numbers):
    numbers = [-1 if number > 6 else number for number in numbers]
    matches = Matches(*(np.full(len(groups) + 2, 99, dtype=np.int32) for _ in range(2)))
    of_tuple, named = (np.array(each, dtype=np.int32) for each in (groups, numbers))
    n = match_new(of_tuple, named, matches, 2)
    found = [*zip(*(each[2:n].tolist() for each in matches), strict=True)]
    assert found == plain_patterns.match_new(groups, numbers)
    assert all((each[:2] == 99).all() for each in matches)


@examples(100)
@given(
    matches=st.sets(st.tuples(st.integers(0, 4), st.integers(0, 3))), rank=st.permutations(range(4))
)
def test_list_tuples_and_list_patterns_of(matches, rank):
    pairs = sorted(matches, key=lambda match: (match[1] % 2, match[0]))
    tuples, patterns = (np.array([pair[at] for pair in pairs], dtype=np.int32) for at in (0, 1))
    ranks = np.array(rank, dtype=np.int32)
    starts = np.append(0, np.cumsum(np.bincount(ranks[patterns], minlength=4)))
    by_pattern, by_tuple = np.empty_like(tuples), np.empty_like(tuples)
    list_tuples(ranks, Matches(tuples, patterns), starts.copy(), by_pattern)
    assert by_pattern.tolist() == plain_patterns.list_tuples(rank, pairs)
    tuple_starts = np.append(0, np.cumsum(np.bincount(tuples, minlength=5)))
    list_patterns_of(starts, by_pattern, tuple_starts, by_tuple)
    listed = np.split(by_pattern, starts[1:-1])
    assert by_tuple.tolist() == plain_patterns.list_patterns_of(listed)


@examples(50)
@given(rows=rows_strategy, k=st.integers(1, 4))
def test_patterns__are_the_same_where_sums_of_codes_are_hashes(rows, k):
    problem = Problem(rows, k=k)
    digits = problem.patterns()
    spans = np.cumsum([0, *np.bincount(problem.trees.columns)])
    # As many nodes in each column as would need more than 64 bits.
    hashes = codes_of(problem.trees.columns, np.append(spans[:-1], 2**62))
    assert len(np.unique(hashes)) == len(hashes)
    assert (hashes > 2**32).any()
    problem.ladders = problem.ladders._replace(codes=hashes[problem.ladders.nodes])
    for one, other in zip(digits, problem.patterns(), strict=True):
        assert one.tolist() == other.tolist()


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
        # What cannot have become better is not tried again.
        assert attempt.numbers[STAMP] == plain.turn
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
