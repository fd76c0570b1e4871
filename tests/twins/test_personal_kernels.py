"""The personal kernels return what their plain twins return."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from asking import personal
from lenient import anonymize
from tables import examples
from twins import plain_personal
from withhold.counting.closed_walk import new_closed_walk
from withhold.counting.published import put_back, withhold
from withhold.counting.surveys import SurveyRun
from withhold.counting.threads import Stop
from withhold.data import Constraints, Records
from withhold.methods.personal.check.judge import new_judge_scratch, new_witness
from withhold.methods.personal.check.person import find_harmed_person
from withhold.methods.personal.check.proof import kept_of
from withhold.methods.personal.check.survey import survey_people
from withhold.methods.personal.model import PersonalRhoUncertainty
from withhold.methods.personal.people import (
    PersonalLayout,
    lay_out_people,
    problem_of,
    wants_protected,
)
from withhold.methods.personal.sampling import draw_adversaries
from withhold.methods.personal.search.combinations import (
    find_unsafe_combination,
    find_unsafe_subset,
    new_subset_scratch,
)
from withhold.methods.personal.search.few_closed import find_unsafe_people
from withhold.methods.personal.search.fix import CONSEQUENT, DISTRIBUTION, LEFTOVER
from withhold.methods.personal.search.judge import (
    EVERYWHERE,
    find_unsafe_sets,
    room_for_rules,
    rules_found,
    scratch_for,
)
from withhold.methods.personal.search.restore import is_too_frequent
from withhold.methods.personal.search.sampled import try_adversaries
from withhold.methods.personal.search.workspace import PersonalWorkspace

N_ITEMS = 6


@st.composite
def problems(draw: st.DrawFn):
    """Originals, published rows and wishes over item numbers, and ρ."""
    row = st.frozensets(st.integers(0, N_ITEMS - 1))
    originals = draw(st.lists(row, min_size=1, max_size=8))
    withheld = draw(st.lists(row, min_size=len(originals), max_size=len(originals)))
    published = [a - b for a, b in zip(originals, withheld, strict=True)]
    wished = st.frozensets(st.integers(0, N_ITEMS - 1), max_size=3)
    wishes = draw(st.lists(wished, min_size=len(originals), max_size=len(originals)))
    return originals, published, wishes, draw(st.sampled_from([Fraction(1, 2), Fraction(2, 3)]))


def named(originals, wishes) -> tuple[Records, Constraints]:
    """The same with names for items, as the suppressor takes it."""
    table = Records.from_lists([[str(code) for code in row] for row in originals])
    mapping = {row: [str(code) for code in wished] for row, wished in enumerate(wishes)}
    return table, Constraints.of(mapping, table)


def laid_out(originals, published, wishes, *, merged) -> PersonalLayout:
    table = Records.from_codes(
        np.array([len(row) for row in originals], dtype=np.int64),
        np.array([code for row in originals for code in sorted(row)], dtype=np.int32),
        tuple(str(code) for code in range(N_ITEMS)),
    )
    rows = Records.from_lists([[str(code) for code in row] for row in published])
    constraints = Constraints.of(
        {row: [str(code) for code in wished] for row, wished in enumerate(wishes)}, table
    )
    return lay_out_people(table, kept_of(table, rows), constraints, merged=merged)


def records_of(layout: PersonalLayout, person: int) -> list[int]:
    return layout.layout.record_of_row[layout.people.of_row == person].tolist()


def as_codes(layout: PersonalLayout, ranks) -> frozenset[int]:
    return frozenset(int(layout.layout.code_of_rank[rank]) for rank in ranks)


@examples(300)
@given(problems(), st.booleans())
def test_wants_protected__is_the_union_over_equal_originals(problem, merged):
    originals, published, wishes, _ = problem
    layout = laid_out(originals, published, wishes, merged=merged)
    for row in range(len(originals)):
        record = layout.layout.record_of_row[row]
        expected = frozenset(wishes[record])
        if merged:
            equal = [f for o, f in zip(originals, wishes, strict=True) if o == originals[record]]
            expected = frozenset().union(*equal)
        person = layout.people.of_row[row]
        found = [rank for rank in range(N_ITEMS) if wants_protected(person, rank, layout.wishes)]
        assert as_codes(layout, found) == expected


@examples(300)
@given(problems(), st.integers(1, 3))
def test_survey_known_sets(problem, size):
    originals, published, wishes, rho = problem
    layout = laid_out(originals, published, wishes, merged=True)
    with Stop() as stop:
        found = survey_people(layout, rho, (size, size), SurveyRun(stop=stop, keep=500, jobs=1))
    rules = {(as_codes(layout, r[0]), *as_codes(layout, [r[1]])) for r in found.worst[size]}
    expected = plain_personal.survey_known_sets(
        originals, published, wishes, rho, sizes=(size, size)
    )
    assert rules == expected
    assert found.counts[size] == len(expected)


@examples(400)
@given(problems(), st.sampled_from([1, 2**20]))
def test_find_unsafe_sets(problem, room):
    """Also where the walk has to make room again and again."""
    originals, published, wishes, rho = problem
    layout = laid_out(originals, published, wishes, merged=True)
    jobs = np.array([(root, EVERYWHERE) for root in range(N_ITEMS)], dtype=np.int32)
    found = room_for_rules(2000, 10_000)
    ready = new_closed_walk(layout.rows, room), scratch_for(layout)
    find_unsafe_sets(jobs, 1, -1, problem_of(layout, rho), *ready, found, Stop().flag)
    rules = set()
    starts, items, consequents = rules_found(found)
    for k, e in enumerate(consequents):
        known = as_codes(layout, items[starts[k] : starts[k + 1]])
        holders = [record for record in published if known <= record]
        closed = frozenset.intersection(*holders)
        rules.add((closed, *as_codes(layout, [e])))
    everywhere = frozenset.intersection(*published)
    expected = plain_personal.find_unsafe_sets(originals, published, wishes, rho)
    # What follows from the empty set is a matter of the prior, which is checked separately.
    assert {r for r in rules if r[0] != everywhere} == {r for r in expected if r[0] != everywhere}


@examples(400)
@given(problems(), st.data(), st.sampled_from([1, 2**20]), st.integers(1, 3))
def test_find_unsafe_people_and_find_harmed_person(problem, data, room, least):
    """Of some persons, one after the other; with ``least`` known items also where fewer are looked at."""
    originals, published, wishes, rho = problem
    layout = laid_out(originals, published, wishes, merged=True)
    drawn = data.draw(st.lists(st.integers(0, layout.n_people - 1), unique=True))
    persons = np.array(drawn, dtype=np.int32)
    # Persons with equal originals are one, who wants protected what any of them does.
    records = [record for person in persons for record in records_of(layout, person)]
    united = [
        frozenset().union(*(w for o, w in zip(originals, wishes, strict=True) if o == original))
        for original in originals
    ]
    asked = (records, originals, published, united, rho)
    laid, walk = problem_of(layout, rho), new_closed_walk(layout.rows, room, allowing=False)
    found = room_for_rules(2000, 10_000)
    find_unsafe_people(persons, least, laid, walk, scratch_for(layout), found, Stop().flag)
    starts, items, consequents = rules_found(found)
    rules = {
        (as_codes(layout, items[starts[k] : starts[k + 1]]), *as_codes(layout, [e]))
        for k, e in enumerate(consequents)
    }
    expected = plain_personal.find_unsafe_people(*asked)
    assert rules <= expected
    assert {rule for rule in expected if len(rule[0]) >= least} <= rules
    assert not walk.allowed.any()

    witness = new_witness(layout)
    checked, unsafe = find_harmed_person(
        persons, least, laid, walk, new_judge_scratch(layout), witness, Stop().flag
    )
    harmful = plain_personal.find_harmed_person(*asked)
    if unsafe:
        e, joint, support, person, size = witness.numbers
        known, inferred = as_codes(layout, witness.known[:size]), as_codes(layout, [e])
        assert (known, *inferred) in harmful
        assert person in persons
        assert all(known <= originals[record] for record in records_of(layout, person))
        assert support == plain_personal.count_support(known, published)
        assert joint == plain_personal.count_support(known | inferred, published)
    assert unsafe or not {rule for rule in harmful if len(rule[0]) >= least}
    assert checked >= unsafe
    assert not walk.allowed.any()


@examples(300)
@given(problems(), st.integers(1, N_ITEMS), st.sampled_from([1, 9]))
def test_what_comes_back__is_judged_alike_by_subsets_combinations_and_closed_sets(
    problem, most, times
):
    """Withheld items of a safe table are put back for a moment. From 65 rows on there are bitmaps."""
    originals, wishes, rho = problem[0] * times, problem[2] * times, problem[3]
    table, constraints = named(originals, wishes)
    model = personal(rho, constraints, max_known=None if most == N_ITEMS else most)
    published = [
        frozenset(int(name) for name in record)
        for record in anonymize(table, model, restoring=False, jobs=1).data.to_lists()
    ]
    layout = laid_out(originals, published, wishes, merged=True)
    rows, people, room = layout.rows, layout.people, new_subset_scratch(N_ITEMS)
    laid = problem_of(layout, rho)
    ready = new_closed_walk(layout.rows), scratch_for(layout)
    for position in np.flatnonzero(rows.items < 0)[:6]:
        row = np.searchsorted(rows.offsets, position, side="right") - 1
        x = put_back(position, row, rows)
        if is_too_frequent(x, laid):
            withhold(position, row, rows)
            continue
        record = layout.layout.record_of_row[row]
        with_x = list(published)
        with_x[record] = published[record] | as_codes(layout, [x])
        expected = plain_personal.survey_known_sets(
            problem[0], with_x, problem[2], rho, sizes=(1, most)
        )
        shown = rows.items[rows.offsets[row] : rows.offsets[row + 1]]
        others = shown[(shown >= 0) & (shown != x)]
        room.others[: len(others)] = others
        owner = people.of_row[row]
        size, e = find_unsafe_subset(x, len(others), owner, most, laid, room)
        answers = [(room.known[:size].copy(), e)]
        size, e = find_unsafe_combination(x, len(others), most, laid, room)
        answers.append((room.known[:size].copy(), e))
        if most == N_ITEMS:
            found = room_for_rules(1, N_ITEMS)
            job = np.array([(x, row)], dtype=np.int32)
            find_unsafe_sets(job, 1, int(x), laid, *ready, found, Stop().flag)
            e = found.consequents[0] if found.count[0] else -1
            answers.append((found.items[: found.starts[1]], e))
        for known, e in answers:
            assert (e >= 0) == bool(expected)
            if e >= 0:
                assert np.all(known[:-1] < known[1:])
                assert (as_codes(layout, known), *as_codes(layout, [e])) in expected
        withhold(position, row, rows)


def adversaries(problem, size):
    """A layout, with adversaries of it as rows and ranks, and as persons and sets."""
    layout = laid_out(*problem[:3], merged=False)
    rows, known = draw_adversaries(layout, size, 40, np.random.default_rng(1))
    persons = [int(layout.layout.record_of_row[row]) for row in rows]
    return layout, (rows, known), (persons, [as_codes(layout, each) for each in known])


@examples(200)
@given(problems(), st.integers(1, 3))
def test_try_adversaries(problem, size):
    originals, published, wishes, rho = problem
    layout, drawn, (persons, sets) = adversaries(problem, size)
    unsafe = np.zeros(len(persons), dtype=np.bool_)
    laid = problem_of(layout, rho)
    try_adversaries(*drawn, laid, unsafe, room_for_rules(1, 100), Stop().flag)
    assert all(q <= originals[person] for person, q in zip(persons, sets, strict=True))
    expected = plain_personal.try_adversaries(persons, sets, published, wishes, rho)
    assert unsafe.tolist() == expected


@examples(200)
@given(problems(), st.sampled_from([CONSEQUENT, LEFTOVER, DISTRIBUTION]), st.booleans())
def test_fix_known_sets__fixes_a_size_for_which_nothing_is_unsafe_afterwards(problem, victim, lot):
    originals, _, wishes, rho = problem
    layout = laid_out(originals, originals, wishes, merged=True)
    table, constraints = named(originals, wishes)
    work = PersonalWorkspace(
        table,
        PersonalRhoUncertainty(rho),
        constraints,
        victim=victim,
        at_random=lot,
        seed=3,
    )
    with Stop() as stop:
        while work.fix_prior(stop) + work.fix_size(1, stop):
            pass
    names = np.array(table.vocabulary, dtype=object)
    kept = work.kept()
    rows = [
        frozenset(int(name) for name in names[table.items[a:b][kept[a:b]]])
        for a, b in zip(table.offsets[:-1], table.offsets[1:], strict=True)
    ]
    assert not plain_personal.survey_known_sets(originals, rows, wishes, rho, sizes=(0, 1))
    assert work.rows.supports.sum() == kept.sum() == work.choice.total[0]
    assert layout.n_people == work.layout.n_people
