"""The section of personalised releases: who asked for what, and whose items went for it."""

from __future__ import annotations

from withhold.data.plan import Plan
from withhold.measure.telling import sections_of_sets
from withhold.methods.personal.model import PersonalRhoUncertainty
from withhold.methods.personal.wishes import Wishes, count_wishes
from withhold.telling.facts import Fact
from withhold.telling.plots import Bars, Line
from withhold.telling.sections import Drawing, Facts, Listing, Paragraph, Section, Subject
from withhold.wording import counted

MOST_DRAWN = 20
"""Items in the plot; the table has all."""


def sections_of_personal(subject: Subject) -> list[Section]:
    """The sections of every release of records, and what people asked for."""
    return [*sections_of_sets(subject), *sections_of_wishes(subject)]


def sections_of_wishes(subject: Subject) -> list[Section]:
    """What people asked for, and from whom it was withheld."""
    release = subject.release
    model = release.model
    assert isinstance(model, PersonalRhoUncertainty)
    constraints, plan = release.evidence.constraints, release.plan
    assert constraints is not None
    assert isinstance(plan, Plan)
    wishes = count_wishes(constraints, release.original, plan.removed)
    parts = (
        Paragraph(
            "Everybody said which items nobody should infer about them, whether they have them or not. "
            "An attacker is taken to know items of the original record, also those that were withheld; "
            "what can be concluded is counted in the release.",
            for_strangers=True,
        ),
        Paragraph(model.needs, for_strangers=True),
        Facts(_facts(wishes, len(release.original))),
        *_items(wishes),
    )
    return [Section("wishes", "What people asked for", parts)]


def _facts(wishes: Wishes, n_records: int) -> tuple[Fact, ...]:
    each = wishes.pairs / wishes.people if wishes.people else 0.0
    return (
        Fact(
            "wishes.people",
            "people who fear something",
            wishes.people,
            "count",
            f"of {counted(n_records, 'record')}; {each:,.1f} items each on average",
        ),
        Fact(
            "wishes.owned",
            "feared and owned",
            wishes.owned,
            "count",
            "items that people have and fear to be known for; "
            f"{wishes.owned_withheld:,} of them withheld",
        ),
        Fact(
            "wishes.others_withheld",
            "withheld for others",
            wishes.others_withheld,
            "count",
            "items withheld from people who do not fear them, because they would give others away",
        ),
    )


def _items(wishes: Wishes) -> tuple[Drawing | Listing, ...]:
    if not wishes.items:
        return ()
    drawn = wishes.items[:MOST_DRAWN]
    bars = Bars(
        "wishes",
        "The items that most people fear",
        "share of its owners who lost it",
        tuple(wish.item for wish in drawn),
        (
            Line(
                "withheld",
                "lost",
                tuple(wish.withheld / wish.owners if wish.owners else 0.0 for wish in drawn),
            ),
        ),
        percent=True,
    )
    rows = tuple(
        (
            wish.item,
            f"{wish.people:,}",
            f"{wish.owners:,}",
            f"{wish.withheld:,}",
            f"{wish.withheld_from_others:,}",
        )
        for wish in wishes.items
    )
    listing = Listing(
        "Feared items",
        ("item", "feared by", "owned by", "withheld from", "of these not feared"),
        rows,
        right=frozenset({1, 2, 3, 4}),
        folded=len(rows) > MOST_DRAWN,
    )
    return Drawing(bars), listing
