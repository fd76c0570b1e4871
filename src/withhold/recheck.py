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

from withhold.data import Source, Table, Transactions
from withhold.errors import InputError, PolicyError, UndecidedError, WithholdError
from withhold.formats import Data, read, read_back, read_table, reading_of
from withhold.formats.formulas import escape, holds_formulas, unescaped
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


@dataclass(frozen=True)
class Readings:
    """A published file as its manifest says that it is read, and as it looks where that may differ."""

    named: Data
    as_it_looks: Data | None = None
    """With the quotes before formulas, where only the manifest says that they belong to no name."""


def read_published(
    path: Path,
    model: Model,
    record: Mapping[str, Any] | None,
    options: Reading,
    *,
    same_bytes: bool,
    safe_csv: bool | None = None,
    for_original: bool = False,
) -> Readings:
    """The file as the user says, or as detection and its manifest both say.

    Changed bytes may be of another form altogether, so for them detection decides. Options that may be
    ``for_original`` are not used where detection and manifest agree without them.
    """
    form = None if record is None else form_from(record["output"], path)
    proposed = form is not None and form.safe_csv
    if form is not None and proposed:
        # As the file has them: what stands for a withheld cell got its quote, too.
        marked = tuple(map(escape, form.marked))
        form = replace(form, safe_csv=False, mark=escape(form.mark), marked=marked)
    if for_original and options and form is not None and same_bytes:
        try:
            data = _read_bytes(path, model, form, {}, same_bytes=True)
        except (InputError, UndecidedError):
            data = _read_bytes(path, model, form, options, same_bytes=True)
    else:
        data = _read_bytes(path, model, form, options, same_bytes=same_bytes)
    if not (proposed if safe_csv is None else safe_csv):
        return Readings(data)
    if holds_formulas(data):
        # Where two cells differ by a quote that is no part of a name, they would become one.
        if safe_csv is None and not same_bytes:
            return Readings(data)
        raise InputError(
            "holds cells that a spreadsheet may run, so it was not written with --safe-csv",
            path=path,
            remedy=f"say --no-safe-csv, or {GENUINE}",
        )
    named = unescaped(data)
    return Readings(named, None if safe_csv is not None or named == data else data)


def _read_bytes(
    path: Path, model: Model, form: Source | None, options: Reading, *, same_bytes: bool
) -> Data:
    """The file with all names as they stand there."""
    is_table = model.name in TABLE_MODELS
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
    if (
        isinstance(proposed, InputError)
        or isinstance(found, InputError)
        or not _agree(proposed, found, form)
    ):
        raise _two_readings(path, form, proposed, found)
    return proposed


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

    ``options`` say how the bytes are read, and win over the manifest; ``people`` whose records are left out,
    both as in ``read``.
    """
    said = {name: value for name, value in options.items() if value is not None}
    form = None
    if str(original) != "-" and not said:
        internal = read_internal(internal_of(published))
        form = input_form(internal, original, sha256_of(original))
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
    """The data with the cells that show the form's mark withheld."""
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


def _two_readings(
    path: Path, form: Source, proposed: Data | InputError, found: Data | InputError
) -> UndecidedError:
    as_proposed = command("verify", path, form)
    as_found = ""
    if not isinstance(found, InputError) and found.source is not None:
        as_found = command("verify", path, found.source)
    if as_proposed == as_found:
        why = f" ({proposed.problem})" if isinstance(proposed, InputError) else ""
        lines = [
            f"{path}: its manifest does not fit the file{why}; {GENUINE}, or remove it and state the policy"
        ]
        if reading_of(form):
            lines.append(f"  {as_found}   (as the file looks)")
        return UndecidedError(*lines)
    lines = [
        f"{path}: the file and its manifest do not agree on how it is to be read; say which it is:"
    ]
    lines.append(f"  {as_proposed}   (as the manifest says)")
    if isinstance(found, InputError):
        lines.append(f"  Without the manifest it cannot be read: {found.problem}.")
    elif as_found:
        lines.append(f"  {as_found}   (as the file looks)")
    return UndecidedError(*lines)


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
