"""The sections of a release of sets: what was lost, item frequencies, which rules survived."""

from __future__ import annotations

import numpy as np

from withhold.describing import described, described_all
from withhold.measure import Utility
from withhold.measure.alignment import Pair, align
from withhold.measure.occurrences import LengthChange
from withhold.measure.patterns import RuleChange
from withhold.measure.utility import TOP_ITEMS
from withhold.telling.plots import Bars, Dots, Line, Scatter
from withhold.telling.sections import Content, Drawing, Facts, Listing, Paragraph, Section, Subject
from withhold.wording import counted, percent

ITEMS_DRAWN = 12
ITEMS_LISTED = 20
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
    *("distribution.symmetric_kl", "distribution.kl", "supports.top_mean", "supports.mean"),
    *("queries.mean", "queries.median"),
)
RULES = ("itemsets.share_kept", *(f"rules.{name}" for name in ("before", *FATES, "jaccard")))


def sections_of_sets(subject: Subject) -> list[Section]:
    """What was lost, the frequencies, the rules."""
    utility = subject.measured.details
    assert isinstance(utility, Utility)
    pair = align(subject.release.original, subject.release.data)
    sensitive = subject.release.protected
    lost: tuple[Content, ...] = (Paragraph("Nothing was withheld: the file was already safe."),)
    if utility.occurrences.all.removed:
        lost = (_chosen(subject, LOST), *_bound(subject), *_losses(utility))
    # If there are few items, the most frequent ones are all of them.
    few = utility.supports.top_items < TOP_ITEMS
    shown = tuple(path for path in FREQUENCIES if not (few and path == "supports.top_mean"))
    frequencies = (
        _chosen(subject, shown),
        Drawing(_before_and_after(pair, sensitive)),
        _top_items(pair, sensitive),
    )
    return [
        Section("lost", "What was lost", lost),
        Section("supports", "Item frequencies", frequencies),
        Section("rules", "Which rules survived", _rules(subject, utility)),
    ]


def _chosen(subject: Subject, paths: tuple[str, ...]) -> Facts:
    return Facts(tuple(subject.measured.fact(path) for path in paths))


def _bound(subject: Subject) -> list[Paragraph]:
    """How little any release could have withheld, if that is known."""
    bound = subject.release.bound
    return [] if bound is None else [Paragraph(bound.sentence())]


def _losses(utility: Utility) -> list[Drawing]:
    """The items that lost the most, and what short and long records lost."""
    drawn = []
    if changed := utility.occurrences.by_item[:ITEMS_DRAWN]:
        kept = tuple(change.after for change in changed)
        lost = tuple(change.before - change.after for change in changed)
        title = "The items that lost most, by the number of records that held them"
        items = tuple(described(change.item) for change in changed)
        lines = (Line("kept", "kept", kept), Line("withheld", "lost", lost))
        drawn.append(Drawing(Bars("by-item", title, "records", items, lines)))
    if utility.occurrences.by_length:
        changes = [change for change in utility.occurrences.by_length if change.all.total]
        shares = Line("withheld", "lost", tuple(change.all.share for change in changes))
        title = "The share of their items that short and long records lost"
        label, lengths = "share of the items in these records", tuple(map(_length, changes))
        drawn.append(Drawing(Bars("by-length", title, label, lengths, (shares,), percent=True)))
    return drawn


def _length(change: LengthChange) -> str:
    many = change.shortest != change.longest
    span = f"{change.shortest}–{change.longest}" if many else str(change.shortest)
    return f"{span} item{'' if span == '1' else 's'}"


def _before_and_after(pair: Pair, sensitive: frozenset[str]) -> Scatter:
    """Each item at its support in the original and in the release."""
    marked = np.zeros(len(pair.vocabulary), dtype=bool)
    marked[pair.original.codes(sensitive)] = True
    points = np.column_stack([pair.original.supports, pair.published.supports]).astype(float)
    return Scatter(
        "supports",
        "Every item by the number of records that held it before and hold it now",
        "records before",
        "records after",
        (
            Dots("other items", "other", _places(points[~marked])),
            Dots("sensitive items", "lost", _places(points[marked])),
        ),
    )


def _places(points: np.ndarray) -> tuple[tuple[float, float], ...]:
    """The points of the items; of those that would coincide on paper, one."""
    rounded = np.round(np.log1p(points) * 40)
    _, first = np.unique(rounded, axis=0, return_index=True)
    return tuple((x, y) for x, y in points[np.sort(first)].tolist())


def _top_items(pair: Pair, sensitive: frozenset[str]) -> Listing:
    before, after = pair.original.supports, pair.published.supports
    rows = []
    for code in np.lexsort((np.arange(len(before)), -before))[:ITEMS_LISTED]:
        name, old, new = pair.vocabulary[code], before[code], after[code]
        if old:
            change = f"{(new - old) / old * 100:+.1f}%" if new != old else ""
            role = "sensitive" if name in sensitive else ""
            rows.append((described(name), role, f"{old:,}", f"{new:,}", change))
    head = ("item", "", "records before", "after", "change")
    caption = f"The {len(rows)} most frequent items"
    return Listing(caption, head, tuple(rows), right=frozenset({2, 3, 4}), folded=True)


def _rules(subject: Subject, utility: Utility) -> tuple[Content, ...]:
    itemsets, rules = utility.itemsets, utility.rules
    up_to = "."
    if itemsets.max_size is not None:
        up_to = f", of up to {counted(itemsets.max_size, 'item')}, since there are too many."
    asked = (
        f"A rule says: who has these items has this one too. Counted are rules of items that at least "
        f"{itemsets.min_count:,} records of the original share, with a confidence of "
        f"{rules.min_confidence} or more{up_to}"
    )
    parts: list[Content] = [Paragraph(asked), _chosen(subject, RULES)]
    if sizes := itemsets.by_size:
        lines = (
            Line("kept", "kept", tuple(size.kept for size in sizes)),
            Line("lost", "lost", tuple(size.lost for size in sizes)),
            Line("new", "other", tuple(size.new for size in sizes)),
        )
        title = "Frequent itemsets by their number of items: kept, lost and new"
        labels = tuple(f"{size.size} item{'s' * (size.size > 1)}" for size in sizes)
        parts.append(Drawing(Bars("by-size", title, "frequent itemsets", labels, lines)))
    rows = tuple(row for change in rules.most_changed if (row := _rule(change)))[:RULES_SHOWN]
    if rows:
        head = ("rule", "", "before", "after")
        right = frozenset({2, 3})
        parts.append(Listing("The rules that changed most", head, rows, right=right))
    return tuple(parts)


def _rule(change: RuleChange) -> tuple[str, ...]:
    """A rule that has changed, as cells; nothing of one that has not."""
    before = change.joint_before, change.support_before
    after = change.joint_after, change.support_after
    if before == after:
        return ()
    rule = f"{described_all(change.antecedent)} → {described(change.consequent)}"
    return rule, FATES[change.fate], _confidence(*before), _confidence(*after)


def _confidence(joint: int, support: int) -> str:
    return f"{percent(joint / support, 0)} ({joint:,} of {support:,})" if support else "nobody left"
