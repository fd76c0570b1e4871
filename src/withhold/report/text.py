"""Results as text for people: what matters first, numbers aligned, one screen where possible."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from withhold.auditing.result import Audit
from withhold.auditing.risk.telling import risk_lines
from withhold.data import Hierarchy
from withhold.data.profile import Profile
from withhold.data.roles import columns_by_role
from withhold.describing import described
from withhold.listed import told_promise
from withhold.method import Model
from withhold.publish.manifest import column_roles_of
from withhold.publish.publishing import Published
from withhold.publish.recheck import Recheck
from withhold.registry import method_of
from withhold.report.attack import (
    beyond_promise,
    counted_rows,
    exposed_text,
    other_exposed,
    other_rows,
    shown_shares,
    within_parts,
    words_of,
)
from withhold.telling.hinting import hint_lines
from withhold.telling.layout import WIDTH, bar, columns, findings, in_two_lines, page
from withhold.verdict import Status, Verdict
from withhold.wording import counted, percent

if TYPE_CHECKING:
    from withhold.release import AnyRelease

MOST_BARS = 2
"""With more shares side by side, a terminal has no room for bars."""


def audit_text(audit: Any, *, name: str, took: str | None = None) -> str:
    """The audit as a page of text; ``took``: the elapsed time, in words."""
    took = took or f"{audit.seconds:.2f} s"
    if (own := method_of(audit.model).audit_text) is not None:
        return own(audit, name=name, took=took)
    words = words_of(audit.model)
    special = audit.sensitive_occurrences
    lines = [
        f"{audit.verdict.words}  {name}: {counted(audit.records, 'record')}, {counted(audit.items, 'item')}, "
        + counted(audit.occurrences, "occurrence")
        + ("" if special is None else f" ({special:,} {words.special})"),
        *(left_out for _, left_out in consent_facts(audit.without_consent)),
        "",
        *_outcome(audit),
    ]
    if audit.verdict.status is not Status.HOLDS:
        rows = [(label, str(count)) for label, count in counted_rows(audit)]
        right = {1} if audit.complete else set()
        lines += [
            "",
            words.counts,
            *columns(rows, right),
            exposed_text(audit),
            *within_parts(audit),
        ]
    if audit.breaches:
        worst = [breach.row() for breach in audit.breaches]
        lines += ["", words.worst, *findings(worst, numbers=(2, 3))]
    for other in audit.others:
        lines += ["", other.what, *columns(other_rows(other), right={1}), other_exposed(other)]
        if other.breaches:
            worst = [breach.row() for breach in other.breaches]
            lines += ["", words.worst, *findings(worst, numbers=(1,))]
    if audit.attack_curve:
        lines += ["", *_curve(audit)]
    if audit.risks is not None:
        lines += ["", *risk_lines(audit.risks, "row" if audit.risks.columns else "record")]
    if audit.advice:
        lines += ["", *(f"Advice: {line}" for line in audit.advice)]
    lines += ["", _audited(audit, took)]
    return page(lines)


def brief_audit_text(audit: Any, *, name: str) -> str:
    """The verdict with its witness and how many records are exposed, in a few lines."""
    size = f"{counted(audit.records, 'record')}, {counted(audit.items, 'item')}"
    lines = [f"{audit.verdict.words}  {name}: {size}", *_outcome(audit)]
    if audit.verdict.status is not Status.HOLDS:
        worst = [breach.row() for breach in audit.breaches]
        lines += [
            exposed_text(audit),
            words_of(audit.model).worst,
            *findings(worst, numbers=(2, 3)),
        ]
    return page(lines)


def _outcome(audit: Audit) -> list[str]:
    if audit.verdict.status.may_be_published and audit.sensitive_occurrences == 0:
        return [audit.verdict.of_promise(audit.model.promise()), _nothing_there(audit)]
    promise = audit.verdict.of_promise(told_promise(audit.model, audit.unknown))
    if audit.verdict.status.may_be_published:
        return [promise]
    if audit.verdict.status is Status.UNDECIDED:
        return [promise, "The check was not complete: no breach was found, and none was ruled out."]
    return [promise, f"{_kind(audit.verdict)}: {audit.verdict.witness}"]


def _nothing_there(audit: Audit) -> str:
    special, listed = words_of(audit.model).special, method_of(audit.model).listed
    alone = [each.names[0] for each in audit.unknown if each.what == listed and each.total == 1]
    none = (
        f"The {special} item {alone[0]!r} does not occur" if alone else f"No {special} item occurs"
    )
    return f"{none}, so there was nothing to protect."


def _audited(audit: Audit, took: str) -> str:
    """What an audit did: unlike a proof, it goes on after the first breach."""
    if audit.verdict.status is not Status.BROKEN:
        return _work_done(audit.verdict, took)
    return f"{'All' if audit.complete else 'Not all'} breaches were counted; {took}."


def _work_done(verdict: Verdict, took: str) -> str:
    if verdict.status is Status.BROKEN:
        found = "the smallest" if verdict.witness_is_smallest else "a"
        return f"The check stopped at {found} breach; {took}."
    done = "Checked" if verdict.status.may_be_published else "Got through"
    checked = counted(verdict.checked, verdict.unit.removesuffix("s"))
    return f"{done} {checked} ({verdict.method}); {took}."


def _kind(verdict: Verdict) -> str:
    return "Smallest breach" if verdict.witness_is_smallest else "A breach"


def _curve(audit: Audit) -> list[str]:
    shown = shown_shares(audit)
    heads, rows = [head for _, head in shown], []
    kind = words_of(audit.model).known
    for point in audit.attack_curve:
        shares = [getattr(point, name) for name, _ in shown]
        items = f"{point.known} item{'s' * (point.known > 1)}"
        rows.append((items, shares, f"{point.eligible:,}"))
    trials = audit.attack_curve[0].unique.trials
    if len(shown) <= MOST_BARS:
        drawn = [
            (
                f"knows {kind}".rstrip(),
                *(cell for head in heads for cell in (head, "")),
                "of records",
            )
        ]
        for items, shares, of in rows:
            bars = [cell for share in shares for cell in (str(share), bar(share.value, 6))]
            drawn.append((items, *bars, of))
        right = {*range(1, 2 * len(shown), 2), 2 * len(shown) + 1}
    else:
        drawn = [*in_two_lines((f"knows {kind}".rstrip(), *heads, "of records"))]
        drawn += [(items, *map(str, shares), of) for items, shares, of in rows]
        right = set(range(1, len(shown) + 2))
    return [
        f"Attack curve: random items of {trials:,} records that have so many; 95% intervals",
        *columns(drawn, right),
        *beyond_promise(audit),
        *within_parts(audit, "Tried within"),
    ]


def release_text(release: AnyRelease, published: Published, *, took: str | None = None) -> str:
    """What was published, and what it cost; ``took``: the elapsed time, in words."""
    proof, aside = published.verdict, int(str(release.options.get("set_aside", 0)))
    too_long = f"{counted(aside, 'record')} too long to be searched item by item"
    facts = [
        ("published", str(published.path)),
        *(("items", str(path)) for path in published.items),
        ("manifest", f"{published.manifest} (may go out with it)"),
        ("internal", f"{published.internal} (stays with you)"),
        *([("report", str(published.report))] if published.report else []),
        ("proof", f"{counted(proof.checked, proof.unit.removesuffix('s'))} checked"),
        *columns_by_role(column_roles_of(release.original, release.model)),
        *consent_facts(release.original.without_consent),
        *_wishes_read(release),
        *release.loss.facts(),
        *(release.bound.facts() if release.bound is not None else ()),
        *([("set aside", too_long)] if aside else ()),
        *(release.plan.facts() if hasattr(release.plan, "facts") else ()),
        ("time", took or f"{sum(published.timings.values()):.2f} s"),
    ]
    nothing = _nothing_protected(release)
    # What does not occur is said once.
    promise = release.model.promise() if nothing else told_promise(release.model, release.unknown)
    held = ["Already holds; nothing was withheld."] if release.options.get("already_held") else []
    return page([f"{proof.words}{nothing}  {promise}", *held, "", *columns(facts)])


def _wishes_read(release: AnyRelease) -> list[tuple[str, str]]:
    """How many wishes were read, so that a missing one is noticed, if people have wishes of their own."""
    if (wishes := release.evidence.constraints) is None:
        return []
    read = f"{counted(wishes.n_pairs, 'wish', 'wishes')} of {counted(wishes.n_people, 'record')}"
    return [("constraints", read)]


def _nothing_protected(release: AnyRelease) -> str:
    """What is added to the verdict if the data have nothing of what was to be protected."""
    listed, wishes = method_of(release.model).listed, release.evidence.constraints
    missing = next((e for e in release.unknown if e.what == listed and e.is_everything), None)
    if missing is not None:
        one = missing.total == 1
        why = (
            f"the {listed.replace('items', 'item')} {missing.names[0]!r} does not occur"
            if one
            else f"none of the {missing.total:,} {listed} occurs"
        )
    elif wishes is not None and not wishes.n_pairs:
        why = "the constraints protect nobody"
    else:
        return ""
    return f", but nothing was protected, since {why}."


def quiet_release_text(published: Published) -> str:
    """The verdict and the file, and nothing more."""
    return page([f"{published.verdict.words}  {published.path}"])


def consent_facts(without_consent: int | None) -> list[tuple[str, str]]:
    """How many records were left out because consent was missing, if consent was used."""
    if without_consent is None:
        return []
    return [("consent", f"{counted(without_consent, 'record')} without consent left out")]


def recheck_text(recheck: Recheck, *, name: str, took: str | None = None) -> str:
    """Which policy was proved and where it came from; whether the bytes are the same, and still safe."""
    verdict = recheck.verdict
    own = Path(name).name
    changed = [name if each == own else each for each in recheck.changed]
    # First: a file that differs from its manifest is broken, whatever else holds.
    lines = [f"CHANGED  {each} is not the file that was published." for each in changed]
    lines.append(
        f"{verdict.words}  {name}, by {recheck.policy_from}{proved_text(verdict, recheck.model)}"
    )
    if recheck.occurring:
        lines.append(recheck.occurring)
    lines += [f"Warning: {warning}." for warning in recheck.warnings]
    if verdict.witness is not None:
        lines.append(f"{_kind(verdict)}: {verdict.witness}")
    lines.append(_work_done(verdict, took or f"{recheck.seconds:.2f} s"))
    if verdict.status is Status.UNDECIDED and recheck.model.needs:
        lines.append(recheck.model.needs)
    return page(lines)


def proved_text(verdict: Verdict, model: Model) -> str:
    """What was proved, as the end of a line that names the file and the policy."""
    promise = model.promise()
    if verdict.status.may_be_published:
        return f": {promise}"
    return f". {verdict.of_promise(promise)}"


def profile_text(profile: Profile, *, name: str) -> str:
    """The profile as text, the lengths drawn as bars."""
    peak = max((count for _, _, count in profile.lengths), default=1) or 1
    lengths = [
        (str(low) if low == high else f"{low}–{high}", f"{count:,}", bar(count / peak, 40))
        for low, high, count in profile.lengths
        if count or low == high
    ]
    top = [
        (
            described(item),
            f"{count:,}",
            percent(count / profile.records),
            bar(count / profile.top[0][1], 30),
        )
        for item, count in profile.top
    ]
    typical = f"{profile.mean_length:.2f} mean, {profile.median_length:g} median"
    facts = [
        ("records", f"{profile.records:,}"),
        ("different items", f"{profile.items:,}"),
        ("occurrences", f"{profile.occurrences:,}"),
        ("items per record", f"{typical}, {profile.longest:,} longest"),
        ("empty records", f"{profile.empty_records:,}"),
        ("repeated items merged", f"{profile.repeated:,}"),
    ]
    if profile.skipped_rows:
        facts.append(("rows without a record id, left out", f"{profile.skipped_rows:,}"))
    lines = [f"{name}: {profile.format}", *columns(facts)]
    lines += ["", "Records by number of items", *columns(lengths, right={0, 1})]
    lines += [
        "",
        "Most frequent items, by number and share of records",
        *_most_frequent(top),
        *hint_lines(profile.hints),
    ]
    return page(lines)


def _most_frequent(top: list[tuple[str, str, str, str]]) -> list[str]:
    """The items with their counts and bars; without bars, and after the counts, if names are long."""
    drawn = columns(top, right={1, 2})
    if max(map(len, drawn), default=0) <= WIDTH:
        return drawn
    return columns([(count, share, item) for item, count, share, _ in top], right={0, 1})


def hierarchy_text(tree: Hierarchy, *, name: str, most: int) -> str:
    """The size of a tree, and the tree drawn."""
    size = f"{counted(tree.n_leaves, 'leaf', 'leaves')}, {counted(len(tree), 'node')}, height {tree.height}"
    return page([f"{name}: {size}", "", *tree.draw(most=most).split("\n")])
