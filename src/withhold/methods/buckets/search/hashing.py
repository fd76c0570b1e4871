"""Buckets by a hash of the records: the sum of the supports of a record's items, modulo their number."""

from __future__ import annotations

import numpy as np

from withhold.data import Records
from withhold.methods.buckets.search.bucket_count import find_bucket_count
from withhold.methods.buckets.search.pairs import Ints


def support_sums(table: Records) -> Ints:
    """For each record the sum of the supports of its items (the paper's SSC).

    >>> table = Records.from_lists([["I1", "J1"], ["J1"], []])
    >>> support_sums(table).tolist()
    [3, 2, 0]
    """
    before = np.zeros(table.n_occurrences + 1, dtype=np.int64)
    np.cumsum(table.supports[table.items], out=before[1:])
    return before[table.offsets[1:]] - before[table.offsets[:-1]]


def hashed(table: Records, k: int, start: int | None) -> tuple[Ints, int]:
    """The bucket of each record, and the number of buckets: one that leaves none with 1 … k-1 records.

    From ``start`` upwards, as the paper does, but not beyond |D|/k, where buckets have less than k records
    on average; then downwards, where 1 always fits. Without ``start``, downwards from |D|/k.
    """
    sums = support_sums(table)
    most = len(table) // k
    first = most if start is None else start
    records_with_sum = np.bincount(sums)
    found = find_bucket_count(records_with_sum, k, first, max(first, most))
    if found == 0 and first > 1:
        found = find_bucket_count(records_with_sum, k, first - 1, 1)
    return sums % found, int(found)
