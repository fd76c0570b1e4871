"""Reddy, Raju, Kumari, "Personalized Privacy Preserving Publication of Transactional Datasets Using Concept
Learning", Tables I to IV and Figure 2."""

from __future__ import annotations

import numpy as np
import pytest

import withhold as wh
from withhold.methods.buckets.search.hashing import hash_records, support_sums

TABLE_1 = [["I1", "J1", "J2"], ["I2", "J1"], ["I2", "J1", "J2"], ["I1", "I2", "J2"]]
FIGURE_2 = wh.Hierarchy.from_paths(
    [("I1", "I", "*"), ("I2", "I", "*"), ("J1", "J", "*"), ("J2", "J", "*")]
)
TABLE_4 = [["I", "J"], ["I2", "J"], ["I2", "J"], ["I", "J"]]
MODEL = wh.Buckets(k=2)


def release(**options):
    return wh.anonymize(TABLE_1, MODEL, hierarchy=FIGURE_2, **options)


def test_table_2__supports():
    table = wh.read(TABLE_1)
    assert table.vocabulary == ("I1", "I2", "J1", "J2")
    assert table.supports.tolist() == [2, 3, 3, 3]


def test_table_3__sums_and_buckets():
    table = wh.read(TABLE_1)
    assert support_sums(table).tolist() == [8, 6, 9, 8]
    buckets, number = hash_records(table, 2, 3)
    # Three buckets of which one is empty; the start value fits, so nothing is hash_records again.
    assert number == 3
    assert buckets.tolist() == [2, 0, 0, 2]


def test_table_4__the_published_sets():
    published = release(fill="hash", buckets=3)
    assert published.data.to_lists() == TABLE_4
    assert published.verdict.status is wh.Status.HOLDS
    assert (published.options["buckets"], published.options["groups"]) == (3, 2)


def test_table_4__what_people_never_had_is_counted():
    loss = release(fill="hash", buckets=3).loss
    # T1 is said to have an I, and has one; every node covers something of every record here.
    assert (loss.added, loss.withheld) == (0, 0)
    assert (loss.exact, loss.generalised) == (2, 9)
    single = release(fill="hash", buckets=1)
    assert single.data.to_lists() == [["I", "J"]] * 4


def test_formulas_1_to_8__on_table_4():
    loss = release(fill="hash", buckets=3).loss
    # "if I1 is generalized to I in a transaction T, the information loss is 2/4"
    assert loss.by_occurrence.tolist() == [0.5] * 3 + [0, 0.5] + [0, 0.5, 0.5] + [0.5] * 3
    assert loss.by_record.tolist() == pytest.approx([1 / 2, 1 / 4, 1 / 3, 1 / 2])
    assert loss.by_item == pytest.approx({"I1": 1 / 2, "I2": 1 / 6, "J1": 1 / 2, "J2": 1 / 2})
    assert loss.information_loss == loss.privacy_gain == pytest.approx(19 / 48)
    assert [(group.published, group.records) for group in loss.groups] == [
        (("I", "J"), 2),
        (("I2", "J"), 2),
    ]


def test_the_root__only_when_asked():
    assert release(fill="hash", buckets=1, to_root=True).data.to_lists() == [["*"]] * 4
    assert release(fill="hash", buckets=1, to_root=True).loss.information_loss == 1.0


def test_without_the_hash__adds_nothing_and_loses_no_more():
    truthful = release()
    assert truthful.verdict.status is wh.Status.HOLDS
    assert truthful.loss.added == 0
    assert truthful.loss.information_loss <= release(fill="hash", buckets=3).loss.information_loss
    for record, published in zip(TABLE_1, truthful.data, strict=True):
        for node in published:
            assert set(FIGURE_2.leaves_under(node)) & set(record)


def test_consent__goes_first():
    # Without T1, I1 has support 1: the supports are counted among those who agreed.
    agreed = wh.read(TABLE_1, consent=np.array([False, True, True, True]))
    assert support_sums(agreed).tolist() == [3 + 2, 3 + 2 + 2, 1 + 3 + 2]
