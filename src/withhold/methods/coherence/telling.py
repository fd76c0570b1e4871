"""The section of releases that withhold items everywhere: which items, what they cost, what is kept."""

from __future__ import annotations

from withhold.measure.telling import sections_of_sets
from withhold.methods.coherence.plan import ItemPlan, shown
from withhold.telling.facts import Fact
from withhold.telling.plots import Bars, Line
from withhold.telling.sections import Drawing, Facts, Listing, Paragraph, Section, Subject
from withhold.wording import counted

MOST_DRAWN = 20
"""Items in the plot; the table has all."""


def sections_of_coherence(subject: Subject) -> list[Section]:
    """The sections of every release of records, and those of items withheld everywhere."""
    return [*sections_of_sets(subject), *sections_of_items(subject)]


def sections_of_items(subject: Subject) -> list[Section]:
    """The items withheld, with their share of the loss, and the nuggets kept."""
    plan = subject.release.plan
    assert isinstance(plan, ItemPlan)
    shares = plan.shares()
    reasons = {each.item: each for each in plan.suppressed}
    rows = tuple(
        (item, f"{reasons[item].occurrences:,}", f"{float(share):.1%}", reasons[item].why)
        for item, share in shares
    )
    drawn = shares[:MOST_DRAWN]
    bars = Bars(
        "byitem",
        "The items that cost most",
        "share of the loss",
        tuple(item for item, _ in drawn),
        (Line("loss", "lost", tuple(float(share) for _, share in drawn)),),
        percent=True,
    )
    kept = plan.nuggets_kept / plan.nuggets_before if plan.nuggets_before else 1.0
    parts = (
        Paragraph(
            "Items were withheld from all records or from none. Therefore every remaining count is "
            "true: whatever itemset is left is in exactly as many records as in the original.",
            for_strangers=True,
        ),
        Facts(
            (
                Fact(
                    "plan.suppressed",
                    "items withheld",
                    len(plan),
                    "count",
                    "items that no record holds any more",
                ),
                Fact(
                    "plan.nuggets_kept",
                    "nuggets kept",
                    kept,
                    "share",
                    f"{shown(plan.nuggets_kept)} of {shown(plan.nuggets_before)} itemsets that at least "
                    f"{counted(plan.nugget_support, 'record')} hold",
                ),
            )
        ),
        *((Drawing(bars),) if rows else ()),
        *(
            (
                Listing(
                    "Items withheld everywhere",
                    ("item", "records", "share of the loss", "why"),
                    rows,
                    right=frozenset({1, 2}),
                    folded=len(rows) > MOST_DRAWN,
                ),
            )
            if rows
            else ()
        ),
    )
    return [Section("items", "Items withheld everywhere", parts)]
