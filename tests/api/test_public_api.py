"""The public names as people use them, typed; mypy checks this file as strictly as the package."""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

import polars as pl
import pytest

import withhold as wh
from withhold.auditing.result import Audit
from withhold.measure.loss import Loss
from withhold.methods.cells.audit import TableAudit
from withhold.methods.cells.loss import TableLoss
from withhold.release import Release

SHOP = [["bread", "beer", "condom"], ["beer", "condom"], ["bread", "coffee"], ["coffee"]]


def test_records__from_lists_to_a_file(tmp_path: Path) -> None:
    baskets = wh.read(SHOP)
    assert_type(baskets, wh.Records)
    model = wh.RhoUncertainty("0.5", {"condom"})
    audit = wh.audit(baskets, model, max_size=2, show=3)
    assert_type(audit, Audit)
    assert audit.verdict.status is wh.Status.BROKEN
    release = wh.anonymize(baskets, model, keep="rules", pick="longest", parts=1, seed=7)
    assert_type(release, Release[wh.Records, Loss])
    assert release.loss.removed == 1
    written = release.write(tmp_path / "published.dat", report=False)
    assert wh.verify(written.path, model).status is wh.Status.HOLDS
    assert wh.compare(baskets, release).releases


def test_options__are_those_of_the_model() -> None:
    model = wh.RhoUncertainty("0.5", {"condom"})
    with pytest.raises(wh.WithholdError, match="cost"):
        wh.anonymize(SHOP, model, cost="ham")  # type: ignore[call-overload]
    with pytest.raises(wh.WithholdError, match="keep"):
        wh.anonymize(SHOP, model, keep="everything")  # type: ignore[call-overload]


def test_tables__from_a_frame() -> None:
    people = pl.DataFrame({"age": [30, 30, 40, 40], "town": ["a", "a", "b", "c"]})
    model = wh.KAnonymity(2, ["age", "town"])
    assert_type(wh.audit(people, model), TableAudit)
    release = wh.anonymize(people, model, cost="ham", seed=1)
    assert_type(release, Release[wh.Table, TableLoss])
    assert release.data.to_polars().height == 4


def test_personal__constraints_are_given_beside_the_model() -> None:
    baskets = wh.read(SHOP)
    wanted = wh.Constraints.of({0: ["condom"]}, baskets)
    model = wh.PersonalRhoUncertainty("0.5")
    release = wh.anonymize(baskets, model, constraints=wanted, seed=1)
    assert wh.verify(release.data, model, evidence=release.evidence)
    assert wh.verify(release.data, model).status is wh.Status.UNDECIDED


def test_sweep__over_a_share() -> None:
    found = wh.sweep(
        SHOP, wh.RhoUncertainty("0.5", {"condom"}), vary={"rho": ["0.5", "0.7"]}, seed=1
    )
    assert len(found.points) == 2
