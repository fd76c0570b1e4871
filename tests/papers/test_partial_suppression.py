"""Jia et al., "ρ-uncertainty Anonymization by Partial Suppression", Table 1."""

from __future__ import annotations

import pytest

import withhold as wh
from oracle import SHOP as TABLE_1A

MODEL = wh.RhoUncertainty("0.5", {"condom"})


def without(*deletions: tuple[int, str]) -> list[set[str]]:
    """Table 1(a) without these items; records are numbered from 1 as in the paper."""
    return [
        row - {item for number, item in deletions if number == record}
        for record, row in enumerate(TABLE_1A, start=1)
    ]


def test_table_1a__is_broken_with_the_rules_the_paper_names():
    audit = wh.audit(TABLE_1A, MODEL)
    assert audit.verdict.status is wh.Status.BROKEN
    rules = {(b.antecedent, b.consequent, b.joint, b.support) for b in audit.breaches}
    assert rules == {
        ((), "condom", 4, 7),
        (("beer",), "condom", 2, 2),
        (("flour",), "condom", 1, 1),
        (("beer", "bread"), "condom", 1, 1),
    }
    assert audit.by_size == {0: 1, 1: 2, 2: 1, 3: 0}
    # Record 7 too: condom is in more than half of all records.
    assert audit.exposed_records == 4


def test_table_1a__prior_can_be_left_out():
    model = wh.RhoUncertainty("0.5", {"condom"}, ignore_prior=True)
    audit = wh.audit(TABLE_1A, model)
    assert audit.by_size == {1: 2, 2: 1, 3: 0}
    assert audit.exposed_records == 3


@pytest.mark.parametrize("second", ["condom", "flour"])
def test_table_1cd__the_papers_two_deletions_make_it_safe(second):
    assert wh.verify(without((1, "condom"), (5, second)), MODEL).status is wh.Status.HOLDS


@pytest.mark.parametrize("alone", [(1, "condom"), (5, "condom"), (5, "flour")])
def test_table_1cd__either_deletion_alone_does_not(alone):
    assert wh.verify(without(alone), MODEL).status is wh.Status.BROKEN


@pytest.mark.parametrize("keep", ["rules", "distribution"])
@pytest.mark.parametrize("pick", ["longest", "random"])
def test_table_1cd__two_deletions_suffice(keep, pick):
    release = wh.anonymize(TABLE_1A, MODEL, keep=keep, pick=pick)
    assert release.verdict.status is wh.Status.HOLDS
    # Global suppression takes all four.
    assert release.loss.removed == 2
    assert {record for record, _ in release.plan.removals(release.original)} == {0, 4}
