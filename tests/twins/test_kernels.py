"""Every kernel returns what its plain twin returns."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tables import Rows, examples, problems
from twins import plain
from withhold.counting.attack import try_attacks
from withhold.counting.bits import make_bitmaps
from withhold.counting.layout import Layout, lay_out
from withhold.counting.supports import count_support
from withhold.counting.threads import Stop
from withhold.data import Transactions
from withhold.data.plan import without
from withhold.methods.rho.check.closed_sets import CLEAN, FOUND, find_unsafe_closed_set
from withhold.methods.rho.check.survey import survey


def laid_out(rows: Rows, sensitive: frozenset[str]) -> tuple[Layout, list[frozenset[int]]]:
    """The layout and the same rows as sets of ranks, for the twins."""
    table = Transactions.from_lists(rows)
    layout = lay_out(table, table.codes(sensitive))
    ends = layout.offsets.tolist()
    items = layout.items.tolist()
    return layout, [frozenset(items[a:b]) for a, b in zip(ends, ends[1:], strict=False)]


def all_bitmaps(layout: Layout) -> np.ndarray:
    """Bitmaps of every item, where the layout would make them of frequent ones only."""
    return make_bitmaps(layout.post_offsets, layout.post_rows, 0, layout.n_rows)


@examples(300)
@given(problems())
def test_layout__holds_the_same_table(problem):
    rows, sensitive, _ = problem
    table = Transactions.from_lists(rows)
    layout, records = laid_out(rows, sensitive)
    assert (np.diff(layout.supports) >= 0).all()
    assert (np.diff([len(record) for record in records]) <= 0).all()
    for row, record in enumerate(records):
        original = table.record(layout.record_of_row[row])
        assert {table.vocabulary[layout.code_of_rank[rank]] for rank in record} == set(original)
        places = layout.origin[layout.offsets[row] : layout.offsets[row + 1]]
        assert {table.vocabulary[code] for code in table.items[places]} == set(original)
        first = table.offsets[layout.record_of_row[row]]
        assert sorted(places.tolist()) == list(range(first, first + len(original)))
        marked = layout.sensitive_items[
            layout.sensitive_offsets[row] : layout.sensitive_offsets[row + 1]
        ]
        assert set(marked.tolist()) == {rank for rank in record if layout.sensitive[rank]}
    for rank in range(layout.n_items):
        span = slice(layout.post_offsets[rank], layout.post_offsets[rank + 1])
        assert layout.post_rows[span].tolist() == [
            row for row, record in enumerate(records) if rank in record
        ]
        assert (layout.items[layout.post_positions[span]] == rank).all()


@examples(200)
@given(problems(), st.data())
def test_layout__of_what_is_kept_is_that_of_the_table_without_the_rest(problem, data):
    rows, sensitive, _ = problem
    table = Transactions.from_lists(rows)
    marks = data.draw(st.lists(st.booleans(), min_size=table.n_occurrences))
    kept = np.array(marks[: table.n_occurrences], dtype=bool)
    rest = without(np.flatnonzero(~kept), table)
    some = lay_out(table, table.codes(sensitive), kept)
    alone = lay_out(rest, rest.codes(sensitive))
    arrays = {field.name for field in fields(Layout)} - {"table"} | {"post_positions"}
    for name in arrays:
        assert np.array_equal(getattr(some, name), getattr(alone, name))
    assert np.array_equal(some.origin, np.flatnonzero(kept)[alone.origin])


@examples(300)
@given(problems(), st.data())
def test_count_support(problem, data):
    rows, sensitive, _ = problem
    layout, records = laid_out(rows, sensitive)
    if layout.n_items == 0:
        return
    itemset = data.draw(st.frozensets(st.integers(0, layout.n_items - 1)))
    enough = data.draw(st.integers(1, 10))
    got = count_support(
        np.array(sorted(itemset), dtype=np.int32),
        len(itemset),
        np.int64(enough),
        layout.offsets,
        layout.items,
        layout.post_offsets,
        layout.post_rows,
        layout.supports,
        data.draw(st.sampled_from([layout.bitmaps(), all_bitmaps(layout)])),
    )
    assert min(got, enough) == min(plain.count_support(itemset, records), enough)


@examples(500)
@given(problems(), st.integers(1, 3), st.integers(0, 3), st.integers(1, 3))
def test_survey_antecedents(problem, smallest, more, jobs):
    rows, sensitive, rho = problem
    layout, records = laid_out(rows, sensitive)
    sizes = (smallest, smallest + more)
    ranks = frozenset(layout.sensitive_ranks().tolist())
    expected = plain.survey_antecedents(records, ranks, rho, sizes=sizes)
    got = survey(layout, rho, sizes=sizes, stop=Stop(), keep=5000, jobs=jobs)
    listed = [
        (frozenset(q.tolist()), e, joint, support)
        for rules in got.worst
        for q, e, joint, support in rules
    ]
    assert sorted(listed, key=repr) == sorted(expected, key=repr)
    assert got.counts.sum() == len(expected)
    assert set(np.flatnonzero(got.exposed)) == {
        row
        for row, record in enumerate(records)
        if any(q | {e} <= record for q, e, _, _ in expected)
    }


@examples(700)
@given(problems(), st.booleans(), st.booleans())
def test_find_unsafe_closed_set(problem, with_prior, with_bitmaps):
    rows, sensitive, rho = problem
    layout, records = laid_out(rows, sensitive)
    consequents = layout.sensitive_ranks()
    witness = np.zeros(20, dtype=np.int32)
    numbers = np.zeros(4, dtype=np.int64)
    status = find_unsafe_closed_set(
        layout.offsets,
        layout.items,
        layout.post_offsets,
        layout.post_rows,
        all_bitmaps(layout) if with_bitmaps else layout.bitmaps(),
        consequents,
        rho.numerator,
        rho.denominator,
        with_prior,
        Stop().flag,
        witness,
        numbers,
    )
    unsafe = plain.find_unsafe_closed_set(records, consequents.tolist(), rho, with_prior=with_prior)
    assert status == (FOUND if unsafe else CLEAN)
    if unsafe:
        found = frozenset(witness[1 : numbers[2] + 1].tolist())
        joint, support = int(numbers[0]), int(numbers[1])
        assert support == plain.count_support(found, records)
        assert joint == plain.count_support(found | {int(witness[0])}, records)
        assert Fraction(joint, support) > rho
    else:
        # Every closed set of every D_e was looked at; rows count on top of the sets they are.
        n_closed = sum(1 for e in consequents.tolist() for _ in plain.closed_sets(e, records))
        assert numbers[3] >= n_closed


@examples(300)
@given(problems(), st.integers(1, 3), st.data())
def test_try_attacks(problem, size, data):
    rows, sensitive, rho = problem
    layout, records = laid_out(rows, sensitive)
    long_enough = [sorted(record) for record in records if len(record) >= size]
    if not long_enough:
        return
    known = [
        sorted(data.draw(st.permutations(data.draw(st.sampled_from(long_enough))))[:size])
        for _ in range(3)
    ]
    supports = np.zeros(3, dtype=np.int64)
    inferred = np.zeros(3, dtype=np.bool_)
    tried = try_attacks(
        np.array(known, dtype=np.int32),
        layout.offsets,
        layout.items,
        layout.post_offsets,
        layout.post_rows,
        layout.sensitive_offsets,
        layout.sensitive_items,
        rho.numerator,
        rho.denominator,
        supports,
        inferred,
        Stop().flag,
    )
    expected = plain.try_attacks(
        [frozenset(q) for q in known],
        records,
        frozenset(layout.sensitive_ranks().tolist()),
        rho,
    )
    assert tried == 3
    assert list(zip(supports.tolist(), inferred.tolist(), strict=True)) == expected
