"""What each choice saves under ρ-uncertainty on real files: the numbers behind the advice of the guide."""

from __future__ import annotations

from typing import Any

from benchmarks.bench import NAMES, Bench
from benchmarks.papers import store
from benchmarks.tables import Table

RHO = "0.5"
CHOICES: dict[str, tuple[str, list[tuple[str, dict[str, Any]]]]] = {
    "ρ": ("What ρ costs", [(rho, {"rho": rho}) for rho in ("0.3", "0.4", "0.5", "0.7", "0.9")]),
    "max known": (
        f"What --max-known saves, ρ = {RHO}",
        [(str(known or "any"), {"rho": RHO, "max_known": known}) for known in (1, 2, 3, None)],
    ),
    "of the list": (
        f"What naming fewer sensitive items saves, ρ = {RHO}",
        [(f"{share:.1%}", {"rho": RHO, "share": share}) for share in (1.0, 0.5, 0.25, 0.125)],
    ),
}


def advice(bench: Bench) -> list[Table]:
    """What a larger ρ, a weaker attacker and fewer sensitive items save."""
    tables = {
        choice: Table(
            title,
            {"file": "", choice: "", "loss": ".4f", "of the sensitive": ".4f", "CPU s": ".1f"},
        )
        for choice, (title, _) in CHOICES.items()
    }
    for file in bench.files(*NAMES):
        for choice, (title, runs) in CHOICES.items():
            arguments = {"path": str(file.path), "sensitive": str(file.sensitive)}
            what = f"{title}: {file.name}"
            asked = [run for _, run in runs]
            found = bench.run(what, "releases", once=True, runs=asked, **arguments)
            for (shown, _), run in zip(runs, found["releases"] if found else [], strict=False):
                values = {"loss": run["loss"], "of the sensitive": run["sensitive_loss"]}
                row = {"file": file.name, choice: shown, **values, "CPU s": run["cpu"]}
                tables[choice].add(**row)
            store("advice", list(tables.values()), quick=bench.quick)
    return list(tables.values())
