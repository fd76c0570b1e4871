"""The kernels that decide in proofs, called by themselves, return what their plain twins return."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from test_personal_kernels import N_ITEMS, adversaries, as_codes, laid_out, problems

from tables import examples
from tables import problems as tables_of_rho
from twins import plain_personal, plain_rho
from twins.layouts import laid_out as laid_out_rho
from withhold.counting.closed_walk import new_closed_walk
from withhold.counting.local_rows import new_numbering
from withhold.counting.surveys import Tally
from withhold.counting.threads import Stop
from withhold.counting.worst import new_worst
from withhold.methods.personal.check.judge import (
    find_set_unsafe_for_somebody,
    mark_successful,
    new_judge_scratch,
    new_witness,
)
from withhold.methods.personal.check.survey import Wanted, survey_known_sets
from withhold.methods.personal.known_sets import new_known_walk
from withhold.methods.personal.people import problem_of
from withhold.methods.personal.search.rounds import has_unsafe_known_set
from withhold.methods.rho.check.closed_sets import CLEAN, FOUND, Witness, find_unsafe_among
from withhold.methods.rho.model import Limits

ROOTS = np.arange(N_ITEMS, dtype=np.int32)


@examples(200)
@given(problems(), st.integers(1, 3), st.integers(0, 2))
def test_survey_known_sets__by_sizes(problem, smallest, more):
    originals, published, wishes, rho = problem
    layout = laid_out(originals, published, wishes, merged=True)
    largest = smallest + more
    laid = problem_of(layout, rho)
    tally = Tally(
        np.zeros(largest + 1, dtype=np.int64),
        new_worst(largest, 500),
        np.zeros(layout.layout.n_rows, dtype=np.uint8),
        np.zeros(1, dtype=np.int64),
    )
    wanted = Wanted(smallest, largest, False, False)
    known = new_known_walk(laid, largest)
    found = survey_known_sets(0, N_ITEMS, wanted, laid, known, tally, Stop().flag)
    expected = plain_personal.survey_known_sets(
        originals, published, wishes, rho, sizes=(smallest, largest)
    )
    by_size = [sum(len(q) == size for q, _ in expected) for size in range(largest + 1)]
    assert tally.counts.tolist() == by_size
    assert found == bool(expected)
    exposed = {int(layout.layout.record_of_row[row]) for row in np.flatnonzero(tally.exposed)}
    assert all(any(q <= originals[record] for q, _ in expected) for record in exposed)


@examples(200)
@given(problems(), st.integers(1, 3))
def test_has_unsafe_known_set(problem, largest):
    originals, published, wishes, rho = problem
    # What follows from the empty set is checked separately, and so are sets that every row holds.
    assume(not plain_personal.survey_known_sets(*problem, sizes=(0, 0)))
    layout = laid_out(originals, published, wishes, merged=True)
    laid = problem_of(layout, rho)
    roots = np.flatnonzero(layout.rows.supports > 0).astype(np.int32)
    walk = new_known_walk(laid, largest)
    assert has_unsafe_known_set(
        roots, largest, laid, walk, Stop().flag
    ) == plain_personal.has_unsafe_known_set(originals, published, wishes, rho, largest)


@examples(200)
@given(problems())
def test_find_set_unsafe_for_somebody(problem):
    originals, published, wishes, rho = problem
    assume(not plain_personal.survey_known_sets(*problem, sizes=(0, 0)))
    expected = plain_personal.find_set_unsafe_for_somebody(originals, published, wishes, rho)
    layout = laid_out(originals, published, wishes, merged=True)
    witness = new_witness(layout)
    roots = np.flatnonzero(layout.rows.supports > 0).astype(np.int32)
    ready = new_closed_walk(layout.rows, 2**12), new_judge_scratch(layout), witness
    _, unsafe = find_set_unsafe_for_somebody(roots, 1, problem_of(layout, rho), *ready, Stop().flag)
    assert unsafe == bool(expected)
    if unsafe:
        e, *_, size = witness.numbers
        assert (as_codes(layout, witness.known[:size]), *as_codes(layout, [e])) in expected


@examples(200)
@given(problems(), st.integers(1, 3))
def test_mark_successful(problem, size):
    _, published, wishes, rho = problem
    layout, drawn, named = adversaries(problem, size)
    succeeds = np.zeros(len(drawn[0]), dtype=np.bool_)
    mark_successful(*drawn, problem_of(layout, rho), Stop().flag, succeeds, new_witness(layout))
    assert succeeds.tolist() == plain_personal.mark_successful(*named, published, wishes, rho)


@examples(200)
@given(tables_of_rho(), st.booleans())
def test_find_unsafe_among(problem, with_prior):
    table, sensitive, rho = problem
    layout, records = laid_out_rho(table, sensitive)
    limits = Limits(rho.numerator, rho.denominator, with_prior)
    numbering = new_numbering(layout.n_items, layout.n_rows)
    longest = int(np.diff(layout.offsets).max(initial=0))
    witness = Witness(np.zeros(longest + 1, dtype=np.int32), np.zeros(4, dtype=np.int64))
    ranks = layout.sensitive_ranks()
    status, at = find_unsafe_among(layout.rows(), ranks, limits, numbering, witness, Stop().flag)
    expected = plain_rho.find_unsafe_among(records, ranks.tolist(), rho, with_prior=with_prior)
    assert (status, at) == ((CLEAN, 0) if expected is None else (FOUND, expected))
    if expected is not None:
        joint, support = witness.numbers[:2].tolist()
        assert Fraction(joint, support) > rho
