"""Known figures of the real data sets: what is read, what is found, what a release loses at most."""

from __future__ import annotations

import pytest

import withhold as wh

FILES = {
    # records, items, longest record, breaches with 1 and 2 known items at ρ = 0.7
    "bms-webview-1": (59_602, 497, 267, 95, 1_314_168),
    "bms-webview-2": (77_512, 3_340, 161, 514, 6_546_739),
    "retail": (88_162, 16_470, 76, 14_063, 24_775_511),
}
LOSS = {
    ("bms-webview-1", "0.7"): 0.1355,
    ("bms-webview-1", "0.3"): 0.1601,
    ("bms-webview-2", "0.7"): 0.2610,
    ("bms-webview-2", "0.3"): 0.2776,
    ("retail", "0.7"): 0.3511,
    ("retail", "0.3"): 0.3553,
}


def sensitive_items(real_data, name):
    return (real_data / f"{name}-sensitive.txt").read_text().split()


@pytest.mark.data
@pytest.mark.parametrize("name", FILES)
def test_real_file__is_read_and_audited(real_data, name):
    records, items, longest, one, two = FILES[name]
    table = wh.read(real_data / f"{name}.dat.gz")
    assert (len(table), table.n_items, table.lengths.max()) == (records, items, longest)
    model = wh.RhoUncertainty("0.7", sensitive_items(real_data, name))
    audit = wh.audit(table, model, max_size=2, samples=50)
    assert audit.verdict.status is wh.Status.BROKEN
    assert len(audit.verdict.witness.antecedent) == 1
    assert audit.by_size == {0: 0, 1: one, 2: two}


@pytest.mark.data
@pytest.mark.parametrize(("name", "rho"), LOSS)
def test_real_file__release_holds_and_loses_no_more_than_ever(real_data, name, rho):
    table = wh.read(real_data / f"{name}.dat.gz")
    model = wh.RhoUncertainty(rho, sensitive_items(real_data, name))
    # Losses differ between seeds by up to 0.0008.
    release = wh.anonymize(table, model, seed=0)
    assert release.verdict.status is wh.Status.HOLDS
    assert release.loss.occurrences <= LOSS[name, rho]
    assert release.loss.removed == release.loss.removed_sensitive


@pytest.mark.data
def test_real_file__distribution_is_kept(real_data):
    table = wh.read(real_data / "bms-webview-2.dat.gz")
    model = wh.RhoUncertainty("0.7", sensitive_items(real_data, "bms-webview-2"))
    rules = wh.anonymize(table, model).loss
    distribution = wh.anonymize(table, model, keep="distribution").loss
    assert distribution.occurrences <= 0.50
    assert distribution.symmetric_kl <= rules.symmetric_kl / 30


@pytest.mark.data
def test_real_file__item_names_with_blanks(real_data):
    table = wh.read(real_data / "groceries.csv.gz")
    assert (len(table), table.n_items, table.n_occurrences) == (9_835, 169, 43_367)
    assert "whole milk" in table.vocabulary


@pytest.mark.data
@pytest.mark.parametrize(
    ("k", "fill", "loss", "added", "withheld"),
    [
        (2, "hash", 0.0884, 119_187, 0),
        (2, "none", 0.0543, 0, 592),
        (10, "hash", 0.1155, 154_178, 0),
        (10, "none", 0.1125, 0, 1_998),
    ],
)
def test_buckets__lose_what_they_lost_before(real_data, k, fill, loss, added, withheld):
    release = wh.anonymize(
        real_data / "groceries.csv.gz",
        wh.Buckets(k),
        hierarchy=real_data / "groceries-hierarchy.csv",
        fill=fill,
    )
    assert release.verdict.status is wh.Status.HOLDS
    assert round(release.loss.information_loss, 4) == loss
    assert (release.loss.added, release.loss.withheld) == (added, withheld)
