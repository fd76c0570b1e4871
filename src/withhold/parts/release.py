"""A release by parts, whole: plan, make every part, then the manifest of the folder."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import withhold
from withhold.counting.threads import Progress, quiet
from withhold.data.unknown import Unknown, find_unknown, refuse_if_nothing_known
from withhold.errors import PolicyError, WithholdError
from withhold.method import Model
from withhold.parts import folder as folders
from withhold.parts.blocks_release import release_blocks
from withhold.parts.making import Done, Failed, Job
from withhold.parts.planning import find_files, plan_parts
from withhold.parts.running import run_here, run_in_processes, run_with_dask
from withhold.publish.identifiers import KEEP, KEPT, check_ids
from withhold.registry import method_of, search_call
from withhold.wording import counted

STREAM, DASK = ENGINES = ("stream", "dask")
EXTENSIONS = {"parquet": ".parquet", "jsonl": ".jsonl"}


@dataclass(frozen=True)
class PartsRelease:
    """What was written."""

    folder: Path
    parts: tuple[Done, ...]
    totals: folders.Totals
    model: Model
    unknown: Unknown | None
    seconds: float
    ids: str
    proof: str = folders.BY_PARTS
    """How all parts were proved."""
    found: tuple[str, ...] = ()
    """What whoever opens a part should know."""

    @property
    def resumed(self) -> int:
        """How many parts an earlier run had proved."""
        return sum(part.resumed for part in self.parts)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the custodian should know before this goes out."""
        missing = self.unknown
        told = [] if missing is None or missing.allowed else [str(missing)]
        kept = self.ids == KEEP and method_of(self.model).data == "records"
        return (*told, *([KEPT] if kept else []), *self.found)

    def as_dict(self) -> dict[str, Any]:
        """The release as plain values."""
        return {
            "folder": str(self.folder),
            "promise": self.model.promise(),
            "model": self.model.parameters(),
            "verdict": {"status": "HOLDS", "method": self.proof},
            "parts": len(self.parts),
            "resumed": self.resumed,
            "loss": self.totals.as_dict(),
            "warnings": list(self.warnings),
            "seconds": round(self.seconds, 3),
        }


def anonymize_parts(
    data: str,
    model: Model,
    folder: Path,
    *,
    engine: str = STREAM,
    part_records: int | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    reading: Mapping[str, Any] | None = None,
    ids: str = "renumber",
    seed: int | None = None,
    force: bool = False,
    resume: bool = False,
    allow_unknown: bool = False,
    jobs: int | None = None,
    progress: Progress = quiet,
    told: Callable[[Done | Failed], None] = lambda _: None,
    **options: Any,
) -> PartsRelease:
    """Release a folder, a pattern or a large file part by part into a folder.

    ``told`` hears of every part as it is finished. The parts that were proved stay whatever happens; there is
    a release when all are.
    """
    began = time.perf_counter()
    if engine not in ENGINES:
        raise PolicyError(
            f"the engine of a release by parts is {' or '.join(ENGINES)}, not {engine!r}"
        )
    check_ids(ids)
    options = check_by_parts(model, options)
    files = find_files(data)
    if Path(data).is_dir() and folder.resolve().is_relative_to(Path(data).resolve()):
        raise PolicyError(f"{folder} is in the input folder, and would be input; choose another")
    if method_of(model).blocks is not None:
        seed, _ = folders.begin(folder, files, seed, force=force, resume=resume)
        made, verdict, output, warnings = release_blocks(
            files,
            model,
            folder,
            options=options,
            reading=reading or {},
            part_records=part_records,
            engine=(engine, workers, scheduler),
            seed=seed,
            progress=progress,
            told=told,
        )
        internal = _internal(files, options, seed, ids, None, engine, made)
        totals = folders.finish(folder, made, model, internal, proof=verdict.method, output=output)
        seconds = time.perf_counter() - began
        return PartsRelease(
            folder, tuple(made), totals, model, None, seconds, ids, verdict.method, warnings
        )
    form, pieces = plan_parts(files, part_records=part_records, **(reading or {}))
    seed, known = folders.begin(folder, files, seed, force=force, resume=resume)
    extension = EXTENSIONS.get(form.container) or "".join(files[0].suffixes[:1]) or ".dat"
    jobs_of = [
        Job(
            number,
            piece,
            form,
            folder / folders.part_name(number, len(pieces), extension),
            model,
            options,
            seed,
            ids,
            jobs,
            known,
        )
        for number, piece in enumerate(pieces)
    ]
    made = []
    failed: list[Failed] = []
    for outcome in _run(jobs_of, engine, workers, scheduler):
        told(outcome)
        if isinstance(outcome, Failed):
            failed.append(outcome)
        else:
            made.append(outcome)
            if not outcome.resumed:
                folders.note(folder, outcome)
        progress(*_so_far(len(made) + len(failed), len(pieces), began))
    if failed:
        _refuse(failed, len(pieces))
    made.sort(key=lambda part: part.number)
    unknown = _listed(model, made, allowed=allow_unknown)
    internal = _internal(files, options, seed, ids, unknown, engine, made)
    totals = folders.finish(folder, made, model, internal)
    seconds = time.perf_counter() - began
    return PartsRelease(folder, tuple(made), totals, model, unknown, seconds, ids)


