"""What is measured of releases by parts: each function runs alone in a process of its own."""

from __future__ import annotations

import resource
import shutil
import time
from pathlib import Path
from typing import Any

from benchmarks.fresh import BYTES_PER_MAXRSS, MB

Result = dict[str, Any]
TINY = 3_000


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
    first = min(Path(path).iterdir()) if Path(path).is_dir() else Path(path)
    with first.open(encoding="utf-8") as lines:
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
    driver, workers_mb = _largest(resource.RUSAGE_SELF), _largest(resource.RUSAGE_CHILDREN)
    return {
        **taken,
        "loss": made.totals.share,
        "parts": len(made.parts),
        "driver_mb": driver,
        "worker_mb": workers_mb if engine == "dask" or workers > 1 else None,
        "largest_mb": max(driver, workers_mb),
    }


def _cpu() -> float:
    """Processor seconds of this process and of those that it has seen end."""
    found = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in found)


def _largest(who: int) -> float:
    """MB of this process, or of the largest of those that it has seen end."""
    return resource.getrusage(who).ru_maxrss * BYTES_PER_MAXRSS / MB


PARTS_MEASURES = {"by_parts": by_parts}
