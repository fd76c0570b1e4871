"""The steps of a table's release by blocks, each a function of one job; a work folder has what they share.

A part is surveyed, its rows are dealt to blocks, each block is searched, and each part is written as a draft,
read back and counted. Like ``making``, this knows no engine; a job gives the same result wherever it runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from withhold.atomic.files import sha256_of
from withhold.by_parts import ByBlocks
from withhold.counting.memory import give_back_memory
from withhold.data import Source, Table
from withhold.data.plan import apply
from withhold.errors import InputError, InternalError
from withhold.formats import as_written, form_for, read_back, write
from withhold.formats.formulas import formula_warnings
from withhold.formats.slices import Slice
from withhold.formats.table_slices import TableReader
from withhold.formats.writing import pieces
from withhold.method import Model, SearchRun
from withhold.parts.failures import attempt
from withhold.parts.group_proof import write_counts
from withhold.parts.making import Done, part_seed
from withhold.registry import method_of, search_call


@dataclass(frozen=True)
class Task:
    """What all jobs of a release have in common."""

    reader: TableReader
    model: Model
    options: Mapping[str, Any]
    seed: int
    work: Path
    """A private folder, which every worker sees."""

    @property
    def blocks(self) -> ByBlocks:
        """How the model's tables are released."""
        found = method_of(self.model).by_parts.blocks
        assert found is not None
        return found

    @property
    def search(self) -> Any:
        """The search options."""
        return search_call(self.model, self.options)[0]

    def codes(self, part: int) -> Path:
        """The rows of a part as codes: as they came, then in the order of blocks."""
        return self.work / f"codes-{part}.npy"

    def order(self, part: int) -> Path:
        """The rows of a part in the order of blocks."""
        return self.work / f"order-{part}.npy"

    def shown(self, block: int) -> Path:
        """Which cells of a block are shown."""
        return self.work / f"shown-{block}.npy"

    def draft(self, name: str) -> Path:
        """A part before it is proved."""
        return self.work / name

    def counts(self, part: int) -> Path:
        """The rows of the groups of a part."""
        return self.work / f"counts-{part}.parquet"


@dataclass(frozen=True, kw_only=True)
class Job:
    """What a worker is to do."""

    number: int
    task: Task
    whole: Any = None
    """What is known of the whole table."""
    threads: int | None = None


@dataclass(frozen=True, kw_only=True)
class PartJob(Job):
    """One part, in each of the steps."""

    piece: Slice
    survey: Any = None
    """What was surveyed in the part."""
    name: str = ""
    mark: str | None = None
    taken: Sequence[tuple[int, int, int]] = ()
    """By block: where its rows begin and end among those of the part, and where they begin in the block."""
    digest: str = ""
    """Of the input when it was surveyed."""


@dataclass(frozen=True, kw_only=True)
class BlockJob(Job):
    """One block."""

    taken: Sequence[tuple[int, int]]
    """By part: where its rows of this block begin and end."""

    @property
    def piece(self) -> str:
        """How messages call it."""
        return f"block {self.number + 1}"


@dataclass(frozen=True)
class Surveyed:
    """A part that was surveyed."""

    number: int
    digest: str
    survey: Any
    whole_numbers: frozenset[str]
    """The columns put into ranges that hold whole numbers only."""


@dataclass(frozen=True)
class DealtPart:
    """A part whose rows were dealt to blocks."""

    number: int
    sizes: Any
    counts: tuple[Any, ...]


@dataclass(frozen=True)
class WrittenPart:
    """A part that was written as a draft and read back."""

    done: Done
    form: Source
    values: tuple[dict[Any, int], ...]
    groups: int
    warnings: tuple[str, ...]


