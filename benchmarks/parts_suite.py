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
FEW_RECORDS = 250_000
"""In a part of these, which would be one otherwise."""
TABLE_MILLIONS = (1, 2, 4, 10)
MOST_GROWTH = 1.1
"""Times as much as the rows grow."""
PART_RECORDS = (25_000, 50_000, 100_000)
"""On the real files, which are small."""
WINDOWS = (250_000, 500_000, 1_000_000)
"""Records of a part, which is searched in pieces if it is large."""


def scale(bench: Bench) -> list[Table]:
    """Releases by parts: of 1, 5 and 20 million records; by one and two workers; against the whole.

    ``WITHHOLD_SCALE=workers`` measures one table alone.
    """
    tables = {
        "growth": _growth,
        "workers": _workers,
        "multiplied": _multiplied,
        "whole": _against_the_whole,
        "windows": _windows,
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
        f"By parts: Quest T10I4, 40% of the items sensitive, ρ = {RHO}, engine stream",
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
        peak = run["largest_mb"]
        table.add_run(
            run,
            {
                "records": records,
                "exponent": None if grown is None else bench.judged(grown, MOST_EXPONENT),
                "peak MB": peak,
                "to the first": bench.judged(peak / first["largest_mb"], MOST_MEMORY_GROWTH),
            },
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
            compared = workers > 1 and cores in one
            ratio = bench.judged(run["seconds"] / one[cores], 1 / LEAST_GAIN) if compared else None
            to_one = run["seconds"] / one[1] if 1 in one else None
            row = {"records": WORKED_MILLIONS * a_file, "engine": engine, "workers": workers}
            row |= {"threads": threads, "to one": ratio, "to one thread": to_one}
            memory = {"driver MB": run["driver_mb"], "worker MB": run["worker_mb"]}
            table.add_run(run, row | memory)
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
        run = _run(bench, file, part_records=FEW_RECORDS)
        whole = bench.anonymize(file, RHO, once=True, bound=False)
        if run is None or whole is None:
            continue
        row = {"file": file.name, "records": file.records, "peak MB": run["largest_mb"]}
        of_whole = {"whole CPU s": whole["cpu"], "whole MB": whole["peak_mb"]}
        table.add_run(run, row | of_whole | {"whole": whole["loss"]})
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


def _windows(bench: Bench) -> Table:
    table = Table(
        f"By parts: how large a part is, ρ = {RHO}",
        {
            "file": "",
            "a part": ",",
            "parts": "",
            "pieces": "",
            "CPU s": ".1f",
            "peak MB": ".0f",
            "loss": ".4f",
        },
        notes=["pieces: in how many the parts were searched, to which their records were dealt."],
    )
    million = bench.quest(QUICK_RECORDS if bench.quick else 1_000_000)
    for real in (None, *bench.files(*NAMES)):
        file = million if real is None else bench.multiplied(real, TIMES)
        for size in WINDOWS:
            run = _run(bench, file, part_records=size)
            if run is not None:
                row = {"file": file.name, "a part": size, "peak MB": run["largest_mb"]}
                table.add_run(run, row | {"pieces": run["pieces"]})
        if real is not None:
            file.path.unlink()
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
            whole = bench.run_on(file, f"in memory {file.name} {name}", "in_memory", **asked)
            run = _run(bench, file, **asked)
            if whole is None or run is None:
                continue
            model = " ".join([name, *(f"{k}={v}" for k, v in parameters.items())])
            in_memory = {"whole": whole["loss"], "CPU s": whole["search"] + whole["check"]}
            by_parts = {"parts": run["loss"], "CPU s by parts": run["cpu"]}
            row = {"file": file.name, "model": model, "peak MB": run["largest_mb"]}
            table.add(**row, **in_memory, **by_parts)
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
    if not bench.has("adult", path):
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
        ratio = None if grown is None else bench.judged(grown, most)
        lost = {"peak MB": run["largest_mb"], "withheld": run["loss"]}
        table.add_run(run, {"rows": rows, "to the last": ratio} | lost)
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
    folder = str(bench.folder / "by-parts")
    return bench.run_on(file, f"by parts {file.name} {shown}", "by_parts", output=folder, **asked)
