"""Count queries: the expected counts of a release are what a naive sum over its records gives."""

from __future__ import annotations

from fractions import Fraction
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import examples
from withhold import Hierarchy
from withhold.data import Records, Table
from withhold.data.groups import Groups
from withhold.data.table import Column
from withhold.measure.queries import draw_itemsets, set_query_errors, under_groups, under_tree
from withhold.methods.cells.queries import draw_cells, table_query_errors

TREE = Hierarchy.from_edges([("a", "ab"), ("b", "ab"), ("ab", "*"), ("c", "*"), ("d", "*")])
LEAVES = {"a": "a", "b": "b", "c": "c", "d": "d", "ab": "ab", "*": "abcd"}
UNDER = {
    "names": None,
    "tree": under_tree(TREE),
    "groups": under_groups(Groups.of({"ab": ["a", "b"], "c": ["c"]})),
}
QUERIES = 20


def assert_errors(got, wanted: list[tuple[int, Fraction, Fraction]], n_rows: int) -> None:
    """``wanted`` are the number of conditions, the count and the answer of each query."""
    bound = max(1, -(-n_rows // 1000))
    errors = [(size, abs(after - before) / max(before, bound)) for size, before, after in wanted]
    assert (got.queries, got.sanity_bound) == (len(wanted), bound)
    if not wanted:
        assert got.mean is got.median is None
        return
    assert all(before >= 1 for _, before, _ in wanted)
    assert got.mean == pytest.approx(float(sum(e for _, e in errors) / len(errors)))
    assert got.median == pytest.approx(float(median(e for _, e in errors)))
    for part in got.by_conditions:
        here = [e for size, e in errors if size == part.conditions]
        assert part.queries == len(here)
        assert part.mean == pytest.approx(float(sum(here) / len(here)))
    assert sum(part.queries for part in got.by_conditions) == len(wanted)


def chance_of(item: str, shown: set[str]) -> Fraction:
    """How likely a record that shows these nodes has the item."""
    covering = [Fraction(1, len(LEAVES[node])) for node in shown if item in LEAVES[node]]
    return max(covering, default=Fraction(0))


@st.composite
def generalised_sets(draw: st.DrawFn) -> tuple[list[set[str]], list[set[str]]]:
    rows = draw(st.lists(st.sets(st.sampled_from("abcd")), min_size=1, max_size=8))
    ways = st.sampled_from(("", "", "ab", "*", "gone"))
    published = []
    for row in rows:
        shown = set()
        for item in sorted(row):
            way = draw(ways)
            up = item in "ab" if way == "ab" else way == "*"
            shown |= {way} if up else set() if way == "gone" else {item}
        published.append(shown)
    return rows, published


@examples(300)
@given(generalised_sets(), st.integers(0, 5), st.sampled_from(("names", "tree", "groups")))
def test_itemset_counts(problem, seed, under):
    rows, published = problem
    if under == "groups":
        published = [
            {"ab" if item in "ab" else item for item in row if len(row) < 4} for row in rows
        ]
    before, after = Records.from_lists(rows), Records.from_lists(published)
    wanted = []
    for query in draw_itemsets(before, QUERIES, seed):
        items = [before.vocabulary[code] for code in query]
        assert len(set(items)) == len(items) <= 4
        answer = Fraction(0)
        for shown in published:
            part = Fraction(1)
            for item in items:
                part *= Fraction(item in shown) if under == "names" else chance_of(item, shown)
            answer += part
        wanted.append((len(items), Fraction(sum(row.issuperset(items) for row in rows)), answer))
    got = set_query_errors(before, after, UNDER[under], queries=QUERIES, seed=seed)
    assert_errors(got, wanted, len(rows))


@st.composite
def generalised_tables(draw: st.DrawFn) -> tuple[Table, Table]:
    """A table of three columns, and a release with cells that are withheld or show something general."""
    n_rows = draw(st.integers(1, 8))
    names = ("x", "y", "z")
    cells = st.lists(st.sampled_from(("", "1", "2", "3")), min_size=n_rows, max_size=n_rows)
    original = Table.from_columns({name: draw(cells) for name in names})
    columns = []
    for column in original.columns:
        values = (*column.values, "low", "any")
        changes = st.sampled_from((None, None, "low", "any", "withheld"))
        codes = []
        for code in column.codes.tolist():
            change = draw(changes)
            low = change == "low" and column.values[code] in ("1", "2")
            codes.append(
                -1
                if change == "withheld"
                else values.index("low")
                if low
                else len(values) - 1
                if change == "any"
                else code
            )
        columns.append(Column(column.name, np.array(codes, dtype=np.int32), values))
    return original, original.with_columns(columns)


@examples(300)
@given(generalised_tables(), st.integers(0, 5))
def test_counts_of_rows(problem, seed):
    original, published = problem
    was, now = original.rows(), published.rows()
    stands_for: list[dict[str | None, set[str | None]]] = [{}, {}, {}]
    for old, new in zip(was, now, strict=True):
        for place in range(3):
            stands_for[place].setdefault(new[place], set()).add(old[place])
    for place in range(3):
        stands_for[place][None] = {row[place] for row in was}
    wanted = []
    for query in draw_cells(original.cells(original.names), QUERIES, seed):
        conditions = [(place, original.columns[place].values[code]) for place, code in query]
        assert len({place for place, _ in conditions}) == len(conditions) <= 4
        answer = Fraction(0)
        for row in now:
            part = Fraction(1)
            for place, value in conditions:
                covered = stands_for[place][row[place]]
                part *= Fraction(value in covered, len(covered))
            answer += part
        count = sum(all(row[place] == value for place, value in conditions) for row in was)
        wanted.append((len(conditions), Fraction(count), answer))
    got = table_query_errors(original, published, original.names, queries=QUERIES, seed=seed)
    assert_errors(got, wanted, len(original))


def test_the_original_answers_exactly():
    table = Table.from_columns({"x": list("aabbc"), "y": list("12121")})
    assert table_query_errors(table, table, ("x", "y")).mean == 0
    records = Records.from_lists([["a", "b"], ["a"], []])
    assert set_query_errors(records, records).mean == 0


def test_cells_that_came_withheld_are_not_asked_about():
    column = Column("x", np.array([-1, -1], dtype=np.int32), ("a",))
    table = Table((column,))
    assert table_query_errors(table, table, ("x",)).queries == 0


def test_seeds_draw_other_queries_and_one_seed_the_same():
    records = Records.from_lists([list("abcdefgh")[n % 5 :] for n in range(50)])
    first, again, other = (draw_itemsets(records, 50, seed) for seed in (1, 1, 2))
    assert first == again != other
