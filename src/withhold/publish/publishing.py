"""The last step: write, read back, prove, rename. What does not verify never gets its name.

In: a release and a path. Out: the file, ``PATH.manifest.json`` from which anybody can prove it again, and
``PATH.internal.json``, which stays with the custodian.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from withhold.atomic import FileSet, current, drafting, refuse_links, save
from withhold.counting.memory import give_back_memory
from withhold.counting.threads import Progress, quiet
from withhold.data import Source
from withhold.errors import (
    InputError,
    InternalError,
    NotVerifiedError,
    OutputError,
    PolicyError,
    option,
)
from withhold.escaping import json_text
from withhold.formats import Data, as_written, form_for, read_back, write
from withhold.formats.formulas import formula_warnings
from withhold.publish.manifest import internal_path, make_internal, make_manifest, manifest_path
from withhold.registry import verify
from withhold.verdict import Status, Verdict

if TYPE_CHECKING:
    from withhold.release import Release
    from withhold.report.content import Report


@dataclass(frozen=True)
class Published:
    """Where a release was written."""

    path: Path
    manifest: Path
    internal: Path
    """What only the custodian may see."""
    sha256: str
    verdict: Verdict
    """Of the bytes on disk."""
    form: Source
    """How the file is to be read."""
    report: Path | None = None
    """The page, if one was asked for."""
    content: Report | None = field(default=None, repr=False)
    """What the page says."""
    warnings: tuple[str, ...] = ()
    """What whoever opens the file should know."""


def report_path(path: Path) -> Path:
    """``published.dat`` → ``published.dat.report.html``."""
    return path.with_name(path.name + ".report.html")


def release_files(path: Path) -> FileSet:
    """All that may stand there for a release, in the order in which it gets its names."""
    return FileSet(path, (manifest_path(path), internal_path(path), report_path(path)))


def manifest_of(path: Path) -> Path:
    """The manifest that belongs to the file as it is now, even if a run was killed while replacing both."""
    _refuse_folder(path)
    return current(release_files(path), manifest_path(path))


def internal_of(path: Path) -> Path:
    """The internal manifest that belongs to the file as it is now."""
    _refuse_folder(path)
    return current(release_files(path), internal_path(path))


def _refuse_folder(path: Path) -> None:
    """Refuse what is no file, before names are built from its name: ``.`` and ``/`` have none."""
    if path.is_dir():
        remedy = "name the published file"
        raise InputError("is a directory", path=path, remedy=remedy)


def check_target(path: Path, source: Source | None, *, force: bool) -> None:
    """Refuse, before any work is done, a target that could not or must not be written."""
    folder = path.parent
    if path.is_dir():
        raise OutputError(f"{path} is a directory; name a file in it")
    if not folder.is_dir():
        raise OutputError(f"the folder {folder} does not exist; create it first")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OutputError(f"the folder {folder} cannot be written to; choose another")
    files = release_files(path)
    # Completes or removes what a killed run left. A draft has the longest name that will be needed; tried
    # out, because of long names and read-only disks.
    with drafting(files) as drafts:
        drafts.new()
    # Also where no report is asked for: an old one would tell of another release.
    for target in files.members:
        if not os.path.lexists(target):
            continue
        if source is not None and source.path.exists() and target.samefile(source.path):
            raise PolicyError(f"{target} is the input itself; it is never overwritten")
        refuse_links(target)
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
    safe_csv: bool = False,
    report: bool = False,
    edition: str = "internal",
    policy: Mapping[str, Any] | None = None,
    jobs: int | None = None,
    progress: Progress = quiet,
) -> Published:
    """Write, read back, prove, tell; then give all files their names at once.

    ``policy`` is what was asked for, as a policy file has it; if not given it follows from the release.
    """
    check_target(path, release.original.source, force=force)
    like = release.original.source
    form = form_for(release.data, path.name, like=like, format=format, mark=mark, safe_csv=safe_csv)
    with drafting(release_files(path)) as drafts:
        draft = drafts.new()
        written = write(release.data, draft.path, form, file=cast(BinaryIO, draft))
        found = _read_draft(draft.path, written, path.name)
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
        formulas = formula_warnings(release.data, written)
        warnings = (*release.warnings, *formulas)
        manifest = make_manifest(release, path.name, written, verdict, warnings=formulas)
        internal = make_internal(release, path.name, written, policy, warnings=warnings)
        targets = [
            (draft, path),
            (drafts.new_text(json_text(manifest) + "\n"), manifest_path(path)),
            (drafts.new_text(json_text(internal) + "\n"), internal_path(path)),
        ]
        content = None
        if report:
            content, page_text = _tell(release, manifest, internal, edition, jobs, progress)
            targets.append((drafts.new_text(page_text), report_path(path)))
        private = [internal_path(path)]
        if edition == "internal":
            private.append(report_path(path))
        drafts.commit(targets, overwrite=force, private=private)
    page = report_path(path) if report else None
    return Published(
        path,
        manifest_path(path),
        internal_path(path),
        written.sha256,
        verdict,
        written,
        page,
        content,
        warnings,
    )


def _tell(
    release: Release,
    manifest: Mapping[str, Any],
    internal: Mapping[str, Any],
    edition: str,
    jobs: int | None,
    progress: Progress,
) -> tuple[Report, str]:
    """What the page says, and the page."""
    from withhold.report.content import examine, make_report
    from withhold.report.html import report_html

    subject = examine(release, jobs=jobs, progress=progress)
    content = make_report(subject, manifest, internal, edition=edition)
    return content, report_html(content)


def save_text(path: Path, text: str, *, force: bool, sources: Iterable[Path] = ()) -> None:
    """Write a page or a table whole or not at all; never over one of the sources."""
    check_free(path, force=force, sources=sources)
    with save(path) as draft:
        draft.write(text.encode("utf-8", errors="backslashreplace"))


def check_free(path: Path, *, force: bool, sources: Iterable[Path] = ()) -> None:
    """Refuse, before any work is done, a page or a table that could not or must not be written."""
    if not path.parent.is_dir():
        raise OutputError(f"the folder {path.parent} does not exist; create it first")
    if not os.path.lexists(path):
        return
    if path.exists() and any(source.exists() and path.samefile(source) for source in sources):
        raise PolicyError(f"{path} is one of the inputs; it is never overwritten")
    refuse_links(path)
    if not path.is_file():
        raise OutputError(f"{path} is not an ordinary file; choose another name")
    if not force:
        raise PolicyError(f"{path} exists already; use {option('force', True)} to replace it")


def _read_draft(draft: Path, written: Source, name: str) -> Data:
    try:
        return read_back(draft, written)
    except InputError as error:
        raise InternalError(f"{name}: what was written cannot be read: {error}") from error


def sha256_of(path: Path) -> str:
    """The digest of a file's bytes."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"cannot be read: {reason}", path=path, remedy="check the path") from error
