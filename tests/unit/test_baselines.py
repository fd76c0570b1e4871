"""The methods of others keep what they promise, so that a comparison with them is fair."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from benchmarks.baselines.permutation import estimated_counts, permute
from hypothesis import given
from hypothesis import strategies as st

ITEMS = tuple("abcdexyz")
SENSITIVE = frozenset("xyz")
TABLES = st.lists(st.sets(st.sampled_from(ITEMS)).map(sorted), min_size=1, max_size=25)


@given(TABLES, st.integers(2, 4))
def test_permute__no_sensitive_item_is_in_more_than_one_of_p(records, p):
    counts = Counter(item for record in records for item in record)
    if any(counts[item] * p > len(records) for item in SENSITIVE):
        with pytest.raises(ValueError, match="more than one of"):
            permute(records, SENSITIVE, p)
        return
    published = permute(records, SENSITIVE, p)
    sizes = np.bincount(published.group_of, minlength=len(published.summaries))
    for size, summary in zip(sizes.tolist(), published.summaries, strict=True):
        assert all(n * p <= size for n in summary.values())
    assert published.public == [frozenset(record) - SENSITIVE for record in records]
    assert estimated_counts(published) == counts


def test_permute__groups_transactions_that_are_alike():
    alike = [["a", "b", "x"], ["a", "b"], ["c", "d", "y"], ["c", "d"]]
    group_of = permute(alike, SENSITIVE, 2).group_of
    assert group_of[0] == group_of[1] != group_of[2] == group_of[3]
