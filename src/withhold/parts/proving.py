"""Prove a release by parts again: every part on its own, and that no part was changed, lost or added."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from withhold.counting.threads import Progress, quiet
from withhold.data.unknown import find_unknown
from withhold.errors import InputError
from withhold.method import Model
from withhold.parts.folder import BY_PARTS, Listed, read_folder, read_output, unlisted
from withhold.parts.group_proof import recount_groups
from withhold.publish.publishing import sha256_of
from withhold.publish.recheck import verify_file
from withhold.registry import method_of
from withhold.verdict import Status, Verdict


@dataclass(frozen=True)
class FolderRecheck:
    """What ``verify_folder`` found."""

    verdict: Verdict
    model: Model
    parts: int
    records: int
    changed: tuple[str, ...]
    """Parts that are not what the manifest lists, files that it does not list, each in words."""
    policy_from: str
    seconds: float

    @property
    def exit_code(self) -> int:
        """Of the verdict; what was changed is broken by the manifest's word."""
        return Status.BROKEN.exit_code if self.changed else self.verdict.status.exit_code

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        witness = self.verdict.witness
        return {
            "verdict": {
                "status": self.verdict.status.value,
                "method": self.verdict.method,
                "witness": None if witness is None else witness.as_dict(),
            },
            "promise": self.model.promise(),
            "model": self.model.parameters(),
            "policy_from": self.policy_from,
            "parts": self.parts,
            "records": self.records,
            "same_bytes": not self.changed,
            "changed": list(self.changed),
            "seconds": round(self.seconds, 3),
        }


def verify_folder(
    folder: Path,
    *,
    model: Model | None = None,
    policy_from: str = "the stated policy",
    allow_unknown: bool = False,
    jobs: int | None = None,
    progress: Progress = quiet,
) -> FolderRecheck:
    """Prove the parts of a release one by one: the stated model, or the one that its manifest describes.

    If every part keeps the promise, all of them together do. The reverse is not true: a part may break a
    stated policy that the whole keeps, and then the verdict is UNDECIDED.
    """
    began = time.perf_counter()
    promised, parts = read_folder(folder)
    stated = model is not None
    asked = promised if model is None else model
    changed = [f"{name} is not in the manifest" for name in unlisted(folder, parts)]
    source = policy_from if stated else "the manifest"
    if method_of(asked).blocks is not None:
        looked = list(_looked_at(folder, parts))
        paths = [folder / part.name for part, _ in looked]
        same = [not problem for _, problem in looked]
        output = read_output(folder)
        verdict, records = recount_groups(paths, output, asked, same, progress)
        verdict = _all_looked_at(verdict, folder, parts)
        changed += [problem for _, problem in looked if problem]
        seconds = time.perf_counter() - began
        return FolderRecheck(verdict, asked, len(parts), records, tuple(changed), source, seconds)
    checked = records = 0
    seen: set[str] = set()
    broken: tuple[str, Verdict] | None = None
    for number, (part, problem) in enumerate(_looked_at(folder, parts), start=1):
        changed += [problem] if problem else []
        found = verify_file(folder / part.name, model=asked, allow_unknown=True, jobs=jobs)
        records += len(found.table)
        checked += found.verdict.checked
        seen.update(asked.sensitive.intersection(getattr(found.table, "occurring", ())))
        if not found.verdict.status.may_be_published and broken is None:
            broken = part.name, found.verdict
        progress(f"parts: {number} of {len(parts)}", number, len(parts))
    seconds = time.perf_counter() - began
    verdict = Verdict(Status.HOLDS, BY_PARTS, checked, seconds)
    if broken is not None:
        name, own = broken
        status = Status.UNDECIDED if stated else own.status
        alone = f"{name} alone does not keep it; whether all parts together do was not counted"
        verdict = Verdict(
            status, alone if stated else f"{name}: {own.method}", checked, seconds, own.witness
        )
    elif (missing := _none_occurs(asked, seen, allowed=allow_unknown)) is not None:
        verdict = Verdict(Status.UNDECIDED, missing, 0, seconds)
    verdict = _all_looked_at(verdict, folder, parts)
    return FolderRecheck(verdict, asked, len(parts), records, tuple(changed), source, seconds)


def _all_looked_at(verdict: Verdict, folder: Path, parts: list[Listed]) -> Verdict:
    """The verdict, if no file was left out."""
    if verdict.status is Status.HOLDS and unlisted(folder, parts):
        missed = "files that are not listed were not looked at"
        return Verdict(Status.UNDECIDED, missed, 0, verdict.seconds)
    return verdict


def _looked_at(folder: Path, parts: list[Listed]) -> Iterator[tuple[Listed, str]]:
    """Each part with what is wrong with its bytes, in words; nothing where they are as they were."""
    for part in parts:
        path = folder / part.name
        if not path.exists():
            remedy = "copy or download the folder again"
            raise InputError("is listed in the manifest and is not there", path=path, remedy=remedy)
        same = sha256_of(path) == part.sha256
        yield part, "" if same else f"{part.name} is not the file that was published"


def _none_occurs(model: Model, seen: set[str], *, allowed: bool) -> str | None:
    """What to say if none of the listed items occurs in any part, unless that is meant."""
    if allowed or not model.sensitive:
        return None
    missing = find_unknown(model.sensitive, seen, what=method_of(model).listed)
    if missing is None or not missing.is_everything:
        return None
    return f"nothing, since {missing}; --allow-unknown accepts that"
