"""Frequent and closed itemsets and rules: the same as other programs find, and the same every time."""

from __future__ import annotations

import gzip
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import examples, tables
from withhold.data import Records
from withhold.errors import PolicyError
from withhold.formats import read
from withhold.mining import miner as mining
from withhold.mining.miner import (
    Itemsets,
    closed_itemsets,
    exact_confidence,
    frequent_itemsets,
    min_count,
    rules,
)

fim = pytest.importorskip("fim")

REAL = [("bms-webview-1", "0.06%"), ("bms-webview-2", "0.05%"), ("retail", "0.02%")]


def theirs(records: list[list[str]], least: int, target: str, miner: str = "fpgrowth"):
    """What pyfim finds, by set of names.

    pyfim does not report what every record holds; an empty record makes that nothing.
    """
    found = getattr(fim, miner)([*records, []], target=target, supp=-least, zmin=1, report="a")
    return {frozenset(items): support for items, support in found}


def ours(itemsets: Itemsets) -> dict[frozenset[str], int]:
    assert (np.diff(itemsets.offsets) > 0).all()
    named = {frozenset(names): support for names, support in itemsets}
    assert len(named) == len(itemsets)
    return named


def crowd(seed: int, records: int = 2000, items: int = 40) -> list[list[str]]:
    """Records of some popular and many rare items."""
    draw = random.Random(seed).random
    return [
        sorted({f"i{int(items * draw() ** 2)}" for _ in range(int(12 * draw()))})
        for _ in range(records)
    ]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("least", [20, 100])
@pytest.mark.parametrize("miner", ["fpgrowth", "eclat"])
def test_itemsets__are_pyfims(seed, least, miner):
    records = crowd(seed)
    table = Records.from_lists(records)
    assert ours(frequent_itemsets(table, least)) == theirs(records, least, "s", miner)
    assert ours(closed_itemsets(table, least)) == theirs(records, least, "c", miner)


@examples(100)
@given(tables(), st.integers(1, 4))
def test_itemsets__of_random_tables_are_pyfims(problem, least):
    records = [sorted(row) for row in problem[0]]
    table = Records.from_lists(records)
    if not any(records):
        assert len(frequent_itemsets(table, least)) == len(closed_itemsets(table, least)) == 0
        return
    assert ours(frequent_itemsets(table, least)) == theirs(records, least, "s")
    assert ours(closed_itemsets(table, least)) == theirs(records, least, "c")


@pytest.mark.parametrize("seed", range(2))
def test_rules__are_mlxtends(seed):
    pandas = pytest.importorskip("pandas")
    frequent_patterns = pytest.importorskip("mlxtend.frequent_patterns")
    table = Records.from_lists(crowd(seed, records=600, items=25))
    held = np.zeros((len(table), table.n_items), dtype=bool)
    held[np.repeat(np.arange(len(table)), table.lengths), table.items] = True
    frame = pandas.DataFrame(held, columns=table.vocabulary)
    # Half a record and a billionth below the limits: mlxtend compares floats.
    itemsets = frequent_patterns.fpgrowth(frame, min_support=11.5 / 600, use_colnames=True)
    found = frequent_patterns.association_rules(itemsets, min_threshold=0.5 - 1e-9)
    expected = {
        (rule.antecedents, *rule.consequents, round(rule.support * 600)): rule.confidence
        for rule in found.itertuples()
        if len(rule.consequents) == 1
    }
    got = {
        (frozenset(rule.antecedent), rule.consequent, rule.joint): rule.joint / rule.support
        for rule in rules(table, 12, "0.5")
    }
    assert len(got) > 100
    assert got == pytest.approx(expected)


def test_rules__at_the_very_confidence_count():
    table = Records.from_lists([["a", "b"]] * 3 + [["a"]] * 7)
    assert [rule.support for rule in rules(table, 1, "0.3") if rule.consequent == "b"] == [10]
    assert not [rule for rule in rules(table, 1, "0.300000001") if rule.consequent == "b"]


@pytest.mark.data
@pytest.mark.parametrize(("name", "share"), REAL)
def test_real_files__give_what_pyfim_finds(real_data, name, share):
    path = real_data / f"{name}.dat.gz"
    with gzip.open(path, "rt", encoding="ascii") as lines:
        records = [line.split() for line in lines]
    table = read(path)
    least = min_count(share, len(table))
    assert ours(closed_itemsets(table, share)) == theirs(records, least, "c")
    if name != "bms-webview-1":  # which has too many to list
        assert ours(frequent_itemsets(table, share)) == theirs(records, least, "s")


def test_jobs__give_the_same_bytes():
    table = Records.from_lists(crowd(5))
    for mine in (frequent_itemsets, closed_itemsets):
        one, two, many = (mine(table, 15, jobs=jobs) for jobs in (1, 2, 5))
        for other in (two, many):
            assert np.array_equal(one.items, other.items)
            assert np.array_equal(one.offsets, other.offsets)
            assert np.array_equal(one.supports, other.supports)


def test_too_many_itemsets__are_refused(monkeypatch):
    monkeypatch.setattr(mining, "MOST_ITEMSETS", 31)
    table = Records.from_lists([list("abcde")] * 2)
    assert len(frequent_itemsets(table, 2)) == 31
    larger = Records.from_lists([list("abcdef")] * 2)
    with pytest.raises(PolicyError, match="more than 31 itemsets; give max_size"):
        frequent_itemsets(larger, 2)
    assert len(frequent_itemsets(larger, 2, max_size=2)) == 21
    assert len(closed_itemsets(larger, 2)) == 1


@pytest.mark.parametrize("jobs", [1, 3])
def test_too_many__in_all_parts_together(jobs):
    table = Records.from_lists([list("ab"), list("cd"), list("ef"), list("gh")])
    assert len(mining.list_itemsets(table, 1, most=12, jobs=jobs)) == 12
    assert mining.list_itemsets(table, 1, most=11, jobs=jobs) is None


@pytest.mark.parametrize("rows", [[], [[]], [["a"]]])
def test_tables_with_nothing_frequent(rows):
    table = Records.from_lists(rows)
    assert len(frequent_itemsets(table, 2)) == len(closed_itemsets(table, 2)) == 0
    assert len(rules(table, 2, "0.5")) == 0


@pytest.mark.parametrize(
    ("asked", "records", "count"),
    [
        (30, 10, 30),
        ("30", 10, 30),
        ("0.05%", 77_512, 39),
        ("0.05%", 80_000, 40),
        ("0.05%", 80_001, 41),
        ("0.0005", 80_000, 40),
        (0.0005, 80_000, 40),
        (Fraction(1, 3), 10, 4),
        ("100%", 7, 7),
        ("0.05%", 0, 1),
    ],
)
def test_min_count(asked, records, count):
    assert min_count(asked, records) == count


@pytest.mark.parametrize("asked", [0, -1, "0", "0%", "-5%", "101%", "often", "%", 1.5, "0.05%%"])
def test_min_count__refuses_nonsense(asked):
    with pytest.raises(PolicyError, match="minimum support"):
        min_count(asked, 100)


@pytest.mark.parametrize("asked", [0, "0", 1.01, "110%", "sure"])
def test_exact_confidence__refuses_nonsense(asked):
    with pytest.raises(PolicyError, match="minimum confidence"):
        exact_confidence(asked)


def test_max_size__must_make_sense():
    with pytest.raises(PolicyError, match="max_size"):
        frequent_itemsets(Records.from_lists([["a"]]), 1, max_size=0)
