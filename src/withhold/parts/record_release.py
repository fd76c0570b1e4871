"""Records released part by part: count if something is chosen for all parts, make every part, prove."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from withhold.by_parts import Rounds
from withhold.data import Records, Source
from withhold.data.identifying import FEWEST
from withhold.data.identifying_items import FEWEST_OF_PART
from withhold.data.roles import Publish
from withhold.data.unknown import Unknown, find_unknown, refuse_wrong_list
from withhold.data.variants import refuse_variants
from withhold.errors import InputError, NotVerifiedError
from withhold.formats.slices import Piece, Slice, read_slice
from withhold.given import check_items
from withhold.method import Model
from withhold.parts import folder as folders
from withhold.parts.counting import of_slice, of_written, over_parts
from withhold.parts.failures import Failed, refuse_failed
from withhold.parts.making import Done, Job, make_part
from withhold.parts.pace import Pace
from withhold.parts.planning import PART_RECORDS, SEARCHED_RECORDS, extension_for, plan
from withhold.parts.request import MadeParts, PartsRequest
from withhold.parts.running import Engine, n_workers
from withhold.phases import phase
from withhold.publish.manifest import form_from
from withhold.registry import method_of, search_call
from withhold.verdict import Status, Verdict

KEPT = "The other parts are kept."
SMALL_BYTES = 1 << 20
"""A thousand records have fewer bytes than this, or say enough without others."""


def release_records(request: PartsRequest) -> MadeParts:
    """The parts under their names; each is proved, or all of them by counts."""
    model = request.model
    ways, (chosen, _) = method_of(model).by_parts, search_call(model, request.options)
    counts, settling = ways.counts, ways.settle(model, chosen)
    usual = SEARCHED_RECORDS if counts is None else PART_RECORDS
    with phase("reading"):
        form, pieces, files = plan(
            request.data, part_records=request.part_records or usual, reading=request.reading
        )
    request.check_files(files)
    _check_small_parts(pieces, form, model, chosen.publish)
    seed, known = request.begin(files)
    with request.running() as run:
        choice = settled = None
        if counts is not None:
            choice = _counted(counts.choose(model, chosen), pieces, form, run, request)
        elif settling is not None:
            settled = _counted(settling, pieces, form, run, request)
        jobs = _jobs(request, pieces, form, files, seed, known)
        jobs = [replace(job, choice=choice, settled=settled) for job in jobs]
        made = _make_all(jobs, run, request, len(known))
        unknown = _listed(model, made, allowed=request.allow_unknown)
        how = folders.BY_PARTS
        if counts is not None:
            how = _proved(counts.prove(model), made, run, request)
    sources = files or [Path(type(request.data).__name__)]
    promised = model if settled is None else settled.model
    common = choice if settled is None else settled.choice
    return MadeParts(made, sources, seed, promised, how, unknown=unknown, choice=common)


def _check_small_parts(
    pieces: Sequence[Piece], form: Source, model: Model, publish: Publish
) -> None:
    """Stop if items may identify people, although each part is too small to tell: the first ones together."""
    rows: list[list[str]] = []
    left = list(reversed(pieces))
    while left and len(rows) < FEWEST_OF_PART:
        if not _is_small(piece := left.pop(), form):
            return  # such a part is looked at when it is made
        try:
            rows += read_slice(piece, form).to_lists()
        except InputError:
            return  # which the part itself reports
    fewest = FEWEST_OF_PART if left else FEWEST
    check_items(Records.from_lists(rows), model, publish, fewest=fewest)


def _is_small(piece: Piece, form: Source) -> bool:
    """Whether a part may have too few records to tell."""
    if piece.end is None:
        return isinstance(piece, Slice) and piece.path.stat().st_size < SMALL_BYTES
    has_rows = form.container == "parquet" or not isinstance(piece, Slice)
    return piece.end - piece.start < (FEWEST_OF_PART if has_rows else SMALL_BYTES)


@phase("choosing")
def _counted(
    rounds: Rounds[Any], pieces: Sequence[Piece], form: Source, run: Engine, request: PartsRequest
) -> Any:
    """What was chosen for all parts."""
    parts = [of_slice(piece, form) for piece in pieces]
    refuse = partial(refuse_failed, n_parts=len(pieces), kept=KEPT)
    return over_parts(rounds, parts, run, refuse, progress=request.progress)


def _jobs(
    request: PartsRequest,
    pieces: Sequence[Piece],
    form: Source,
    files: Sequence[Path],
    seed: int,
    known: dict[str, Done],
) -> list[Job]:
    """A job for each part."""
    extension = extension_for(form, files)
    # Only a part of the same number can have the same key, so no job is sent all of them.
    by_number: dict[int, dict[str, Done]] = {}
    for key, part in known.items():
        by_number.setdefault(part.number, {})[key] = part
    return [
        Job(
            number,
            piece,
            form,
            request.folder / folders.part_name(number, len(pieces), extension),
            request.model,
            request.options,
            seed,
            request.ids,
            request.jobs,
            by_number.get(number),
        )
        for number, piece in enumerate(pieces)
    ]


@phase("releasing parts")
def _make_all(jobs: Sequence[Job], run: Engine, request: PartsRequest, n_known: int) -> list[Done]:
    """All parts in their order; those that are made are noted as they come."""
    made: list[Done] = []
    failed: list[Failed] = []
    pace = Pace(len(jobs), n_workers(request.engine, request.workers), n_known)
    for outcome in run(make_part, jobs):
        request.told(outcome)
        pace.add(outcome)
        if isinstance(outcome, Failed):
            failed.append(outcome)
        else:
            made.append(outcome)
            if not outcome.resumed:
                folders.note(request.folder, outcome)
        request.progress(str(pace), pace.done, pace.total)
    if failed:
        refuse_failed(failed, len(jobs), kept=KEPT)
    return sorted(made, key=lambda part: part.number)


@phase("proving")
def _proved(
    proof: Rounds[Verdict], made: Sequence[Done], run: Engine, request: PartsRequest
) -> str:
    """How all parts together were proved, by counts of what was written; if that fails, none stays."""
    parts = []
    for part in made:
        path = request.folder / part.name
        parts.append(of_written(path, form_from(part.form or {}, path), part.sha256))
    refuse = partial(refuse_failed, n_parts=len(parts), kept=KEPT)
    verdict = over_parts(proof, parts, run, refuse, what="proving", progress=request.progress)
    if not verdict.status.may_be_published:
        for part in made:
            (request.folder / part.name).unlink(missing_ok=True)
        raise NotVerifiedError(
            f"what was written to {request.folder} did not pass its proof ({verdict.status.value}: "
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
    refuse_wrong_list(missing, found)
    if not allowed:
        refuse_variants(model.sensitive, dict.fromkeys(found, 0), what=what)
    return missing
