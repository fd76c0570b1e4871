"""The section on the attacker: what somebody could learn before, and what is left to learn."""

from __future__ import annotations

from collections.abc import Sequence

from withhold.auditing.result import AttackPoint, Audit
from withhold.method import Model
from withhold.report.words import beyond_promise, counted_rows, exposed_meaning, words_of
from withhold.telling.facts import Fact, shown
from withhold.telling.plots import Line, Lines, Role
from withhold.telling.sections import Drawing, Listing, Paragraph, Part, Section, Subject
from withhold.verdict import Status
from withhold.wording import counted

BREACHES_SHOWN = 6
NOTHING_INFERRED = (
    "Of all the attacks tried on the release, none inferred what the promise rules out."
)
NOBODY_FOUND = (
    "Of all the attacks tried on the release, none found fewer records than were promised."
)
EXPOSED = "attack.exposed_{}"
TITLES = {
    "inferred": "How often somebody who knows some random {}items of a person infers a {} one",
    "below_k": "How often fewer than {} records have the same known {}items",
    "unique": "How often no other record has the same known {}items",
}


def attack_section(subject: Subject, *, with_original: bool) -> Section:
    """What an attacker could do before and after; without the original, only after."""
    before, after = _audits(subject)
    parts: list[Part] = []
    if with_original:
        parts.append(Paragraph(_story(before)))
        if before.verdict.status is not Status.HOLDS:
            parts.append(_by_size(before))
        if before.breaches:
            parts.append(_worst(before))
    known = before.attack_curve if with_original else ()
    for plot in attack_plots(after.model, known, after.attack_curve):
        if any(value for line in plot.lines for value in line.values):
            parts.append(Drawing(plot, for_strangers=True))
    for name, words in (("inferred", NOTHING_INFERRED), ("below_k", NOBODY_FOUND)):
        shares = [getattr(point, name) for point in after.attack_curve]
        if shares and None not in shares and not any(share.hits for share in shares):
            parts.append(Paragraph(words, for_strangers=True))
    parts.append(Paragraph(_how(after), for_strangers=True))
    title = (
        "What an attacker could do, before and after"
        if with_original
        else "What is left to an attacker"
    )
    return Section("attacker", title, tuple(parts))


def exposure(subject: Subject) -> tuple[Fact, Fact]:
    """How many records were exposed, and how many are."""
    before, after = (
        Fact(
            EXPOSED.format(when),
            f"exposed {when}",
            audit.exposed_records,
            "count",
            exposed_meaning(audit),
        )
        for when, audit in zip(("before", "after"), _audits(subject), strict=True)
    )
    return before, after


def _audits(subject: Subject) -> tuple[Audit, Audit]:
    """The audits of the original and of the release; those of tables have a section of their own."""
    assert isinstance(subject.before, Audit)
    assert isinstance(subject.after, Audit)
    return subject.before, subject.after


def attack_plots(
    model: Model, before: Sequence[AttackPoint], after: Sequence[AttackPoint]
) -> list[Lines]:
    """A plot for each share that the model speaks of, by the number of known items."""
    words = words_of(model)
    fewest = f"{getattr(model, 'k', 0):,}"
    asked = {
        "inferred": (TITLES["inferred"].format(words.known, words.special), words.inferred),
        "below_k": (TITLES["below_k"].format(fewest, words.known), f"fewer than {fewest} records"),
        "unique": (TITLES["unique"].format(words.known), "the record is unique"),
    }
    curves: list[tuple[str, Role, Sequence[AttackPoint]]] = [
        ("original", "before", before),
        ("release", "after", after),
    ]
    return [
        _curve(name, title, y_label, curves)
        for name, (title, y_label) in asked.items()
        if any(getattr(point, name) is not None for _, _, curve in curves for point in curve)
    ]


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
    shares = [getattr(point, name) for point in curve]
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
    if before.verdict.status is not Status.BROKEN:
        return f"Of the original the check said {before.verdict.words}, which rules nothing out."
    exposed = (
        f"{before.exposed_records:,} of its {counted(before.records, 'record')} "
        f"({shown(before.exposed_share, 'share')}) were exposed: {exposed_meaning(before)}. "
    )
    example = f"For example: {before.verdict.witness}. " if before.verdict.witness else ""
    return (
        f"The original did not keep the promise. {exposed if before.exposed_records else ''}{example}"
        "In the release nothing of the kind is left."
    )


def _by_size(before: Audit) -> Listing:
    rows = tuple((label, str(count)) for label, count in counted_rows(before))
    return Listing(
        words_of(before.model).counts, ("", "in the original"), rows, right=frozenset({1})
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
        "is the 95 % interval. Being unique is not what the model forbids, unless the promise says so. "
        + " ".join(beyond_promise(after))
    ).rstrip()
