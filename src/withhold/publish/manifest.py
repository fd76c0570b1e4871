"""The two files beside a release: one that may go to strangers, and one that stays with the custodian.

``OUT.manifest.json`` holds what a proof needs: the promise, the parameters, the digest and form of the file.
``OUT.internal.json`` holds what would help to work backwards or to find people: the seed, the digest of the
input, the ids of the records, what was withheld and how much. docs/decisions/0010 and 0018 say why.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from withhold.data import Source, Table
from withhold.data.tidied import ITEMS
from withhold.errors import InputError
from withhold.formats import Data
from withhold.formats.people_parts import PROPER, part_path
from withhold.listed import told_promise
from withhold.method import Model
from withhold.options import Plain
from withhold.publish.by_kind import KINDS
from withhold.registry import method_of
from withhold.verdict import Verdict

if TYPE_CHECKING:
    from withhold.release import AnyRelease

MANIFEST_FORMAT = 2
READ_FORMATS = (1, MANIFEST_FORMAT)
"""Releases that were made before there were two files can still be proved."""
INTERNAL_FORMAT = 1
WARNING = "Keep this file. It must not be published: with it, somebody could work backwards from the release."
FORM: Mapping[str, Any] = {
    "format": str,
    "container": str,
    "compression": str,
    "separator": str,
    "columns": list,
}
"""What a proof needs to find in a manifest about how the file is read, and of which type."""
MARKS: Mapping[str, Any] = {
    "mark": str,
    "marked": list,
    "safe_csv": bool,
    "id_column": str,
    "list_column": str,
}
"""What may be there as well."""
FOUND_IN = ("encoding", "sheet", "decimal")
"""What may be there about the file that was read; written files are all alike in this."""
ABOUT_ORIGINALS = frozenset(
    ("dropped_columns", "binned_columns", "without_consent", "items_of_nobody")
)
"""Amounts that are not in the published file."""
FOUND = frozenset(
    ("round", "groups", "constraints_sha256", "already_held", "fill_effect", "hierarchies")
)
"""What a release notes beside its options and parameters, which nobody can ask for."""
SPELT = {"restoring": "restore"}
"""Options whose names on the command line are not those in Python."""
ASKED_FOR = (str, int, float, list)
GENUINE = "use the manifest that withhold wrote"


def manifest_path(path: Path) -> Path:
    """``published.dat`` → ``published.dat.manifest.json``."""
    return path.with_name(path.name + ".manifest.json")


def internal_path(path: Path) -> Path:
    """``published.dat`` → ``published.dat.internal.json``."""
    return path.with_name(path.name + ".internal.json")


def make_manifest(
    release: AnyRelease,
    name: str,
    written: Source,
    verdict: Verdict,
    *,
    warnings: Sequence[str] = (),
) -> dict[str, Any]:
    """What anybody needs to prove the file again, and nothing that reveals the original.

    ``warnings`` are about the file itself, for whoever opens it.
    """
    model, data = release.model, release.data
    roles = column_roles_of(release.original, model)
    # Strangers need not know that there were other columns.
    roles = {name: role for name, role in roles.items() if name in data.names}
    # Of a table only what anybody can count in the file.
    size = {n: amount for n, amount in amounts(data).items() if n not in ABOUT_ORIGINALS}
    cells = method_of(model).how_to_read(data, model, release.options)
    shown = [*getattr(data, "names", ()), *([] if isinstance(data, Table) else [ITEMS])]
    tidied = [str(each) for each in release.original.tidied if each.name in shown]
    return {
        "manifest": MANIFEST_FORMAT,
        "promise": told_promise(model, release.unknown),
        "model": model.parameters(),
        **({"to_prove_it_again": model.needs} if model.needs else {}),
        "verdict": _verdict(verdict, model),
        "output": {"name": name, "sha256": written.sha256, **form_as_dict(written), **size},
        **({"cells": dict(cells)} if cells else {}),
        **({"column_roles": roles} if roles else {}),
        **({"tidied": tidied} if tidied else {}),
        "ids": release.ids,
        "unknown": [each.as_dict() for each in release.unknown if each.public],
        **({"warnings": list(warnings)} if warnings else {}),
    }


def make_internal(
    release: AnyRelease,
    name: str,
    written: Source,
    policy: Mapping[str, Any] | None = None,
    *,
    warnings: Sequence[str] = (),
) -> dict[str, Any]:
    """What the custodian needs to make the release again, and to answer questions about it."""
    original, source = release.original, release.original.source
    tidied = original.tidied
    ids = getattr(original, "record_ids", None)
    roles = column_roles_of(original, release.model)
    return {
        "internal": INTERNAL_FORMAT,
        "warning": WARNING,
        "output": {"name": name, "sha256": written.sha256},
        "input": {
            "name": None if source is None else source.path.name,
            "sha256": None if source is None else source.sha256,
            **({} if source is None else form_as_dict(source)),
            **amounts(original),
            "without_consent": original.without_consent,
            "skipped_rows": getattr(original, "skipped_rows", 0),
            **({"tidied": [each.as_dict() for each in tidied]} if tidied else {}),
        },
        "seed": release.options.get("seed"),
        "sample": _sample(release),
        "method": release.verdict.method,
        "warnings": list(warnings),
        **({"column_roles": roles} if roles else {}),
        "options": dict(release.options),
        "policy": dict(policy) if policy is not None else policy_of(release),
        "loss": release.loss.as_dict(),
        "bound": None if release.bound is None else release.bound.as_dict(),
        "withheld": _withheld(release),
        "record_ids": None if ids is None or release.ids == "keep" else list(ids),
        "unknown": [each.as_dict() | {"names": list(each.names)} for each in release.unknown],
        "seconds": {step: round(seconds, 4) for step, seconds in release.timings.items()},
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    """What a release was made with."""
    from withhold import __version__

    return {
        "withhold": __version__,
        "python": platform.python_version(),
        **{name: _version_of(name) for name in ("numpy", "numba", "polars")},
    }


@cache
def _version_of(name: str) -> str:
    """The version of a package, asked of the installer if it is not loaded: no package is loaded for this."""
    loaded = sys.modules.get(name)
    return version(name) if loaded is None else str(loaded.__version__)


def policy_of(release: AnyRelease) -> dict[str, Any]:
    """The options that make this release again, as a policy file has them."""
    original = release.original
    asked = {**release.model.parameters(), **release.options}
    asked |= KINDS[original.kind].prepared(original)
    asked["tidy"] = [str(each) for each in original.tidied]
    if "p" in asked and asked["p"] is None:
        asked["p"] = "any"
    return {
        SPELT.get(name, name.replace("_", "-")): value
        for name, value in {**asked, "ids": release.ids}.items()
        if name not in FOUND and value not in (None, []) and isinstance(value, ASKED_FOR)
    }


def _withheld(release: AnyRelease) -> dict[str, Any]:
    """How often each item, or the cells of each column, of the original is not in the release."""
    original, published = release.original, release.data
    if (groups := getattr(release.model, "groups", None)) is not None:
        original = groups.generalise(original)
    method = method_of(release.model)
    return KINDS[original.kind].withheld(
        original, published, lambda data: method.counts(data, release.model)
    )


def form_as_dict(form: Source) -> dict[str, Any]:
    """The form of a file as plain values."""
    return {
        **{name: getattr(form, name) for name in FORM},
        "columns": list(form.columns),
        **({"mark": form.mark, "marked": list(form.marked)} if form.marked else {}),
        **({"safe_csv": True} if form.safe_csv else {}),
        **{n: getattr(form, n) for n in ("id_column", "list_column") if getattr(form, n)},
        **({"files": list(map(_file_as_dict, form.files))} if form.files else {}),
        **{name: value for name in FOUND_IN if (value := getattr(form, name))},
    }


def _file_as_dict(form: Source) -> dict[str, Any]:
    """A file of items; its name follows from that of the file of persons."""
    return {"part": form.part, "sha256": form.sha256, **form_as_dict(form)}


def form_from(section: Mapping[str, Any], path: Path) -> Source:
    """The form that a section of a manifest describes."""
    found = {name: section[name] for name in (*FORM, *MARKS) if name in section}
    lists = {name: tuple(value) for name, value in found.items() if isinstance(value, list)}
    files = tuple(
        replace(
            form_from(each, part_path(path, each["part"])), part=each["part"], sha256=each["sha256"]
        )
        for each in section.get("files", ())
    )
    return Source(path, **{**found, **lists}, files=files)


def amounts(data: Data) -> dict[str, Any]:
    """How much data there is, as plain values; of a table also what was changed on the way in."""
    return KINDS[data.kind].amounts(data)


def _verdict(verdict: Verdict, model: Model) -> dict[str, Any]:
    """The verdict; how it was reached only if that counts the published file alone."""
    entry = {"status": verdict.status.value, "words": verdict.words}
    if (how := method_of(model).how_for_strangers) is not None:
        return entry | {"method": how(model)}
    return entry | {"method": verdict.method, "checked": verdict.checked, "unit": verdict.unit}


def column_roles_of(data: Data, model: Model) -> dict[str, str]:
    """What became of every column of a table; of records nothing, as they have no columns."""
    return method_of(model).column_roles(data, model)


def _sample(release: AnyRelease) -> dict[str, Plain]:
    """What a stranger could test guesses with: which draw confirmed it, and a digest of the constraints."""
    evidence = release.evidence
    if evidence.constraints is None:
        return {}
    return {**vars(evidence.draw), "constraints_sha256": evidence.constraints.digest()}


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest, as far as it is one."""
    remedy = (
        "name the manifest with --manifest, or state the policy (--policy FILE, or --rho and so on)"
    )
    if not os.path.exists(path):  # not Path.exists, which raises if a name is too long
        released = path.name.removesuffix(".manifest.json")
        remedy = f"check that {released} is the published file, not its original; else {remedy}"
    record = _read_json(path, remedy)
    if not isinstance(record, dict) or record.get("manifest") not in READ_FORMATS:
        raise InputError("is not a manifest that this version knows", path=path, remedy=remedy)
    for section, fields in {"model": {"model": str}, "output": {"sha256": str}}.items():
        _check_fields(record.get(section), fields, section, path)
    check_form(record["output"], "output", path)
    return record


