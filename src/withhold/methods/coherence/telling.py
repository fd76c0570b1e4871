"""The section of releases that withhold items everywhere: which items, what they cost, what is kept."""

from __future__ import annotations

from withhold.describing import described
from withhold.measure.telling import sections_of_sets
from withhold.methods.coherence.plan import ItemPlan, shown
from withhold.telling.facts import Fact
from withhold.telling.plots import Bars, Line
from withhold.telling.sections import Content, Drawing, Facts, Listing, Paragraph, Section, Subject
from withhold.wording import counted, percent

TITLE = "Items withheld everywhere"
MOST_DRAWN = 20
"""Items in the plot; the table has all."""


def sections_of_coherence(subject: Subject) -> list[Section]:
    """Those of every release of records, then the items withheld, their share of the loss, the nuggets."""
    plan = subject.release.plan
    true = (
        "Items were withheld from all records or from none. Therefore every remaining count is "
        "true: whatever itemset is left is in exactly as many records as in the original."
    )
    if not isinstance(plan, ItemPlan):
        # By parts the items were chosen from counts, without a reason for each.
        alone = Section("items", TITLE, (Paragraph(true, for_strangers=True),))
        return [*sections_of_sets(subject), alone]
    kept = plan.nuggets_kept / plan.nuggets_before if plan.nuggets_before else 1.0
    nuggets = (
        f"{shown(plan.nuggets_kept)} of {shown(plan.nuggets_before)} itemsets that at least "
        f"{counted(plan.nugget_support, 'record')} hold"
    )
    gone = "items that no record holds any more"
    facts = (
        Fact("plan.suppressed", "items withheld", len(plan), "count", gone),
        Fact("plan.nuggets_kept", "nuggets kept", kept, "share", nuggets),
    )
    parts = (Paragraph(true, for_strangers=True), Facts(facts), *_items(plan))
    section = Section("items", TITLE, parts)
    return [*sections_of_sets(subject), section]


def _items(plan: ItemPlan) -> tuple[Content, ...]:
    """The items that cost most as bars, and all of them as a table."""
    shares = plan.shares()
    if not shares:
        return ()
    reasons = {each.item: each for each in plan.suppressed}
    rows = tuple(
        (
            described(item),
            f"{reasons[item].occurrences:,}",
            percent(share),
            reasons[item].why,
        )
        for item, share in shares
    )
    items, values = zip(*shares[:MOST_DRAWN], strict=True)
    line = Line("loss", "lost", tuple(float(share) for share in values))
    title = "The items that cost most"
    bars = Bars(
        "byitem", title, "share of the loss", tuple(map(described, items)), (line,), percent=True
    )
    head = ("item", "records", "share of the loss", "why")
    numbers, folded = frozenset({1, 2}), len(rows) > MOST_DRAWN
    return Drawing(bars), Listing("Items withheld everywhere", head, rows, numbers, folded)
