"""The suite of groups: what is withheld for how much detail under ρ-uncertainty, and their cost under km."""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from benchmarks.bench import Bench, data_folder
from benchmarks.tables import Table
from benchmarks.trade_off_measures import POLISHED

RHO = "0.5"
DRAWS = 5
"""The list that comes with a file, if there is one, and seeded draws of 40% of the items as sensitive."""
SLACK = 1.03
"""A target is met within 3%."""


class Target(NamedTuple):
    """The most that may be withheld of the sensitive items, as a share, where so much detail is given up."""

    ncp: float
    withheld: float


class Setting(NamedTuple):
    """A file with its tree, what is asked of its curve, and in how many seconds."""

    tree: str
    targets: tuple[Target, ...]
    seconds: float | None


SETTINGS = {
    "groceries": Setting(
        "groceries-hierarchy.csv",
        (Target(0.072, 0.33), Target(0.055, 0.37), Target(0.038, 0.44)),
        5,
    ),
    "bms-webview-2": Setting("fan-out:10", (Target(0.0045, 0.585), Target(0.05, 0.46)), 40),
    "retail": Setting("fan-out:10", (Target(0.007, 0.84), Target(0.054, 0.71)), 100),
    "pharmacy": Setting("co-occurrence", (Target(0.038, 0.22),), None),
}
COLUMNS = {
    "file": "",
    "tree": "",
    "NCP at most": ".4f",
    "withheld": ".3f",
    "polished": ".3f",
    "least draw": ".3f",
    "most draw": ".3f",
    "without": ".3f",
    "curve s": ".1f",
    "seconds": ".1f",
    "peak MB": ".0f",
}
NOTES = [
    f"Sensitive occurrences withheld at ρ = {RHO}, as a share: the mean over {DRAWS} draws of what is",
    "sensitive, of each the least among the proved cuts that give up no more detail. Draws differ widely:",
    "where the most frequent items are sensitive, more is withheld. Without: every item as itself.",
    f"Polished: the release of that cut with --polish {POLISHED:.0f}. Seconds: the curve and that release.",
]


KM_K = 5
APRIORI = {("groceries", 2): 0.076, ("groceries", 3): 0.137}
"""By file and m, at k = 5: the NCP of Apriori-based generalisation (Terrovitis, Mamoulis, Kalnis 2008), which
withholds nothing, as measured on the same file with the same tree."""
KM_FILES = (("groceries", 2), ("groceries", 3), ("bms-webview-2", 2), ("retail", 2))
KM_COLUMNS = {
    "file": "",
    "tree": "",
    "m": "",
    "withhold": "",
    "cost": ".4f",
    "Apriori": ".4f",
    "NCP": ".4f",
    "bits": ".3f",
    "groups": ",",
    "seconds": ".1f",
    "peak MB": ".0f",
}
KM_NOTES = [
    "Cost: the mean over the original's occurrences, 1 for one that is withheld, else its NCP.",
    "Apriori: the NCP of Apriori-based generalisation, with nothing withheld; no cost may be above it.",
]


def hierarchies(bench: Bench) -> list[Table]:
    """Groups under both models."""
    return [*_curves(bench), _km(bench)]


def _km(bench: Bench) -> Table:
    table = Table(f"k^m-anonymity with groups, k = {KM_K}", KM_COLUMNS, notes=KM_NOTES)
    for name, m in KM_FILES:
        path, tree = _path(bench, name), SETTINGS[name].tree
        if path is None:
            continue
        where = str(data_folder() / tree) if tree.endswith(".csv") else tree
        for withhold in (True, False):
            run = bench.run(
                f"groups of {name}, m = {m}{'' if withhold else ', nothing withheld'}",
                "group_items",
                once=True,
                path=path,
                hierarchy=where,
                k=KM_K,
                m=m,
                withhold=withhold,
            )
            if run is None:
                continue
            known = APRIORI.get((name, m))
            asked = {"file": name, "tree": tree, "m": str(m)}
            cost = {"cost": bench.judged(run["cost"], known), "Apriori": known, "NCP": run["ncp"]}
            table.add_run(run, asked | {"withhold": "yes" if withhold else "no"} | cost)
    return table


def _curves(bench: Bench) -> list[Table]:
    """The curve of every file for several draws of sensitive items."""
    table = Table("Generalise before you withhold", COLUMNS, notes=NOTES)
    for name, setting in SETTINGS.items():
        path, tree = _path(bench, name), setting.tree
        if path is None:
            continue
        if tree.endswith(".csv"):
            tree = str(data_folder() / tree)
        listed = data_folder() / f"{name}-sensitive.txt"
        runs = []
        for draw in range(1 if name == "pharmacy" else DRAWS):
            use_list = draw == 0 and listed.exists()
            run = bench.run(
                f"trade-off of {name}, draw {draw + 1}",
                "trade_off",
                once=True,
                path=path,
                hierarchy=tree,
                rho=RHO,
                sensitive=str(listed) if use_list else None,
                draw=draw + 1,
                limits=[target.ncp for target in setting.targets],
            )
            if run is not None:
                runs.append(run)
        if runs:
            _add(bench, table, name, setting, runs)
    return [table]


def _path(bench: Bench, name: str) -> str | None:
    """Where the file is; the pharmacy has none, for it is invented."""
    if name == "pharmacy":
        return ""
    if name == "groceries":
        packed: Path = data_folder() / "groceries.csv.gz"
        return str(packed) if bench.has(name, packed) else None
    file = bench.file(name)
    return None if file is None else str(file.path)


def _add(
    bench: Bench, table: Table, name: str, setting: Setting, runs: list[dict[str, Any]]
) -> None:
    for place, target in enumerate(setting.targets):
        withheld = [min(share for share, ncp in run["points"] if ncp <= target.ncp) for run in runs]
        polished = mean(run["polished"][place] for run in runs)
        seconds = max(run["seconds"] + run["polishing"][place] for run in runs)
        row = {
            "file": name,
            "tree": setting.tree,
            "NCP at most": target.ncp,
            "withheld": mean(withheld),
            "polished": bench.judged(polished, target.withheld * SLACK),
            "least draw": min(withheld),
            "most draw": max(withheld),
            "without": mean(run["points"][0][0] for run in runs),
            "curve s": max(run["seconds"] for run in runs),
            "seconds": bench.judged(seconds, setting.seconds),
            "peak MB": max(run["peak_mb"] for run in runs),
        }
        table.add(**row)