def check_form(section: Any, name: str, path: Path) -> None:
    """Refuse what does not say how a file is read, or not in a usable way."""
    _check_fields(section, FORM, name, path)
    _check_form(section, name, path)


def _check_form(section: Any, name: str, path: Path) -> None:
    """Refuse a section whose form could not be used."""
    marks = {mark: kind for mark, kind in MARKS.items() if mark in section}
    _check_fields(section, marks, name, path)
    files = section.get("files", [])
    if not isinstance(files, list):
        raise InputError(f"{name}.files has the wrong type", path=path, remedy=GENUINE)
    for each in files:
        _check_fields(each, {"part": str, "sha256": str, **FORM}, f"{name}.files", path)
        _check_form({**each, "files": []}, f"{name}.files", path)
    parts = [each["part"] for each in files]
    if len(set(parts)) < len(parts) or not all(map(PROPER.fullmatch, parts)):
        raise InputError(f"{name}.files has a wrong part", path=path, remedy=GENUINE)
    two_columns = all(len(each["columns"]) == 2 for each in files)
    if files and not (section.get("id_column") and two_columns and not section.get("list_column")):
        raise InputError(f"{name}.files do not fit the rest", path=path, remedy=GENUINE)


def read_internal(path: Path) -> dict[str, Any] | None:
    """The internal manifest, or None if there is none that can be read: it only ever helps."""
    try:
        record = _read_json(path, "")
    except InputError:
        return None
    if not isinstance(record, dict) or record.get("internal") != INTERNAL_FORMAT:
        return None
    sections = (record.get(name) for name in ("input", "sample", "policy"))
    return record if all(isinstance(section, dict) for section in sections) else None


