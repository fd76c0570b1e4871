"""One process per measurement, so that its peak of memory is that of one run.

The parent asks with ``measure(name, …)``; the child is ``python -m benchmarks.fresh``, which reads
the request from standard input, calls the function of that name in ``measures`` and prints what it
returns. The parent imports neither withhold nor anything else that is big: Linux counts the memory
of the process that starts a program towards that program's peak.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
LIMIT_SECONDS = 1200
BYTES_PER_MAXRSS = 1 if sys.platform == "darwin" else 1024
MB = 1e6


class MeasurementError(Exception):
    """A measurement that gave no result; the message is the child's last words."""


def measure(name: str, /, **arguments: Any) -> dict[str, Any]:
    """What ``measures``' function of that name returns in a process of its own, and its peak."""
    request = json.dumps({"measure": name, "arguments": arguments})
    answer = _run([sys.executable, "-m", "benchmarks.fresh"], request)
    result: dict[str, Any] = json.loads(answer.splitlines()[-1])
    return result


class Taken(NamedTuple):
    """The time that a program took, or a part of one."""

    seconds: float
    """On the clock, which runs on while other programs have the machine."""
    cpu: float
    """Of all its threads together."""


def time_of(command: Sequence[str], *, environment: Mapping[str, str] | None = None) -> Taken:
    """How long a program takes from start to end."""
    began, used = time.perf_counter(), _children_cpu()
    _run(command, "", environment)
    return Taken(time.perf_counter() - began, _children_cpu() - used)


def _children_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _run(command: Sequence[str], request: str, environment: Mapping[str, str] | None = None) -> str:
    try:
        child = subprocess.run(
            command,
            input=request,
            capture_output=True,
            text=True,
            cwd=ROOT,
            env=environment,
            timeout=LIMIT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise MeasurementError(f"no end after {LIMIT_SECONDS} s") from error
    if child.returncode:
        last = child.stderr.strip().splitlines()[-1:] or ["it said nothing"]
        raise MeasurementError(f"exit code {child.returncode}: {last[0]}")
    return child.stdout


def main() -> None:
    """The child: one request in, one line of JSON out."""
    from benchmarks import (
        measures,
        paper_measures,
        parts_measures,
        people_measures,
        table_measures,
        trade_off_measures,
    )

    request = json.load(sys.stdin)
    known = {
        **measures.MEASURES,
        **table_measures.TABLE_MEASURES,
        **paper_measures.PAPER_MEASURES,
        **trade_off_measures.TRADE_OFF_MEASURES,
        **parts_measures.PARTS_MEASURES,
        **people_measures.PEOPLE_MEASURES,
    }
    result = known[request["measure"]](**request["arguments"])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * BYTES_PER_MAXRSS / MB
    print(json.dumps({**result, "peak_mb": peak}))


if __name__ == "__main__":
    main()
