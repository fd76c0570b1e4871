"""The audit of a table that need not fit in memory: the groups of every part are counted, then added up."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from withhold.atomic.files import sha256_of
from withhold.counting.threads import Progress
from withhold.data import Table
from withhold.data.sensitive_values import refuse_spellings
from withhold.errors import PolicyError
from withhold.formats.frame_slices import is_lazy
from withhold.method import Model
from withhold.parts.blocks_release import check_alike, plan_tables
from withhold.parts.folder import MANIFEST, read_folder, read_output
from withhold.parts.group_proof import count_parts, over_shelves, published_tables
from withhold.parts.planning import Data, check_data, find_files
from withhold.registry import method_of

if TYPE_CHECKING:
    from withhold.methods.cells.audit import TableAudit


def audit_tables(
    data: Data,
    model: Model,
    options: Any,
    seed: int,
    *,
    part_records: int | None,
    reading: Mapping[str, Any],
    allow_unknown: bool,
    progress: Progress,
) -> TableAudit:
    """All rows together: the verdict, the smallest groups, and what follows from the sizes of groups."""
    began = time.perf_counter()
    blocks = method_of(model).by_parts.blocks
    assert blocks is not None
    sums = blocks.audit(model, options)
    n_parts, tables = open_tables(data, model, part_records, reading)
    # The counts hold values of the original, so nobody else may look into the folder.
    with tempfile.TemporaryDirectory(prefix="withhold-") as work:
        found = count_parts(tables, n_parts, model, Path(work), progress, count=sums.count)
        if not allow_unknown:
            for name, total in zip(
                getattr(model, "sensitive_column", ()), found.totals, strict=True
            ):
                refuse_spellings(name, total, by_parts=True)
        judged = []
        for counts in over_shelves(found.paths, found.groups):
            judged.append(blocks.judge(counts, model, found.totals))
            sums.add(counts, found.totals)
    verdict = blocks.verdict(judged, model, time.perf_counter() - began)
    seconds = time.perf_counter() - began
    audit: TableAudit = sums.joined(verdict, parts=n_parts, seed=seed, seconds=seconds)
    return audit


def open_tables(
    data: Data, model: Model, part_records: int | None, reading: Mapping[str, Any]
) -> tuple[int, Iterator[tuple[Path, Table]]]:
    """How many parts there are, and each of them: as its manifest says, or as the options say."""
    check_data(data)
    if is_lazy(data):
        raise PolicyError("tables by parts are files; write the frame to parquet first")
    folder = Path(data)
    if folder.is_dir() and (folder / MANIFEST).exists():
        listed = read_folder(folder)[1]
        output = read_output(folder)

        paths = [folder / part.name for part in listed]
        same = (sha256_of(path) == part.sha256 for path, part in zip(paths, listed, strict=True))
        return len(listed), published_tables(paths, output, model, same)
    reader, pieces = plan_tables(find_files(str(data)), part_records, reading)

    def original() -> Iterator[tuple[Path, Table]]:
        first: tuple[Any, Any] | None = None
        for piece in pieces:
            opened = reader.open(piece)
            table = reader.read(opened)
            own = table.names, reader.whole_numbers(opened)
            first = first or own
            check_alike(piece.path, own, first)
            yield piece.path, method_of(model).marked(table, model, reading.get("mark"))

    return len(pieces), original()
