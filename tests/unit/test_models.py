"""The model: exact thresholds, refusals, the promise."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

import withhold as wh
from withhold.errors import PolicyError
from withhold.exact import decimal_text


@pytest.mark.parametrize(
    ("given", "exact"),
    [
        ("0.7", Fraction(7, 10)),
        (0.1, Fraction(1, 10)),
        ("2/3", Fraction(2, 3)),
        (Decimal("0.25"), Fraction(1, 4)),
        (Fraction(1, 3), Fraction(1, 3)),
        ("1e-3", Fraction(1, 1000)),
    ],
)
def test_rho__is_the_number_that_was_written(given, exact):
    assert wh.RhoUncertainty(given, ["e"]).rho == exact


@pytest.mark.parametrize(
    "given", [0, 1, "1", -0.1, 1.5, "nan", "inf", "half", "", None, "1e99999999", "0." + "1" * 60]
)
def test_rho__refuses_what_is_no_threshold(given):
    with pytest.raises(PolicyError, match="rho"):
        wh.RhoUncertainty(given, ["e"])


def test_rho__refuses_what_would_not_fit_into_whole_numbers():
    with pytest.raises(PolicyError, match="too fine"):
        wh.RhoUncertainty("0.1234567891", ["e"])


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"sensitive": []}, "at least one"),
        ({"sensitive": "condom"}, "must be a collection"),
        ({"sensitive": ["e"], "max_known": -1}, "max_known"),
        ({"sensitive": ["e"], "max_known": 1.5}, "max_known"),
        ({"sensitive": ["e"], "max_known": 0, "ignore_prior": True}, "nothing to protect"),
    ],
)
def test_model__refuses_what_makes_no_sense(options, match):
    with pytest.raises(PolicyError, match=match):
        wh.RhoUncertainty("0.5", **options)


def test_model__is_rebuilt_from_its_parameters():
    model = wh.RhoUncertainty(
        Fraction(2**29 - 1, 2**29), ["b", "a"], max_known=2, ignore_prior=True
    )
    parameters = model.parameters()
    assert parameters.pop("model") == "rho"
    assert wh.RhoUncertainty(**parameters) == model


@pytest.mark.parametrize("value", [Fraction(1, 7), Fraction(7, 10), Fraction(1, 2**29)])
def test_decimal_text__loses_nothing(value):
    assert Fraction(decimal_text(value)) == value


def test_promise__says_who_knows_what():
    assert "any items" in wh.RhoUncertainty("0.5", ["e"]).promise()
    bounded = wh.RhoUncertainty("0.5", ["e"], max_known=1, ignore_prior=True).promise()
    assert "at most 1 item of" in bounded
    assert "nothing" not in bounded


def test_max_known__beyond_every_record_is_any_number():
    rows = [["a", "e"], ["a"], ["b", "e"]]
    model = wh.RhoUncertainty("0.5", ["e"], max_known=100_000)
    assert (
        wh.verify(rows, model).witness == wh.verify(rows, wh.RhoUncertainty("0.5", ["e"])).witness
    )
    assert wh.anonymize(rows, model).verdict.status is wh.Status.HOLDS


def test_limit__infinite_is_none_and_zero_is_undecided():
    rows = [["a", "e"], ["a"]]
    model = wh.RhoUncertainty("0.5", ["e"])
    assert wh.verify(rows, model, limit_seconds=float("inf")).status is wh.Status.HOLDS
    undecided = wh.verify(rows, model, limit_seconds=0)
    assert undecided.status is wh.Status.UNDECIDED
    assert not undecided


@pytest.mark.parametrize(
    "options",
    [
        {"seed": -1},
        {"jobs": 0},
        {"keep": "all"},
        {"pick": "short"},
        {"parts": 0},
        {"parts": 5},
        {"budget": 0},
        {"max_cost": 0},
        {"parts": 2, "max_cost": 3},
        {"polish": 0},
        {"polish": -1},
        {"polish": 10**9},
        {"polish_moves": -1},
        {"polish": 1, "polish_moves": 1},
        {"polish": 1, "keep": "distribution"},
        {"polish_moves": 1, "keep": "counts"},
    ],
)
def test_anonymize__refuses_options_that_make_no_sense(options):
    with pytest.raises(PolicyError):
        wh.anonymize([["a", "e"], ["a"]], wh.RhoUncertainty("0.4", ["e"]), **options)


def test_max_cost__splits_until_each_part_is_cheap():
    table, sensitive = wh.pharmacy(3000)
    model = wh.RhoUncertainty("0.5", sensitive)
    release = wh.anonymize(table, model, max_cost=100)
    assert release.options["parts"] > 1
    assert release.verdict.status is wh.Status.HOLDS
