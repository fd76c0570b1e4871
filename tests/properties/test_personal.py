"""The personal model against brute force over all persons and all subsets of their originals."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asking import Personal, personal
from lenient import anonymize, verify
from oracle import personal_breaches
from tables import ITEMS, Rows, examples, needs_speed
from withhold import (
    Constraints,
    PersonalRhoUncertainty,
    Records,
    RhoUncertainty,
    Status,
)
from withhold.counting.threads import Stop
from withhold.methods.personal.search.fix import LEFTOVER
from withhold.methods.personal.search.restoring import restore_people
from withhold.methods.personal.search.rounds import make_safe
from withhold.methods.personal.search.workspace import PersonalWorkspace

RHOS = [Fraction(*parts) for parts in ((1, 2), (1, 3), (2, 3), (3, 4), (1, 5), (9, 10))]
limits = st.integers(0, 3)
knowledge = st.none() | limits
each_knowledge = pytest.mark.parametrize("known", [st.none(), limits], ids=["any", "limited"])


@st.composite
def people(draw: st.DrawFn) -> tuple[Rows, Rows, Rows, Fraction]:
    """Originals, published rows, what each person wants protected, and ρ."""
    universe = ITEMS[: draw(st.integers(1, 7))]
    row = st.frozensets(st.sampled_from(universe))
    originals = draw(st.lists(row, min_size=1, max_size=8))
    originals += draw(st.lists(st.sampled_from(originals), max_size=8 - len(originals)))
    withheld = draw(st.lists(row, min_size=len(originals), max_size=len(originals)))
    published = [record - gone for record, gone in zip(originals, withheld, strict=True)]
    if draw(st.booleans()):
        published = list(originals)
    # Names beyond the universe are protected for some and owned by nobody.
    wished = st.frozensets(st.sampled_from((*universe, "z")), max_size=draw(st.integers(1, 4)))
    wishes = draw(st.lists(wished, min_size=len(originals), max_size=len(originals)))
    return originals, published, wishes, draw(st.sampled_from(RHOS))


def modelled(originals: Rows, wishes: Rows, rho: Fraction, **more) -> Personal:
    table = Records.from_lists(originals)
    constraints = Constraints.of(dict(enumerate(wishes)), table)
    return personal(rho, constraints, originals=table, **more)


@each_knowledge
@examples(2000)
@given(people(), st.data())
def test_check__is_exact_with_a_smallest_witness(known, problem, data):
    originals, published, wishes, rho = problem
    max_known = data.draw(known)
    truth = personal_breaches(originals, published, wishes, rho, max_known=max_known)
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
@examples(2000)
@given(people(), st.data(), st.sampled_from(["rules", "distribution"]), st.booleans())
def test_suppression__is_safe_and_only_removes(known, problem, data, keep, restoring):
    originals, _, wishes, rho = problem
    max_known = data.draw(known)
    model = modelled(originals, wishes, rho, max_known=max_known)
    release = anonymize(
        model.originals, model, keep=keep, restoring=restoring, pick="random", jobs=1
    )
    left = [frozenset(record) for record in release.data.to_lists()]
    assert all(after <= before for after, before in zip(left, originals, strict=True))
    assert not personal_breaches(originals, left, wishes, rho, max_known=max_known)


@examples(300)
@given(people(), knowledge)
def test_restoring__leaves_nothing_that_could_be_undone(problem, max_known):
    originals, _, wishes, rho = problem
    if len(set(wishes)) == 1:
        return
    model = modelled(originals, wishes, rho, max_known=max_known)
    left = [set(record) for record in anonymize(model.originals, model, jobs=1).data.to_lists()]
    for record, original in zip(left, originals, strict=True):
        for item in original - record:
            record.add(item)
            assert personal_breaches(originals, left, wishes, rho, max_known=max_known)
            record.remove(item)


@examples(200)
@given(people(), knowledge)
def test_equal_constraints__are_the_global_model(problem, max_known):
    originals, published, wishes, rho = problem
    shared = next((each & set("abcdefgh") for each in wishes if each & set("abcdefgh")), None)
    if shared is None:
        return
    asked = modelled(originals, [shared] * len(originals), rho, max_known=max_known)
    everywhere = RhoUncertainty(rho, shared, max_known=max_known)
    assert verify(published, asked).status is verify(published, everywhere).status
    assert anonymize(originals, asked).data == anonymize(originals, everywhere).data


@examples(100)
@given(people())
def test_without_originals__never_holds(problem):
    originals, published, wishes, rho = problem
    known = modelled(originals, wishes, rho)
    blind = personal(rho, known.constraints)
    verdict = verify(published, blind)
    assert verdict.status is not Status.HOLDS
    if verdict.status is Status.BROKEN:
        assert verify(published, known).status is Status.BROKEN


@examples(100)
@given(people(), knowledge)
def test_jobs__do_not_change_the_release(problem, max_known):
    originals, _, wishes, rho = problem
    model = modelled(originals, wishes, rho, max_known=max_known)
    one, two = (anonymize(originals, model, jobs=jobs).data for jobs in (1, 2))
    assert one == two


def test_a_budget_that_is_too_short__still_gives_a_safe_release():
    originals = [frozenset("abcd"), frozenset("abce"), frozenset("abde"), frozenset("bcde")]
    wishes = [frozenset("a"), frozenset("b"), frozenset("c"), frozenset("d")]
    model = modelled(originals, wishes, Fraction(1, 2))
    release = anonymize(originals, model, budget=1e-9)
    left = [frozenset(record) for record in release.data.to_lists()]
    assert not personal_breaches(originals, left, wishes, Fraction(1, 2))
    assert release.plan.why(0, model.originals) is None


def test_rows_that_are_no_part_of_the_originals__are_refused():
    from withhold.errors import InputError

    model = modelled([frozenset("ab"), frozenset("a")], [frozenset("a"), frozenset()], RHOS[0])
    with pytest.raises(InputError, match="record 2 holds an item"):
        verify([["a"], ["b"]], model)


def larger_table(seed: int) -> tuple[Records, Constraints]:
    """500 records of 3 to 13 of 60 items, and 4% of all possible wishes."""
    generator = np.random.default_rng(seed)
    rows = [
        [str(item) for item in generator.permutation(60)[: generator.integers(3, 14)]]
        for _ in range(500)
    ]
    table = Records.from_lists(rows)
    constraints = Constraints.of(generator.random((500, table.n_items)) < 0.04, table)
    return table, constraints


@needs_speed
@pytest.mark.parametrize("restoring", [False, True])
@pytest.mark.parametrize("max_known", [None, 2])
@pytest.mark.parametrize("seed", range(2))
def test_larger_tables__are_proved_too(seed, max_known, restoring):
    """Where mending one rule moves others; ``anonymize`` raises if its own proof fails.

    What has to come back is looked at in short rows and in long ones, for any knowledge and for little.
    """
    table, constraints = larger_table(seed)
    model = personal("0.5", constraints, max_known=max_known)
    release, other = (anonymize(table, model, restoring=restoring, jobs=jobs) for jobs in (1, 3))
    assert release.verdict.status is Status.HOLDS
    assert 0 < release.loss.occurrences < 0.9
    assert release.data == other.data


@needs_speed
def test_restoring_that_is_out_of_time__undoes_nothing():
    table, constraints = larger_table(0)
    model = PersonalRhoUncertainty("0.5")
    work = PersonalWorkspace(
        table, model, constraints, victim=LEFTOVER, at_random=False, seed=0, jobs=1
    )
    with Stop() as stop:
        make_safe(work, None, stop)
    safe = work.kept()
    with Stop(1e-9) as stop:
        restore_people(work, None, stop)
    assert np.array_equal(work.kept(), safe)
    with Stop() as stop:
        restore_people(work, None, stop)
    assert work.kept().sum() > safe.sum()
