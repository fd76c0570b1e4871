"""The bound of a table against the best release there is, found by trying all partitions of the rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import withhold as wh
from tables import examples
from withhold.errors import PolicyError
from withhold.method import SearchRun
from withhold.methods.cells import bound
from withhold.methods.cells.bound import CellBound, bound_cells
from withhold.methods.cells.options import CellsSearch

TREE = wh.Hierarchy.from_edges(
    [("a", "ab"), ("b", "ab"), ("ab", "abc"), ("c", "abc"), ("abc", "*"), ("d", "*")]
)
PARENT = {"a": "ab", "b": "ab", "ab": "abc", "c": "abc", "abc": "*", "d": "*"}
NAMES = ("p", "q")
rows_strategy = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz")), min_size=2, max_size=7
)


def partitions(rows, k):
    """All ways to split rows into groups of at least k."""
    if not rows:
        yield []
        return
    first, rest = rows[0], rows[1:]
    for mask in range(1 << len(rest)):
        group = [first, *(row for at, row in enumerate(rest) if mask >> at & 1)]
        others = [row for at, row in enumerate(rest) if not mask >> at & 1]
        if len(group) >= k:
            for more in partitions(others, k):
                yield [group, *more]


def cost(cells, with_tree, values):
    """What one cell of a group loses in which these values are."""
    if len(set(cells)) == 1:
        return 0.0
    if not with_tree:
        return 1.0
    paths = []
    for cell in cells:
        path = [cell]
        while path[-1] in PARENT:
            path.append(PARENT[path[-1]])
        paths.append(path)
    shared = next(node for node in paths[0] if all(node in path for path in paths))
    if shared == "*":
        return 1.0
    under = {value for value in values if shared in _path(value)}
    return (len(under) - 1) / (len(values) - 1)


def _path(value):
    path = [value]
    while path[-1] in PARENT:
        path.append(PARENT[path[-1]])
    return path


def optimum(rows, k, with_tree):
    values = {row[0] for row in rows}
    best = float("inf")
    for groups in partitions(rows, k):
        lost = sum(
            len(group)
            * (
                cost([r[0] for r in group], with_tree, values)
                + cost([r[1] for r in group], False, ())
            )
            for group in groups
        )
        best = min(best, lost)
    return best / (2 * len(rows))


@examples(400)
@given(rows=rows_strategy, k=st.integers(2, 3), with_tree=st.booleans())
def test_bound__is_below_the_best_release_and_ours_is_not_below_it(rows, k, with_tree):
    if len(rows) < k:
        return
    table = wh.Table.from_columns(dict(zip(NAMES, zip(*rows, strict=True), strict=True)))
    model = wh.KAnonymity(k, NAMES)
    hierarchy = {"p": TREE} if with_tree else None
    least = bound_cells(table, model, CellsSearch(hierarchy=hierarchy), SearchRun()).share
    best = optimum(rows, k, with_tree)
    assert least <= best + 1e-12
    release = wh.anonymize(table, model, hierarchy=hierarchy, publish="all", seed=1)
    assert release.loss.ncp >= best - 1e-12


@examples(1000)
@given(
    rows=rows_strategy,
    k=st.integers(2, 4),
    with_tree=st.booleans(),
    rounds=st.sampled_from([1, 3, 30]),
)
def test_raised_bound__is_between_the_plain_one_and_the_best_release(rows, k, with_tree, rounds):
    if len(rows) < k:
        return
    table = wh.Table.from_columns(dict(zip(NAMES, zip(*rows, strict=True), strict=True)))
    model = wh.KAnonymity(k, NAMES)
    options = {"hierarchy": {"p": TREE} if with_tree else None}
    plain = bound_cells(table, model, CellsSearch(**options), SearchRun()).share
    raised = bound_cells(table, model, CellsSearch(**options, bound_rounds=rounds), SearchRun())
    assert raised.rounds == rounds
    assert plain <= raised.share <= optimum(rows, k, with_tree) + 1e-12


def test_raised_bound__is_seen_to_be_higher_by_this_test():
    draw = np.random.default_rng(3)
    higher = exact = 0
    for _ in range(60):
        rows = [
            tuple(each)
            for each in zip(draw.choice(list("abcd"), 7), draw.choice(list("xyz"), 7), strict=True)
        ]
        table = wh.Table.from_columns(dict(zip(NAMES, zip(*rows, strict=True), strict=True)))
        plain, raised = (
            bound_cells(
                table, wh.KAnonymity(2, NAMES), CellsSearch(bound_rounds=n), SearchRun()
            ).share
            for n in (None, 50)
        )
        higher += raised > plain
        exact += raised == pytest.approx(optimum(rows, 2, False))
    assert higher > 5
    assert exact > 30


@examples(200)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from(["a", "b", None]), st.sampled_from(["x", "y", None])),
        min_size=3,
        max_size=12,
    ),
    rounds=st.sampled_from([None, 10]),
)
def test_bound__counts_no_cell_that_was_withheld_before(rows, rounds):
    table = wh.Table.from_columns(dict(zip(NAMES, zip(*rows, strict=True), strict=True)))
    release = wh.anonymize(table, wh.KAnonymity(2, NAMES), publish="all", bound_rounds=rounds)
    assert release.bound.share <= release.loss.ncp


def test_bound__is_rounded_down_where_it_is_shown():
    assert "11.8%" in CellBound(0.11899, generalised=False).sentence()
    assert CellBound(0.29, generalised=True).percent == "29.0%"


def test_bound__by_rows_where_there_are_too_many_patterns(monkeypatch):
    monkeypatch.setattr(bound, "MOST_MATCHES", 3)
    table = wh.Table.from_columns({"p": ["a", "a", "b", "c"], "q": ["x", "x", "y", "y"]})
    found = bound_cells(table, wh.KAnonymity(2, NAMES), CellsSearch(bound_rounds=9), SearchRun())
    assert (found.share, found.rounds) == (pytest.approx(2 / 8), 0)


def test_bound_rounds__are_refused_where_there_is_no_bound():
    table = wh.Table.from_columns({"p": ["a", "b"], "q": ["x", "x"]})
    with pytest.raises(PolicyError, match="leave one of the two out"):
        CellsSearch(bound=False, bound_rounds=5)
    with pytest.raises(PolicyError, match="leave bound_rounds out"):
        wh.anonymize(table, wh.KAnonymity(2, NAMES, missing="wildcard"), bound_rounds=5)


def test_bound__is_reached_where_the_best_release_is_plain():
    table = wh.Table.from_columns({"p": ["a", "a", "b", "c"], "q": ["x", "x", "y", "y"]})
    found = bound_cells(table, wh.KAnonymity(2, NAMES), CellsSearch(), SearchRun())
    assert found.share == pytest.approx(2 / 8)
    assert "25.0% of them" in found.sentence()


def test_bound__is_left_out_on_request():
    table = wh.Table.from_columns({"p": ["a", "b"], "q": ["x", "x"]})
    assert (
        bound_cells(table, wh.KAnonymity(2, NAMES), CellsSearch(bound=False), SearchRun()) is None
    )
