"""The report of a release by parts: the page of any release, from sums over its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from withhold.auditing.result import Audit
from withhold.counting.threads import Progress, quiet
from withhold.data import Evidence
from withhold.data.array_types import Longs
from withhold.measure.generalised import GeneralisedDetails, GeneralisedLoss
from withhold.measure.loss import Loss
from withhold.measure.utility import Utility
from withhold.parts.examining import (
    PAIRS_ONLY,
    audit_parts,
    is_generalised,
    measure_generalised,
    measure_parts,
)
from withhold.parts.group_audit import open_tables
from withhold.parts.planning import Data
from withhold.parts.reading import Parts, open_parts
from withhold.parts.release import PartsRelease, plain
from withhold.phases import phase
from withhold.publish.identifiers import KEEP
from withhold.publish.manifest import versions
from withhold.registry import method_of
from withhold.release import Release
from withhold.report.content import AUDIT_SECONDS, Report, make_report
from withhold.telling.facts import Measured, MeasureRequest
from withhold.telling.sections import Paragraph, Section, Subject
from withhold.verdict import Status, Verdict


@dataclass(frozen=True)
class ItemCounts:
    """What a page says of records that are not in memory themselves."""

    vocabulary: tuple[str, ...]
    supports: Longs
    record_ids: tuple[str, ...] | None
    """Not None if the records' own ids were kept."""
    parts: Parts
    """The parts, which can be read again one after the other."""
    index: None = None

    @property
    def n_occurrences(self) -> int:
        """How many items all records hold together."""
        return int(self.supports.sum())

    def codes(self, names: frozenset[str]) -> list[int]:
        """The codes of those of the items that are there."""
        return [code for code, name in enumerate(self.vocabulary) if name in names]


@dataclass(frozen=True)
class TableByParts(Release[Any, Any]):
    """The release of a table of which no row is in memory."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Nothing that strangers must know; the audit has what the custodian must."""
        return ()


@phase("reporting")
def report_parts(
    made: PartsRelease,
    data: Data,
    *,
    edition: str = "internal",
    part_records: int | None = None,
    reading: Mapping[str, Any] | None = None,
    jobs: int | None = None,
    progress: Progress = quiet,
) -> Report:
    """The report of a release in one edition; the original and the release are walked over again."""
    if method_of(made.model).by_parts.blocks is not None:
        return report_tables(
            made,
            data,
            edition=edition,
            part_records=part_records,
            reading=reading or {},
            progress=progress,
        )
    before = open_parts(data, part_records=part_records, reading=reading)
    after = open_parts(made.folder)
    request = MeasureRequest(made.model, made.model.sensitive, jobs=jobs, progress=progress)
    kept = ("kept",) if made.ids == KEEP else None
    common: Any = made.choice
    lost: Loss | None = None
    utility: Utility | None = None
    if is_generalised(after):
        measured = measure_generalised(before, after, common.hierarchy, request)
        originals = released = ItemCounts((), np.zeros(0, dtype=np.int64), kept, after)
    else:
        measured, utility, sums = measure_parts(before, after, request)
        lost = _loss(measured, utility)
        originals = ItemCounts(sums.vocabulary, sums.tally.before, kept, before)
        released = ItemCounts(sums.vocabulary, sums.tally.after, kept, after)
    audits: list[Any] = [
        audit_parts(
            where,
            model,
            part_records=part_records,
            reading=reading,
            allow_unknown=True,
            jobs=jobs,
            limit_seconds=AUDIT_SECONDS * len(parts),
            progress=progress,
        )
        # The original is audited under what was asked for: its items are not generalised.
        for where, parts, model in (
            (data, before, made.asked or made.model),
            (made.folder, after, made.model),
        )
    ]
    release: Release[Any, Any] = Release(
        data=released,
        original=originals,
        plan=common,  # each part has its own; this is what they have in common
        model=made.model,
        evidence=Evidence(),
        verdict=Verdict(Status.HOLDS, made.how, audits[1].verdict.checked, made.seconds),
        loss=lost,
        options={},
        unknown=() if made.unknown is None else (made.unknown,),
        ids=made.ids,
    )
    subject = Subject(release, measured, audits[0], audits[1])
    amounts = [
        {"records": audit.records, "occurrences": audit.occurrences} for audit in audits[::-1]
    ]
    page = make_report(subject, *manifests_of(made, *amounts), edition=edition)
    return with_limits(page, _left_out(utility, audits[1]))


