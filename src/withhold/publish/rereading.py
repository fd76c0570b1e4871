"""How a published file is read again: as the user says, or as detection and its manifest both say.

Nothing that comes with the file is taken on trust. The manifest only proposes how the bytes are to be read:
the proposal is followed if detection finds the same, or if the user repeats it.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from withhold.data import Records, Source, Table
from withhold.errors import InputError, PolicyError, UndecidedError
from withhold.formats import Data, read, read_back, read_table, reading_of
from withhold.formats.forms import SEPARATOR_NAMES
from withhold.formats.formulas import escape, holds_formulas, unescaped
from withhold.method import Model
from withhold.publish.manifest import GENUINE, form_from, input_form, read_internal, read_manifest
from withhold.publish.publishing import internal_of, manifest_of, sha256_of
from withhold.registry import method_of

Reading = Mapping[str, Any]
"""Options of ``read``: how the bytes are to be understood."""


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
    is_table = method_of(model).data == "table"
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


def read_original(original: Path, published: Path, options: Reading, **people: Any) -> Records:
    """The originals of a release, read as they were then if the internal manifest is of the same file.

    ``options`` say how the bytes are read, and win over the manifest; ``people`` whose records are left out,
    both as in ``read``.
    """
    said = {name: value for name, value in options.items() if value is not None}
    form = None
    if str(original) != "-" and (not said or _describes(said, published)):
        internal = read_internal(internal_of(published))
        form = input_form(internal, original, sha256_of(original))
    return read(original, **(said if form is None else reading_of(form)), **people)


def _describes(said: Reading, published: Path) -> bool:
    """Whether the options are those of the release itself, which had to be given to read it."""
    try:
        record = read_manifest(manifest_of(published))
    except InputError:
        return False
    asked = {name: SEPARATOR_NAMES.get(value, value) for name, value in said.items()}
    return asked == reading_of(form_from(record["output"], published))


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
