"""Xu et al., "Publishing Sensitive Transactions for Itemset Utility" (2008): Figure 1, Examples 1 to 4."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import oracle_coherence as oracle
import withhold as wh
from withhold.methods.coherence.search.borders import (
    bits_of,
    count_covered,
    difference,
    intersection,
    mole_border,
    number_covered,
)

PRIVATE = {"s1", "s2", "s3"}
FIGURE_1 = [
    {*"abef", "s1"},
    {*"cefg", "s2"},
    {*"abg", "s3"},
    {*"abfg", "s2"},
    {*"abdg", "s2"},
    {*"efg", "s1"},
    {*"befg", "s3"},
]
MODEL = wh.Coherence(h="0.5", k=3, p=3, private=PRIVATE)
WITHOUT_C_AND_D = [record - {"c", "d"} for record in FIGURE_1]


def bits(names: str) -> int:
    return sum(1 << "abcdefg".index(name) for name in names)


def names(itemset: int) -> str:
    return "".join("abcdefg"[bit] for bit in bits_of(itemset))


def border_after_observation_2():
    table = wh.Records.from_lists(FIGURE_1)
    alive = np.array([name in set("abefg") for name in table.vocabulary])
    return mole_border(table, MODEL, alive)


def test_example_1__ae_and_ag_are_moles_for_the_papers_reasons():
    found = {"".join(mole.items): mole for mole in wh.audit(FIGURE_1, MODEL, show=100).breaches}
    assert (found["ae"].support, found["ae"].private) == (1, None)
    assert (found["ag"].private, found["ag"].probability) == ("s2", Fraction(2, 3))


def test_example_1__a_and_ab_and_bg_are_nuggets():
    frequent = oracle.nuggets([frozenset(record) for record in FIGURE_1], 4)
    assert {frozenset("a"), frozenset("ab"), frozenset("bg")} <= frequent


def test_example_2__the_mole_border():
    border = border_after_observation_2()
    assert {names(a) for a in border.upper} == {"ae", "af", "ag", "be", "bfg"}
    assert {names(b) for b in border.lower} == {"abef", "abfg", "befg"}
    covering = [
        (names(a), names(b)) for a, b in border.edges() if not bits("aef") & ~b | a & ~bits("aef")
    ]
    assert covering == [("ae", "abef"), ("af", "abef")]


def test_example_2__the_audit_lists_the_same_minimal_moles():
    found = wh.audit(WITHOUT_C_AND_D, MODEL, show=100)
    assert {"".join(mole.items) for mole in found.breaches} == {"ae", "af", "ag", "be", "bfg"}
    assert found.by_size == {0: 0, 1: 0, 2: 4, 3: 1}


def test_example_3__three_moles_hold_ag():
    border = border_after_observation_2()
    counts: dict[int, int] = {}
    count_covered(border.edges(), (), bits("a"), 3, counts)
    assert counts["abcdefg".index("g")] == 3
    # ⟨ag, abfg⟩ alone covers all three; afg is covered by ⟨af, abfg⟩ too.
    assert number_covered((bits("ag"), bits("abfg")), bits("ag"), 3) == 3
    both = intersection((bits("ag"), bits("abfg")), (bits("af"), bits("abfg")))
    assert both is not None
    assert (names(both[0]), names(both[1])) == ("afg", "abfg")


def test_example_4__the_edge_difference():
    left = difference((bits("ae"), bits("adefg")), (bits("ae"), bits("ade")))
    assert [(names(a), names(b)) for a, b in left] == [("aef", "adefg"), ("aeg", "adefg")]


@pytest.mark.parametrize("counting", ["fast", "borders"])
def test_figure_1__c_and_d_go_first_then_a_then_b(counting):
    release = wh.anonymize(FIGURE_1, MODEL, nugget_support=4, counting=counting, restoring=False)
    assert [each.item for each in release.plan] == ["c", "d", "a", "b"]
    assert [str(each.mole) for each in release.plan][:2] == [
        "{c}: too rare, in 1 record",
        "{d}: too rare, in 1 record",
    ]
    assert release.verdict.status is wh.Status.HOLDS
