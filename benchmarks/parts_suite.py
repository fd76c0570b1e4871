"""The suite of releases by parts: how memory and time grow, what two workers gain, what parts lose."""

from __future__ import annotations

import os
from math import log
from typing import Any

from benchmarks.bench import NAMES, QUICK_RECORDS, Bench, File, data_folder
from benchmarks.fresh import MeasurementError
from benchmarks.tables import Table

RHO = "0.7"
MILLIONS = (1, 5, 20)
"""WITHHOLD_MILLIONS=1,5 asks for fewer."""
MOST_MEMORY_GROWTH, MOST_EXPONENT, LEAST_GAIN = 1.15, 1.07, 1.6
WORKED_MILLIONS = 5
"""Records on which two workers are compared with one."""
COUNTED: dict[str, dict[str, Any]] = {
    "km": {"k": 5, "m": 2},
    "coherence": {"h": "0.5", "k": 5, "p": 2},
}
TIMES = 4
"""So often is a real file repeated, with noise."""
TABLE_MILLIONS = (1, 2, 4, 10)
MOST_GROWTH = 1.1
"""Times as much as the rows grow."""
PART_RECORDS = (25_000, 50_000, 100_000)
"""On the real files, which are small."""


def scale(bench: Bench) -> list[Table]:
    """Releases by parts: of 1, 5 and 20 million records; by one and two workers; against the whole.

    ``WITHHOLD_SCALE=workers`` measures one table alone.
    """
    tables = {
        "growth": _growth,
        "workers": _workers,
        "multiplied": _multiplied,
        "whole": _against_the_whole,
        "counts": _by_counts,
        "tables": _tables,
    }
    asked = os.environ.get("WITHHOLD_SCALE")
    names = asked.split(",") if asked else [*tables]
    if unknown := [name for name in names if name not in tables]:
        raise MeasurementError(
            f"WITHHOLD_SCALE names {unknown[0]!r}; there are {', '.join(tables)}"
        )
    return [tables[name](bench) for name in names]


def _growth(bench: Bench) -> Table:
    table = Table(
        f"By parts: Quest T10I4, 40 % of the items sensitive, ρ = {RHO}, engine stream",
        {
            "records": ",",
            "parts": "",
            "seconds": ".0f",
            "CPU s": ".0f",
            "exponent": ".2f",
            "peak MB": ".0f",
            "to the first": ".2f",
            "loss": ".4f",
        },
        notes=["exponent: of the processor time, fitted between this row and the first."],
    )
    first: dict[str, Any] | None = None
    a_file = QUICK_RECORDS if bench.quick else 1_000_000
    asked = os.environ.get("WITHHOLD_MILLIONS")
    for millions in map(int, asked.split(",")) if asked else MILLIONS:
        records = millions * a_file
        run = _run(bench, bench.quest_folder(millions, a_file))
        if run is None:
            break
        first = first or run
        grown = log(run["cpu"] / first["cpu"]) / log(millions) if millions > 1 else None
        table.add(
            **{
                "records": records,
                "parts": run["parts"],
                "seconds": run["seconds"],
                "CPU s": run["cpu"],
                "exponent": None if grown is None else bench.judged(grown, MOST_EXPONENT),
                "peak MB": run["largest_mb"],
                "to the first": bench.judged(
                    run["largest_mb"] / first["largest_mb"], MOST_MEMORY_GROWTH
                ),
                "loss": run["loss"],
            }
        )
    return table


def _workers(bench: Bench) -> Table:
    table = Table(
        "By parts: two workers against one, Quest T10I4, parts of 100,000",
        {
            "records": ",",
            "engine": "",
            "workers": "",
            "threads": "",
            "seconds": ".1f",
            "CPU s": ".1f",
            "to one": ".2f",
            "to one thread": ".2f",
            "driver MB": ".0f",
            "worker MB": ".0f",
        },
        notes=[
            "to one: seconds as a share of those of one worker; the target is for an idle machine.",
            "to one thread: the same of one worker with one thread, as each of the two has.",
            "A worker takes about a second of processor time to start, whatever the number of records.",
            "One worker of stream is the driver itself, with a thread for each core unless said otherwise.",
            "worker MB: the largest worker.",
        ],
    )
    a_file = QUICK_RECORDS if bench.quick else 1_000_000
    file = bench.quest_folder(WORKED_MILLIONS, a_file)
    for engine, cores in (("stream", os.cpu_count() or 1), ("dask", 1)):
        one: dict[int, float] = {}
        for workers, threads in ((1, 1), *([(1, cores)] if cores > 1 else []), (2, 1)):
            run = _run(
                bench, file, engine=engine, workers=workers, part_records=100_000, jobs=threads
            )
            if run is None:
                continue
            if workers == 1:
                one[threads] = run["seconds"]
            table.add(
                **{
                    "records": WORKED_MILLIONS * a_file,
                    "engine": engine,
                    "workers": workers,
                    "threads": threads,
                    "seconds": run["seconds"],
                    "CPU s": run["cpu"],
                    "to one": bench.judged(run["seconds"] / one[cores], 1 / LEAST_GAIN)
                    if workers > 1 and cores in one
                    else None,
                    "to one thread": run["seconds"] / one[1] if 1 in one else None,
                    "driver MB": run["driver_mb"],
                    "worker MB": run["worker_mb"],
                }
            )
    return table


