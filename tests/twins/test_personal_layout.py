"""The kernels that lay out people, and that count draws among them, return what their plain twins return."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from layouts import rows_in
from test_personal_kernels import laid_out, problems

from tables import examples
from twins import plain_personal
from withhold.counting.threads import Stop
from withhold.methods.personal.people import problem_of
from withhold.methods.personal.sampling import are_first_personal_breaches


@examples(150)
@given(problems(), st.sampled_from([1, 12]), st.booleans())
def test_lay_out_people__supports_and_bitmaps_are_of_what_is_published(problem, times, merged):
    """From 65 rows on there are bitmaps."""
    originals, published, wishes = (part * times for part in problem[:3])
    layout = laid_out(originals, published, wishes, merged=merged)
    rows = layout.rows
    ranked = [
        frozenset(rank for rank in part.tolist() if rank >= 0)
        for part in np.split(rows.items, rows.offsets[1:-1])
    ]
    expected = [{row for row, record in enumerate(ranked) if x in record} for x in range(6)]
    assert rows.supports.tolist() == [len(there) for there in expected]
    assert rows_in(rows.bitmaps) == expected[6 - len(rows.bitmaps) :]


@examples(150)
@given(problems(), st.integers(1, 3), st.booleans(), st.data())
def test_are_first_personal_breaches(problem, size, merged, data):
    originals, published, wishes, rho = problem
    layout = laid_out(originals, published, wishes, merged=merged)
    order = layout.layout.record_of_row.tolist()
    originals, published, wishes = (
        [part[record] for record in order] for part in (originals, published, wishes)
    )
    all_draws = [
        (row, e, frozenset(known))
        for row, record in enumerate(published)
        for e in sorted(record & frozenset().union(*wishes))
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
    expected = plain_personal.are_first_personal_breaches(draws, originals, published, wishes, rho)
    assert hits.tolist() == expected
