"""The sections of released people: what became of the columns, then those of records, with cells as items."""

from __future__ import annotations

from dataclasses import replace

from withhold.data.roles import DROPPED, named_columns, roles_of
from withhold.measure.telling import sections_of_sets
from withhold.method import AnyLadder
from withhold.methods.people.linked import linked_pair, sensitive_names
from withhold.methods.people.loss import PeopleLoss
from withhold.methods.people.model import PeopleUncertainty
from withhold.telling.plots import Bars, Line
from withhold.telling.sections import Content, Drawing, Listing, Paragraph, Section, Subject

LINKED = (
    "Here a person is a record of items and of the cells that still show their value, each cell an item "
    "COLUMN=value: so a frequency or a rule can speak of attributes and items together."
)
LADDER = (
    "What this release would have cost against somebody who knows more items of a person, or fewer, beside "
    "all attributes."
)
GROUPS = (
    "Every group of persons with the same published quasi-identifiers is safe by itself, a withheld cell "
    "being a value of its own. Cells were withheld or generalised and sensitive items withheld; none was "
    "invented, and {others}."
)
UNTOUCHED = "no other item was touched"
OF_WHOLE_GROUPS = "other items were withheld from whole groups only"


def sections_of_people(subject: Subject) -> list[Section]:
    """What became of the columns, what was lost, the frequencies, the rules."""
    release = subject.release
    model, loss = release.model, release.loss
    assert isinstance(model, PeopleUncertainty)
    assert isinstance(loss, PeopleLoss)
    original, data = linked_pair(release.original, release.data, named_columns(model))
    asked = replace(model, sensitive=sensitive_names(release.original, model))
    linked = replace(release, original=original, data=data, model=asked)
    lost, *others = sections_of_sets(replace(subject, release=linked))
    lost = replace(lost, parts=(Paragraph(LINKED), *lost.parts))
    costs = [] if subject.ladder is None else [_ladder(subject.ladder)]
    return [*costs, _columns(subject, model, loss), lost, *others]


def _ladder(ladder: AnyLadder) -> Section:
    table = Listing(
        "By what an attacker knows", ladder.head(), tuple(ladder.rows()), right=frozenset((1, 2))
    )
    note = " ".join(filter(None, (LADDER, ladder.note())))
    return Section("ladder", "What other attackers would cost", (Paragraph(note), table))


def _columns(subject: Subject, model: PeopleUncertainty, loss: PeopleLoss) -> Section:
    roles = roles_of(subject.release.original.attributes, model)
    rows = tuple((name, role) for name, role in roles.items())
    seen = tuple((name, role) for name, role in rows if role != DROPPED)
    names = sorted(loss.by_column, key=lambda name: -sum(loss.by_column[name]))
    persons = max(loss.persons, 1)
    bars = Bars(
        "bycolumn",
        "The share of each column's cells that no longer show their value",
        "share of the persons",
        tuple(names),
        (
            Line("withheld", "lost", tuple(loss.by_column[n][0] / persons for n in names)),
            Line("generalised", "kept", tuple(loss.by_column[n][1] / persons for n in names)),
        ),
        percent=True,
    )
    others = UNTOUCHED if model.km is None else OF_WHOLE_GROUPS
    parts: tuple[Content, ...] = (
        Paragraph(GROUPS.format(others=others), for_strangers=True),
        Drawing(bars),
        Listing("All columns", ("column", "role"), rows),
        Listing(
            "Columns of the file",
            ("column", "role"),
            seen,
            for_strangers=True,
            for_custodians=False,
        ),
    )
    return Section("columns", "What became of each column", parts)
