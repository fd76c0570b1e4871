"""A release by parts, whole: plan, make every part, then the manifest of the folder."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import withhold
from withhold.arguments import checked
from withhold.by_parts import Rounds
from withhold.counting.threads import Progress, quiet
from withhold.data.unknown import Unknown, find_unknown, refuse_if_nothing_known, refuse_misspelt
from withhold.errors import NotVerifiedError, PolicyError, WithholdError
from withhold.formats.frame_slices import is_lazy
from withhold.method import Model
from withhold.parts import folder as folders
from withhold.parts.blocks_release import release_blocks
from withhold.parts.counting import of_slice, of_written, over_parts
from withhold.parts.making import Done, Failed, Job, make_part
from withhold.parts.pace import Pace
from withhold.parts.planning import Data, check_data, find_files, plan
from withhold.parts.running import ENGINES, STREAM, Engine, engine_for
from withhold.phases import phase
from withhold.publish.identifiers import KEEP, KEPT, check_ids
from withhold.publish.manifest import form_from
from withhold.registry import method_of, search_call
from withhold.verdict import Status, Verdict
from withhold.wording import counted

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
    options: Mapping[str, Any]
    """How every part was searched, and the seed of the release."""
    how: str = folders.BY_PARTS
    """How it was proved, in words."""
    found: tuple[str, ...] = ()
    """What whoever opens a part should know."""

    @property
    def proved(self) -> str:
        """Whether each part was proved, or what all of them hold together."""
        return "by parts" if self.how == folders.BY_PARTS else "by counts of all parts"

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
            "verdict": {"status": "HOLDS", "method": self.how},
            "parts": len(self.parts),
            "resumed": self.resumed,
            "loss": self.totals.as_dict(),
            "warnings": list(self.warnings),
            "seconds": round(self.seconds, 3),
        }


@checked
def anonymize_parts(
    data: Data,
    model: Model,
    folder: str | os.PathLike[str],
    *,
    engine: str = STREAM,
    part_records: int | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    reading: Mapping[str, object] | None = None,
    ids: str = "renumber",
    seed: int | None = None,
    force: bool = False,
    resume: bool = False,
    allow_unknown: bool = False,
    jobs: int | None = None,
    progress: Progress = quiet,
    told: Callable[[Done | Failed], None] = lambda _: None,
    **options: object,
) -> PartsRelease:
    """Release data that need not fit in memory, part by part, into a folder.

    Parameters
    ----------
    data
        A folder, a pattern such as ``"shop/*.parquet"``, or a large file; a Dask DataFrame or a polars
        LazyFrame with a row for each record, whose rows come in the same order whenever they are asked for.
    model
        What must hold; ``RhoUncertainty``, which holds for the whole if it holds for every part.
    folder
        Where the parts go, and their manifest, which is written last: without it there is no release.
    engine
        ``"stream"``: in this process, or in ``workers`` processes; ``"dask"``: on a cluster.
    part_records
        About how many records a part has, 250,000 if not given; of a Dask DataFrame a partition is a part.
    workers
        Processes that make parts, one if not given; those of a local cluster as many as there are cores.
    scheduler
        Of a Dask cluster, such as ``"tcp://192.168.0.10:8786"``; a local one if not given.
    reading
        Options of ``read`` that say how the files are to be understood.
    ids, seed, allow_unknown, jobs, progress, **options
        As for ``anonymize``.
    force, resume
        Replace what is in the folder; or go on with the parts that an earlier run proved.
    told
        Hears of every part as it is finished.

    Returns
    -------
    PartsRelease
        The folder, its parts, and what they lost together.

    Raises
    ------
    WithholdError
        If a part could not be made; those that were proved stay, for ``resume``.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import withhold as wh
    >>> shop = [["bread", "beer", "condom"], ["beer", "condom"], ["bread"], ["beer"]] * 5
    >>> model = wh.RhoUncertainty("0.5", {"condom"})
    >>> with TemporaryDirectory() as folder:
    ...     source, target = Path(folder) / "shop.dat", Path(folder) / "published"
    ...     _ = source.write_text("".join(" ".join(record) + "\\n" for record in shop))
    ...     made = anonymize_parts(source, model, target, part_records=10, seed=1)
    ...     len(made.parts), made.totals.records
    (2, 20)
    """
    began = time.perf_counter()
    folder = Path(folder)
    if engine not in ENGINES:
        raise PolicyError(
            f"the engine of a release by parts is {' or '.join(ENGINES)}, not {engine!r}"
        )
    check_ids(ids)
    options = check_by_parts(model, options)
    counts = method_of(model).by_parts.counts
    check_data(data)
    inside = not is_lazy(data) and Path(data).is_dir()
    if inside and folder.resolve().is_relative_to(Path(data).resolve()):
        raise PolicyError(f"{folder} is in the input folder, and would be input; choose another")
    if method_of(model).by_parts.blocks is not None:
        files = _files_of_tables(data)
        seed, _ = folders.begin(folder, files, seed, force=force, resume=resume)
        with phase("releasing parts"):
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
        how = verdict.method
        totals = folders.finish(folder, made, model, internal, how=how, output=output)
        seconds = time.perf_counter() - began
        in_force = {**options, "seed": seed}
        return PartsRelease(
            folder, tuple(made), totals, model, None, seconds, ids, in_force, how, warnings
        )
    with phase("reading"):
        form, pieces, files = plan(data, part_records=part_records, reading=reading)
    seed, known = folders.begin(folder, files, seed, force=force, resume=resume)
    extension = EXTENSIONS.get(form.container) or "".join(files[0].suffixes[:1]) or ".dat"
    # A part can only be one of the same number, of which its key is, too; no job is sent all of them.
    by_number: dict[int, dict[str, Done]] = {}
    for key, part in known.items():
        by_number.setdefault(part.number, {})[key] = part
    targets = [
        folder / folders.part_name(number, len(pieces), extension) for number in range(len(pieces))
    ]
    made = []
    failed: list[Failed] = []
    with engine_for(engine, workers, scheduler) as run:
        choice = None
        if counts is not None:
            parts = [of_slice(piece, form) for piece in pieces]
            refuse = partial(_refuse, n_parts=len(pieces))
            chosen, _ = search_call(model, options)
            asking = counts.choose(model, chosen)
            with phase("choosing"):
                choice = over_parts(asking, parts, run, refuse, progress=progress)
        asked = (model, options, seed, ids, jobs)
        jobs_of = [
            Job(number, piece, form, target, *asked, by_number.get(number), choice)
            for number, (piece, target) in enumerate(zip(pieces, targets, strict=True))
        ]
        pace = Pace(len(pieces), n_workers(engine, workers), len(known))
        with phase("releasing parts"):
            for outcome in run(make_part, jobs_of):
                told(outcome)
                pace.add(outcome)
                if isinstance(outcome, Failed):
                    failed.append(outcome)
                else:
                    made.append(outcome)
                    if not outcome.resumed:
                        folders.note(folder, outcome)
                progress(str(pace), pace.done, pace.total)
        if failed:
            _refuse(failed, len(pieces))
        made.sort(key=lambda part: part.number)
        unknown = _listed(model, made, allowed=allow_unknown)
        how = folders.BY_PARTS
        if counts is not None:
            how = _proved(counts.prove(model), folder, made, run, progress)
    sources = files or [Path(type(data).__name__)]
    internal = _internal(sources, options, seed, ids, unknown, engine, made)
    totals = folders.finish(folder, made, model, internal, how=how)
    seconds = time.perf_counter() - began
    in_force = {**options, "seed": seed}
    return PartsRelease(folder, tuple(made), totals, model, unknown, seconds, ids, in_force, how)


def _files_of_tables(data: Data) -> list[Path]:
    """The files of a table that is released in blocks."""
    if is_lazy(data):
        raise PolicyError("tables by parts are files; write the frame to parquet first")
    return find_files(str(data))


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
    if reason := method_of(model).by_parts.refused(model, chosen, options):
        raise PolicyError(f"{model.name} cannot be released by parts: {reason}")
    if options.get("bound"):
        raise PolicyError("the bounds of parts do not add up to one of the whole; leave bound out")
    has_bound = "bound" in method_of(model).searches()
    return {**options, **({"bound": False} if has_bound else {})}


def n_workers(engine: str, workers: int | None) -> int:
    """How many parts are made at the same time, as far as that is known: a cluster may have more."""
    return workers or (1 if engine == STREAM else os.cpu_count() or 1)


def _proved(
    proof: Rounds[Verdict], folder: Path, made: Sequence[Done], run: Engine, progress: Progress
) -> str:
    """How all parts together were proved, counted from what was written; else none of them stays."""
    parts = []
    for part in made:
        path = folder / part.name
        parts.append(of_written(path, form_from(part.form or {}, path), part.sha256))
    refuse = partial(_refuse, n_parts=len(parts))
    with phase("proving"):
        verdict = over_parts(proof, parts, run, refuse, what="proving", progress=progress)
    if not verdict.status.may_be_published:
        for part in made:
            (folder / part.name).unlink(missing_ok=True)
        raise NotVerifiedError(
            f"what was written to {folder} did not pass its proof ({verdict.status.value}: "
            f"{verdict.witness}); it was not published",
            undecided=verdict.status is Status.UNDECIDED,
        )
    return verdict.method


def _listed(model: Model, parts: Sequence[Done], *, allowed: bool) -> Unknown | None:
    """The listed items that no part has; raises if no part has any."""
    if not model.sensitive:
        return None
    found = {name for part in parts for name in part.found}
    what = method_of(model).listed
    missing = find_unknown(model.sensitive, found, what=what, allowed=allowed)
    refuse_misspelt(missing, found)
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
