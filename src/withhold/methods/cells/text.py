"""What is in a table, and its audit, as pages of text."""

from __future__ import annotations

from withhold.auditing.risk.telling import risk_lines
from withhold.data.likely_known import is_known_by_name
from withhold.data.profile import TableProfile
from withhold.data.roles import columns_by_role
from withhold.methods.cells.audit import TableAudit
from withhold.methods.cells.disclosure import Disclosed
from withhold.methods.cells.model import VALUE, WILDCARD
from withhold.methods.cells.presence import TooPresent
from withhold.telling.hinting import hint_lines
from withhold.telling.layout import bar, columns, findings, page
from withhold.verdict import Status
from withhold.wording import counted, percent

STOPS = "May identify people; a release stops until each is a quasi-identifier, --drop or --publish"
OTHERS_KNOW = "Others may know these of a person by their names; a release stops for them, too"


def table_profile_text(profile: TableProfile, *, name: str) -> str:
    """The columns of a table, and those that may identify people."""
    rows = [
        (
            column.name,
            f"{column.different:,}",
            f"{column.blank:,}",
            f"{column.alone:,}",
            ", ".join(
                f"{value or '(blank)'} {_rough(count / profile.rows)}"
                for value, count in column.top
            ),
        )
        for column in profile.columns
    ]
    head = ("column", "values", "blank", "alone", "most frequent, by share of rows")
    lines = [
        f"{name}: {profile.format}, {counted(profile.rows, 'row')}, "
        f"{counted(len(profile.columns), 'column')}",
        "",
        *columns([head, *rows], right={1, 2, 3}),
        "",
        "alone: rows whose value in the column no other row has",
    ]
    warned = [f"  {column.name} {column.looks}" for column in profile.columns if column.looks]
    if warned:
        lines += ["", STOPS, *warned]
    known = [
        column.name
        for column in profile.columns
        if column.different > 1 and not column.looks and is_known_by_name(column.name)
    ]
    if known:
        lines += ["", OTHERS_KNOW, f"  {', '.join(known)}"]
    return page([*lines, *hint_lines(profile.hints)])


def _rough(share: float) -> str:
    """A share without decimals, which is 0 only if there is nothing.

    >>> _rough(0.004), _rough(0.126)
    ('<1%', '13%')
    """
    return "<1%" if 0 < share < 0.005 else percent(share, 0)


def table_audit_text(audit: TableAudit, *, name: str, took: str) -> str:
    """The audit of a table as a page of text."""
    promise = audit.verdict.of_promise(audit.model.promise())
    if audit.verdict.status is Status.HOLDS:
        outcome = [promise]
    elif audit.verdict.status is Status.UNDECIDED:
        ended = "The time limit ended the check before all rows were counted."
        outcome = [promise, ended]
    else:
        what = "Worst" if isinstance(audit.verdict.witness, TooPresent) else "Smallest group"
        outcome = [promise, f"{what}: {audit.verdict.witness}"]
    lines = [
        f"{audit.verdict.status.value}  {name}: {counted(audit.rows, 'row')}, "
        f"{counted(audit.columns, 'column')}, {counted(audit.groups, 'group')}",
        "",
        *outcome,
        *(f"WARNING  {warning}." for warning in audit.warnings),
        "",
        *columns(_facts(audit)),
        "",
        "Groups by size",
        *columns(_sizes(audit), right={0, 1, 2}),
    ]
    lines += ["", "Columns", *columns(columns_by_role(audit.column_roles))]
    if audit.undecided:
        lines += ["", STOPS, *(f"  {name} {why}" for name, why in audit.undecided.items())]
    if audit.breaches:
        rows = [each.row() for each in audit.breaches]
        lines += ["", "The smallest groups", *findings(rows, numbers=(2, 3, 1))]
    if audit.parts is None:
        lines += ["", "Unique rows, by how many quasi-identifiers somebody knows"]
        lines += ["  (shares of all rows, on average over the choices of so many columns; worst:"]
        lines += ["  the choice with most unique rows)"]
        lines += columns(_known(audit), right={1, 3})
    if audit.risks is not None:
        lines += ["", *risk_lines(audit.risks, "row")]
    if audit.parts is not None:
        counted_in = counted(audit.parts, "part")
        lines += ["", f"Counted over {counted_in}: {audit.left_out}."]
    if audit.advice:
        lines += ["", *(f"Advice: {line}" for line in audit.advice)]
    lines += ["", f"Checked {counted(audit.verdict.checked, 'group')}; {took}."]
    return page(lines)


def _facts(audit: TableAudit) -> list[tuple[str, str]]:
    wildcard = "not counted" if audit.k_wildcard is None else f"{audit.k_wildcard:,}"
    decides = {VALUE: "", WILDCARD: "", audit.model.missing: "; this decides"}
    facts = [
        ("k", f"{audit.k:,} (a withheld cell is a value of its own{decides[VALUE]})"),
        ("k, wildcard", f"{wildcard} (a withheld cell fits anything{decides[WILDCARD]})"),
    ]
    facts += [(each.column, _disclosed(each)) for each in audit.sensitive]
    if (there := audit.presence) is not None:
        ends = f"{float(there.lowest):.3f} to {float(there.highest):.3f}"
        facts.append(("presence", f"{ends} (of {there.people:,} people in the population)"))
    share = audit.rows_at_risk / audit.rows
    facts.append(("rows at risk", f"{audit.rows_at_risk:,} ({percent(share)})"))
    if audit.without_consent is not None:
        left_out = counted(audit.without_consent, "row")
        facts.append(("consent", f"{left_out} without consent left out"))
    if audit.withheld:
        facts.append(("cells withheld", f"{audit.withheld:,}"))
    if audit.one_label_rows is not None:
        alike = audit.one_label_rows / audit.rows
        facts.append(("of one label", f"{audit.one_label_rows:,} ({percent(alike)})"))
    return facts


def _disclosed(found: Disclosed) -> str:
    values = counted(found.l, "different value")
    return (
        f"at least {values} in a group, entropy l {found.entropy_l:.2f}, t {found.t:.3f}, "
        f"beta {found.beta:.2f}"
    )


def _sizes(audit: TableAudit) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("rows", "groups", "rows in all", "")]
    for each in audit.sizes:
        if each.largest is None:
            size = f"{each.smallest:,} or more"
        elif each.largest == each.smallest:
            size = f"{each.smallest:,}"
        else:
            size = f"{each.smallest:,}–{each.largest:,}"
        share = each.rows / audit.rows
        rows.append((size, f"{each.groups:,}", f"{each.rows:,}", bar(share, 30)))
    return rows


def _known(audit: TableAudit) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [
        ("knows", "unique", "", f"fewer than {audit.model.k:,}", "worst")
    ]
    for each in audit.known:
        columns_known = counted(each.known, "column")
        if each.combinations < each.of:
            columns_known += f" ({each.combinations:,} of {counted(each.of, 'choice')})"
        worst = f"{percent(each.worst_unique)} {', '.join(each.worst)}" if each.worst_unique else ""
        unique = percent(each.unique), bar(each.unique, 12)
        rows.append((columns_known, *unique, percent(each.below_k), worst))
    return rows
