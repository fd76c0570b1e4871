"""The suite of buckets: the paper's hash against the truthful method, and the paper's Figures 3 to 5."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.bench import Bench, data_folder
from benchmarks.tables import Table

KS = (2, 5, 10, 50)
WAYS = {"the paper's hash": "hash", "truthful": "none"}
SIZES = (1000, 2000, 4000, 6000, 8000)
FIGURES = Path(__file__).parent / "results"
COLUMNS = {
    "k": "",
    "method": "",
    "groups": ",",
    "information loss": ".4f",
    "invented items": ",",
    "of published": ".1%",
    "unchanged": ",",
    "withheld": ",",
    "seconds": ".2f",
    "peak MB": ".0f",
}
NOTES = [
    "Information loss is the paper's formula 8. It measures how general items became:",
    "invented items, which people never had, cost nothing in it.",
]


def buckets(bench: Bench) -> list[Table]:
    """Groceries with its own hierarchy for several k; retail with a fan-out hierarchy."""
    groceries, tree = (
        data_folder() / name for name in ("groceries.csv.gz", "groceries-hierarchy.csv")
    )
    tables = []
    if bench.has("groceries", groceries, tree):
        table = Table("Buckets: groceries with its hierarchy", COLUMNS, notes=NOTES)
        for k in KS:
            _both_ways(bench, table, groceries, str(tree), k)
        tables.append(table)
        tables.append(_by_size(bench, groceries, str(tree)))
        figures = {"path": str(groceries), "tree": str(tree), "folder": str(FIGURES)}
        bench.run("figures", "bucket_figures", once=True, **figures)
    for file in bench.files("retail"):
        table = Table("Buckets: retail with ten items under a node", COLUMNS, notes=NOTES)
        for k in (2, 10):
            _both_ways(bench, table, file.path, "fan-out:10", k)
        tables.append(table)
    return tables


def _both_ways(bench: Bench, table: Table, path: Path, hierarchy: str, k: int) -> None:
    for way, fill in WAYS.items():
        run = _generalise(bench, path, hierarchy, k, fill)
        if run is not None:
            table.add(
                k=str(k),
                method=way,
                **{name: run[name] for name in COLUMNS if name in run},
                **{"peak MB": run["peak_mb"]},
            )


def _by_size(bench: Bench, path: Path, hierarchy: str) -> Table:
    """The paper's Figure 5 as numbers: loss for tables of different sizes."""
    table = Table(
        "Buckets: the first records of groceries, k = 10 (Figure 5)",
        {"records": ",", **dict.fromkeys(WAYS, ".4f")},
        notes=["Information loss, which the paper also calls privacy gain."],
    )
    for records in SIZES:
        runs = {
            way: _generalise(bench, path, hierarchy, 10, fill, records=records)
            for way, fill in WAYS.items()
        }
        losses = {way: run["information loss"] for way, run in runs.items() if run is not None}
        table.add(records=records, **losses)
    return table


def _generalise(
    bench: Bench, path: Path, hierarchy: str, k: int, fill: str, **more: Any
) -> dict[str, Any] | None:
    way = "truthful" if fill == "none" else fill
    return bench.run(
        f"generalise {path.name} k={k} {way}",
        "generalise",
        path=str(path),
        hierarchy=hierarchy,
        k=k,
        fill=fill,
        **more,
    )
