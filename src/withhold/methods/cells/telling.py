"""The sections of a released table: who stood out before and after, what was withheld, what can be learnt."""

from __future__ import annotations

from withhold.data.roles import DROPPED
from withhold.methods.cells.audit import TableAudit
from withhold.methods.cells.options import SETS
from withhold.methods.cells.set_columns import HOW_TO_READ
from withhold.methods.cells.utility import TableUtility
from withhold.telling.facts import Fact
from withhold.telling.plots import Bars, Line, Lines
from withhold.telling.sections import Content, Drawing, Facts, Listing, Paragraph, Section, Subject
from withhold.wording import counted, percent


def table_attack_section(subject: Subject, *, with_original: bool) -> Section:
    """Who stands out to somebody who knows some of the quasi-identifiers."""
    before, after = _audits(subject)
    parts: list[Content] = []
    if with_original:
        share = before.rows_at_risk / before.rows
        text = (
            f"In the original {before.rows_at_risk:,} of {counted(before.rows, 'row')} ({percent(share)}) "
            f"were in groups that break the promise; the smallest group had {counted(before.k, 'row')}."
        )
        parts.append(Paragraph(text))
        if before.parts is None:
            parts.append(Drawing(_uniqueness(before, after)))
        if rows := tuple((each.row()[0], each.row()[2]) for each in before.breaches):
            caption, head = "The smallest groups of the original", ("quasi-identifiers", "rows")
            parts.append(Listing(caption, head, rows, folded=True))
    wildcard = "" if after.k_wildcard is None else f" ({after.k_wildcard:,} if it fits anything)"
    text = (
        f"In the release every group has at least {after.model.k:,} rows that agree in all "
        "quasi-identifiers, a withheld cell being a value of its own."
    )
    smallest = f"The smallest group of the release has {counted(after.k, 'row')}{wildcard}."
    parts += [Paragraph(text, for_strangers=True), Paragraph(smallest)]
    return Section("attacker", "Who stands out", tuple(parts))


def table_exposure(subject: Subject) -> tuple[Fact, ...]:
    """How many rows were in groups that break the model, and how many are."""
    meaning = "rows of groups that break the promise"
    return tuple(
        Fact(f"attack.exposed_{when}", f"at risk {when}", audit.rows_at_risk, "count", meaning)
        for when, audit in zip(("before", "after"), _audits(subject), strict=True)
    )


def _audits(subject: Subject) -> tuple[TableAudit, TableAudit]:
    assert isinstance(subject.before, TableAudit)
    assert isinstance(subject.after, TableAudit)
    return subject.before, subject.after


def sections_of_tables(subject: Subject) -> list[Section]:
    """What was withheld, and what the release is still good for."""
    found = subject.measured.details
    assert isinstance(found, TableUtility)
    columns = sorted(found.loss.by_column, key=lambda each: -(each.withheld + each.generalised))
    rows = max(found.loss.rows, 1)
    bars = Bars(
        "bycolumn",
        "The share of each column's cells that no longer show their value",
        "share of the rows",
        tuple(each.name for each in columns),
        (
            Line("withheld", "lost", tuple(each.withheld / rows for each in columns)),
            Line("generalised", "kept", tuple(each.generalised / rows for each in columns)),
        ),
        percent=True,
    )
    words = "Cells were withheld or generalised, none was invented; the label was never changed."
    warning = _leak(found)
    lost: list[Content] = [Paragraph(words, for_strangers=True)]
    if subject.release.options.get("cells") == SETS:
        lost.append(Paragraph(HOW_TO_READ, for_strangers=True))
    if subject.release.bound is not None:
        lost.append(Paragraph(subject.release.bound.sentence()))
    use: list[Content] = [Drawing(bars), Facts(subject.measured.facts)]
    use += [Paragraph(warning)] if warning else []
    return [
        Section("columns", "What became of each column", _roles(_audits(subject)[0])),
        Section("withheld", "What was withheld", tuple(lost)),
        Section("use", "What it is still good for", tuple(use)),
    ]


def _roles(before: TableAudit) -> tuple[Content, ...]:
    """The role of every column; an external report has only the columns that are in the file."""
    roles = tuple(before.column_roles.items())
    inside = tuple((name, role, before.undecided.get(name, "")) for name, role in roles)
    outside = tuple((name, role) for name, role in roles if role != DROPPED)
    words = (
        "Only quasi-identifiers lose cells. A column that is published is in the release as it was in the "
        "original, and nothing is promised about it."
    )
    return (
        Paragraph(words, for_strangers=True),
        Listing("All columns", ("column", "role", "why it may identify people"), inside),
        Listing(
            "Columns of the file",
            ("column", "role"),
            outside,
            for_strangers=True,
            for_custodians=False,
        ),
    )


def _leak(found: TableUtility) -> str:
    """A warning if the pattern of withheld cells reveals the label."""
    if found.leak is None or found.leak.by_pattern.mean >= 0.95 * found.leak.by_majority:
        return ""
    return (
        f"Which cells are withheld reveals something about the label: a tree that sees nothing else is wrong "
        f"in {percent(found.leak.by_pattern.mean)} of the rows, and always naming the most frequent label in "
        f"{percent(found.leak.by_majority)}. k-anonymity does not protect the label; l-diversity (l) does."
    )


def _uniqueness(before: TableAudit, after: TableAudit) -> Lines:
    """Who is unique; a line ends where the time limit was reached."""
    longest = max(len(before.known), len(after.known))
    shares = ([point.unique for point in audit.known] for audit in (before, after))
    old, new = ((*each, *[None] * (longest - len(each))) for each in shares)
    return Lines(
        "unique",
        "How many rows are unique to somebody who knows that many quasi-identifiers",
        "quasi-identifiers known",
        "rows that are unique",
        tuple(str(number + 1) for number in range(longest)),
        (Line("original", "before", old), Line("release", "after", new)),
        percent=True,
    )
