"""The benchmarks' own parts, on tiny inputs: no test asserts a timing."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest
from benchmarks import fresh
from benchmarks.__main__ import SUITES
from benchmarks.apart_attack import attack
from benchmarks.bench import Bench, File
from benchmarks.measures import MEASURES
from benchmarks.paper_measures import releases
from benchmarks.patterns import first_items
from benchmarks.suppressing import TARGETS, YARDSTICK_COLUMNS, closed_itemsets
from benchmarks.tables import Judged, Table

import withhold as wh

RECORDS = [{1, 2, 3}, {1, 2, 3}, {1, 2}, {1, 2, 4}, {3, 4}, {5}]


@pytest.fixture
def tiny(tmp_path: Path) -> File:
    path = tmp_path / "tiny.dat"
    path.write_text("".join(" ".join(map(str, sorted(row))) + "\n" for row in RECORDS))
    return File("tiny", path, tmp_path / "none.txt")


def closed_of(records: list[set[int]], support: int) -> set[frozenset[int]]:
    """Intersections of so many records are exactly the closed itemsets of that support or more."""
    found = set()
    for count in range(support, len(records) + 1):
        for chosen in combinations(records, count):
            found.add(frozenset(set.intersection(*chosen)))
    return found - {frozenset()}


@pytest.mark.parametrize("miner", ["eclat", "fpgrowth"])
def test_yardstick__lists_the_closed_itemsets(tiny: File, miner: str):
    result = fresh.measure("closed_itemsets", path=str(tiny.path), miner=miner)
    assert result["closed"] == len(closed_of(RECORDS, 2)) == 4
    assert result["peak_mb"] > 1


def test_yardstick__is_the_faster_miner(tiny: File, tmp_path: Path):
    table = Table("Yardsticks", YARDSTICK_COLUMNS)
    yardstick = closed_itemsets(Bench(tmp_path), tiny, table)
    faster = min(table.rows, key=lambda row: row["seconds"])
    assert yardstick == (f"pyfim {faster['pyfim']}", faster["seconds"])


def test_measure__failure_is_told_and_the_run_goes_on(tmp_path: Path, capsys):
    bench = Bench(tmp_path)
    missing = {"path": str(tmp_path / "missing"), "miner": "eclat"}
    assert bench.run("mining nothing", "closed_itemsets", **missing) is None
    assert "FileNotFoundError" in bench.failures[0]
    assert "failed: mining nothing" in capsys.readouterr().err


def test_table__text_is_aligned_and_shows_targets():
    table = Table("Losses", {"file": "", "seconds": ".1f", "loss": ".2f"}, notes=["Quiet."])
    table.add(file="long-name", seconds=12.0, loss=Judged(0.1, 0.2))
    table.add(file="b", loss=Judged(0.3, 0.2))
    assert table.text().splitlines() == [
        "Losses",
        "",
        "file       seconds  loss",
        "─────────  ───────  ─────────────",
        "long-name     12.0  0.10 ✓ ≤ 0.20",
        "b                –  0.30 ✗ ≤ 0.20",
        "Quiet.",
    ]
    assert list(table.missed()) == ["b: loss 0.30 ✗ ≤ 0.20"]


def test_table__plain_values_survive_json():
    table = Table("Losses", {"file": "", "loss": ".2f"})
    table.add(file="a", loss=Judged(0.3, 0.2))
    rows = json.loads(json.dumps(table.plain()))["rows"]
    assert rows == [{"file": "a", "loss": {"value": 0.3, "at_most": 0.2, "met": False}}]


def test_table__refuses_unknown_columns():
    with pytest.raises(KeyError, match="speed"):
        Table("Losses", {"file": ""}).add(speed=1)


def test_quick_runs__are_not_judged(tmp_path: Path):
    assert Bench(tmp_path, quick=True).judged(2.0, 1.0).met is None
    assert Bench(tmp_path).judged(2.0, 1.0).met is False


def test_absent_files__are_skipped_with_a_word(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.setenv("WITHHOLD_DATA", str(tmp_path / "nowhere"))
    assert list(Bench(tmp_path).files(*TARGETS)) == []
    assert "WITHHOLD_DATA" in capsys.readouterr().err
    assert "suppress" in SUITES


def test_mining__agrees_with_pyfim(tiny: File):
    result = fresh.measure("mining", path=str(tiny.path), min_support="2", repeats=1)
    assert (result["closed"], result["least"]) == (4, 2)


def test_first_items__are_those_of_the_line(tmp_path: Path):
    path = tmp_path / "long.dat"
    path.write_text("7 1 3 9 2 8\n5\n")
    cut = first_items(Bench(tmp_path), File("long", path, path))
    assert cut.path.read_text() == "7 1 3 9 2\n5\n"


def test_suppress_items__is_measured(tiny: File, tmp_path: Path):
    (tmp_path / "private.txt").write_text("4\n")
    found = MEASURES["suppress_items"](
        path=str(tiny.path),
        private=str(tmp_path / "private.txt"),
        output=str(tmp_path / "published.dat"),
        model={"h": "0.5", "k": 2, "p": 2},
    )
    # Only 5 is in fewer than two records, and {1, 2}, {1, 3}, … are in two or more.
    assert found["gone"] == 1
    assert (tmp_path / "published.dat").exists()


@pytest.mark.parametrize(
    "method", [{"keep": "rules"}, {"keep": "counts"}, {"globally": True}], ids=str
)
def test_releases__say_what_is_lost(tiny: File, tmp_path: Path, method: dict):
    (tmp_path / "secret.txt").write_text("4\n")
    run = {"rho": "0.4", "min_support": "2", **method}
    (found,) = releases(str(tiny.path), str(tmp_path / "secret.txt"), [run])["releases"]
    # 4 is in 2 of 6 records, in 1 of 4 with 1 or 2 or both, and in 1 of 3 with 3: nothing need go.
    assert (found["loss"], found["sensitive_loss"], found["symmetric_kl"]) == (0, 0, 0)
    assert found["jaccard"] == 1.0
    run["rho"] = "0.3"
    (found,) = releases(str(tiny.path), str(tmp_path / "secret.txt"), [run])["releases"]
    assert 1 <= round(found["loss"] * 14) <= 2
    assert 0 < found["sensitive_loss"] <= 1


def test_attack__learns_across_groups_what_no_list_tells():
    # bread goes with x wherever x is: whoever has learnt that from other groups names the right record.
    items = [["bread", "x"], ["tea"], ["bread", "x"], ["cake"], ["bread", "x"], ["rice"]]
    cells = wh.Table.from_columns({"sex": ["f"] * 6})
    original = wh.People(cells, wh.Records.from_lists(items))
    rows = [[i for i in row if i != "x"] for row in items]
    told = [[*row, f"group={n // 2 + 1}", "x=1/2"] for n, row in enumerate(rows)]
    published = wh.People(cells, wh.Records.from_lists(told))
    model = wh.PeopleApart("0.5", ["x"], quasi_identifiers=["sex"])
    found = attack(original, published, model)
    assert (found["right"], found["chance"]) == (1.0, 0.5)
    # Records that are all alike tell nothing more.
    alike = [["bread", f"group={n // 2 + 1}", "x=1/2"] for n in range(6)]
    found = attack(original, wh.People(cells, wh.Records.from_lists(alike)), model)
    assert (found["sure"], found["chance"]) == (0.0, 0.5)
