"""What the report says of a personalised release."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import withhold as wh
from asking import anonymize, personal
from tables import examples
from withhold.data import Constraints
from withhold.methods.personal.wishes import count_wishes

ROWS = [
    ["milk", "medicine"],
    ["milk", "medicine", "bread"],
    ["milk", "bread"],
    ["bread", "wine"],
    ["wine", "medicine"],
    ["milk"],
]
WISHES = {0: ["medicine", "pork"], 3: ["wine"], 5: ["medicine"]}


@pytest.fixture(scope="module")
def release():
    table = wh.read(ROWS)
    return anonymize(table, personal("0.3", Constraints.of(WISHES, table)))


def wishes_of(release):
    return count_wishes(release.evidence.constraints, release.original, release.plan.removed)


def test_section__tells_who_asked_for_what(release):
    content = release.report()
    section = next(section for section in content.sections if section.name == "wishes")
    shown = repr(section)
    for item in ("medicine", "pork", "wine"):
        assert item in shown
    wishes = wishes_of(release)
    assert (wishes.people, wishes.pairs) == (3, 4)
    assert wishes.owned == 2
    assert wishes.owned_withheld + wishes.others_withheld == len(release.plan) > 0


def test_section__strangers_see_no_wish(release):
    content = release.report(edition="external")
    section = next(section for section in content.sections if section.name == "wishes")
    assert "medicine" not in repr(section)
    assert not any("wishes." in repr(part) for part in section.parts)


records = st.lists(st.sets(st.sampled_from("abcde"), min_size=1), min_size=1, max_size=6)


@examples(200)
@given(records, st.data())
def test_wishes__are_what_looking_at_each_occurrence_finds(rows, data):
    table = wh.read([sorted(row) for row in rows])
    wishes = {
        row: data.draw(st.lists(st.sampled_from("abcdxy"), unique=True)) for row in range(len(rows))
    }
    constraints = Constraints.of(wishes, table)
    removed = data.draw(st.sets(st.integers(0, table.n_occurrences - 1)))
    found = count_wishes(constraints, table, np.array(sorted(removed), dtype=np.int32))
    places = [(row, item) for row in range(len(table)) for item in table.record(row)]
    gone = [places[place] for place in removed]
    assert found.people == sum(bool(each) for each in wishes.values())
    assert found.pairs == sum(len(each) for each in wishes.values())
    assert found.owned == sum(item in wishes[row] for row, item in places)
    assert found.owned_withheld == sum(item in wishes[row] for row, item in gone)
    assert found.others_withheld == sum(item not in wishes[row] for row, item in gone)
    for wish in found.items:
        assert wish.people == sum(wish.item in each for each in wishes.values())
        assert wish.owners == sum(item == wish.item for _, item in places)
        assert wish.withheld == sum(item == wish.item for _, item in gone)
        assert wish.withheld_from_others == sum(
            item == wish.item and item not in wishes[row] for row, item in gone
        )
    assert [wish.people for wish in found.items] == sorted(
        (wish.people for wish in found.items), reverse=True
    )
