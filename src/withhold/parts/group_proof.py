"""The proof of a table in parts: the counts of their groups are added up, some shelves at a time."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
"""About how many groups are added up at a time, counted once for each part that has them."""
SHELF, SHELVES = "shelf", 1 << 16


@dataclass(frozen=True)
class CountedParts:
    """The groups of all parts, each part's in a file."""

    paths: list[Path]
    groups: int
    """Those of every part, summed."""
    totals: list[Counter[Any]]
    """By sensitive column: how often each value occurs."""
    rows: int


def prove_groups(
    counts: Sequence[Path], groups: int, totals: Sequence[Mapping[Any, int]], model: Model
) -> Verdict:
    """The verdict on all parts, whose counts are in these files, with ``groups`` groups in all.

    ``totals`` has by sensitive column how often each value occurs.
    """
    began = time.perf_counter()
    blocks = method_of(model).by_parts.blocks
    assert blocks is not None
    judged = [blocks.judge(some, model, totals) for some in over_shelves(counts, groups)]
    verdict: Verdict = blocks.verdict(judged, model, time.perf_counter() - began)
    return verdict


def over_shelves(counts: Sequence[Path], groups: int) -> Iterator[Any]:
    """The counts of all parts, with ``groups`` groups in these files, some shelves at a time."""
    import polars as pl

    step = max(SHELVES // (groups // AT_ONCE + 1), 1)
    for first in range(0, SHELVES, step):
        stop_if_asked()
        some = pl.col(SHELF).is_between(first, first + step - 1)
        yield pl.concat([pl.scan_parquet(path).filter(some).collect() for path in counts])


def totals_of(values: Iterable[Sequence[dict[Any, int]]]) -> list[Counter[Any]]:
    """By sensitive column how often each value occurs, from the same by part."""
    totals: list[Counter[Any]] = []
    for own in values:
        totals = totals or [Counter() for _ in own]
        for total, found in zip(totals, own, strict=True):
            total.update(found)
    return totals


def write_counts(counts: Any, path: Path) -> None:
    """Keep the counts of a part, a frame; polars raises errors of its own if the disk is full."""
    made = BytesIO()
    counts.write_parquet(made)
    path.write_bytes(made.getbuffer())


def count_parts(
    tables: Iterable[tuple[Path, Table]],
    n_parts: int,
    model: Model,
    work: Path,
    progress: Progress,
    count: Callable[[Table], Any] | None = None,
) -> CountedParts:
    """Count the groups of every part into a folder; ``count`` may tell more columns apart."""
    blocks = method_of(model).by_parts.blocks
    assert blocks is not None
    rows = groups = 0
    counts, values = [], []
    names: tuple[str, ...] = ()
    for number, (path, table) in enumerate(tables):
        stop_if_asked()
        names = names or table.names
        if table.names != names:
            remedy = "copy or download the folder again"
            raise InputError("has other columns than the first part", path=path, remedy=remedy)
        counted = blocks.count(table, model) if count is None else count(table)
        counts.append(work / f"counts-{number}.parquet")
        write_counts(counted, counts[-1])
        values.append(blocks.values(counted, model))
        rows += len(table)
        groups += len(counted)
        progress(f"counting groups: part {number + 1} of {n_parts}", number + 1, n_parts)
    return CountedParts(counts, groups, totals_of(values), rows)


def published_tables(
    paths: Iterable[Path], output: dict[str, Any], model: Model, same_bytes: Iterable[bool]
) -> Iterator[tuple[Path, Table]]:
    """Each part as it is read again; ``output`` is what their manifest says of the form."""
    for path, same in zip(paths, same_bytes, strict=True):
        found = read_published(path, model, {"output": output}, {}, same_bytes=same).named
        assert isinstance(found, Table)
        yield path, found


def recount_groups(
    paths: Sequence[Path],
    output: dict[str, Any],
    model: Model,
    same_bytes: Sequence[bool],
    progress: Progress,
) -> tuple[Verdict, int]:
    """The verdict on published parts, and their rows; ``output`` is what their manifest says of the form."""
    tables = published_tables(paths, output, model, same_bytes)
    with tempfile.TemporaryDirectory(prefix="withhold-") as work:
        found = count_parts(tables, len(paths), model, Path(work), progress)
        return prove_groups(found.paths, found.groups, found.totals, model), found.rows
