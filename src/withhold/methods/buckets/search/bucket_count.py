"""How many buckets a hash may have so that none is left with too few records."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from withhold.counting.jit import kernel


@kernel
def find_bucket_count(records_with_sum, k, first, last):
    """The first number of buckets from ``first`` towards ``last`` (both included) that leaves no bucket
    with 1 … k-1 records; 0 if there is none. ``records_with_sum[s]`` records have the sum s."""
    # Bucket b holds the sums b, b + n, b + 2n, …: few when there are many buckets, and most numbers of
    # buckets fail at one of the first buckets. No division anywhere.
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
