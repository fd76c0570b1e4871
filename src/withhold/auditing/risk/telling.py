"""The risks as lines of text and as the section of a report."""

from __future__ import annotations

from collections.abc import Sequence

from withhold.auditing.result import Audit
from withhold.auditing.risk.classes import Risk
from withhold.auditing.risk.population import PopulationUniques
from withhold.auditing.risk.risks import CountedUniques, Risks
from withhold.auditing.risk.special_uniques import SpecialUniques
from withhold.describing import described, described_all
from withhold.exact import decimal_text
from withhold.telling.facts import shown
from withhold.telling.layout import columns
from withhold.telling.sections import Content, Listing, Paragraph, Section, Subject
from withhold.wording import counted

KNOWN = {"row": "all quasi-identifiers of a person", "record": "all items of a person's record"}
MODELS = {"zayatz": "Zayatz", "pitman": "Pitman", "snb": "SNB"}
SPECIAL_SHOWN = 5
CONTRIBUTIONS = (
    "  (without it: the prosecutor's mean risk and the unique rows if the column were",
    "  dropped; in special uniques: the share of all scores from sets with the column)",
)
SETS_SHOWN = {"column": 10, "item": 2}
"""The most sets that are shown for a row; those of items are many, and similar."""
WHAT_THEY_SAY = (
    "The prosecutor knows that a person is in the file, the journalist does not and may take somebody else "
    "for them, the marketer tries everybody; each knows {known}."
)


def risk_lines(risks: Risks, what: str) -> list[str]:
    """The risks of rows or records, as ``what`` says, as lines of text."""
    lines = [
        f"Risk of re-identification by somebody who knows {KNOWN[what]}",
        f"  (highest, mean: the chance of linking a {what} to its person; above 0.2: the share of",
        f"  {what}s with a higher chance; unique: {what}s like no other in the file)",
        *columns(_attackers(risks), right=range(1, 7)),
        *columns(_uniques(risks, what)),
    ]
    if risks.special is not None:
        lines += ["", *_special_lines(risks.special, what)]
    if len(risks.columns) > 1:
        lines += ["", "Quasi-identifiers by what they contribute", *CONTRIBUTIONS]
        lines += columns(_contributions(risks), right=(1, 2, 3))
    return lines


def risk_section(subject: Subject) -> Section:
    """The risks of the original and of the release, side by side; for the custodian only."""
    before, after = subject.before.risks, subject.after.risks
    if before is None or after is None:
        return Section("risk", "Risk of re-identification", ())
    what = "record" if isinstance(subject.before, Audit) and not before.columns else "row"
    rows = [
        (label, value, other)
        for (label, value), (_, other) in zip(
            _in_words(before, what), _in_words(after, what), strict=True
        )
    ]
    parts: list[Content] = [
        Paragraph(WHAT_THEY_SAY.format(known=KNOWN[what])),
        Listing(
            "Before and after", ("", "original", "release"), tuple(rows), right=frozenset({1, 2})
        ),
    ]
    if len(before.columns) > 1:
        head, *listed = _contributions(before)
        caption = "Quasi-identifiers of the original by what they contribute"
        parts.append(Listing(caption, head, tuple(listed), right=frozenset({1, 2, 3})))
    return Section("risk", "Risk of re-identification", tuple(parts))


def _attackers(risks: Risks) -> list[tuple[str, ...]]:
    limits = [f"above {decimal_text(each.threshold)}" for each in risks.prosecutor.above]
    rows: list[tuple[str, ...]] = [("attacker", "highest", "mean", *limits)]
    for name, risk in (("prosecutor", risks.prosecutor), ("journalist", risks.journalist)):
        if risk is not None:
            rows.append((name, *_percents(risk, risks.rows)))
    rows.append(("marketer", "", _percent(risks.marketer), *[""] * len(limits)))
    return rows


def _percents(risk: Risk, rows: int) -> list[str]:
    above = (each.rows / rows if rows else 0.0 for each in risk.above)
    return [_percent(share) for share in (risk.highest, risk.mean, *above)]


def _percent(share: object) -> str:
    return shown(float(share), "share")  # type: ignore[arg-type]


