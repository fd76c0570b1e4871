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
    rho: str,
    output: str,
    engine: str,
    workers: int,
    part_records: int | None,
) -> Result:
    """The whole road by parts on a file: seconds, processor seconds, the largest process, the loss."""
    import withhold as wh
    from withhold.formats import read_back  # noqa: F401  # loaded before the clock starts
    from withhold.parts.release import anonymize_parts

    listed = Path(sensitive).read_text(encoding="utf-8").split()
    model = wh.RhoUncertainty(rho, listed)
    with open(path, encoding="utf-8") as lines:
        tiny = [line.split() for _, line in zip(range(TINY), lines, strict=False)]
    wh.anonymize(tiny, model, bound=False, allow_unknown=True)
    folder = Path(output)
    shutil.rmtree(folder, ignore_errors=True)
    began, used = time.perf_counter(), _cpu()
    made = anonymize_parts(
        path, model, folder, engine=engine, workers=workers, part_records=part_records, seed=1
    )
    taken = {"seconds": time.perf_counter() - began, "cpu": _cpu() - used}
    shutil.rmtree(folder)
    return {**taken, "loss": made.totals.share, "parts": len(made.parts), "largest_mb": _largest()}


def _cpu() -> float:
    """Processor seconds of this process and of those that it has seen end."""
    found = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in found)


def _largest() -> float:
    """MB of the largest process that took part."""
    found = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return max(each.ru_maxrss for each in found) * BYTES_PER_MAXRSS / MB


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


PARTS_MEASURES = {"by_parts": by_parts, "tables_by_parts": tables_by_parts}
