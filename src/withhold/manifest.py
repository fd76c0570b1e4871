"""The manifest beside a release: all that is needed to prove the file again, and where it came from."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from withhold.data import Source, Table, Transactions
from withhold.data.roles import roles_of
from withhold.errors import InputError
from withhold.models import KAnonymity, Model, Verdict
from withhold.models.model import fits

if TYPE_CHECKING:
    from withhold.release import Release

MANIFEST_FORMAT = 1
NEEDED: Mapping[str, Mapping[str, Any]] = {
    "model": {"model": str},
    "output": {
        "sha256": str,
        "format": str,
        "container": str,
        "compression": str,
        "separator": str,
        "columns": list,
    },
}
"""What a proof needs to find in a manifest, and of which kind."""
MARKS: Mapping[str, Any] = {"mark": str, "marked": list, "safe_csv": bool}
"""What an output may have as well."""
GENUINE = "use the manifest that withhold wrote"


def manifest_path(path: Path) -> Path:
    """``published.dat`` → ``published.dat.manifest.json``."""
    return path.with_name(path.name + ".manifest.json")


def make_manifest(
    release: Release,
    name: str,
    written: Source,
    verdict: Verdict,
    *,
    warnings: Sequence[str] = (),
) -> dict[str, Any]:
    """All that is needed to prove the file again, and to know where it came from."""
    from withhold import __version__

    source = release.original.source
    return {
        "manifest": MANIFEST_FORMAT,
        "promise": release.model.promise(),
        "model": release.model.parameters(),
        **_needs(release.model),
        "verdict": {
            "status": verdict.status.value,
            "words": verdict.words,
            "method": verdict.method,
            "checked": verdict.checked,
            "unit": verdict.unit,
        },
        "output": {
            "name": name,
            "sha256": written.sha256,
            "format": written.format,
            "container": written.container,
            "compression": written.compression,
            "separator": written.separator,
            "columns": list(written.columns),
            **({"mark": written.mark, "marked": list(written.marked)} if written.marked else {}),
            **({"safe_csv": True} if written.safe_csv else {}),
            **amounts(release.data),
        },
        "input": {
            "name": None if source is None else source.path.name,
            "sha256": None if source is None else source.sha256,
            **amounts(release.original),
            "without_consent": getattr(release.original, "without_consent", None),
        },
        **({"warnings": list(warnings)} if warnings else {}),
        **_roles(release),
        "options": dict(release.options),
        "loss": release.loss.as_dict(),
        "seconds": {step: round(seconds, 4) for step, seconds in release.timings.items()},
        "versions": {
            "withhold": __version__,
            "python": platform.python_version(),
            # Asked of the installer, so that no package is loaded only to tell its version.
            **{name: version(name) for name in ("numpy", "numba", "polars")},
        },
    }


def amounts(data: Transactions | Table) -> dict[str, Any]:
    """How much data there is, as plain values; of a table also what was changed on the way in."""
    if isinstance(data, Transactions):
        return {"records": len(data), "occurrences": data.n_occurrences}
    return {
        "rows": len(data),
        "withheld_cells": data.n_withheld,
        "dropped_columns": list(data.dropped),
        "binned_columns": list(data.binned),
        "without_consent": data.without_consent,
    }


def column_roles_of(data: Transactions | Table, model: Model) -> dict[str, str]:
    """What became of every column of a table; of records nothing, as they have no columns."""
    if isinstance(data, Table) and isinstance(model, KAnonymity):
        return roles_of(data, model)
    return {}


def _roles(release: Release) -> dict[str, Any]:
    roles = column_roles_of(release.original, release.model)
    return {"column_roles": roles} if roles else {}


def _needs(model: Model) -> dict[str, Any]:
    """Who can prove the release again, where the file and this manifest are not enough."""
    return {"to_prove_it_again": model.needs} if model.needs else {}


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest, as far as it is one."""
    remedy = "name the manifest with --manifest"
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError("does not exist", path=path, remedy=remedy) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path, remedy=remedy) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not JSON ({error})", path=path, remedy=remedy) from error
    if not isinstance(record, dict) or record.get("manifest") != MANIFEST_FORMAT:
        raise InputError("is not a manifest of this version", path=path, remedy=remedy)
    for section, fields in NEEDED.items():
        there = record.get(section)
        for name, kind in fields.items():
            if not isinstance(there, dict) or name not in there or not fits(there[name], kind):
                raise InputError(f"has no proper {section}.{name}", path=path, remedy=GENUINE)
    for name, kind in MARKS.items():
        if name in record["output"] and not fits(record["output"][name], kind):
            raise InputError(f"has no proper output.{name}", path=path, remedy=GENUINE)
    return record
