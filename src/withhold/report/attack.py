"""What an attacker could do, in the words of the model, for the text of an audit and for reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from withhold.auditing.result import AttackPoint, Audit, OtherBreaches, SizeCount
from withhold.method import Finding, Model
from withhold.registry import method_of
from withhold.telling.facts import Fact, shown
from withhold.telling.plots import Line, Lines, Role
from withhold.telling.sections import Content, Drawing, Listing, Paragraph, Section, Subject
from withhold.telling.words import Words
from withhold.verdict import Status
from withhold.wording import counted, percent

BREACHES_SHOWN = 6
NO_SUCCESS = {
    "inferred": "Of all the attacks tried on the release, none inferred what the promise rules out.",
    "below_k": "Of all the attacks tried on the release, none found fewer records than were promised.",
}
TITLES = {
    "inferred": "How often somebody who knows some random {known}items of a person infers a {special} one",
    "below_k": "How often fewer than {k} records have the same known {known}items",
    "unique": "How often no other record has the same known {known}items",
}


def words_of(model: Model) -> Words:
    """The words of the model."""
    return method_of(model).words


def _headings(model: Model) -> Mapping[str, str]:
    """What the shares of an attack curve are called."""
    fewer = f"fewer than {getattr(model, 'k', 0):,} records"
    return {"unique": "record is unique", "below_k": fewer, "inferred": words_of(model).inferred}


def shown_shares(audit: Audit) -> list[tuple[str, str]]:
    """The shares that the points of the attack curve have, by name, with their headings."""
    point, headings = audit.attack_curve[0], _headings(audit.model)
    return [(name, head) for name, head in headings.items() if getattr(point, name) is not None]


def beyond_promise(audit: Audit) -> list[str]:
    """A line if the curve goes further than the promise."""
    bounds = (getattr(audit.model, name, None) for name in ("max_known", "p"))
    most = next((bound for bound in bounds if bound is not None), None)
    if most is None or most >= audit.attack_curve[-1].known:
        return []
    kind = words_of(audit.model).known
    return [f"The promise is about at most {most:,} known {kind}item{'s' * (most != 1)}."]


def counted_rows(audit: Audit) -> list[tuple[str, SizeCount]]:
    """For each number of known items, how many breaches there are, and how that is known."""
    words = words_of(audit.model)
    return [
        (words.counted.format(items=_items(size, words)), count)
        for size, count in audit.counts.items()
    ]


def exposed_meaning(audit: Audit) -> str:
    """What the number of exposed records counts."""
    words = words_of(audit.model)
    return words.exposed_meaning.format(**_at_most(audit.exposed_known or 0, words))


def exposed_text(audit: Audit) -> str:
    """How many records are exposed, and to whom."""
    if audit.exposed_known is None:
        return "Exposed records were not counted."
    words = words_of(audit.model)
    number = f"{counted(audit.exposed_records, 'record')} ({percent(audit.exposed_share)})"
    return f"{words.exposed.format(**_at_most(audit.exposed_known, words))}: {number}"


def other_rows(other: OtherBreaches) -> list[tuple[str, str]]:
    """For each number of known items, how many breaches of another kind there are."""
    return [(counted(size, "item"), str(count)) for size, count in other.counts.items()]


def other_exposed(other: OtherBreaches) -> str:
    """How many records are exposed by breaches of another kind."""
    return f"Found by one of them: {counted(other.exposed_records, 'record')}"


def within_parts(audit: Audit, how: str = "Counted within") -> list[str]:
    """A line if the numbers are sums over the parts, each taken by itself."""
    if audit.parts is None:
        return []
    alone = {
        "Counted within": "a breach counts once for each part that has it",
        "Tried within": "by somebody who knows in which part the record is",
    }
    return [f"{how} each of {counted(audit.parts, 'part')} and summed: {alone[how]}."]


def _at_most(most: int, words: Words) -> dict[str, Any]:
    """The largest number of items, in each form that sentences may need."""
    return {
        "most": most,
        "at_most": f"at most {most:,}" if most else "nothing",
        "at_most_items": f"at most {_items(most, words)}" if most else "nothing",
    }


def _items(number: int, words: Words) -> str:
    return words.nothing if number == 0 else f"{number:,} item{'s' * (number > 1)}"


def attack_section(subject: Subject, *, with_original: bool) -> Section:
    """What an attacker could do before and after; without the original, only after."""
    before, after = _audits(subject)
    title = "What an attacker can still do"
    parts: list[Content] = []
    if with_original:
        title = "What an attacker could do, before and after"
        parts.append(Paragraph(_story(before)))
        if before.verdict.status is not Status.HOLDS:
            rows = tuple((label, str(count)) for label, count in counted_rows(before))
            head, right = ("", "in the original"), frozenset({1})
            parts.append(Listing(words_of(before.model).counts, head, rows, right=right))
            parts += [Paragraph(line) for line in within_parts(before)]
        if before.breaches:
            parts.append(_worst(before.breaches))
        for other in before.others:
            rows = tuple(other_rows(other))
            head, right = ("", "in the original"), frozenset({1})
            parts.append(Listing(other.what, head, rows, right=right))
            parts.append(Paragraph(f"{other_exposed(other)}."))
            if other.breaches:
                parts.append(_worst(other.breaches))
        parts += [Paragraph(f"Advice: {line}") for line in before.advice]
    known = before.attack_curve if with_original else ()
    for plot in attack_plots(after.model, known, after.attack_curve):
        if any(value for line in plot.lines for value in line.values):
            parts.append(Drawing(plot, for_strangers=True))
    for name, words in NO_SUCCESS.items():
        shares = [getattr(point, name) for point in after.attack_curve]
        if shares and None not in shares and not any(share.hits for share in shares):
            parts.append(Paragraph(words, for_strangers=True))
    if any(
        new.unique.value > old.unique.value
        for old, new in zip(known, after.attack_curve, strict=False)
    ):
        parts.append(Paragraph(WHY_UNIQUE))
    parts.append(Paragraph(_how(after), for_strangers=True))
    return Section("attacker", title, tuple(parts))


WHY_UNIQUE = (
    "More records can be unique in the release than in the original: a record that lost an item may no "
    "longer look like those that kept it, and attacks are tried on what is published, so that shorter "
    "records are left out. Whoever finds such a record still cannot infer what the promise speaks of."
)


def exposure(subject: Subject) -> tuple[Fact, ...]:
    """How many records were exposed, and how many are."""
    return tuple(
        Fact(f"attack.exposed_{when}", f"exposed {when}", audit.exposed_records, "count", meaning)
        for when, audit in zip(("before", "after"), _audits(subject), strict=True)
        for meaning in [exposed_meaning(audit)]
    )


def _audits(subject: Subject) -> tuple[Audit, Audit]:
    """The audits of the original and of the release; those of tables have a section of their own."""
    assert isinstance(subject.before, Audit)
    assert isinstance(subject.after, Audit)
    return subject.before, subject.after


def attack_plots(
    model: Model, before: Sequence[AttackPoint], after: Sequence[AttackPoint]
) -> list[Lines]:
    """A plot for each share that the model names, by the number of known items."""
    words, plots = words_of(model), []
    longest = max(before, after, key=len)
    headings = {**_headings(model), "unique": "the record is unique"}
    curves: list[tuple[str, Role, Sequence[AttackPoint]]] = [
        ("original", "before", before),
        ("release", "after", after),
    ]
    for name, title in TITLES.items():
        if any(getattr(point, name) is not None for point in (*before, *after)):
            terms = {"k": f"{getattr(model, 'k', 0):,}", "known": words.known}
            plots.append(
                Lines(
                    name,
                    title.format(**terms, special=words.special),
                    "random items known of a person",
                    headings[name],
                    tuple(str(point.known) for point in longest),
                    tuple(_line(*each, name, len(longest)) for each in curves if each[2]),
                    percent=True,
                )
            )
    return plots


def _line(label: str, role: Role, curve: Sequence[AttackPoint], name: str, length: int) -> Line:
    """The line of one curve; it ends where the time ran out."""
    shares = [getattr(point, name) for point in curve]
    missing = length - len(shares)
    values = (*(share.value for share in shares), *[None] * missing)
    low, high = ((*(share.interval[n] for share in shares), *[0.0] * missing) for n in (0, 1))
    return Line(label, role, values, low, high)


def _story(before: Audit) -> str:
    if before.verdict.status is Status.HOLDS:
        return "The original was safe already: the model held for it as it was."
    if before.verdict.status is not Status.BROKEN:
        return f"The check of the original said {before.verdict.words}, which rules nothing out."
    exposed = (
        f"{before.exposed_records:,} of its {counted(before.records, 'record')} "
        f"({shown(before.exposed_share, 'share')}) were exposed: {exposed_meaning(before)}. "
    )
    example = f"For example: {before.verdict.witness}. " if before.verdict.witness else ""
    return (
        f"The original did not keep the promise. {exposed if before.exposed_records else ''}{example}"
        "In the release nothing of the kind is left."
    )


def _worst(breaches: Sequence[Finding]) -> Listing:
    rows = [finding.row() for finding in breaches[:BREACHES_SHOWN]]
    width = max(len(row) for row in rows)
    return Listing(
        "The worst that the original revealed",
        ("what was known", "what followed", *[""] * (width - 2)),
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
        "is the 95% interval. Being unique is not what the model forbids, unless the promise says so. "
        + " ".join([*beyond_promise(after), *within_parts(after, "Tried within")])
    ).rstrip()
