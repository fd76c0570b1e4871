"""Kameya and Hayashi, "Bottom-up Cell Suppression that Preserves the Missing-at-random Condition"."""

from __future__ import annotations

from collections import Counter

import pytest

import withhold as wh
from tables import COSTS
from withhold.data import Table

ORIGINAL = [
    row.split()
    for row in """
20s Private F <=50K
20s Government F <=50K
20s Government M <=50K
20s Unemployed F <=50K
20s Unemployed M <=50K
30s Private M <=50K
30s Self-employed F <=50K
30s Self-employed F >50K
30s Self-employed M <=50K
40s Self-employed F >50K
40s Self-employed M <=50K
40s Self-employed M >50K
40s Government F <=50K
40s Government M <=50K
40s Unemployed F <=50K
""".strip().splitlines()
]
SUMMARY = {
    ("20s", "?", "F", "<=50K"): 2,
    ("?", "Government", "M", "<=50K"): 2,
    ("20s", "Unemployed", "?", "<=50K"): 2,
    ("?", "?", "M", "<=50K"): 3,
    ("30s", "Self-employed", "F", "<=50K"): 1,
    ("30s", "Self-employed", "F", ">50K"): 1,
    ("40s", "Self-employed", "?", ">50K"): 2,
    ("40s", "?", "F", "<=50K"): 2,
}
NAMES = ("Age", "WorkClass", "Gender", "Income")
MODEL = wh.KAnonymity(2, NAMES[:3], label="Income")


def table() -> Table:
    return Table.from_columns(dict(zip(NAMES, zip(*ORIGINAL, strict=True), strict=True)))


def summary_rows() -> list[list[str]]:
    """The slides' result, each of its rows put on an original row that it can have come from."""
    left = Counter(SUMMARY)
    rows = []
    for row in ORIGINAL:
        fitting = [
            key
            for key in left
            if left[key] and all(a in ("?", b) for a, b in zip(key, row, strict=True))
        ]
        # The rows with fewest question marks first; there is one way that uses all up.
        best = min(fitting, key=lambda key: key.count("?"))
        left[best] -= 1
        rows.append(list(best))
    assert not +left
    return rows


def test_summary__is_two_anonymous_with_sixteen_cells_suppressed():
    rows = summary_rows()
    release = Table.from_columns(dict(zip(NAMES, zip(*rows, strict=True), strict=True)))
    release = release.with_columns(release.column(name).with_withheld("?") for name in NAMES[:3])
    assert wh.verify(release, MODEL).status is wh.Status.HOLDS
    assert release.n_withheld == 16


def test_original__is_not():
    audit = wh.audit(table(), MODEL)
    assert (audit.k, audit.rows_at_risk, audit.groups) == (1, 11, 13)


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("seed", range(5))
def test_every_run__keeps_the_invariants(cost, seed):
    release = wh.anonymize(table(), MODEL, cost=cost, search="paper", seed=seed)
    assert release.verdict.status is wh.Status.HOLDS
    assert release.data.column("Income").cells().tolist() == [row[3] for row in ORIGINAL]
    for row, cells in zip(release.data.rows(), ORIGINAL, strict=True):
        assert all(now in (None, was) for now, was in zip(row, cells, strict=True))


def test_hamming_cost__withholds_as_much_as_the_slides_for_some_seed_and_never_far_more():
    withheld = [
        wh.anonymize(table(), MODEL, cost="ham", search="paper", seed=seed).loss.withheld
        for seed in range(60)
    ]
    assert 16 in withheld
    assert max(withheld) <= 24


def test_patterns__withhold_fewer_cells_than_the_slides():
    withheld = {
        wh.anonymize(table(), MODEL, cost="ham", seed=seed).loss.withheld for seed in range(5)
    }
    assert withheld == {13}