def _internal(
    files: Sequence[Path],
    options: Mapping[str, Any],
    seed: int,
    ids: str,
    unknown: Unknown | None,
    engine: str,
    made: Sequence[Done],
) -> dict[str, Any]:
    """What stays with the custodian."""
    return {
        "version": withhold.__version__,
        "input": [str(path) for path in files],
        "options": dict(options),
        "seed": seed,
        "ids": ids,
        "unknown": [] if unknown is None else [unknown.as_dict()],
        "engine": engine,
        "parts": [part.as_dict() for part in made],
    }


def check_by_parts(model: Model, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options for every part; refuses what cannot be released so, and says why."""
    chosen, _ = search_call(model, options)
    method = method_of(model)
    refusal = method.not_by_parts if method.blocks is None else method.blocks.refusal
    if reason := refusal(model, chosen):
        raise PolicyError(f"{model.name} cannot be released by parts: {reason}")
    if options.get("bound"):
        raise PolicyError("the bounds of parts do not add up to one of the whole; leave bound out")
    has_bound = "bound" in method_of(model).searches()
    return {**options, **({"bound": False} if has_bound else {})}


def _run(
    jobs: Sequence[Job], engine: str, workers: int | None, scheduler: str | None
) -> Iterator[Done | Failed]:
    if engine == DASK:
        return run_with_dask(jobs, workers, scheduler)
    if workers is not None and workers > 1:
        return run_in_processes(jobs, workers)
    return run_here(jobs)


def _so_far(done: int, total: int, began: float) -> tuple[str, int, int]:
    """How far it is, and how long it will take at this pace."""
    left = (time.perf_counter() - began) / max(done, 1) * (total - done)
    shown = f"{left:.0f} s" if left < 120 else f"{left / 60:.0f} min"
    return f"parts: {done} of {total}, about {shown} left", done, total


def _listed(model: Model, parts: Sequence[Done], *, allowed: bool) -> Unknown | None:
    """The listed items that no part has; raises if no part has any."""
    if not model.sensitive:
        return None
    found = {name for part in parts for name in part.found}
    what = method_of(model).listed
    missing = find_unknown(model.sensitive, found, what=what, allowed=allowed)
    refuse_if_nothing_known(missing)
    return missing


def _refuse(failed: Sequence[Failed], n_parts: int) -> NoReturn:
    """Say which parts could not be made; the others wait for --resume."""
    first = min(failed, key=lambda each: each.number)
    lines = [
        f"{counted(len(failed), 'part')} of {n_parts:,} could not be made; nothing was published:",
        *(
            f"  part {each.number + 1} ({each.piece}): {' '.join(each.lines)}"
            for each in sorted(failed, key=lambda each: each.number)[:10]
        ),
        "The other parts are kept. Mend these, and run the same command with --resume.",
    ]
    error = WithholdError(*lines)
    error.exit_code = first.exit_code
    raise error
