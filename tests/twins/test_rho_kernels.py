"""The kernels that audit and check ρ-uncertainty return what their plain twins return."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tables import examples, problems
from twins import plain_rho
from twins.layouts import laid_out, lists, sensitive_ranks
from withhold.counting.bits import make_bitmaps
from withhold.counting.layout import Layout
from withhold.counting.surveys import SurveyRun, Tally
from withhold.counting.threads import Stop
from withhold.counting.walk import new_walk
from withhold.counting.worst import new_worst
from withhold.data import Records
from withhold.methods.rho.check.closed_sets import CLEAN, FOUND
from withhold.methods.rho.check.survey import Task, sensitive_of, survey, survey_antecedents
from withhold.methods.rho.model import Limits
from withhold.methods.rho.samples import are_first_breaches
from withhold.methods.rho.search.forced import find_forced, list_forced


class Surveyed:
    """What ``survey_antecedents`` says of a table."""

    def __init__(self, layout: Layout, rho: Fraction, sizes, *, keep=500, roots=None, **options):
        first, last = roots or (0, layout.n_items)
        first_only, skip_equal = (options.get(each, False) for each in ("first_only", "skip_equal"))
        task = Task(first, last, sizes[0], rho.numerator, rho.denominator, first_only, skip_equal)
        self.counts = np.zeros(sizes[1] + 1, dtype=np.int64)
        self.exposed = np.zeros(layout.n_rows, dtype=np.uint8)
        worst = new_worst(sizes[1], keep)
        self.status = survey_antecedents(
            layout.rows(),
            new_walk(layout.rows(), sizes[1]),
            sensitive_of(layout, sizes[1]),
            task,
            Tally(self.counts, worst, self.exposed, np.zeros(1, dtype=np.int64)),
            Stop().flag,
        )
        self.worst = [
            (
                frozenset(worst.sets[size, k, 1 : size + 1].tolist()),
                int(worst.sets[size, k, 0]),
                *map(int, worst.numbers[size, k, :2]),
            )
            for size in range(sizes[1] + 1)
            for k in range(worst.counts[size])
        ]


sizes = st.tuples(st.integers(1, 3), st.integers(0, 3)).map(lambda pair: (pair[0], sum(pair)))


@examples(300)
@given(problems(), sizes, st.data())
def test_survey_antecedents(problem, sizes, data):
    rows, sensitive, rho = problem
    layout, records = laid_out(rows, sensitive)
    middle = data.draw(st.integers(0, layout.n_items))
    reference = plain_rho.survey_antecedents(records, sensitive_ranks(layout), rho, sizes=sizes)
    for roots in ((0, middle), (middle, layout.n_items)):
        expected = [rule for rule in reference if roots[0] <= min(rule[0]) < roots[1]]
        result = Surveyed(layout, rho, sizes, roots=roots)
        assert result.status == (FOUND if expected else CLEAN)
        assert sorted(result.worst, key=repr) == sorted(expected, key=repr)
        assert result.counts.sum() == len(expected)
        assert np.flatnonzero(result.exposed).tolist() == [
            row
            for row, record in enumerate(records)
            if any(q | {e} <= record for q, e, _, _ in expected)
        ]


@examples(150)
@given(problems(), sizes, st.integers(1, 3))
def test_survey_antecedents__counts_all_and_keeps_the_worst(problem, sizes, keep):
    rows, sensitive, rho = problem
    layout, records = laid_out(rows, sensitive)
    reference = plain_rho.survey_antecedents(records, sensitive_ranks(layout), rho, sizes=sizes)
    result = Surveyed(layout, rho, sizes, keep=keep)
    assert set(result.worst) <= set(reference)
    for size in range(sizes[0], sizes[1] + 1):
        expected = [rule for rule in reference if len(rule[0]) == size]
        worst = sorted(((Fraction(a, b), a) for *_, a, b in expected), reverse=True)[:keep]
        kept = [(Fraction(a, b), a) for q, _, a, b in result.worst if len(q) == size]
        assert result.counts[size] == len(expected)
        assert kept == worst


@examples(150)
@given(problems(), st.integers(1, 5), st.booleans(), st.booleans())
def test_survey_antecedents__finds_one_whatever_it_skips(problem, largest, first_only, skip_equal):
    rows, sensitive, rho = problem
    layout, records = laid_out(rows, sensitive)
    ranks = sensitive_ranks(layout)
    reference = plain_rho.survey_antecedents(records, ranks, rho, sizes=(1, largest))
    result = Surveyed(layout, rho, (1, largest), first_only=first_only, skip_equal=skip_equal)
    assert result.status == (FOUND if reference else CLEAN)
    assert set(result.worst) <= set(reference)
    assert bool(result.worst) == bool(reference)


@examples(100)
@given(problems(), sizes, st.integers(1, 3))
def test_survey__puts_the_parts_together(problem, sizes, jobs):
    rows, sensitive, rho = problem
    layout, records = laid_out(rows, sensitive)
    reference = plain_rho.survey_antecedents(records, sensitive_ranks(layout), rho, sizes=sizes)
    result = survey(layout, rho, sizes, SurveyRun(stop=Stop(), keep=5000, jobs=jobs))
    listed = [(frozenset(q.tolist()), *rest) for rules in result.worst for q, *rest, _ in rules]
    assert sorted(listed, key=repr) == sorted(reference, key=repr)
    assert result.counts.sum() == len(reference)


@examples(300)
@given(problems(), st.integers(1, 3), st.data())
def test_are_first_breaches(problem, size, data):
    rows, sensitive, rho = problem
    layout, records = laid_out(rows, sensitive)
    possible = [
        (row, e)
        for row, record in enumerate(records)
        for e in record & sensitive_ranks(layout)
        if len(record) > size
    ]
    chosen = data.draw(st.lists(st.sampled_from(possible), max_size=6)) if possible else []
    draws = [
        (row, e, frozenset(data.draw(st.permutations(sorted(records[row] - {e})))[:size]))
        for row, e in chosen
    ]
    reference = plain_rho.are_first_breaches(draws, records, rho)
    result = np.zeros(len(draws), dtype=np.bool_)
    are_first_breaches(
        np.array([row for row, _, _ in draws], dtype=np.int64),
        np.array([e for _, e, _ in draws], dtype=np.int32),
        np.array([sorted(q) for _, _, q in draws], dtype=np.int32).reshape(-1, size),
        layout.rows(),
        Limits(rho.numerator, rho.denominator, True),
        Stop().flag,
        result,
    )
    assert result.tolist() == reference


@examples(400)
@given(problems(), st.integers(0, 8))
def test_find_forced(problem, first_bitmap):
    rows, sensitive, rho = problem
    layout, records = laid_out(rows, sensitive)
    first = min(first_bitmap, layout.n_items)
    bitmaps = make_bitmaps(layout.post_offsets, layout.post_rows, first, layout.n_rows)
    reference = plain_rho.find_forced(records, sensitive_ranks(layout), rho)
    result = np.zeros(layout.n_rows, dtype=np.int64)
    child_of = np.full(layout.n_items, -1, dtype=np.int64)
    middle = layout.n_items // 2
    for start, end in ((0, middle), (middle, layout.n_items)):
        find_forced(
            layout.rows()._replace(bitmaps=bitmaps),
            new_walk(layout.rows(), 2),
            layout.sensitive,
            child_of,
            (start, end),
            Limits(rho.numerator, rho.denominator, True),
            result,
            Stop().flag,
        )
    assert {row: int(result[row]) for row in np.flatnonzero(result)} == reference
    assert (child_of == -1).all()


@examples(100)
@given(problems(), st.data())
def test_list_forced(problem, data):
    rows, sensitive, _ = problem
    table = Records.from_lists(rows)
    codes = table.codes(sensitive)
    places = lists(table.offsets, np.arange(table.n_occurrences))
    records = [
        dict(zip(items, where, strict=True))
        for items, where in zip(lists(table.offsets, table.items), places, strict=True)
    ]
    chosen = data.draw(st.lists(st.integers(0, len(table) - 1), unique=True))
    reference = plain_rho.list_forced(chosen, records, frozenset(codes.tolist()))
    is_sensitive = np.zeros(table.n_items, dtype=np.bool_)
    is_sensitive[codes] = True
    numbers = np.array(chosen, dtype=np.int32)
    starts, others, gone, answers = list_forced(table.offsets, table.items, is_sensitive, numbers)
    goes = [gone[answers == k].tolist() for k in range(len(chosen))]
    assert list(zip(lists(starts, others), goes, strict=True)) == reference
