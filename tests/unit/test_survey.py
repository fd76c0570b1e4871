"""The invented table and the demo's small files: reproducible, and fit for the guide's commands."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

import withhold as wh
from typed import run
from withhold.data.demo_files import demo_files
from withhold.data.pharmacy import pharmacy
from withhold.data.survey import AREAS, EDUCATION, INCOME, survey, zip_hierarchy
from withhold.errors import PolicyError


def test_survey__same_seed_same_cells_on_every_platform():
    assert survey(seed=3) == survey(seed=3) != survey(seed=4)
    text = "\n".join(",".join(row) for row in survey().rows())
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "ecf9dba48cf7399f"


def test_survey__looks_like_one():
    table = survey()
    assert len(table) == 600
    ages = [int(age) for age in table.column("age").cells()]
    assert (min(ages), max(ages)) == (18, 90)
    assert set(table.column("zip").values) <= set(AREAS)
    assert set(table.column("education").values) == set(EDUCATION)
    assert set(table.column("income").values) == set(INCOME)
    assert len(survey(0)) == 0
    with pytest.raises(PolicyError, match="-1 people"):
        survey(-1)


def test_hierarchies__have_every_value(tmp_path):
    baskets, _ = pharmacy(200)
    for name, values in (("zip", survey().column("zip").values), ("item", baskets.vocabulary)):
        path = tmp_path / f"{name}.csv"
        path.write_text(demo_files(200)[f"{name}-hierarchy.csv"])
        wh.read_hierarchy(path).check_covers(values)
    assert demo_files(200)["zip-hierarchy.csv"] == zip_hierarchy()


def test_constraints__name_no_record_that_a_small_demo_lacks(tmp_path):
    for n in (2, 20, 2000):
        baskets, _ = pharmacy(n)
        path = tmp_path / "constraints.csv"
        path.write_text(demo_files(n)["constraints.csv"])
        from withhold.formats.constraints import read_constraints

        assert read_constraints(path, baskets).n_pairs > 0


def test_demo__leaves_every_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("demo", "--baskets", "60")
    assert done.exit_code == 0, done.output
    for name in ("baskets.dat", "table.csv", *demo_files(60)):
        assert (Path("withhold-demo") / name).stat().st_size
    assert wh.read_table("withhold-demo/table.csv") == survey()
    listed = set(Path("withhold-demo/sensitive.txt").read_text().split())
    assert listed <= set(wh.read("withhold-demo/baskets.dat").occurring)
    elsewhere = Path("here")
    elsewhere.mkdir()
    (elsewhere / "table.csv").write_text("mine\n")
    refused = run("demo", "--baskets", "60", "--folder", "here")
    assert refused.exit_code == 2
    assert (elsewhere / "table.csv").read_text() == "mine\n"
