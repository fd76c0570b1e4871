"""Prove a published file again: the policy that was stated, or the one that its manifest describes.

Nothing that comes with the file is taken on trust. The manifest only proposes how the bytes are to be read:
the proposal is followed if detection finds the same, or if the user repeats it. A check that found nothing
to check is UNDECIDED.
"""

from __future__ import annotations

import secrets
import shlex
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from withhold.data import Source, Table, Transactions
from withhold.errors import InputError, PolicyError, UndecidedError
from withhold.formats import Data, read, read_back, read_table, reading_of
from withhold.formats.formulas import unescaped
from withhold.kernels.threads import Progress, quiet
from withhold.manifest import (
    GENUINE,
    SECRET_PARAMETERS,
    form_from,
    input_form,
    read_internal,
    read_manifest,
)
from withhold.models import (
    TABLE_MODELS,
    Model,
    Status,
    Verdict,
    model_from,
    occurring_text,
    protects_nobody,
    unknown_items,
)
from withhold.models.strength import promises_less
from withhold.proofs import verify
from withhold.publish import internal_of, manifest_of, sha256_of

Reading = Mapping[str, Any]
"""Options of ``read``: how the bytes are to be understood."""


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
    allow_unknown: bool = False,
    jobs: int | None = None,
    limit_seconds: float | None = None,
    progress: Progress = quiet,
) -> Recheck:
    """Prove a published file again.

    With a ``model``, that is what must hold, whatever the manifest says; otherwise the manifest's model.
    ``complete`` adds to the model what no manifest holds. ``reading`` are options of ``read``.
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
        table = read_published(path, model, record, options, same_bytes=bool(same_bytes))
    except InputError as error:
        raise _unreadable(error, path) if same_bytes is False else error from None
    verdict = verify(table, model, jobs=jobs, limit_seconds=limit_seconds, progress=progress)
    if (nobody := protects_nobody(model, allowed=allow_unknown)) is not None:
        method = f"nothing, since {nobody.problem}"
        verdict = replace(verdict, status=Status.UNDECIDED, method=method, checked=0)
    elif not allow_unknown:
        verdict = doubted(verdict, model, table)
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


def read_published(
    path: Path,
    model: Model,
    record: Mapping[str, Any] | None,
    options: Reading,
    *,
    same_bytes: bool,
) -> Data:
    """The file as the user says, or as detection and its manifest both say.

    Changed bytes may be of another form altogether, so for them detection decides.
    """
    is_table = model.name in TABLE_MODELS
    form = None if record is None else form_from(record["output"], path)
    if options or form is None or not same_bytes:
        return _as_written(_detected(path, is_table, options), form)
    try:
        proposed: Data | InputError = read_back(path, form)
    except InputError as error:
        proposed = error
    try:
        found: Data | InputError = _as_written(_detected(path, is_table, {}), form)
    except InputError as error:
        found = error
    if isinstance(proposed, InputError) or isinstance(found, InputError):
        raise _two_readings(path, form, found)
    if not _agree(proposed, found, form):
        raise _two_readings(path, form, found)
    return proposed


def _agree(proposed: Data, found: Data, form: Source) -> bool:
    """Whether the manifest's reading is the detected one: of a table, whether it has the same cells."""
    if not isinstance(proposed, Table):
        return proposed == found
    seen = found.source
    assert seen is not None
    return (seen.container, seen.separator, seen.compression) == (
        form.container,
        form.separator if form.container == "text" else seen.separator,
        form.compression,
    )


def read_original(original: Path, published: Path, options: Reading, **people: Any) -> Transactions:
    """The originals of a release, read as they were then if the internal manifest is of the same file.

    ``options`` say how the bytes are read, ``people`` whose records are left out, both as in ``read``.
    """
    form = None
    if str(original) != "-":
        internal = read_internal(internal_of(published))
        form = input_form(internal, original, sha256_of(original))
    said = {name: value for name, value in options.items() if value is not None}
    return read(original, **(said if form is None else reading_of(form)), **people)


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


def command(verb: str, path: Path, form: Source) -> str:
    """The command that reads the file in this form."""
    options = reading_of(form)
    words = [f"--{name.replace('_', '-')} {shlex.quote(value)}" for name, value in options.items()]
    return " ".join(["withhold", verb, shlex.quote(str(path)), *words])


def _detected(path: Path, is_table: bool, options: Reading) -> Data:
    if not is_table:
        return read(path, **options)
    if wrong := [name for name in options if name != "separator"]:
        raise PolicyError(
            f"--{wrong[0].replace('_', '-')} is for records of items, not for a table"
        )
    return read_table(path, **options)


def _as_written(data: Data, form: Source | None) -> Data:
    """The data without quotes before formulas, and with the cells that show the form's mark withheld."""
    if form is not None and form.safe_csv:
        data = unescaped(data)
    if not isinstance(data, Table) or form is None:
        return data
    mark = form.mark or ("" if form.container == "text" else None)
    marked = [data.column(name) for name in form.marked if name in data.names]
    return data.with_columns(column.with_withheld(mark) for column in marked)


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


def _two_readings(path: Path, form: Source, found: Data | InputError) -> UndecidedError:
    lines = [
        f"{path}: the file and its manifest do not agree on how it is to be read; say which it is:"
    ]
    lines.append(f"  {command('verify', path, form)}   (as the manifest says)")
    if isinstance(found, InputError):
        lines.append(f"  Without the manifest it cannot be read: {found.problem}.")
    elif found.source is not None:
        lines.append(f"  {command('verify', path, found.source)}   (as the file looks)")
    return UndecidedError(*lines)


def _unreadable(error: InputError, path: Path) -> InputError:
    return InputError(
        f"is not the file that was published, nor can it be read ({error.problem})",
        path=path,
        line=error.line,
        remedy="copy or download it again",
    )