def input_form(internal: Mapping[str, Any] | None, path: Path, sha256: str) -> Source | None:
    """How the original was read when the release was made, if this is the same file."""
    section = {} if internal is None else internal["input"]
    known = all(name in section and _fits(section[name], kind) for name, kind in FORM.items())
    if not known or section.get("sha256") != sha256:
        return None
    found = {n: section[n] for n in FOUND_IN if isinstance(section.get(n), str)}
    return replace(form_from(section, path), **found)


def _read_json(path: Path, remedy: str) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError("does not exist", path=path, remedy=remedy) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path, remedy=remedy) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not JSON ({error})", path=path, remedy=remedy) from error


def _check_fields(there: Any, fields: Mapping[str, Any], section: str, path: Path) -> None:
    for name, kind in fields.items():
        if not isinstance(there, dict) or name not in there or not _fits(there[name], kind):
            problem = f"{section}.{name} is missing or has the wrong type"
            raise InputError(problem, path=path, remedy=GENUINE)


def _fits(value: Any, kind: Any) -> bool:
    """Whether a JSON value is of a kind; lists are of texts, and true is no number."""
    if isinstance(value, list):
        return kind is list and all(isinstance(each, str) for each in value)
    return isinstance(value, kind) and isinstance(value, bool) == (kind is bool)
