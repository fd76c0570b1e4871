"""With which size of antecedents the search for ρ-uncertainty begins."""

from __future__ import annotations

import numpy as np
import pytest

import withhold as wh
from withhold.methods.rho.search.log import Log
from withhold.methods.rho.search.partial import first_size
from withhold.methods.rho.search.workspace import Workspace


def size_for(*rows: list[str]) -> int:
    records = wh.Records.from_lists(rows)
    kept = np.ones(records.n_occurrences, dtype=bool)
    return first_size(Workspace(records, wh.RhoUncertainty("0.5", {"s"}), kept, Log()))


@pytest.mark.parametrize(("length", "size"), [(1, 3), (4, 3), (11, 3), (12, 2), (20_000, 2)])
def test_first_size__depends_on_how_many_sets_of_three_there_are(length, size):
    # 11 items have 165 sets of three, 15 for each; 12 have 220, more than 18 for each.
    assert size_for(["s", *(f"i{n}" for n in range(length - 1))]) == size


def test_first_size__does_not_count_records_without_sensitive_items():
    assert size_for(["s", "i1"], [f"i{n}" for n in range(500)]) == 3
