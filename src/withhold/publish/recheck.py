"""Prove a published file again: the policy that was stated, or the one that its manifest describes.

Nothing that comes with the file is taken on trust. The manifest only proposes how the bytes are to be read:
the proposal is followed if detection finds the same, or if the user repeats it. Nobody can detect whether
quotes before formulas belong to the names (``safe_csv``): unless the user says so, both are proved, and where
the verdicts differ it is UNDECIDED. A check that found nothing to check is UNDECIDED.
"""

from __future__ import annotations

import secrets
import shlex
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from withhold.counting.threads import Progress, quiet
from withhold.errors import InputError, PolicyError, UndecidedError, WithholdError
from withhold.formats import Data
from withhold.listed import occurring_text, protects_nobody, unknown_items
from withhold.method import Model
from withhold.publish.manifest import (
    GENUINE,
    SECRET_PARAMETERS,
    read_internal,
    read_manifest,
)
from withhold.publish.publishing import internal_of, manifest_of, sha256_of
from withhold.publish.rereading import Reading, Readings, read_published
from withhold.publish.strength import promises_less
from withhold.registry import model_from, verify
from withhold.verdict import Status, Verdict


@dataclass(frozen=True)
class Recheck:
    """What ``verify_file`` found."""

    same_bytes: bool | None
    """Whether the file is the one that its manifest describes; None: there is no manifest."""
    verdict: Verdict
    model: Model
    table: Data
    seconds: float
    policy_from: str
    """Where the policy that was proved came from, in words."""
    occurring: str = ""
    """How many of the sensitive items occur in the file, in words."""
    warnings: tuple[str, ...] = ()


def verify_file(
    path: str | Path,
    manifest: Path | None = None,
    *,
    model: Model | None = None,
    policy_from: str = "the stated policy",
    complete: Callable[[Model], Model] = lambda model: model,
    reading: Reading | None = None,
    safe_csv: bool | None = None,
    for_original: bool = False,
    allow_unknown: bool = False,
    jobs: int | None = None,
    limit_seconds: float | None = None,
    progress: Progress = quiet,
) -> Recheck:
    """Prove a published file again.

    With a ``model``, that is what must hold, whatever the manifest says; otherwise the manifest's model.
    ``complete`` adds to the model what no manifest holds. ``reading`` are options of ``read``, perhaps only
    ``for_original``; ``safe_csv`` says whether the file was written with quotes before formulas, None that
    this is not known.
    """
    began = time.perf_counter()
    path = Path(path)
    # First: it completes what a killed run left, and with it the file may become another.
    where = manifest or manifest_of(path)
    digest = sha256_of(path)
    # A stated policy needs no manifest; one that is named must be there.
    record, warnings = _manifest_beside(where, stated=model is not None, named=manifest is not None)
    if model is None:
        assert record is not None
        policy_from = f"the manifest {where.name}"
        model = complete(model_in(record, where, path))
    else:
        model = complete(model)
        if record is not None:
            warnings += _promised_otherwise(record, where, path, model, policy_from)
    same_bytes = None if record is None else digest == record["output"]["sha256"]
    if same_bytes is False and policy_from != f"the manifest {where.name}":
        warnings.append(f"{path.name} is not the file that {where.name} describes")
    options = {name: value for name, value in (reading or {}).items() if value is not None}
    try:
        readings = read_published(
            path,
            model,
            record,
            options,
            same_bytes=bool(same_bytes),
            safe_csv=safe_csv,
            for_original=for_original,
        )
    except InputError as error:
        raise _unreadable(error, path) if same_bytes is False else error from None
    prove = partial(verify, model=model, jobs=jobs, limit_seconds=limit_seconds, progress=progress)
    table, verdict = _proved(readings, prove, model, path, allow_unknown=allow_unknown)
    if (nobody := protects_nobody(model, allowed=allow_unknown)) is not None:
        method = f"nothing, since {nobody.problem}"
        verdict = replace(verdict, status=Status.UNDECIDED, method=method, checked=0)
    seconds = time.perf_counter() - began
    occurring = occurring_text(model, table)
    return Recheck(
        same_bytes, verdict, model, table, seconds, policy_from, occurring, tuple(warnings)
    )


