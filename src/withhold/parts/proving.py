"""Prove a release by parts again: every part on its own, and that no part was changed, lost or added."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from withhold.arguments import checked
from withhold.by_parts import Rounds
from withhold.counting.rounds import ItemRound, ItemSums
from withhold.counting.threads import Progress, quiet
from withhold.data.unknown import find_unknown
from withhold.errors import InputError, WithholdError
from withhold.method import Model
from withhold.parts.counting import of_listed, over_parts
from withhold.parts.failures import Failed
from withhold.parts.folder import BY_PARTS, Listed, read_folder, read_output, unlisted
from withhold.parts.group_proof import recount_groups
from withhold.parts.running import STREAM, engine_for
from withhold.phases import phase
from withhold.publish.publishing import sha256_of
from withhold.publish.recheck import verify_file
from withhold.registry import method_of
from withhold.verdict import Status, Verdict


@dataclass(frozen=True)
class FolderRecheck:
    """What ``verify_parts`` found."""

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


@phase("proving")
@checked
def verify_parts(
    folder: str | os.PathLike[str],
    *,
    model: Model | None = None,
    policy_from: str = "the stated policy",
    allow_unknown: bool = False,
    jobs: int | None = None,
    progress: Progress = quiet,
) -> FolderRecheck:
    """Prove the parts of a release: the stated model, or the one that its manifest describes.

    Where the model can be proved by counts of all parts, it is. Else they are proved one by one: if every
    part keeps the promise, all of them together do. The reverse is not true: a part may break a stated
    policy that the whole keeps, and then the verdict is UNDECIDED.

    Parameters
    ----------
    folder
        That of a release by parts.
    model
        What must hold, whatever the manifest says.
    policy_from
        Where that came from, in words.
    allow_unknown
        Accept a release that has none of the sensitive items.
    jobs, progress
        As for ``verify``.

    Returns
    -------
    FolderRecheck
        The verdict, and which parts are not those that the manifest lists.

    Raises
    ------
    WithholdError
        If there is no release in the folder, or a part is lost or cannot be read.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import polars as pl
    >>> import withhold as wh
    >>> shop = pl.LazyFrame({"items": [["bread", "condom"], ["beer", "condom"], ["bread"]] * 2})
    >>> with TemporaryDirectory() as folder:
    ...     made = wh.anonymize_parts(shop, wh.RhoUncertainty("0.5", {"condom"}), Path(folder) / "out")
    ...     verify_parts(made.folder).verdict.status
    <Status.HOLDS: 'HOLDS'>
    """
    folder = Path(folder)
    began = time.perf_counter()
    promised, parts = read_folder(folder)
    stated = model is not None
    asked = promised if model is None else _under_groups(model, promised)
    prove = _by_counts if can_be_counted(asked) else _one_by_one
    if method_of(asked).by_parts.blocks is not None:
        prove = _by_groups
    job = _ToProve(folder, parts, asked, stated, jobs, progress)
    verdict, records, seen, changed = prove(job)
    changed = [*(f"{name} is not in the manifest" for name in unlisted(folder, parts)), *changed]
    source = policy_from if stated else "the manifest"
    seconds = time.perf_counter() - began
    missing = _none_occurs(asked, seen, allowed=allow_unknown)
    if missing is not None and verdict.status.may_be_published:
        verdict = Verdict(Status.UNDECIDED, missing, 0, seconds)
    verdict = _all_looked_at(verdict, folder, parts)
    return FolderRecheck(verdict, asked, len(parts), records, tuple(changed), source, seconds)


def _under_groups(model: Model, promised: Model) -> Model:
    """A stated policy under the groups that the folder's manifest says; each part must have the same."""
    if model.name != promised.name:
        return model
    found: Model = method_of(model).stated(model, None, None, promised)
    return found


def can_be_counted(model: Model) -> bool:
    """Whether the model is proved by counts of all parts."""
    method = method_of(model)
    ways, usual = method.by_parts, method.search.options()
    return ways.counts is not None and not ways.refused(model, usual, {})


@dataclass(frozen=True)
class _ToProve:
    """What is to be proved of which parts."""

    folder: Path
    parts: list[Listed]
    model: Model
    stated: bool
    jobs: int | None
    progress: Progress


Proved = tuple[Verdict, int, set[str], list[str]]
"""The verdict, how many records there are, the listed items that occur, and which parts were changed."""


def _one_by_one(asked: _ToProve) -> Proved:
    """Each part on its own: if all keep the promise, all together do."""
    changed: list[str] = []
    checked = records = 0
    seen: set[str] = set()
    broken: tuple[str, Verdict] | None = None
    for number, (part, problem) in enumerate(_looked_at(asked.folder, asked.parts), start=1):
        changed += [problem] if problem else []
        found = verify_file(
            asked.folder / part.name, model=asked.model, allow_unknown=True, jobs=asked.jobs
        )
        records += len(found.table)
        checked += found.verdict.checked
        seen.update(asked.model.sensitive.intersection(getattr(found.table, "occurring", ())))
        if not found.verdict.status.may_be_published and broken is None:
            broken = part.name, found.verdict
        if _groups(found.model) != _groups(asked.model):
            changed.append(f"{part.name} has other groups than the manifest of the folder")
        asked.progress(f"parts: {number} of {len(asked.parts)}", number, len(asked.parts))
    verdict = Verdict(Status.HOLDS, BY_PARTS, checked, 0.0)
    if broken is not None:
        name, own = broken
        # All parts together may keep what one alone breaks.
        open_ = asked.stated or method_of(asked.model).by_parts.counts is not None
        status = Status.UNDECIDED if open_ else own.status
        alone = f"{name} alone does not keep it; whether all parts together do was not counted"
        how = alone if open_ else f"{name}: {own.method}"
        verdict = Verdict(status, how, checked, 0.0, own.witness)
    return verdict, records, seen, changed


def _by_counts(asked: _ToProve) -> Proved:
    """All parts together, by counts of each."""
    counts = method_of(asked.model).by_parts.counts
    assert counts is not None
    looked_at = list(_looked_at(asked.folder, asked.parts))
    readable = [
        of_listed(asked.folder / part.name, asked.model, part.form, not wrong)
        for part, wrong in looked_at
    ]
    how: dict[str, Any] = {"what": "proving", "progress": asked.progress}
    with engine_for(STREAM, None, None) as run:
        verdict = over_parts(counts.prove(asked.model), readable, run, _refuse, **how)
        items: ItemSums = over_parts(_items(), readable, run, _refuse, **how)
    seen = set(asked.model.sensitive.intersection(items.supports))
    return verdict, items.records, seen, [wrong for _, wrong in looked_at if wrong]


def _items() -> Rounds[Any]:
    return (yield ItemRound())


def _refuse(failed: Sequence[Failed]) -> NoReturn:
    """Say which part could not be read."""
    first = min(failed, key=lambda each: each.number)
    error = WithholdError(*first.lines)
    error.exit_code = first.exit_code
    raise error


def _by_groups(asked: _ToProve) -> Proved:
    """All parts of a table together, by the rows of each group."""
    looked_at = list(_looked_at(asked.folder, asked.parts))
    paths = [asked.folder / part.name for part, _ in looked_at]
    same = [not wrong for _, wrong in looked_at]
    verdict, records = recount_groups(
        paths, read_output(asked.folder), asked.model, same, asked.progress
    )
    return verdict, records, set(), [wrong for _, wrong in looked_at if wrong]


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


def _groups(model: Model) -> object:
    return getattr(model, "groups", None)
