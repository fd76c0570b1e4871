"""A table that need not fit in memory, released in blocks: survey, deal, search, write, prove, then rename.

Parts keep their rows in the original order, so neither order nor bounds reveal what was withheld. A part
alone promises nothing: drafts get their names when the groups of all parts together are proved.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from withhold.counting.threads import Progress
from withhold.data import Table
from withhold.data.sensitive_values import refuse_spellings
from withhold.errors import InputError, NotVerifiedError, PolicyError
from withhold.formats.frame_slices import is_lazy
from withhold.formats.slices import Slice
from withhold.formats.table import refuse_ambiguous, table_form
from withhold.formats.table_slices import TableReader, cut_table, table_form_of, table_reader
from withhold.method import Model
from withhold.parts import folder as folders
from withhold.parts.blocks import (
    BlockJob,
    DealtPart,
    PartJob,
    Surveyed,
    Task,
    WrittenPart,
    deal_part,
    search_block,
    survey_part,
    write_part,
)
from withhold.parts.failures import Failed, refuse_failed
from withhold.parts.group_proof import prove_groups, totals_of
from withhold.parts.making import Done
from withhold.parts.planning import (
    PART_RECORDS,
    check_same,
    checked_reading,
    extension_for,
    find_files,
)
from withhold.parts.request import MadeParts, PartsRequest
from withhold.parts.running import Engine
from withhold.phases import phase
from withhold.publish.manifest import form_as_dict
from withhold.verdict import Verdict

Steps = Callable[[Sequence[Any], Callable[[Any], Any], str], list[Any]]


@phase("releasing parts")
def release_blocks(request: PartsRequest) -> MadeParts:
    """The parts under their names; nothing has one before all of them are proved."""
    if is_lazy(request.data):
        raise PolicyError("tables by parts are files; write the frame to parquet first")
    files = find_files(str(request.data))
    request.check_files(files)
    seed, _ = request.begin(files)
    reader, pieces = plan_tables(files, request.part_records, request.reading)
    work = request.folder / folders.WORK
    work.mkdir(mode=0o700)
    try:
        task = Task(reader, request.model, request.options, seed, work)
        extension = extension_for(reader.form, files, ".csv")
        jobs = [
            PartJob(
                number=number,
                piece=piece,
                task=task,
                name=folders.part_name(number, len(pieces), extension),
                mark=request.reading.get("mark"),
            )
            for number, piece in enumerate(pieces)
        ]
        with request.running() as run:
            written, verdict = _drafts(jobs, task, _steps(run, request.progress), request)
        made = _named(written, request.folder, task)
        return MadeParts(
            made,
            files,
            seed,
            request.model,
            verdict.method,
            output=_form(written),
            warnings=_warnings(written),
        )
    finally:
        folders.remove_work(request.folder)


def plan_tables(
    files: Sequence[Path], part_records: int | None, reading: Mapping[str, Any]
) -> tuple[TableReader, list[Slice]]:
    """How the files are read, and where they are cut."""
    reading = checked_reading(reading)
    how = {name: reading.get(name) for name in ("separator", "encoding", "sheet")}
    forms = [table_form_of(path, **how) for path in files]
    for each in forms:
        check_same(forms[0], each)
    asked = {name: reading[name] for name in ("drop", "bins", "decimal") if reading.get(name)}
    pieces = [
        piece
        for path, form in zip(files, forms, strict=True)
        for piece in cut_table(path, form, part_records or PART_RECORDS)
    ]
    return table_reader(forms[0], **asked), pieces


def _drafts(
    jobs: Sequence[PartJob], task: Task, steps: Steps, request: PartsRequest
) -> tuple[list[WrittenPart], Verdict]:
    """All parts as drafts, and the verdict on them, which holds."""
    surveyed: list[Surveyed] = steps(jobs, survey_part, "looking at parts")
    alike = [(each.survey.names, each.whole_numbers) for each in surveyed]
    for job, own in zip(jobs, alike, strict=True):
        check_alike(job.piece.path, own, alike[0])
    whole = task.blocks.join([each.survey for each in surveyed], task.model, task.search)
    if not request.allow_unknown:
        _refuse_spellings(whole, task.model)
    known = [
        replace(job, survey=each.survey, whole=whole, digest=each.digest)
        for job, each in zip(jobs, surveyed, strict=True)
    ]
    dealt: list[DealtPart] = steps(known, deal_part, "dealing rows to blocks")
    sizes = np.stack([each.sizes for each in dealt])
    counts = [
        np.sum([each.counts[n] for each in dealt], axis=0) for n in range(len(dealt[0].counts))
    ]
    spans = task.blocks.spans(sizes.sum(axis=0), counts, whole, task.model)
    # By part and block: where its rows begin among those of the part, and of the block.
    ends = np.concatenate((np.zeros((len(jobs), 1), dtype=np.int64), sizes.cumsum(axis=1)), axis=1)
    starts = ends[:, [first for first, _ in spans]]
    stops = ends[:, [end for _, end in spans]]
    before = (stops - starts).cumsum(axis=0) - (stops - starts)
    blocks = [
        BlockJob(
            number=number,
            task=task,
            whole=whole,
            taken=list(zip(starts[:, number].tolist(), stops[:, number].tolist(), strict=True)),
        )
        for number in range(len(spans))
    ]
    found = steps(blocks, search_block, "searching blocks")
    withheld = np.any([columns for _, columns in found], axis=0)
    _refuse_marks(jobs[0], whole, withheld)
    to_write = [
        replace(
            job,
            survey=None,
            whole=None,
            taken=list(
                zip(
                    starts[job.number].tolist(),
                    stops[job.number].tolist(),
                    before[job.number].tolist(),
                    strict=True,
                )
            ),
        )
        for job in known
    ]
    written: list[WrittenPart] = steps(to_write, write_part, "writing parts")
    verdict = prove_groups(
        [task.counts(each.done.number) for each in written],
        sum(each.groups for each in written),
        totals_of(each.values for each in written),
        task.model,
    )
    if not verdict.status.may_be_published:
        raise NotVerifiedError(
            f"the parts did not pass their proof ({verdict.status.value}: {verdict.witness}); nothing was "
            "published"
        )
    for each in written:
        request.told(each.done)
    return written, verdict


def _refuse_spellings(whole: Any, model: Model) -> None:
    """Refuse several spellings of one sensitive value, wherever each of them is."""
    sensitive = getattr(model, "sensitive_column", ())
    for column, counts in zip(whole.columns, whole.counts, strict=True):
        if column.name in sensitive:
            own = zip(column.values, counts.tolist(), strict=True)
            refuse_spellings(column.name, dict(own), by_parts=True)


def _steps(run: Engine, progress: Progress) -> Steps:
    """The function that runs the jobs of a step: returns all results in order, or fails."""

    def step(jobs: Sequence[Any], make: Callable[[Any], Any], what: str) -> list[Any]:
        found: list[Any] = []
        failed: list[Failed] = []
        for outcome in run(make, jobs):
            if isinstance(outcome, Failed):
                failed.append(outcome)
            else:
                found.append(outcome)
            progress(f"{what}: {len(found)} of {len(jobs)}", len(found), len(jobs))
        if failed:
            refuse_failed(failed, len(jobs), kept="The seed is kept.")
        return sorted(found, key=_number)

    return step


def _number(outcome: Any) -> int:
    if isinstance(outcome, WrittenPart):
        return outcome.done.number
    return int(outcome[0] if isinstance(outcome, tuple) else outcome.number)


def check_alike(
    path: Path,
    own: tuple[tuple[str, ...], frozenset[str]],
    first: tuple[tuple[str, ...], frozenset[str]],
) -> None:
    """Refuse a part that has other columns, or other columns of whole numbers in ranges, than the first."""
    if own[0] != first[0]:
        remedy = "give all files the same columns in the same order"
        raise InputError("has other columns than the first part", path=path, remedy=remedy)
    if different := sorted(own[1] ^ first[1]):
        raise InputError(
            "has whole numbers in some files and decimals in others, whose ranges are named differently",
            path=path,
            column=different[0],
            remedy="bin the column beforehand",
        )


def _refuse_marks(job: PartJob, whole: Any, withheld: Any) -> None:
    """Refuse a mark, or an empty cell as one, that is a value of a column with withheld cells in any part."""
    form = table_form(job.name, job.task.reader.form, job.mark)
    for column, any_withheld in zip(whole.columns, withheld.tolist(), strict=False):
        if any_withheld:
            refuse_ambiguous(Table((column,)), form, [column.name])


def _named(written: Sequence[WrittenPart], folder: Path, task: Task) -> list[Done]:
    """Give the drafts their names, after removing what an earlier release left."""
    for path in folder.iterdir():
        if path.name.startswith("part-"):
            path.unlink()
    for each in written:
        draft = task.draft(each.done.name)
        with draft.open("rb") as file:
            os.fsync(file.fileno())
        draft.rename(folder / each.done.name)
    return [each.done for each in written]


def _form(written: Sequence[WrittenPart]) -> dict[str, Any]:
    """The form of every part, for the manifest: with all columns in which any part has a mark."""
    marked = {name for each in written for name in each.form.marked}
    form = written[0].form
    return form_as_dict(
        replace(form, marked=tuple(name for name in form.columns if name in marked), sha256="")
    )


def _warnings(written: Sequence[WrittenPart]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line for each in written for line in each.warnings))
