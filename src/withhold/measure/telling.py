"""The sections of a release of sets: what was lost, how frequent items are still, which rules survived."""

from __future__ import annotations

import numpy as np

from withhold.measure import Utility
from withhold.measure.alignment import align
from withhold.measure.occurrences import LengthChange
from withhold.measure.rules import RuleChange
from withhold.telling.facts import Fact
from withhold.telling.plots import Bars, Dots, Line, Scatter
from withhold.telling.sections import Drawing, Facts, Listing, Paragraph, Section, Subject
from withhold.wording import counted

ITEMS_DRAWN = 12
TOP_ITEMS = 20
RULES_SHOWN = 12
FATES = {"kept": "kept", "lost": "lost", "spurious": "new"}
LOST = (
    "occurrences.all.removed",
    "occurrences.all.share",
    "occurrences.sensitive.share",
    "occurrences.others.share",
    "occurrences.records_touched",
    "occurrences.records_emptied",
    "occurrences.items_gone",
)
FREQUENCIES = (
    "distribution.symmetric_kl",
    "distribution.kl",
    "supports.top_mean",
    "supports.mean",
)
RULES = (
    "itemsets.share_kept",
    "rules.before",
    "rules.kept",
    "rules.lost",
    "rules.spurious",
    "rules.jaccard",
)


def sections_of_sets(subject: Subject) -> list[Section]:
    """What was lost, the frequencies, the rules."""
    utility = subject.measured.details
    assert isinstance(utility, Utility)
    return [
        Section("lost", "What was lost", _lost(subject, utility)),
        Section("supports", "How frequent items are still", _supports(subject)),
        Section("rules", "Which rules survived", _rules(subject, utility)),
    ]


def _chosen(subject: Subject, paths: tuple[str, ...]) -> Facts:
    facts: tuple[Fact, ...] = tuple(subject.measured.fact(path) for path in paths)
    return Facts(facts)


def _lost(subject: Subject, utility: Utility) -> tuple[Facts | Drawing | Paragraph, ...]:
    occurrences = utility.occurrences
    if not occurrences.all.removed:
        return (Paragraph("Nothing was withheld: the file was safe as it was."),)
    parts: list[Facts | Drawing | Paragraph] = [_chosen(subject, LOST)]
    changed = occurrences.by_item[:ITEMS_DRAWN]
    if changed:
        parts.append(Drawing(loss_by_item(utility)))
    if occurrences.by_length:
        parts.append(Drawing(loss_by_length(utility)))
    return tuple(parts)


def loss_by_item(utility: Utility) -> Bars:
    """The items that lost most: records that hold them still, and records that lost them."""
    changed = utility.occurrences.by_item[:ITEMS_DRAWN]
    return Bars(
        "by-item",
        "The items that lost most, by the number of records that held them",
        "records",
        tuple(change.item for change in changed),
        (
            Line("kept", "kept", tuple(change.after for change in changed)),
            Line("withheld", "lost", tuple(change.before - change.after for change in changed)),
        ),
    )


def loss_by_length(utility: Utility) -> Bars:
    """The share of their items that short and long records lost."""
    changes = [change for change in utility.occurrences.by_length or () if change.all.total]
    return Bars(
        "by-length",
        "The share of their items that short and long records lost",
        "share of the items in these records",
        tuple(_length(change) for change in changes),
        (Line("withheld", "lost", tuple(change.all.share for change in changes)),),
        percent=True,
    )


def _length(change: LengthChange) -> str:
    many = change.shortest != change.longest
    span = f"{change.shortest}–{change.longest}" if many else str(change.shortest)
    return f"{span} item{'' if span == '1' else 's'}"


def _supports(subject: Subject) -> tuple[Facts | Drawing | Listing, ...]:
    return (
        _chosen(subject, FREQUENCIES),
        Drawing(supports_before_and_after(subject)),
        _top_items(subject),
    )


