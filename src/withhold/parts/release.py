"""A release by parts, whole: plan, make every part, then the manifest of the folder."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import withhold
from withhold.arguments import checked
from withhold.by_parts import Choice
from withhold.counting.threads import Progress, quiet
from withhold.data import Hierarchy
from withhold.data.unknown import Unknown
from withhold.errors import PolicyError
from withhold.formats.frame_slices import is_lazy
from withhold.listed import warn_of
from withhold.method import Model
from withhold.parts import folder as folders
from withhold.parts.blocks_release import release_blocks
from withhold.parts.failures import Failed
from withhold.parts.making import Done
from withhold.parts.planning import Data, check_data
from withhold.parts.record_release import release_records
from withhold.parts.request import MadeParts, PartsRequest
from withhold.parts.running import ENGINES, STREAM
from withhold.publish.identifiers import KEEP, KEPT, check_ids
from withhold.registry import method_of, search_call
from withhold.wording import counted


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
    """Warnings for whoever opens a part."""
    asked: Model | None = None
    """The model that was asked for; ``model`` also has what was settled for all parts, such as groups."""
    choice: Choice | None = None
    """What all parts have in common, if that was chosen for all of them."""

    def __repr__(self) -> str:
        """Where it is, and how much."""
        size = f"{counted(len(self.parts), 'part')}, {counted(self.totals.records, 'record')}"
        return f"<PartsRelease folder={self.folder} model={self.model.name} verdict=HOLDS, {size}>"

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
        method = method_of(self.model)
        kept = self.ids == KEEP and method.data == "records"
        # Of items, these are about the model alone.
        weak = () if method.data == "table" else method.warnings(None, self.model)
        return (*told, *([KEPT] if kept else []), *weak, *self.found)

    def recipients(self, edition: str | None = None) -> list[tuple[str, str]]:
        """Which files of the folder may be handed on, and which stay with the custodian.

        ``edition`` is that of the report, if there is one.
        """
        first, last = self.parts[0].name, self.parts[-1].name
        names = first if first == last else f"{first} to {last}"
        own = (self.folder / f"{first}{folders.OWN_MANIFEST}").exists()
        go = [
            folders.MANIFEST,
            names,
            *([f"the {folders.OWN_MANIFEST} of each part"] if own else []),
        ]
        stay = [folders.INTERNAL, folders.STATE]
        stay += [f"the {folders.OWN_INTERNAL} of each part"] if own else []
        if edition is not None:
            (stay if edition == "internal" else go).append(folders.REPORT)
        return [("may go out", ", ".join(go)), ("stays with you", ", ".join(stay))]

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
    told: Callable[[Done | Failed], None] | None = None,
    **options: object,
) -> PartsRelease:
    """Release data that need not fit in memory, part by part, into a folder.

    Parameters
    ----------
    data
        A folder, a pattern such as ``"shop/*.parquet"``, or a large file; a Dask DataFrame or a polars
        LazyFrame with a row for each record, whose rows come in the same order whenever they are asked for.
    model
        What must hold; a model that can be released by parts.
    folder
        Where the parts go, and their manifest, which is written last: without it there is no release.
    engine
        ``"stream"``: in this process, or in ``workers`` processes; ``"dask"``: on a cluster.
    part_records
        About how many records a part has; a million if not given and each part is searched on its own, else
        250,000; of a Dask DataFrame a partition is a part. A large part is searched in pieces, to which its
        records are dealt by public items; it is proved, named and resumed as one.
    workers
        Processes that make parts, one if not given; those of a local cluster as many as there are cores.
    scheduler
        Of a Dask cluster, such as ``"tcp://192.168.0.10:8786"``; a local one if not given.
    reading
        Options of ``read`` that say how the files are to be understood.
    ids, seed, allow_unknown, **options
        As for ``anonymize``.
    jobs, progress
        As for ``advise``.
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
    check_data(data)
    inside = not is_lazy(data) and Path(data).is_dir()
    if inside and folder.resolve().is_relative_to(Path(data).resolve()):
        raise PolicyError(f"{folder} is in the input folder, and would be input; choose another")
    request = PartsRequest(
        data=data,
        model=model,
        folder=folder,
        options=options,
        reading=reading or {},
        part_records=part_records,
        engine=engine,
        workers=workers,
        scheduler=scheduler,
        ids=ids,
        seed=seed,
        force=force,
        resume=resume,
        allow_unknown=allow_unknown,
        jobs=jobs,
        progress=progress,
        told=told or (lambda _: None),
    )
    in_blocks = method_of(model).by_parts.blocks is not None
    made = _finished(request, (release_blocks if in_blocks else release_records)(request), began)
    if made.unknown is not None and not made.unknown.allowed:
        warn_of([str(made.unknown)])
    return made


def _finished(request: PartsRequest, made: MadeParts, began: float) -> PartsRelease:
    """Write the manifest: from here on there is a release."""
    internal = {
        "version": withhold.__version__,
        "input": [str(path) for path in made.sources],
        "options": {name: plain(value) for name, value in request.options.items()},
        "seed": made.seed,
        "ids": request.ids,
        "unknown": [] if made.unknown is None else [made.unknown.as_dict()],
        "warnings": [*folders.released_inputs(made.sources), *made.warnings],
        "engine": request.engine,
        "parts": [part.as_dict() for part in made.parts],
    }
    totals = folders.finish(
        request.folder, made.parts, made.model, internal, how=made.how, output=made.output
    )
    return PartsRelease(
        request.folder,
        tuple(made.parts),
        totals,
        made.model,
        made.unknown,
        time.perf_counter() - began,
        request.ids,
        {**request.options, "seed": made.seed},
        made.how,
        (*folders.released_inputs(made.sources), *made.warnings),
        request.model,
        made.choice,
    )


def plain(value: Any) -> Any:
    """An option as JSON has it: a path as its text, a tree as what it is."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Hierarchy):
        return f"a hierarchy of {counted(value.n_leaves, 'item')}"
    return sorted(value) if isinstance(value, tuple | set | frozenset) else value


def check_by_parts(model: Model, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options for every part; refuses what cannot be released by parts, and says why."""
    chosen, _ = search_call(model, options)
    if reason := method_of(model).by_parts.refused(model, chosen, options):
        raise PolicyError(f"{model.name} cannot be released by parts: {reason}")
    if options.get("bound"):
        raise PolicyError("the bounds of parts do not add up to one of the whole; leave bound out")
    has_bound = "bound" in method_of(model).searches()
    return {**options, **({"bound": False} if has_bound else {})}