def _uniques(risks: Risks, what: str) -> list[tuple[str, str]]:
    share = risks.uniques / risks.rows if risks.rows else 0.0
    facts = [("unique", f"{risks.uniques:,} of {counted(risks.rows, what)} ({_percent(share)})")]
    found = risks.population
    if isinstance(found, CountedUniques):
        there = f"{found.uniques:,} of these are unique among {found.population:,} people"
        if found.missing:
            there += f"; nobody there is like {counted(found.missing, what)} of the data"
        facts.append(("in the population", there))
    elif isinstance(found, PopulationUniques):
        others = ", ".join(
            f"{name} {'no solution' if value is None else f'{value:,.0f}'}"
            for model, name in MODELS.items()
            for value in [getattr(found, model)]
            if model != found.model
        )
        about = (
            f"about {found.uniques:,.0f} of {found.population:,} people ({_percent(found.share)})"
        )
        facts.append(("in the population", f"{about} by {MODELS[found.model]}: {found.why}"))
        facts.append(("", f"by the others: {others}"))
    return facts


def _special_lines(special: SpecialUniques, what: str) -> list[str]:
    most = counted(special.largest, special.unit)
    title = f"{what.capitalize()}s that {most} or fewer single out (special uniques)"
    if not special.is_complete:
        title += f"; sets of up to {special.asked:,} are too many to check"
    sizes = [
        (f"{counted(size, special.unit)}", counted(rows, what))
        for size, rows in enumerate(special.by_size, start=1)
    ]
    lines = [title, *columns(sizes, right=(1,))]
    if special.worst:
        lines.append(
            "  (the score is higher the fewer of them are needed, and the more sets do it)"
        )
    most_sets = SETS_SHOWN[special.unit]
    for row in special.worst[:SPECIAL_SHOWN]:
        sets = ", ".join(f"{{{described_all(each)}}}" for each in row.columns[:most_sets])
        sets += f" and {len(row.columns) - most_sets:,} more" if row.columns[most_sets:] else ""
        lines.append(f"  {what} {row.row:,} (score {row.score:,}): {sets}")
    if special.unit == "item" and special.shares:
        named = ", ".join(
            f"{described(name)} {_percent(share)}" for name, share in special.shares[:SPECIAL_SHOWN]
        )
        lines.append(f"  items by their share of all scores: {named}")
    return lines


def _contributions(risks: Risks) -> list[tuple[str, ...]]:
    head = ("column", "mean risk without it", "unique without it", "in special uniques")
    shares = dict(risks.special.shares) if risks.special is not None else {}
    return [
        head,
        *(
            (
                each.name,
                _percent(each.mean_without),
                f"{each.uniques_without:,}",
                _percent(shares.get(each.name, 0.0)),
            )
            for each in risks.columns
        ),
    ]


def _in_words(risks: Risks, what: str) -> Sequence[tuple[str, str]]:
    """What a report says about one file."""
    facts = [
        ("prosecutor, highest risk", _percent(risks.prosecutor.highest)),
        ("prosecutor, mean risk", _percent(risks.prosecutor.mean)),
    ]
    for each in risks.prosecutor.above:
        limit = decimal_text(each.threshold)
        facts.append((f"{what}s with a risk above {limit}", f"{each.rows:,}"))
    if risks.journalist is not None:
        facts.append(("journalist, highest risk", _percent(risks.journalist.highest)))
        facts.append(("journalist, mean risk", _percent(risks.journalist.mean)))
        for each in risks.journalist.above:
            limit = decimal_text(each.threshold)
            facts.append((f"{what}s with a journalist's risk above {limit}", f"{each.rows:,}"))
    facts.append((f"marketer, {what}s linked correctly", _percent(risks.marketer)))
    facts.append((f"unique {what}s", f"{risks.uniques:,}"))
    facts.append(("classes", f"{risks.classes:,}"))
    if isinstance(risks.population, CountedUniques):
        facts.append(("unique in the population, too", f"{risks.population.uniques:,}"))
        facts.append((f"{what}s like nobody there", f"{risks.population.missing:,}"))
    elif isinstance(risks.population, PopulationUniques):
        found = f"{risks.population.uniques:,.0f} ({MODELS[risks.population.model]})"
        facts.append(("unique in the population, estimated", found))
    if risks.special is not None:
        # A release may have so many sets that only smaller ones were checked.
        facts.append(
            (
                f"{what}s that a few {risks.special.unit}s single out",
                _special_in_words(risks.special),
            )
        )
    return facts


def _special_in_words(special: SpecialUniques) -> str:
    return f"{special.rows:,} (up to {counted(special.largest, special.unit)})"
