"""The kernels of buckets and similar groups against their plain twins."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tables import examples
from twins import plain_buckets
from withhold.methods.buckets.search.hashing import find_bucket_count
from withhold.methods.buckets.search.similar import NodeSets, gather_similar, new_groups


@examples(300)
@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=25),
    st.integers(1, 6),
    st.integers(1, 14),
    st.integers(1, 14),
)
def test_find_bucket_count__is_the_plain_search(records_with_sum, k, first, last):
    found = find_bucket_count(np.array(records_with_sum), k, first, last)
    assert found == plain_buckets.find_bucket_count(records_with_sum, k, first, last)


@examples(300)
@given(
    st.lists(
        st.lists(st.frozensets(st.integers(0, 6)), min_size=1, max_size=8), min_size=1, max_size=3
    ),
    st.lists(st.integers(0, 5), min_size=7, max_size=7),
    st.integers(1, 4),
    st.integers(1, 9),
)
def test_gather_similar__is_the_plain_gathering(classes, gain, k, window):
    classes = [rows for rows in classes if len(rows) >= k]
    rows = [row for members in classes for row in members]
    bounds = np.cumsum([0, *map(len, classes)])
    offsets = np.cumsum([0, *map(len, rows)])
    nodes = np.array([node for row in rows for node in sorted(row)], dtype=np.int32)
    sets = NodeSets(offsets, nodes, np.array(gain))
    groups = new_groups(sets, k)
    made = gather_similar(sets, bounds, k, window, groups, np.zeros(1, dtype=np.int64))
    places = [range(bounds[c], bounds[c + 1]) for c in range(len(classes))]
    expected = plain_buckets.gather_similar(rows, gain, places, k, window)
    assert made == len(expected)
    for group, members in enumerate(expected):
        assert np.flatnonzero(groups.of_row == group).tolist() == sorted(members)


def test_gather_similar__stops_when_told():
    stop = np.ones(1, dtype=np.int64)
    sets = NodeSets(np.arange(5), np.zeros(4, dtype=np.int32), np.ones(1, dtype=np.int64))
    groups = new_groups(sets, 2)
    gather_similar(sets, np.array([0, 4]), 2, 9, groups, stop)
    assert (groups.of_row == -1).all()
