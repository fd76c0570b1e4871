"""The methods of others keep what they promise, so that a comparison with them is fair."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from benchmarks.baselines import tdcontrol
from benchmarks.baselines.permutation import estimated_counts, permute
from benchmarks.baselines.suppress_control import (
    SuppressControl,
    choose,
    intersections,
    suppress_globally,
)
from benchmarks.baselines.tdcontrol import estimated_counts as tree_counts
from benchmarks.baselines.tdcontrol import generalise_top_down
from hypothesis import given
from hypothesis import strategies as st

import oracle
import withhold as wh

ITEMS = tuple("abcdexyz")
SENSITIVE = frozenset("xyz")
TABLES = st.lists(st.sets(st.sampled_from(ITEMS)).map(sorted), min_size=1, max_size=25)


@given(TABLES, st.integers(2, 4))
def test_permute__no_sensitive_item_is_in_more_than_one_of_p(records, p):
    counts = Counter(item for record in records for item in record)
    if any(counts[item] * p > len(records) for item in SENSITIVE):
        with pytest.raises(ValueError, match="more than one of"):
            permute(records, SENSITIVE, p)
        return
    published = permute(records, SENSITIVE, p)
    sizes = np.bincount(published.group_of, minlength=len(published.summaries))
    for size, summary in zip(sizes.tolist(), published.summaries, strict=True):
        assert all(n * p <= size for n in summary.values())
    assert published.public == [frozenset(record) - SENSITIVE for record in records]
    assert estimated_counts(published) == counts


def test_permute__groups_transactions_that_are_alike():
    alike = [["a", "b", "x"], ["a", "b"], ["c", "d", "y"], ["c", "d"]]
    group_of = permute(alike, SENSITIVE, 2).group_of
    assert group_of[0] == group_of[1] != group_of[2] == group_of[3]


RHOS = st.sampled_from(["0.3", "0.5", "0.7"])


@given(TABLES, RHOS)
def test_suppress_globally__is_safe_and_items_go_everywhere_or_stay(records, rho):
    table = wh.Records.from_lists(records)
    published = suppress_globally(table, wh.RhoUncertainty(rho, SENSITIVE))
    rows = [frozenset(row) for row in published.to_lists()]
    assert oracle.is_safe(rows, SENSITIVE, Fraction(rho))
    assert rows == [frozenset(row).intersection(published.vocabulary) for row in records]


@given(TABLES, RHOS, st.integers(0, 2))
def test_suppress_control__lists_the_unsafe_rules_of_a_size(records, rho, size):
    table = wh.Records.from_lists(records)
    search = SuppressControl.of(table, wh.RhoUncertainty(rho, SENSITIVE))
    found = search._unsafe_of_size(size)
    rules = [tuple(table.vocabulary[item] for item in rule) for rule in found.tolist()]
    expected = []
    for items in combinations(table.vocabulary, size + 1):
        held = [row for row in records if set(items) <= set(row)]
        for e in SENSITIVE.intersection(items):
            of = [row for row in records if set(items) - {e} <= set(row)]
            expected += [frozenset(items)] * (len(held) > Fraction(rho) * len(of))
    assert Counter(map(frozenset, rules)) == Counter(expected)


def test_suppress_control__takes_what_is_in_most_rules_for_its_occurrences():
    # Item 1 is in all three rules, but so frequent that 2 and 3 are cheaper.
    rules, lengths = np.array([1, 2, 1, 3, 1, 3]), [2, 2, 2]
    assert choose(rules, lengths, np.array([9, 9, 2, 2])) == [3, 2]
    assert choose(rules, lengths, np.array([9, 2, 2, 2])) == [1]


def test_suppress_control__larger_antecedents_are_what_records_have_in_common():
    sets = [frozenset("abc"), frozenset("abd"), frozenset("cd")]
    common = {frozenset("ab"), frozenset("c"), frozenset("d"), frozenset()}
    assert intersections(sets) == {*sets, *common}


def test_suppress_globally__sees_what_only_three_items_give_away():
    # Any two of a, b, c are with x in one of two records; all three are only once, and with x.
    rows = [["a", "b", "c", "x"], ["a", "b"], ["a", "c"], ["b", "c"]]
    published = suppress_globally(wh.Records.from_lists(rows), wh.RhoUncertainty("0.5", {"x"}))
    assert published.to_lists() == [["a", "b", "c"], *rows[1:]]


TREE = wh.Hierarchy.from_paths([[item, "ab" if item in "ab" else "cde", "all"] for item in "abcde"])


@given(TABLES, RHOS)
def test_top_down__is_safe_and_every_item_is_everywhere_under_one_node(records, rho):
    table = wh.Records.from_lists([*records, ITEMS])
    published = generalise_top_down(table, wh.RhoUncertainty(rho, SENSITIVE), TREE)
    rows = [frozenset(row) for row in published.data.to_lists()]
    assert oracle.is_safe(rows, SENSITIVE, Fraction(rho))
    names = {**published.node_of, **{item: item for item in SENSITIVE}}
    assert rows == [
        frozenset(names[item] for item in row) - published.suppressed for row in table.to_lists()
    ]
    assert all(TREE.covers(node, leaf) for leaf, node in published.node_of.items())
    assert 0.0 <= published.loss <= 1.0


def test_top_down__goes_down_where_that_loses_less():
    # Nothing need go: the cut ends at the leaves, and every count is known.
    table = wh.Records.from_lists(
        [["a", "x"], ["a"], ["a"], ["b"], ["b", "c"], ["c"], ["d"], ["e"]]
    )
    published = generalise_top_down(table, wh.RhoUncertainty("0.5", SENSITIVE), TREE)
    assert published.loss == 0.0
    assert tree_counts(published) == {"a": 3, "b": 2, "c": 2, "d": 1, "e": 1, "x": 1}


def test_top_down__counts_are_spread_over_the_leaves(monkeypatch):
    # With a single trial everything stays under the root: 8 records hold it, for 5 leaves.
    monkeypatch.setattr(tdcontrol, "MOST_TRIALS", 1)
    table = wh.Records.from_lists([["a", "b", "x"], *[["a"]] * 3, ["b"], ["c"], ["d"], ["e"]])
    published = generalise_top_down(table, wh.RhoUncertainty("0.5", SENSITIVE), TREE)
    assert published.loss == pytest.approx(9 / 10)
    assert tree_counts(published) == {**dict.fromkeys("abcde", 8 / 5), "x": 1}
