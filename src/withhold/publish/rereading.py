"""How a published file is read again: as the user says, or as detection and its manifest both say.

Nothing that comes with the file is taken on trust. The manifest only proposes how the bytes are to be read:
the proposal is followed if detection finds the same, or if the user repeats it.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from withhold.atomic.files import sha256_of
from withhold.data import People, Records, Source, Table
from withhold.errors import InputError, PolicyError, UndecidedError
from withhold.formats import Data, read, read_back, reading_of
from withhold.formats.forms import SEPARATOR_NAMES
from withhold.formats.formulas import escape, holds_formulas, unescaped
from withhold.formats.table import read_published_table
from withhold.method import Model
from withhold.phases import phase
from withhold.publish.manifest import GENUINE, form_from, input_form, read_internal, read_manifest
from withhold.publish.publishing import internal_of, located, manifest_of
from withhold.publish.rereading_people import ONLY_PEOPLE, read_people_files
from withhold.registry import method_of

OF_TABLES = ("separator", "encoding", "sheet", "decimal")
"""Options of reading that are for tables, too."""
Reading = Mapping[str, Any]
"""Options of ``read``: how the bytes are to be understood."""


@dataclass(frozen=True)
class Readings:
    """A published file as its manifest says that it is read, and as it looks if that may differ."""

    named: Data
    as_it_looks: Data | None = None
    """With the quotes before formulas, if only the manifest says that they belong to no name."""


@phase("reading")
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
    ``for_original`` are not used if detection and manifest agree without them.
    """
    form = None if record is None else located(form_from(record["output"], path))
    if method_of(model).data == People.kind:
        how: dict[str, Any] = {"same_bytes": same_bytes, "safe_csv": safe_csv}
        return Readings(*read_people_files(path, form, options, **how))
    if alone := [name for name in ONLY_PEOPLE if name in options]:
        raise PolicyError(f"--{alone[0].replace('_', '-')} is for people; this is {model.name}")
    proposed = form is not None and form.safe_csv
    if form is not None and proposed:
        # As in the file, where the mark of a withheld cell got its quote, too.
        marked = tuple(map(escape, form.marked))
        form = replace(form, safe_csv=False, mark=escape(form.mark), marked=marked)
    plain = for_original and form is not None and same_bytes
    try:
        data = _read_bytes(path, model, form, {} if plain else options, same_bytes=same_bytes)
    except (InputError, UndecidedError):
        if not plain or not options:
            raise
        data = _read_bytes(path, model, form, options, same_bytes=True)
    if not (proposed if safe_csv is None else safe_csv):
        return Readings(data)
    assert not isinstance(data, People)  # which were read above
    if holds_formulas(data):
        # Two cells that differ only by a quote that is no part of a name would become one.
        if safe_csv is None and not same_bytes:
            return Readings(data)
        raise InputError(
            "holds cells that a spreadsheet may run, so it was not written with --safe-csv",
            path=path,
            remedy=f"use --no-safe-csv, or {GENUINE}",
        )
    named = unescaped(data)
    return Readings(named, None if safe_csv is not None or named == data else data)


def as_it_stands(data: Data, record: Mapping[str, Any] | None, path: Path) -> Data:
    """The data with every cell that its manifest calls withheld showing what the file shows there."""
    if isinstance(data, People):
        table = as_it_stands(data.attributes, record, path)
        assert isinstance(table, Table)
        return replace(data, attributes=table)
    if record is None or not isinstance(data, Table) or data.n_withheld == 0:
        return data
    form = form_from(record["output"], path)
    mark = form.mark or ("" if form.container == "text" else None)
    return data.with_columns(
        column.with_shown(mark) for column in data.columns if column.withheld.any()
    )


def _read_bytes(
    path: Path, model: Model, form: Source | None, options: Reading, *, same_bytes: bool
) -> Data:
    """The file with all names exactly as in it."""
    is_table = method_of(model).data == "table"

    def detected() -> Data:
        if not is_table:
            return read(path, **options)
        table = read_published_table(path, **table_options(options))
        if form is None:
            return table
        # The cells that show the form's mark are withheld ones.
        mark = form.mark or ("" if form.container == "text" else None)
        marked = [table.column(name) for name in form.marked if name in table.names]
        return table.with_columns(column.with_withheld(mark) for column in marked)

    if options or form is None or not same_bytes:
        return detected()
    proposed, found = _tried(lambda: read_back(path, form)), _tried(detected)
    if isinstance(proposed, InputError) or isinstance(found, InputError):
        raise _two_readings(path, form, proposed, found)
    if not _agree(proposed, found, form):
        raise _two_readings(path, form, proposed, found)
    return proposed


def _tried(reading: Callable[[], Data]) -> Data | InputError:
    try:
        return reading()
    except InputError as error:
        return error


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

    ``options`` say how the bytes are read, and override the manifest; ``people`` says whose records are left
    out; both as in ``read``.
    """
    return read(original, **original_options(original, published, options), **people)


def original_options(original: Path, published: Path, options: Reading) -> Reading:
    """How the originals of a release are read: as the options say, or as they were read then."""
    said = {name: value for name, value in options.items() if value is not None}
    form = None
    if str(original) != "-" and (not said or _describes(said, published)):
        internal = read_internal(internal_of(published))
        form = input_form(internal, original, sha256_of(original))
    return said if form is None else reading_of(form)


def _describes(said: Reading, published: Path) -> bool:
    """Whether the options are those of the release itself, which had to be given to read it."""
    try:
        record = read_manifest(manifest_of(published))
    except InputError:
        return False
    asked = {name: SEPARATOR_NAMES.get(value, value) for name, value in said.items()}
    return asked == reading_of(form_from(record["output"], published))


def table_options(options: Reading) -> Reading:
    """The options of reading, as they are for a table; those that are for records alone are refused."""
    if wrong := [name for name in options if name not in OF_TABLES]:
        problem = "is for records of items, not for a table"
        raise PolicyError(f"--{wrong[0].replace('_', '-')} {problem}")
    return options


def _two_readings(
    path: Path, form: Source, proposed: Data | InputError, found: Data | InputError
) -> UndecidedError:
    as_proposed = _verify_command(path, form)
    as_found = ""
    if not isinstance(found, InputError) and found.source is not None:
        as_found = _verify_command(path, found.source)
    looks = [f"  {as_found}   (as the file looks)"] if as_found else []
    if as_proposed == as_found:
        why = f" ({proposed.problem})" if isinstance(proposed, InputError) else ""
        fix = f"{GENUINE}, or remove it and state the policy"
        problem = f"{path}: its manifest does not fit the file{why}; {fix}"
        return UndecidedError(problem, *(looks if reading_of(form) else []))
    if isinstance(found, InputError):
        looks = [f"  Without the manifest it cannot be read: {found.problem}."]
    return UndecidedError(
        f"{path}: the file and its manifest do not agree on how it is to be read; say which it is:",
        f"  {as_proposed}   (as the manifest says)",
        *looks,
    )


def _verify_command(path: Path, form: Source) -> str:
    """The command that reads the file in this form."""
    words = ["withhold", "verify", str(path)]
    for name, value in reading_of(form).items():
        words += [f"--{name.replace('_', '-')}", value]
    return shlex.join(words)
