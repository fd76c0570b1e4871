"""The suites of what comes before anything is withheld: starting, reading, checking."""

from __future__ import annotations

import os
import sys
import tempfile

from benchmarks import fresh
from benchmarks.bench import NAMES, REPEATS, Bench, packed_path
from benchmarks.fresh import Taken
from benchmarks.tables import Table

RHO = "0.7"
START_REPEATS = 5
START_TARGET = 0.5
READ_REPEATS = 7
READ_TARGET = 5.0
VERDICT_TARGET = 1.0


def start(bench: Bench) -> list[Table]:
    """How long somebody waits who has just installed, and who has not."""
    table = Table("Starting", {"what": "", "seconds": ".2f", "CPU s": ".2f"})

    def add(what: str, taken: Taken, most: float | None = None) -> None:
        seconds = bench.judged(taken.seconds, most)
        table.add(what=what, seconds=seconds, **{"CPU s": taken.cpu})

    with tempfile.TemporaryDirectory(dir=bench.folder) as folder:
        command = [sys.executable, "-m", "withhold", "demo", "--folder"]
        elsewhere = {**os.environ, "XDG_CACHE_HOME": f"{folder}/cache"}
        # A new folder each time, as published files are not overwritten.
        demos = [[*command, f"{folder}/{number}"] for number in range(1 + REPEATS)]
        bench.say("withhold demo, nothing compiled yet")
        cold = fresh.time_of(demos[0], environment=elsewhere)
        bench.say("withhold demo again")
        warm = _usual([fresh.time_of(demo, environment=elsewhere) for demo in demos[1:]])
    add("withhold demo, kernels compiled on the way", cold)
    add("withhold demo, kernels from the cache", warm)
    add("so compilation takes", Taken(cold.seconds - warm.seconds, cold.cpu - warm.cpu))
    for what, command in (
        ("python -c pass", ["-c", "pass"]),
        ("import withhold", ["-c", "import withhold"]),
        ("withhold --help", ["-m", "withhold", "--help"]),
    ):
        runs = [fresh.time_of([sys.executable, *command]) for _ in range(START_REPEATS)]
        add(what, _usual(runs), None if command[-1] == "pass" else START_TARGET)
    table.notes.append("The time of a whole process each; the lower ones include Python's own.")
    return [table]


def _usual(runs: list[Taken]) -> Taken:
    return sorted(runs)[len(runs) // 2]


def reading(bench: Bench) -> list[Table]:
    """Reading, against polars reading the same file as plain lines."""
    table = Table(
        f"Reading, best of {READ_REPEATS} in one process, kernels loaded",
        {"file": "", "MB": ".1f", "ours s": ".4f", "polars s": ".4f", "ratio": ".1f"},
        notes=["MB of the bytes on disk; polars reads each line as one string."],
    )
    for file in bench.files(*NAMES):
        # The stored files are whole also in a quick run, so there they are left out.
        for path in [file.path] if bench.quick else [file.path, packed_path(file.name)]:
            result = bench.run(
                f"read {path.name}", "reading", once=True, path=str(path), repeats=READ_REPEATS
            )
            if result is None:
                continue
            judged = path.name == "retail.dat"
            ratio = result["ours"] / result["polars"]
            table.add(
                **{
                    "file": path.name,
                    "MB": path.stat().st_size / fresh.MB,
                    "ours s": result["ours"],
                    "polars s": result["polars"],
                    "ratio": bench.judged(ratio, READ_TARGET if judged else None),
                }
            )
    return [table]


def check(bench: Bench) -> list[Table]:
    """The verdict on what is unsafe, the audit, and the proof of what is safe."""
    raw = Table(
        f"Raw files, ρ = {RHO}: kernels warm, file in memory, median of {REPEATS}",
        {
            "file": "",
            "verdict": "",
            "verdict s": ".3f",
            "breaches ≤ 3": ",",
            "audit s": ".2f",
            "CPU s": ".2f",
        },
    )
    safe = Table(
        f"Their releases, ρ = {RHO}: the exact check, median of {REPEATS}",
        {
            "file": "",
            "verdict": "",
            "check s": ".3f",
            "CPU s": ".3f",
            "closed sets": ",",
            "per second": ",.0f",
        },
    )
    for file in bench.files(*NAMES):
        common = {"sensitive": str(file.sensitive), "rho": RHO, "repeats": REPEATS}
        verdict = bench.run(f"check {file.name}", "check", once=True, path=str(file.path), **common)
        audit = bench.run(f"audit {file.name}", "audit", once=True, path=str(file.path), **common)
        if verdict and audit:
            quick_to_say_no = bench.judged(verdict["seconds"], VERDICT_TARGET)
            raw.add(
                **{
                    "file": file.name,
                    "verdict": verdict["status"],
                    "verdict s": quick_to_say_no,
                    "breaches ≤ 3": audit["breaches"],
                    "audit s": audit["seconds"],
                    "CPU s": audit["cpu"],
                }
            )
        if bench.anonymize(file, RHO, once=True) is None:
            continue
        proof = bench.run(
            f"check the release of {file.name}",
            "check",
            once=True,
            path=str(bench.output(file)),
            **common,
        )
        if proof:
            checked = proof["checked"]
            seconds = bench.judged(proof["seconds"], VERDICT_TARGET)
            sets = {"closed sets": checked, "per second": checked / proof["seconds"]}
            row = {"file": file.name, "verdict": proof["status"], "check s": seconds}
            safe.add_run(proof, row | sets)
    return [raw, safe]