def _multiplied(bench: Bench) -> Table:
    table = Table(
        f"By parts: real files {TIMES} times over, one item in twenty another, ρ = {RHO}",
        {
            "file": "",
            "records": ",",
            "parts": "",
            "seconds": ".1f",
            "CPU s": ".1f",
            "peak MB": ".0f",
            "loss": ".4f",
            "whole CPU s": ".1f",
            "whole MB": ".0f",
            "whole": ".4f",
        },
    )
    for real in bench.files(*NAMES):
        file = bench.multiplied(real, TIMES)
        run, whole = _run(bench, file), bench.anonymize(file, RHO, once=True, bound=False)
        if run is None or whole is None:
            continue
        table.add(
            **{
                "file": file.name,
                "records": file.records,
                "parts": run["parts"],
                "seconds": run["seconds"],
                "CPU s": run["cpu"],
                "peak MB": run["largest_mb"],
                "loss": run["loss"],
                "whole CPU s": whole["cpu"],
                "whole MB": whole["peak_mb"],
                "whole": whole["loss"],
            }
        )
        file.path.unlink()
    return table


def _against_the_whole(bench: Bench) -> Table:
    table = Table(
        f"By parts: what is lost against the whole, ρ = {RHO}",
        {"file": "", "whole": ".4f", **{f"{size:,} a part": ".4f" for size in PART_RECORDS}},
    )
    for file in bench.files(*NAMES):
        whole = bench.anonymize(file, RHO, bound=False)
        row: dict[str, Any] = {"file": file.name, "whole": None if whole is None else whole["loss"]}
        for size in PART_RECORDS:
            run = _run(bench, file, part_records=size)
            row[f"{size:,} a part"] = None if run is None else run["loss"]
        table.add(**row)
    return table


def _by_counts(bench: Bench) -> Table:
    table = Table(
        "By counts: one choice for all parts, against all records at once (CPU s of search and proof)",
        {
            "file": "",
            "model": "",
            "whole": ".4f",
            "CPU s": ".1f",
            "parts": ".4f",
            "CPU s by parts": ".1f",
            "peak MB": ".0f",
        },
    )
    million = bench.quest(QUICK_RECORDS if bench.quick else 1_000_000)
    for file in (*bench.files(*NAMES), million):
        for name, parameters in COUNTED.items():
            asked = {"model": name, "parameters": parameters}
            whole = bench.run(
                f"in memory {file.name} {name}",
                "in_memory",
                once=True,
                path=str(file.path),
                sensitive=str(file.sensitive),
                **asked,
            )
            run = _run(bench, file, **asked)
            if whole is None or run is None:
                continue
            table.add(
                **{
                    "file": file.name,
                    "model": " ".join([name, *(f"{k}={v}" for k, v in parameters.items())]),
                    "whole": whole["loss"],
                    "CPU s": whole["search"] + whole["check"],
                    "parts": run["loss"],
                    "CPU s by parts": run["cpu"],
                    "peak MB": run["largest_mb"],
                }
            )
    return table


def _tables(bench: Bench) -> Table:
    table = Table(
        "Tables by parts: Adult resampled with noise, ten quasi-identifiers, k = 5, ham, engine stream",
        {
            "rows": ",",
            "parts": "",
            "seconds": ".0f",
            "CPU s": ".1f",
            "to the last": ".2f",
            "peak MB": ".0f",
            "withheld": ".4f",
        },
        notes=[
            "to the last: processor time against the row before, of which the rows are so many times."
        ],
    )
    path = data_folder() / "adult.csv.gz"
    if not path.exists():
        bench.say(f"adult is not in {data_folder()}, skipped; set WITHHOLD_DATA to its folder")
        return table
    last: dict[str, Any] | None = None
    for millions in TABLE_MILLIONS:
        rows = QUICK_RECORDS * millions if bench.quick else millions * 1_000_000
        run = bench.run(
            f"tables by parts {rows:,} rows",
            "tables_by_parts",
            once=True,
            path=str(path),
            rows=rows,
            folder=str(bench.folder / "table-parts"),
        )
        if run is None:
            break
        grown = None if last is None else run["cpu"] / last["cpu"]
        most = None if last is None else MOST_GROWTH * rows / last["rows"]
        table.add(
            **{
                "rows": rows,
                "parts": run["parts"],
                "seconds": run["seconds"],
                "CPU s": run["cpu"],
                "to the last": None if grown is None else bench.judged(grown, most),
                "peak MB": run["largest_mb"],
                "withheld": run["loss"],
            }
        )
        last = run
    return table


def _run(bench: Bench, file: File, **options: Any) -> dict[str, Any] | None:
    usual = {"model": "rho", "parameters": {"rho": RHO}}
    asked = {
        "engine": "stream",
        "workers": 1,
        "part_records": None,
        **usual,
        "jobs": None,
        **options,
    }
    shown = " ".join(f"{name}={value}" for name, value in asked.items())
    return bench.run(
        f"by parts {file.name} {shown}",
        "by_parts",
        once=True,
        path=str(file.path),
        sensitive=str(file.sensitive),
        output=str(bench.folder / "by-parts"),
        **asked,
    )
