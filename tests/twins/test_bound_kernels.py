"""The kernel of the lower bound returns what its plain twin returns."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tables import examples, tables
from twins import plain_bound
from twins.layouts import all_bitmaps, laid_out, sensitive_ranks
from withhold.counting.threads import Stop
from withhold.methods.rho.bound.near_rows import new_near
from withhold.methods.rho.bound.record_losses import Needs, bound_rows

asked = st.builds(
    Needs,
    helpers=st.integers(1, 4),
    with_prior=st.booleans(),
    only_sensitive=st.booleans(),
    most_together=st.sampled_from([1, 2, 3, 4, 8]),
    most_free=st.sampled_from([0, 2, 4, 8]),
)


@examples(1500)
@given(tables(records=14), asked, st.booleans())
def test_bound_rows__is_its_twin(table, needs, with_bitmaps):
    layout, sets = laid_out(*table)
    rows = layout.rows()
    if with_bitmaps:
        rows = rows._replace(bitmaps=all_bitmaps(layout))
    losses = np.zeros(layout.n_rows, dtype=np.int64)
    near = new_near(layout, needs.most_free)
    ends = (0, layout.n_rows)
    bound_rows(rows, layout.sensitive, ends, needs, near, losses, Stop().flag)
    assert losses.tolist() == plain_bound.bound_rows(sets, sensitive_ranks(layout), needs)
    for room in (near.counts, near.sizes, near.bitmaps):
        assert not room.any()
