"""The kernels that lay out people, and that count draws among them, return what their plain twins return."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from test_personal_kernels import laid_out, problems

from tables import examples
from twins import plain_personal
from withhold.counting.bits import make_bitmaps
from withhold.counting.threads import Stop
from withhold.methods.personal.people import clear_withheld, problem_of, unite
from withhold.methods.personal.samples import are_first_personal_breaches


def in_bits(sets, n_words):
    """Sets of numbers as rows of bits."""
    bits = np.zeros((len(sets), n_words), dtype=np.uint64)
    for row, each in enumerate(sets):
        for number in each:
            bits[row, number // 64] |= np.uint64(1) << np.uint64(number % 64)
    return bits


def from_bits(bits):
    """The numbers of a row of bits."""
    return {
        64 * word + bit
        for word, value in enumerate(bits.tolist())
        for bit in range(64)
        if value >> bit & 1
    }


@examples(150)
@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.frozensets(st.integers(0, 130), max_size=4)), max_size=8
    )
)
def test_unite(records):
    persons, fears = [person for person, _ in records], [feared for _, feared in records]
    got = np.zeros((4, 3), dtype=np.uint64)
    unite(np.array(persons, dtype=np.int32), in_bits(fears, 3), got)
    assert [from_bits(bits) for bits in got] == plain_personal.unite(persons, fears, 4)


@examples(150)
@given(problems(), st.integers(0, 6), st.sampled_from([1, 12]))
def test_clear_withheld(problem, first, times):
    originals, published, fears = (part * times for part in problem[:3])
    layout = laid_out(originals, published, fears, merged=False)
    rows = layout.rows
    bitmaps = make_bitmaps(rows.post_offsets, rows.post_rows, first, len(originals))
    clear_withheld(rows.offsets, rows.items, first, bitmaps)
    ranked = [
        frozenset(rank for rank in part.tolist() if rank >= 0)
        for part in np.split(rows.items, rows.offsets[1:-1])
    ]
    expected = plain_personal.clear_withheld(ranked, range(first, 6))
    assert dict(enumerate(map(from_bits, bitmaps), start=first)) == expected


@examples(150)
@given(problems(), st.integers(1, 3), st.booleans(), st.data())
def test_are_first_personal_breaches(problem, size, merged, data):
    originals, published, fears, rho = problem
    layout = laid_out(originals, published, fears, merged=merged)
    order = layout.layout.record_of_row.tolist()
    originals, published, fears = (
        [part[record] for record in order] for part in (originals, published, fears)
    )
    all_draws = [
        (row, e, frozenset(known))
        for row, record in enumerate(published)
        for e in sorted(record & frozenset().union(*fears))
        for known in combinations(sorted(record - {e}), size)
    ]
    draws = data.draw(st.permutations(all_draws))[:100]
    rank = {int(code): n for n, code in enumerate(layout.layout.code_of_rank)}
    known = [sorted(rank[x] for x in q) for _, _, q in draws]
    hits = np.ones(len(draws), dtype=np.bool_)
    are_first_personal_breaches(
        np.array([row for row, _, _ in draws], dtype=np.int32),
        np.array([rank[e] for _, e, _ in draws], dtype=np.int32),
        np.array(known, dtype=np.int32).reshape(-1, size),
        problem_of(layout, rho),
        Stop().flag,
        hits,
    )
    expected = plain_personal.are_first_personal_breaches(draws, originals, published, fears, rho)
    assert hits.tolist() == expected
