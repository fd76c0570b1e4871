"""Few people want anything protected: they are looked at one by one, and what is decided is the same.

Against brute force over all persons and all subsets of their originals, as in ``test_personal``.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_personal import RHOS, each_knowledge, larger_table, modelled, people

from asking import personal
from lenient import anonymize, verify
from oracle import personal_breaches
from tables import ITEMS, Rows, examples, needs_speed
from withhold import Constraints, Status
from withhold.methods.personal import people as layouts
from withhold.methods.personal.check import proof
from withhold.methods.personal.search import rounds

NEVER, ALWAYS = 10**6, 0
"""Values of FEW with which nobody, and everybody, is looked at alone."""


@st.composite
def few_people(draw: st.DrawFn) -> tuple[Rows, Rows, Rows, Fraction]:
    """Up to 12 persons, of whom at most 3 want anything protected; some own nearly everything."""
    universe = ITEMS[: draw(st.integers(2, 7))]
    row = st.frozensets(st.sampled_from(universe))
    long = row.map(lambda gone: frozenset(universe) - gone)
    originals = draw(st.lists(row | long, min_size=2, max_size=12))
    withheld = draw(st.lists(row, min_size=len(originals), max_size=len(originals)))
    published = [record - gone for record, gone in zip(originals, withheld, strict=True)]
    if draw(st.booleans()):
        published = list(originals)
    wishes = [frozenset[str]()] * len(originals)
    for person in draw(st.lists(st.integers(0, len(originals) - 1), max_size=3)):
        wishes[person] = draw(st.frozensets(st.sampled_from((*universe, "z")), max_size=4))
    return originals, published, wishes, draw(st.sampled_from(RHOS))


def looked_at(patch: pytest.MonkeyPatch, few: int, small: int | None = None) -> None:
    """Take a road, and look at so many known items one by one before closed sets."""
    patch.setattr(layouts, "FEW", few)
    if small is not None:
        patch.setattr(proof, "small_sizes", lambda _: small)
        patch.setattr(rounds, "small_sizes", lambda _: small)


@each_knowledge
@pytest.mark.parametrize("few", [layouts.FEW, ALWAYS], ids=["if-few", "always"])
@examples(1500)
@given(few_people(), st.data(), st.none() | st.integers(0, 2))
def test_check__is_exact(known, few, problem, data, small):
    originals, published, wishes, rho = problem
    max_known = data.draw(known)
    truth = personal_breaches(originals, published, wishes, rho, max_known=max_known)
    with pytest.MonkeyPatch.context() as patch:
        looked_at(patch, few, small)
        verdict = verify(published, modelled(originals, wishes, rho, max_known=max_known), jobs=1)
    assert verdict.status is (Status.BROKEN if truth else Status.HOLDS)
    if truth:
        witness = verdict.witness
        assert (frozenset(witness.antecedent), witness.consequent) in truth
        assert len(witness.antecedent) == min(len(known) for known, _ in truth)
        if len(set(wishes)) > 1:
            assert witness.consequent in wishes[witness.record - 1]
            assert set(witness.antecedent) <= originals[witness.record - 1]


@each_knowledge
@pytest.mark.parametrize("few", [layouts.FEW, ALWAYS], ids=["if-few", "always"])
@examples(1500)
@given(few_people() | people(), st.data(), st.booleans(), st.none() | st.integers(0, 2))
def test_suppression__is_safe_and_leaves_nothing_that_could_be_undone(
    known, few, problem, data, restoring, small
):
    originals, _, wishes, rho = problem
    max_known = data.draw(known)
    model = modelled(originals, wishes, rho, max_known=max_known)
    with pytest.MonkeyPatch.context() as patch:
        looked_at(patch, few, small)
        release = anonymize(model.originals, model, restoring=restoring, jobs=1)
    left = [set(record) for record in release.data.to_lists()]
    assert all(after <= before for after, before in zip(left, originals, strict=True))
    assert not personal_breaches(originals, left, wishes, rho, max_known=max_known)
    if not restoring or len(set(wishes)) == 1:
        return
    for record, original in zip(left, originals, strict=True):
        for item in original - record:
            record.add(item)
            assert personal_breaches(originals, left, wishes, rho, max_known=max_known)
            record.remove(item)


@needs_speed
@pytest.mark.parametrize("max_known", [None, 2, 3])
@pytest.mark.parametrize("n_people", [1, 10, 100])
def test_larger_tables__are_proved_on_either_road(n_people, max_known, monkeypatch):
    """What was withheld person by person is proved by looking at all closed sets, and the other way round."""
    table, everybody = larger_table(n_people)
    marks = everybody.marks(0, len(table))
    marks[np.random.default_rng(1).permutation(len(table))[n_people:]] = False
    model = personal("0.5", Constraints.from_matrix(marks, table), max_known=max_known)
    for first, second in ((ALWAYS, NEVER), (NEVER, ALWAYS)):
        monkeypatch.setattr(layouts, "FEW", first)
        release, other = (anonymize(table, model, jobs=jobs) for jobs in (1, 3))
        assert release.loss.removed > 0 or n_people < 100
        assert release.data == other.data
        monkeypatch.setattr(layouts, "FEW", second)
        asked = personal("0.5", model.constraints, originals=table, max_known=max_known)
        assert verify(release.data, asked).status is Status.HOLDS
