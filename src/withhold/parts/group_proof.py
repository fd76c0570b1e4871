"""The proof of a table in parts: what their groups have is added up, some shelves of groups at a time."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from withhold.counting.threads import Progress
from withhold.data import Table
from withhold.errors import InputError
from withhold.interruption import stop_if_asked
from withhold.method import Model
from withhold.publish.rereading import read_published
from withhold.registry import method_of
from withhold.verdict import Verdict

AT_ONCE = 250_000
"""Groups that are added up at a time; those of each part count."""
SHELF, SHELVES = "shelf", 1 << 16


def prove_groups(
    counts: Sequence[Path], groups: int, values: Iterable[Sequence[dict[Any, int]]], model: Model
) -> Verdict:
    """The verdict on all parts, whose counts are in these files, with so many groups together.

    ``values`` has by part and sensitive column how often each value occurs.
    """
    import polars as pl

    began = time.perf_counter()
    blocks = method_of(model).by_parts.blocks
    assert blocks is not None
    totals: list[Counter[Any]] = []
    for own in values:
        totals = totals or [Counter() for _ in own]
        for total, found in zip(totals, own, strict=True):
            total.update(found)
    step = max(SHELVES // (groups // AT_ONCE + 1), 1)
    judged = []
    for first in range(0, SHELVES, step):
        stop_if_asked()
        some = pl.col(SHELF).is_between(first, first + step - 1)
        parts = [pl.scan_parquet(path).filter(some).collect() for path in counts]
        judged.append(blocks.judge(pl.concat(parts), model, totals))
    verdict: Verdict = blocks.verdict(judged, model, time.perf_counter() - began)
    return verdict


def write_counts(counts: Any, path: Path) -> None:
    """Keep the counts of a part, a frame; polars itself raises errors of its own if the disk is full."""
    made = BytesIO()
    counts.write_parquet(made)
    path.write_bytes(made.getbuffer())


def recount_groups(
    paths: Sequence[Path],
    output: dict[str, Any],
    model: Model,
    same_bytes: Sequence[bool],
    progress: Progress,
) -> tuple[Verdict, int]:
    """The verdict on published parts, and their rows; ``output`` is what their manifest says of the form."""
    blocks = method_of(model).by_parts.blocks
    assert blocks is not None
    rows = groups = 0
    counts, values = [], []
    names: tuple[str, ...] = ()
    with tempfile.TemporaryDirectory(prefix="withhold-") as work:
        for number, (path, same) in enumerate(zip(paths, same_bytes, strict=True)):
            stop_if_asked()
            found = read_published(path, model, {"output": output}, {}, same_bytes=same).named
            assert isinstance(found, Table)
            names = names or found.names
            if found.names != names:
                remedy = "copy or download the folder again"
                raise InputError("has other columns than the first part", path=path, remedy=remedy)
            counted = blocks.count(found, model)
            counts.append(Path(work) / f"counts-{number}.parquet")
            write_counts(counted, counts[-1])
            values.append(blocks.values(counted, model))
            rows += len(found)
            groups += len(counted)
            progress(f"counting groups: part {number + 1} of {len(paths)}", number + 1, len(paths))
        return prove_groups(counts, groups, values, model), rows
