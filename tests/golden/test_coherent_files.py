"""The release of a real file under coherence, counted again by matrices, level by level."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import withhold as wh


def incidence(table, names):
    """Records by items, a one where the record holds the item; only these items, as columns."""
    all_items = csr_matrix(
        (np.ones(table.n_occurrences, dtype=np.int64), table.items, table.offsets),
        shape=(len(table), table.n_items),
    )
    return all_items[:, table.codes(names)].tocsc()


@pytest.mark.data
def test_coherence__no_public_pair_is_a_mole(real_data):
    table = wh.read(real_data / "bms-webview-1.dat.gz")
    private = set((real_data / "bms-webview-1-sensitive.txt").read_text().split())
    release = wh.anonymize(table, wh.Coherence("0.5", 5, 2, private))
    left = {name for record in release.data for name in record}
    public = incidence(release.data, left - private)
    hidden = incidence(release.data, private)
    pairs = (public.T @ public).toarray()
    assert pairs[pairs > 0].min() >= 5
    assert 2 * hidden.sum(axis=0).max() <= len(table)
    for column in range(hidden.shape[1]):
        with_it = public[hidden[:, [column]].nonzero()[0]]
        assert (2 * (with_it.T @ with_it).toarray() <= pairs).all()
    # What is left is as it was: every remaining count is true.
    kept = release.data.supports > 0
    assert (release.data.supports[kept] == table.supports[kept]).all()
