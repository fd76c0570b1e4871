"""What polishing and withholding rare public items gain on the real files, and what they take."""

from __future__ import annotations

from typing import Any

from benchmarks.bench import Bench
from benchmarks.tables import Table

SECONDS = {"bms-webview-1": 60.0, "bms-webview-2": 120.0, "retail": 120.0}
"""How long each file is polished."""
RATIOS = {"bms-webview-1": 0.96, "bms-webview-2": 0.98, "retail": 1.0}
"""The polished loss as a share of the loss without, at most."""
SENSITIVE_RATIOS = {"bms-webview-2": 44_300 / 59_900}
"""Sensitive occurrences that ``rules`` keeps as a share of those of polished ``sensitive``, at most."""
RHO = "0.7"


def polish(bench: Bench) -> list[Table]:
    """Loss, sensitive occurrences kept and divergence, before and after polishing."""
    table = Table(
        f"Polishing, ρ = {RHO}",
        {
            "file": "",
            "keep": "",
            "polished": "",
            "loss": ".4f",
            "of the first": ".4f",
            "sensitive kept": ",",
            "first's share of it": ".3f",
            "symmetric KL": ".5f",
            "moves": ",",
            "seconds": ".1f",
            "CPU s": ".1f",
        },
        notes=["Moves are made by one thread; the first of each file is the release without any."],
    )
    for file in bench.files(*SECONDS):
        first = None
        for keep in ("rules", "sensitive"):
            for seconds in (None, SECONDS[file.name]):
                given: dict[str, Any] = {} if seconds is None else {"polish": seconds}
                run = bench.anonymize(file, RHO, once=True, keep=keep, seed=1, **given)
                if run is None:
                    continue
                first = first or run
                bar = RATIOS[file.name] if keep == "rules" and seconds else 1.0
                most = SENSITIVE_RATIOS.get(file.name) if keep == "sensitive" and seconds else None
                share = first["sensitive_kept"] / max(run["sensitive_kept"], 1)
                table.add_run(
                    run,
                    {
                        "file": file.name,
                        "keep": keep,
                        "polished": "no" if seconds is None else f"{seconds:.0f} s",
                        "of the first": bench.judged(run["loss"] / first["loss"], bar),
                        "sensitive kept": run["sensitive_kept"],
                        "first's share of it": bench.judged(share, most),
                    },
                )
    return [table]
