"""Prove a published file again: the policy that was stated, or the one that its manifest describes.

Nothing that comes with the file is taken on trust. Whether quotes before formulas belong to the names
(``safe_csv``) cannot be detected: unless the user says so, both are proved, and if the verdicts differ it is
UNDECIDED. A check that found nothing to check is UNDECIDED (``doubting``).
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from withhold.arguments import fits
from withhold.atomic.files import sha256_of
from withhold.counting.threads import Progress, quiet
from withhold.data import People
from withhold.data.evidence import Draw, Evidence
from withhold.errors import InputError, PolicyError, UndecidedError, WithholdError, option
from withhold.formats import Data
from withhold.listed import occurring_text, protects_nobody
from withhold.method import CheckRun, Model
from withhold.publish.doubting import doubted, known_to_original, resting_on_nothing
from withhold.publish.manifest import GENUINE, form_from, read_internal, read_manifest
from withhold.publish.publishing import changed_files, internal_of, located, manifest_of
from withhold.publish.rereading import Reading, Readings, as_it_stands, read_published
from withhold.publish.rereading_people import files_beside
from withhold.registry import method_of, model_from, verify
from withhold.seeds import given_or_drawn
from withhold.verdict import Status, Verdict
from withhold.wording import counted

NOT_THESE = (
    "these are not the constraints that the release was made for: the file may be another one, or {}, {}, "
    "{} or {} was given for the release but not now, or vice versa"
)
MAKES_OTHERS = ("consent", "skip_missing_ids", "sensitive", "hierarchy")
"""Options that make other constraints of the same file."""


@dataclass(frozen=True)
class Recheck:
    """What ``verify_file`` found."""

    same_bytes: bool | None
    """Whether the file is the one that its manifest describes; None: there is no manifest."""
    verdict: Verdict
    model: Model
    table: Data
    seconds: float
    policy_from: str
    """Where the policy that was proved came from, in words."""
    occurring: str = ""
    """How many of the sensitive items occur in the file, in words."""
    warnings: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    """The files that are not those that the manifest describes."""


def verify_file(
    path: str | Path,
    manifest: Path | None = None,
    *,
    model: Model | None = None,
    hierarchy: str | None = None,
    policy_from: str = "the stated policy",
    gather: Callable[[Model], Evidence] = lambda _: Evidence(),
    reading: Reading | None = None,
    safe_csv: bool | None = None,
    mark: Callable[[Data, Model], Data] | None = None,
    for_original: bool = False,
    allow_unknown: bool = False,
    jobs: int | None = None,
    limit_seconds: float | None = None,
    progress: Progress = quiet,
) -> Recheck:
    """Prove a published file again.

    With a ``model``, that is what must hold, whatever the manifest says; otherwise the manifest's model.
    ``hierarchy`` is the one of a stated policy, whose nodes are the groups that items may be published as.
    ``gather`` finds the evidence, which no manifest holds. ``reading`` are options of ``read``, perhaps only
    ``for_original``; ``safe_csv`` says whether the file was written with quotes before formulas, None that
    this is not known. ``mark`` marks the cells of a table that are withheld; without it the manifest says
    which, and if a stated policy holds only by its word, the verdict is UNDECIDED.
    """
    began = time.perf_counter()
    path = Path(path)
    # First: it completes what a killed run left, and with it the file may become another.
    where = manifest or manifest_of(path)
    sha256_of(path)  # says first if there is no such file
    stated = model is not None
    # A stated policy needs no manifest; one that is named must be there.
    record, warnings = _manifest_beside(where, needed=not stated or manifest is not None)
    if model is None:
        assert record is not None
        policy_from = f"the manifest {where.name}"
        model = model_in(record, where)
    evidence, others = _drawn(gather(model), record, path, stated=stated)
    form = None if record is None else located(form_from(record["output"], path))
    named = bool((reading or {}).get("items"))
    changed = () if record is None else changed_files(path, record, alone=named)
    same_bytes = None if record is None else not changed
    if method_of(model).data == People.kind and not named:
        warnings += files_beside(path, form)
    if stated and record is not None:
        if hierarchy is None:
            warnings += _promised_otherwise(record, where, model, others, policy_from)
        warnings += [f"{name} is not the file that {where.name} describes" for name in changed]
    other = _of_another(record, path) if path.name in changed else None
    if other is not None:
        warnings.append(f"{where.name} is the manifest of {other}")
    options = {name: value for name, value in (reading or {}).items() if value is not None}
    how: dict[str, Any] = {"safe_csv": safe_csv, "for_original": for_original}
    try:
        same = bool(same_bytes)
        readings = read_published(path, model, record, options, same_bytes=same, **how)
    except InputError as error:
        if same_bytes is not False:
            raise
        problem = f"is not the file that was published, nor can it be read ({error.problem})"
        remedy = "copy or download it again"
        if other is not None:
            remedy = f"use its own manifest; {where.name} is that of {other}"
        raise InputError(problem, path=path, line=error.line, remedy=remedy) from None
    if stated:
        model = _under_groups(model, hierarchy, readings.named, record, where)
        if hierarchy is not None and record is not None:
            warnings += _promised_otherwise(record, where, model, others, policy_from)
    run = CheckRun(jobs=jobs, limit_seconds=limit_seconds, progress=progress)
    prove = partial(verify, model=model, evidence=evidence, run=run)
    known = not stated and bool(same_bytes) and known_to_original(record, model, evidence)
    judge = partial(doubted, model=model, evidence=evidence, known_before=known)
    plain = as_it_stands(readings.named, record, path)
    if mark is not None:
        readings = Readings(mark(plain, model))
    data, verdict = _proved(readings, prove, judge, path, allow_unknown=allow_unknown)
    if stated and mark is None and plain is not data and verdict.status is Status.HOLDS:
        _refuse_its_word(path, prove(plain))
    if (nobody := protects_nobody(evidence.constraints, allowed=allow_unknown)) is not None:
        verdict = resting_on_nothing(verdict, f"nothing, since {nobody.problem}")
    seconds = time.perf_counter() - began
    details = (policy_from, occurring_text(model, data, evidence), tuple(warnings), changed)
    model = method_of(model).about(model, data)
    return Recheck(same_bytes, verdict, model, data, seconds, *details)


def _manifest_beside(where: Path, *, needed: bool) -> tuple[dict[str, Any] | None, list[str]]:
    """The manifest, and what is wrong with it; None if there is no usable one and none is needed."""
    if not needed and not where.exists():
        return None, []
    try:
        return read_manifest(where), []
    except InputError as error:
        if needed:
            raise
        return None, [_unusable(where, error)]


def _of_another(record: Mapping[str, Any] | None, path: Path) -> str | None:
    """The name of the file that a manifest was written for, if that is another one."""
    name = None if record is None else record["output"].get("name")
    is_name = isinstance(name, str) and name.isprintable() and name != path.name
    return name if is_name else None


def _promised_otherwise(
    record: Mapping[str, Any], where: Path, model: Model, others: list[str], policy_from: str
) -> list[str]:
    """How a manifest falls short of the policy that is proved, in words."""
    try:
        less = [*promises_less(model_in(record, where), model), *others]
    except InputError as error:
        return [_unusable(where, error)]
    return [f"{where.name} promises less than {policy_from}: {'; '.join(less)}"] if less else []


def _under_groups(
    model: Model, hierarchy: str | None, data: Data, record: Mapping[str, Any] | None, where: Path
) -> Model:
    """What a stated policy asks of this file: public items may be published as groups."""
    offered = None
    if record is not None and record["model"]["model"] == model.name:
        with suppress(InputError):  # of which the user is warned
            offered = model_in(record, where)
    try:
        made: Model = method_of(model).stated(model, hierarchy, data, offered)
    except PolicyError as error:
        raise UndecidedError(
            f"{where.name} has groups that do not fit the policy: {error}"
        ) from None
    return made


def _unusable(where: Path, error: InputError) -> str:
    return f"{where.name} is unusable and was ignored: {error.problem}"


def _proved(
    readings: Readings,
    prove: Callable[[Data], Verdict],
    judge: Callable[[Verdict, Data], Verdict],
    path: Path,
    *,
    allow_unknown: bool,
) -> tuple[Data, Verdict]:
    """What was proved, and the verdict: the same for both readings, if there are two."""
    found = [readings.named]
    verdicts = [prove(readings.named)]
    if (other := readings.as_it_looks) is not None:
        found.append(other)
        try:
            verdicts.append(prove(other))
        except WithholdError as error:
            raise _two_namings(path, verdicts[0].status.value, str(error)) from None
    judged = list(map(judge, verdicts, found))
    # A reading in which nothing was checked says nothing against the other one.
    sound = [n for n, each in enumerate(judged) if each.status is verdicts[n].status] or [0]
    if len({verdicts[n].status for n in sound}) > 1:
        raise _two_namings(path, *(verdict.status.value for verdict in verdicts))
    best = sound[0]
    return found[best], verdicts[best] if allow_unknown else judged[best]


def _refuse_its_word(path: Path, as_it_looks: Verdict) -> None:
    """Say so if a table holds only because its manifest calls some cells withheld."""
    if as_it_looks.status is not Status.HOLDS:
        raise UndecidedError(
            f"{path}: the verdict depends on which cells are withheld, and only the manifest says so "
            f"(as the file looks: {as_it_looks.status.value})",
            "  To fix it: name what stands for a withheld cell, --mark '*', or --mark '' for empty ones",
        )


def model_in(record: Mapping[str, Any], where: Path) -> Model:
    """The model that a manifest describes."""
    try:
        return model_from(record["model"])
    except PolicyError as error:
        raise InputError(str(error), path=where, remedy=GENUINE) from error


def _drawn(
    evidence: Evidence, record: Mapping[str, Any] | None, path: Path, *, stated: bool
) -> tuple[Evidence, list[str]]:
    """The evidence with the draw that confirmed the release, as the internal manifest has it.

    And whether the constraints have changed since: an error, unless a policy is ``stated``.
    """
    internal = None if record is None else read_internal(internal_of(path))
    sample = (record or {}).get("model", {}) if internal is None else internal["sample"]
    then = sample.get("constraints_sha256")
    now = None if evidence.constraints is None else evidence.constraints.digest()
    others = ["its constraints are others"] * (None not in (then, now) and then != now)
    if stated:
        return evidence, others
    if others:
        raise PolicyError(NOT_THESE.format(*map(option, MAKES_OTHERS)))
    # Any other draw is as good a test, as long as nobody could know it beforehand.
    seed, round = sample.get("seed"), sample.get("round")
    known = fits(seed, int) and fits(round, int)
    draw = Draw(seed, round) if known else Draw(given_or_drawn(None))
    return replace(evidence, draw=draw), []


def _two_namings(path: Path, as_proposed: str, as_it_looks: str) -> UndecidedError:
    verb = f"withhold verify {shlex.quote(str(path))}"
    return UndecidedError(
        f"{path}: the verdict depends on whether quotes before formulas belong to the names, and only its "
        "manifest says that they do not; say which it is:",
        f"  {verb} --safe-csv   (as the manifest says: {as_proposed})",
        f"  {verb} --no-safe-csv   (as the file looks: {as_it_looks})",
    )


def promises_less(offered: Model, asked: Model) -> tuple[str, ...]:
    """In which respects ``offered`` promises less than ``asked``; none if it promises as much or more.

    >>> from withhold.methods.rho.model import RhoUncertainty
    >>> promises_less(RhoUncertainty("0.9", {"a"}), RhoUncertainty("0.5", {"a", "b"}))
    ('rho is 0.9 instead of 0.5', '1 of the 2 names in sensitive is not in its list')

    In coherence, what is private is not among the public items that somebody may know, so a longer list of
    private items promises something else.
    """
    if offered.name != asked.name:
        return (f"its model is {offered.name} instead of {asked.name}",)
    mine, theirs = offered.parameters(), asked.parameters()
    less = [
        _difference(name, mine.get(name), theirs.get(name))
        for name, declared in method_of(asked).parameters().items()
        if (weaker := declared.option.weaker) is not None
        and weaker(mine.get(name), theirs.get(name))
    ]
    named = [set(cast("list[str]", each.get("private", []))) for each in (mine, theirs)]
    if more := len(named[0] - named[1]):
        less.append(
            f"private names {counted(more, 'other item')}, so that it promises nothing about those who "
            f"know {'it' if more == 1 else 'them'}"
        )
    if moved := _published_elsewhere(offered, asked):
        less.append(f"{counted(moved, 'item')} of its groups are in other groups")
    return tuple(less)


def _published_elsewhere(offered: Model, asked: Model) -> int:
    """How many items both have in groups, but not in the same."""
    mine, theirs = (getattr(each, "groups", None) for each in (offered, asked))
    if mine is None or theirs is None:
        return 0
    there = theirs.group_of()
    return sum(there.get(item, name) != name for item, name in mine.group_of().items())


def _difference(name: str, offered: Any, asked: Any) -> str:
    if isinstance(asked, list):
        missing = len(set(asked) - set(offered))
        verb = "is" if missing == 1 else "are"
        return f"{missing:,} of the {len(asked):,} names in {name} {verb} not in its list"
    if isinstance(offered, dict):
        return (
            f"items are seen as the {counted(len(offered), 'group')} that they are published under"
        )
    shown = ["not set" if value is None else str(value) for value in (offered, asked)]
    return f"{name} is {shown[0]} instead of {shown[1]}"
