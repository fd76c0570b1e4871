"""Advice on what was asked for: only where it applies, at most two lines, with figures that the guide has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import withhold as wh
from withhold.measure.generalised import GeneralisedLoss
from withhold.measure.loss import Loss
from withhold.methods.cells import advice as of_tables
from withhold.methods.cells.loss import TableLoss
from withhold.methods.rho import advice as of_rules
from withhold.telling.advice import MOST_LINES

GUIDE = (Path(__file__).parents[2] / "docs/guide/deciding.md").read_text(encoding="utf-8")
SHOP = [["bread", "beer", "condom"], ["beer", "condom"], ["bread", "coffee"], ["coffee"]]


def loss(removed_sensitive: int, total_sensitive: int = 100, total: int = 1000) -> Loss:
    return Loss(removed_sensitive, total, removed_sensitive, total_sensitive, 0, 0, 0.0, 0.0)


def table_loss(withheld: int) -> TableLoss:
    return TableLoss(withheld, 0, 100, 0, 10, 0.0, 1, 10, ())


def rho(value: str = "0.5", **more: object) -> wh.RhoUncertainty:
    return wh.RhoUncertainty(value, {"condom"}, **more)


def table(k: int) -> wh.KAnonymity:
    return wh.KAnonymity(k, quasi_identifiers=["age"])


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (of_rules.advise_on_loss(rho(), loss(50)), []),
        (
            of_rules.advise_on_loss(rho(), loss(51)),
            ["51% of the sensitive occurrences are withheld"],
        ),
        (of_rules.advise_on_loss(rho(), loss(0)), []),
        (of_rules.advise_on_loss(rho("0.9"), loss(0)), []),
        (of_rules.advise_on_loss(rho("0.9"), loss(3)), ["ρ = 0.5 promises more"]),
        (of_rules.advise_on_loss(rho("0.9", max_known=1), loss(3)), ["ρ = 0.5", "a weak promise"]),
        (of_rules.advise_on_loss(rho(), loss(3, 400)), ["40% of the occurrences are sensitive"]),
        (of_rules.advise_on_loss(rho(max_known=3), loss(99)), ["99% of", "saves next to nothing"]),
        (of_tables.advise_on_loss(table(5), table_loss(50)), []),
        (of_tables.advise_on_loss(table(5), table_loss(51)), ["51% of the quasi-identifiers"]),
        (of_tables.advise_on_loss(table(2), table_loss(1)), ["k = 2 is a weak promise"]),
        (of_tables.advise_on_loss(table(50), table_loss(60)), ["60%", "k = 50 is expensive"]),
        (of_tables.advise_on_loss(table(50), table_loss(0)), []),
        (of_tables.advise(table(5)), []),
        (of_tables.advise(table(2)), ["k = 2 is a weak promise"]),
    ],
)
def test_advice__where_it_applies(found, words):
    assert len(found) == len(words)
    assert all(word in line for word, line in zip(words, found, strict=True))


def test_advice__is_not_more_than_is_read():
    found = of_rules.advise_on_loss(rho("0.9", max_known=4), loss(390, 400))
    assert len(found) == MOST_LINES
    assert "sensitive occurrences are withheld" in found[0]


def test_advice__to_use_groups_is_not_given_to_who_does():
    plain = loss(90)
    grouped = GeneralisedLoss(**vars(plain), ncp=0.1, bits=0.1, groups=3, merged=0)
    assert len(of_rules.advise_on_loss(rho(), plain)) == 1
    assert of_rules.advise_on_loss(rho(), grouped) == ()


@pytest.mark.parametrize(
    "lines",
    [
        of_rules.advise(rho("0.9", max_known=3), 100, 1),
        of_rules.advise(rho(), 100, 40),
        of_rules.advise_on_loss(rho(), loss(90)),
        of_tables.advise(table(2)),
        of_tables.advise(table(50)),
        of_tables.advise_on_loss(table(5), table_loss(90)),
    ],
)
def test_advice__has_figures_that_the_guide_has(lines):
    own = {"90%", "40%"}  # of the data
    figures = {figure for line in lines for figure in re.findall(r"[\d.]+%", line)} - own
    assert figures
    assert not [figure for figure in figures if figure not in GUIDE]


def test_release__has_its_advice():
    release = wh.anonymize(SHOP, rho("0.9"), seed=1)
    assert release.advice == of_rules.advise_on_loss(release.model, release.loss)
