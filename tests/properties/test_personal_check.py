"""The check of the personal model by itself, part by part, against brute force.

In tables this small the look at small known sets finds nearly everything; closed sets are judged without it.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_personal import modelled, people

from lenient import verify
from oracle import personal_breaches
from tables import examples
from withhold import Records, Status
from withhold.counting.closed_walk import (
    END,
    N_TOUCHED,
    NO_ROOM,
    START,
    new_closed_walk,
    next_closed_set,
    start_closed,
    with_more_room,
)
from withhold.methods.personal.check import proof
from withhold.methods.personal.check.judge import (
    find_set_unsafe_for_somebody,
    mark_successful,
    new_judge_scratch,
    new_witness,
)
from withhold.methods.personal.people import PersonalLayout, lay_out_people, problem_of
from withhold.methods.personal.sampling import draw_adversaries

RUNNING = np.zeros(1, dtype=np.int64)


def laid_out(model, published, *, merged=True) -> PersonalLayout:
    kept = proof.kept_of(model.originals, Records.from_lists(published))
    return lay_out_people(model.originals, kept, model.constraints, merged=merged)


def names(model, layout, ranks) -> frozenset[str]:
    return frozenset(model.originals.vocabulary[layout.layout.code_of_rank[rank]] for rank in ranks)


def published_roots(layout) -> np.ndarray:
    return np.flatnonzero(layout.rows.supports > 0).astype(np.int32)


@examples(300)
@given(people(), st.sampled_from([1, 2**20]))
def test_closed_walk__reaches_every_closed_set_once_with_its_rows(problem, room):
    originals, published, wishes, rho = problem
    model = modelled(originals, wishes, rho)
    layout = laid_out(model, published)
    reached = Counter()
    walk = new_closed_walk(layout.rows, room)
    for root in published_roots(layout):
        start_closed(root, True, layout.rows, walk)
        while size := next_closed_set(layout.rows, walk, RUNNING):
            if size == NO_ROOM:
                walk = with_more_room(walk)
                continue
            closed = names(model, layout, walk.closure[:size])
            holders = [record for record in published if closed <= record]
            rows = walk.pool[walk.at[START] : walk.at[END]]
            records = layout.layout.record_of_row[rows]
            assert sorted(map(sorted, holders)) == sorted(sorted(published[r]) for r in records)
            assert closed == frozenset.intersection(*holders)
            touched = walk.touched[: walk.at[N_TOUCHED]]
            counts = {next(iter(names(model, layout, [x]))): int(walk.count[x]) for x in touched}
            assert counts == Counter(item for record in holders for item in record)
            assert {x for x in touched if walk.in_set[x]} == set(walk.closure[:size])
            reached[closed] += 1
    expected: set[frozenset[str]] = set()
    for record in published:
        expected |= {record & other for other in expected} | {record}
    assert reached == Counter(expected - {frozenset()})


@pytest.mark.parametrize("least", [1, 2, 3])
@pytest.mark.parametrize("times", [1, 9], ids=["few", "bitmaps"])
@examples(400)
@given(people())
def test_judge__misses_nobody_and_accuses_nobody(least, times, problem):
    originals, published, wishes = (part * times for part in problem[:3])
    truth = personal_breaches(*problem)
    model = modelled(originals, wishes, problem[3])
    layout = laid_out(model, published)
    witness = new_witness(layout)
    ready = new_closed_walk(layout.rows, 2**12), new_judge_scratch(layout), witness
    checked, unsafe = find_set_unsafe_for_somebody(
        published_roots(layout), least, problem_of(layout, model.rho), *ready, RUNNING
    )
    if unsafe:
        e, joint, support, person, size = witness.numbers
        known = names(model, layout, witness.known[:size])
        (inferred,) = names(model, layout, [e])
        assert (known, inferred) in truth
        assert support == sum(known <= record for record in published)
        assert joint == sum(known | {inferred} <= record for record in published)
        records = layout.layout.record_of_row[layout.people.of_row == person]
        assert all(known <= originals[record] for record in records)
        assert any(inferred in wishes[record] for record in records)
    # Somebody who knows less is looked for one by one.
    assert unsafe or min((len(known) for known, _ in truth), default=-1) < least
    assert checked >= unsafe


@pytest.mark.parametrize("small", [0, 1, 2])
@examples(300)
@given(people())
def test_check__is_exact_however_few_small_sets_are_looked_at(small, problem):
    originals, published, wishes, rho = problem
    truth = personal_breaches(*problem)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proof, "small_sizes", lambda _: small)
        verdict = verify(published, modelled(originals, wishes, rho), jobs=1)
    assert verdict.status is (Status.BROKEN if truth else Status.HOLDS)


@examples(300)
@given(people(), st.integers(1, 3))
def test_mark_successful__is_right_about_everybody_drawn(problem, size):
    originals, published, wishes, rho = problem
    model = modelled(originals, wishes, rho)
    layout = laid_out(model, published, merged=False)
    rows, known = draw_adversaries(layout, size, 40, np.random.default_rng(1))
    succeeds = np.zeros(len(rows), dtype=np.bool_)
    witness = new_witness(layout)
    mark_successful(rows, known, problem_of(layout, rho), RUNNING, succeeds, witness)
    truth = personal_breaches(*problem)
    expected = []
    for row, each in zip(rows, known, strict=True):
        q = names(model, layout, each)
        person = layout.layout.record_of_row[row]
        expected.append(any((q, e) in truth for e in wishes[person]))
    assert succeeds.tolist() == expected
    if any(expected):
        first = expected.index(True)
        e, _, _, row, n_known = witness.numbers
        assert row == rows[first]
        assert witness.known[:n_known].tolist() == known[first].tolist()
        assert names(model, layout, [e]) <= wishes[layout.layout.record_of_row[row]]
