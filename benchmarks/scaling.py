"""The suites of size: twice the records, a million records, and too little time for them."""

from __future__ import annotations

from benchmarks.bench import QUICK_RECORDS, Bench
from benchmarks.tables import Table

RHO = "0.7"
SHARES = (0.25, 0.5, 1.0)
GROWTH_TARGET = 2.4
MILLION = 1_000_000
MILLION_TARGET = 60.0
BUDGETS = (0.05, 0.2, 0.5)


def growth(bench: Bench) -> list[Table]:
    """The time for all records against that for half of them."""
    table = Table(
        f"Growth: the first records of a file, ρ = {RHO}",
        {"file": "", "records": ",", "loss": ".4f", "seconds": ".2f", "to half as many": ".2f"},
    )
    for name in ("retail", "bms-pos-partial"):
        before: float | None = None
        for share in SHARES:
            file = bench.file(name, share=share)
            run = bench.anonymize(file, RHO) if file else None
            if run is None:
                break
            # Only the last step has a target; the one before it shows whether the trend bends.
            most = GROWTH_TARGET if share == 1.0 else None
            ratio = None if before is None else bench.judged(run["seconds"] / before, most)
            table.add_run(run, {"file": name, "to half as many": ratio})
            before = run["seconds"]
    return [table]


def million(bench: Bench) -> list[Table]:
    """A million records without end of time, and then with a budget: pay as you go."""
    records = QUICK_RECORDS if bench.quick else MILLION
    table = Table(
        f"Quest T10I4, {records:,} records, 40% of the items sensitive, ρ = {RHO}",
        {
            "budget": "",
            "budget s": ".2f",
            "suppress s": ".2f",
            "loss": ".4f",
            "all s": ".1f",
            "peak MB": ".0f",
        },
        notes=[
            "The budget is a share of the suppressor's own seconds without one; all s: with",
            "reading, proving and writing.",
        ],
    )
    file = bench.quest(records)
    whole = bench.anonymize(file, RHO)
    if whole is None:
        return [table]
    for share in (None, *BUDGETS):
        budget = None if share is None else round(share * whole["suppress"], 3)
        run = whole if share is None else bench.anonymize(file, RHO, budget=budget)
        if run is None:
            continue
        most = MILLION_TARGET if share is None else None
        table.add_run(
            run,
            {
                "budget": "none" if share is None else f"{share:.0%}",
                "budget s": budget,
                "all s": bench.judged(run["seconds"], most),
                "peak MB": bench.judged(run["peak_mb"], file.most_memory),
            },
        )
    return [table]
