"""The last step: write, read back, prove, rename. What does not verify never gets its name.

In: a release and a path. Out: the file, and ``PATH.manifest.json`` from which anybody can prove it
again.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from withhold.data import Source, Transactions
from withhold.errors import InputError, InternalError, NotVerifiedError, OutputError, PolicyError
from withhold.formats import as_written, output_form, read, read_back, write
from withhold.kernels.threads import Progress, quiet
from withhold.manifest import GENUINE, make_manifest, manifest_path, read_manifest
from withhold.models import Model, Status, Verdict, model_from
from withhold.proofs import verify

if TYPE_CHECKING:
    from withhold.release import Release


@dataclass(frozen=True)
class Published:
    """Where a release was written."""

    path: Path
    manifest: Path
    sha256: str
    verdict: Verdict
    """Of the bytes on disk."""


def check_target(path: Path, source: Source | None, *, force: bool) -> None:
    """Refuse, before any work is done, a target that could not or must not be written."""
    folder = path.parent
    if path.is_dir():
        raise OutputError(f"{path} is a directory; name a file in it")
    if not folder.is_dir():
        raise OutputError(f"the folder {folder} does not exist; create it first")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OutputError(f"the folder {folder} cannot be written to; choose another")
    # The longest name that will be needed, tried out: long names, read-only disks.
    with temporary(manifest_path(path)) as draft:
        draft.touch()
    for target in (path, manifest_path(path)):
        if not target.exists():
            continue
        if source is not None and source.path.exists() and target.samefile(source.path):
            raise PolicyError(f"{target} is the input itself; it is never overwritten")
        if not target.is_file():
            raise OutputError(f"{target} is not an ordinary file; choose another name")
        if not force:
            raise PolicyError(f"{target} exists already; use force to replace it (--force)")


def publish(
    release: Release,
    path: Path,
    *,
    force: bool = False,
    format: str | None = None,
    jobs: int | None = None,
    progress: Progress = quiet,
) -> Published:
    """Write, read back, prove, rename; then the manifest."""
    check_target(path, release.original.source, force=force)
    form = output_form(path.name, release.original.source, format)
    with temporary(path) as draft, temporary(manifest_path(path)) as manifest_draft:
        written = write(release.data, draft, form)
        flush_to_disk(draft)
        found = _read_draft(draft, written, path.name)
        if found != as_written(release.data, written):
            raise InternalError(f"{path.name}: what was read back is not what was written")
        verdict = verify(found, release.model, jobs=jobs, progress=progress)
        if not verdict.status.may_be_published:
            raise NotVerifiedError(
                f"the file written for {path} did not pass its proof ({verdict.status.value}: "
                f"{verdict.witness}); it was not published",
                undecided=verdict.status is Status.UNDECIDED,
            )
        manifest = make_manifest(release, path.name, written, verdict)
        text = json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"
        # A file's name may hold bytes that are no UTF-8; they stand in the JSON as escapes.
        manifest_draft.write_text(text, encoding="utf-8", errors="backslashreplace")
        flush_to_disk(manifest_draft)
        _put_in_place({manifest_draft: manifest_path(path), draft: path})
    return Published(path, manifest_path(path), written.sha256, verdict)


@contextmanager
def temporary(path: Path) -> Iterator[Path]:
    """A name beside ``path`` that is gone afterwards, whatever happens."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield draft
    except OutputError as error:
        # The writer knows only the draft's name, which means nothing to anybody.
        raise OutputError(str(error).replace(str(draft), str(path))) from error
    except OSError as error:
        raise OutputError(
            f"{path} could not be written: {error.strerror or error}; nothing was published"
        ) from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def _read_draft(draft: Path, written: Source, name: str) -> Transactions:
    try:
        return read_back(draft, written)
    except InputError as error:
        raise InternalError(f"{name}: what was written cannot be read: {error}") from error


def _put_in_place(targets: Mapping[Path, Path]) -> None:
    """Rename all drafts or none: a release never stands there without its manifest."""
    try:
        for draft, target in targets.items():
            os.replace(draft, target)
        flush_to_disk(next(iter(targets.values())).parent)
    except BaseException:
        for draft, target in targets.items():
            if not draft.exists():
                target.unlink(missing_ok=True)
        raise


def flush_to_disk(path: Path) -> None:
    """Make sure that the bytes (or the folder's names) survive a crash."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except PermissionError:  # folders cannot be opened on some systems
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@dataclass(frozen=True)
class Recheck:
    """What ``verify_file`` found."""

    same_bytes: bool
    verdict: Verdict
    model: Model
    table: Transactions
    seconds: float


def verify_file(
    path: Path,
    manifest: Path | None = None,
    *,
    complete: Callable[[Model], Model] = lambda model: model,
    jobs: int | None = None,
    limit_seconds: float | None = None,
    progress: Progress = quiet,
) -> Recheck:
    """Prove a published file again from the file and its manifest alone.

    ``complete`` adds to the model what no manifest holds.
    """
    began = time.perf_counter()
    where = manifest or manifest_path(path)
    record = read_manifest(where)
    model = complete(_model_of(record["model"], where))
    output = record["output"]
    form = Source(
        path,
        output["format"],
        output["compression"],
        output["container"],
        output["separator"],
        tuple(output["columns"]),
    )
    same_bytes = sha256_of(path) == output["sha256"]
    table = read_back(path, form) if same_bytes else _read_changed(path)
    verdict = verify(table, model, jobs=jobs, limit_seconds=limit_seconds, progress=progress)
    return Recheck(same_bytes, verdict, model, table, time.perf_counter() - began)


def _model_of(parameters: dict[str, Any], where: Path) -> Model:
    """The model that a manifest describes."""
    try:
        return model_from(parameters)
    except PolicyError as error:
        raise InputError(str(error), path=where, remedy=GENUINE) from error


def sha256_of(path: Path) -> str:
    """The digest of a file's bytes."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(
            f"cannot be read: {reason}", path=path, remedy="name the published file"
        ) from error


def _read_changed(path: Path) -> Transactions:
    """Changed bytes may be of another form altogether, so the form is found, not assumed."""
    try:
        return read(path)
    except InputError as error:
        raise InputError(
            f"is not the file that was published, nor can it be read ({error.problem})",
            path=path,
            line=error.line,
            remedy="copy or download it again",
        ) from error
