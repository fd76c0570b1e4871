"""The last step: write, read back, prove, rename. What does not verify never gets its name.

In: a release and a path. Out: the file, and ``PATH.manifest.json`` from which anybody can prove it
again.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from withhold.data import Source
from withhold.errors import (
    InputError,
    InternalError,
    NotVerifiedError,
    OutputError,
    PolicyError,
    option,
)
from withhold.formats import Data, as_written, form_for, read, read_back, read_table, write
from withhold.kernels.memory import give_back_memory
from withhold.kernels.threads import Progress, quiet
from withhold.manifest import GENUINE, make_manifest, manifest_path, read_manifest
from withhold.models import TABLE_MODELS, Model, Status, Verdict, model_from
from withhold.proofs import verify

if TYPE_CHECKING:
    from withhold.release import Release
    from withhold.report.content import Report


@dataclass(frozen=True)
class Published:
    """Where a release was written."""

    path: Path
    manifest: Path
    sha256: str
    verdict: Verdict
    """Of the bytes on disk."""
    report: Path | None = None
    """The page, if one was asked for."""
    content: Report | None = field(default=None, repr=False)
    """What the page says."""


def report_path(path: Path) -> Path:
    """``published.dat`` → ``published.dat.report.html``."""
    return path.with_name(path.name + ".report.html")


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
    # Also where no report is asked for: an old one would tell of another release.
    for target in (path, manifest_path(path), report_path(path)):
        if not target.exists():
            continue
        if source is not None and source.path.exists() and target.samefile(source.path):
            raise PolicyError(f"{target} is the input itself; it is never overwritten")
        if not target.is_file():
            raise OutputError(f"{target} is not an ordinary file; choose another name")
        if not force:
            raise PolicyError(f"{target} exists already; use {option('force', True)} to replace it")


def publish(
    release: Release,
    path: Path,
    *,
    force: bool = False,
    format: str | None = None,
    mark: str | None = None,
    report: bool = False,
    edition: str = "internal",
    jobs: int | None = None,
    progress: Progress = quiet,
) -> Published:
    """Write, read back, prove, tell; then give all files their names at once."""
    check_target(path, release.original.source, force=force)
    like = release.original.source
    form = form_for(release.data, path.name, like=like, format=format, mark=mark)
    with (
        temporary(path) as draft,
        temporary(manifest_path(path)) as manifest_draft,
        temporary(report_path(path)) as report_draft,
    ):
        written = write(release.data, draft, form)
        flush_to_disk(draft)
        found = _read_draft(draft, written, path.name)
        if found != as_written(release.data, written):
            raise InternalError(f"{path.name}: what was read back is not what was written")
        give_back_memory()
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
        targets = {manifest_draft: manifest_path(path), draft: path}
        content = None
        if report:
            content = _tell(release, manifest, report_draft, edition, jobs, progress)
            targets = {report_draft: report_path(path), **targets}
        _put_in_place(targets)
        if not report:
            report_path(path).unlink(missing_ok=True)
    page = report_path(path) if report else None
    return Published(path, manifest_path(path), written.sha256, verdict, page, content)


def _tell(
    release: Release,
    manifest: Mapping[str, Any],
    draft: Path,
    edition: str,
    jobs: int | None,
    progress: Progress,
) -> Report:
    """Write the page, and return what it says."""
    from withhold.report.content import examine, make_report
    from withhold.report.html import report_html

    subject = examine(release, jobs=jobs, progress=progress)
    content = make_report(subject, manifest, edition=edition)
    draft.write_text(report_html(content), encoding="utf-8", errors="backslashreplace")
    flush_to_disk(draft)
    return content


def save_text(path: Path, text: str, *, force: bool, sources: Iterable[Path] = ()) -> None:
    """Write a page or a table whole or not at all; never over one of the sources."""
    check_free(path, force=force, sources=sources)
    with temporary(path) as draft:
        draft.write_text(text, encoding="utf-8", errors="backslashreplace")
        flush_to_disk(draft)
        os.replace(draft, path)


def check_free(path: Path, *, force: bool, sources: Iterable[Path] = ()) -> None:
    """Refuse, before any work is done, a page or a table that could not or must not be written."""
    if not path.parent.is_dir():
        raise OutputError(f"the folder {path.parent} does not exist; create it first")
    if not path.exists():
        return
    if any(source.exists() and path.samefile(source) for source in sources):
        raise PolicyError(f"{path} is one of the inputs; it is never overwritten")
    if not path.is_file():
        raise OutputError(f"{path} is not an ordinary file; choose another name")
    if not force:
        raise PolicyError(f"{path} exists already; use {option('force', True)} to replace it")


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


def _read_draft(draft: Path, written: Source, name: str) -> Data:
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
    table: Data
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
    model = complete(model_in(record, where))
    same_bytes = sha256_of(path) == record["output"]["sha256"]
    table = read_back(path, form_in(record, path)) if same_bytes else _read_changed(path, model)
    verdict = verify(table, model, jobs=jobs, limit_seconds=limit_seconds, progress=progress)
    return Recheck(same_bytes, verdict, model, table, time.perf_counter() - began)


def form_in(record: Mapping[str, Any], path: Path) -> Source:
    """The form that a manifest says the file has."""
    output = record["output"]
    return Source(
        path,
        output["format"],
        output["compression"],
        output["container"],
        output["separator"],
        tuple(output["columns"]),
        mark=output.get("mark", ""),
        marked=tuple(output.get("marked", ())),
    )


def model_in(record: Mapping[str, Any], where: Path) -> Model:
    """The model that a manifest describes."""
    try:
        return model_from(record["model"])
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


def _read_changed(path: Path, model: Model) -> Data:
    """Changed bytes may be of another form altogether, so the form is found, not assumed."""
    try:
        return read_table(path) if model.name in TABLE_MODELS else read(path)
    except InputError as error:
        raise InputError(
            f"is not the file that was published, nor can it be read ({error.problem})",
            path=path,
            line=error.line,
            remedy="copy or download it again",
        ) from error
