"""Prove a release by parts again, by counts, by groups or part by part, and that no part was changed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

from withhold.arguments import checked
from withhold.atomic.files import sha256_of
from withhold.by_parts import Rounds
from withhold.counting.rounds import ItemRound, ItemSums
from withhold.counting.threads import Progress, quiet
from withhold.data import Evidence
from withhold.data.breach import Breach
from withhold.data.unknown import find_unknown
from withhold.errors import InputError, WithholdError
from withhold.method import AuditAfterProof, Finding, Model
from withhold.parts.counting import Readable, of_listed, over_parts
from withhold.parts.failures import Failed
from withhold.parts.folder import BY_PARTS, Listed, read_folder, read_output, unlisted
from withhold.parts.group_proof import recount_groups
from withhold.parts.reading import Parts
from withhold.parts.recounting import still_breaches
from withhold.parts.running import STREAM, engine_for
from withhold.phases import phase
from withhold.publish.recheck import verify_file
from withhold.registry import method_of
from withhold.verdict import Status, Verdict
from withhold.wording import counted

LISTING_SECONDS = 60.0
"""How long the breaches of one part are listed; those found by then count."""
MOST_LISTED, MOST_COUNTED = 1_000, 10_000
"""Breaches of one part, and of all of them, that are counted over all parts."""


@dataclass(frozen=True)
class FolderRecheck:
    """What ``verify_parts`` found."""

    verdict: Verdict
    model: Model
    parts: int
    records: int
    changed: tuple[str, ...]
    """Parts that are not what the manifest lists, and files that it does not list, each in words."""
    policy_from: str
    seconds: float

    @property
    def exit_code(self) -> int:
        """That of the verdict; that of BROKEN if anything differs from the manifest."""
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

    If the model can be proved by counts of all parts, it is; of a table, the groups of all parts are counted.
    Otherwise parts are proved one by one: if every part keeps the promise, all of them together do. The
    reverse is not true: a part may break a stated policy that the whole keeps. So the breaches that parts
    show are counted over all of them: the verdict is BROKEN if one is a breach of the whole, else UNDECIDED.

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
        As for ``advise``.

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
    """A stated policy under the groups that the folder's manifest names; each part must have the same."""
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
    readable: list[Readable] = []
    broken: dict[int, Verdict] = {}
    for number, (part, problem) in enumerate(_looked_at(asked.folder, asked.parts)):
        changed += [problem] if problem else []
        path = asked.folder / part.name
        readable.append(of_listed(path, asked.model, part.form, not problem))
        found = verify_file(path, model=asked.model, allow_unknown=True, jobs=asked.jobs)
        records += len(found.table)
        checked += found.verdict.checked
        seen.update(asked.model.sensitive.intersection(getattr(found.table, "occurring", ())))
        if not found.verdict.status.may_be_published:
            broken[number] = found.verdict
        if _groups(found.model) != _groups(asked.model):
            changed.append(f"{part.name} has other groups than the manifest of the folder")
        asked.progress(f"parts: {number + 1} of {len(asked.parts)}", number + 1, len(asked.parts))
    verdict = Verdict(Status.HOLDS, BY_PARTS, checked, 0.0)
    if broken:
        verdict = replace(_of_broken(asked, broken, readable, records), checked=checked)
    return verdict, records, seen, changed


def _of_broken(
    asked: _ToProve, broken: Mapping[int, Verdict], readable: Sequence[Readable], records: int
) -> Verdict:
    """The verdict on all parts, some of which do not keep the promise alone."""
    first = min(broken)
    name, own = asked.parts[first].name, broken[first]
    ways = method_of(asked.model).by_parts
    # All parts together may keep what one alone breaks.
    if not asked.stated and ways.counts is None:
        return replace(own, method=f"{name}: {own.method}")
    alone = f"{name} alone does not keep it"
    if not ways.audited:
        how = f"{alone}; whether all parts together do was not counted"
        return Verdict(Status.UNDECIDED, how, 0, 0.0, own.witness)
    parts = Parts(asked.folder.name, len(readable), lambda n: readable[n].read(), asked.model)
    # The witnesses of the proofs are often enough; audits list more, but take longer.
    for listed in ([each.witness for each in broken.values()], _listed(asked, broken, readable)):
        breaches = list(islice((each for each in listed if isinstance(each, Breach)), MOST_COUNTED))
        left = still_breaches(parts, breaches, asked.model, records, asked.progress)
        if left:
            how = f"a breach of a part, counted over all {counted(len(parts), 'part')}"
            return Verdict(Status.BROKEN, how, 0, 0.0, left[0])
    how = f"{alone}; of the breaches that parts show, none is one of all records together"
    return Verdict(Status.UNDECIDED, how, 0, 0.0)


def _listed(
    asked: _ToProve, broken: Mapping[int, Verdict], readable: Sequence[Readable]
) -> Iterator[Finding]:
    """The worst breaches of the parts that have any."""
    audit = method_of(asked.model).audit
    options = audit.options(show=MOST_LISTED, samples=1)
    for number, proof in broken.items():
        run = AuditAfterProof(jobs=asked.jobs, limit_seconds=LISTING_SECONDS, proof=proof)
        yield from audit(readable[number].read(), asked.model, Evidence(), options, run).breaches


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
    """Each part with what is wrong with its bytes, in words; nothing if they are unchanged."""
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
