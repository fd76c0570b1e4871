"""The suites of the suppressor on the real files: loss, time, memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchmarks.bench import NAMES, Bench, File
from benchmarks.measures import CLOSED_MINERS
from benchmarks.tables import Table

THRESHOLDS = ("0.7", "0.3")
DISTRIBUTION_LOSS, DISTRIBUTION_RATIO = 0.50, 1 / 30
NEIGHBOUR = "bms-webview-2"
"""Whose own time is the yardstick where pyfim has none."""


@dataclass(frozen=True)
class Target:
    """What a release may lose at each threshold, and its time as a ratio to the yardstick's."""

    losses: tuple[float, float]
    ratio: float


TARGETS = {
    "bms-webview-1": Target((0.1355, 0.1601), 0.05),
    "bms-webview-2": Target((0.2610, 0.2776), 0.05),
    "retail": Target((0.3511, 0.3553), 0.02),
    "bms-pos-partial": Target((0.2474, 0.2600), 8.0),
}
"""``bms-pos-partial`` is compared with our own time for ``NEIGHBOUR``: it is too big for pyfim."""

YARDSTICK = "pyfim listing the closed itemsets (support ≥ 2) of the raw files, reading not counted"
YARDSTICK_COLUMNS = {
    "file": "",
    "pyfim": "",
    "closed sets": ",",
    "seconds": ".2f",
    "CPU s": ".2f",
}
STEPS = ("read", "suppress", "verify", "write")


def suppress(bench: Bench) -> list[Table]:
    """The main table: from reading the file to the proved release on disk."""
    yardsticks = Table(YARDSTICK, YARDSTICK_COLUMNS)
    table = Table(
        "Suppression: from reading the file to the proved release on disk, kernels warm",
        {
            "file": "",
            "ρ": "",
            "loss": ".4f",
            "seconds": ".2f",
            "CPU s": ".2f",
            "yardstick": "",
            "its s": ".2f",
            "ratio": ".3f",
            "peak MB": ".0f",
            **dict.fromkeys(STEPS, ".2f"),
        },
        notes=[
            "Yardstick: the faster of pyfim's miners above; for bms-pos-partial our own time for",
            f"{NEIGHBOUR}. On the right each step's seconds; verify is of the bytes read back.",
        ],
    )
    neighbours: dict[str, float] = {}
    for file in bench.files(*NAMES):
        target = TARGETS[file.name]
        yardstick = (
            None if file.name == "bms-pos-partial" else closed_itemsets(bench, file, yardsticks)
        )
        for rho, most in zip(THRESHOLDS, target.losses, strict=True):
            run = bench.anonymize(file, rho)
            if run is None:
                continue
            if file.name == NEIGHBOUR:
                neighbours[rho] = run["seconds"]
            against = yardstick or (NEIGHBOUR, neighbours.get(rho))
            if file.name != "bms-pos-partial" and yardstick is None:
                against = ("–", None)
            ratio = None if against[1] is None else run["seconds"] / against[1]
            table.add(
                **{
                    "file": file.name,
                    "ρ": rho,
                    "loss": bench.judged(run["loss"], most),
                    "seconds": run["seconds"],
                    "CPU s": run["cpu"],
                    "yardstick": against[0],
                    "its s": against[1],
                    "ratio": None if ratio is None else bench.judged(ratio, target.ratio),
                    "peak MB": bench.judged(run["peak_mb"], file.most_memory),
                    **{step: run[step] for step in STEPS},
                }
            )
    return [yardsticks, table]


def closed_itemsets(bench: Bench, file: File, table: Table) -> tuple[str, float] | None:
    """The faster of pyfim's two good miners of closed sets, and its seconds; both in the table."""
    seconds = {}
    for miner in CLOSED_MINERS:
        what = f"pyfim {miner} {file.name}"
        arguments = {"path": str(file.path), "miner": miner}
        result = bench.run(what, "closed_itemsets", once=True, **arguments)
        if result:
            seconds[miner] = result["seconds"]
            table.add(
                **{
                    "file": file.name,
                    "pyfim": miner,
                    "closed sets": result["closed"],
                    "seconds": result["seconds"],
                    "CPU s": result["cpu"],
                }
            )
    if not seconds:
        return None
    fastest = min(seconds, key=seconds.__getitem__)
    return f"pyfim {fastest}", seconds[fastest]


OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    *({"parts": parts} for parts in (1, 2, 4, 8, 32)),
    {"restoring": False},
    *({"pick": pick} for pick in ("longest", "random")),
    *({"jobs": jobs} for jobs in (1, 2)),
    *({"max_known": known} for known in (1, 2, 3)),
)
"""Each against the default, which is the first."""


def options(bench: Bench) -> list[Table]:
    """What each option costs or saves."""
    tables = []
    for file in bench.files("bms-webview-2", "retail"):
        table = Table(
            f"Options: {file.name}, ρ = 0.7",
            {"option": "", "loss": ".4f", "seconds": ".2f", **dict.fromkeys(STEPS, ".2f")},
        )
        for choice in OPTIONS:
            if (run := bench.anonymize(file, "0.7", **choice)) is None:
                continue
            shown = " ".join(f"{name}={value}" for name, value in choice.items())
            table.add(
                option=shown or "as it is",
                **{name: run[name] for name in ("loss", "seconds", *STEPS)},
            )
        tables.append(table)
    return tables


def distribution(bench: Bench) -> list[Table]:
    """Whether frequencies stay alike when that is what is asked for."""
    table = Table(
        "What is kept: bms-webview-2, ρ = 0.7",
        {"keep": "", "loss": ".4f", "symmetric KL": ".6f", "ratio": ".4f", "seconds": ".2f"},
        notes=["Ratio: of the symmetric KL divergence to that of keep=rules."],
    )
    for file in bench.files("bms-webview-2"):
        rules = bench.anonymize(file, "0.7", keep="rules")
        if rules:
            table.add(
                keep="rules",
                loss=rules["loss"],
                **{"symmetric KL": rules["symmetric_kl"], "seconds": rules["seconds"]},
            )
        alike = bench.anonymize(file, "0.7", keep="distribution")
        if alike and rules:
            ratio = alike["symmetric_kl"] / rules["symmetric_kl"]
            table.add(
                keep="distribution",
                loss=bench.judged(alike["loss"], DISTRIBUTION_LOSS),
                ratio=bench.judged(ratio, DISTRIBUTION_RATIO),
                **{"symmetric KL": alike["symmetric_kl"], "seconds": alike["seconds"]},
            )
    return [table]
