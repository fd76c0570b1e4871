"""The section of personalised releases: who asked for what, and whose items were withheld for it."""

from __future__ import annotations

from withhold.data.plan import Plan
from withhold.describing import described
from withhold.measure.telling import sections_of_sets
from withhold.methods.personal.model import PersonalRhoUncertainty
from withhold.methods.personal.wishes import WishCounts, count_wishes
from withhold.telling.facts import Fact
from withhold.telling.plots import Bars, Line
from withhold.telling.sections import Content, Drawing, Facts, Listing, Paragraph, Section, Subject
from withhold.wording import counted

MOST_DRAWN = 20
"""Items in the plot; the table has all."""


def sections_of_personal(subject: Subject) -> list[Section]:
    """Those of every release of records, then what people asked for, and from whom it was withheld."""
    release, model = subject.release, subject.release.model
    assert isinstance(model, PersonalRhoUncertainty)
    constraints, plan = release.evidence.constraints, release.plan
    assert constraints is not None
    assert isinstance(plan, Plan)
    wishes = count_wishes(constraints, release.original, plan.removed)
    text = (
        "Each person named the items that nobody should infer about them, whether they have them or not. "
        "An attacker is taken to know items of the original record, also those that were withheld; "
        "what can be concluded is counted in the release."
    )
    parts = (
        Paragraph(text, for_strangers=True),
        Paragraph(model.needs, for_strangers=True),
        Facts(_facts(wishes, len(release.original))),
        *_items(wishes),
    )
    return [*sections_of_sets(subject), Section("wishes", "What people asked for", parts)]


def _facts(wishes: WishCounts, n_records: int) -> tuple[Fact, ...]:
    each = wishes.pairs / wishes.people if wishes.people else 0.0
    people = f"of {counted(n_records, 'record')}; {each:,.1f} items each on average"
    gone = f"{wishes.owned_withheld:,} of them withheld"
    owned = f"items that people have and want protected; {gone}"
    others = "items withheld from people who did not ask for it, because they would expose others"
    withheld = wishes.others_withheld
    return (
        Fact("wishes.people", "people who asked", wishes.people, "count", people),
        Fact("wishes.owned", "protected and owned", wishes.owned, "count", owned),
        Fact("wishes.others_withheld", "withheld for others", withheld, "count", others),
    )


def _items(wishes: WishCounts) -> tuple[Content, ...]:
    if not wishes.items:
        return ()
    drawn = wishes.items[:MOST_DRAWN]
    shares = tuple(wish.withheld / wish.owners if wish.owners else 0.0 for wish in drawn)
    bars = Bars(
        "wishes",
        "The items that most people want protected",
        "share of its owners who lost it",
        tuple(described(wish.item) for wish in drawn),
        (Line("withheld", "lost", shares),),
        percent=True,
    )
    counts = (
        (described(wish.item), wish.people, wish.owners, wish.withheld, wish.withheld_from_others)
        for wish in wishes.items
    )
    rows = tuple((item, *(f"{number:,}" for number in numbers)) for item, *numbers in counts)
    head = ("item", "protected for", "owned by", "withheld from", "of these not asked for")
    numbers, folded = frozenset({1, 2, 3, 4}), len(rows) > MOST_DRAWN
    return Drawing(bars), Listing("Protected items", head, rows, numbers, folded)
