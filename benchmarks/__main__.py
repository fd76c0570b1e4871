"""``python -m benchmarks [SUITE…]``: measure, print tables, write ``results/latest.json``."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks import (
    advice,
    before_suppressing,
    bounds,
    buckets,
    coherence,
    hierarchies,
    page,
    paper_partial,
    papers,
    parts_suite,
    patterns,
    people,
    personal,
    polishing,
    scaling,
    suppressing,
    table_suite,
)
from benchmarks.bench import QUICK_RECORDS, Bench, data_folder
from benchmarks.fresh import MeasurementError
from benchmarks.tables import Table

RESULTS = Path(__file__).parent / "results" / "latest.json"
SUITES: dict[str, Callable[[Bench], list[Table]]] = {
    suite.__name__.replace("_", "-"): suite
    for suite in (
        before_suppressing.start,
        before_suppressing.reading,
        before_suppressing.check,
        suppressing.suppress,
        suppressing.options,
        scaling.growth,
        scaling.million,
        parts_suite.scale,
        suppressing.distribution,
        bounds.bounds,
        polishing.polish,
        buckets.buckets,
        hierarchies.hierarchies,
        coherence.coherence,
        patterns.mining,
        patterns.rules,
        table_suite.tables,
        personal.personal,
        people.people,
        advice.advice,
        page.page,
        paper_partial.paper_partial,
    )
}
LIBRARIES = ("numpy", "numba", "polars", "pyfim")


def main() -> int:
    """Run the suites that were named, or all; 1 if a measurement failed, missed targets or not."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure withhold.")
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=", ".join(SUITES))
    parser.add_argument(
        "--quick",
        action="store_true",
        help=f"only the first {QUICK_RECORDS:,} records of each file",
    )
    asked = parser.parse_args()
    if unknown := [name for name in asked.suites if name not in SUITES]:
        parser.error(f"no suite is called {', '.join(unknown)}; there are {', '.join(SUITES)}")
    print(f"{_machine()}\nReal files: {data_folder()} (WITHHOLD_DATA)\n", flush=True)
    missed: list[str] = []
    with tempfile.TemporaryDirectory(prefix="withhold-bench-") as folder:
        bench = Bench(Path(folder), asked.quick)
        # Compiling takes memory too, so it is done before anything is measured.
        bench.run("compiling what is not compiled yet", "fill_cache", once=True)
        for name in asked.suites or SUITES:
            print(f"{name}", file=sys.stderr)
            began, load = time.perf_counter(), os.getloadavg()[0]
            try:
                tables = SUITES[name](bench)
            except MeasurementError as error:
                bench.failures.append(f"{name}: {error}")
                continue
            for table in tables:
                print(
                    (table.text() if table.rows else f"{table.title}: nothing") + "\n", flush=True
                )
                missed += [f"{name}: {what}" for what in table.missed()]
            _store(name, tables, quick=asked.quick, load=load, took=time.perf_counter() - began)
    print(f"Results: {RESULTS}")
    for headline, lines in (("missed", missed), ("failed", bench.failures)):
        if lines:
            print(f"{len(lines)} {headline}:\n  " + "\n  ".join(lines))
    return 1 if bench.failures else 0


def _store(name: str, tables: list[Table], *, quick: bool, load: float, took: float) -> None:
    """Replace this suite's part of the file; those of suites that were not run now stay."""
    try:
        results: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        results = {}
    if name in papers.SHOWN:
        papers.store(name, tables, quick=quick)
    results[name] = {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": _machine(),
        "load_before": load,
        "quick": quick,
        "seconds": round(took, 1),
        "tables": [table.plain() for table in tables],
    }
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _machine() -> str:
    libraries = ", ".join(f"{name} {_version(name)}" for name in LIBRARIES)
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"{libraries}; load {os.getloadavg()[0]:.1f}"
    )


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "absent"


if __name__ == "__main__":
    sys.exit(main())
