"""Where the lower bound is shown, where it must not be, and how to do without it."""

from __future__ import annotations

import json

import pytest

import withhold as wh
from withhold.errors import PolicyError
from withhold.measure.lower_bound import LowerBound
from withhold.methods.rho.bound import lower_bound

SHOP = [["bread", "beer", "condom"], ["beer", "condom"], ["bread", "coffee"], ["coffee"]]
MODEL = wh.RhoUncertainty("0.5", {"condom"})


def test_release__has_a_bound_and_its_time_apart(tmp_path):
    assert wh.anonymize(SHOP, MODEL, seed=1).bound == LowerBound(None, 8, sensitive_only=1)
    release = wh.anonymize(SHOP, MODEL, seed=1, bound=True)
    assert release.bound == LowerBound(occurrences=1, total=8, sensitive_only=1)
    assert set(release.timings) == {"suppress", "verify", "bound"}
    release.write(tmp_path / "out.dat")
    internal = json.loads((tmp_path / "out.dat.internal.json").read_text("utf-8"))
    expected = {"occurrences": 1, "total": 8, "sensitive_only": 1, "share": 0.125}
    assert internal["bound"] == expected
    # It is a number about the original.
    assert "bound" not in (tmp_path / "out.dat.manifest.json").read_text("utf-8")


@pytest.mark.parametrize(("edition", "told"), [("internal", True), ("external", False)])
def test_report__says_it_to_the_custodian_only(edition, told):
    release = wh.anonymize(SHOP, MODEL, seed=1)
    assert (release.bound.sentence() in repr(release.report(edition=edition))) is told


def test_bound__is_left_out_if_not_wanted():
    release = wh.anonymize(SHOP, MODEL, seed=1, bound=False)
    assert release.bound is None
    assert "bound" not in release.timings


def test_bound__of_large_data_must_be_asked_for(monkeypatch):
    usual = wh.anonymize(SHOP, MODEL, seed=1, bound=True).bound
    monkeypatch.setattr(lower_bound, "MOST_OCCURRENCES", 7)
    assert wh.anonymize(SHOP, MODEL, seed=1).bound is None
    asked_for = wh.anonymize(SHOP, MODEL, seed=1, bound=True).bound
    assert usual.occurrences > 0
    assert asked_for == usual


def test_bound__is_the_same_for_parts():
    rows, sensitive = wh.pharmacy(300, seed=3)
    model = wh.RhoUncertainty("0.5", sensitive)
    whole, parts = (wh.anonymize(rows, model, seed=1, parts=parts, bound=True) for parts in (1, 3))
    assert whole.bound == parts.bound
    assert 0 < whole.bound.occurrences <= whole.loss.removed


def test_bound__of_the_wrong_type_or_model_is_refused():
    with pytest.raises(PolicyError, match="bound must be True or False"):
        wh.anonymize(SHOP, MODEL, bound="no")
    with pytest.raises(PolicyError, match="'bound'"):
        wh.anonymize(SHOP, wh.KmAnonymity(k=2, m=1), bound=True)


def test_sweep__has_the_bound_beside_the_loss():
    found = wh.sweep(SHOP, MODEL, vary={"rho": ["0.5"]}, seed=1)
    assert found.plotted[1] == "bound.share"
    assert found.points[0].fact("bound.share").value == 0.125


def test_bound__is_not_for_groups():
    with pytest.raises(PolicyError, match="only delete"):
        wh.anonymize(SHOP, MODEL, hierarchy="prefix", cut=0, bound=True)
    assert wh.anonymize(SHOP, MODEL, hierarchy="prefix", cut=0, seed=1).bound is None


@pytest.mark.parametrize("keep", ["rules", "distribution", "counts", "sensitive"])
@pytest.mark.parametrize("asked", [None, True])
def test_bound__is_about_what_the_search_may_delete(keep, asked):
    release = wh.anonymize(SHOP, MODEL, seed=1, keep=keep, bound=asked)
    only_sensitive = keep == "rules"
    assert (release.bound.sensitive_only is not None) is only_sensitive
    assert (release.bound.occurrences is not None) is (asked is True or not only_sensitive)
    assert ("sensitive items only" in release.bound.sentence()) is only_sensitive
    gone = {release.original.items[place] for place in release.plan.removed}
    sensitive = set(release.original.codes(MODEL.sensitive).tolist())
    assert not only_sensitive or gone <= sensitive