def supports_before_and_after(subject: Subject) -> Scatter:
    """Each item at its support in the original and in the release."""
    pair = align(subject.release.original, subject.release.data)
    before, after = pair.original.supports, pair.published.supports
    sensitive = np.zeros(len(before), dtype=bool)
    sensitive[pair.original.codes(subject.release.protected)] = True
    return Scatter(
        "supports",
        "Every item by the number of records that held it before and hold it now",
        "records before",
        "records after",
        (
            Dots("other items", "other", _places(before[~sensitive], after[~sensitive])),
            Dots("sensitive items", "lost", _places(before[sensitive], after[sensitive])),
        ),
    )


def _places(before: np.ndarray, after: np.ndarray) -> tuple[tuple[float, float], ...]:
    """Where the items are; of those that nobody could tell apart on paper, one."""
    points = np.column_stack([before, after]).astype(float)
    rounded = np.round(np.log1p(points) * 40)
    _, first = np.unique(rounded, axis=0, return_index=True)
    return tuple((x, y) for x, y in points[np.sort(first)].tolist())


def _top_items(subject: Subject) -> Listing:
    pair = align(subject.release.original, subject.release.data)
    before, after = pair.original.supports, pair.published.supports
    sensitive = subject.release.protected
    order = np.lexsort((np.arange(len(before)), -before))[:TOP_ITEMS]
    rows = tuple(
        (
            pair.vocabulary[code],
            "sensitive" if pair.vocabulary[code] in sensitive else "",
            f"{before[code]:,}",
            f"{after[code]:,}",
            f"{(after[code] - before[code]) / before[code] * 100:+.1f} %"
            if after[code] != before[code]
            else "",
        )
        for code in order
        if before[code]
    )
    return Listing(
        f"The {len(rows)} most frequent items",
        ("item", "", "records before", "after", "change"),
        rows,
        right=frozenset({2, 3, 4}),
        folded=True,
    )


def _rules(subject: Subject, utility: Utility) -> tuple[Facts | Drawing | Listing | Paragraph, ...]:
    itemsets, rules = utility.itemsets, utility.rules
    asked = Paragraph(
        f"A rule says: who has these items has this one too. Counted are rules of items that at least "
        f"{itemsets.min_count:,} records of the original share, with a confidence of "
        f"{rules.min_confidence} or more"
        + (
            "."
            if itemsets.max_size is None
            else f", of up to {counted(itemsets.max_size, 'item')}, since there are too many."
        )
    )
    parts: list[Facts | Drawing | Listing | Paragraph] = [asked, _chosen(subject, RULES)]
    if itemsets.by_size:
        parts.append(Drawing(itemsets_by_size(utility)))
    changed = [change for change in rules.most_changed if _has_changed(change)][:RULES_SHOWN]
    if changed:
        parts.append(
            Listing(
                "The rules that changed most",
                ("rule", "", "before", "after"),
                tuple(_rule(change) for change in changed),
                right=frozenset({2, 3}),
            )
        )
    return tuple(parts)


def _has_changed(change: RuleChange) -> bool:
    return (change.joint_before, change.support_before) != (
        change.joint_after,
        change.support_after,
    )


def _rule(change: RuleChange) -> tuple[str, ...]:
    return (
        f"{', '.join(change.antecedent)} → {change.consequent}",
        FATES[change.fate],
        _confidence(change.joint_before, change.support_before),
        _confidence(change.joint_after, change.support_after),
    )


def _confidence(joint: int, support: int) -> str:
    return f"{joint / support:.0%} ({joint:,} of {support:,})" if support else "nobody left"


def itemsets_by_size(utility: Utility) -> Bars:
    """Frequent itemsets of each size: kept, lost, new."""
    sizes = utility.itemsets.by_size
    return Bars(
        "by-size",
        "Frequent itemsets by their number of items: kept, lost and new",
        "frequent itemsets",
        tuple(f"{size.size} item{'s' * (size.size > 1)}" for size in sizes),
        (
            Line("kept", "kept", tuple(size.kept for size in sizes)),
            Line("lost", "lost", tuple(size.lost for size in sizes)),
            Line("new", "other", tuple(size.new for size in sizes)),
        ),
    )