def _manifest_beside(
    where: Path, *, stated: bool, named: bool
) -> tuple[dict[str, Any] | None, list[str]]:
    """The manifest, and what is wrong with it; a stated policy needs none, but one that is named."""
    if not stated or named:
        return read_manifest(where), []
    if not where.exists():
        return None, []
    try:
        return read_manifest(where), []
    except InputError as error:
        return None, [_unusable(where, error)]


def _promised_otherwise(
    record: Mapping[str, Any], where: Path, path: Path, model: Model, policy_from: str
) -> list[str]:
    """How a manifest falls short of the policy that is proved, in words."""
    try:
        promised = model_in(record, where, path)
    except InputError as error:
        return [_unusable(where, error)]
    less = promises_less(promised, model)
    return [f"{where.name} promises less than {policy_from}: {'; '.join(less)}"] if less else []


def _unusable(where: Path, error: InputError) -> str:
    return f"{where.name} is unusable and was not believed: {error.problem}"


def _proved(
    readings: Readings,
    prove: Callable[[Data], Verdict],
    model: Model,
    path: Path,
    *,
    allow_unknown: bool,
) -> tuple[Data, Verdict]:
    """What was proved, and the verdict: the same for both readings, where there are two."""
    tables = [readings.named]
    verdicts = [prove(readings.named)]
    if (other := readings.as_it_looks) is not None:
        tables.append(other)
        try:
            verdicts.append(prove(other))
        except WithholdError as error:
            raise _two_namings(path, verdicts[0].status.value, str(error)) from None
    judged = [
        doubted(verdict, model, table) for verdict, table in zip(verdicts, tables, strict=True)
    ]
    # A reading in which nothing was checked says nothing against the other one.
    sound = [n for n, each in enumerate(judged) if each.status is verdicts[n].status] or [0]
    if len({verdicts[n].status for n in sound}) > 1:
        raise _two_namings(path, *(verdict.status.value for verdict in verdicts))
    best = sound[0]
    return tables[best], verdicts[best] if allow_unknown else judged[best]


def model_in(record: Mapping[str, Any], where: Path, path: Path | None = None) -> Model:
    """The model that a manifest describes; which sample confirmed it stands in the internal one."""
    parameters = dict(record["model"])
    internal = None if path is None else read_internal(internal_of(path))
    sample = {} if internal is None else internal["sample"]
    # Any other sample is as good a test, as long as nobody could know it beforehand.
    fresh = {"seed": secrets.randbits(32), "round": 1, "constraints_sha256": None}
    for name in SECRET_PARAMETERS - parameters.keys():
        parameters[name] = sample.get(name, fresh[name])
    try:
        return model_from(parameters)
    except PolicyError as error:
        raise InputError(str(error), path=where, remedy=GENUINE) from error


def doubted(verdict: Verdict, model: Model, table: Data) -> Verdict:
    """The verdict, unless it rests on nothing: then nobody can know whether the right thing was asked."""
    if verdict.status is not Status.HOLDS:
        return verdict
    missing = unknown_items(model, table)
    if missing is not None and missing.is_everything:
        method = f"nothing, since {missing}; --allow-unknown accepts that"
        return replace(verdict, status=Status.UNDECIDED, method=method, checked=0)
    if verdict.checked == 0:
        method = f"nothing ({verdict.method}); --allow-unknown accepts that"
        return replace(verdict, status=Status.UNDECIDED, method=method)
    return verdict


def _two_namings(path: Path, as_proposed: str, as_it_looks: str) -> UndecidedError:
    verb = f"withhold verify {shlex.quote(str(path))}"
    return UndecidedError(
        f"{path}: the verdict depends on whether quotes before formulas belong to the names, and only its "
        "manifest says that they do not; say which it is:",
        f"  {verb} --safe-csv   (as the manifest says: {as_proposed})",
        f"  {verb} --no-safe-csv   (as the file looks: {as_it_looks})",
    )


def _unreadable(error: InputError, path: Path) -> InputError:
    return InputError(
        f"is not the file that was published, nor can it be read ({error.problem})",
        path=path,
        line=error.line,
        remedy="copy or download it again",
    )
