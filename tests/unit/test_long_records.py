"""One record of very many items among ordinary ones: no check and no audit may be quadratic in its length.

Processor time is measured, not the clock, after the kernels were compiled on a small table.
"""

from __future__ import annotations

import time

import pytest

import asking
import withhold as wh
from tables import needs_speed
from withhold.method import Model

LENGTH = 200_000
"""Squared, this is minutes."""
SECRET = {"i1", "i2"}
pytestmark = needs_speed


def table_of(length: int) -> wh.Records:
    rows = [[f"i{n % 31}", f"i{n % 7}", f"i{n % 11}"] for n in range(500)]
    rows[100] = [*(f"z{n}" for n in range(length)), *(f"i{n}" for n in range(20))]
    return wh.Records.from_lists(rows)


def models(table: wh.Records) -> dict[str, Model]:
    wishes = {row: ["i1", "i2"] if row % 2 else ["i3"] for row in range(len(table))}
    return {
        "rho": wh.RhoUncertainty("0.5", SECRET),
        "rho-limited": wh.RhoUncertainty("0.5", SECRET, max_known=2),
        "personal-rho": asking.personal("0.5", wh.Constraints.of(wishes, table)),
        "coherence": wh.Coherence("0.5", 2, 2, SECRET),
        "coherence-any": wh.Coherence("0.5", 2, None, SECRET),
        "coherence-common": wh.Coherence("0.5", 2, 3, SECRET),
        "km": wh.KmAnonymity(2, 2),
        "buckets": wh.Buckets(2),
    }


@pytest.fixture(scope="module")
def tables() -> tuple[wh.Records, wh.Records]:
    return table_of(30), table_of(LENGTH)


@pytest.mark.parametrize("what", ["verify", "audit"])
@pytest.mark.parametrize("name", list(models(table_of(1))))
def test_very_long_record(name, what, tables):
    small, large = tables
    getattr(asking, what)(small, models(small)[name])
    began = time.process_time()
    found = getattr(asking, what)(large, models(large)[name])
    assert time.process_time() - began < 20
    verdict = found if what == "verify" else found.verdict
    assert verdict.status is wh.Status.BROKEN


@pytest.mark.parametrize("copies", [1, 2])
@pytest.mark.parametrize("known", [None, 2])
def test_very_long_record__in_a_file_that_holds(copies, known):
    rows = [["a", "b"], ["a", "b"], ["a", "c"], ["b"], ["c"], ["c"]] * 50
    rows += [["a", "s"], ["b", "s"], ["c", "s"], ["a"], ["b"], ["c"]] * 10
    long = ["a", "b", *(f"z{n}" for n in range(LENGTH))]
    large = wh.Records.from_lists([long] * copies + rows)
    small = wh.Records.from_lists([long[:9]] * copies + rows)
    wishes = {row: ["s"] if row % 2 else ["c"] for row in range(len(large))}

    def asked(table: wh.Records) -> list[Model]:
        constraints = wh.Constraints.of(wishes, table)
        return [
            wh.RhoUncertainty("0.6", {"s"}, max_known=known),
            asking.personal("0.6", constraints, originals=table, max_known=known),
            *([wh.Coherence("0.6", copies, known, {"s"})] if copies > 1 else []),
        ]

    for model in asked(small):
        assert asking.verify(small, model)
    began = time.process_time()
    for model in asked(large):
        assert asking.verify(large, model)
    assert time.process_time() - began < 20