def _failing(step: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The step, which returns errors that users can fix instead of raising them."""

    @wraps(step)
    def run(job: Any) -> Any:
        made = attempt(job.number, job.piece, lambda: step(job))
        # Otherwise the memory of one part is lacking for the next.
        give_back_memory()
        return made

    return run


@_failing
def survey_part(job: PartJob) -> Surveyed:
    """Survey a part, and keep its rows as codes."""
    task = job.task
    opened = task.reader.open(job.piece)
    table = task.reader.read(opened)
    seed = part_seed(task.seed, job.number)
    survey, codes = task.blocks.survey(table, task.model, task.search, seed)
    _save(task.codes(job.number), codes)
    whole = task.reader.whole_numbers(opened)
    return Surveyed(job.number, opened.digest.hexdigest(), survey, whole)


@_failing
def deal_part(job: PartJob) -> DealtPart:
    """Deal the rows of a part to blocks, and keep them in that order."""
    task = job.task
    codes = np.load(task.codes(job.number))
    dealt = task.blocks.deal(codes, job.survey, job.whole, task.model)
    order = np.argsort(dealt.of_row, kind="stable")
    _save(task.codes(job.number), dealt.codes[order])
    _save(task.order(job.number), order)
    return DealtPart(job.number, dealt.sizes, dealt.counts)


@_failing
def search_block(job: BlockJob) -> tuple[int, Any]:
    """Search a block, which has rows of all parts; returns which columns had cells withheld."""
    task = job.task
    rows = [
        np.load(task.codes(part), mmap_mode="r")[start:end]
        for part, (start, end) in enumerate(job.taken)
        if end > start
    ]
    run = SearchRun(seed=part_seed(task.seed, job.number), jobs=job.threads)
    shown = task.blocks.search(np.concatenate(rows), job.whole, task.model, task.search, run)
    _save(task.shown(job.number), shown)
    return job.number, ~shown.all(axis=0)


@_failing
def write_part(job: PartJob) -> WrittenPart:
    """Write a part as a draft, in the order in which it came; read it back and count its groups."""
    began = time.perf_counter()
    task = job.task
    opened = task.reader.open(job.piece)
    if opened.digest.hexdigest() != job.digest:
        raise InputError(
            "was changed while it was released", path=job.piece.path, remedy="run it again"
        )
    original = task.reader.read(opened)
    published = apply(task.blocks.plan(original, task.model, _shown(job, len(original))), original)
    assert isinstance(published, Table)
    form = form_for(published, job.name, like=original.source, mark=job.mark)
    draft = task.draft(job.name)
    written = write(published, draft, form)
    found = read_back(draft, written)
    if found != as_written(published, written):
        raise InternalError(f"{job.name}: what was read back is not what was written")
    counts = task.blocks.count(found, task.model)
    write_counts(counts, task.counts(job.number))
    names = task.model.quasi_identifiers  # type: ignore[attr-defined]  # tables have them
    is_withheld = np.stack([published.column(name).withheld for name in names], axis=1)
    removed = int(is_withheld.sum())
    return WrittenPart(
        Done(
            number=job.number,
            name=job.name,
            key="",
            sha256=sha256_of(draft),
            records=len(original),
            occurrences=is_withheld.size - removed,
            removed=removed,
            sensitive=0,
            removed_sensitive=0,
            records_emptied=int(is_withheld.all(axis=1).sum()),
            found=(),
            checked=len(counts),
            seconds=time.perf_counter() - began,
        ),
        replace(written, path=Path(job.name)),
        task.blocks.values(counts, task.model),
        len(counts),
        tuple(formula_warnings(pieces(published, written))),
    )


def _save(path: Path, array: Any) -> None:
    """Keep an array; ``numpy.save`` to a file does not notice if the disk runs full in the middle."""
    made = BytesIO()
    np.save(made, array)
    path.write_bytes(made.getbuffer())


def _shown(job: PartJob, n_rows: int) -> Any:
    """Which cells of a part are shown, its rows in the order in which they came."""
    order = np.load(job.task.order(job.number))
    shown = None
    for block, (start, end, first) in enumerate(job.taken):
        if end > start:
            own = np.load(job.task.shown(block), mmap_mode="r")[first : first + end - start]
            shown = np.empty((n_rows, own.shape[1]), dtype=np.bool_) if shown is None else shown
            shown[order[start:end]] = own
    return shown
