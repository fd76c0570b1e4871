"""The papers' tables, measured by hand: Jia et al. Table 1, Nakagawa et al. Table 1."""

from __future__ import annotations

from math import log

import pytest

import oracle
from paper_tables import USERS, USERS_PUBLISHED
from withhold.data import Records
from withhold.measure import Utility, measure_utility

SHOP = [sorted(row) for row in oracle.SHOP]


def measured(original: list[list[str]], published: list[list[str]], **options) -> Utility:
    return measure_utility(Records.from_lists(original), Records.from_lists(published), **options)


def without(rows: list[list[str]], *deletions: tuple[int, str]) -> list[list[str]]:
    """The rows without these items; records are numbered from 1."""
    gone = set(deletions)
    return [[x for x in row if (n, x) not in gone] for n, row in enumerate(rows, start=1)]


@pytest.fixture(scope="module")
def rules_kept() -> Utility:
    """Table 1(d): condom goes from records 1 and 5."""
    published = without(SHOP, (1, "condom"), (5, "condom"))
    return measured(SHOP, published, sensitive={"condom"}, min_support=1, min_confidence="0.5")


def test_jia_table_1d__occurrences(rules_kept):
    lost = rules_kept.occurrences
    assert (lost.all.removed, lost.all.total) == (2, 15)
    assert (lost.sensitive.removed, lost.sensitive.total) == (2, 4)
    assert lost.others.removed == lost.added == lost.records_emptied == lost.items_gone == 0
    assert lost.records_touched == 2
    assert [(c.item, c.before, c.after) for c in lost.by_item] == [("condom", 4, 2)]
    # Six records of two items, one of three.
    assert [(c.longest, c.records, c.all.removed) for c in lost.by_length] == [(2, 6, 1), (3, 1, 1)]


def test_jia_table_1d__distribution(rules_kept):
    # Supports: bread 2, beer 2, condom 4 → 2, coffee 3, fruits 3, flour 1; 15 → 13 in all.
    kl = 11 / 13 * log(15 / 13) + 2 / 13 * log((2 / 13) / (4 / 15))
    assert rules_kept.distribution.kl == pytest.approx(kl)
    assert rules_kept.objectives.distribution == pytest.approx(2 / 15 * kl)
    assert rules_kept.supports.top_worst == 0.5
    assert rules_kept.supports.mean == pytest.approx(0.5 / 6)


def test_jia_table_1d__itemsets(rules_kept):
    # Pairs that occur: bread-beer, bread-condom, beer-condom, coffee-fruits, flour-condom,
    # bread-coffee, fruits-condom; the second and the fifth are gone, and so is the triple.
    by_size = [(c.size, c.before, c.kept, c.new) for c in rules_kept.itemsets.by_size]
    assert by_size == [(1, 6, 6, 0), (2, 7, 5, 0), (3, 1, 0, 0)]


def test_jia_table_1d__rules(rules_kept):
    # Before: bread→beer, bread→condom, bread→coffee (1/2 each), beer→bread (1/2), beer→condom (2/2),
    # condom→beer (2/4), coffee→fruits (2/3), fruits→coffee (2/3), flour→condom (1/1), and of the triple
    # bread,beer→condom, bread,condom→beer (1/1) and beer,condom→bread (1/2).
    # After: bread→beer, bread→coffee, beer→bread, beer→condom (1/2), condom→beer (1/2), coffee→fruits,
    # fruits→coffee, and new condom→fruits (1/4 → 1/2).
    rules = rules_kept.rules
    assert (rules.before, rules.after, rules.kept) == (12, 8, 7)
    assert (rules.lost, rules.spurious) == (5, 1)
    assert rules.jaccard == 7 / 13
    assert rules_kept.objectives.rules == pytest.approx((2 / 15) / (7 / 13))
    spurious = [c for c in rules.most_changed if c.fate == "spurious"]
    assert [(c.antecedent, c.consequent) for c in spurious] == [(("condom",), "fruits")]
    assert (spurious[0].confidence_before, spurious[0].confidence_after) == (0.25, 0.5)
    first = rules.most_changed[0]
    assert (first.antecedent, first.consequent, first.fate) == (("beer", "bread"), "condom", "lost")


def test_jia_table_1b__global_suppression_takes_four():
    published = without(SHOP, *((record, "condom") for record in (1, 3, 5, 7)))
    utility = measured(SHOP, published, sensitive={"condom"}, min_support=1, min_confidence="0.5")
    assert utility.occurrences.all.share == 4 / 15
    assert utility.occurrences.items_gone == 1
    # Left: bread→beer, bread→coffee, beer→bread, coffee→fruits, fruits→coffee.
    assert (utility.rules.after, utility.rules.kept) == (5, 5)
    assert utility.distribution.kl == pytest.approx(log(15 / 11))


def test_jia_table_1c__keeps_the_distribution_by_deleting_two_items():
    published = without(SHOP, (1, "condom"), (5, "flour"))
    utility = measured(SHOP, published, sensitive={"condom"}, min_support=1)
    assert (utility.occurrences.sensitive.removed, utility.occurrences.others.removed) == (1, 1)
    assert utility.occurrences.items_gone == 1
    kl = 9 / 13 * log(15 / 13)
    kl += 1 / 13 * log(15 / 13)  # bread and beer 2, coffee and fruits 3 make ten, not nine
    kl += 3 / 13 * log((3 / 13) / (4 / 15))
    assert utility.distribution.kl == pytest.approx(kl)


def test_nakagawa_table_1():
    """Alice lost milk, Carol bread, Frank medicine: 3 of 14."""
    utility = measured(USERS, USERS_PUBLISHED, min_support=1, min_confidence="0.3")
    assert (utility.occurrences.all.removed, utility.occurrences.all.total) == (3, 14)
    assert utility.occurrences.by_record is not None
    assert utility.occurrences.by_record.tolist() == [1, 0, 1, 0, 0, 1]
    # Supports before: milk 3, bread 3, medicine 3, apple 2, coffee 2, orange 1; after: 2, 2, 2, 2, 2, 1.
    kl = 3 * (2 / 11) * log((2 / 11) / (3 / 14)) + 5 / 11 * log(14 / 11)
    assert utility.distribution.kl == pytest.approx(kl)
    assert utility.supports.mean == pytest.approx(3 * (1 / 3) / 6)
    pairs = utility.itemsets.by_size[1]
    # Before: milk with bread, medicine, coffee; bread with medicine, coffee, apple; coffee-apple;
    # orange-medicine. After: bread-medicine, milk-coffee, milk-medicine, coffee-bread, coffee-apple,
    # bread-apple.
    assert (pairs.before, pairs.kept, pairs.new) == (8, 6, 0)
    milk = [
        c
        for c in utility.rules.most_changed
        if (c.antecedent, c.consequent) == (("milk",), "medicine")
    ]
    # The paper's own example: 2/3 before, 1/2 after.
    assert [(c.confidence_before, c.confidence_after) for c in milk] == [(2 / 3, 0.5)]
