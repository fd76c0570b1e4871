"""The kernels of the lower bound return what their plain twins return."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tables import examples, tables
from twins import plain_bound
from twins.layouts import all_bitmaps, laid_out, sensitive_ranks
from withhold.counting.threads import Stop
from withhold.methods.rho.bound.near_rows import new_near
from withhold.methods.rho.bound.possible_sets import bound_classes
from withhold.methods.rho.bound.record_losses import Needs, bound_rows
from withhold.methods.rho.bound.row_classes import ClassNeeds, new_class_scratch, new_classes

together = st.sampled_from([1, 2, 3, 4, 8])
asked = st.builds(
    Needs,
    helpers=st.integers(1, 4),
    with_prior=st.booleans(),
    most_together=together,
    most_free=st.sampled_from([0, 2, 4, 8]),
)
asked_of_classes = st.builds(
    lambda rho, *rest: ClassNeeds(*rho, *rest),
    st.sampled_from([(1, 4), (1, 3), (2, 5), (1, 2), (3, 5), (7, 10), (9, 10)]),
    st.booleans(),
    together,
    st.sampled_from([1, 2, 3, 8]),
)


def rows_of(layout, with_bitmaps):
    rows = layout.rows()
    return rows._replace(bitmaps=all_bitmaps(layout)) if with_bitmaps else rows


@examples(1500)
@given(tables(records=14), asked, st.booleans(), st.sampled_from([1, 4, 100]))
def test_bound_rows__is_its_twin(table, needs, with_bitmaps, most_listed):
    layout, sets = laid_out(*table)
    losses = np.zeros(layout.n_rows, dtype=np.int64)
    near = new_near(layout, needs.most_free)
    near = near._replace(masks=near.masks[:most_listed])
    chosen = np.arange(layout.n_rows)
    rows = rows_of(layout, with_bitmaps)
    bound_rows(rows, layout.sensitive, chosen, needs, near, losses, Stop().flag)
    expected = plain_bound.bound_rows(sets, sensitive_ranks(layout), needs, most_listed)
    assert losses.tolist() == expected
    for room in (near.counts, near.sizes, near.bitmaps):
        assert not room.any()


@examples(1500)
@given(tables(records=14), asked_of_classes, st.booleans())
def test_bound_classes__is_its_twin(table, needs, with_bitmaps):
    layout, sets = laid_out(*table)
    classes, room = new_classes(layout), new_class_scratch(layout, needs.most_tried)
    n_sets = 1 << needs.most_tried
    tables_ = np.zeros(2 * n_sets, dtype=np.bool_), np.zeros(1, dtype=np.int64)
    rows, n_classes, at = rows_of(layout, with_bitmaps), len(classes.sizes), 0
    while at < n_classes:
        ends = at, n_classes
        given = rows, layout.sensitive, classes, needs, room, tables_, ends, Stop().flag
        at = bound_classes(*given)
        tables_ = np.concatenate([tables_[0], np.zeros(n_sets, dtype=np.bool_)]), tables_[1]
    expected = plain_bound.bound_classes(sets, sensitive_ranks(layout), needs)
    assert classes.losses.tolist() == expected
    assert not room.bitmaps.any()
    assert (room.local_of == -1).all()
