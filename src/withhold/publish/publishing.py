"""The last step: write, read back, prove, rename. What does not verify never gets its name.

In: a release and a path. Out: the file, ``PATH.manifest.json`` from which anybody can prove it again, and
``PATH.internal.json``, which stays with the custodian.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from withhold.atomic import FileSet, current, drafting, save
from withhold.atomic.files import sha256_of
from withhold.counting.memory import give_back_memory
from withhold.counting.threads import Progress, quiet
from withhold.data import Source
from withhold.errors import (
    InputError,
    InternalError,
    NotVerifiedError,
    OutputError,
)
from withhold.escaping import json_text
from withhold.formats import Data, as_written, form_for, read_back, write
from withhold.formats.formulas import formula_warnings
from withhold.formats.people_parts import part_path, part_pattern
from withhold.formats.writing import pieces
from withhold.method import CheckRun
from withhold.phases import phase
from withhold.publish.earlier import other_releases
from withhold.publish.manifest import (
    form_from,
    internal_path,
    make_internal,
    make_manifest,
    manifest_path,
    read_manifest,
)
from withhold.publish.replacing import (
    IsOwn,
    check_folder,
    check_replaceable,
    own_files,
    refuse_inputs,
    whatever_it_is,
)
from withhold.registry import verify
from withhold.verdict import Status, Verdict

if TYPE_CHECKING:
    from withhold.release import AnyRelease
    from withhold.report.content import Report


ONE_INPUT = "one of the inputs"


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
    """Warnings for whoever opens the file."""
    timings: Mapping[str, float] = field(default_factory=dict)
    """Seconds of each step; ``verify`` is the proof of the bytes on disk."""
    items: tuple[Path, ...] = ()
    """The files of items, if people have their items in files of their own."""

    def __repr__(self) -> str:
        return f"<Published path={self.path} verdict={self.verdict.words}, stays with you: {self.internal}>"


def report_path(path: Path) -> Path:
    """``published.dat`` → ``published.dat.report.html``."""
    return path.with_name(path.name + ".report.html")


def release_files(path: Path, parts: Iterable[str] = ()) -> FileSet:
    """All files that a release may have there, in the order in which they get their names.

    Its own files of items are those of these ``parts``; those of an earlier release there go with it.
    """
    own = [part_path(path, part) for part in parts]
    old = [each for each in _parts_there(path) if each not in own]
    return FileSet(
        path,
        (manifest_path(path), *own, internal_path(path), report_path(path), *old),
        parts=part_pattern(path),
        steady=2 + len(own),
    )


def _parts_there(path: Path) -> list[Path]:
    """The files of items of the release that is there, as its manifest says."""
    try:
        form = form_from(read_manifest(manifest_path(path))["output"], path)
    except InputError:
        return []
    return [file.path for file in form.files]


def manifest_of(path: Path) -> Path:
    """The manifest that belongs to the file as it is now, even if a run was killed while replacing both."""
    return _current(path, manifest_path)


def internal_of(path: Path) -> Path:
    """The internal manifest that belongs to the file as it is now."""
    return _current(path, internal_path)


def _current(path: Path, named: Callable[[Path], Path]) -> Path:
    # Names cannot be built from those of folders: ``.`` and ``/`` have none.
    if path.is_dir():
        raise InputError("is a directory", path=path, remedy="name the published file")
    return current(release_files(path), named(path))


def located(form: Source) -> Source:
    """The form with the paths of the files of items that belong to the file as it is now."""
    files = release_files(form.path)
    return replace(
        form,
        files=tuple(replace(each, path=current(files, each.path)) for each in form.files),
    )


def check_target(
    path: Path,
    source: Source | None,
    *,
    force: bool,
    others: Iterable[Path] = (),
    parts: Iterable[str] = (),
    is_own: IsOwn | None = None,
) -> None:
    """Refuse, before any work is done, a target that could not or must not be written.

    ``others`` are files that are read, too, such as the list of sensitive items; ``parts`` what its files of
    items are called; ``is_own`` says what ``force`` replaces, else a release that nobody changed.
    """
    folder = path.parent
    if path.is_dir():
        raise OutputError(f"{path} is a directory; name a file in it")
    check_folder(folder)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OutputError(f"the folder {folder} cannot be written to; choose another")
    files = release_files(path, parts)
    # Completes or removes what a killed run left. A draft has the longest name that will be needed; it is
    # tried, because of long names and read-only disks.
    with drafting(files) as drafts:
        drafts.new()
    sources = [] if source is None else source.paths
    inputs = {"the input itself": sources, ONE_INPUT: list(others)}
    own = is_own or own_files(path, report_path(path))
    # Also if no report is asked for: an old one would describe another release.
    for target in files.members:
        refuse_inputs(target, inputs)
    for target in files.members:
        check_replaceable(target, own, force=force)


def save_text(
    path: Path,
    text: str,
    *,
    force: bool,
    sources: Iterable[Path] = (),
    is_own: IsOwn = whatever_it_is,
) -> None:
    """Write a page or a table whole or not at all; never over one of the sources."""
    check_free(path, force=force, sources=sources, is_own=is_own)
    with save(path) as draft:
        draft.write(text.encode("utf-8", errors="backslashreplace"))


def check_free(
    path: Path,
    *,
    force: bool,
    sources: Iterable[Path] = (),
    is_own: IsOwn = whatever_it_is,
) -> None:
    """Refuse, before any work is done, a page or a table that could not or must not be written.

    ``is_own`` says whether what stands there may be replaced with ``force``.
    """
    check_folder(path.parent)
    refuse_inputs(path, {ONE_INPUT: sources})
    check_replaceable(path, is_own, force=force)


def publish(
    release: AnyRelease,
    path: Path,
    *,
    force: bool,
    format: str | None = None,
    mark: str | None = None,
    safe_csv: bool = False,
    report: bool = False,
    edition: str = "internal",
    known: Mapping[str, Any] | None = None,
    policy: Mapping[str, Any] | None = None,
    jobs: int | None = None,
    progress: Progress = quiet,
    is_own: IsOwn | None = None,
) -> Published:
    """Write, read back, prove, report, then rename all files at once; as ``Release.write`` says.

    ``is_own``, as for ``check_target``, is given in folders of withhold's own, which are one release.
    """
    like = release.original.source
    form = form_for(release.data, path.name, like=like, format=format, mark=mark, safe_csv=safe_csv)
    parts = [file.part for file in form.files]
    check_target(path, like, force=force, parts=parts, is_own=is_own)
    files = release_files(path, parts)
    manifest_at, internal_at = manifest_path(path), internal_path(path)
    report_at = report_path(path)
    with drafting(files) as drafts:
        draft, items = drafts.new(), [drafts.new() for _ in parts]
        file = cast(BinaryIO, draft)
        with phase("writing"):
            written = write(release.data, draft.path, form, file=file, others=items)
        verdict = _proved(release, draft.path, written, path, jobs, progress)
        # What was read back is the release, so the proof is also that of the release itself.
        timings = {**release.timings, "verify": verdict.seconds}
        release = replace(release, verdict=verdict, timings=timings)
        formulas = formula_warnings(pieces(release.data, written))
        earlier = other_releases(path, like) if like and is_own is None else ()
        warnings = (*release.warnings, *formulas, *earlier)
        manifest = make_manifest(release, path.name, written, verdict, warnings=formulas)
        internal = make_internal(release, path.name, written, policy, warnings=warnings)
        targets = [
            (draft, path),
            (drafts.new_text(json_text(manifest) + "\n"), manifest_at),
            *((each, part_path(path, part)) for each, part in zip(items, parts, strict=True)),
            (drafts.new_text(json_text(internal) + "\n"), internal_at),
        ]
        content = page = None
        if report:
            page = report_at
            run: dict[str, Any] = {"known": known or {}, "jobs": jobs, "progress": progress}
            with phase("reporting"):
                content, text = _tell(release, manifest, internal, edition, run)
            targets.append((drafts.new_text(text), page))
        private = [internal_at, report_at] if edition == "internal" else [internal_at]
        drafts.commit(targets, overwrite=force, private=private)
    others = tuple(part_path(path, part) for part in parts)
    at = (replace(each, path=other) for each, other in zip(written.files, others, strict=True))
    written = replace(written, path=path, files=tuple(at))
    details = (verdict, written, page, content, warnings, release.timings, others)
    return Published(path, manifest_at, internal_at, written.sha256, *details)


def write_checked(data: Data, path: Path, like: Source | None) -> Source:
    """Write data that are proved elsewhere, over what is there: a draft, read back, then renamed."""
    form = form_for(data, path.name, like=like)
    check_target(path, like, force=True, is_own=whatever_it_is)
    with drafting(release_files(path)) as drafts:
        draft = drafts.new()
        written = write(data, draft.path, form, file=cast(BinaryIO, draft), others=[])
        _read_again(data, draft.path, written, path)
        drafts.commit([(draft, path)], overwrite=True)
    return replace(written, path=path)


def _proved(
    release: AnyRelease,
    draft: Path,
    written: Source,
    path: Path,
    jobs: int | None,
    progress: Progress,
) -> Verdict:
    """The verdict on the bytes of the draft; raises if they may not be published."""
    with phase("reading back"):
        found = _read_again(release.data, draft, written, path)
    give_back_memory()
    verdict = verify(found, release.model, release.evidence, CheckRun(jobs=jobs, progress=progress))
    if not verdict.status.may_be_published:
        raise NotVerifiedError(
            f"the file written for {path} did not pass its proof ({verdict.status.value}: "
            f"{verdict.witness}); it was not published",
            undecided=verdict.status is Status.UNDECIDED,
        )
    return verdict


def _read_again(data: Data, draft: Path, written: Source, path: Path) -> Data:
    """What the bytes of the draft say, which is what was to be written."""
    try:
        found = read_back(draft, written)
    except InputError as error:
        raise InternalError(f"{path.name}: what was written cannot be read: {error}") from error
    if found != as_written(data, written):
        raise InternalError(f"{path.name}: what was read back is not what was written")
    return found


def _tell(
    release: AnyRelease,
    manifest: Mapping[str, Any],
    internal: Mapping[str, Any],
    edition: str,
    run: Mapping[str, Any],
) -> tuple[Report, str]:
    """What the page says, and the page."""
    from withhold.report.content import examine, make_report
    from withhold.report.html import report_html

    subject = examine(release, **run)
    content = make_report(subject, manifest, internal, edition=edition)
    return content, report_html(content)


def changed_files(path: Path, record: Mapping[str, Any], *, alone: bool = False) -> tuple[str, ...]:
    """The names of the files that are not those that the manifest describes; ``alone``: without the items."""
    form = located(form_from(record["output"], path))
    found = [path.name] if sha256_of(path) != record["output"]["sha256"] else []
    for each in () if alone else form.files:
        if sha256_of(each.path) != each.sha256:
            found.append(part_path(path, each.part).name)
    return tuple(found)
