"""Nakagawa, Arai, Nakagawa: Personalized Anonymization for Set-Valued Data by Partial Suppression."""

from __future__ import annotations

import numpy as np
import pytest

from asking import anonymize, audit, personal, verify
from paper_tables import USERS as TABLE_1
from paper_tables import USERS_PUBLISHED as PUBLISHED
from withhold import Constraints, PersonalRhoUncertainty, Records, Status
from withhold.methods.personal.people import problem_of
from withhold.methods.personal.search.fix import CONSEQUENT, LEFTOVER, Choice, choose
from withhold.methods.personal.search.workspace import PersonalWorkspace

WISHES = {0: ["medicine"], 2: ["milk", "coffee", "bread"], 5: ["medicine"]}


@pytest.fixture(scope="module")
def model():
    table = Records.from_lists(TABLE_1)
    return personal("0.5", Constraints.of(WISHES, table), originals=table)


def test_table_1__the_original_gives_frank_away(model):
    breaches = audit(TABLE_1, model).breaches
    assert "{orange} → medicine, protected for record 6: 1 of 1 (100%)" in map(str, breaches)


def test_table_1__milk_tells_of_medicine_in_the_original_and_not_in_the_release(model):
    only_alice = {0: ["medicine"]}
    asked = personal(
        "0.5", Constraints.of(only_alice, model.originals), originals=model.originals, max_known=1
    )
    assert str(verify(TABLE_1, asked).witness) == (
        "{milk} → medicine, protected for record 1: 2 of 3 (66.7%)"
    )
    assert verify(PUBLISHED, asked).status is Status.HOLDS


def test_table_1__the_release_of_the_paper_holds(model):
    assert verify(PUBLISHED, model).status is Status.HOLDS


def test_table_1__our_release_withholds_no_more_than_the_paper(model):
    release = anonymize(TABLE_1, model)
    assert release.verdict.status is Status.HOLDS
    assert release.loss.removed <= 3


def test_table_2__suppression_numbers():
    table = Records.from_lists([["x", "y"], ["x", "y"], ["x", "y"], ["x"]])
    model, constraints = PersonalRhoUncertainty("0.5"), Constraints.of({0: ["y"]}, table)
    work = PersonalWorkspace(table, model, constraints, victim=CONSEQUENT, at_random=False, seed=0)
    known = np.zeros(1, dtype=np.int32)
    y, x = work.layout.layout.code_of_rank.tolist()
    assert (x, y) == (0, 1)  # y is rarer, so its rank is 0
    known[0] = 1

    def chosen(originally: list[int]) -> tuple[int, int]:
        """The rank to withhold, and from how many records, if the items were once so frequent."""
        choice = Choice(LEFTOVER, False, work.choice.state, np.array(originally), work.choice.total)
        return choose(known, 1, 0, 3, 4, problem_of(work.layout, model.rho), choice)

    assert chosen([3, 4]) == (0, 1)  # y from one record
    assert chosen([3, 400]) == (1, 2)  # x from two
