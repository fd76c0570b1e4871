"""What is measured of releases by parts: each function runs alone in a process of its own."""

from __future__ import annotations

import resource
import shutil
import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.fresh import BYTES_PER_MAXRSS, MB

Result = dict[str, Any]
TINY = 3_000
MILLION, TABLE_COLUMNS = 1_000_000, 10


def by_parts(
    path: str,
    sensitive: str,
    model: str,
    parameters: dict[str, Any],
    output: str,
    engine: str,
    workers: int,
    part_records: int | None,
    jobs: int | None,
) -> Result:
    """The whole road by parts on a file: seconds, processor seconds, the largest process, the loss.

    Under ``rho`` and ``coherence`` the listed items are the sensitive or private ones.
    """
    from withhold.formats import read_back  # noqa: F401  # loaded before the clock starts
    from withhold.parts.release import anonymize_parts

    asked = _model(model, parameters, sensitive)
    folder = Path(output)
    tiny = folder.with_suffix(".dat")
    first = min(Path(path).iterdir()) if Path(path).is_dir() else Path(path)
    with first.open(encoding="utf-8") as lines:
        tiny.write_text("".join(line for _, line in zip(range(TINY), lines, strict=False)))
    # Compiles the kernels.
    anonymize_parts(str(tiny), asked, folder, allow_unknown=True, force=True, seed=1)
    tiny.unlink()
    shutil.rmtree(folder)
    began, used = time.perf_counter(), _cpu()
    made = anonymize_parts(
        path,
        asked,
        folder,
        engine=engine,
        workers=workers,
        part_records=part_records,
        seed=1,
        jobs=jobs,
    )
    taken = {"seconds": time.perf_counter() - began, "cpu": _cpu() - used}
    shutil.rmtree(folder)
    driver, workers_mb = _largest(resource.RUSAGE_SELF), _largest(resource.RUSAGE_CHILDREN)
    return {
        **taken,
        "loss": made.totals.share,
        "parts": len(made.parts),
        "pieces": sum(part.pieces for part in made.parts),
        "driver_mb": driver,
        "worker_mb": workers_mb if engine == "dask" or workers > 1 else None,
        "largest_mb": max(driver, workers_mb),
    }


def in_memory(path: str, sensitive: str, model: str, parameters: dict[str, Any]) -> Result:
    """Search and proof of all records at once: processor seconds of each, and the loss."""
    import withhold as wh
    from withhold.data.plan import apply
    from withhold.method import CheckRun, SearchRun
    from withhold.registry import method_of

    asked = _model(model, parameters, sensitive)
    method = method_of(asked)
    taken: Result = {}
    for records in (wh.read([*wh.read(path).to_lists()[:TINY]]), wh.read(path)):
        began = _cpu()
        options, run = method.search.options(), SearchRun(seed=1)
        plan, _ = method.search(records, asked, wh.Evidence(), options, run)
        searched = _cpu()
        published = apply(plan, records)
        verdict = method.check(published, asked, wh.Evidence(), CheckRun())
        taken = {"search": searched - began, "check": _cpu() - searched, "holds": bool(verdict)}
        taken["loss"] = 1 - published.n_occurrences / records.n_occurrences
    return taken


def _model(name: str, parameters: dict[str, Any], listed: str) -> Any:
    from withhold.registry import method_named

    items = Path(listed).read_text(encoding="utf-8").split()
    named = {"rho": {"sensitive": items}, "coherence": {"private": items}}.get(name, {})
    return method_named(name).model(**parameters, **named)


def _cpu() -> float:
    """Processor seconds of this process and of those that it has seen end."""
    found = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in found)


def _largest(who: int) -> float:
    """MB of this process, or of the largest of those that it has seen end."""
    return resource.getrusage(who).ru_maxrss * BYTES_PER_MAXRSS / MB


def tables_by_parts(path: str, rows: int, folder: str) -> Result:
    """A table of so many rows in files of a million: processor seconds, the largest process, the loss."""
    import withhold as wh
    from benchmarks.table_measures import multiplied
    from withhold.parts.release import anonymize_parts

    data, output = Path(folder), Path(f"{folder}-published")
    for each in (data, output):
        shutil.rmtree(each, ignore_errors=True)
    data.mkdir(parents=True)
    # In a process of its own, so that its memory does not count here.
    for number, first in enumerate(range(0, rows, MILLION), start=1):
        made = (path, min(MILLION, rows - first), str(data / f"{number:03}.parquet"), number)
        writing = get_context("spawn").Process(target=_write_rows, args=made)
        writing.start()
        writing.join()
    table = multiplied(path, 1000, TABLE_COLUMNS)
    model = wh.KAnonymity(5, table.names)
    wh.anonymize(table, model, publish="all", bound=False)
    began, used = time.perf_counter(), time.process_time()
    released = anonymize_parts(str(data), model, output, seed=1, publish="all")
    taken = {"seconds": time.perf_counter() - began, "cpu": time.process_time() - used}
    for each in (data, output):
        shutil.rmtree(each)
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * BYTES_PER_MAXRSS / MB
    amounts = {"rows": rows, "parts": len(released.parts), "loss": released.totals.share}
    return {**taken, **amounts, "largest_mb": largest}


def _write_rows(path: str, rows: int, target: str, seed: int) -> None:
    from benchmarks.table_measures import multiplied

    multiplied(path, rows, TABLE_COLUMNS, seed=seed).to_polars().write_parquet(target)


PARTS_MEASURES = {
    "by_parts": by_parts,
    "in_memory": in_memory,
    "tables_by_parts": tables_by_parts,
}
