"""Buckets by a hash of the records: the sum of the supports of a record's items, modulo their number."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.jit import kernel
from withhold.data import Records
from withhold.data.array_types import Longs
from withhold.data.spans import starts_of


def support_sums(records: Records) -> Longs:
    """For each record the sum of the supports of its items (the paper's SSC).

    >>> support_sums(Records.from_lists([["I1", "J1"], ["J1"], []])).tolist()
    [3, 2, 0]
    """
    return np.diff(starts_of(records.supports[records.items])[records.offsets])


def hash_records(records: Records, k: int, start: int | None) -> tuple[Longs, int]:
    """The bucket of each record, and the number of buckets: one that leaves none with 1 … k-1 records.

    From ``start`` upwards, as the paper does, but not beyond |D|/k, where buckets have fewer than k records
    on average; then downwards, where 1 always fits. Without ``start``, downwards from |D|/k.
    """
    sums = support_sums(records)
    most = len(records) // k
    first = most if start is None else start
    records_with_sum = np.bincount(sums)
    found = find_bucket_count(records_with_sum, k, first, max(first, most))
    if found == 0 and first > 1:
        found = find_bucket_count(records_with_sum, k, first - 1, 1)
    return sums % found, int(found)


@kernel
def find_bucket_count(records_with_sum, k, first, last):
    """The first number of buckets that leaves none with 1 … k-1 records; 0 if there is none.

    From ``first`` towards ``last``, both included. ``records_with_sum[s]`` records have the sum s.
    """
    # Bucket b of n holds the sums b, b + n, b + 2n, …: few sums if there are many buckets. Most numbers of
    # buckets fail at one of the first buckets. So stepping through the sums is faster than dividing all.
    step = 1 if last >= first else -1
    n_sums = len(records_with_sum)
    for n_buckets in range(first, last + step, step):
        fits = True
        for bucket in range(min(n_buckets, n_sums)):
            records = 0
            for at in range(bucket, n_sums, n_buckets):
                records += records_with_sum[at]
            if 0 < records < k:
                fits = False
                break
        if fits:
            return n_buckets
    return 0