def _left_out(utility: Utility | None, audit: Audit) -> tuple[Paragraph, ...]:
    pairs = "" if utility is None else PAIRS_ONLY.format(utility.itemsets.max_size)
    no_attacks = "Attacks need all records at once, too, and were not tried."
    return (
        *([Paragraph(f"{pairs[0].upper()}{pairs[1:]}.")] if pairs else []),
        Paragraph(
            "The risk of re-identification needs all whole records at once, and is not here."
        ),
        *([] if audit.attack_curve else [Paragraph(no_attacks)]),
    )


def _loss(measured: Measured, utility: Utility) -> Loss:
    """What was withheld; under groups also the detail that they give up."""
    gone, moved = utility.occurrences, utility.distribution
    loss = Loss(
        gone.all.removed,
        gone.all.total,
        gone.sensitive.removed,
        gone.sensitive.total,
        gone.records_emptied or 0,
        gone.items_gone,
        moved.kl,
        moved.symmetric_kl,
    )
    if not isinstance(measured.details, GeneralisedDetails):
        return loss
    numbers: dict[str, Any] = measured.details.generalised
    return GeneralisedLoss(**asdict(loss), **numbers)


def with_limits(page: Report, left_out: Sequence[Paragraph]) -> Report:
    """The page with what sums over parts leave out, for the custodian."""
    if page.edition != "internal":
        return page
    sections = list(page.sections)
    place = [section.name for section in sections].index("made")
    sections.insert(place, Section("sums", "What sums over parts leave out", tuple(left_out)))
    return replace(page, sections=tuple(sections))


def manifests_of(
    made: PartsRelease, after: Mapping[str, int], before: Mapping[str, int]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the page says of how the release was made: for strangers, and for the custodian."""
    manifest = {
        "promise": made.model.promise(),
        "model": made.model.parameters(),
        "verdict": {"status": Status.HOLDS.value, "method": made.how},
        "output": {"name": made.folder.name, "format": f"{len(made.parts):,} parts", **after},
        "ids": made.ids,
    }
    internal = {
        "method": made.how,
        "warnings": list(made.warnings),
        "sample": {},
        "seed": made.options["seed"],
        "input": dict(before),
        "options": {name: plain(value) for name, value in made.options.items()},
        "seconds": {"make and prove": made.seconds},
        "versions": versions(),
    }
    return manifest, internal


def report_tables(
    made: PartsRelease,
    data: Data,
    *,
    edition: str,
    part_records: int | None,
    reading: Mapping[str, Any],
    progress: Progress,
) -> Report:
    """The report of a table: what was withheld, summed over its parts, and both audits."""
    blocks = method_of(made.model).by_parts.blocks
    assert blocks is not None
    # The mark of a withheld cell in the release is a plain value in the original.
    reading = {name: value for name, value in reading.items() if name != "mark"}
    how: dict[str, Any] = {
        "part_records": part_records,
        "allow_unknown": True,
        "progress": progress,
    }
    before: Any = audit_parts(data, made.model, reading=reading, **how)
    after: Any = audit_parts(made.folder, made.model, **how)
    sums = blocks.measure(made.model)
    n_parts, originals = open_tables(data, made.model, part_records, reading)
    _, released = open_tables(made.folder, made.model, None, {})
    for number, ((_, old), (_, new)) in enumerate(zip(originals, released, strict=True)):
        progress(f"comparing: part {number + 1} of {n_parts}", number, n_parts)
        sums.add(old, new)
    measured = sums.joined(after)
    release = TableByParts(
        data=None,
        original=None,
        plan=None,  # type: ignore[arg-type]  # each part has its own
        model=made.model,
        evidence=Evidence(),
        verdict=after.verdict,
        loss=measured.details.loss,
        options=made.options,
        ids=made.ids,
    )
    manifest, internal = manifests_of(made, {"rows": after.rows}, {"rows": before.rows})
    manifest["column_roles"] = dict(after.column_roles)
    internal["warnings"] += after.warnings
    page = make_report(
        Subject(release, measured, before, after), manifest, internal, edition=edition
    )
    return with_limits(
        page, [Paragraph(f"Of the audits, {after.left_out}."), Paragraph(sums.left_out)]
    )
