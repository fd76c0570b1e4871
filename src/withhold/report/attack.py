"""The section on the attacker: what somebody could learn before, and what is left to learn."""

from __future__ import annotations

from collections.abc import Sequence

from withhold.audits import AttackPoint, Audit
from withhold.measure import Fact
from withhold.measure.facts import shown
from withhold.models import Status
from withhold.report.plots import Line, Lines, Role
from withhold.report.sections import Drawing, Listing, Paragraph, Part, Section, Subject
from withhold.wording import counted

BREACHES_SHOWN = 6
NOTHING_INFERRED = (
    "Of all the attacks tried on the release, none inferred what the promise rules out."
)
EXPOSED = "attack.exposed_{}"


def attack_section(subject: Subject, *, with_original: bool) -> Section:
    """What an attacker could do before and after; without the original, only after."""
    before, after = _audits(subject)
    parts: list[Part] = []
    if with_original:
        parts.append(Paragraph(_story(before)))
        if before.breaches:
            parts.append(_worst(before))
    known = before.attack_curve if with_original else ()
    for plot in (inferring(known, after.attack_curve), being_unique(known, after.attack_curve)):
        if any(value for line in plot.lines for value in line.values):
            parts.append(Drawing(plot, for_strangers=True))
    if after.attack_curve and not any(point.inferred.hits for point in after.attack_curve):
        parts.append(Paragraph(NOTHING_INFERRED, for_strangers=True))
    parts.append(Paragraph(_how(after), for_strangers=True))
    title = (
        "What an attacker could do, before and after"
        if with_original
        else "What is left to an attacker"
    )
    return Section("attacker", title, tuple(parts))


def exposure(subject: Subject) -> tuple[Fact, Fact]:
    """How many records were exposed, and how many are."""
    before, after = _audits(subject)
    largest = max(before.by_size, default=0)
    least = "" if before.complete else "at least so many "
    meaning = (
        f"{least}records of which somebody who knows at most {counted(largest, 'item')} "
        "learns what the model forbids"
    )
    return (
        Fact(
            EXPOSED.format("before"),
            "exposed before",
            before.exposed_records,
            "count",
            meaning,
        ),
        Fact(
            EXPOSED.format("after"),
            "exposed after",
            after.exposed_records,
            "count",
            meaning,
        ),
    )


def _audits(subject: Subject) -> tuple[Audit, Audit]:
    """The audits of the original and of the release; those of tables have a section of their own."""
    assert isinstance(subject.before, Audit)
    assert isinstance(subject.after, Audit)
    return subject.before, subject.after


def inferring(before: Sequence[AttackPoint], after: Sequence[AttackPoint]) -> Lines:
    """How often a sensitive item follows from so many known items."""
    return _curve(
        "inferred",
        "How often somebody who knows some random items of a person infers a sensitive one",
        "a sensitive item is inferred",
        [("original", "before", before), ("release", "after", after)],
    )


def being_unique(before: Sequence[AttackPoint], after: Sequence[AttackPoint]) -> Lines:
    """How often so many known items belong to one record alone."""
    return _curve(
        "unique",
        "How often no other record has the same known items",
        "the record is unique",
        [("original", "before", before), ("release", "after", after)],
    )


def _curve(
    name: str, title: str, y_label: str, curves: list[tuple[str, Role, Sequence[AttackPoint]]]
) -> Lines:
    longest = max((curve for _, _, curve in curves), key=len)
    return Lines(
        name,
        title,
        "random items known of a person",
        y_label,
        tuple(str(point.known) for point in longest),
        tuple(
            _line(label, role, name, curve, len(longest)) for label, role, curve in curves if curve
        ),
        percent=True,
    )


def _line(label: str, role: Role, name: str, curve: Sequence[AttackPoint], length: int) -> Line:
    shares = [point.inferred if name == "inferred" else point.unique for point in curve]
    missing = length - len(shares)
    return Line(
        label,
        role,
        (*(share.value for share in shares), *[None] * missing),
        (*(share.interval[0] for share in shares), *[0.0] * missing),
        (*(share.interval[1] for share in shares), *[0.0] * missing),
    )


def _story(before: Audit) -> str:
    if before.verdict.status is Status.HOLDS:
        return "The original was safe already: the model held for it as it was."
    share = before.exposed_records / before.records if before.records else 0.0
    exposed = (
        f"{'' if before.complete else 'At least '}{before.exposed_records:,} of its "
        f"{counted(before.records, 'record')} ({shown(share, 'share')}) were exposed. "
    )
    example = f"For example: {before.verdict.witness}. " if before.verdict.witness else ""
    return (
        f"The original did not keep the promise. {exposed if before.exposed_records else ''}{example}"
        "In the release nothing of the kind is left."
    )


def _worst(before: Audit) -> Listing:
    rows = tuple(finding.row() for finding in before.breaches[:BREACHES_SHOWN])
    width = max(len(row) for row in rows)
    head = ("what was known", "what followed", *[""] * (width - 2))
    return Listing(
        "The worst that the original gave away",
        head,
        tuple((*row, *[""] * (width - len(row))) for row in rows),
        right=frozenset(range(2, width)),
        folded=True,
    )


def _how(after: Audit) -> str:
    if not after.attack_curve:
        return "No attack was tried."
    trials = after.attack_curve[0].unique.trials
    return (
        f"Each point: {trials:,} attacks tried, each on a random record with enough items; the shade "
        "is the 95 % interval. Being unique is not what the model forbids, unless the promise says so."
    )
