"""The suite of the lower bound: how far the releases of the real files are from what no release can beat."""

from __future__ import annotations

from benchmarks.bench import NAMES, Bench
from benchmarks.suppressing import THRESHOLDS
from benchmarks.tables import Table


def bounds(bench: Bench) -> list[Table]:
    """Loss and bounds of each file; the gap is what a better search could gain at most."""
    table = Table(
        "Lower bounds: what every safe release must withhold that only deletes",
        {
            "file": "",
            "ρ": "",
            "loss": ".4f",
            "sensitive only": ".4f",
            "any item": ".4f",
            "gap": ".4f",
            "seconds": ".2f",
        },
        notes=["gap: the loss less the bound of releases that delete sensitive items only."],
    )
    for file in bench.files(*NAMES):
        for rho in THRESHOLDS:
            run = bench.anonymize(file, rho, bound=True)
            if run is None:
                continue
            found = run["bound"]
            narrower = found["sensitive_only"] / found["total"]
            lost = {"sensitive only": narrower, "any item": found["occurrences"] / found["total"]}
            gap = {"gap": run["loss"] - narrower, "seconds": run["bound_seconds"]}
            table.add_run(run, {"file": file.name, "ρ": rho} | lost | gap)
    return [table]
